//! Attempts to read what policy closes to reading.

use fs_err as fs;

use super::policy::desk;
use super::{DENIED, HUSH, refused, replaced};

#[test]
fn no_look_at_a_closed_file_says_what_is_in_it() {
    let desk = desk();
    let patch = replaced("private/key", "hush-9f3d", "x");
    for command in [
        &["check"][..],
        &["check", "--lenient"],
        &["check", "--with-diff", "--guard", "balance"],
        &["check", "-R"],
        &["check", "--fuzz", "1", "--ignore-whitespace"],
        &["apply", "--idempotent"],
        &["show"],
        &["show", "--stat"],
    ] {
        refused(&desk, DENIED, command, &patch);
    }
    refused(&desk, DENIED, &["check", "--relocate"], b"[private/key#0000]\nPUT 1.=1:\n+x\n");
    refused(&desk, DENIED, &["read", "private/key", "--hashline"], b"");
    refused(&desk, DENIED, &["list", "private"], b"");
    refused(&desk, ("denied", 2), &["diff", "private/key", "a"], b"");
    refused(&desk, DENIED, &["edit", "private/key", "--old", "Hush", "--new", "x", "--match", "ladder"], b"");
    refused(&desk, DENIED, &["append", "private/key", "--content", "x"], b"");
    refused(&desk, DENIED, &["write", "private/key", "--overwrite", "--content", "x"], b"");
    let page = desk.runs(&["show", "--html"], &patch);
    assert!(!String::from_utf8_lossy(&page.stdout).contains(HUSH));
}

#[test]
fn the_history_does_not_tell_of_a_file_that_was_closed_since() {
    let desk = desk();
    let policy = desk.bytes("wpatch.toml");
    fs::remove_file(desk.path("wpatch.toml")).unwrap();
    desk.does(&["init"], b"");
    desk.does(&["edit", "private/key", "--old", HUSH, "--new", "other"], b"");
    let log = desk.does(&["log"], b"");
    let id = log["entries"][0]["id"].as_str().unwrap().to_owned();
    fs::write(desk.path("wpatch.toml"), policy).unwrap();
    let shown = desk.runs(&["show", &id], b"");
    assert!(shown.status.success() && !String::from_utf8_lossy(&shown.stdout).contains(HUSH));
    refused(&desk, DENIED, &["undo"], b"");
    refused(&desk, DENIED, &["undo", &id, "--dry-run"], b"");
    refused(&desk, DENIED, &["undo", &id, "--force"], b"");
}

#[test]
fn a_model_reads_and_writes_no_more_than_others() {
    let desk = desk();
    let call = |id: u32, name: &str, arguments: &str| {
        let params = format!(r#"{{"name":"{name}","arguments":{arguments}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
    };
    let lines = [
        call(1, "view", r#"{"path":"private/key"}"#),
        call(2, "str_replace", r#"{"path":"private/key","old_str":"hush","new_str":"x"}"#),
        call(3, "str_replace", r#"{"path":"vendor/v.c","old_str":"v","new_str":"x"}"#),
        call(4, "insert", r#"{"path":"wpatch.toml","insert_line":0,"insert_text":"x"}"#),
        call(5, "create", r#"{"path":"vendor/new","file_text":"x"}"#),
    ];
    let before = crate::tree::read(&desk.root());
    let output = desk.runs(&["mcp"], (lines.join("\n") + "\n").as_bytes());
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.matches(r#""isError":true"#).count(), lines.len(), "{said}");
    assert!(!said.contains(HUSH), "{said}");
    assert_eq!(crate::tree::read(&desk.root()), before);
}
