//! Where a hunk ends, and which of its lines have a sign: text after it is not added to a file, and
//! no line of it is lost.

use super::*;

const DIFF: &str = "--- a/dir/file.txt\n+++ b/dir/file.txt\n";

fn codex(body: &str) -> String {
    format!("*** Begin Patch\n*** Update File: dir/file.txt\n{body}*** End Patch\n")
}

fn context(halves: &str) -> String {
    format!("*** a/dir/file.txt\n--- b/dir/file.txt\n***************\n{halves}")
}

/// Asserts what each patch makes of a file with `content`; `None` if it is refused.
fn check(content: &str, patches: &[(String, Option<&str>)]) {
    for (patch, wanted) in patches {
        assert_eq!(
            made(content, Asked::Patch(patch.clone())).as_deref(),
            *wanted,
            "{patch}"
        );
    }
}

#[test]
fn a_line_with_a_plus_sign_is_context_if_the_hunk_fits_nowhere_else() {
    let (file, changed) = ("a\n+ x\nb\nc\n", Some("a\n+ x\nb\nC\n"));
    check(
        file,
        &[
            (codex("@@\na\n+ x\nb\n-c\n+C\n"), changed),
            (codex("@@\n a\n+ x\n b\n-c\n+C\n"), changed),
            (format!("{DIFF}@@ @@\n a\n+ x\n b\n-c\n+C\n"), changed),
            // It can also be an insertion below the line of the file.
            (codex("@@\n+ x\n b\n-c\n+C\n"), None),
            (
                codex("@@\n a\n+ x\n+ y\n b\n-c\n+C\n"),
                Some("a\n+ x\n y\nb\nC\n"),
            ),
            // A line to delete can have lost its sign.
            (codex("@@\n a\n- x\n b\n-c\n+C\n"), None),
            (
                context("*** 1,4 ****\n  a\n+ x\n  b\n! c\n--- 1,4 ----\n  a\n+ x\n  b\n! C\n"),
                changed,
            ),
            (
                context("*** 1,4 ****\n  a\n  + x\n  b\n! c\n--- 1,4 ----\n  a\n+ x\n  b\n! C\n"),
                changed,
            ),
        ],
    );
    let list = "a\n- x\nb\nc\n";
    let patch = context("*** 1,4 ****\n  a\n- x\n  b\n! c\n--- 1,4 ----\n  a\n- x\n  b\n! C\n");
    check(list, &[(patch, Some("a\n- x\nb\nC\n"))]);
}

#[test]
fn a_half_of_a_context_diff_that_begins_with_a_lost_blank_is_read() {
    let file = "a\n\nb\nc\n";
    check(
        file,
        &[
            (
                context("*** 2,4 ****\n--- 2,5 ----\n\n  b\n+ x\n  c\n"),
                Some("a\n\nb\nx\nc\n"),
            ),
            (
                context("*** 2,4 ****\n  \n  b\n  c\n--- 2,5 ----\n\n  b\n+ x\n  c\n"),
                Some("a\n\nb\nx\nc\n"),
            ),
            (context("*** 2,4 ****\n--- 2,5 ----\n"), None),
        ],
    );
}

#[test]
fn a_list_after_a_hunk_is_not_added_to_the_file() {
    let (file, changed) = ("a\nb\nc\nd\n", Some("a\nB\nc\nd\n"));
    let hunk = "\n a\n-b\n+B\n c\n";
    let list = "+ one remark\n+ another one\n";
    for gap in ["", "\n"] {
        check(
            file,
            &[(format!("{DIFF}@@ -1,3 +1,3 @@{hunk}{gap}{list}"), changed)],
        );
    }
}

