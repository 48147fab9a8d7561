//! `check --from-tree`.
#![cfg(unix)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use super::damage::{loose, unpacked};
use super::{before_all, fake_git, open, sample};
use crate::repository::{Repository, git};
use crate::run;
use crate::systems::fed;
use crate::world;

mod executable;

const PATCH: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n";

fn wpatch(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = world::wpatch();
    command
        .arg("check")
        .args(arguments)
        .arg("--json")
        .current_dir(directory);
    command
}

fn checked(command: &mut Command) -> Value {
    let output = fed(command, PATCH.as_bytes());
    let report = run::valid(serde_json::from_slice(&output.stdout).unwrap());
    assert_eq!(
        report["exit_code"].as_i64(),
        output.status.code().map(i64::from),
        "{report:#}"
    );
    report
}

#[test]
fn a_check_from_a_tree_names_the_tree() {
    let repository = Repository::of(&sample());
    let git_dir = repository.path().display().to_string();
    let elsewhere = TempDir::new().unwrap();
    let report = checked(&mut wpatch(
        elsewhere.path(),
        &["--from-tree", "main", "--git-dir", &git_dir],
    ));
    let tree = open(&repository, "main");
    assert_eq!(
        (&report["ok"], &report["root"]),
        (&true.into(), &Value::Null)
    );
    assert_eq!(report["tree"]["repository"], git_dir);
    assert_eq!(report["tree"]["revision"], "main");
    assert_eq!(report["tree"]["id"], tree.id().to_string());
    assert_eq!(report["tree"]["commit"], tree.commit().unwrap().to_string());
    let inside = checked(&mut wpatch(&repository.path(), &["--from-tree=main"]));
    assert_eq!(
        (&inside["plan_id"], &inside["tree"]["repository"]),
        (&report["plan_id"], &".".into())
    );
}

#[test]
fn what_is_in_the_work_tree_does_not_matter() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    let made =
        |arguments: &[&str]| assert!(git(arguments).current_dir(root).status().unwrap().success());
    made(&["init", "-q", "-b", "main"]);
    fs_err::write(root.join("a.txt"), "one\n").unwrap();
    made(&["add", "a.txt"]);
    made(&["commit", "-q", "-m", "first"]);
    fs_err::write(root.join("a.txt"), "two\n").unwrap();
    assert_eq!(checked(&mut wpatch(root, &[]))["exit_code"], 1);
    assert_eq!(
        checked(&mut wpatch(root, &["--from-tree", "HEAD"]))["exit_code"],
        0
    );
    assert_eq!(
        checked(wpatch(root, &["--from-tree", "HEAD"]).env("GIT_DIR", "nowhere"))["exit_code"],
        4
    );
}

#[test]
fn line_ends_of_a_tree_are_those_that_were_committed() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    let made =
        |arguments: &[&str]| assert!(git(arguments).current_dir(root).status().unwrap().success());
    made(&["init", "-q", "-b", "main"]);
    fs_err::write(root.join("a.txt"), "one\r\n").unwrap();
    made(&["add", "a.txt"]);
    made(&["commit", "-q", "-m", "first"]);
    made(&["config", "core.autocrlf", "true"]);
    assert_eq!(checked(&mut wpatch(root, &[]))["exit_code"], 0);
    assert_eq!(
        checked(&mut wpatch(root, &["--from-tree", "HEAD"]))["exit_code"],
        1
    );
}

#[test]
fn what_keeps_a_tree_from_being_read_has_a_code() {
    let repository = Repository::of(&sample());
    let git_dir = repository.path().display().to_string();
    let told = |report: &Value| {
        (
            report["exit_code"].as_i64().unwrap(),
            report["error"]["code"].as_str().unwrap().to_owned(),
        )
    };
    let directory = TempDir::new().unwrap();
    let check = |arguments: &[&str]| told(&checked(&mut wpatch(directory.path(), arguments)));
    assert_eq!(check(&["--git-dir", &git_dir]), (2, "wpatch::usage".into()));
    assert_eq!(
        check(&["--git-dir", &git_dir, "--from-tree", "no"]),
        (4, "wpatch::io::revision".into())
    );
    assert_eq!(
        check(&["--git-dir", "nowhere", "--from-tree", "main"]),
        (4, "wpatch::io".into())
    );
    assert_eq!(check(&["--from-tree", "main"]), (4, "wpatch::io".into()));
    let mut without = wpatch(
        directory.path(),
        &["--git-dir", &git_dir, "--from-tree", "main"],
    );
    let report = checked(without.env("PATH", TempDir::new().unwrap().path()));
    assert_eq!(told(&report), (4, "wpatch::io".into()));
    assert!(
        report["error"]["message"]
            .as_str()
            .unwrap()
            .contains("git cannot be started"),
        "{report:#}"
    );
}

