//! Edit sessions with the program.

use std::process::Output;

use fs_err as fs;

use crate::repository::init;
use crate::systems::{Desk, runs};

fn desk() -> Desk {
    let desk = Desk::with(&[("a", b"one\n"), ("sub/b", b"two\n"), ("wpatch.toml", b"")]);
    fs::remove_file(desk.path("wpatch.toml")).unwrap();
    init(&desk.root());
    desk
}

fn begin(desk: &Desk) -> String {
    let output = desk.runs(&["begin", "--note", "why"], b"");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.trim_end().to_owned()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Checks that commands see the session `id`, which has applied `patch`.
fn assert_seen(desk: &Desk, id: &str, patch: &[u8]) {
    assert_eq!(
        text(&desk.runs(&["read", "new/c", "--in", id], b"")),
        "three\nfour\n"
    );
    assert!(text(&desk.runs(&["list", ".", "--in", id], b"")).contains("new"));
    let other = runs(&desk.path("sub"), &["read", "b", "--in", id], b"");
    assert_eq!(text(&other), "2\n");
    assert_eq!(
        desk.runs(&["check", "--in", id], patch).status.code(),
        Some(1)
    );
    let diff = desk.runs(&["diff", "--in", id], b"");
    assert_eq!(diff.status.code(), Some(1));
    assert!(
        text(&diff).contains("+++ b/new/c\n@@ -0,0 +1,2 @@\n+three\n+four\n"),
        "{diff:?}"
    );
    assert_eq!(
        text(&desk.runs(&["show", id], b""))
            .matches("diff --git")
            .count(),
        3
    );
    let log = text(&desk.runs(&["log"], b""));
    assert!(log.contains(id) && log.contains("open edit session") && log.contains("note: why"));
}

#[test]
fn a_session_of_several_calls_is_committed_at_once() {
    let desk = desk();
    let id = &*begin(&desk);
    let patch = b"--- a/sub/b\n+++ b/sub/b\n@@ -1 +1 @@\n-two\n+2\n";
    desk.does(
        &["edit", "a", "--old", "one", "--new", "1", "--in", id],
        b"",
    );
    desk.does(&["write", "new/c", "--in", id], b"three\n");
    desk.does(&["append", "new/c", "--in", id], b"four\n");
    let report = desk.does(&["apply", "--in", id], patch);
    assert_eq!(
        (&report["changed"], &report["session"]["files"]),
        (&false.into(), &3.into())
    );
    assert_eq!(
        (desk.bytes("a"), desk.path("new").exists()),
        (b"one\n".to_vec(), false)
    );

    assert_seen(&desk, id, patch);
    let verify = if cfg!(windows) {
        "if not exist new\\c exit 1"
    } else {
        "test -e new/c"
    };
    let report = desk.does(&["commit", id, "--verify", verify], b"");
    assert_eq!(
        (&report["changed"], &report["command"]),
        (&true.into(), &"commit".into())
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("sub/b")),
        (b"1\n".to_vec(), b"2\n".to_vec())
    );
    assert_eq!(desk.bytes("new/c"), b"three\nfour\n");
    let log = desk.does(&["log"], b"");
    assert_eq!(
        (&log["entries"][0]["note"], log["sessions"].is_null()),
        (&"why".into(), true)
    );
    desk.does(&["undo"], b"");
    assert_eq!(desk.bytes("a"), b"one\n");
}

#[test]
fn a_refused_commit_keeps_the_session() {
    let desk = desk();
    let id = &*begin(&desk);
    desk.does(
        &["edit", "a", "--old", "one", "--new", "1", "--in", id],
        b"",
    );
    desk.refuses("denied", &["commit", id, "--verify", "false"], b"");
    fs::write(desk.path("a"), "zero\none\n").unwrap();
    let error = desk.refuses("stale", &["commit", id], b"");
    assert_eq!(
        (
            &error["path"],
            error["help"].as_str().unwrap().contains("--rebase")
        ),
        (&"a".into(), true)
    );
    fs::write(desk.path("a"), "zero\n").unwrap();
    desk.refuses("conflict", &["commit", id, "--rebase"], b"");
    desk.does(&["abort", id], b"");
    desk.refuses("missing", &["commit", id], b"");
}

#[test]
fn a_policy_decides_at_the_commit() {
    let desk = desk();
    let rules = "[[rule]]\npaths = [\"a\"]\nverdict = \"ask\"\n[[rule]]\npaths = [\"secret\"]\nverdict = \"deny\"\n";
    fs::write(desk.path("../policy.toml"), rules).unwrap();
    let policy = ["--policy", "../policy.toml"];
    let id = &*begin(&desk);
    desk.refuses(
        "denied",
        &[&["write", "secret", "--in", id][..], &policy].concat(),
        b"x",
    );
    let edit = ["edit", "a", "--old", "one", "--new", "1", "--in", id];
    let report = desk.says(&[&edit[..], &policy].concat(), b"");
    assert_eq!(
        report["ok"], false,
        "reading the file needs an approval: {report:#}"
    );
    desk.does(&edit, b"");
    desk.refuses(
        "approval_required",
        &[&["commit", id][..], &policy].concat(),
        b"",
    );
    let checked = desk.does(&[&["commit", id, "--dry-run"][..], &policy].concat(), b"");
    let plan = checked["plan_id"].as_str().unwrap();
    desk.does(
        &[&["commit", id, "--approve", plan][..], &policy].concat(),
        b"",
    );
    assert_eq!(desk.bytes("a"), b"1\n");
}

#[test]
fn commands_and_options_that_need_the_tree_are_refused() {
    let desk = desk();
    let id = &*begin(&desk);
    let patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
    for words in [
        &["undo", "--in", id][..],
        &["apply", "--in", id, "--index"],
        &["apply", "--in", id, "--reject"],
        &["apply", "--in", id, "--verify", "true"],
        &["apply", "--in", id, "--actor", "ai:model"],
        &["apply", "--in", id, "--by", "Alice"],
        &["apply", "--in", id, "--request-id", "1"],
        &["apply", "--in", id, "--sign-with", "cat"],
        &["check", "--in", id, "--save"],
    ] {
        desk.refuses("usage", words, patch);
    }
    desk.refuses("missing", &["apply", "--in", "ffff"], patch);
    desk.refuses("missing", &["apply", "--in", ""], patch);
}

#[test]
fn without_a_history_there_is_no_session() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let output = desk.runs(&["begin"], b"");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && message.contains("wpatch init"),
        "{message}"
    );
    assert!(desk.runs(&["init"], b"").status.success());
    let id = &*begin(&desk);
    desk.does(
        &["edit", "a", "--old", "one", "--new", "1", "--in", id],
        b"",
    );
    desk.does(&["commit", id], b"");
    assert_eq!(desk.bytes("a"), b"1\n");
}
