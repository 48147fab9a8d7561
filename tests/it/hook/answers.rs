//! What each harness reads from the output of the hook.

use std::process::Output;

use serde_json::{Value, json};

use crate::systems::{Desk, fed, program};

/// The harnesses, in the order of the documentation.
pub(super) const HARNESSES: [&str; 5] = ["claude", "codex", "gemini", "copilot", "cursor"];

/// Runs the hook of `harness` on `input`.
pub(super) fn answer(desk: &Desk, harness: &str, options: &[&str], input: &Value) -> Output {
    let mut hook = program(&desk.root(), &[&["hook", harness], options].concat());
    hook.env_remove("CLAUDE_PROJECT_DIR")
        .env_remove("GEMINI_PROJECT_DIR")
        .env("HOME", desk.path("../home"));
    fed(&mut hook, input.to_string().as_bytes())
}

/// Returns the name of the event of `input`.
pub(super) fn event_of(input: &Value) -> &str {
    input["hook_event_name"].as_str().unwrap_or("preToolUse")
}

/// Returns the decision on an event and the reason, as `harness` reads them. Asserts that the
/// output has exactly the documented fields.
pub(super) fn decision_of(harness: &str, event: &str, output: &Output) -> Option<(String, String)> {
    if event == "afterFileEdit" && output.status.code() == Some(2) {
        assert!(output.stdout.is_empty());
        let reason = String::from_utf8(output.stderr.clone()).unwrap();
        return Some(("block".to_owned(), reason));
    }
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr)
        ),
        (Some(0), "".into())
    );
    if output.stdout.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |place: &str| {
        answer
            .pointer(place)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (decision, reason) = match (harness, event) {
        ("claude" | "codex", "PreToolUse") => (
            text("/hookSpecificOutput/permissionDecision"),
            text("/hookSpecificOutput/permissionDecisionReason"),
        ),
        ("claude" | "codex", "PermissionRequest") => (
            text("/hookSpecificOutput/decision/behavior"),
            text("/hookSpecificOutput/decision/message"),
        ),
        ("claude", "PostToolUse") | ("gemini", "BeforeTool") => {
            (text("/decision"), text("/reason"))
        }
        ("copilot", _) => (
            text("/permissionDecision"),
            text("/permissionDecisionReason"),
        ),
        _ => (text("/permission"), text("/user_message")),
    };
    assert_eq!(answer, expected((harness, event), decision, reason));
    Some((decision.to_owned(), reason.to_owned()))
}

/// Returns the documented output.
fn expected((harness, event): (&str, &str), decision: &str, reason: &str) -> Value {
    let specific = |mut output: Value| {
        output["hookEventName"] = event.into();
        json!({"hookSpecificOutput": output})
    };
    match (harness, event, decision) {
        ("claude" | "codex", "PreToolUse", _) => {
            specific(json!({"permissionDecision": decision, "permissionDecisionReason": reason}))
        }
        ("claude" | "codex", "PermissionRequest", "allow") => {
            specific(json!({"decision": {"behavior": "allow"}}))
        }
        ("claude" | "codex", "PermissionRequest", _) => {
            specific(json!({"decision": {"behavior": decision, "message": reason}}))
        }
        ("claude", "PostToolUse", _) | ("gemini", "BeforeTool", _) => {
            json!({"decision": decision, "reason": reason})
        }
        ("copilot", _, _) => {
            json!({"permissionDecision": decision, "permissionDecisionReason": reason})
        }
        ("cursor", _, "allow") => json!({"permission": decision}),
        ("cursor", "beforeReadFile", _) => json!({"permission": decision, "user_message": reason}),
        ("cursor", _, _) => {
            json!({"permission": decision, "user_message": reason, "agent_message": reason})
        }
        _ => panic!("{harness} {event}"),
    }
}

/// Returns whether any text in the output is `allow`.
pub(super) fn is_allowed(output: &Output) -> bool {
    fn has_allow(value: &Value) -> bool {
        match value {
            Value::String(text) => text == "allow",
            Value::Array(values) => values.iter().any(has_allow),
            Value::Object(members) => members.values().any(has_allow),
            _ => false,
        }
    }
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_default();
    has_allow(&answer)
}
