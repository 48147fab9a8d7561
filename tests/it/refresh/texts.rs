//! What changes in the text of a patch, and what stays.

use wpatch::report::{PatchStatus, RefreshStatus};
use wpatch::workspace::memory::{Entry, Memory};

use super::{PatchFiles, numbers, refreshed, refreshed_for, statuses};
use crate::tree::path;

/// A patch that changes line 10 of 20 numbered lines.
const PATCH: &str = "\
Subject: [PATCH] ten

 a | 2 +-

Index: trunk/a
===================================================================
--- trunk/a\t2024-01-02 03:04:05.000000000 +0100
+++ trunk/a\t2024-01-03 03:04:05.000000000 +0100
@@ -7,7 +7,7 @@ heading
 7
 8
 9
-10
+ten
 11
 12
 13
-- \n2.39
";

#[test]
fn only_line_numbers_and_context_change() {
    let file = format!("zero\n{}", numbers(1, 20));
    let moved = PATCH.replace("@@ -7,7 +7,7 @@", "@@ -8,7 +8,7 @@");
    assert_eq!(refreshed(PATCH, &file).unwrap(), moved);
    let file = file.replace("\n8\n", "\neight\n");
    assert_eq!(
        refreshed(PATCH, &file).unwrap(),
        moved.replace("\n 8\n", "\n eight\n")
    );
}

#[test]
fn a_patch_that_applies_as_stated_keeps_every_byte() {
    // The blank line has lost its marker, and the counts of 1 are written.
    let patch = "--- a/a\r\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n\n-two\n+2\n";
    assert_eq!(refreshed(patch, "one\n\ntwo\n").unwrap(), patch);
    let patch = "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-one\n+1\n";
    assert_eq!(refreshed(patch, "one\n").unwrap(), patch);
}

#[test]
fn hunks_that_come_together_become_one() {
    let old = numbers(1, 40);
    let patch = "--- a/a\n+++ b/a\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n\
                 @@ -22,7 +22,7 @@\n 22\n 23\n 24\n-25\n+XXV\n 26\n 27\n 28\n";
    let new = old.replace("13\n14\n15\n16\n17\n18\n19\n20\n21\n", "");
    let expected = "--- a/a\n+++ b/a\n@@ -7,13 +7,13 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 22\n 23\n \
                    24\n-25\n+XXV\n 26\n 27\n 28\n";
    assert_eq!(refreshed(patch, &new).unwrap(), expected);
}

#[test]
fn a_part_that_the_tree_has_is_removed() {
    let patch = "--- a/a\n+++ b/a\n@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n@@ -8,3 +8,4 @@\n 8\n-9\n+nine\n\
                 +more\n 10\n@@ -15,3 +16,3 @@\n 15\n-16\n+sixteen\n 17\n";
    let file = numbers(1, 20).replace("\n9\n", "\nnine\nmore\n");
    let expected = "--- a/a\n+++ b/a\n@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n@@ -16,3 +16,3 @@\n 15\n-16\n\
                    +sixteen\n 17\n";
    assert_eq!(refreshed(patch, &file).unwrap(), expected);
    let all = file
        .replace("\n3\n", "\nthree\n")
        .replace("\n16\n", "\nsixteen\n");
    assert_eq!(refreshed(patch, &all), None);
}

#[test]
fn a_section_that_the_tree_has_is_removed_with_the_lines_above_it() {
    let separator = "=".repeat(67);
    let section = |name: &str, command: bool| {
        let command = if command {
            format!("diff -ru old/{name} new/{name}\n")
        } else {
            String::new()
        };
        format!(
            "{command}Index: x/{name}\n{separator}\n--- x/{name}\n+++ x/{name}\n@@ -1 +1 @@\n-old\n+new\n"
        )
    };
    let patch = format!("Text.\n---\n{}{}", section("a", true), section("b", false));
    let tree = Memory::with_files([
        (path("a"), Entry::file("new\n")),
        (path("b"), Entry::file("old\n")),
    ]);
    let patches = PatchFiles::new(&[patch]);
    assert_eq!(statuses(&patches.refresh(&tree)), [PatchStatus::Rewritten]);
    let expected = format!("Text.\n---\n{}", section("b", false));
    assert_eq!(patches.texts()[0].1, expected.as_bytes());
}

#[test]
fn deletions_that_the_tree_has_are_removed() {
    let patch = "--- a/a\n+++ b/a\n@@ -6,8 +6,6 @@\n line 6\n line 7\n line 8\n-line 9\n-line 10\n line 11\n\
                 \u{20}line 12\n line 13\n";
    let lines: Vec<_> = (0..=20).map(|number| format!("line {number}\n")).collect();
    let without = [&lines[..9], &lines[11..]].concat().concat();
    assert_eq!(refreshed(patch, &without), None);
    // Without enough context, the deletion can be somewhere else.
    let patch = "--- a/a\n+++ b/a\n@@ -6,4 +6,2 @@\n line 8\n-line 9\n-line 10\n line 11\n";
    let tree = Memory::with_files([(path("a"), Entry::file(without))]);
    let patches = PatchFiles::new(&[patch.to_owned()]);
    assert_eq!(statuses(&patches.refresh(&tree)), [PatchStatus::Conflict]);
}

