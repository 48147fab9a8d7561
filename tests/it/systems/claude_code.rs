//! What users of Claude Code find here, statement by statement.

use std::time::{Duration, SystemTime};

use fs_err as fs;
use serde_json::{Value, json};

use super::{Desk, fields};

/// Returns the digest that `read` gives of a file.
fn hash(desk: &Desk, file: &str) -> String {
    desk.does(&["read", file], b"")["sha256"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn s01_a_text_is_replaced_where_it_is_once_or_everywhere() {
    let desk = Desk::with(&[
        ("a", b"x\ny\nx\n"),
        ("../old", b"y\n"),
        ("../new", b"$1 \\1 &\n"),
    ]);
    let edit = |old, new| ["edit", "a", "--old", old, "--new", new];
    let error = desk.refuses("ambiguous", &edit("x", "z"), b"");
    assert_eq!(
        fields(&error, &["path", "count", "lines"]),
        json!(["a", 2, [1, 3]])
    );
    desk.refuses("no_change", &edit("y", "y"), b"");
    let report = desk.does(
        &["edit", "a", "--old-file", "../old", "--new-file", "../new"],
        b"",
    );
    assert_eq!(
        (&report["files"][0]["replacements"], desk.bytes("a")),
        (&json!(1), b"x\n$1 \\1 &\nx\n".to_vec())
    );
    let report = desk.does(&["edit", "a", "--old", "x", "--new", "z", "--all"], b"");
    assert_eq!(
        (&report["files"][0]["replacements"], desk.bytes("a")),
        (&json!(2), b"z\n$1 \\1 &\nz\n".to_vec())
    );
}

#[test]
fn s02_several_edits_of_one_file_are_one_change() {
    let desk = Desk::with(&[("a", b"one\ntwo\n")]);
    let run = ["edit", "a", "--edits", "-", "--sequential"];
    let edits = |last| {
        let first = json!({"old_string": "one", "new_string": "two"});
        let second = json!({"old_string": "two", "new_string": "2", "replace_all": true});
        json!([first, second, {"old_string": last, "new_string": "3"}]).to_string()
    };
    assert_eq!(
        desk.refuses("not_found", &run, edits("one").as_bytes())["index"],
        2
    );
    let report = desk.does(&run, edits("2\n2").as_bytes());
    assert_eq!(
        (&report["files"][0]["replacements"], desk.bytes("a")),
        (&json!(4), b"3\n".to_vec())
    );
}

#[test]
fn s03_what_was_read_is_what_is_edited() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let read = hash(&desk, "a");
    fs::write(desk.path("a"), "one\nmine\n").unwrap();
    let edit = |hash| {
        [
            "edit",
            "a",
            "--old",
            "one",
            "--new",
            "1",
            "--expect-hash",
            hash,
        ]
    };
    let error = desk.refuses("stale", &edit(&read), b"");
    let now = hash(&desk, "a");
    assert_eq!(
        fields(&error, &["path", "expected", "actual"]),
        json!(["a", read, now])
    );
    desk.does(&edit(&now), b"");
    assert_eq!(desk.bytes("a"), b"1\nmine\n");
}

#[test]
fn s03_a_policy_makes_the_hash_a_duty_for_files_that_are_there() {
    let desk = Desk::with(&[
        ("a", b"one\n"),
        ("wpatch.toml", b"[policy]\nrequire_hash = true\n"),
    ]);
    let edit = ["edit", "a", "--old", "one", "--new", "1"];
    desk.refuses("denied", &edit, b"");
    desk.refuses(
        "denied",
        &["apply"],
        b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n",
    );
    desk.does(&["write", "new", "--content", "x"], b"");
    desk.does(
        &[&edit[..], &["--expect-hash", &hash(&desk, "a")]].concat(),
        b"",
    );
    assert_eq!(desk.bytes("a"), b"1\n");
}

#[test]
fn s08_rules_are_for_reading_and_for_writing() {
    let rules = "[[rule]]\npaths = ['private/**']\nops = ['read']\nverdict = 'deny'\n\
                 [[rule]]\npaths = ['*.lock']\nops = ['write']\nverdict = 'deny'\n\
                 [[rule]]\npaths = ['**']\nverdict = 'allow'\n";
    let desk = Desk::with(&[
        ("private/a", b"1\n"),
        ("d/x.lock", b"1\n"),
        ("a", b"1\n"),
        ("wpatch.toml", rules.as_bytes()),
    ]);
    desk.refuses("denied", &["read", "private/a"], b"");
    assert_eq!(desk.runs(&["read", "d/x.lock"], b"").stdout, b"1\n");
    desk.refuses(
        "denied",
        &["edit", "d/x.lock", "--old", "1", "--new", "2"],
        b"",
    );
    desk.does(&["edit", "a", "--old", "1", "--new", "2"], b"");
}

#[test]
fn s04_a_newer_time_alone_is_not_stale() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let read = hash(&desk, "a");
    let file = fs::File::options()
        .append(true)
        .open(desk.path("a"))
        .unwrap();
    file.file()
        .set_modified(SystemTime::now() + Duration::from_secs(3600))
        .unwrap();
    desk.does(
        &[
            "edit",
            "a",
            "--old",
            "one",
            "--new",
            "1",
            "--expect-hash",
            &read,
        ],
        b"",
    );
    assert_eq!(desk.bytes("a"), b"1\n");
}

