//! What users of Codex's patch tool find here, statement by statement.

use std::process::{Command, Output};

use serde_json::{Value, json};

use super::{Desk, fields};
use crate::tree;
use crate::world;

mod approval;
mod paths;

/// Returns an envelope around `sections`.
fn envelope(sections: &str) -> Vec<u8> {
    format!("*** Begin Patch\n{sections}*** End Patch\n").into_bytes()
}

/// Returns an envelope that replaces one line of the file `a`.
fn replacing(old: &str, new: &str) -> Vec<u8> {
    envelope(&format!("*** Update File: a\n@@\n-{old}\n+{new}\n"))
}

/// Returns some fields of each file of a report.
fn files(report: &Value, names: &[&str]) -> Value {
    report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| fields(file, names))
        .collect()
}

/// Returns what a text becomes by an envelope of one update.
fn updated(before: &[u8], chunks: &str) -> Vec<u8> {
    let desk = Desk::with(&[("a", before)]);
    desk.does(
        &["apply"],
        &envelope(&format!("*** Update File: a\n{chunks}")),
    );
    desk.bytes("a")
}

/// Runs the program under the name that Codex has for it.
fn apply_patch(desk: &Desk, patch: &[u8]) -> Output {
    let link = world::install("apply_patch", &desk.path(".."));
    let mut command = Command::new(link);
    command
        .current_dir(desk.root())
        .arg(str::from_utf8(patch).unwrap())
        .output()
        .unwrap()
}

#[test]
fn s01_one_envelope_adds_deletes_updates_and_moves() {
    let before: [(&str, &[u8]); 3] = [("gone", b"x\n"), ("a", b"one\n"), ("c", b"c\n")];
    let patch = envelope(
        "*** Delete File: gone\n*** Update File: a\n*** Move to: d/b\n@@\n-one\n+1\n\
         *** Update File: c\n@@\n-c\n+C\n*** Add File: n/new\n+x\n",
    );
    let desk = Desk::with(&before);
    let said = desk.runs(&["apply", "--summary"], &patch);
    assert_eq!(
        String::from_utf8(said.stdout).unwrap(),
        "A n/new\nM d/b\nM c\nD gone\n"
    );
    let desk = Desk::with(&before);
    let said = desk.runs(&["apply", "--output", "codex"], &patch);
    let expected = "Success. Updated the following files:\nA n/new\nM d/b\nM c\nD gone\n";
    assert_eq!(
        (
            said.status.code(),
            String::from_utf8(said.stdout).unwrap().as_str()
        ),
        (Some(0), expected)
    );
    let desk = Desk::with(&before);
    let report = desk.does(&["apply"], &patch);
    let expected = json!([
        ["delete", "gone", null],
        ["rename", "d/b", "a"],
        ["modify", "c", null],
        ["create", "n/new", null]
    ]);
    assert_eq!(files(&report, &["op", "path", "from"]), expected);
    let names: Vec<_> = tree::read(&desk.root())
        .keys()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["c", "d/b", "n/new"]);
    assert_eq!(
        [desk.bytes("c"), desk.bytes("d/b"), desk.bytes("n/new")],
        [&b"C\n"[..], b"1\n", b"x\n"]
    );
}

#[test]
fn s02_a_heredoc_blanks_and_an_environment_may_stand_around_it() {
    let body = "*** Update File: a\n@@\n-one\n+1\n";
    let plain = format!("*** Begin Patch\n{body}*** End Patch\n");
    let patches = [
        format!("<<EOF\n{plain}EOF\n"),
        format!("<<'EOF'\n{plain}EOF\n"),
        format!("<<\"EOF\"\n{plain}EOF\n"),
        format!("\n  *** Begin Patch  \n{body} *** End Patch \n\n"),
        format!("*** Begin Patch\n*** Environment ID: box-1\n{body}*** End Patch"),
    ];
    for patch in patches {
        let desk = Desk::with(&[("a", b"one\n")]);
        desk.does(&["apply"], patch.as_bytes());
        assert_eq!(desk.bytes("a"), b"1\n", "{patch}");
    }
    let desk = Desk::with(&[("a", b"one\n")]);
    desk.refuses(
        "parse",
        &["apply"],
        format!("<<'EOF\"\n{plain}EOF\n").as_bytes(),
    );
}

