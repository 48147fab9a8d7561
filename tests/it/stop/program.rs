//! Signals to the program before it has written anything.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Output, Stdio};

use fs_err as fs;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::{run, world};

/// More bytes than a pipe holds, so the program has started to read after they are written.
const PART_OF_PATCH: usize = 1 << 20;

/// Runs the program, and sends it `signal` while it waits for the rest of the patch.
fn interrupted(root: &TempDir, arguments: &[&str], signal: Signal) -> Output {
    let mut program = world::wpatch();
    program
        .args(arguments)
        .current_dir(root.path())
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&vec![b'\n'; PART_OF_PATCH]).unwrap();
    kill_process(Pid::from_child(&child), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(input);
    output
}

#[test]
fn a_signal_while_the_patch_is_read_is_reported() {
    for (arguments, command) in [
        (&["apply", "--json"][..], "apply"),
        (&["check", "--json"], "check"),
        (&["show", "--json"], "show"),
    ] {
        for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
            let root = TempDir::new().unwrap();
            let output = interrupted(&root, arguments, signal);
            assert_eq!(output.status.code(), Some(code), "{arguments:?}");
            let report: Value = run::valid(serde_json::from_slice(&output.stdout).unwrap());
            assert_eq!(
                (&report["outcome"], &report["command"]),
                (&"interrupted".into(), &command.into())
            );
            assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        }
    }
}

#[test]
fn a_signal_without_a_report_ends_the_program() {
    for arguments in [&["apply"][..], &["check"]] {
        let root = TempDir::new().unwrap();
        let output = interrupted(&root, arguments, Signal::TERM);
        assert_eq!(output.status.signal(), Some(15), "{arguments:?}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
    }
}
