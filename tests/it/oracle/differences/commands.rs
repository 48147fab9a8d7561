//! Differences that need more than one patch, each in a test of its own.
#![cfg(unix)]

use std::path::Path;
use std::time::{Duration, SystemTime};

use fs_err as fs;

use crate::oracle::beside::{Left, beside, commit, runs};

fn section(name: &str, old: &str, new: &str) -> String {
    format!(
        "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
    )
}

fn renamed(from: &str, to: &str) -> String {
    format!(
        "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
    )
}

fn exits(left: &[Left; 2]) -> [i32; 2] {
    [left[0].exit, left[1].exit]
}

#[test]
fn a_rename_after_a_change_moves_the_changed_file() {
    let patch = section("a", "one", "two") + &renamed("a", "b");
    let left = beside(
        &|root| commit(root, &[("a", b"one\n")]),
        &[],
        patch.as_bytes(),
    );
    assert_eq!(exits(&left), [0, 0]);
    let files = left
        .each_ref()
        .map(|left| ["a", "b"].map(|name| left.file(name)));
    assert_eq!(
        files,
        [
            [Some(&b"two\n"[..]), Some(b"one\n")],
            [None, Some(b"two\n")]
        ]
    );
}

#[test]
fn a_file_that_the_same_diff_creates_is_renamed() {
    let created = "diff --git a/f/n b/f/n\nnew file mode 100644\n--- /dev/null\n+++ b/f/n\n@@ -0,0 +1 @@\n+n\n";
    let deleted = "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
    let patch = [created, deleted, &renamed("f/n", "m")].concat();
    let left = beside(
        &|root| commit(root, &[("f", b"one\n")]),
        &[],
        patch.as_bytes(),
    );
    assert_eq!(exits(&left), [1, 0]);
    let files = left
        .each_ref()
        .map(|left| ["f", "m"].map(|name| left.file(name)));
    assert_eq!(files, [[Some(&b"one\n"[..]), None], [None, Some(b"n\n")]]);
}

#[test]
fn exit_codes_tell_more_than_those_of_git() {
    let binary = "diff --git a/b b/b\nindex 106bf3ffedc65453d4c9249eb21f0cde1da4c0c1..1111111111111111111111111111111111111111 \
                  100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n";
    let malformed = section("a", "one", "two").replace("@@ -1 +1 @@", "@@ -1 +1,2 @@");
    let blank = section("a", "one", "two ");
    let cases: [(&[&str], &str, [i32; 2]); 4] = [
        (&[], "no patch\n", [128, 2]),
        (&[], &malformed, [128, 2]),
        (&["--whitespace=error"], &blank, [128, 3]),
        (&[], binary, [1, 2]),
    ];
    for (options, patch, expected) in cases {
        let prepare = |root: &Path| commit(root, &[("a", b"one\n"), ("b", &[0; 300])]);
        let left = beside(&prepare, options, patch.as_bytes());
        assert_eq!(exits(&left), expected, "{patch} {left:?}");
        assert_eq!(left[0].files, left[1].files);
    }
}

#[test]
fn what_git_ignores_is_refused() {
    let names = "--- a/x\n+++ b/x\n";
    for ignored in [
        format!("{names}@@ -1 +1 @@\n-one\n+two\n+three\n"),
        format!("{names}@@ -1 +1 @@\n-one\n+two\n three\n"),
        format!("diff --cc x\nindex 1,2..3\n{names}@@@ -1 -1 +1 @@@\n- one\n -one\n++two\n"),
        "\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-one\x1b[m\n\x1b[32m+two\x1b[m\n"
            .to_owned(),
        format!("{names}1c\ntwo\n.\n"),
    ] {
        let patch = section("a", "one", "two") + &ignored;
        let left = beside(&|root| commit(root, &[("a", b"one\n"), ("x", b"one\n")]), &[], patch.as_bytes());
        assert_eq!(exits(&left), [0, 2], "{patch}");
        assert_eq!(left.each_ref().map(|left| left.file("a")), [Some(&b"two\n"[..]), Some(b"one\n")]);
    }
}

#[test]
fn git_applies_the_diff_of_a_page() {
    for start in [
        "<!DOCTYPE html>\n<html>\n",
        "<html><body>\n",
        "<pre>\n",
        "<div class=\"diff\">\n",
    ] {
        let patch = format!("{start}{}</pre>\n", section("a", "one", "&lt;two&gt;"));
        let left = beside(
            &|root| commit(root, &[("a", b"one\n")]),
            &[],
            patch.as_bytes(),
        );
        assert_eq!(exits(&left), [0, 2], "{patch}");
        assert_eq!(
            left.each_ref().map(|left| left.file("a")),
            [Some(&b"&lt;two&gt;\n"[..]), Some(b"one\n")]
        );
    }
}

