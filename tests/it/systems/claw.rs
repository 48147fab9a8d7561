//! What users of Claw find here, statement by statement.

use fs_err as fs;
use serde_json::{Value, json};

use super::{Desk, fields};
use crate::tree;

mod paths;

/// The largest file that is read or written.
const LIMIT: usize = 10_485_760;

#[test]
fn s01_ten_mebibytes_pass_and_not_a_byte_more() {
    let desk = Desk::with(&[]);
    let content = vec![b'x'; LIMIT + 1];
    let limits = json!([LIMIT, LIMIT + 1]);
    let error = desk.refuses("too_large", &["write", "a"], &content);
    assert_eq!(fields(&error, &["limit", "size"]), limits);
    desk.does(&["write", "a"], &content[1..]);
    assert_eq!(desk.bytes("a"), &content[1..]);
    assert_eq!(desk.does(&["read", "a"], b"")["size"], LIMIT);
    fs::write(desk.path("b"), &content).unwrap();
    assert_eq!(
        fields(
            &desk.refuses("too_large", &["read", "b"], b""),
            &["limit", "size"]
        ),
        limits
    );
    assert_eq!(
        fields(
            &desk.refuses("too_large", &["append", "a"], b"x"),
            &["limit", "size"]
        ),
        limits
    );
    let error = desk.refuses("too_large", &["edit", "b", "--old", "y", "--new", "z"], b"");
    assert_eq!(fields(&error, &["limit", "size"]), limits);
}

#[test]
fn s01_a_smaller_limit_holds_alike() {
    let desk = Desk::with(&[("a", b"12345"), ("y", b"y")]);
    let limited = |arguments: &[&str], input: &[u8], limits: Value| {
        assert_eq!(
            fields(
                &desk.refuses("too_large", arguments, input),
                &["limit", "size"]
            ),
            limits,
            "{arguments:?}"
        );
    };
    limited(
        &["write", "n", "--content", "0123456789", "--max-bytes", "9"],
        b"",
        json!([9, 10]),
    );
    limited(
        &["write", "n", "--max-bytes", "9"],
        b"0123456789",
        json!([9, 10]),
    );
    limited(&["read", "a", "--max-bytes", "4"], b"", json!([4, 5]));
    limited(
        &[
            "edit",
            "y",
            "--old",
            "y",
            "--new",
            &"z".repeat(65),
            "--max-bytes",
            "64",
        ],
        b"",
        json!([64, 65]),
    );
    limited(
        &["append", "a", "--content", "6", "--max-bytes", "5"],
        b"",
        json!([5, 6]),
    );
}

#[test]
fn s02_a_nul_among_the_first_bytes_is_binary() {
    let early = [&vec![b'x'; 8191][..], b"\0\n"].concat();
    let late = [&vec![b'x'; 8192][..], b"\0\n"].concat();
    let desk = Desk::with(&[("early", &early), ("late", &late)]);
    for arguments in [
        &["edit", "early", "--old", "\n", "--new", ""][..],
        &["read", "early", "--number"],
    ] {
        assert_eq!(desk.refuses("binary", arguments, b"")["path"], "early");
    }
    desk.does(&["read", "late", "--number"], b"");
    desk.does(&["edit", "late", "--old", "\n", "--new", "!\n"], b"");
    assert_eq!(
        desk.bytes("late"),
        [&vec![b'x'; 8192][..], b"\0!\n"].concat()
    );
}

