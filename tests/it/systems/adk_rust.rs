//! What users of ADK-Rust find here, statement by statement.

use fs_err as fs;
use serde_json::json;

use super::Desk;
use crate::mcp;
use crate::tree;
use crate::world;

#[test]
fn s01_lines_are_counted_from_1_and_the_last_one_counts() {
    let desk = Desk::with(&[("a", b"1\n2\n3\n4\n")]);
    let read = |lines| desk.does(&["read", "a", "--lines", lines], b"")["content"].clone();
    assert_eq!(
        [read("2-3"), read("1-1"), read("4-9")],
        [json!("2\n3\n"), json!("1\n"), json!("4\n")]
    );
    for lines in ["0-1", "3-2", "x"] {
        assert_eq!(
            desk.runs(&["read", "a", "--lines", lines], b"")
                .status
                .code(),
            Some(2),
            "{lines}"
        );
    }
}

#[test]
fn s02_exactly_one_place_is_replaced() {
    let desk = Desk::with(&[("a", b"x = 1\ny = 1\nx = 2\n")]);
    desk.does(&["edit", "a", "--old", "y = 1", "--new", "y = 2"], b"");
    assert_eq!(desk.bytes("a"), b"x = 1\ny = 2\nx = 2\n");
    desk.refuses(
        "not_found",
        &["edit", "a", "--old", "z = 1", "--new", "z"],
        b"",
    );
    let error = desk.refuses(
        "ambiguous",
        &["edit", "a", "--old", "x = ", "--new", "z"],
        b"",
    );
    assert_eq!(error["lines"], json!([1, 3]));
}

#[test]
fn s03_lines_come_behind_or_before_a_number_with_the_line_ends_of_the_file() {
    let inserted = |option, line, new| {
        let desk = Desk::with(&[("a", b"1\r\n2\r\n")]);
        desk.does(&["edit", "a", option, line, "--new", new], b"");
        desk.bytes("a")
    };
    assert_eq!(
        inserted("--insert-after", "0", "x\ny"),
        b"x\r\ny\r\n1\r\n2\r\n"
    );
    assert_eq!(inserted("--insert-after", "1", "x\n"), b"1\r\nx\r\n2\r\n");
    assert_eq!(inserted("--insert-after", "2", "x\n"), b"1\r\n2\r\nx\r\n");
    assert_eq!(inserted("--insert-before", "2", "x\n"), b"1\r\nx\r\n2\r\n");
    let desk = Desk::with(&[("a", b"1\r\n2\r\n")]);
    desk.refuses(
        "not_found",
        &["edit", "a", "--insert-after", "3", "--new", "x"],
        b"",
    );
    desk.refuses(
        "not_found",
        &["edit", "a", "--insert-before", "3", "--new", "x"],
        b"",
    );
    let output = desk.runs(&["edit", "a", "--insert-after", "3", "--new", "x"], b"");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error[wpatch::text::not_found]: a: line 3 is not in the file\n\
         help: read a again; its last line is line 2\n"
    );
    desk.refuses(
        "usage",
        &["edit", "a", "--insert-before", "0", "--new", "x"],
        b"",
    );
}

#[test]
fn s04_a_file_that_is_there_is_not_written_over_and_directories_are_made() {
    let desk = Desk::with(&[("a", b"old")]);
    desk.refuses("exists", &["write", "a", "--content", "new"], b"");
    let report = desk.does(&["write", "d/e/f", "--content", "new"], b"");
    assert_eq!(
        (&report["files"][0]["op"], desk.bytes("d/e/f")),
        (&json!("create"), b"new".to_vec())
    );
}

#[cfg(unix)]
#[test]
fn s05_nothing_is_done_outside_of_the_root() {
    let desk = Desk::with(&[("a", b"a\n"), ("../beside", b"a\n"), ("../root2/a", b"a\n")]);
    world::link("..", desk.path("out")).unwrap();
    let beside = desk.path("../beside");
    for path in [
        "../beside",
        "../root2/a",
        "d/../../beside",
        "out/beside",
        beside.to_str().unwrap(),
        "/etc/hosts",
    ] {
        desk.refuses("outside_root", &["read", path], b"");
        desk.refuses(
            "outside_root",
            &["edit", path, "--old", "a", "--new", "b"],
            b"",
        );
        desk.refuses(
            "outside_root",
            &["write", path, "--overwrite", "--content", "b"],
            b"",
        );
        let patch = format!("--- {path}\n+++ {path}\n@@ -1 +1 @@\n-a\n+b\n");
        desk.refuses("outside_root", &["apply", "-p0"], patch.as_bytes());
    }
}

