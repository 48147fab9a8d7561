//! Statements 5 to 8, 11: where hunks go, and what is said of those that go nowhere.

use serde_json::{Value, json};

use super::super::Desk;

#[test]
fn s05_context_that_moved_on_is_found_and_told() {
    let desk = Desk::with(&[("a", b"1\n2\n3\n4\none\ntwo\nthree\n5\n")]);
    let report = desk.does(
        &["apply"],
        b"--- a/a\n+++ b/a\n@@ -2,3 +2,3 @@\n one\n-two\n+zwei\n three\n",
    );
    assert_eq!(desk.bytes("a"), b"1\n2\n3\n4\none\nzwei\nthree\n5\n");
    assert_eq!(report["files"][0]["hunks"][0]["offset"], 3);
}

#[test]
fn s06_what_has_to_be_unique_goes_to_its_stated_place_or_the_only_one() {
    let file: &[u8] = b"=\nx\ny\n=\n=\n=\n=\nx\ny\n=\n";
    let desk = Desk::with(&[("a", file)]);
    let patch = |line: usize| format!("--- a/a\n+++ b/a\n@@ -{line},2 +{line},2 @@\n x\n-y\n+z\n");
    let error = desk.refuses(
        "ambiguous",
        &["apply", "--unique", "--unidiff-zero"],
        patch(4).as_bytes(),
    );
    assert_eq!(error["lines"], json!([2, 8]));
    desk.does(
        &["apply", "--unique", "--unidiff-zero"],
        patch(8).as_bytes(),
    );
    assert_eq!(desk.bytes("a"), b"=\nx\ny\n=\n=\n=\n=\nx\nz\n=\n");
}

/// Returns `error` of a patch that fits nowhere.
fn lost(desk: &Desk, hunk: &str) -> Value {
    desk.refuses(
        "not_found",
        &["apply"],
        format!("--- a/a\n+++ b/a\n{hunk}").as_bytes(),
    )
}

#[test]
fn s07_a_hunk_that_fits_nowhere_has_a_nearest_place_with_lines_around_it() {
    let desk = Desk::with(&[("a", b"1\n2\n3\none\ntwo\nthree\nfour\nfive\n4\n5\n6\n")]);
    let hunk = "@@ -4,5 +4,5 @@\n one\n two\n-tree\n+3\n four\n five\n";
    let error = lost(&desk, hunk);
    assert_eq!(json!([error["path"], error["hunk"]]), json!(["a", 1]));
    assert_eq!(error["expected"], json!(["one", "two", "tree", "four"]));
    let nearest = &error["nearest"];
    assert_eq!(
        (&nearest["line"], &nearest["text"]),
        (&json!(4), &json!(["one", "two", "three", "four", "five"]))
    );
    assert_eq!(
        json!([nearest["lines_before"], nearest["lines_after"]]),
        json!([["2", "3"], ["4", "5"]])
    );
    let second = format!("@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3\n{hunk}");
    assert_eq!(lost(&desk, &second)["hunk"], 2);
}

#[test]
fn s07_a_text_that_is_not_there_has_a_nearest_line_with_lines_around_it() {
    let desk = Desk::with(&[("a", b"def f():\n    total = 0\n    return total\n\nend\n")]);
    let error = desk.refuses(
        "not_found",
        &["edit", "a", "--old", "return total + 1", "--new", "x"],
        b"",
    );
    let nearest = &error["nearest"];
    assert_eq!(
        json!([nearest["line"], nearest["text"]]),
        json!([3, ["    return total"]])
    );
    let around = json!([nearest["lines_before"], nearest["lines_after"]]);
    assert_eq!(around, json!([["def f():", "    total = 0"], ["", "end"]]));
}

#[test]
fn s08_wrong_counts_are_refused_or_mended_and_told() {
    let patch = b"--- a/a\n+++ b/a\n@@ -1,9 +1,2 @@\n one\n-two\n+2\n three\n";
    for option in ["--recount", "--lenient"] {
        let desk = Desk::with(&[("a", b"one\ntwo\nthree\n")]);
        let error = desk.refuses("parse", &["apply"], patch);
        assert_eq!(error["code"], "wpatch::parse::line_count");
        let report = desk.does(&["apply", option], patch);
        assert_eq!(desk.bytes("a"), b"one\n2\nthree\n");
        let repairs = report["inputs"][0]["repairs"].as_array().unwrap();
        let told: Vec<_> = repairs
            .iter()
            .map(|repair| json!([repair["code"], repair["line"]]))
            .collect();
        assert_eq!(told, [json!(["counts", 3])], "{option}");
    }
}

#[test]
fn s11_a_looser_rung_keeps_the_bytes_of_context_and_of_other_line_ends() {
    let desk = Desk::with(&[
        ("a", b"\tone  \n\ttwo\n\tthree\t\n"),
        ("b", b"one\r\ntwo\nthree\n"),
    ]);
    let patch = b"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+\t2\n three\n";
    desk.refuses("not_found", &["apply"], patch);
    let report = desk.does(&["apply", "--match", "ladder"], patch);
    assert_eq!(desk.bytes("a"), b"\tone  \n\t2\n\tthree\t\n");
    assert_eq!(report["files"][0]["match"], "indent");
    desk.does(
        &[
            "edit", "b", "--old", "two", "--new", "2", "--match", "ladder",
        ],
        b"",
    );
    assert_eq!(desk.bytes("b"), b"one\r\n2\nthree\n");
}
