//! The command `convert`: its output and its exit codes.

use std::path::Path;

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use crate::tree;
use crate::tree_diff::run;

/// A context diff whose first file exists, and which creates a second one.
const CONTEXT: &str = "\
*** a/x
--- b/x
***************
*** 1,3 ****
  one
! two
  three
--- 1,3 ----
  one
! 2
  three
";
/// The same change as a unified diff.
const UNIFIED: &str = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";

fn root() -> TempDir {
    tree::directory(&[
        ("x", "one\ntwo\nthree\n"),
        ("context.diff", CONTEXT),
        ("unified.diff", UNIFIED),
    ])
}

/// Returns the text of a conversion that succeeds.
fn converted(directory: &Path, arguments: &[&str]) -> String {
    let (code, out, errors) = run(directory, &[&["convert", "--to"], arguments].concat());
    assert_eq!((code, &errors[..]), (Some(0), ""), "{arguments:?}");
    out
}

#[test]
fn each_format_has_its_own_form() {
    let root = root();
    let to = |format: &str| converted(root.path(), &[format, "unified.diff"]);
    assert_eq!(to("unified"), UNIFIED);
    assert_eq!(to("context"), CONTEXT);
    assert_eq!(to("git"), format!("diff --git a/x b/x\n{UNIFIED}"));
    assert_eq!(to("normal"), "Index: a/x\n2c2\n< two\n---\n> 2\n");
    assert_eq!(
        to("codex"),
        "*** Begin Patch\n*** Update File: x\n@@\n one\n-two\n+2\n three\n*** End of File\n*** End Patch\n"
    );
    assert_eq!(
        to("blocks"),
        "x\n<<<<<<< SEARCH\none\ntwo\nthree\n=======\none\n2\nthree\n>>>>>>> REPLACE\n"
    );
    assert_eq!(to("hashline"), "[x#2543]\nPUT 2.=2:\n+2\n");
    assert_eq!(
        to("json"),
        "{\"edits\":[{\"new\":\"one\\n2\\nthree\\n\",\"old\":\"one\\ntwo\\nthree\\n\",\"path\":\"x\"}]}\n"
    );
}

#[test]
fn diffs_are_converted_without_files() {
    let root = root();
    fs::remove_file(root.path().join("x")).unwrap();
    assert_eq!(
        converted(root.path(), &["unified", "context.diff"]),
        UNIFIED
    );
    let (code, out, errors) = run(root.path(), &["convert", "--to", "codex", "context.diff"]);
    assert_eq!((code, &out[..]), (Some(1), ""));
    assert!(errors.contains("x: the file does not exist"), "{errors}");
}

#[test]
fn options_select_the_result() {
    let root = root();
    let reverse = UNIFIED.replace("-two\n+2", "-2\n+two");
    assert_eq!(
        converted(root.path(), &["unified", "-R", "unified.diff"]),
        reverse
    );
    let below = converted(
        root.path(),
        &["unified", "--directory", "d", "unified.diff"],
    );
    assert_eq!(below, UNIFIED.replace("/x", "/d/x"));
}

#[test]
fn a_text_that_is_not_unique_gets_more_context() {
    let lines = format!("one\n{0}two\n{0}three\n", "same\n".repeat(4));
    let root = tree::directory(&[("x", &lines)]);
    let patch = "--- a/x\n+++ b/x\n@@ -7,4 +7,4 @@\n same\n same\n-same\n+other\n same\n";
    fs::write(root.path().join("p"), patch).unwrap();
    let (code, _, errors) = run(root.path(), &["check", "p"]);
    assert_eq!(code, Some(0), "{errors}");
    for format in ["blocks", "codex", "json"] {
        let text = converted(root.path(), &[format, "p"]);
        assert!(text.contains("two"), "{format}: {text}");
        fs::write(root.path().join("q"), text).unwrap();
        assert_eq!(
            run(root.path(), &["check", "--format", format, "q"]).0,
            Some(0)
        );
    }
}

#[test]
fn a_change_that_a_format_cannot_express_is_refused() {
    let root = tree::directory(&[("x", "1\n")]);
    let patch = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
    fs::write(root.path().join("p"), patch).unwrap();
    for format in ["unified", "context", "normal", "blocks"] {
        let (code, out, errors) = run(root.path(), &["convert", "--to", format, "p"]);
        assert_eq!((code, &out[..]), (Some(1), ""), "{format}");
        let message = format!("y: {format}: the format cannot express renames");
        assert!(errors.contains(&message), "{errors}");
    }
    let codex = converted(root.path(), &["codex", "p"]);
    assert_eq!(
        codex,
        "*** Begin Patch\n*** Update File: x\n*** Move to: y\n*** End Patch\n"
    );
}

#[test]
fn a_malformed_patch_and_a_missing_format_are_errors() {
    let root = root();
    fs::write(root.path().join("p"), "no patch\n").unwrap();
    assert_eq!(
        run(root.path(), &["convert", "--to", "git", "p"]).0,
        Some(2)
    );
    assert_eq!(run(root.path(), &["convert", "p"]).0, Some(2));
    assert_eq!(
        run(root.path(), &["convert", "--to", "ed", "unified.diff"]).0,
        Some(2)
    );
}

#[test]
fn a_document_contains_the_patch_and_its_repairs() {
    let root = root();
    let arguments = ["convert", "--to", "git", "--json", "unified.diff"];
    let (code, out, errors) = run(root.path(), &arguments);
    assert_eq!((code, &errors[..]), (Some(0), ""));
    let document: Value = serde_json::from_str(&out).unwrap();
    let patch = serde_json::json!({
        "format": "git", "encoding": "utf-8", "text": format!("diff --git a/x b/x\n{UNIFIED}"),
    });
    assert_eq!(
        (&document["command"], &document["converted"]),
        (&"convert".into(), &patch)
    );
    // The counts are wrong.
    let damaged = UNIFIED.replace("-1,3 +1,3", "-1,4 +1,4");
    fs::write(root.path().join("damaged.diff"), damaged).unwrap();
    let arguments = ["convert", "--to", "unified", "--lenient", "damaged.diff"];
    let (code, out, errors) = run(root.path(), &arguments);
    assert_eq!((code, &out[..]), (Some(0), UNIFIED));
    assert!(
        errors.contains("warning[wpatch::patch::repaired]"),
        "{errors}"
    );
    let (_, out, errors) = run(root.path(), &[&arguments[..], &["--json"]].concat());
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["converted"]["text"], UNIFIED);
    assert_eq!(
        document["inputs"][0]["repairs"].as_array().unwrap().len(),
        1
    );
    assert!(
        errors.contains("warning[wpatch::patch::repaired]"),
        "{errors}"
    );
}
