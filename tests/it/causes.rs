//! Reasons why a text is not in a file: named once in the message, and as data in the report.

use serde_json::{Value, json};

use crate::systems::Desk;

/// Returns the error that a command reports, and what it prints for people.
fn error(desk: &Desk, arguments: &[&str], input: &str) -> (Value, String) {
    let before = desk.bytes("f");
    let output = desk.runs(arguments, input.as_bytes());
    let text = String::from_utf8(output.stderr).unwrap();
    let report = desk.says(&[arguments, &["--json"]].concat(), input.as_bytes());
    assert_eq!(
        (output.status.code(), &report["ok"]),
        (Some(1), &json!(false)),
        "{text}"
    );
    assert_eq!(desk.bytes("f"), before);
    assert_eq!(report["problems"][0]["cause"], report["error"]["cause"]);
    (report["error"].clone(), text)
}

fn patch(old: &str, new: &str) -> String {
    let body = old
        .split_inclusive('\n')
        .map(|line| format!("-{line}"))
        .collect::<Vec<_>>()
        .concat();
    let count = old.split_inclusive('\n').count();
    format!("--- a/f\n+++ b/f\n@@ -1,{count} +1 @@\n{body}+{new}\n")
}

#[test]
fn different_line_endings_are_named_with_the_option_that_helps() {
    for (file, old, found, expected) in [
        ("one\r\ntwo\r\n", "one\ntwo\n", "CR LF", "LF"),
        ("one\ntwo\n", "one\r\ntwo\r\n", "LF", "CR LF"),
    ] {
        let desk = Desk::with(&[("f", file.as_bytes())]);
        let (error, text) = error(&desk, &["apply"], &patch(old, "three"));
        assert_eq!(
            error["cause"],
            json!({"kind": "line-ending", "expected": expected, "found": found})
        );
        let [found, expected] = [found, expected].map(|name| name.replace(' ', ""));
        let sentence = format!("the file has {found} line endings, but the patch has {expected}");
        assert_eq!(text.matches(&sentence).count(), 1, "{text}");
        assert!(
            error["help"]
                .as_str()
                .unwrap()
                .contains("--ignore-whitespace"),
            "{error}"
        );
        desk.does(
            &["apply", "--ignore-whitespace"],
            patch(old, "three").as_bytes(),
        );
        assert_eq!(
            desk.bytes("f"),
            if found == "LF" {
                &b"three\n"[..]
            } else {
                b"three\r\n"
            }
        );
    }
}

#[test]
fn the_option_is_not_named_where_it_does_not_help() {
    let desk = Desk::with(&[("f", b"one\r\ntwo\r\n")]);
    let (error, _) = error(&desk, &["apply"], &patch("one\nother\n", "three"));
    assert_eq!(error["cause"]["kind"], "line-ending");
    assert!(
        !error["help"]
            .as_str()
            .unwrap()
            .contains("--ignore-whitespace"),
        "{error}"
    );
}

#[test]
fn a_character_that_looks_like_another_is_named_with_its_place() {
    for (file, old, place, found, expected) in [
        (
            "x\nten\u{a0}minutes\n",
            "ten minutes",
            (2, 4),
            "U+00A0 NO-BREAK SPACE",
            "U+0020 SPACE",
        ),
        (
            "print（1）\n",
            "print(1)",
            (1, 6),
            "U+FF08 FULLWIDTH LEFT PARENTHESIS",
            "U+0028 LEFT PARENTHESIS",
        ),
        (
            "cafe\u{301}\n",
            "caf\u{e9}",
            (1, 4),
            "U+0065 and U+0301 COMBINING ACUTE ACCENT",
            "U+00E9",
        ),
    ] {
        let desk = Desk::with(&[("f", file.as_bytes())]);
        let cause = json!({"kind": "look-alike", "line": place.0, "column": place.1, "expected": expected, "found": found});
        let sentence = format!(
            "line {}, column {} of the file has {found}, but the patch has {expected}",
            place.0, place.1
        );
        let by_edit = error(&desk, &["edit", "f", "--old", old, "--new", "n"], "");
        let before = if place.0 == 2 { "x\n" } else { "" };
        let by_hunk = error(&desk, &["apply"], &patch(&format!("{before}{old}\n"), "n"));
        for (error, text) in [by_edit, by_hunk] {
            assert_eq!(error["cause"], cause);
            assert_eq!(text.matches(&sentence).count(), 1, "{text}");
        }
    }
}

