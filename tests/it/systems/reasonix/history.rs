//! Statements on undo, recovery and the log.

use std::process::{Command, ExitStatus};

use fs_err as fs;
use serde_json::{Value, json};

use super::kept;
use crate::systems::{Desk, fields};
use crate::tree;
use crate::world;

#[cfg(unix)]
#[test]
fn s16_a_change_is_taken_back_with_all_that_it_did() {
    let desk = kept(&[
        ("a", b"one\r\n"),
        ("run", b"#!/bin/sh\n"),
        ("gone", b"gone"),
    ]);
    let before = tree::read(&desk.root());
    let patch = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n\
                 diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\\ No newline at end of file\n\
                 diff --git a/d/e/new b/d/e/new\nnew file mode 100644\n--- /dev/null\n+++ b/d/e/new\n@@ -0,0 +1 @@\n+new\n\
                 --- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\r\n+1\r\n";
    desk.does(&["apply"], patch.as_bytes());
    assert_eq!(
        (
            desk.bytes("a"),
            desk.path("gone").exists(),
            desk.bytes("d/e/new")
        ),
        (b"1\r\n".to_vec(), false, b"new\n".to_vec())
    );
    let report = desk.does(&["undo"], b"");
    assert_eq!(
        (
            report["changed"].clone(),
            tree::read(&desk.root()) == before
        ),
        (json!(true), true)
    );
    assert!(!desk.path("d").exists() && world::mode(desk.path("run")) & 0o111 == 0);
}

#[test]
fn s16_a_file_that_was_changed_since_stops_the_undo() {
    let desk = kept(&[("a", b"one\n"), ("b", b"one\n")]);
    let entry = |path| json!({"path": path, "old": "one", "new": "two"});
    desk.does(
        &["apply"],
        json!({"edits": [entry("a"), entry("b")]})
            .to_string()
            .as_bytes(),
    );
    desk.refuses(
        "not_found",
        &["edit", "a", "--old", "nowhere", "--new", "x"],
        b"",
    );
    let entries = |desk: &Desk| {
        desk.does(&["log"], b"")["entries"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(entries(&desk), 1, "a change that is refused is none");
    fs::write(desk.path("b"), "mine\n").unwrap();
    assert_eq!(desk.refuses("conflict", &["undo"], b"")["path"], "b");
    desk.does(&["undo", "--force"], b"");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b"), entries(&desk)),
        (b"one\n".to_vec(), b"one\n".to_vec(), 2)
    );
}

/// Applies the patch `../p` below strace, which kills the program when it moves the second file.
#[cfg(target_os = "linux")]
fn apply_until_the_second_file(desk: &Desk) -> ExitStatus {
    let mut strace = Command::new("strace");
    strace.args([
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        &format!("inject={}:signal=KILL:when=2", crate::faults::MOVE_IN),
    ]);
    strace
        .arg(env!("CARGO_BIN_EXE_wpatch"))
        .args(["apply", "../p"])
        .current_dir(desk.root())
        .status()
        .unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn s17_what_was_killed_is_rolled_back_by_the_next_command() {
    let desk = kept(&[("a", b"one\n"), ("b", b"one\n")]);
    let entry = |path| json!({"path": path, "old": "one", "new": "two"});
    fs::write(
        desk.path("../p"),
        json!({"edits": [entry("a"), entry("b")]}).to_string(),
    )
    .unwrap();
    let killed = apply_until_the_second_file(&desk);
    // Without an exchange, the second file is absent now.
    let is_second_done = fs::read(desk.path("b")).is_ok_and(|bytes| bytes == b"two\n");
    assert!(
        !killed.success() && desk.bytes("a") == b"two\n" && !is_second_done,
        "half of it is done"
    );
    let report = desk.does(&["edit", "b", "--old", "one", "--new", "1"], b"");
    assert_eq!(
        report["transaction"]["recovered"][0]["ending"],
        "rolled_back"
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"one\n".to_vec(), b"1\n".to_vec())
    );
    desk.does(&["undo"], b"");
    let log = desk.does(&["log"], b"");
    let states: Value = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| fields(entry, &["command", "state"]))
        .collect();
    assert_eq!(
        states,
        json!([
            ["undo", "committed"],
            ["edit", "undone"],
            ["apply", "aborted"]
        ])
    );
    let aborted = log["entries"][2]["id"].as_str().unwrap();
    desk.refuses("nothing_to_undo", &["undo", aborted], b"");
    assert_eq!(desk.runs(&["show", aborted], b"").status.code(), Some(0));
    desk.does(&["redo"], b"");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"one\n".to_vec(), b"1\n".to_vec())
    );
}

/// Returns a root with two changes, and its log.
fn two_changes() -> (Desk, Value) {
    let desk = kept(&[("a", b"one\ntwo\n")]);
    desk.does(&["edit", "a", "--old", "two", "--new", "three"], b"");
    desk.does(&["write", "b", "--content", "b\n"], b"");
    let log = desk.does(&["log"], b"");
    (desk, log)
}

#[test]
fn s18_the_log_says_what_was_done_and_show_how() {
    let (_desk, log) = two_changes();
    let entry = |entry: &Value| {
        let file = &entry["files"][0];
        let versions =
            [&file["before"], &file["after"]].map(|version| fields(version, &["size", "mode"]));
        json!([
            entry["command"],
            entry["coverage"],
            entry["state"],
            file["path"],
            file["op"],
            versions
        ])
    };
    let entries: Value = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(entry)
        .collect();
    let none = json!([null, null]);
    let mode = if cfg!(windows) { "0600" } else { "0644" };
    let expected = json!([
        [
            "write",
            "full",
            "committed",
            "b",
            "create",
            [none, [2, null]]
        ],
        [
            "edit",
            "full",
            "committed",
            "a",
            "modify",
            [[8, mode], [10, mode]]
        ],
    ]);
    assert_eq!(entries, expected);
}

#[test]
fn s18_an_entry_has_the_hashes_of_its_files_and_is_shown_by_its_id() {
    let (desk, log) = two_changes();
    let newest = &log["entries"][1];
    let hash = |bytes: &[u8]| wpatch::digest::Digest::of(bytes).to_string();
    let hashes = json!([
        newest["files"][0]["before"]["xxh3"],
        newest["files"][0]["after"]["xxh3"]
    ]);
    assert_eq!(hashes, json!([hash(b"one\ntwo\n"), hash(b"one\nthree\n")]));
    let (id, time) = (
        newest["id"].as_str().unwrap(),
        newest["time"].as_str().unwrap(),
    );
    assert!(
        time.len() == 20 && time.ends_with('Z') && id.is_ascii(),
        "{id} {time}"
    );
    let shown = String::from_utf8(desk.runs(&["show", id], b"").stdout).unwrap();
    let expected = format!(
        "{id} {time} edit\n  modify a\ndiff --git a/a b/a\nindex 814f4a422927..4c7442bcf5ac 100644\n--- a/a\n+++ b/a\n\
         @@ -1,2 +1,2 @@\n one\n-two\n+three\n"
    );
    assert_eq!(shown, expected);
}
