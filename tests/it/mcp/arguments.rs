//! Arguments that do not keep to the schema of a tool: the words name the argument and what is
//! expected.

use serde_json::{Value, json};

use super::Client;
use crate::systems::Desk;

/// Calls with a wrong argument: the tool, its arguments, and what the error states.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "insert",
        r#"{"path": "a", "insert_line": -1, "insert_text": "x"}"#,
        "`insert_line` is -1; expected a whole number of at least 0",
    ),
    (
        "insert",
        r#"{"path": "a", "insert_line": 1.5, "insert_text": "x"}"#,
        "`insert_line` is 1.5; expected a whole number of at least 0",
    ),
    (
        "insert",
        r#"{"path": "a", "insert_line": "1", "new_str": "x"}"#,
        "`insert_line` is \"1\"; expected a whole number of at least 0",
    ),
    (
        "insert",
        r#"{"path": "a", "insert_line": 1, "new_str": 2}"#,
        "`new_str` is 2; expected a string",
    ),
    (
        "insert",
        r#"{"path": "a", "insert_line": 1}"#,
        "the argument `insert_text` is missing; expected a string",
    ),
    (
        "view",
        r"{}",
        "the argument `path` is missing; expected a string",
    ),
    (
        "view",
        r#"{"path": null}"#,
        "`path` is null; expected a string",
    ),
    (
        "view",
        r#"{"path": ["a"]}"#,
        "`path` is a list; expected a string",
    ),
    (
        "view",
        r#"{"path": "a", "view_range": [1]}"#,
        "`view_range` is a list; expected a list of 2 whole numbers, such as [1, 20]",
    ),
    (
        "view",
        r#"{"path": "a", "view_range": "1-2"}"#,
        "`view_range` is \"1-2\"; expected a list of 2 whole numbers, such as [1, 20]",
    ),
    (
        "view",
        r#"{"path": "a", "lines": 3}"#,
        "unknown argument \"lines\"; expected one of `hashline`, `path`, `session`, `symbol`, `view_range`",
    ),
    (
        "create",
        r#"{"path": "a", "file_text": {"a": 1}}"#,
        "`file_text` is an object; expected a string",
    ),
    (
        "str_replace",
        r#"{"path": "a", "old_str": true}"#,
        "`old_str` is true; expected a string",
    ),
    (
        "apply_patch",
        r#"{"patch": "x", "lenient": "yes"}"#,
        "`lenient` is \"yes\"; expected true or false",
    ),
    (
        "apply_patch",
        r#"{"patch": "x", "strip": -1}"#,
        "`strip` is -1; expected a whole number of at least 0",
    ),
    (
        "str_replace_based_edit_tool",
        r#"{"path": "a"}"#,
        "the argument `command` is missing; expected a string",
    ),
    (
        "notebook",
        r#"{"path": "a", "action": "move"}"#,
        "`action` is \"move\"; expected one of replace, insert, delete",
    ),
    (
        "session",
        r#"{"action": "commit"}"#,
        "the argument `id` is missing for this action",
    ),
    (
        "undo",
        r#"{"session": "0"}"#,
        "unknown argument \"session\"; expected one of `id`",
    ),
    (
        "edit",
        r#"{"edits": {}}"#,
        "`edits` is an object; expected a list of objects",
    ),
    (
        "edit",
        r#"{"edits": [1]}"#,
        "entry 1 of `edits`: 1 is not an object",
    ),
    (
        "edit",
        r#"{"edits": [{"path": "a", "old_str": "one"}, {"path": 1, "old_str": "a"}]}"#,
        "entry 2 of `edits`: `path` is 1; expected a string",
    ),
    (
        "edit",
        r#"{"edits": [{"path": "a", "old": "one"}]}"#,
        "entry 1 of `edits`: unknown argument \"old\"",
    ),
    ("undo", r#"{"id": ""}"#, "`id` is empty"),
    (
        "check_patch",
        r#"{"patch": 1}"#,
        "`patch` is 1; expected a string",
    ),
];

#[test]
fn a_wrong_argument_is_named_with_the_expected_value() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let mut client = Client::of(&desk, &[]);
    for (name, arguments, expected) in WRONG {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let text = client.is_refused("usage", name, &arguments);
        assert!(text.contains(expected), "{name} {arguments}: {text}");
        assert!(
            !["usize", "i64", "column", "integer", "tuple", "struct"]
                .iter()
                .any(|word| text.contains(word)),
            "{text}"
        );
    }
    client.says(br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "view", "arguments": {"path": "a", "path": "b"}}}"#);
    let answer = client.hears();
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.contains("`path` occurs twice"), "{text}");
    for params in [json!({"arguments": {}}), json!({"name": 5})] {
        let message = client.asks("tools/call", &params)["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            message == "the parameters of tools/call are invalid",
            "{message}"
        );
    }
}
