//! What differs between the harnesses: names of tools, questions, and answers.

use serde_json::{Value, json};

use super::answers::{HARNESSES, answer, decision_of};
use super::events::with_paths;
use super::grants::{ALLOWED, SILENT, counted, desk as desk_with};
use super::{desk, governed};
use crate::systems::Desk;
use crate::world;

/// The name of a tool of Claude Code, its name in another harness, and the arguments with other names.
type ToolNames = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// Returns the tools of `harness` that have other names than those of Claude Code.
fn tool_names(harness: &str) -> &'static [ToolNames] {
    match harness {
        "gemini" => &[
            ("Edit", "replace", &[("replace_all", "allow_multiple")]),
            ("Write", "write_file", &[]),
            ("Read", "read_file", &[]),
            (
                "Grep",
                "grep_search",
                &[("path", "dir_path"), ("glob", "include_pattern")],
            ),
            ("Glob", "glob", &[("path", "dir_path")]),
            ("LS", "list_directory", &[("path", "dir_path")]),
        ],
        "copilot" => &[
            (
                "Edit",
                "edit",
                &[
                    ("file_path", "path"),
                    ("old_string", "old_str"),
                    ("new_string", "new_str"),
                ],
            ),
            (
                "Write",
                "create",
                &[("file_path", "path"), ("content", "file_text")],
            ),
            ("Read", "view", &[("file_path", "path")]),
            ("Grep", "grep", &[]),
            ("Glob", "glob", &[]),
        ],
        _ => &[("Edit", "Write", &[]), ("MultiEdit", "Delete", &[])],
    }
}

/// Returns a call with the names of Claude Code as the call of another harness.
fn translate(harness: &str, cwd: &Value, tool: &str, input: &Value) -> Value {
    let names = tool_names(harness);
    let (_, name, keys) =
        names
            .iter()
            .find(|row| row.0 == tool)
            .copied()
            .unwrap_or((tool, tool, &[]));
    let mut input = input.clone();
    for (old, new) in keys {
        if let Some(members) = input.as_object_mut()
            && let Some(value) = members.remove(*old)
        {
            members.insert((*new).to_owned(), value);
        }
    }
    match harness {
        "gemini" => {
            json!({"hook_event_name": "BeforeTool", "cwd": cwd, "tool_name": name, "tool_input": input})
        }
        "copilot" => {
            json!({"sessionId": "s", "timestamp": 1, "cwd": cwd, "toolName": name, "toolArgs": input})
        }
        _ => {
            json!({"hook_event_name": "preToolUse", "workspace_roots": [cwd], "cwd": "", "tool_name": name,
            "tool_input": input})
        }
    }
}

/// Returns the decision of `harness` on a random call.
fn decide(desk: &Desk, harness: &str, tool: &str, input: &Value, options: &[&str]) -> String {
    let cwd = serde_json::to_value(desk.root()).unwrap();
    let call = translate(harness, &cwd, tool, &with_paths(desk, input.clone()));
    let event = call["hook_event_name"]
        .as_str()
        .unwrap_or("preToolUse")
        .to_owned();
    let output = answer(desk, harness, options, &call);
    if output.status.code() == Some(2) {
        return "blocked".to_owned();
    }
    decision_of(harness, &event, &output).unwrap_or_default().0
}

#[test]
fn without_a_policy_that_allows_no_harness_allows_a_random_call() {
    let desks = SILENT.map(desk_with);
    for (harness, decisions) in [
        ("gemini", &["", "blocked", "deny"][..]),
        ("copilot", &["", "ask", "blocked", "deny"]),
        ("cursor", &["", "blocked", "deny"]),
    ] {
        let counts = counted(31, 150, |(_, _, tool, input), policy| {
            let decision = decide(&desks[policy], harness, tool, input, &[]);
            assert_ne!(
                decision, "allow",
                "{:?}: {harness} {tool} {input}",
                SILENT[policy]
            );
            decision
        });
        let seen: Vec<_> = counts.keys().map(String::as_str).collect();
        assert_eq!(seen, decisions, "{harness} {counts:?}");
    }
}

#[test]
fn where_the_user_allows_all_the_harnesses_with_an_answer_allow() {
    let (open, ruled) = (desk_with(SILENT[0]), desk_with(ALLOWED));
    for (harness, allows) in [("gemini", false), ("copilot", true), ("cursor", true)] {
        let counts = counted(32, 60, |(_, _, tool, input), _| {
            let by = [
                decide(&open, harness, tool, input, &["--allow"]),
                decide(&ruled, harness, tool, input, &[]),
            ];
            by.join(",")
        });
        let is_seen = counts.get("allow,allow").is_some_and(|&count| count > 3);
        assert_eq!(is_seen, allows, "{harness} {counts:?}");
    }
}

/// Returns the input of a write of `a.lock`, about which policy asks.
fn write(desk: &Desk, harness: &str) -> Value {
    let input = json!({"file_path": desk.path("a.lock"), "content": "x\n"});
    let cwd = serde_json::to_value(desk.root()).unwrap();
    if harness == "claude" {
        return json!({"hook_event_name": "PreToolUse", "cwd": cwd, "tool_name": "Write", "tool_input": input});
    }
    let edit = json!({"file_path": desk.path("a.lock"), "old_string": "one", "new_string": "x"});
    translate(harness, &cwd, "Edit", &edit)
}