#[cfg(unix)]
#[test]
fn nothing_runs_that_a_repository_names() {
    let repository = Repository::of(&sample());
    let git_dir = repository.path();
    let trace = git_dir.join("trace");
    let script = git_dir.join("run");
    fs_err::write(
        &script,
        format!("#!/bin/sh\necho \"$0\" >> {}\n", trace.display()),
    )
    .unwrap();
    world::set_mode(&script, 0o755);
    let script = script.display().to_string();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "diff.x.textconv",
        "filter.x.smudge",
    ] {
        repository.git(&["config", key, &script]);
    }
    for (key, value) in [
        ("pager.cat-file", "true"),
        ("alias.cat-file", "!false"),
        ("core.hooksPath", "."),
    ] {
        repository.git(&["config", key, value]);
    }
    // A promise of somebody who would have to be asked, through a program that leaves a trace.
    let promise = [
        ("url", "."),
        ("promisor", "true"),
        ("uploadpack", script.as_str()),
    ];
    for (key, value) in promise {
        repository.git(&["config", &format!("remote.origin.{key}"), value]);
    }
    repository.git(&["config", "extensions.partialClone", "origin"]);
    fs_err::write(git_dir.join("info/attributes"), "* diff=x filter=x\n").unwrap();
    let directory = git_dir.display().to_string();
    for revision in ["main", "0123456789012345678901234567890123456789"] {
        let report = checked(&mut wpatch(
            &git_dir,
            &["--from-tree", revision, "--git-dir", &directory],
        ));
        assert_eq!(report["ok"], revision == "main", "{report:#}");
    }
    assert!(!trace.exists(), "{}", fs::read_to_string(&trace).unwrap());
}

/// A git that starts something, tells its number, and says no more.
const SILENT: &str = "sleep 1000 & echo $! > pid.new; mv pid.new pid; wait";

fn silent(directory: &Path) -> String {
    fake_git(
        directory,
        &SILENT.replace("pid", &directory.join("pid").display().to_string()),
    );
    before_all(&directory.display().to_string())
}

/// Returns the process that left its number in `directory`, which may come yet.
fn started(directory: &Path) -> String {
    loop {
        if let Ok(pid) = fs::read_to_string(directory.join("pid")) {
            return pid.trim().to_owned();
        }
        std::thread::yield_now();
    }
}

/// Returns whether the process `pid` is gone, or nobody has taken note of its end yet.
fn is_over(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.is_empty() || state.contains(") Z ")
}

#[cfg(unix)]
#[test]
fn a_git_that_says_nothing_is_ended_with_all_that_it_started() {
    let (repository, elsewhere, root) = (
        Repository::of(&sample()),
        TempDir::new().unwrap(),
        TempDir::new().unwrap(),
    );
    let git_dir = repository.path().display().to_string();
    let check = [
        "--from-tree=main",
        "--git-timeout=100ms",
        "--git-dir",
        &git_dir,
    ];
    let report = checked(wpatch(root.path(), &check).env("PATH", silent(elsewhere.path())));
    assert_eq!(
        (&report["exit_code"], &report["error"]["code"]),
        (&4.into(), &"wpatch::io".into())
    );
    let words = "main: cannot open as a tree: git was killed: no output for 100 ms";
    assert_eq!(report["error"]["message"], words);
    assert!(is_over(&started(elsewhere.path())));
}

#[cfg(unix)]
#[test]
fn an_object_that_cannot_be_read_to_its_end_is_waited_for_once() {
    let (repository, elsewhere) = (unpacked(), TempDir::new().unwrap());
    for name in ["main:a.txt", "main:dir/b"] {
        let file = loose(&repository, &repository.git(&["rev-parse", name]));
        fs::remove_file(&file).unwrap();
        world::fifo(&file);
    }
    let git_dir = repository.path().display().to_string();
    let start = Instant::now();
    let report = checked(&mut wpatch(
        elsewhere.path(),
        &[
            "--from-tree=main",
            "--git-timeout=500ms",
            "--lenient",
            "--git-dir",
            &git_dir,
        ],
    ));
    assert_eq!(report["exit_code"], 4, "{report:#}");
    assert!(
        report["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no output for 500 ms"),
        "{report:#}"
    );
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_wait_for_git() {
    use rustix::process::{Pid, Signal, kill_process};

    let (repository, elsewhere, root) = (
        Repository::of(&sample()),
        TempDir::new().unwrap(),
        TempDir::new().unwrap(),
    );
    let git_dir = repository.path().display().to_string();
    for (signal, exit_code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut program = wpatch(
            root.path(),
            &[
                "--from-tree=main",
                "--git-timeout=10m",
                "--git-dir",
                &git_dir,
            ],
        );
        program
            .env("PATH", silent(elsewhere.path()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = program.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(PATCH.as_bytes())
            .unwrap();
        let git = started(elsewhere.path());
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(exit_code));
        let report = run::valid(serde_json::from_slice(&output.stdout).unwrap());
        assert_eq!(
            (&report["outcome"], &report["exit_code"]),
            (&"interrupted".into(), &exit_code.into())
        );
        assert!(is_over(&git));
        fs::remove_file(elsewhere.path().join("pid")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_signal_before_the_lock_ends_the_program_unless_a_report_was_requested() {
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::{Pid, Signal, kill_process};

    for (arguments, code, signal) in [
        (&[][..], None, Some(15)),
        (&["--json"], Some(143), None),
        (&["--output=sarif"], Some(143), None),
    ] {
        let (root, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let mut init = git(&["init", "-q"]);
        assert!(init.current_dir(&root).status().unwrap().success());
        fs::write(root.path().join("a.txt"), "one\n").unwrap();
        let attributes = "* whitespace=cr-at-eol\n";
        fs::write(root.path().join(".gitattributes"), attributes).unwrap();
        let mut program = world::wpatch();
        program
            .arg("apply")
            .args(arguments)
            .current_dir(root.path())
            .env("PATH", silent(elsewhere.path()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = program.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(PATCH.as_bytes()).unwrap();
        drop(input);
        // The program asks git for the attributes before it asks for the lock.
        let helper = started(elsewhere.path());
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), output.status.signal()),
            (code, signal)
        );
        assert_eq!(output.stdout.is_empty(), code.is_none());
        let helper = helper.parse().ok().and_then(Pid::from_raw).unwrap();
        let _ = kill_process(helper, Signal::KILL);
    }
}