#[test]
fn s03_lines_are_found_more_and_more_loosely() {
    let rungs: [(&[u8], &str); 4] = [
        (b"b\n", "exact"),
        (b"b \t\n", "trailing"),
        ("\tb\u{a0}\n".as_bytes(), "indent"),
        ("“b”\n".as_bytes(), "punct"),
    ];
    for (line, rung) in rungs {
        let desk = Desk::with(&[("a", &[b"a\n", line, b"c\n"].concat())]);
        let old = if rung == "punct" { "\"b\"" } else { "b" };
        let report = desk.does(&["apply"], &replacing(old, "B"));
        assert_eq!(report["files"][0]["hunks"][0]["match"], rung);
        let depth = if rung == "indent" { "\t" } else { "" };
        assert_eq!(
            desk.bytes("a"),
            format!("a\n{depth}B\nc\n").as_bytes(),
            "{rung}"
        );
    }
    assert_eq!(
        updated("“b”\nb\n".as_bytes(), "@@\n-b\n+B\n"),
        "“b”\nB\n".as_bytes(),
        "the strictest comes first"
    );
}

#[test]
fn s03_a_heading_moves_the_cursor_behind_its_line() {
    assert_eq!(updated(b"x\nf\nx\n", "@@ f\n-x\n+y\n"), b"x\nf\ny\n");
    assert_eq!(
        updated(b"x\n\nx\n", "@@\n-x\n+y\n*** End of File\n"),
        b"x\n\ny\n"
    );
    assert_eq!(updated(b"f\nx\n", "@@\n+y\n"), b"f\nx\ny\n");
    assert_eq!(updated(b"f\nx\n", "@@ f\n+y\n"), b"f\ny\nx\n");
    assert_eq!(
        updated(b"1\nx\n2\nx\n", "@@\n-1\n+a\n@@ 2\n-x\n+b\n"),
        b"a\nx\n2\nb\n"
    );
}

#[test]
fn s03_a_chunk_that_fits_in_several_places_has_candidates() {
    let desk = Desk::with(&[("a", b"b\nx\nb\n")]);
    for arguments in [
        &["check"][..],
        &["check", "--unique"],
        &["apply", "--unique"],
    ] {
        let report = desk.says(arguments, &replacing("b", "B"));
        let hunk = &report["files"][0]["hunks"][0];
        assert_eq!(
            (&hunk["status"], &hunk["candidates"]),
            (&json!("ambiguous"), &json!([{"line": 1}, {"line": 3}]))
        );
        let error = desk.refuses("ambiguous", arguments, &replacing("b", "B"));
        assert_eq!(
            (&error["count"], &error["lines"]),
            (&json!(2), &json!([1, 3]))
        );
    }
}

#[test]
fn s04_two_updates_of_one_file_apply_in_order() {
    let desk = Desk::with(&[("a", b"one\ntwo\n")]);
    let section = |old: &str, new: &str| format!("*** Update File: a\n@@\n-{old}\n+{new}\n");
    desk.does(
        &["apply"],
        &envelope(&[section("two", "2"), section("2", "zwei")].concat()),
    );
    assert_eq!(desk.bytes("a"), b"one\nzwei\n");
}