#[test]
fn a_harness_without_a_question_gets_a_refusal_that_sends_the_model_to_the_user() {
    let desk = governed("wpatch.toml");
    let question = "a.lock: policy requires approval: ";
    let advice = "\nhelp: ask the user to make this change, and do not try to bypass the rule";
    for (harness, event, decision) in [
        ("claude", "PreToolUse", "ask"),
        ("gemini", "BeforeTool", "deny"),
        ("copilot", "preToolUse", "ask"),
        ("cursor", "preToolUse", "deny"),
    ] {
        let output = answer(&desk, harness, &[], &write(&desk, harness));
        let (said, why) = decision_of(harness, event, &output).unwrap();
        assert!(
            said == decision
                && why.starts_with(question)
                && why.ends_with(advice) == (said == "deny"),
            "{harness}: {said} {why}"
        );
    }
}

#[test]
fn a_question_is_deferred_only_on_request() {
    let desk = governed("wpatch.toml");
    let call = write(&desk, "claude");
    let decide = |options: &[&str], call: &Value| {
        let output = answer(&desk, "claude", options, call);
        decision_of("claude", "PreToolUse", &output).map(|(said, _)| said)
    };
    assert_eq!(decide(&[], &call).as_deref(), Some("ask"));
    assert_eq!(decide(&["--defer"], &call).as_deref(), Some("defer"));
    let mut planned = call.clone();
    planned["permission_mode"] = "plan".into();
    assert_eq!(decide(&["--defer"], &planned).as_deref(), Some("deny"));
    for harness in ["codex", "gemini", "copilot", "cursor"] {
        let output = answer(&desk, harness, &["--defer"], &json!({}));
        assert_eq!(
            (output.status.code(), &output.stdout[..]),
            (Some(2), &b""[..])
        );
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains("has no answer `defer`"), "{errors}");
    }
}

#[test]
fn a_malformed_call_is_blocked_in_the_way_that_the_event_honors() {
    let desk = desk();
    for harness in HARNESSES {
        for text in ["{", "[]", "{}", "7", "null"] {
            let output = desk.runs(&["hook", harness], text.as_bytes());
            assert_eq!(
                (
                    output.status.code(),
                    output.stdout.is_empty(),
                    output.stderr.is_empty()
                ),
                (Some(2), true, false),
                "{harness} {text}"
            );
        }
    }
    let tool = json!({"file_path": [1], "path": [1]});
    let cwd = serde_json::to_value(desk.root()).unwrap();
    for (harness, name) in [
        ("gemini", "Read"),
        ("copilot", "Read"),
        ("cursor", "Read"),
        ("cursor", "Write"),
    ] {
        let output = answer(&desk, harness, &[], &translate(harness, &cwd, name, &tool));
        assert_eq!(
            (output.status.code(), output.stdout.is_empty()),
            (Some(2), true),
            "{harness}"
        );
    }
    for input in [
        json!({}),
        json!({"workspace_roots": []}),
        json!({"workspace_roots": [""], "cwd": ""}),
    ] {
        let mut input = input;
        input["hook_event_name"] = "beforeReadFile".into();
        input["file_path"] = "a".into();
        assert_eq!(
            answer(&desk, "cursor", &[], &input).status.code(),
            Some(2),
            "{input}"
        );
    }
    // The exit code of a hook has no effect on this event.
    for harness in ["claude", "codex"] {
        let call = json!({"hook_event_name": "PermissionRequest", "tool_name": "Write"});
        let output = answer(&desk, harness, &[], &call);
        let (said, why) = decision_of(harness, "PermissionRequest", &output).unwrap();
        assert_eq!(
            (&*said, &*why),
            ("deny", "invalid hook input: missing field `cwd`")
        );
    }
}

#[test]
fn a_policy_that_cannot_be_used_denies_in_every_harness() {
    let invalid = Desk::with(&[
        ("a.lock", b"one\n"),
        ("wpatch.toml", b"[policy]\nmode = 'ful'\n"),
    ]);
    for (desk, options) in [(invalid, &[][..]), (desk(), &["--policy", "none.toml"])] {
        for (harness, event) in [
            ("claude", "PreToolUse"),
            ("gemini", "BeforeTool"),
            ("copilot", "preToolUse"),
            ("cursor", "preToolUse"),
        ] {
            let output = answer(&desk, harness, options, &write(&desk, harness));
            let (said, why) = decision_of(harness, event, &output).unwrap();
            assert!(
                said == "deny" && why.starts_with("error (policy): "),
                "{harness}: {why}"
            );
        }
    }
}

#[test]
fn a_file_of_cursor_belongs_to_the_workspace_that_contains_it() {
    let rule = b"[[rule]]\npaths = ['x']\nops = ['write']\nverdict = 'deny'\n";
    let desk = Desk::with(&[
        ("../second/wpatch.toml", rule),
        ("../second/x", b"1\n"),
        ("x", b"1\n"),
    ]);
    let roots = [desk.root(), desk.path("../second")].map(world::real);
    for (root, decision) in roots.iter().zip([None, Some("deny")]) {
        let call = json!({"hook_event_name": "preToolUse", "workspace_roots": roots, "tool_name": "Write",
            "tool_input": {"file_path": root.join("x")}});
        let decided = decision_of("cursor", "preToolUse", &answer(&desk, "cursor", &[], &call));
        assert_eq!(decided.map(|(said, _)| said).as_deref(), decision);
    }
}

#[test]
fn a_call_of_gemini_with_too_many_patterns_is_denied() {
    let desk = desk();
    for (count, decision) in [(64, None), (65, Some("deny"))] {
        let call = json!({"hook_event_name": "BeforeTool", "cwd": desk.root(), "tool_name": "read_many_files",
            "tool_input": {"include": vec!["a"; count]}});
        let decided = decision_of("gemini", "BeforeTool", &answer(&desk, "gemini", &[], &call));
        assert_eq!(decided.map(|(said, _)| said).as_deref(), decision);
    }
}
