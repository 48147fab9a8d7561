//! Tests of JSON documents and of the positions of their errors.

use crate::syntax::SyntaxErrorKind::{self, Contradiction, Expected};
use crate::syntax::testing::{describe, parse_error};

#[test]
fn a_document_gives_whole_contents() {
    let text = "\n {\"replace\": [{\"path\": \"a\", \"content\": \"1\\n\"},\n{\"content\": \"\\u00e9\", \"path\": \"./b/c\"}]}\n";
    assert_eq!(describe(text), ["Modify a \"1\\n\"", "Modify b/c \"é\""]);
    assert_eq!(
        describe(r#"{"changes":[{"path":"a","content":""}]}"#),
        ["Modify a \"\""]
    );
}

#[test]
fn edits_of_one_file_belong_together() {
    let text = r#"{"edits": [{"path": "a", "old": "1", "new": "2"}, {"path": "b", "search": "x", "replace": "", "all": true},
        {"path": "./a", "old_string": "3", "new_string": "4", "replace_all": false}]}"#;
    assert_eq!(
        describe(text),
        [
            r#"Modify a Once "1" "2" Once "3" "4""#,
            r#"Modify b All "x" """#
        ]
    );
}

#[test]
fn a_string_holds_a_patch_of_another_grammar() {
    let diff = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-1\n+2\n");
    let patch = |text: &str| serde_json::json!({ "patch": text }).to_string();
    assert_eq!(
        describe(&patch(&[diff("x"), diff("y")].concat())),
        ["Modify x +1-1", "Modify y +1-1"]
    );
    assert_eq!(describe(&patch(diff("x").trim_end())), ["Modify x +1-1"]);
    let envelope = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
    assert_eq!(
        describe(&[patch(&diff("x")), patch(envelope)].join("\n")),
        ["Modify x +1-1", "Delete a step 1"]
    );
    for text in ["prose", r#"{"replace":[{"path":"a","content":"1"}]}"#, ""] {
        let (kind, place) = parse_error(&patch(text));
        assert_eq!(
            (kind, place),
            (
                SyntaxErrorKind::NoPatch,
                serde_json::json!(text).to_string()
            )
        );
    }
}

#[test]
fn text_that_is_not_utf_8_is_named_and_valid_text_is_not() {
    let kind = |text: &[u8]| {
        let read = crate::syntax::parse_edits(text).map(|list| list.edits.len());
        read.map_err(|error| (error.kind, error.span.start))
    };
    let invalid = Expected("text in UTF-8");
    assert_eq!(
        kind(b"[{\"old\":\"x\xff\",\"new\":\"\"}]"),
        Err((invalid, 10))
    );
    let error = kind("[{\"old\":\"\\u12é4\",\"new\":\"\"}]".as_bytes()).unwrap_err();
    assert_eq!(error.0, Expected("JSON"));
}