#[test]
fn s03_a_file_that_is_written_has_real_hunks() {
    let lines = |change: &dyn Fn(usize) -> String| {
        (1..=20).map(|line| change(line) + "\n").collect::<String>()
    };
    let before = lines(&|line| line.to_string());
    let after = lines(&|line| {
        if line == 2 || line == 15 {
            format!("new {line}")
        } else {
            line.to_string()
        }
    });
    let desk = Desk::with(&[("a", before.as_bytes())]);
    let report = desk.does(&["write", "a", "--overwrite"], after.as_bytes());
    let file = &report["files"][0];
    assert_eq!(
        fields(file, &["op", "added", "removed"]),
        json!(["modify", 2, 2])
    );
    let hunks: Value = file["hunks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hunk| hunk["applied"].clone())
        .collect();
    let expected = json!([
        {"old_start": 1, "old_lines": 5, "new_start": 1, "new_lines": 5,
         "lines": [" 1", "-2", "+new 2", " 3", " 4", " 5"]},
        {"old_start": 12, "old_lines": 7, "new_start": 12, "new_lines": 7,
         "lines": [" 12", " 13", " 14", "-15", "+new 15", " 16", " 17", " 18"]},
    ]);
    assert_eq!(hunks, expected);
    let report = desk.does(&["write", "n", "--content", "x\r\ny"], b"");
    let file = &report["files"][0];
    assert_eq!(
        fields(file, &["op", "added", "removed"]),
        json!(["create", 2, 0])
    );
    let lines = json!(["+x\r", "+y", "\\ No newline at end of file"]);
    let made =
        json!({"old_start": 0, "old_lines": 0, "new_start": 1, "new_lines": 2, "lines": lines});
    assert_eq!(file["hunks"][0]["applied"], made);
}

#[test]
fn s04_nothing_changes_where_nothing_is_asked_for() {
    let desk = Desk::with(&[("a", b"abc\n")]);
    desk.refuses(
        "no_change",
        &["edit", "a", "--old", "abc", "--new", "abc"],
        b"",
    );
    let before = tree::read(&desk.root());
    assert_eq!(
        desk.does(&["write", "a", "--overwrite"], b"abc\n")["changed"],
        false
    );
    assert_eq!(tree::read(&desk.root()), before);
}

#[test]
fn s05_several_places_are_not_one() {
    let desk = Desk::with(&[("a", b"x\ny\nx\n")]);
    let error = desk.refuses("ambiguous", &["edit", "a", "--old", "x", "--new", "q"], b"");
    assert_eq!(fields(&error, &["count", "lines"]), json!([2, [1, 3]]));
    desk.does(&["edit", "a", "--old", "x", "--new", "q", "--all"], b"");
    assert_eq!(desk.bytes("a"), b"q\ny\nq\n");
}

#[test]
fn s09_a_file_is_replaced_only_if_asked_for() {
    let desk = Desk::with(&[("a", b"old\n")]);
    assert_eq!(
        desk.refuses("exists", &["write", "a", "--content", "new\n"], b"")["path"],
        "a"
    );
    desk.does(&["write", "a", "--content", "new\n", "--overwrite"], b"");
    assert_eq!(desk.bytes("a"), b"new\n");
}

#[test]
fn s10_the_guard_takes_a_hash_or_the_text() {
    let desk = Desk::with(&[
        ("a", b"one\n"),
        ("../same", b"one\n"),
        ("../other", b"two\n"),
    ]);
    let edit = ["edit", "a", "--old", "no such text", "--new", "1"];
    let (one, two) = (
        "sha256:2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806",
        "sha256:27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a",
    );
    for guard in [["--expect-hash", two], ["--expect-file", "../other"]] {
        let error = desk.refuses("stale", &[&edit[..], &guard].concat(), b"");
        assert_eq!(
            fields(&error, &["expected", "actual"]),
            json!([two, one]),
            "{guard:?}"
        );
    }
    for guard in [
        ["--expect-hash", one],
        ["--expect-hash", &one["sha256:".len()..]],
        ["--expect-file", "../same"],
    ] {
        desk.refuses("not_found", &[&edit[..], &guard].concat(), b"");
        desk.does(
            &[
                &["edit", "a", "--old", "one", "--new", "1", "--dry-run"],
                &guard[..],
            ]
            .concat(),
            b"",
        );
    }
}

#[test]
fn s11_several_files_commit_together() {
    let desk = Desk::with(&[("a", b"one\n"), ("b", b"two\n")]);
    let write = |second: &str| json!({"replace": [{"path": "n", "content": "x\n"}, {"path": second, "content": "y\n"}]});
    desk.refuses(
        "outside_root",
        &["apply"],
        write("../y").to_string().as_bytes(),
    );
    desk.refuses("denied", &["apply"], write(".git/y").to_string().as_bytes());
    let diff = |old: &str| {
        format!(
            "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-{old}\n+2\n"
        )
    };
    desk.refuses("not_found", &["apply"], diff("drei").as_bytes());
    // Where a file goes is judged before any of them is looked at.
    let moved =
        "diff --git a/none b/../x\nsimilarity index 100%\nrename from none\nrename to ../x\n";
    desk.refuses("outside_root", &["apply"], moved.as_bytes());
    let moved =
        "diff --git a/none b/.git/x\nsimilarity index 100%\nrename from none\nrename to .git/x\n";
    desk.refuses("denied", &["apply"], moved.as_bytes());
    desk.does(&["apply"], diff("two").as_bytes());
    desk.does(&["apply"], write("y").to_string().as_bytes());
    assert_eq!(
        [
            desk.bytes("a"),
            desk.bytes("b"),
            desk.bytes("n"),
            desk.bytes("y")
        ],
        [b"1\n", b"2\n", b"x\n", b"y\n"]
    );
}

/// A notebook with one cell.
const NOTEBOOK: &[u8] = br#"{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "2\n"
     ]
    }
   ],
   "source": [
    "1 + 1"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"#;

#[test]
fn s12_a_cell_has_its_source_as_lines_and_no_stale_outputs() {
    let cell = |arguments: &[&str], index: usize| {
        let desk = Desk::with(&[("n.ipynb", NOTEBOOK)]);
        desk.does(
            &[&["notebook", arguments[0], "n.ipynb"], &arguments[1..]].concat(),
            b"",
        );
        let notebook: Value = serde_json::from_slice(&desk.bytes("n.ipynb")).unwrap();
        notebook["cells"][index].clone()
    };
    assert_eq!(
        cell(&["replace", "--cell", "calc", "--source", "a\nb"], 0),
        json!({"cell_type": "code", "execution_count": null, "id": "calc", "metadata": {}, "outputs": [],
               "source": ["a\n", "b"]})
    );
    assert_eq!(
        cell(
            &[
                "replace", "--cell", "calc", "--type", "markdown", "--source", "# a\n"
            ],
            0
        ),
        json!({"cell_type": "markdown", "id": "calc", "metadata": {}, "source": ["# a\n"]})
    );
    let inserted = [
        "insert", "--at", "end", "--type", "code", "--new-id", "last", "--source", "x",
    ];
    assert_eq!(
        cell(&inserted, 1),
        json!({"cell_type": "code", "execution_count": null, "id": "last", "metadata": {}, "outputs": [],
               "source": ["x"]})
    );
}

#[test]
fn s07_a_mode_says_which_one_a_refusal_needs() {
    let mode = |mode: &str| format!("[policy]\nmode = '{mode}'\n");
    let files: [(&str, &[u8]); 2] = [("a", b"1\n"), ("../outside", b"1\n")];
    let desk = Desk::with(&files);
    fs::write(desk.path("wpatch.toml"), mode("read-only")).unwrap();
    for arguments in [
        &["edit", "a", "--old", "1", "--new", "2"][..],
        &["write", "new", "--content", "x"],
        &["append", "a", "--content", "x"],
    ] {
        let error = desk.refuses("denied", arguments, b"");
        assert_eq!(
            fields(&error, &["active_mode", "required_mode"]),
            json!(["read-only", "workspace-write"])
        );
    }
    assert_eq!(desk.runs(&["read", "a"], b"").stdout, b"1\n");
    for (index, name) in ["workspace-write", "full"].into_iter().enumerate() {
        fs::write(desk.path("wpatch.toml"), mode(name)).unwrap();
        let now = ["1", "2", "3"];
        desk.does(
            &["edit", "a", "--old", now[index], "--new", now[index + 1]],
            b"",
        );
        desk.refuses(
            "outside_root",
            &["edit", "../outside", "--old", "1", "--new", "2"],
            b"",
        );
    }
}

#[test]
fn s08_a_denial_counts_over_a_question_and_a_question_over_leave() {
    let rule = |verdict: &str| {
        format!("[[rule]]\npaths = ['a']\nops = ['write']\nverdict = '{verdict}'\n")
    };
    let desk = Desk::with(&[("a", b"1\n")]);
    let edit = ["edit", "a", "--old", "1", "--new", "2"];
    for (verdicts, kind) in [
        (["allow", "ask", "deny"], "denied"),
        (["deny", "ask", "allow"], "denied"),
        (["ask", "allow", "allow"], "approval_required"),
        (["allow", "allow", "ask"], "approval_required"),
    ] {
        fs::write(desk.path("wpatch.toml"), verdicts.map(rule).concat()).unwrap();
        desk.refuses(kind, &edit, b"");
    }
    fs::write(
        desk.path("wpatch.toml"),
        rule("allow") + "[policy]\nmode = 'read-only'\n",
    )
    .unwrap();
    desk.refuses("denied", &edit, b"");
}
