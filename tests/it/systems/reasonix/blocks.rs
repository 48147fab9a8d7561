//! Statements on blocks of search and replace.

use serde_json::{Value, json};

use super::block;
use crate::systems::{Desk, fields};

#[test]
fn s01_a_block_begins_and_ends_at_markers_of_seven() {
    let desk = Desk::with(&[("a", b"one\ntwo\nthree\n")]);
    let new = "<<<<<<<< SEARCH\n========\n======\n>>>>>>>> REPLACE\n>>>>>> REPLACE\n ======= \n";
    desk.does(&["apply"], block("a", "two\n", new).as_bytes());
    assert_eq!(desk.bytes("a"), format!("one\n{new}three\n").into_bytes());
    desk.does(&["apply"], block("a", new, "two\n").as_bytes());
    assert_eq!(desk.bytes("a"), b"one\ntwo\nthree\n");
}

#[test]
fn s02_an_empty_search_makes_a_file_and_an_empty_replace_takes_lines() {
    let desk = Desk::with(&[("a", b"one\ntwo\n")]);
    let report = desk.does(&["apply"], block("d/new", "", "hi\n").as_bytes());
    assert_eq!(
        (
            fields(&report["files"][0], &["path", "op"]),
            desk.bytes("d/new")
        ),
        (json!(["d/new", "create"]), b"hi\n".to_vec())
    );
    let error = desk.refuses("exists", &["apply"], block("a", "", "hi\n").as_bytes());
    assert_eq!(error["path"], "a");
    desk.does(&["apply"], block("a", "one\n", "").as_bytes());
    assert_eq!(desk.bytes("a"), b"two\n");
}

#[test]
fn s03_blocks_are_whole_lines_and_take_the_line_ends_of_the_file() {
    let desk = Desk::with(&[("a", b"one\r\ntwo \r\nthree"), ("lf", b"xtwo\ntwo\n")]);
    for old in ["two\n", "wo \n", " two \n", "TWO \n"] {
        desk.refuses("not_found", &["apply"], block("a", old, "2\n").as_bytes());
    }
    desk.does(&["apply"], block("a", "two \n", "2\n2b\n").as_bytes());
    assert_eq!(desk.bytes("a"), b"one\r\n2\r\n2b\r\nthree");
    desk.does(&["apply"], block("lf", "two\n", "2\n").as_bytes());
    assert_eq!(desk.bytes("lf"), b"xtwo\n2\n", "part of a line is no line");
}

#[test]
fn s04_a_block_sees_what_the_one_before_it_left() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let patch = block("a", "one\n", "two\n") + &block("a", "two\n", "three\n");
    let report = desk.does(&["apply"], patch.as_bytes());
    assert_eq!(desk.bytes("a"), b"three\n");
    let files = report["files"].as_array().unwrap().iter();
    let statuses: Value = files
        .map(|file| json!([file["path"], file["status"]]))
        .collect();
    assert_eq!(statuses, json!([["a", "ok"], ["a", "ok"]]));
    desk.refuses(
        "not_found",
        &["apply"],
        (block("a", "three\n", "4\n") + &block("a", "three\n", "5\n")).as_bytes(),
    );
}

/// A block that could be applied is `ok`; one that leads out of the root is among the problems
/// alone.
#[test]
fn s05_of_blocks_that_fail_each_is_named_with_its_status() {
    let desk = Desk::with(&[("kept", b"one\ntwo\n"), ("bad", b"one\n")]);
    let patch = [
        block("kept", "one\n", "1\n"),
        block("kept", "nowhere\n", "x\n"),
        block("new", "", "hi\n"),
        block("bad", "nowhere\n", "x\n"),
        block("none", "one\n", "1\n"),
        block("../out", "one\n", "1\n"),
    ];
    let arguments = ["apply", "-"];
    let error = desk.refuses("outside_root", &arguments, patch.concat().as_bytes());
    assert_eq!(
        fields(&error, &["path", "message"]),
        json!(["../out", "the path leads outside the root"])
    );
    let report = desk.says(&arguments, patch.concat().as_bytes());
    let told = |file: &Value| {
        let hunks: Value = file["hunks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hunk| hunk["status"].clone())
            .collect();
        json!([file["path"], file["op"], file["status"], hunks])
    };
    let files: Value = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(told)
        .collect();
    let expected = json!([
        ["kept", "modify", "ok", ["clean"]],
        ["kept", "modify", "not_found", ["not_found"]],
        ["new", "create", "ok", ["clean"]],
        ["bad", "modify", "not_found", ["not_found"]],
        ["none", "modify", "missing", ["unplaced"]],
    ]);
    assert_eq!(files, expected);
    let problems = report["problems"].as_array().unwrap().iter();
    let problems: Value = problems
        .map(|problem| json!([problem["kind"], problem["path"], problem["span"]["line"]]))
        .collect();
    let expected = json!([
        ["outside_root", "../out", 30],
        ["not_found", "kept", 8],
        ["not_found", "bad", 19],
        ["missing", "none", 25]
    ]);
    assert_eq!(problems, expected);
}

#[test]
fn s05_a_block_that_fits_twice_is_refused() {
    let desk = Desk::with(&[("a", b"x\ny\nx\n")]);
    let error = desk.refuses("ambiguous", &["apply"], block("a", "x\n", "z\n").as_bytes());
    assert_eq!(
        fields(&error, &["path", "lines", "count"]),
        json!(["a", [1, 3], 2])
    );
}
