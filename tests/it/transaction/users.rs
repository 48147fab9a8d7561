//! Two users on one work tree: the state of the other one is respected and never believed. It takes root to make such trees;
//! other users skip them.
#![cfg(target_os = "linux")]

use std::os::unix::fs::chown;
use std::path::Path;
use std::process::Command;

use fs_err as fs;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use crate::systems::Desk;

const PATCH: &[u8] = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n";
const OTHER: u32 = 12_345;

/// Gives everything below `path` to a user; `false` if this one may not.
fn give(path: &Path, owner: u32) -> bool {
    let all = walkdir::WalkDir::new(path).into_iter().map(Result::unwrap);
    all.into_iter().all(|entry| chown(entry.path(), Some(owner), None).is_ok())
}

fn repository() -> Desk {
    let desk = Desk::with(&[("f", b"one\n")]);
    assert!(Command::new("git").args(["init", "-q"]).current_dir(desk.root()).status().unwrap().success());
    desk
}

/// Says that writing is refused with a way out, and that reading goes on.
fn only_reads(desk: &Desk) {
    let checked = desk.does(&["check"], PATCH);
    assert_eq!((&checked["problems"][0]["code"], &checked["exit_code"]), (&"wpatch::io::state".into(), &0.into()));
    for command in [&["apply"][..], &["apply", "--durability", "none"], &["write", "new", "--content", "x"]] {
        let error = desk.refuses("io", command, PATCH);
        let text = [&error["message"], &error["help"]].map(|text| text.as_str().unwrap().to_owned()).join(" ");
        assert!(text.contains("12345") && text.contains("wpatch recover") && text.contains("chown"), "{text}");
    }
    assert!(desk.says(&["log"], b"")["entries"].is_array());
}

#[test]
fn a_state_directory_of_another_user_stops_no_reading() {
    let desk = Desk::with(&[("f", b"one\n")]);
    desk.does(&["init"], b"");
    if give(&desk.path(".wpatch"), OTHER) {
        only_reads(&desk);
        assert!(give(&desk.path(".wpatch"), rustix::process::geteuid().as_raw()));
        desk.does(&["apply"], PATCH);
    }
}

#[test]
fn an_interrupted_change_of_another_user_stops_every_write() {
    let desk = repository();
    assert!(!desk.runs(&["apply", "--verify", "kill -9 $PPID"], PATCH).status.success());
    if !give(&desk.path(".git"), OTHER) {
        return;
    }
    fs::write(desk.path("f"), "one\n").unwrap();
    only_reads(&desk);
    assert!(give(&desk.path(".git"), rustix::process::geteuid().as_raw()));
    desk.does(&["recover"], b"");
    desk.does(&["apply"], PATCH);
}

#[test]
fn users_of_one_work_tree_wait_for_each_other() {
    let desk = repository();
    desk.does(&["apply"], PATCH);
    if !give(&desk.path(".git"), OTHER) {
        return;
    }
    let lock = fs::File::open(desk.path(".git/wpatch/lock")).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    for durability in ["full", "none"] {
        let report = desk.says(&["apply", "-R", "--lock-timeout", "0", "--durability", durability], PATCH);
        assert_eq!(report["exit_code"], 6, "{report:#}");
    }
    drop(lock);
    let report = desk.does(&["apply", "-R"], PATCH);
    assert_eq!((&report["history"]["kept"], desk.bytes("f")), (&Value::Bool(false), b"one\n".to_vec()));
    assert!(!desk.path(".wpatch").exists());
}
