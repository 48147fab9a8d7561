//! Statements 9, 10, 12, 14, 16, 19: editing one file.

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::digest::Sha256;

use super::super::Desk;

use crate::world;

fn hash(bytes: &[u8]) -> String {
    Sha256::of(bytes).to_string()
}

#[test]
fn s09_a_change_of_other_contents_than_expected_is_stale() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let (right, wrong) = (hash(b"one\n"), hash(b"two\n"));
    let edit = |file: &'static str, old: &'static str, hash: &str| {
        [
            "edit",
            file,
            "--old",
            old,
            "--new",
            "1",
            "--expect-hash",
            hash,
        ]
        .map(str::to_owned)
    };
    let error = |words: &[String]| {
        desk.refuses(
            "stale",
            &words.iter().map(String::as_str).collect::<Vec<_>>(),
            b"",
        )
    };
    let stale = error(&edit("a", "not there", &wrong));
    assert_eq!(
        json!([stale["expected"], stale["actual"]]),
        json!([wrong, right])
    );
    let words = edit("missing", "one", &right);
    desk.refuses("missing", &words.each_ref().map(String::as_str), b"");
    assert!(!desk.path("missing").exists());
    desk.does(
        &edit("a", "one", &right).each_ref().map(String::as_str),
        b"",
    );
    assert_eq!(desk.bytes("a"), b"1\n");
    let bare = hash(b"1\n");
    desk.does(
        &[
            "edit",
            "a",
            "--old",
            "1",
            "--new",
            "2",
            "--expect-hash",
            bare.strip_prefix("sha256:").unwrap(),
        ],
        b"",
    );
}

#[test]
fn s09_each_entry_of_a_document_has_a_hash_of_its_own() {
    let desk = Desk::with(&[("a", b"1\n"), ("b", b"2\n")]);
    let document = |second: &[u8]| {
        let entry = |path: &str, old: &[u8]| json!({"path": path, "content": "new\n", "expected_hash": hash(old)});
        json!({"replace": [entry("a", b"1\n"), entry("b", second)]}).to_string()
    };
    let error = desk.refuses("stale", &["apply"], document(b"1\n").as_bytes());
    assert_eq!(
        json!([error["path"], error["expected"], error["actual"]]),
        json!(["b", hash(b"1\n"), hash(b"2\n")])
    );
    desk.does(&["apply"], document(b"2\n").as_bytes());
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"new\n".to_vec(), b"new\n".to_vec())
    );
}

#[test]
fn s10_the_ladder_is_climbed_only_when_asked_and_to_one_place() {
    let desk = Desk::with(&[
        ("tabs", b"if x:\n\treturn 1\n"),
        ("two", b"\tx\n  x\n"),
        (
            "typed",
            "it\u{2019}s \u{201c}so\u{201d} \u{2014} a\u{a0}b\n".as_bytes(),
        ),
    ]);
    let indented = [
        "edit",
        "tabs",
        "--old",
        "    return 1\n",
        "--new",
        "\treturn 2\n",
    ];
    desk.refuses("not_found", &indented, b"");
    let report = desk.does(&[&indented[..], &["--match", "ladder"]].concat(), b"");
    assert_eq!(
        (&report["files"][0]["match"], desk.bytes("tabs")),
        (&json!("indent"), b"if x:\n\treturn 2\n".to_vec())
    );
    let error = desk.refuses(
        "ambiguous",
        &[
            "edit", "two", "--old", "    x\n", "--new", "y\n", "--match", "ladder",
        ],
        b"",
    );
    assert_eq!(error["lines"], json!([1, 2]));
    let typed = [
        "edit",
        "typed",
        "--old",
        "it's \"so\" - a b",
        "--new",
        "plain",
    ];
    desk.refuses("not_found", &typed, b"");
    let report = desk.does(&[&typed[..], &["--match", "ladder"]].concat(), b"");
    assert_eq!(
        (&report["files"][0]["match"], desk.bytes("typed")),
        (&json!("punct"), b"plain\n".to_vec())
    );
}

/// Writes a list of edits beside the root and returns the words that apply it to `a`.
fn listed(desk: &Desk, edits: &Value) -> [&'static str; 4] {
    fs::write(desk.path("../edits.json"), edits.to_string()).unwrap();
    ["edit", "a", "--edits", "../edits.json"]
}