#[test]
fn s05_a_file_is_written_over_that_was_read() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let read = hash(&desk, "a");
    let write = |hash| {
        [
            "write",
            "a",
            "--content",
            "new\n",
            "--overwrite",
            "--expect-hash",
            hash,
        ]
    };
    desk.refuses(
        "exists",
        &["write", "a", "--content", "new\n", "--expect-hash", &read],
        b"",
    );
    let report = desk.does(&write(&read), b"");
    assert_eq!(
        (&report["files"][0]["op"], desk.bytes("a")),
        (&json!("modify"), b"new\n".to_vec())
    );
    fs::write(desk.path("a"), "mine\n").unwrap();
    desk.refuses("stale", &write(&read), b"");
}

#[test]
fn s06_cells_are_replaced_inserted_and_deleted() {
    let cell = |id: &str, source: Value| json!({"cell_type": "raw", "id": id, "metadata": {}, "source": source});
    let notebook = json!({"cells": [cell("a", json!(["1"])), cell("b", json!([]))], "nbformat": 4, "nbformat_minor": 5});
    let desk = Desk::with(&[("n.ipynb", notebook.to_string().as_bytes())]);
    let run = |arguments: &[&str]| {
        desk.does(
            &[&["notebook", arguments[0], "n.ipynb"], &arguments[1..]].concat(),
            b"",
        );
        let read: Value = serde_json::from_slice(&desk.bytes("n.ipynb")).unwrap();
        let cells = read["cells"].as_array().unwrap().iter();
        cells
            .map(|cell| json!([cell["id"], cell["cell_type"], cell["source"]]))
            .collect::<Value>()
    };
    let (a, b) = (json!(["a", "raw", ["x\n", "y"]]), json!(["b", "raw", []]));
    assert_eq!(
        run(&["replace", "--cell", "cell-0", "--source", "x\ny"]),
        json!([a, b])
    );
    let new = json!(["c", "markdown", ["z"]]);
    let insert = [
        "insert", "--cell", "a", "--type", "markdown", "--source", "z", "--new-id", "c",
    ];
    assert_eq!(run(&insert), json!([a, new, b]));
    let first = json!(["d", "code", []]);
    assert_eq!(
        run(&["insert", "--type", "code", "--source", "", "--new-id", "d"]),
        json!([first, a, new, b])
    );
    assert_eq!(run(&["delete", "--cell", "cell-1"]), json!([first, new, b]));
}

#[test]
fn s07_numbered_lines_end_after_two_thousand_of_two_thousand_characters() {
    let long = "é".repeat(2500);
    let text = format!("{long}\n{}", "x\n".repeat(3000));
    let desk = Desk::with(&[("a", text.as_bytes())]);
    let report = desk.does(&["read", "a", "--number"], b"");
    let shown = report["content"].as_str().unwrap();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        (lines.len(), lines[0], lines[1999]),
        (2000, &*format!("     1\t{}", "é".repeat(2000)), "  2000\tx")
    );
    let rest = 5001 + 1999 * 2;
    assert_eq!(
        fields(&report, &["truncated", "next_offset", "lines_cut", "lines"]),
        json!([true, rest, 1, 3001])
    );
    let few = desk.does(&["read", "a", "--number", "--max-lines", "2"], b"");
    assert_eq!(few["content"], format!("{}\n{}\n", lines[0], lines[1]));
    let asked = desk.does(&["read", "a", "--number", "--lines", "2-2901"], b"");
    assert_eq!(
        asked["content"].as_str().unwrap().lines().count(),
        2900,
        "who names lines gets them"
    );
    let plain = desk.runs(&["read", "a"], b"");
    assert_eq!(plain.stdout, text.into_bytes(), "other views are whole");
}

