//! What a model can correct is an error of the tool.

use serde_json::json;

use super::Client;
use crate::systems::Desk;
use crate::tree;

/// Calls that are refused: the kind of the error, the tool, and its arguments.
const REFUSED: &[(&str, &str, &str)] = &[
    ("usage", "str_replace", r#"{"path": "a", "old_str": ""}"#),
    (
        "no_change",
        "str_replace",
        r#"{"path": "a", "old_str": "y", "new_str": "y"}"#,
    ),
    ("missing", "str_replace", r#"{"path": "b", "old_str": "y"}"#),
    (
        "not_found",
        "insert",
        r#"{"path": "a", "insert_line": 4, "insert_text": "z"}"#,
    ),
    ("exists", "create", r#"{"path": "a", "file_text": "z"}"#),
    (
        "outside_root",
        "create",
        r#"{"path": "../c", "file_text": "z"}"#,
    ),
    ("outside_root", "view", r#"{"path": "/etc/hosts"}"#),
    ("outside_root", "view", r#"{"path": "d/../../b"}"#),
    (
        "denied",
        "create",
        r#"{"path": ".git/hooks/x", "file_text": "z"}"#,
    ),
    ("denied", "view", r#"{"path": ".git/config"}"#),
    ("missing", "view", r#"{"path": "b"}"#),
    ("binary", "view", r#"{"path": "bin"}"#),
    ("usage", "view", r#"{"path": "a", "view_range": [0, 1]}"#),
    ("usage", "view", r#"{"path": "a", "view_range": [2, 1]}"#),
    ("usage", "view", r#"{"path": "a", "view_range": [1, -2]}"#),
    ("usage", "view", r#"{"path": ".", "view_range": [1, 2]}"#),
    ("usage", "view", r#"{"pth": "a"}"#),
    ("usage", "view", r#"{"path": "a", "more": 1}"#),
    ("usage", "view", r#"{"path": 1}"#),
    (
        "usage",
        "insert",
        r#"{"path": "a", "insert_line": -1, "insert_text": "z"}"#,
    ),
    (
        "usage",
        "insert",
        r#"{"path": "a", "insert_line": 1, "insert_text": "z", "new_str": "z"}"#,
    ),
    ("usage", "str_replace_based_edit_tool", r#"{"path": "a"}"#),
    (
        "usage",
        "str_replace_based_edit_tool",
        r#"{"command": "undo_edit", "path": "a"}"#,
    ),
    (
        "usage",
        "str_replace_based_edit_tool",
        r#"{"command": "apply_patch", "patch": ""}"#,
    ),
    ("parse", "apply_patch", r#"{"patch": "no patch\n"}"#),
    (
        "usage",
        "apply_patch",
        r#"{"patch": "no patch\n", "format": "x"}"#,
    ),
];

#[test]
fn what_a_model_can_mend_is_an_error_of_the_tool_and_leaves_the_tree() {
    let desk = Desk::with(&[
        ("a", b"x\ny\nx\n"),
        ("bin", b"a\0b"),
        ("../b", b"x\n"),
        (".git/config", b"x\n"),
    ]);
    let before = tree::read(&desk.root());
    let mut client = Client::of(&desk, &[]);
    let text = client.is_refused(
        "not_found",
        "str_replace",
        &json!({"path": "a", "old_str": "y \n", "new_str": ""}),
    );
    assert!(
        text.contains("\ncurrent lines of the file:\n     1\tx\n     2\ty\n     3\tx\n"),
        "{text}"
    );
    let text = client.is_refused(
        "ambiguous",
        "str_replace",
        &json!({"path": "a", "old_str": "x"}),
    );
    assert!(text.contains("lines 1 and 3"), "{text}");
    for (kind, name, arguments) in REFUSED {
        client.is_refused(kind, name, &serde_json::from_str(arguments).unwrap());
    }
    let outside = json!({"path": desk.path("../b"), "old_str": "x"});
    client.is_refused("outside_root", "str_replace", &outside);
    client.ends();
    assert_eq!(tree::read(&desk.root()), before);
}

#[test]
fn a_patch_that_ends_too_early_is_to_be_sent_again_complete() {
    let desk = Desk::with(&[("a", b"one\ntwo\nthree\n")]);
    let mut client = Client::of(&desk, &[]);
    for (patch, lenient) in [
        ("--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n", false),
        ("--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n", false),
        (
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n",
            false,
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+2\n",
            true,
        ),
        ("1,2c1\n< one\n", false),
    ] {
        for name in ["check_patch", "apply_patch"] {
            let (text, ..) = client.calls(name, &json!({"patch": patch, "lenient": lenient}));
            assert!(
                text.contains("provide the complete patch")
                    && !text.contains("fix the line counts"),
                "{patch}{text}"
            );
        }
    }
    let wrong = "--- a/a\n+++ b/a\n@@ -1,3 +1,1 @@\n one\n-two\n+2\n three\n";
    let text = client.is_refused("parse", "apply_patch", &json!({"patch": wrong}));
    assert!(!text.contains("provide the complete patch"), "{text}");
    client.ends();
}