#[test]
fn a_list_of_edits_names_no_file() {
    let count = |text: &str| {
        crate::syntax::parse_edits(text.as_bytes())
            .map(|list| list.edits.len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(
        count(r#" [{"old":"a","new":"b"},{"oldText":"c","newText":""}] "#),
        Ok(2)
    );
    assert_eq!(count(r#"{"edits":[{"old":"a","new":"b"}]}"#), Ok(1));
    assert_eq!(
        count(r#"[{"path":"x","old":"a","new":"b"}]"#),
        Err("expected an edit without `path`".into())
    );
    assert_eq!(count("[] x"), Err("expected only the patch".into()));
    assert_eq!(count("{}"), Err("expected a list of edits".into()));
    assert_eq!(count(""), Err("expected JSON".into()));
}

#[test]
fn a_list_of_edits_states_one_digest() {
    let (digest, other) = (
        crate::digest::Sha256::of(b"1"),
        crate::digest::Sha256::of(b"2"),
    );
    let entry = |digest| format!(r#"{{"old":"a","new":"b","expected_hash":"{digest}"}}"#);
    let plain = r#"{"old":"c","new":"d"}"#;
    let read = |text: String| crate::syntax::parse_edits(text.as_bytes()).map(|list| list.expected);
    assert_eq!(
        read(format!("[{plain},{},{}]", entry(digest), entry(digest))),
        Ok(Some(digest))
    );
    assert_eq!(
        read(format!(
            r#"{{"expected":"1","edits":[{plain},{}]}}"#,
            entry(digest)
        )),
        Ok(Some(digest))
    );
    assert_eq!(read(format!("[{plain}]")), Ok(None));
    for text in [
        format!("[{},{}]", entry(digest), entry(other)),
        format!(
            r#"{{"edits":[{}],"expected_hash":"{other}"}}"#,
            entry(digest)
        ),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(error.kind, Contradiction("two digests for one file"));
    }
}

#[test]
fn documents_may_follow_each_other() {
    let one = r#"{"replace":[{"path":"a","content":"1"}]}"#;
    let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
    assert_eq!(
        describe(&[one, "\n", one, "\n", patch].concat()),
        ["Modify a \"1\"", "Modify a \"1\" step 1", "Delete a step 2"]
    );
}

/// Documents, each with its error and the text at the position of the error.
const MISTAKES: &[(&str, SyntaxErrorKind, &str)] = &[
    (
        r#"{"replace": [{"path": "a" "content": ""}]}"#,
        Expected("JSON"),
        "\"",
    ),
    (
        "{\"replace\":\n [\n",
        Expected("the rest of the JSON document"),
        "",
    ),
    (
        r#"{"replce": []}"#,
        Expected("`replace`, `changes`, `edits` or `patch`, and `expected_hash` or `expected`"),
        "\"replce\"",
    ),
    (
        "{}",
        Expected("`replace`, `changes`, `edits` or `patch`, and `expected_hash` or `expected`"),
        "{}",
    ),
    (r#"{"replace": 1}"#, Expected("a list of files"), "1"),
    (
        r#"{"replace": []}"#,
        Expected("a list that is not empty"),
        "[]",
    ),
    (
        r#"{"replace": ["a"]}"#,
        Expected("an object with `path` and `content`"),
        "\"a\"",
    ),
    (
        r#"{"replace": [{"path": "a"}]}"#,
        Expected("an object with `content`"),
        r#"{"path": "a"}"#,
    ),
    (
        r#"{"replace": [{"path": 7}]}"#,
        Expected("a path as a string"),
        "7",
    ),
    (
        r#"{"replace": [{"path": "a", "content": "\ud800"}]}"#,
        Expected("the content as a string"),
        r#""\ud800""#,
    ),
    (
        r#"{"replace": [{"p": ""}]}"#,
        Expected("`path`, `content`, `expected_hash` or `expected`"),
        "\"p\"",
    ),
    (
        r#"{"replace": [{"expected_hash": "1"}]}"#,
        Expected("`sha256:` and 64 hex digits"),
        "\"1\"",
    ),
    (
        r#"{"edits": [{"old": "", "new": "a"}]}"#,
        Expected("the old text as a string that is not empty"),
        "\"\"",
    ),
    (
        r#"{"edits": [{"old": "a", "new": "b"}]}"#,
        Expected("an object with `path`"),
        r#"{"old": "a", "new": "b"}"#,
    ),
    (
        r#"{"edits": [{"old": "a", "new_str": "b"}]}"#,
        Expected("`path`, `old`, `new`, `all`, `expected_hash` or `expected`"),
        "\"new_str\"",
    ),
    (
        r#"{"edits": [{"old": "a"}]}"#,
        Expected("`old` and `new` together"),
        r#"{"old": "a"}"#,
    ),
    (
        r#"{"edits": [{"old": "a", "new": "b", "all": 1}]}"#,
        Expected("`true` or `false`"),
        "1",
    ),
    (
        r#"{"replace": [], "changes": []}"#,
        Contradiction("two kinds of change in one document"),
        "\"changes\"",
    ),
    (
        r#"{"replace": [{"path":"a","path":"b"}]}"#,
        Contradiction("the key occurs twice"),
        "\"path\"",
    ),
    (
        r#"{"replace": [{"path":"a","content":""},{"path":"b/../a","content":""}]}"#,
        Contradiction("two entries for one file"),
        "\"b/../a\"",
    ),
    (
        r#"{"replace": [{"path":"a","content":""}]} x"#,
        Expected("only the patch"),
        "x",
    ),
];

#[test]
fn a_mistake_has_its_place() {
    for &(text, ref kind, place) in MISTAKES {
        assert_eq!(
            parse_error(text),
            (kind.clone(), place.to_owned()),
            "{text}"
        );
    }
}

#[test]
fn an_opening_brace_below_other_text_is_prose() {
    let diff = "{not json}\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n{\"replace\": []}\n";
    assert_eq!(describe(diff), ["Modify x +1-1"]);
}

#[test]
fn operations_come_alone_in_a_call_or_in_a_list() {
    let operation = r#"{"type": "create_file", "path": "a", "diff": "+1\n+2"}"#;
    let call =
        format!(r#"{{"type": "apply_patch_call", "call_id": "x", "operation": {operation}}}"#);
    for text in [
        operation.to_owned(),
        call.clone(),
        format!("[{operation}]"),
        format!("\n[\n{call}]\n"),
    ] {
        let plan = crate::syntax::parse(
            "-",
            text.clone(),
            &crate::syntax::select_syntaxes("auto"),
            crate::syntax::Options::default(),
        );
        let plan = plan.unwrap();
        assert_eq!(
            (plan.inputs.len(), &plan.inputs[1].bytes[..]),
            (2, &b"+1\n+2\n"[..]),
            "{text}"
        );
        assert_eq!(
            (plan.operations.len(), plan.operations[0].input),
            (1, 1),
            "{text}"
        );
    }
}

/// Operations, each with the text at the position of its error.
const WRONG_OPERATIONS: &[(&str, &str)] = &[
    (
        r#"{"type": "move_file", "path": "a", "diff": ""}"#,
        r#""move_file""#,
    ),
    (
        r#"{"type": "update_file", "path": "a"}"#,
        r#"{"type": "update_file", "path": "a"}"#,
    ),
    (
        r#"{"type": "update_file", "path": "a", "diff": ""}"#,
        r#""""#,
    ),
    (
        r#"{"type": "update_file", "path": "a", "diff": "*** End Patch"}"#,
        r#""*** End Patch""#,
    ),
    (
        r#"{"type": "create_file", "path": "a", "diff": "+a\nb"}"#,
        r#""+a\nb""#,
    ),
    (
        r#"[{"type": "delete_file", "path": "a", "mode": 1}]"#,
        r#""mode""#,
    ),
    (
        r#"{"type": "call", "operation": {"type": "delete_file", "path": "a"}}"#,
        r#""call""#,
    ),
];

#[test]
fn a_wrong_operation_is_refused_at_its_place() {
    for &(text, at) in WRONG_OPERATIONS {
        let error = parse_error(text);
        assert_eq!(error.1, at, "{text} {error:?}");
    }
}

#[test]
fn every_form_takes_the_digest_of_its_file() {
    let digest = crate::digest::Sha256::of(b"1\n");
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n";
    let file = serde_json::json!({"path": "x", "content": "2\n"});
    let edit = serde_json::json!({"path": "x", "old": "1", "new": "2"});
    let operation =
        |kind: &str, diff: &str| serde_json::json!({"type": kind, "path": "x", "diff": diff});
    let call =
        serde_json::json!({"type": "apply_patch_call", "operation": operation("delete_file", "")});
    let documents = [
        (serde_json::json!({"patch": diff}), ""),
        (serde_json::json!({"replace": [file]}), ""),
        (serde_json::json!({"replace": [file]}), "/replace/0"),
        (serde_json::json!({"changes": [file]}), "/changes/0"),
        (serde_json::json!({"edits": [edit]}), ""),
        (serde_json::json!({"edits": [edit]}), "/edits/0"),
        (operation("update_file", "@@\n-1\n+2"), ""),
        (operation("create_file", "+2"), ""),
        (operation("delete_file", ""), ""),
        (call, "/operation"),
    ];
    for (document, entry) in documents {
        for (key, value) in [
            ("expected_hash", digest.to_string()),
            ("expected", "1\n".to_owned()),
        ] {
            let mut document = document.clone();
            document.pointer_mut(entry).unwrap()[key] = value.into();
            let text = document.to_string();
            let (among, options) = (
                crate::syntax::select_syntaxes("auto"),
                crate::syntax::Options::default(),
            );
            let plan = crate::syntax::parse("-", text.clone(), &among, options).expect(&text);
            let found: Vec<_> = plan
                .operations
                .iter()
                .map(|operation| operation.expected.as_deref())
                .collect();
            assert_eq!(found, [Some(&digest)], "{text}");
        }
    }
    let two = [diff, &diff.replace('x', "y")].concat();
    let two = serde_json::json!({"patch": two, "expected_hash": digest.to_string()});
    let says = "a digest needs a change of exactly one file";
    assert_eq!(
        parse_error(&two.to_string()),
        (Contradiction(says), "\"expected_hash\"".to_owned())
    );
    let entry = serde_json::json!({"path": "x", "content": "", "expected": ""});
    let other = serde_json::json!({"replace": [entry], "expected_hash": digest.to_string()});
    assert_eq!(
        parse_error(&other.to_string()).0,
        Contradiction("two digests for one file")
    );
}
