//! Diagnostics on standard error: what they show, and that no file or name controls the terminal.

use fs_err as fs;
use serde_json::Value;

use super::{PATCH, run, text, tree};

#[test]
fn a_wrong_command_line_is_told_whole_in_one_line() {
    let output = run(tree().path(), &["grammar", "--json"], "");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        report["error"]["message"],
        "the following required arguments were not provided: <NAME>"
    );
}

#[test]
fn a_name_that_cannot_be_used_is_told_with_what_to_do() {
    let of = |name: &str| {
        run(
            tree().path(),
            &["check", "-p1", "--color", "never"],
            &PATCH.replace("a/file", name).replace("b/file", name),
        )
    };
    let (bare, outside) = (of("file"), of("a/../../x"));
    assert!(
        text(&bare.stderr).contains(" check -p0 --color never` with the same input: "),
        "{}",
        text(&bare.stderr)
    );
    assert!(
        text(&outside.stderr)
            .starts_with("error: invalid path '../../x'\nnote: ../../x: the path leads outside ")
    );
}

#[test]
fn a_diagnostic_shows_the_place_and_cannot_write_to_the_terminal() {
    let patch = "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-\x1b[2Jone\u{202e}\n+two\n";
    let output = run(tree().path(), &["check", "--color", "never"], patch);
    let words = text(&output.stderr);
    // git's lines state the mismatch, so that no title of ours repeats it.
    assert!(
        words.starts_with("error: patch failed: file:1\nerror: file: patch does not apply\n"),
        "{words}"
    );
    assert!(!words.contains("error[wpatch::hunk::not_found]"), "{words}");
    assert!(
        words.contains("--> -:4:1") && words.contains("@@ -1 +1 @@"),
        "{words}"
    );
    assert!(words.contains("\\x1b[2Jone\\u{202e}"), "{words}");
    assert!(!words.contains(['\x1b', '\u{202e}']), "{words}");
}

#[test]
fn a_hunk_that_does_not_fit_is_shown_where_it_differs() {
    let root = tree();
    fs::write(root.path().join("file"), "1\n2\n3\n4\n5\n6\nseven\n8\n").unwrap();
    let patch = "--- a/file\n+++ b/file\n@@ -1,8 +1,7 @@\n 1\n 2\n 3\n 4\n 5\n 6\n-7\n 8\n";
    let output = run(root.path(), &["check", "--color", "never"], patch);
    let words = text(&output.stderr);
    assert!(
        words.contains("note: closest match: file:1 (7 of 8 lines match)\n  --> file:7:1\n"),
        "{words}"
    );
    assert!(
        words.contains("7 | seven\n   | ^^^^^ the patch has 7\n"),
        "{words}"
    );
}

#[cfg(unix)]
#[test]
fn the_name_of_a_patch_cannot_write_to_the_terminal() {
    let root = tree();
    fs::write(root.path().join("p\x1b[2J"), PATCH.replace("one", "three")).unwrap();
    let output = run(root.path(), &["check", "--color", "never", "p\x1b[2J"], "");
    let words = text(&output.stderr);
    assert!(
        words.contains("--> p\\x1b[2J:4:1") && !words.contains('\x1b'),
        "{words}"
    );
}

#[test]
fn of_many_problems_the_first_are_shown_and_the_others_counted() {
    // Missing files are one list; protected paths have a diagnostic each.
    let patch: String = (0..23)
        .map(|nth| PATCH.replace("file", &format!(".git/{nth}")))
        .collect();
    let output = run(tree().path(), &["check", "--color", "never"], &patch);
    let words = text(&output.stderr);
    assert_eq!(words.matches("note: .git/").count(), 20, "{words}");
    assert!(
        words.ends_with("3 more problems are not listed\n"),
        "{words}"
    );
}