#[test]
fn a_complete_result_is_preferred_to_a_similar_place() {
    // The first function has the change. With fuzz, the second one would match.
    let function =
        |name: &str, line: &str| format!("int {name}()\n{{\n  open();\n{line}  close();\n}}\n");
    let file = [function("one", "  check();\n"), function("two", "")].concat();
    let patch = "--- a/a\n+++ b/a\n@@ -1,5 +1,6 @@\n int one()\n {\n   open();\n+  check();\n   close();\n }\n";
    assert_eq!(refreshed(patch, &file), None);
}

#[test]
fn the_names_of_gits_objects_change_with_the_hunks() {
    let patch = "diff --git a/a b/a\nindex e8823e1..4a1cb72 100644\n--- a/a\n+++ b/a\n@@ -7,7 +7,7 @@\n 7\n 8\n \
                 9\n-10\n+ten\n 11\n 12\n 13\n";
    let file = format!("zero\n{}", numbers(1, 30));
    let text = refreshed(patch, &file).unwrap();
    assert_eq!(
        text.lines().nth(1).unwrap(),
        "index 9183746..90f346f 100644"
    );
}

#[test]
fn a_mode_or_a_name_that_is_left_keeps_its_header() {
    let patch = "diff --git a/a b/b\nsimilarity index 90%\nrename from a\nrename to b\nindex 1..2 100644\n--- a/a\n\
                 +++ b/b\n@@ -7,5 +7,5 @@\n 7\n 8\n-9\n+nine\n 10\n 11\n";
    let file = numbers(1, 20).replace("\n9\n", "\nnine\n");
    let expected = "diff --git a/a b/b\nsimilarity index 90%\nrename from a\nrename to b\n";
    assert_eq!(refreshed(patch, &file).unwrap(), expected);
    let patch = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n--- a/a\n+++ b/a\n@@ -7,5 +7,5 @@\n 7\n 8\n-9\n\
                 +nine\n 10\n 11\n";
    let expected = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n";
    assert_eq!(refreshed(patch, &file).unwrap(), expected);
}

#[test]
fn context_and_normal_diffs_keep_their_format() {
    let patch = "Text.\n\n*** a/a\n--- b/a\n***************\n*** 8,10 ****\n  8\n! 9\n  10\n--- 8,10 ----\n  8\n! nine\n  10\nEnd.\n";
    let file = format!("zero\n{}", numbers(1, 20));
    let expected = patch
        .replace("8,10 --", "9,11 --")
        .replace("8,10 **", "9,11 **");
    assert_eq!(refreshed(patch, &file).unwrap(), expected);
    let patch = "Index: a/a\n9c9,10\n< 9\n---\n> nine\n> more\n15d15\n< 15\n";
    let expected = "Index: a/a\n10c10,11\n< 9\n---\n> nine\n> more\n16d16\n< 15\n";
    assert_eq!(refreshed(patch, &file).unwrap(), expected);
}

#[test]
fn a_mail_is_rewritten_only_where_it_is_readable() {
    let diff = "--- a/a\n+++ b/a\n@@ -8,3 +8,3 @@\n 8\n-9\n+nine\n 10\n";
    let head = "From: a@example.org\nSubject: x\nMIME-Version: 1.0\n";
    let file = format!("zero\n{}", numbers(1, 20));
    let plain = format!("{head}Content-Type: text/plain; charset=utf-8\n\n{diff}-- \n2.39\n");
    let expected = plain.replace("@@ -8,3 +8,3 @@", "@@ -9,3 +9,3 @@");
    assert_eq!(refreshed(&plain, &file).unwrap(), expected);
    let crlf = plain.replace('\n', "\r\n");
    assert_eq!(
        refreshed(&crlf, &file).unwrap(),
        expected.replace('\n', "\r\n")
    );
    let quoted = format!(
        "{head}Content-Transfer-Encoding: quoted-printable\n\n{}",
        diff.replace("9\n", "=39\n")
    );
    let numbered = quoted.replace("@@ -8,3 +8,3 @@", "@@ -9,3 +9,3 @@");
    assert_eq!(refreshed(&quoted, &file).unwrap(), numbered);
    // The new context line would have to be encoded.
    let file = file.replace("\n8\n", "\neight\n");
    let tree = Memory::with_files([(path("a"), Entry::file(file))]);
    let patches = PatchFiles::new(&[quoted]);
    let old = patches.texts();
    let refused = patches.refresh(&tree);
    assert_eq!(statuses(&refused), [PatchStatus::NotRewritable]);
    let error = refused.outcome.report.error.as_ref().unwrap();
    assert_eq!(error.code, "wpatch::refresh::not_rewritable");
    assert_eq!(patches.texts(), old);
}