#[test]
fn s12_edits_see_the_file_as_it_was_in_every_spelling() {
    let names = [
        ("old", "new"),
        ("old_string", "new_string"),
        ("oldText", "newText"),
        ("old_str", "new_str"),
        ("search", "replace"),
    ];
    for (old, new) in names {
        let desk = Desk::with(&[("a", b"one\ntwo\n")]);
        let edits = json!([{old: "one", new: "two"}, {old: "two", new: "three"}]);
        desk.does(&listed(&desk, &edits), b"");
        assert_eq!(desk.bytes("a"), b"two\nthree\n", "{old}");
    }
}

#[test]
fn s12_edits_that_overlap_and_one_that_fails_change_nothing() {
    let desk = Desk::with(&[("a", b"one\ntwo\nthree\n")]);
    let edits = json!([{"old": "one\ntwo", "new": "1"}, {"old": "two\nthree", "new": "2"}]);
    desk.refuses("overlap", &listed(&desk, &edits), b"");
    let edits = json!([{"old": "one", "new": "1"}, {"old": "two", "new": "2"}, {"old": "four", "new": "4"}]);
    assert_eq!(
        desk.refuses("not_found", &listed(&desk, &edits), b"")["index"],
        2
    );
    let edits = json!([{"old": "one", "new": "1"}, {"old": "e", "new": "E"}]);
    let error = desk.refuses("ambiguous", &listed(&desk, &edits), b"");
    assert_eq!((&error["index"], &error["count"]), (&json!(1), &json!(3)));
}

#[test]
fn s14_the_hash_of_the_result_is_that_of_the_file_on_disk() {
    let desk = Desk::with(&[("a", b"one\r\ncaf\xe9\r\n"), ("b", b"1\n")]);
    let runs: [(&str, &[&str]); 3] = [
        ("a", &["edit", "a", "--old", "one\n", "--new", "1\n2\n"]),
        ("new", &["write", "new", "--content", "new"]),
        ("b", &["append", "b", "--content", "x", "--line"]),
    ];
    for (name, arguments) in runs {
        let report = desk.does(arguments, b"");
        assert_eq!(
            report["files"][0]["sha256_after"],
            hash(&desk.bytes(name)),
            "{arguments:?}"
        );
    }
    let report = desk.does(
        &["apply"],
        b"--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n-1\n+one\n x\n",
    );
    assert_eq!(report["files"][0]["sha256_after"], hash(&desk.bytes("b")));
}

/// Returns the names in the root, but for the state directory.
fn names(desk: &Desk) -> Vec<String> {
    let entries = fs::read_dir(desk.root()).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn s16_modes_and_links_stay_and_nothing_else_is_left() {
    let desk = Desk::with(&[("run.sh", b"x = 1\n"), ("../outside", b"x = 1\n")]);
    world::set_mode(desk.path("run.sh"), 0o755);
    world::link("run.sh", desk.path("link")).unwrap();
    world::link("../outside", desk.path("out")).unwrap();
    world::link("..", desk.path("up")).unwrap();
    desk.does(&["edit", "link", "--old", "1", "--new", "2"], b"");
    assert_eq!(
        (
            desk.bytes("run.sh"),
            fs::read_link(desk.path("link")).unwrap()
        ),
        (b"x = 2\n".to_vec(), "run.sh".into())
    );
    assert_eq!(world::mode(desk.path("run.sh")), 0o755);
    desk.refuses(
        "outside_root",
        &["edit", "out", "--old", "1", "--new", "2"],
        b"",
    );
    desk.refuses(
        "outside_root",
        &["edit", "up/outside", "--old", "1", "--new", "2"],
        b"",
    );
    desk.refuses(
        "not_found",
        &["edit", "run.sh", "--old", "3", "--new", "4"],
        b"",
    );
    assert_eq!(names(&desk), ["link", "out", "run.sh", "up"]);
}

#[test]
fn s19_the_hash_that_read_gives_is_the_one_to_expect() {
    let desk = Desk::with(&[("a", b"\xef\xbb\xbfone\r\n\xff")]);
    let extract = desk.does(&["read", "a"], b"");
    let hash = extract["sha256"].as_str().unwrap();
    assert_eq!(hash, self::hash(&desk.bytes("a")));
    desk.does(
        &[
            "edit",
            "a",
            "--old",
            "one",
            "--new",
            "1",
            "--expect-hash",
            hash,
        ],
        b"",
    );
    desk.refuses(
        "stale",
        &[
            "edit",
            "a",
            "--old",
            "1",
            "--new",
            "2",
            "--expect-hash",
            hash,
        ],
        b"",
    );
}