#[test]
fn a_list_after_a_new_file_is_not_added_to_it() {
    let new = RelPath::new(b"dir/new.txt").unwrap();
    for (counts, list, wanted) in [
        ("0,0 +1,2", "+ one remark\n", Some("a\nb\n")),
        ("0,0 +1,2", "- one remark\n", Some("a\nb\n")),
        ("0,0 +1,9", "+ one remark\n", None),
        ("0,0 +1,1", "", Some("a\nb\n")),
    ] {
        let patch = format!("--- /dev/null\n+++ b/dir/new.txt\n@@ -{counts} @@\n+a\n+b\n{list}");
        let memory = Memory::with_files([(path(), Entry::file("x\n"))]);
        let request = lenient(patch.clone());
        let report = engine::apply(request, &memory, &Interrupt::new()).report;
        let found = memory
            .files()
            .get(&new)
            .map(|file| String::from_utf8(file.contents.clone()).unwrap());
        assert_eq!(
            (report.ok, found.as_deref()),
            (wanted.is_some(), wanted),
            "{patch}"
        );
    }
}

#[test]
fn a_hunk_that_a_message_quotes_is_no_change() {
    let mail = |hunk: &str| {
        format!(
            "From: a <a@example.org>\nSubject: [PATCH] x\n\nThis hunk was wrong:\n\n@@ -1 +1 @@\n-a\n+b\n\nDone.\n---\n f | 2 +-\n\n{DIFF}{hunk}-- \n2.43.0\n"
        )
    };
    let from = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n";
    let (first, second) = (
        mail("@@ -1,9 +1,9 @@\n a\n-b\n+B\n c\n"),
        mail("@@ -3,9 +3,9 @@\n c\n-d\n+D\n"),
    );
    let both = format!("{from}{first}\n{from}{second}");
    check(
        "a\nb\nc\nd\n",
        &[(first, Some("a\nB\nc\nd\n")), (both, Some("a\nB\nc\nD\n"))],
    );
}

#[test]
fn a_diff_that_needs_a_repair_next_to_a_block_is_refused_with_both_places() {
    let block = "dir/file.txt\n<<<<<<< SEARCH\nd\n=======\nD\n>>>>>>> REPLACE\n";
    let damaged = format!("{DIFF}@@ @@\n a\n-b\n+B\n");
    for (patch, words) in [
        (
            format!("{damaged}\n{block}"),
            "line 1 starts a diff and line 9 starts a SEARCH/REPLACE block",
        ),
        (
            format!("{block}\n{damaged}"),
            "line 8 starts a diff and line 2 starts a SEARCH/REPLACE block",
        ),
    ] {
        let memory = Memory::with_files([(path(), Entry::file("a\nb\nc\nd\n"))]);
        let request = lenient(patch);
        let report =
            serde_json::to_value(engine::apply(request, &memory, &Interrupt::new()).report)
                .unwrap();
        assert!(
            report["error"]["message"]
                .as_str()
                .unwrap()
                .starts_with(words),
            "{report:#}"
        );
        assert_eq!(memory.files()[&path()].contents, b"a\nb\nc\nd\n");
    }
    let exact = format!("{DIFF}@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\n{block}");
    check("a\nb\nc\nd\n", &[(exact, Some("a\nB\nc\nD\n"))]);
}

#[test]
fn a_hunk_of_an_older_grammar_that_lost_a_line_is_not_left_out() {
    let first = "*** 1,2 ****\n! a\n  b\n--- 1,2 ----\n! A\n  b\n";
    let second = "*** 4,5 ****\n  d\n! e\n--- 4,5 ----\n  d\n! E\n";
    let (file, stars) = ("a\nb\nc\nd\ne\n", "***************\n");
    let cut = |hunk: &str| hunk.split_inclusive('\n').skip(1).collect::<String>();
    let normal = |hunks: &str| format!("Index: dir/file.txt\n{hunks}");
    check(
        file,
        &[
            (
                context(&format!("{first}{stars}{second}")),
                Some("A\nb\nc\nd\nE\n"),
            ),
            (context(&format!("{}{stars}{second}", cut(first))), None),
            (context(&format!("{first}{stars}{}", cut(second))), None),
            (normal("< a\n---\n> A\n5c5\n< e\n---\n> E\n"), None),
            (normal("1c1\n< a\n---\n> A\n< e\n---\n> E\n"), None),
        ],
    );
}
