//! The pager of `show`, `log`, `diff` and `check`.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use fs_err as fs;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{OnTerminal, on_terminal, tree, wpatch};

use crate::world;

const PATCH: &str = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n";
/// A pager that marks each line.
const MARK: &str = "sed s/^/MARK:/";

fn root() -> TempDir {
    tree(&[("a", "one\n"), ("b", "two\n"), ("patch", PATCH)])
}

/// Runs `wpatch` with `arguments` and these environment variables on a terminal.
fn paged(root: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = wpatch(root, arguments);
    command.env_remove("PAGER").envs(variables.iter().copied());
    on_terminal(command)
}

/// Returns the marks at the start of the lines of `text`.
fn marks(text: &str) -> Vec<&str> {
    let mut marks: Vec<_> = text
        .lines()
        .map(|line| line.split_once(':').map_or("", |(mark, _)| mark))
        .collect();
    marks.dedup();
    marks
}

/// Creates the executable `name` in `directory`.
fn program(directory: &Path, name: &str, script: &str) {
    fs::create_dir_all(directory).unwrap();
    let path = directory.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn long_output_on_a_terminal_goes_to_the_pager() {
    let root = root();
    fs::create_dir(root.path().join(".git")).unwrap();
    let pager = ("WPATCH_PAGER", MARK);
    let made = wpatch(root.path(), &["apply", "patch"]).status().unwrap();
    assert!(made.success());
    let (_, log) = paged(root.path(), &["log", "--json"], &[pager]);
    let id = log
        .split("\"id\":\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    fs::write(root.path().join("patch"), PATCH.replace("one", "three")).unwrap();
    for (arguments, code) in [
        (&["show", "patch"][..], 1),
        (&["show", id], 0),
        (&["log"], 0),
        (&["diff", "a", "patch"], 1),
    ] {
        let (ended, text) = paged(root.path(), arguments, &[pager]);
        assert_eq!(ended, Some(code), "{arguments:?}: {text}");
        assert!(text.starts_with("MARK:"), "{arguments:?}: {text}");
    }
    for arguments in [
        &["log", "--json"][..],
        &["--no-pager", "log"],
        &["log", "--no-pager"],
        &["diff", "--json", "a", "patch"],
        &["show", "--json", "patch"],
        &["show", "--html", "patch"],
        &["read", "a"],
        &["list"],
    ] {
        let (_, text) = paged(root.path(), arguments, &[pager]);
        assert!(
            !text.is_empty() && !text.contains("MARK"),
            "{arguments:?}: {text}"
        );
    }
    let piped = wpatch(root.path(), &["log"])
        .env(pager.0, pager.1)
        .output()
        .unwrap();
    assert!(!piped.stdout.is_empty() && !piped.stdout.starts_with(b"MARK"));
}

#[test]
fn the_first_variable_that_is_set_names_the_pager() {
    let root = root();
    let bin = tempfile::tempdir().unwrap();
    program(bin.path(), "less", "exec sed \"s/^/less $LESS $LV:/\"");
    let path = format!("{}:/usr/bin:/bin", bin.path().display());
    let shown = |variables: &[(&str, &str)]| {
        let variables = [&[("PATH", path.as_str())], variables].concat();
        let (code, text) = paged(root.path(), &["show", "patch"], &variables);
        assert_eq!(code, Some(0), "{text}");
        marks(&text).join(",")
    };
    let own = ("WPATCH_PAGER", "sed s/^/W:/");
    let git = ("GIT_PAGER", "sed 's/^/G:/'");
    let usual = ("PAGER", "sed s/^/P:/");
    assert_eq!(shown(&[own, git, usual]), "W");
    assert_eq!(shown(&[git, usual]), "G");
    assert_eq!(shown(&[usual]), "P");
    assert_eq!(shown(&[]), "less FRX -c");
    assert_eq!(shown(&[("LESS", "R"), ("LV", "")]), "less R ");
    for none in [
        &[("WPATCH_PAGER", ""), git, usual][..],
        &[("GIT_PAGER", "cat"), usual],
        &[("PAGER", "")],
        &[("TERM", "dumb")],
    ] {
        assert_eq!(shown(none), "", "{none:?}");
    }
    assert_eq!(shown(&[("TERM", "dumb"), usual]), "P");
    fs::write(
        root.path().join(".gitconfig"),
        "[core]\n\tpager = sed s/^/C:/\n",
    )
    .unwrap();
    assert_eq!(shown(&[usual]), "C");
    assert_eq!(shown(&[git]), "G");
}

#[test]
fn no_file_of_a_tree_names_or_supplies_the_pager() {
    let root = root();
    let init = Command::new("git")
        .current_dir(root.path())
        .args(["init", "-q"])
        .env("HOME", root.path())
        .status();
    assert!(init.unwrap().success());
    let config = root.path().join(".git/config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text + "[core]\n\tpager = sed s/^/evil:/\n").unwrap();
    program(&root.path().join("bin"), "mine", "exec sed s/^/evil:/");
    let path = format!("{}:/usr/bin:/bin", root.path().join("bin").display());
    for pager in ["cat", "mine", "bin/mine", "./bin/mine"] {
        let variables = [("PATH", path.as_str()), ("PAGER", pager)];
        let (code, text) = paged(root.path(), &["show", "patch"], &variables);
        assert_eq!(code, Some(0), "{text}");
        assert!(
            text.contains("modify") && !text.contains("evil"),
            "{pager}: {text}"
        );
    }
}

#[test]
fn a_pager_that_cannot_start_is_replaced_by_plain_output() {
    let root = root();
    let plain = paged(root.path(), &["show", "--no-pager", "patch"], &[]);
    let absent = paged(
        root.path(),
        &["show", "patch"],
        &[("PAGER", "no-such-pager -x")],
    );
    assert_eq!(absent, plain);
    let (code, text) = paged(
        root.path(),
        &["show", "patch"],
        &[("PAGER", "no-such-pager $x")],
    );
    assert_eq!(code, plain.0);
    assert!(text.ends_with(&plain.1), "{text}");
}

#[test]
fn a_pager_that_ends_early_is_no_failure() {
    let lines = (0..50_000)
        .map(|line| format!("{line}\n"))
        .collect::<Vec<_>>()
        .concat();
    let root = tree(&[("a", &lines), ("b", ""), ("patch", PATCH)]);
    let patch = format!(
        "--- a/b\n+++ b/b\n@@ -0,0 +1,50000 @@\n+{}",
        lines.trim_end().replace('\n', "\n+") + "\n"
    );
    fs::write(root.path().join("patch"), patch).unwrap();
    for (arguments, code) in [
        (&["diff", "a", "b"][..], 1),
        (&["show", "patch"], 0),
        (&["show", "-R", "patch"], 1),
    ] {
        let (ended, text) = paged(root.path(), arguments, &[("PAGER", "head -c 10")]);
        assert_eq!(ended, Some(code), "{text}");
        assert!(!text.contains("cannot write"), "{text}");
        let failing = paged(root.path(), arguments, &[("PAGER", "sh -c 'exit 3'")]);
        assert_eq!(failing.0, Some(code), "{}", failing.1);
    }
}

/// Reads until the output of `running` ends with `text`.
fn read_until(running: &mut OnTerminal, text: &str) {
    let mut seen = Vec::new();
    while !seen.ends_with(text.as_bytes()) {
        let mut byte = [0];
        running.written.read_exact(&mut byte).unwrap();
        seen.extend(byte);
    }
}

#[test]
fn an_interrupt_from_the_keyboard_is_left_to_the_pager() {
    for has_progress_line in [false, true] {
        let root = root();
        let fifo = root.path().join("fifo");
        world::fifo(&fifo);
        let slow = root.path().join("slow");
        world::fifo(&slow);
        let patch = if has_progress_line { "slow" } else { "patch" };
        let mut command = wpatch(root.path(), &["show", patch]);
        command.env("PAGER", "echo up; read line < fifo; cat; echo end");
        // CI shows no progress line.
        command.env_remove("CI");
        let mut running = OnTerminal::start(command, (80, 24));
        if has_progress_line {
            read_until(&mut running, "reading the patch");
            fs::write(slow, PATCH).unwrap();
        }
        read_until(&mut running, "up\r\n");
        for signal in [Signal::INT, Signal::QUIT] {
            kill_process(Pid::from_child(&running.child), signal).unwrap();
        }
        let mut fifo = fs::OpenOptions::new().write(true).open(fifo).unwrap();
        fifo.write_all(b"go\n").unwrap();
        let (code, text) = running.ended();
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("modify") && text.ends_with("end\n"), "{text}");
    }
}

#[test]
fn a_summary_that_is_longer_than_the_screen_goes_to_the_pager() {
    let root = root();
    for (rows, is_paged) in [(24, false), (4, false), (3, true)] {
        let mut command = wpatch(root.path(), &["check", "patch"]);
        command.env("PAGER", MARK);
        let (code, text) = OnTerminal::start(command, (80, rows)).ended();
        assert_eq!(code, Some(0), "{text}");
        assert_eq!(text.starts_with("MARK:"), is_paged, "{rows}: {text}");
    }
}
