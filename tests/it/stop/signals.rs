//! Signals to the program before it has written anything, and while it prints a report.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, Output, Stdio};

use fs_err as fs;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::{run, world};

/// More bytes than a pipe can hold. After the program has read a part of them, it has installed its
/// handlers.
const MORE_THAN_A_PIPE: usize = 1 << 20;
/// The number of files whose report is larger than a pipe.
const FILES: usize = 2000;

fn start(mut program: Command, root: &TempDir, arguments: &[&str]) -> Child {
    program
        .args(arguments)
        .current_dir(root.path())
        // Without a history, the report is the same on every machine.
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn send(signal: Signal, child: &Child) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Starts the program, and returns when it waits for the rest of its input.
fn start_reading(root: &TempDir, arguments: &[&str]) -> (Child, ChildStdin) {
    let mut child = start(world::wpatch(), root, arguments);
    let mut input = child.stdin.take().unwrap();
    input.write_all(&vec![b'\n'; MORE_THAN_A_PIPE]).unwrap();
    (child, input)
}

/// Sends `signal` to the program while it waits for the rest of its input.
fn interrupt_reading(root: &TempDir, arguments: &[&str], signal: Signal) -> Output {
    let (child, input) = start_reading(root, arguments);
    send(signal, &child);
    let output = child.wait_with_output().unwrap();
    // Until here, the end of the input would end the program.
    drop(input);
    output
}

/// Asserts that `output` is the report of a signal to `command`.
fn assert_interrupted(output: &Output, command: &str, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{command}: {output:?}");
    let report: Value = run::valid(serde_json::from_slice(&output.stdout).unwrap());
    assert_eq!(
        (&report["outcome"], &report["command"]),
        (&"interrupted".into(), &command.into())
    );
}

#[test]
fn a_signal_while_the_input_is_read_is_reported() {
    for (arguments, command) in [
        (&["apply", "--json"][..], "apply"),
        (&["apply", "--check", "--json"], "check"),
        (&["check", "--output", "json"], "check"),
        (&["show", "--json"], "show"),
        (&["convert", "--to", "git", "--json"], "convert"),
        (&["write", "--json", "file"], "write"),
        (&["append", "--json", "file"], "append"),
    ] {
        for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
            let root = TempDir::new().unwrap();
            let output = interrupt_reading(&root, arguments, signal);
            assert_interrupted(&output, command, code);
            assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        }
    }
}

#[test]
fn a_signal_while_refresh_reads_a_patch_is_reported() {
    let root = TempDir::new().unwrap();
    let patch = root.path().join("patch");
    world::fifo(&patch);
    let child = start(world::wpatch(), &root, &["refresh", "--json", "patch"]);
    let input = fs::OpenOptions::new().write(true).open(&patch).unwrap();
    send(Signal::TERM, &child);
    assert_interrupted(&child.wait_with_output().unwrap(), "refresh", 143);
    drop(input);
}

#[test]
fn a_signal_without_a_report_ends_the_program() {
    for arguments in [&["apply"][..], &["check"], &["write", "file"]] {
        let root = TempDir::new().unwrap();
        let output = interrupt_reading(&root, arguments, Signal::TERM);
        assert_eq!(
            output.status.signal(),
            Some(Signal::TERM.as_raw()),
            "{arguments:?}"
        );
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
    }
}

/// Starts the program with `arguments` in a directory with a patch, whose report is larger than a
/// pipe, and with two directories, whose difference is larger. Returns when the program prints.
fn start_printing(root: &TempDir, arguments: &[&str]) -> Child {
    let patch = (0..FILES).fold(String::new(), |patch, number| {
        patch + &format!("--- /dev/null\n+++ b/new-{number}\n@@ -0,0 +1 @@\n+one\n")
    });
    fs::write(root.path().join("patch"), &patch).unwrap();
    for name in ["old", "new"] {
        fs::create_dir(root.path().join(name)).unwrap();
    }
    fs::write(root.path().join("new/file"), patch.repeat(4)).unwrap();
    let mut child = start(world::wpatch(), root, arguments);
    let mut first = [0];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    child
}

#[test]
fn a_signal_while_the_report_is_printed_leaves_it_complete() {
    for (arguments, code) in [
        (["check", "--json", "patch"].as_slice(), 0),
        (&["apply", "--json", "patch"], 0),
        (&["convert", "--to", "git", "--json", "patch"], 0),
        (&["diff", "-r", "old", "new", "--json"], 1),
    ] {
        let root = TempDir::new().unwrap();
        let child = start_printing(&root, arguments);
        send(Signal::TERM, &child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let text = [b"{", &output.stdout[..]].concat();
        let document: Value = serde_json::from_slice(&text).unwrap();
        assert!(document.is_object(), "{arguments:?}");
    }
}

#[test]
fn a_second_signal_ends_a_program_whose_output_is_not_read() {
    for arguments in [
        &["check", "--json", "patch"][..],
        &["apply", "--json", "patch"],
        &["diff", "-r", "old", "new", "--json"],
        &["diff", "-r", "old", "new"],
    ] {
        let root = TempDir::new().unwrap();
        let mut child = start_printing(&root, arguments);
        // Two different signals, because two pending signals with one number are one signal.
        send(Signal::TERM, &child);
        send(Signal::INT, &child);
        let status = child.wait().unwrap();
        let ends = [Signal::TERM, Signal::INT].map(Signal::as_raw);
        assert!(
            status.signal().is_some_and(|number| ends.contains(&number)),
            "{arguments:?}: {status}"
        );
    }
}

/// `nohup` replaces itself by the program.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    for arguments in [&["apply"][..], &["apply", "--json"], &["check", "--json"]] {
        let root = TempDir::new().unwrap();
        fs::write(root.path().join("file"), "one\n").unwrap();
        let program = world::wpatch();
        let mut ignoring = Command::new("nohup");
        ignoring.arg(program.get_program());
        let mut child = start(ignoring, &root, arguments);
        let mut input = child.stdin.take().unwrap();
        input.write_all(&vec![b'\n'; MORE_THAN_A_PIPE]).unwrap();
        send(Signal::HUP, &child);
        input
            .write_all(b"--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+two\n")
            .unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    }
}