#[test]
fn a_patch_of_a_model_is_kept_or_removed() {
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n 9\n-10\n+ten\n*** End Patch\n";
    let file = numbers(1, 20);
    assert_eq!(refreshed(patch, &file).unwrap(), patch);
    assert_eq!(refreshed(patch, &file.replace("\n10\n", "\nten\n")), None);
}

#[test]
fn a_stack_of_patches_that_the_tree_has_is_removed() {
    let change = |old: &str, new: &str| {
        format!("--- a/a\n+++ b/a\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-{old}\n+{new}\n 11\n 12\n 13\n")
    };
    let tree = Memory::with_files([(
        path("a"),
        Entry::file(numbers(1, 20).replace("\n10\n", "\nline X\n")),
    )]);
    let patches = PatchFiles::new(&[
        change("10", "line ten"),
        change("line ten", "line X"),
        change("line X", "line x"),
    ]);
    let refreshed = patches.refresh(&tree);
    let (removed, kept) = (PatchStatus::Removed, PatchStatus::Unchanged);
    assert_eq!(statuses(&refreshed), [removed, removed, kept]);
    let report = refreshed.outcome.report.refresh.as_ref().unwrap();
    assert_eq!(
        report.patches[0].files[0].status,
        RefreshStatus::AlreadyThere
    );
    assert_eq!(
        patches.texts(),
        [(
            "3.patch".to_owned(),
            change("line X", "line x").into_bytes()
        )]
    );
}

#[test]
fn a_conflict_changes_no_patch() {
    let change = |old: &str, new: &str| {
        format!("--- a/a\n+++ b/a\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-{old}\n+{new}\n 11\n 12\n 13\n")
    };
    let other = "--- a/b\n+++ b/b\n@@ -2,3 +2,3 @@\n 2\n-b\n+B\n 4\n";
    let tree = Memory::with_files([
        (path("a"), Entry::file(format!("zero\n{}", numbers(1, 20)))),
        (path("b"), Entry::file("0\n1\n2\nb\n4\n")),
    ]);
    let patches = PatchFiles::new(&[
        change("10", "ten"),
        change("eleven", "11"),
        change("11", "12"),
        other.to_owned(),
    ]);
    let old = patches.texts();
    let refused = patches.refresh(&tree);
    assert_eq!(refused.outcome.report.exit_code, 1);
    let expected = [
        PatchStatus::Rewritten,
        PatchStatus::Conflict,
        PatchStatus::NotChecked,
        PatchStatus::Rewritten,
    ];
    assert_eq!(statuses(&refused), expected);
    let hunk = &refused.outcome.report.refresh.as_ref().unwrap().patches[1].files[0].hunks[0];
    assert_eq!(
        (hunk.status, hunk.stated_line, hunk.line),
        (RefreshStatus::Conflict, 7, Some(8))
    );
    assert_eq!(patches.texts(), old);
}

#[test]
fn created_deleted_and_binary_files_that_the_tree_has_are_removed() {
    let create = "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n";
    let delete = "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n";
    let binary = "diff --git a/bin b/bin\nindex 86bed5fd75b1eeab1c54a5d75ce6c870a297c3ec..\
                  f2ad6c76f0115a6ba5b00456a849810e7ec0af20 100644\nGIT binary patch\nliteral 2\nJcmYdfU|<9O0{{R4\n\n";
    let files = [("new", Entry::file("new\n")), ("bin", Entry::file("c\n"))];
    for patch in [create, delete, binary] {
        assert_eq!(
            refreshed_for(&files, patch).0,
            PatchStatus::Removed,
            "{patch}"
        );
    }
    assert_eq!(
        refreshed_for(&[], create),
        (PatchStatus::Unchanged, create.to_owned())
    );
    let files = [("old", Entry::file("old\n"))];
    assert_eq!(
        refreshed_for(&files, delete),
        (PatchStatus::Unchanged, delete.to_owned())
    );
}

#[test]
fn a_submodule_keeps_its_section() {
    let [old, new] = ["1", "2"].map(|digit| digit.repeat(40));
    let patch = format!(
        "diff --git a/sub b/sub\nindex 1111111..2222222 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n\
         -Subproject commit {old}\n+Subproject commit {new}\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    );
    let files = [
        ("sub/x", Entry::file("x")),
        ("a", Entry::file("0\none\ntwo\n")),
    ];
    let (status, text) = refreshed_for(&files, &patch);
    assert_eq!(
        (status, text),
        (
            PatchStatus::Rewritten,
            patch.replace("-1,2 +1,2", "-2,2 +2,2")
        )
    );
}

#[test]
fn a_part_of_a_patch_of_a_model_cannot_be_removed() {
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+2\n*** Update File: b\n@@\n one\n-two\n+2\n\
                 *** End Patch\n";
    let files = [
        ("a", Entry::file("one\n2\n")),
        ("b", Entry::file("one\ntwo\n")),
    ];
    assert_eq!(
        refreshed_for(&files, patch),
        (PatchStatus::NotRewritable, patch.to_owned())
    );
}