#[test]
fn s05_an_error_says_the_line_of_the_patch_and_what_was_expected() {
    let desk = Desk::with(&[("a", b"one\n"), ("d/x", b"")]);
    let cases: [(&str, &str, u64, &str); 7] = [
        (
            "",
            "parse",
            2,
            "expected a section, such as `*** Update File: PATH`",
        ),
        (
            "*** Update File: a\n",
            "parse",
            3,
            "expected a hunk with lines that start with ` `, `-` or `+`",
        ),
        (
            "*** Update File: a\n@@\none\n",
            "parse",
            4,
            "expected a line that starts with ` `, `-` or `+`",
        ),
        (
            "*** Rename File: a\n",
            "parse",
            2,
            "expected `*** Add File: `, `*** Delete File: `, `*** Update File: ` or `*** End Patch`",
        ),
        (
            "*** Update File: no\n@@\n-x\n+y\n",
            "missing",
            2,
            "the file does not exist",
        ),
        (
            "*** Delete File: no\n",
            "missing",
            2,
            "the file does not exist",
        ),
        (
            "*** Delete File: d\n",
            "not_a_file",
            2,
            "is a directory, not a regular file",
        ),
    ];
    for (sections, kind, line, message) in cases {
        let error = desk.refuses(kind, &["apply"], &envelope(sections));
        assert_eq!(
            (&error["span"]["line"], &error["message"]),
            (&json!(line), &json!(message)),
            "{sections}"
        );
    }
}

#[test]
fn s05_lines_that_are_not_found_are_stated_with_their_place_in_the_patch() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let cases: [(&str, u64, &[&str]); 3] = [
        ("@@\n-two\n-three\n+y\n", 3, &["two", "three"]),
        ("@@\n one\n-two\n+y\n", 5, &["one", "two"]),
        ("@@ fn f\n-one\n+y\n", 3, &["fn f"]),
    ];
    for (chunk, line, expected) in cases {
        let patch = envelope(&format!("*** Update File: a\n{chunk}"));
        let error = desk.refuses("not_found", &["apply"], &patch);
        assert_eq!(
            (&error["span"]["line"], &error["expected"]),
            (&json!(line), &json!(expected)),
            "{chunk}"
        );
    }
}

#[test]
fn s06_what_the_envelope_writes_ends_with_a_newline() {
    let desk = Desk::with(&[]);
    desk.does(&["apply"], &envelope("*** Add File: a\n+x\n"));
    assert_eq!(desk.bytes("a"), b"x\n");
    assert_eq!(updated(b"one\ntwo", "@@\n-two\n+2\n"), b"one\n2\n");
    assert_eq!(
        updated(b"one\ntwo", "@@\n-one\n+1\n"),
        b"1\ntwo",
        "what the patch does not name stays"
    );
}

#[test]
fn s07_a_section_that_fails_leaves_nothing_of_the_others() {
    let desk = Desk::with(&[("a", b"one\n"), ("gone", b"")]);
    let sections =
        "*** Add File: d/new\n+x\n*** Delete File: gone\n*** Update File: a\n@@\n-two\n+2\n";
    let error = desk.refuses("not_found", &["apply"], &envelope(sections));
    assert_eq!(error["path"], "a");
}

#[test]
fn s15_the_exit_code_is_nought_for_applied_one_for_refused_and_two_for_a_wrong_call() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let code = |output: Output| output.status.code().unwrap();
    assert_eq!(code(desk.runs(&["apply"], &replacing("two", "2"))), 1);
    assert_eq!(
        code(desk.runs(&["apply"], &envelope("*** Add File: a\n+x\n"))),
        1
    );
    assert_eq!(code(desk.runs(&["apply", "--no-such-option"], b"")), 2);
    assert_eq!(code(desk.runs(&["apply"], &replacing("one", "1"))), 0);
    assert_eq!(code(apply_patch(&desk, &replacing("two", "2"))), 1);
    assert_eq!(
        code(apply_patch(&desk, &envelope("*** Add File: ../x\n+x\n"))),
        1
    );
    assert_eq!(code(apply_patch(&desk, b"")), 2);
    assert_eq!(code(apply_patch(&desk, &replacing("1", "one"))), 0);
}
