//! Prose and lists after a hunk, which are never added to the file.

use super::*;

const BEFORE: &str = "one\ntwo\n\nfour\n\nsix\n";
const AFTER: &str = "one\n2\n\nfour\n\nsix\n";

/// Hunks of each grammar for the same change, with right counts and with wrong ones.
const HUNKS: &[&str] = &[
    "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1,4 +1,4 @@\n one\n-two\n+2\n \n four\n",
    "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1,9 +1,9 @@\n one\n-two\n+2\n \n four\n",
    "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n \n four\n",
    "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1,4 +1,3 @@\n one\n-two\n+2\n \n four\n",
    "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@\n one\n-two\n+2\n \n four\n",
    "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1,3 +1,7 @@\n one\n-two\n+2\n",
    "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1 +1 @@\n one\n-two\n+2\n",
    "diff --git a/dir/file.txt b/dir/file.txt\n--- a/dir/file.txt\n+++ b/dir/file.txt\n@@\n one\n-two\n+2\n",
    "*** a/dir/file.txt\n--- b/dir/file.txt\n***************\n*** 1,3 ****\n  one\n! two\n  \n--- 1,3 ----\n  one\n! 2\n  \n",
    "*** a/dir/file.txt\n--- b/dir/file.txt\n***************\n*** 1,9 ****\n  one\n! two\n  \n--- 1,9 ----\n  one\n! 2\n  \n",
    "--- dir/file.txt\n+++ dir/file.txt\n2c2\n< two\n---\n> 2\n",
    "Index: dir/file.txt\n2c2,4\n< two\n---\n> 2\n",
    "*** Begin Patch\n*** Update File: dir/file.txt\n@@\n one\n-two\n+2\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: dir/file.txt\n@@\n one\n-two\n+2\n",
];

const LISTS: &[&str] = &[
    "+ item\n",
    "+ item\n+ other\n",
    "- item\n",
    "* item\n",
    "1. item\n2. other\n",
    "+ item\n- other\n",
    "* item\n+ other\n",
    "+ item\n* other\n",
    "+ item\n  more of it\n",
    "+ **Item**: other\n",
    "It is done.\n",
];

#[test]
fn a_list_after_a_hunk_is_not_added_to_the_file() {
    let (mut wrong, mut count, mut applied) = (Vec::new(), 0, 0);
    for hunk in HUNKS {
        for list in LISTS {
            for gap in ["", "\n", "\nChanges:\n", "\nChanges:\n\n", "Changes:\n"] {
                for (begin, end) in [
                    ("", ""),
                    ("I do:\n\n```diff\n", "```\n"),
                    ("```\n", "```\nDone.\n"),
                ] {
                    let patch = [begin, hunk, gap, list, end].concat();
                    count += 1;
                    let Some(found) = made(BEFORE, Asked::Patch(patch.clone())) else {
                        continue;
                    };
                    applied += 1;
                    if found != AFTER {
                        wrong.push(format!("{patch}\nbecomes\n{found}"));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n")
    );
    assert!(applied * 5 > count, "{applied} of {count}");
}

/// Insertions at a depth that the hunk has, or whose number the header states, are no list.
#[test]
fn insertions_that_look_like_a_list_are_kept() {
    let head = "--- a/dir/file.txt\n+++ b/dir/file.txt\n";
    let envelope = |hunk: &str| {
        format!("*** Begin Patch\n*** Update File: dir/file.txt\n{hunk}*** End Patch\n")
    };
    let comment = "/*\n * one\n */\n";
    let cases = [
        (
            BEFORE,
            format!("{head}@@ -1,2 +1,3 @@\n one\n-two\n+2\n+ item\n"),
            "one\n2\n item\n\nfour\n\nsix\n",
        ),
        (
            BEFORE,
            envelope("@@\n one\n-two\n+2\n+ item\n"),
            "one\n2\n item\n\nfour\n\nsix\n",
        ),
        (
            BEFORE,
            format!("{head}@@\n one\n two\n+ item\n"),
            "one\ntwo\n item\n\nfour\n\nsix\n",
        ),
        (
            comment,
            format!("{head}@@\n-/*\n+/**\n  * one\n+ * two\n"),
            "/**\n * one\n * two\n */\n",
        ),
    ];
    for (before, patch, after) in cases {
        assert_eq!(
            made(before, Asked::Patch(patch.clone())).as_deref(),
            Some(after),
            "{patch}"
        );
    }
}

#[test]
fn changes_behind_the_counted_lines_show_that_the_header_is_wrong() {
    let before = "one\ntwo\nthree\n";
    let header = |counts| format!("--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ {counts} @@\n");
    for (counts, body, after) in [
        (
            "-1,2 +1,2",
            " one\n-two\n+2\n+more\n",
            "one\n2\nmore\nthree\n",
        ),
        ("-1,2 +1,2", " one\n-two\n+2\n-three\n", "one\n2\n"),
        ("-1,2 +1,2", " one\n-two\n+2\n-three\n+3\n", "one\n2\n3\n"),
        ("-1,3 +1", "-one\n-two\n-three\n+1\n+2\n+3\n", "1\n2\n3\n"),
        ("-1 +1", " one\n-two\n+2\n", "one\n2\nthree\n"),
    ] {
        let patch = header(counts) + body;
        assert_eq!(
            made(before, Asked::Patch(patch.clone())).as_deref(),
            Some(after),
            "{patch}"
        );
    }
}

/// Lines that a damaged patch can have behind a hunk, and which no list has.
const TAILS: &[&str] = &[
    "+",
    "-",
    "+ ",
    "- ",
    "+++ b/dir/file.txt",
    "--- a/dir/file.txt",
    "+++",
    "---",
    "+\n+",
    "-\n-",
    "+++ b/dir/file.txt\n three",
    "-\n ",
];

#[test]
fn changes_behind_a_hunk_with_right_counts_are_not_made() {
    let before = "one\ntwo\n\nthree\n\n\nsix\n";
    let (after, inserted) = (
        before.replace("two", "2"),
        before.replace("two\n", "two\n2\n"),
    );
    let name = "dir/file.txt";
    let hunks = [
        format!("--- a/{name}\n+++ b/{name}\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"),
        format!("--- a/{name}\n+++ b/{name}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n \n"),
        format!(
            "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n \n"
        ),
        format!("--- a/{name}\n+++ b/{name}\n@@ -1,5 +1,5 @@\n one\n-two\n+2\n \n three\n \n"),
        format!("--- a/{name}\n+++ b/{name}\n@@ -2,0 +3 @@\n+2\n"),
    ];
    let (mut wrong, mut count) = (Vec::new(), 0);
    for hunk in &hunks {
        for tail in TAILS {
            for (begin, end) in [
                ("", ""),
                ("", "\n"),
                ("```diff\n", "\n```\n"),
                ("<patch>\n", "\n</patch>\n"),
            ] {
                let patch = [begin, hunk, tail, end].concat();
                count += 1;
                let found = made(before, Asked::Patch(patch.clone()));
                wrong.extend(
                    found
                        .filter(|found| *found != after && *found != inserted)
                        .map(|found| format!("{patch}\nbecomes\n{found}")),
                );
            }
        }
    }
    // Where a normal diff lost a command, its next lines belong elsewhere.
    wrong.extend(made(
        before,
        Asked::Patch(format!("Index: {name}\n2a3\n> 2\n> 3\n> 4\n")),
    ));
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n")
    );
}
