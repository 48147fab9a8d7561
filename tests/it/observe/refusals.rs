//! Commands that fail, and what cannot be recorded.

use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{desk, files, ops, script};
use crate::systems::{Desk, program};
use crate::world::wpatch;

/// Returns the report of a command whose changes stay although it did not succeed.
pub(super) fn stays(desk: &Desk, words: &[&str]) -> Value {
    let report = desk.says(words, b"");
    let facts = ["ok", "changed", "exit_code", "outcome"].map(|name| report[name].clone());
    assert_eq!(
        facts,
        [json!(false), json!(true), json!(1), json!("partial")],
        "{report:#}"
    );
    report
}

/// Starts a script and waits until the file `ready` exists.
pub(super) fn start(desk: &Desk, text: &str) -> Child {
    let mut command = program(&desk.root(), &script(&[], text));
    let child = command.spawn().unwrap();
    wait_for(desk, "ready");
    child
}

pub(super) fn wait_for(desk: &Desk, name: &str) {
    while !desk.path(name).exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_changes_of_a_failed_command_stay_and_can_be_undone() {
    let desk = desk();
    let before = files(&desk);
    let report = stays(&desk, &script(&[], "echo 2 >> a; exit 7"));
    assert_eq!(report["run"]["exit_code"], 7, "{report:#}");
    assert_eq!(
        report["error"]["code"], "wpatch::command::run",
        "{report:#}"
    );
    assert_eq!(desk.bytes("a"), b"one\ntwo\n2\n");
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

#[test]
fn a_command_that_fails_without_changes_is_refused() {
    let desk = desk();
    let before = files(&desk);
    let report = desk.says(&script(&[], "exit 7"), b"");
    let facts = ["changed", "exit_code", "outcome"].map(|name| report[name].clone());
    assert_eq!(
        facts,
        [json!(false), json!(3), json!("refused")],
        "{report:#}"
    );
    assert_eq!(files(&desk), before);
    let missing = desk.refuses(
        "denied",
        &["run", "--observe", "--", "no-such-program"],
        b"",
    );
    assert!(
        missing["message"]
            .as_str()
            .unwrap()
            .contains("no-such-program"),
        "{missing}"
    );
}

#[test]
fn a_command_above_its_time_limit_is_ended_and_recorded() {
    let desk = desk();
    let before = files(&desk);
    let start = Instant::now();
    let report = stays(
        &desk,
        &script(&["--timeout", "1s"], "echo 2 >> a; sleep 60"),
    );
    assert_eq!(report["run"]["timed_out"], true, "{report:#}");
    assert!(start.elapsed() < Duration::from_secs(30));
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

#[test]
fn a_signal_ends_the_command_and_its_changes_are_recorded() {
    let desk = desk();
    let before = files(&desk);
    let mut child = start(&desk, "echo 2 >> a; touch ready; sleep 60");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

/// Until the record exists, nothing of wpatch is in the tree.
#[test]
fn a_killed_program_leaves_no_entry_and_no_scratch_file() {
    let desk = desk();
    let mut child = start(
        &desk,
        "echo 2 >> a; echo $$ > id; mv id ready; exec sleep 60",
    );
    child.kill().unwrap();
    child.wait().unwrap();
    desk.does(&["recover"], b"");
    assert_eq!(
        desk.does(&["log"], b"")["entries"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    assert_eq!(desk.bytes("a"), b"one\ntwo\n2\n");
    let state = fs_err::read_dir(desk.path(".git/wpatch"))
        .into_iter()
        .flatten();
    let names: Vec<_> = state.map(|entry| entry.unwrap().file_name()).collect();
    let is_expected = |name: &std::ffi::OsString| name == "lock" || name == "audit.jsonl";
    assert!(names.iter().all(is_expected), "{names:?}");
    let id = String::from_utf8(desk.bytes("ready")).unwrap();
    kill_process(
        Pid::from_raw(id.trim().parse().unwrap()).unwrap(),
        Signal::KILL,
    )
    .unwrap();
}

/// A policy cannot refuse a change that is already made, so the report says that it would have.
#[test]
fn a_change_that_policy_forbids_is_reported_and_recorded() {
    let desk = desk();
    fs_err::write(
        desk.path("../policy.toml"),
        "[[rule]]\npaths = [\"d/**\"]\nverdict = \"deny\"\n",
    )
    .unwrap();
    let before = files(&desk);
    let words = script(
        &["--policy", "../policy.toml"],
        "echo 2 >> a; echo 3 >> d/b",
    );
    let report = stays(&desk, &words);
    assert_eq!(report["error"]["kind"], "denied", "{report:#}");
    assert_eq!(report["policy"]["verdict"], "deny", "{report:#}");
    assert_eq!(ops(&report), ["modify a", "modify d/b"], "{report:#}");
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

/// It could not be applied to the changes, so the command does not run.
#[test]
fn a_policy_that_cannot_be_read_prevents_the_command() {
    let desk = desk();
    fs_err::write(desk.path("../policy.toml"), "[[rule]]\nunknown = 1\n").unwrap();
    desk.refuses(
        "policy",
        &script(&["--policy", "../policy.toml"], "echo 2 >> a"),
        b"",
    );
    let long = "x".repeat(5000);
    desk.refuses("usage", &script(&["--actor", &long], "echo 2 >> a"), b"");
}

#[test]
fn special_files_are_reported_and_the_rest_is_recorded() {
    let desk = desk();
    let report = stays(&desk, &script(&[], "mkfifo pipe; echo 2 >> a"));
    assert_eq!(report["error"]["path"], "pipe", "{report:#}");
    assert_eq!(ops(&report), ["modify a"], "{report:#}");
    desk.does(&["undo"], b"");
    assert_eq!(desk.bytes("a"), b"one\ntwo\n");
}

#[test]
fn without_a_history_the_command_does_not_run() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let words = script(&[], "echo 2 >> a");
    let mut program = wpatch();
    program
        .current_dir(desk.root())
        .args(&words)
        .env_remove("HOME")
        .env_remove("XDG_STATE_HOME");
    let output = program.output().unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(desk.bytes("a"), b"one\n");
}

#[test]
fn a_tree_above_the_limit_is_not_copied_and_the_command_does_not_run() {
    let desk = desk();
    let error = desk.refuses(
        "too_large",
        &script(&["--max-copied", "10"], "echo 2 >> a"),
        b"",
    );
    assert!(
        error["help"].as_str().unwrap().contains("--max-copied"),
        "{error}"
    );
}

#[test]
fn options_that_could_refuse_a_change_are_usage_errors() {
    let desk = desk();
    for option in [
        "--dry-run",
        "--index",
        "--approve=1",
        "--verify=true",
        "--before=true",
        "--guard=json",
    ] {
        let output = desk.runs(&script(&[option], "echo 2 >> a"), b"");
        assert_eq!(output.status.code(), Some(2), "{option}: {output:?}");
    }
    assert_eq!(desk.bytes("a"), b"one\ntwo\n");
}

/// A process that the command leaves in its group cannot write later.
#[cfg(target_os = "linux")]
#[test]
fn background_processes_end_with_the_command() {
    let desk = desk();
    desk.does(&script(&[], "sleep 60 & echo $! > ../id; echo 2 >> a"), b"");
    let id = String::from_utf8(desk.bytes("../id")).unwrap();
    let id = id.trim();
    // The killed process may wait for its new parent.
    let status = fs_err::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "{status}");
}
