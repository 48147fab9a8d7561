//! Statements 6 to 11: writing, editing, appending.

use serde_json::json;

use super::super::Desk;

#[test]
fn s06_a_file_that_is_there_is_written_over_only_when_asked() {
    let desk = Desk::with(&[("a", b"1\n")]);
    desk.refuses("exists", &["write", "a", "--content", "2\n"], b"");
    desk.does(&["write", "a", "--content", "2\n", "--overwrite"], b"");
    assert_eq!(desk.bytes("a"), b"2\n");
}

#[test]
fn s07_bytes_from_standard_input_arrive_as_they_are() {
    let desk = Desk::with(&[]);
    let bytes = b"@echo off\r\nrem caf\xe9";
    desk.does(&["write", "run.bat"], bytes);
    assert_eq!(desk.bytes("run.bat"), bytes);
    let report = desk.does(&["write", "empty"], b"");
    assert_eq!(
        (desk.bytes("empty"), &report["changed"]),
        (Vec::new(), &json!(true))
    );
}

#[test]
fn s08_texts_are_bytes_and_nothing_in_them_is_special() {
    let (composed, decomposed) = ("\u{e9}\n", "e\u{301}\n");
    let desk = Desk::with(&[
        ("nfc", composed.as_bytes()),
        ("nfd", decomposed.as_bytes()),
        ("a", b"price (.*) x\n"),
    ]);
    desk.refuses(
        "not_found",
        &["edit", "nfc", "--old", decomposed, "--new", "x"],
        b"",
    );
    desk.refuses(
        "not_found",
        &["edit", "nfd", "--old", composed, "--new", "x"],
        b"",
    );
    for (name, old) in [("nfc", composed), ("nfd", decomposed)] {
        desk.does(&["edit", name, "--old", old.trim_end(), "--new", "e"], b"");
        assert_eq!(desk.bytes(name), b"e\n");
    }
    desk.does(
        &["edit", "a", "--old", "(.*)", "--new", r"$1 \1 & $& ${x} \n"],
        b"",
    );
    assert_eq!(desk.bytes("a"), b"price $1 \\1 & $& ${x} \\n x\n");
    desk.does(
        &["edit", "a", "--old", r" $1 \1 & $& ${x} \n", "--new", ""],
        b"",
    );
    assert_eq!(desk.bytes("a"), b"price x\n");
}

#[test]
fn s09_a_text_that_overlaps_itself_is_there_twice() {
    let desk = Desk::with(&[("a", b"ababa\n"), ("b", b"x x x\n")]);
    let error = desk.refuses(
        "ambiguous",
        &["edit", "a", "--old", "aba", "--new", "x"],
        b"",
    );
    assert_eq!((&error["count"], &error["lines"]), (&json!(2), &json!([1])));
    assert_eq!(
        desk.refuses("ambiguous", &["edit", "b", "--old", "x", "--new", "y"], b"")["count"],
        3
    );
    desk.refuses("not_found", &["edit", "b", "--old", "z", "--new", "y"], b"");
}

#[test]
fn s10_append_adds_the_bytes_and_no_more() {
    let desk = Desk::with(&[
        ("open", b"a\r\nb"),
        ("closed", b"a\n"),
        ("crlf", b"a\r\nb\r\n"),
    ]);
    let append = |name: &str, arguments: &[&str], input: &[u8]| {
        let report = desk.does(&[&["append", name], arguments].concat(), input);
        (report["changed"].clone(), desk.bytes(name))
    };
    assert_eq!(
        append("open", &["--content", "c"], b""),
        (json!(true), b"a\r\nbc".to_vec())
    );
    assert_eq!(
        append("open", &[], b"\xe9\0"),
        (json!(true), b"a\r\nbc\xe9\0".to_vec())
    );
    assert_eq!(
        append("new/file", &["--content", "c"], b""),
        (json!(true), b"c".to_vec())
    );
    assert_eq!(
        append("closed", &["--content", "b", "--line"], b""),
        (json!(true), b"a\nb\n".to_vec())
    );
    assert_eq!(
        append("crlf", &["--content", "c\nd", "--line"], b""),
        (json!(true), b"a\r\nb\r\nc\r\nd\r\n".to_vec())
    );
    assert_eq!(
        append("closed", &["--content", ""], b""),
        (json!(false), b"a\nb\n".to_vec())
    );
    let open = Desk::with(&[("f", b"a\r\nb")]);
    open.does(&["append", "f", "--content", "c", "--line"], b"");
    assert_eq!(open.bytes("f"), b"a\r\nb\r\nc\r\n");
}

#[test]
fn s11_the_diff_of_the_result_marks_a_missing_newline() {
    let desk = Desk::with(&[("a", b"one\ntwo")]);
    let report = desk.does(&["edit", "a", "--old", "two", "--new", "2"], b"");
    let diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n\\ No newline at end of file\n";
    assert_eq!(report["files"][0]["diff"], diff);
    assert!(report["files"][0].get("diff_truncated").is_none());
}

#[test]
fn s11_a_long_diff_is_cut_behind_a_line() {
    let text = "some words\n".repeat(4000);
    let desk = Desk::with(&[("a", text.as_bytes())]);
    let diff = |arguments: &[&str]| {
        let edit = [
            "edit",
            "a",
            "--old",
            "some",
            "--new",
            "other",
            "--all",
            "--dry-run",
        ];
        let report = desk.does(&[&edit[..], arguments].concat(), b"");
        let file = &report["files"][0];
        (
            file["diff"].as_str().unwrap().to_owned(),
            file.get("diff_truncated").cloned(),
        )
    };
    let whole = diff(&["--diff-max-bytes", "1000000"]);
    assert!(
        whole.0.len() > 80_000 && whole.1.is_none(),
        "{}",
        whole.0.len()
    );
    for (arguments, most) in [(&[][..], 16 << 10), (&["--diff-max-bytes", "100"], 100)] {
        let (cut, is_cut) = diff(arguments);
        assert!(
            cut.len() <= most
                && cut.len() > most - 20
                && cut.ends_with('\n')
                && whole.0.starts_with(&cut),
            "{cut}"
        );
        assert_eq!(is_cut, Some(json!(true)));
    }
}

#[test]
fn s11_the_diff_of_a_large_file_is_left_out_only_when_asked() {
    let many = "x\n".repeat(2000);
    let cases: [(&str, String, bool); 4] = [
        ("bytes", format!("x{}", "=".repeat((64 << 10) - 1)), true),
        ("more-bytes", format!("x{}", "=".repeat(64 << 10)), false),
        ("lines", many.replacen('x', "y", 1999), true),
        (
            "more-lines",
            format!("{}x\n", many.replace('x', "y")),
            false,
        ),
    ];
    for (name, text, is_shown) in cases {
        let desk = Desk::with(&[(name, text.as_bytes())]);
        let edit = ["edit", name, "--old", "x", "--new", "z", "--dry-run"];
        let diff = |arguments: &[&str]| {
            desk.does(&[&edit[..], arguments].concat(), b"")["files"][0]["diff"].is_string()
        };
        assert_eq!(
            (diff(&[]), diff(&["--no-large-diff"])),
            (true, is_shown),
            "{name}"
        );
    }
}
