//! Attempts to read what policy closes to reading.

use fs_err as fs;
use serde_json::{Value, json};

use super::policy::{desk, under};
use super::{DENIED, HUSH, refused, replaced};
use crate::systems::Desk;
use crate::world;

#[test]
fn no_look_at_a_closed_file_says_what_is_in_it() {
    let desk = desk();
    let patch = replaced("private/key", "hush-9f3d", "x");
    for command in [
        &["check"][..],
        &["check", "--lenient"],
        &["check", "--with-diff", "--guard", "balance"],
        &["check", "-R"],
        &["check", "--fuzz", "1", "--ignore-whitespace"],
        &["apply", "--idempotent"],
        &["show"],
        &["show", "--stat"],
    ] {
        refused(&desk, DENIED, command, &patch);
    }
    refused(
        &desk,
        DENIED,
        &["check", "--relocate"],
        b"[private/key#0000]\nPUT 1.=1:\n+x\n",
    );
    refused(&desk, DENIED, &["read", "private/key", "--hashline"], b"");
    refused(&desk, DENIED, &["list", "private"], b"");
    refused(&desk, ("denied", 2), &["diff", "private/key", "a"], b"");
    refused(
        &desk,
        DENIED,
        &[
            "edit",
            "private/key",
            "--old",
            "Hush",
            "--new",
            "x",
            "--match",
            "ladder",
        ],
        b"",
    );
    refused(
        &desk,
        DENIED,
        &["append", "private/key", "--content", "x"],
        b"",
    );
    refused(
        &desk,
        DENIED,
        &["write", "private/key", "--overwrite", "--content", "x"],
        b"",
    );
    let page = desk.runs(&["show", "--html"], &patch);
    assert!(!String::from_utf8_lossy(&page.stdout).contains(HUSH));
}

#[test]
fn the_history_does_not_tell_of_a_file_that_was_closed_since() {
    let desk = desk();
    let policy = desk.bytes("wpatch.toml");
    fs::remove_file(desk.path("wpatch.toml")).unwrap();
    desk.does(&["init"], b"");
    desk.does(
        &["edit", "private/key", "--old", HUSH, "--new", "other"],
        b"",
    );
    let log = desk.does(&["log"], b"");
    let id = log["entries"][0]["id"].as_str().unwrap().to_owned();
    fs::write(desk.path("wpatch.toml"), policy).unwrap();
    let shown = desk.runs(&["show", &id], b"");
    assert!(shown.status.success() && !String::from_utf8_lossy(&shown.stdout).contains(HUSH));
    refused(&desk, DENIED, &["undo"], b"");
    refused(&desk, DENIED, &["undo", &id, "--dry-run"], b"");
    refused(&desk, DENIED, &["undo", &id, "--force"], b"");
}

#[test]
fn a_model_reads_and_writes_no_more_than_others() {
    let calls = [
        ("view", json!({"path": "private/key"})),
        (
            "str_replace",
            json!({"path": "private/key", "old_str": "hush", "new_str": "x"}),
        ),
        (
            "str_replace",
            json!({"path": "vendor/v.c", "old_str": "v", "new_str": "x"}),
        ),
        (
            "insert",
            json!({"path": "wpatch.toml", "insert_line": 0, "insert_text": "x"}),
        ),
        ("create", json!({"path": "vendor/new", "file_text": "x"})),
    ];
    called_in_vain(&desk(), &calls);
}

/// Asserts that each call of a tool is refused, with no change to the tree and nothing said of
/// [`HUSH`]. Returns what is said to each.
fn called_in_vain(desk: &Desk, calls: &[(&str, Value)]) -> Vec<Value> {
    let before = crate::tree::read(&desk.root());
    let results = desk.serves(&[], calls);
    for result in &results {
        assert!(
            result["isError"] == true && !result.to_string().contains(HUSH),
            "{result:#}"
        );
    }
    assert_eq!(crate::tree::read(&desk.root()), before);
    results
        .into_iter()
        .map(|mut result| result["content"].take())
        .collect()
}

const ASKED: &str = "[[rule]]\npaths = ['private/key']\nops = ['read']\nverdict = 'ask'\n";

#[test]
fn what_policy_asks_about_is_not_read_by_attempts_to_change_it() {
    let desk = under(ASKED);
    let asked = ("approval_required", 3);
    let (right, wrong) = (
        replaced("private/key", HUSH, "x"),
        replaced("private/key", "hush-9f3d", "x"),
    );
    for patch in [&right, &wrong] {
        for options in [
            &[][..],
            &["--lenient"],
            &["--with-diff"],
            &["--idempotent"],
            &["-R"],
        ] {
            refused(&desk, asked, &[&["apply"], options].concat(), patch);
        }
    }
    for old in ["hush", "Hush"] {
        refused(
            &desk,
            asked,
            &["edit", "private/key", "--old", old, "--new", "x"],
            b"",
        );
    }
    refused(
        &desk,
        asked,
        &["append", "private/key", "--content", "x"],
        b"",
    );
    refused(
        &desk,
        asked,
        &["write", "private/key", "--overwrite", "--content", "x"],
        b"",
    );
    // Who is asked sees what it is about.
    let id = desk.does(&["check"], &right)["plan_id"]
        .as_str()
        .unwrap()
        .to_owned();
    desk.does(&["apply", "--approve", &id], &right);
}