#[test]
fn s10_an_undo_can_be_looked_at_first() {
    let desk = Desk::with(&[("a", b"one\n"), ("b", b"one\n")]);
    desk.does(&["init"], b"");
    desk.does(&["edit", "a", "--old", "one", "--new", "three"], b"");
    desk.does(&["edit", "b", "--old", "one", "--new", "four"], b"");
    let report = desk.does(&["undo", "--last", "2", "--dry-run"], b"");
    let file = |file: &Value| {
        json!([
            file["path"],
            file["op"],
            file["before"]["size"],
            file["after"]["size"]
        ])
    };
    let files: Value = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(file)
        .collect();
    assert_eq!(files, json!([["b", "modify", 5, 4], ["a", "modify", 6, 4]]));
    assert_eq!(
        fields(&report, &["changed", "dry_run", "outcome"]),
        json!([true, true, "would_apply"])
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"three\n".to_vec(), b"four\n".to_vec())
    );
    fs::write(desk.path("b"), "mine").unwrap();
    assert_eq!(
        desk.refuses("conflict", &["undo", "--dry-run"], b"")["path"],
        "b"
    );
    assert_eq!(desk.refuses("conflict", &["undo"], b"")["path"], "b");
    let entries = desk.does(&["log"], b"")["entries"].clone();
    desk.does(&["undo", entries[1]["id"].as_str().unwrap()], b"");
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"one\n".to_vec(), b"mine".to_vec()),
        "each change by itself"
    );
}

#[cfg(unix)]
#[test]
fn s09_hooks_around_a_change_get_its_plan() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let edit = ["edit", "a", "--old", "one", "--new", "1"];
    let asks = [&edit[..], &["--before", "cat > ../plan; exit 2"]].concat();
    let report = desk.says(&asks, b"");
    assert_eq!(
        (&report["ok"], desk.bytes("a")),
        (&false.into(), b"one\n".to_vec())
    );
    let plan: Value = serde_json::from_slice(&desk.bytes("../plan")).unwrap();
    assert_eq!(
        (&plan["files"][0]["path"], &plan["outcome"]),
        (&"a".into(), &"would_apply".into())
    );
    let checks = [
        &edit[..],
        &[
            "--verify",
            "grep -q '\"path\":\"a\"'",
            "--after",
            "grep -c applied",
        ],
    ]
    .concat();
    assert_eq!(desk.does(&checks, b"")["after"]["output"], "1\n");
}

#[test]
fn s11_a_report_has_hunks_to_draw() {
    let desk = Desk::with(&[("a", b"1\n2\n3\n4\n5\n6\n7\n8\n9\n")]);
    let edits = json!([{"old": "2\n", "new": "two\n2b\n"}, {"old": "9\n", "new": ""}]).to_string();
    let report = desk.does(&["edit", "a", "--edits", "-"], edits.as_bytes());
    let hunk = |hunk: &Value| {
        fields(
            &hunk["applied"],
            &["old_start", "old_lines", "new_start", "new_lines"],
        )
    };
    let hunks: Value = report["files"][0]["hunks"]
        .as_array()
        .unwrap()
        .iter()
        .map(hunk)
        .collect();
    assert_eq!(hunks, json!([[2, 1, 2, 2], [9, 1, 9, 0]]));
    let diff = "--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n 1\n-2\n+two\n+2b\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n";
    assert_eq!(report["files"][0]["diff"], diff);
}

#[test]
fn s12_bytes_that_are_no_text_stay() {
    let desk = Desk::with(&[("a", b"\xff\xfe caf\xe9 price\r\n\x80")]);
    desk.does(&["edit", "a", "--old", "price", "--new", "\u{20ac}"], b"");
    assert_eq!(desk.bytes("a"), b"\xff\xfe caf\xe9 \xe2\x82\xac\r\n\x80");
}