#[test]
fn s06_a_diff_without_prefixes_is_taken_and_one_that_fails_leaves_nothing() {
    let diff = |new: &str, old: &str| {
        format!(
            "--- d/a\n+++ d/a\n@@ -1 +1 @@\n-1\n+{new}\n--- b\n+++ b\n@@ -1 +1 @@\n-{old}\n+3\n"
        )
    };
    let desk = Desk::with(&[("d/a", b"1\n"), ("b", b"2\n")]);
    // It compares all that is in and beside the root, so that any file which is left would be seen.
    desk.refuses("not_found", &["apply", "-p0"], diff("x", "y").as_bytes());
    let before = tree::read(&desk.root());
    desk.does(&["apply", "-p0"], diff("x", "2").as_bytes());
    assert_eq!(
        (desk.bytes("d/a"), desk.bytes("b")),
        (b"x\n".to_vec(), b"3\n".to_vec())
    );
    assert_eq!(
        before.keys().collect::<Vec<_>>(),
        tree::read(&desk.root()).keys().collect::<Vec<_>>()
    );
}

#[test]
fn s07_each_of_its_three_codes_of_failure_is_some_of_ours() {
    let desk = Desk::with(&[("a", b"1\n2\n")]);
    desk.refuses("usage", &["edit", "a", "--old", "", "--new", "x"], b"");
    desk.refuses("usage", &["edit", "a"], b"");
    desk.refuses("usage", &["apply", "--no-such-option"], b"");
    desk.refuses("parse", &["apply"], b"no patch at all\n");
    desk.refuses(
        "parse",
        &["apply"],
        b"--- a/a\n+++ b/a\n@@ -1,9 +1 @@\n-1\n",
    );
    desk.refuses("outside_root", &["write", "../x", "--content", ""], b"");
    let hunk = |old: &str| format!("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-{old}\n+x\n");
    desk.refuses("not_found", &["apply"], hunk("3").as_bytes());
    desk.refuses(
        "missing",
        &["apply"],
        hunk("1").replace("/a", "/b").as_bytes(),
    );
}

#[test]
fn s08_the_text_editor_tool_is_served() {
    let desk = Desk::with(&[("a", b"one\ntwo\n")]);
    let calls = [
        ("view", json!({"path": "a", "view_range": [2, -1]})),
        (
            "str_replace",
            json!({"path": desk.path("a"), "old_str": "two", "new_str": "2"}),
        ),
        (
            "insert",
            json!({"path": "a", "insert_line": 1, "insert_text": "1.5\n"}),
        ),
        ("create", json!({"path": "d/b", "file_text": "new"})),
        ("create", json!({"path": "a", "file_text": "new"})),
    ];
    let results = desk.serves(&[], &calls);
    let refused: Vec<_> = results
        .iter()
        .map(|result| result["isError"] == true)
        .collect();
    assert_eq!(refused, [false, false, false, false, true]);
    assert_eq!(results[0]["content"][0]["text"], "     2\ttwo\n");
    assert_eq!(mcp::problem(&results[4])["kind"], "exists");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("d/b")),
        (b"one\n1.5\n2\n".to_vec(), b"new".to_vec())
    );
}

#[test]
fn s09_the_operations_of_openai_are_taken() {
    let desk = Desk::with(&[("a", b"one\ntwo\n"), ("old", b"")]);
    let operations = json!([
        {"type": "update_file", "path": "a", "diff": "@@\n one\n-two\n+2\n"},
        {"type": "create_file", "path": "d/new", "diff": "+new\n+file\n"},
        {"type": "delete_file", "path": "old"},
    ]);
    desk.does(
        &["apply", "--format", "json"],
        operations.to_string().as_bytes(),
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("d/new")),
        (b"one\n2\n".to_vec(), b"new\nfile\n".to_vec())
    );
    assert!(!desk.path("old").exists());
    let call =
        json!({"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a"}});
    desk.does(
        &["apply", "--format", "json"],
        call["operation"].to_string().as_bytes(),
    );
    assert!(!desk.path("a").exists());
}

#[test]
fn s10_no_other_program_is_needed() {
    let desk = Desk::with(&[("a", b"one\n"), ("../empty/x", b"")]);
    fs::create_dir(desk.path(".git")).unwrap();
    let alone = |arguments: &[&str], input: &[u8]| {
        let mut command = super::program(&desk.root(), arguments);
        let output = super::fed(
            command.env_clear().env("PATH", desk.path("../empty")),
            input,
        );
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    alone(&["apply"], b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n");
    alone(&["edit", "a", "--old", "two", "--new", "three"], b"");
    alone(
        &["apply"],
        b"*** Begin Patch\n*** Update File: a\n-three\n+four\n*** End Patch\n",
    );
    alone(&["write", "b"], b"x");
    alone(&["read", "a", "--lines", "1-1"], b"");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"four\n".to_vec(), b"x".to_vec())
    );
    alone(&["undo", "--last", "2"], b"");
    assert_eq!(desk.bytes("a"), b"three\n");
}