#[test]
fn a_model_does_not_answer_whether_it_may_read() {
    let desk = under(ASKED);
    let patch = |old: &str| String::from_utf8(replaced("private/key", old, "x")).unwrap();
    let pairs = [HUSH, "hush-9f3d"].map(|old| {
        let approve = desk.says(&["check"], patch(old).as_bytes())["plan_id"].clone();
        called_in_vain(
            &desk,
            &[
                ("str_replace", json!({"path": "private/key", "old_str": old, "new_str": "x"})),
                ("check_patch", json!({"patch": patch(old)})),
                ("check_patch", json!({"patch": patch(old), "lenient": true})),
                ("apply_patch", json!({"patch": patch(old)})),
                ("apply_patch", json!({"patch": patch(old), "lenient": true})),
                ("apply_patch", json!({"patch": patch(old), "approve": approve.as_str().unwrap_or(&"0".repeat(64))})),
            ],
        )
    });
    // Not even whether a guess is right.
    assert_eq!(pairs[0][..5], pairs[1][..5]);
    called_in_vain(
        &desk,
        &[(
            "insert",
            json!({"path": "private/key", "insert_line": 0, "insert_text": "x"}),
        )],
    );
    let gone = "*** Begin Patch\n*** Delete File: private/key\n*** End Patch\n";
    called_in_vain(
        &desk,
        &[
            ("check_patch", json!({"patch": gone})),
            ("apply_patch", json!({"patch": gone})),
        ],
    );
}

/// Returns names of `private/key`: by its path, through links, and from outside of the root.
fn names_of_key(desk: &Desk) -> [String; 6] {
    let (inside, outside) = (desk.path("private/key"), desk.path("../outside"));
    world::link(&inside, &outside).unwrap();
    world::link("private", desk.path("deep")).unwrap();
    world::link("deep/key", desk.path("link")).unwrap();
    [
        "private/key",
        "./vendor/../private/key",
        "link",
        "deep/key",
        inside.to_str().unwrap(),
        outside.to_str().unwrap(),
    ]
    .map(str::to_owned)
}

/// The file of an option is read like the argument of `read`: its text would be in another file, or
/// in a report.
#[cfg(unix)]
#[test]
fn no_option_brings_what_may_not_be_read_into_a_file() {
    let desk = desk();
    fs::write(
        desk.path("n.ipynb"),
        r#"{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#,
    )
    .unwrap();
    for name in &names_of_key(&desk) {
        for command in [
            &["write", "n", "--content-file"][..],
            &["write", "a", "--overwrite", "--dry-run", "--content-file"],
            &["append", "a", "--content-file"],
            &["edit", "a", "--new", "x", "--old-file"],
            &["edit", "a", "--old", "a", "--new-file"],
            &["edit", "a", "--edits"],
            &["edit", "a", "--old", "a", "--new", "x", "--expect-file"],
            &[
                "notebook",
                "insert",
                "n.ipynb",
                "--type",
                "code",
                "--source-file",
            ],
            &["apply"],
            &["check", "--lenient", "-"],
        ] {
            refused(&desk, DENIED, &[command, &[name]].concat(), b"");
        }
    }
    // The policy is not about files outside of the root.
    fs::write(desk.path("../own"), "own\n").unwrap();
    desk.does(&["append", "a", "--content-file", "../own"], b"");
    desk.does(&["write", "n", "--content-file", "vendor/v.c"], b"");
    fs::write(
        desk.path("../ask"),
        "[[rule]]\npaths = ['a']\nops = ['read']\nverdict = 'ask'\n",
    )
    .unwrap();
    refused(
        &desk,
        ("approval_required", 3),
        &["write", "m", "--content-file", "a", "--policy", "../ask"],
        b"",
    );
}

#[cfg(unix)]
#[test]
fn neither_show_nor_a_batch_prints_what_may_not_be_read() {
    let desk = desk();
    for name in &names_of_key(&desk) {
        let shown = desk.runs(&["show", name], b"");
        assert!(
            !String::from_utf8_lossy(&[shown.stdout, shown.stderr].concat()).contains(HUSH),
            "{name}"
        );
        let jobs = format!(
            "{{\"patch_file\":{name:?}}}\n{{\"patch_file\":{name:?},\"root\":\"vendor/..\"}}\n"
        );
        let said =
            String::from_utf8(desk.runs(&["check", "--batch"], jobs.as_bytes()).stdout).unwrap();
        assert!(
            said.matches(r#""kind":"denied""#).count() >= 2 && !said.contains(HUSH),
            "{name}: {said}"
        );
        let batch = desk.runs(&["check", "--batch", name], b"");
        let said =
            String::from_utf8_lossy(&[&batch.stdout[..], &batch.stderr].concat()).into_owned();
        assert!(
            batch.status.code() == Some(3) && !said.contains(HUSH),
            "{name}: {said}"
        );
    }
}

#[cfg(unix)]
#[test]
fn no_file_that_may_not_be_read_is_a_policy() {
    let desk = desk();
    fs::write(
        desk.path("../closing"),
        "[[rule]]\npaths = ['a']\nops = ['read']\nverdict = 'deny'\n",
    )
    .unwrap();
    let patch = replaced("a", "a", "b");
    let closing = ["--policy", "../closing", "--policy"];
    let show = [&["show"], &closing[..], &["a"]].concat();
    refused(&desk, DENIED, &show, &patch);
    for name in &names_of_key(&desk) {
        refused(&desk, DENIED, &["check", "--policy", name], &patch);
        let explain = [&["policy", "explain", "a"], &closing[..], &[name]].concat();
        refused(&desk, DENIED, &explain, b"");
    }
}