#[test]
fn a_text_with_other_line_endings_is_told_apart() {
    let desk = Desk::with(&[("f", b"one\ntwo\n"), ("old", b"one\r\ntwo\r\n")]);
    let by_edit = error(&desk, &["edit", "f", "--old-file", "old", "--new", "n"], "");
    let by_document = error(
        &desk,
        &["apply"],
        r#"{"edits":[{"path":"f","old":"one\r\ntwo\r\n","new":"n"}]}"#,
    );
    for (error, text) in [by_edit, by_document] {
        assert_eq!(
            error["cause"],
            json!({"kind": "line-ending", "expected": "CR LF", "found": "LF"})
        );
        assert_eq!(
            text.matches("the file has LF line endings, but the patch has CRLF")
                .count(),
            1,
            "{text}"
        );
    }
}

#[test]
fn the_markup_of_a_viewer_is_named() {
    for (old, name, help) in [
        ("a &lt; b &amp;&amp; c", "HTML entities", "--lenient"),
        ("a &#60; b &#x26;& c", "HTML entities", "--lenient"),
        (
            "\u{1b}[01;31m\u{1b}[Ka < b\u{1b}[m\u{1b}[K && c",
            "escape sequences that set colours",
            "--color=never",
        ),
    ] {
        let desk = Desk::with(&[("f", b"x\na < b && c\n")]);
        let by_edit = error(&desk, &["edit", "f", "--old", old, "--new", "n"], "");
        let by_hunk = error(&desk, &["apply"], &patch(&format!("x\n{old}\n"), "n"));
        for (error, text) in [by_edit, by_hunk] {
            assert_eq!(
                error["cause"],
                json!({"kind": "markup", "expected": name, "found": "plain text"})
            );
            let sentence = format!("the patch has {name}, but the file has plain text");
            assert_eq!(text.matches(&sentence).count(), 1, "{text}");
            assert!(error["help"].as_str().unwrap().contains(help), "{error}");
        }
        if help == "--lenient" {
            desk.does(
                &["apply", "--lenient"],
                patch(&format!("x\n{old}\n"), "n").as_bytes(),
            );
            assert_eq!(desk.bytes("f"), b"n\n");
        }
    }
}

#[test]
fn a_file_in_utf_16_is_named_with_the_way_to_change_it() {
    for (name, unit) in [
        ("utf-16le", u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ("utf-16be", u16::to_be_bytes),
    ] {
        for mark in ["", "\u{feff}"] {
            let file: Vec<u8> = format!("{mark}HELLO there\n")
                .encode_utf16()
                .flat_map(unit)
                .collect();
            let desk = Desk::with(&[("f", &file)]);
            let by_edit = error(
                &desk,
                &["edit", "f", "--old", "HELLO", "--new", "WORLD"],
                "",
            );
            let by_hunk = error(&desk, &["apply"], &patch("HELLO there\n", "WORLD"));
            for (error, text) in [by_edit, by_hunk] {
                assert_eq!(error["cause"], json!({"kind": "encoding", "found": name}));
                assert_eq!(
                    text.matches(&format!("the file is encoded in {name}"))
                        .count(),
                    1,
                    "{text}"
                );
                assert!(
                    error["help"]
                        .as_str()
                        .unwrap()
                        .contains(&format!("--encoding {name}")),
                    "{error}"
                );
            }
            desk.does(
                &[
                    "edit",
                    "f",
                    "--old",
                    "HELLO",
                    "--new",
                    "WORLD",
                    "--encoding",
                    name,
                ],
                b"",
            );
            let changed: Vec<u8> = format!("{mark}WORLD there\n")
                .encode_utf16()
                .flat_map(unit)
                .collect();
            assert_eq!(desk.bytes("f"), changed);
        }
    }
}