#[test]
fn new_lines_end_as_those_around_them() {
    let patch = |lines: &str| format!("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n{lines}");
    let cases = [
        [
            "one\r\ntwo\r\n",
            "+new\n two\n",
            "one\r\nnew\ntwo\r\n",
            "one\r\nnew\r\ntwo\r\n",
        ],
        [
            "one\ntwo \n",
            "+new\r\n two  \n",
            "one\nnew\r\ntwo \n",
            "one\nnew\ntwo \n",
        ],
    ];
    for [file, lines, by_git, ours] in cases {
        let prepare = |root: &Path| commit(root, &[("x", file.as_bytes())]);
        let left = beside(&prepare, &["--ignore-whitespace"], patch(lines).as_bytes());
        assert_eq!(exits(&left), [0, 0]);
        assert_eq!(
            left.each_ref().map(|left| left.file("x")),
            [by_git, ours].map(|text| Some(text.as_bytes()))
        );
    }
}

#[test]
fn git_crashes_at_an_intention_in_a_sparse_directory() {
    let prepare = |root: &Path| {
        commit(root, &[("y/a", b"y\n"), ("z/a", b"z\n")]);
        runs(
            root,
            &["sparse-checkout", "set", "--cone", "--sparse-index", "y"],
        );
    };
    let patch = "diff --git a/z/n b/z/n\nnew file mode 100644\n--- /dev/null\n+++ b/z/n\n@@ -0,0 +1 @@\n+n\n";
    let left = beside(&prepare, &["--intent-to-add"], patch.as_bytes());
    assert_eq!(exits(&left), [-1, 1]);
    assert_eq!(
        left.each_ref().map(|left| left.file("z/n")),
        [Some(&b"n\n"[..]), None]
    );
}

#[test]
fn a_file_with_another_time_is_compared() {
    let prepare = |root: &Path| {
        commit(root, &[("a", b"one\n")]);
        let file = fs::OpenOptions::new()
            .append(true)
            .open(root.join("a"))
            .unwrap();
        file.file()
            .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
            .unwrap();
    };
    let left = beside(
        &prepare,
        &["--index"],
        section("a", "one", "two").as_bytes(),
    );
    assert_eq!(exits(&left), [1, 0]);
    assert_eq!(
        left.each_ref().map(|left| left.file("a")),
        [Some(&b"one\n"[..]), Some(b"two\n")]
    );
}

#[test]
fn an_intention_keeps_the_other_entries() {
    let patch =
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n";
    let left = beside(
        &|root| commit(root, &[("a", b"one\n")]),
        &["--intent-to-add"],
        patch.as_bytes(),
    );
    assert_eq!(exits(&left), [0, 0]);
    assert_eq!(
        left.each_ref().map(|left| left.index.lines().count()),
        [1, 2]
    );
    assert_eq!(left[0].files, left[1].files);
}

#[test]
fn git_runs_a_driver_of_the_repository() {
    let prepare = |root: &Path| {
        commit(
            root,
            &[(".gitattributes", b"a filter=up\n"), ("a", b"one\n")],
        );
        runs(root, &["config", "filter.up.smudge", "tr a-z A-Z"]);
    };
    let left = beside(&prepare, &[], section("a", "one", "two").as_bytes());
    assert_eq!(exits(&left), [0, 3]);
    assert_eq!(
        left.each_ref().map(|left| left.file("a")),
        [Some(&b"TWO\n"[..]), Some(b"one\n")]
    );
    let fails = |root: &Path| {
        commit(
            root,
            &[(".gitattributes", b"a filter=up\n"), ("a", b"one\n")],
        );
        runs(root, &["config", "filter.up.smudge", "false"]);
    };
    let left = beside(&fails, &[], section("a", "one", "two").as_bytes());
    assert_eq!(
        (exits(&left), left[0].file("a")),
        ([0, 3], Some(&b"two\n"[..]))
    );
}

#[test]
fn attributes_of_a_tree_count_without_an_index() {
    let prepare = |root: &Path| {
        commit(
            root,
            &[(".gitattributes", b"a eol=crlf\n"), ("a", b"one\r\n")],
        );
        fs::remove_file(root.join(".gitattributes")).unwrap();
        runs(root, &["config", "attr.tree", "HEAD"]);
    };
    let patch = section("a", "one", "two");
    let indexed = beside(&prepare, &["--cached"], patch.as_bytes());
    assert_eq!(indexed[0].result(), indexed[1].result());
    // The crash of git 2.47 gives it no exit code.
    let [by_git, ours] = beside(&prepare, &[], patch.as_bytes());
    assert_ne!(by_git.exit, 0);
    assert_eq!((ours.exit, ours.file("a")), (0, Some(&b"two\r\n"[..])));
}
