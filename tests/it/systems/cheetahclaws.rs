//! What users of `CheetahClaws` find here, statement by statement.

mod history;
mod look;
mod nbformat;
mod notebook;
mod policy;

use serde_json::json;

use super::Desk;

#[test]
fn s01_a_text_that_is_there_once_is_replaced() {
    let desk = Desk::with(&[("calc.py", b"def f():\n    result = 0\n    return result\n")]);
    let report = desk.does(
        &[
            "edit",
            "calc.py",
            "--old",
            "    result = 0\n",
            "--new",
            "    result = 1\n",
        ],
        b"",
    );
    assert_eq!(
        desk.bytes("calc.py"),
        b"def f():\n    result = 1\n    return result\n"
    );
    assert_eq!(report["files"][0]["replacements"], json!(1));
}

#[test]
fn s02_a_text_that_is_not_there_is_refused() {
    let desk = Desk::with(&[("a", b"x\ny\nx\ny\nx\n")]);
    desk.refuses("not_found", &["edit", "a", "--old", "z", "--new", "q"], b"");
    let error = desk.refuses("ambiguous", &["edit", "a", "--old", "x", "--new", "q"], b"");
    assert_eq!(
        (&error["count"], &error["lines"]),
        (&json!(3), &json!([1, 3, 5]))
    );
    let report = desk.does(&["edit", "a", "--old", "x", "--new", "q", "--all"], b"");
    assert_eq!(
        (report["files"][0]["replacements"].as_u64(), desk.bytes("a")),
        (Some(3), b"q\ny\nq\ny\nq\n".to_vec())
    );
}

#[test]
fn s03_new_lines_end_as_the_lines_they_replace() {
    let desk = Desk::with(&[("a", b"a\r\nb\r\nc\r\nd\r\n")]);
    desk.does(&["edit", "a", "--old", "b\nc\n", "--new", "B\nC\nD\n"], b"");
    assert_eq!(desk.bytes("a"), b"a\r\nB\r\nC\r\nD\r\nd\r\n");
}

#[test]
fn s04_line_ends_that_differ_stay_where_they_are() {
    let desk = Desk::with(&[("a", b"one\r\ntwo\nthree\r\nfour\n")]);
    desk.does(&["edit", "a", "--old", "three", "--new", "3"], b"");
    assert_eq!(desk.bytes("a"), b"one\r\ntwo\n3\r\nfour\n");
    desk.does(
        &["edit", "a", "--old", "two\n3", "--new", "zwei\ndrei\n"],
        b"",
    );
    assert_eq!(desk.bytes("a"), b"one\r\nzwei\ndrei\n\r\nfour\n");
}

#[test]
fn s05_bytes_that_are_no_text_and_byte_order_marks_stay() {
    let desk = Desk::with(&[
        ("latin", b"caf\xe9 price\n"),
        ("marked", b"\xef\xbb\xbfone\ntwo\n"),
    ]);
    desk.does(&["edit", "latin", "--old", "price", "--new", "cost"], b"");
    assert_eq!(desk.bytes("latin"), b"caf\xe9 cost\n");
    desk.does(&["edit", "marked", "--old", "one\n", "--new", "1\n"], b"");
    assert_eq!(desk.bytes("marked"), b"\xef\xbb\xbf1\ntwo\n");
}

#[test]
fn s06_an_empty_old_text_and_one_that_stays_are_refused() {
    let desk = Desk::with(&[("a", b"abc\n")]);
    desk.refuses("usage", &["edit", "a", "--old", "", "--new", "x"], b"");
    desk.refuses(
        "usage",
        &["edit", "a", "--old", "", "--new", "x", "--all"],
        b"",
    );
    desk.refuses(
        "no_change",
        &["edit", "a", "--old", "abc", "--new", "abc"],
        b"",
    );
}

#[test]
fn s07_write_makes_directories_and_replaces_only_when_asked() {
    let desk = Desk::with(&[]);
    let write = ["write", "a/b/c.txt", "--content", "one\n"];
    let report = desk.does(&write, b"");
    assert_eq!(
        (&report["files"][0]["op"], desk.bytes("a/b/c.txt")),
        (&json!("create"), b"one\n".to_vec())
    );
    desk.refuses("exists", &["write", "a/b/c.txt", "--content", "two\n"], b"");
    let same = desk.does(&[&write[..], &["--overwrite"]].concat(), b"");
    assert_eq!(
        (&same["changed"], &same["exit_code"]),
        (&json!(false), &json!(0))
    );
    let report = desk.does(
        &["write", "a/b/c.txt", "--content", "two\n", "--overwrite"],
        b"",
    );
    let told = (
        &report["changed"],
        &report["files"][0]["op"],
        desk.bytes("a/b/c.txt"),
    );
    assert_eq!(told, (&json!(true), &json!("modify"), b"two\n".to_vec()));
    desk.refuses(
        "missing",
        &["write", "new/x", "--content", "x", "--no-mkdirs"],
        b"",
    );
}
