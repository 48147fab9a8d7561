//! Where hunks are placed, and when a change counts as already applied.

use wpatch::report::PatchStatus;
use wpatch::workspace::memory::Entry;

use super::{numbers, refreshed, refreshed_for};

#[test]
fn a_hunk_that_matches_completely_is_kept() {
    // The first function had the change before, and is now near the stated line.
    let function =
        |name: &str, line: &str| format!("int {name}()\n{{\n  open();\n{line}  close();\n}}\n");
    let (one, two) = (function("one", "  check();\n"), function("two", ""));
    let patch = "--- a/a\n+++ b/a\n@@ -9,4 +9,5 @@\n {\n   open();\n+  check();\n   close();\n }\n";
    let file = Entry::file(["\n".repeat(9), one, "\n".repeat(9), two].concat());
    let (status, text) = refreshed_for(&[("a", file)], patch);
    assert_eq!(status, PatchStatus::Rewritten);
    assert!(text.contains("@@ -26,4 +26,5 @@"), "{text}");
}

#[test]
fn a_short_result_that_occurs_by_chance_is_a_conflict() {
    let patch = "--- a/a\n+++ b/a\n@@ -4,4 +4,5 @@\n   a();\n   b();\n+  }\n   c();\n   d();\n";
    let file = Entry::file("{\n  b();\n  }\n  c();\n}\n  a();\n  b();\n  x();\n");
    assert_eq!(
        refreshed_for(&[("a", file)], patch).0,
        PatchStatus::Conflict
    );
}

#[test]
fn a_deletion_is_not_removed_because_of_similar_lines() {
    // The lines to delete follow their context, which is no longer at the end of the file.
    let end = "--- a/a\n+++ b/a\n@@ -4,3 +4 @@\n 4\n-5\n-6\n";
    // The closing brackets are at the stated line, and the lines to delete are three lines below.
    let brackets =
        "--- a/a\n+++ b/a\n@@ -13,8 +13,6 @@\n   }\n   }\n }\n-gone1\n-gone2\n   }\n   }\n }\n";
    let run = "  }\n  }\n}\n";
    let file = format!(
        "n\nn\nn\n{}{run}{run}gone1\ngone2\n{run}end\n",
        numbers(1, 9)
    );
    for (patch, file) in [(end, "1\n2\n3\n4\n5\n6\nextra\n"), (brackets, &file)] {
        let (status, text) = refreshed_for(&[("a", Entry::file(file))], patch);
        assert!(!text.is_empty(), "{status:?} {patch}");
    }
    let (status, text) = refreshed_for(&[("a", Entry::file(file))], brackets);
    assert_eq!(
        (status, text),
        (
            PatchStatus::Rewritten,
            brackets.replace("-13,8 +13,6", "-16,8 +16,6")
        )
    );
}

#[test]
fn a_small_deletion_that_the_tree_may_have_is_not_removed() {
    let patch = "--- a/a\n+++ b/a\n@@ -2,3 +2,2 @@\n a\n-b\n c\n";
    let refused = (PatchStatus::NotRewritable, patch.to_owned());
    assert_eq!(
        refreshed_for(&[("a", Entry::file("x\na\nc\ny\n"))], patch),
        refused
    );
    // Here the hunk describes the whole file.
    let patch = "--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n a\n-b\n c\n";
    assert_eq!(
        refreshed_for(&[("a", Entry::file("a\nc\n"))], patch).0,
        PatchStatus::Removed
    );
}

#[test]
fn later_hunks_are_searched_for_at_the_offset_of_earlier_ones() {
    let lines = "n\nn\nn\nn\n1\n2\n3\n4\n5\n6\na\nb\nk\na\nb\nend\nend2\n";
    let patch = "--- a/a\n+++ b/a\n@@ -2,3 +2,2 @@\n 2\n-3\n 4\n@@ -10,2 +9,3 @@\n a\n+NEW\n b\n";
    let expected = patch
        .replace("-2,3 +2,2", "-6,3 +6,2")
        .replace("-10,2 +9,3", "-14,2 +13,3");
    assert_eq!(refreshed(patch, lines).unwrap(), expected);
    let normal = "Index: a/a\n2,3d1\n< 2\n< 3\n8a7\n> NEW\n";
    let file = format!("n\nn\nn\nn\n{}", numbers(1, 12));
    let expected = "Index: a/a\n6,7d5\n< 2\n< 3\n12a11\n> NEW\n";
    assert_eq!(refreshed(normal, &file).unwrap(), expected);
}

#[test]
fn a_hunk_of_the_end_of_a_file_does_not_move_into_it() {
    let patch = "--- a/a\n+++ b/a\n@@ -7,4 +7,5 @@\n b1\n b2\n b3\n+NEW\n {\n";
    let file = Entry::file("q\nb2\nb3\n{\nr\ns\nX\nY\nb3\n{\n");
    assert_eq!(
        refreshed_for(&[("a", file)], patch).0,
        PatchStatus::Conflict
    );
}
