//! What agents are answered that ask before they use a tool.

use std::process::Output;

use serde_json::{Value, json};

use crate::systems::Desk;
use crate::tree;

/// Runs the hook on a call of `tool`.
fn answered(desk: &Desk, agent: &str, tool: &str, input: &Value) -> Output {
    let call = json!({
        "session_id": "s1",
        "transcript_path": null,
        "cwd": desk.root(),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": "t1",
    });
    let before = tree::read(&desk.root());
    let output = desk.runs(&["hook", agent], call.to_string().as_bytes());
    assert_eq!(tree::read(&desk.root()), before, "nothing is written");
    output
}

/// Returns decision and reason; none for a call that the hook says nothing of.
fn decision(output: &Output) -> Option<(String, String)> {
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    if output.stdout.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let said = &answer["hookSpecificOutput"];
    assert_eq!((answer.as_object().unwrap().len(), &said["hookEventName"]), (1, &json!("PreToolUse")));
    let text = |key: &str| said[key].as_str().unwrap().to_owned();
    Some((text("permissionDecision"), text("permissionDecisionReason")))
}

fn claude(desk: &Desk, tool: &str, input: &Value) -> Option<(String, String)> {
    decision(&answered(desk, "claude", tool, input))
}

fn desk() -> Desk {
    Desk::with(&[("a", b"one\ntwo\nthree\n"), ("../outside", b"x\n"), (".git/config", b"x\n")])
}

/// A notebook with one cell.
const NOTEBOOK: &str = r#"{"cells":[{"cell_type":"code","execution_count":1,"id":"c1","metadata":{},"outputs":[],
"source":["1"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}"#;

#[test]
fn each_tool_of_claude_code_that_fits_is_allowed() {
    let desk = Desk::with(&[("a", b"one\ntwo\nthree\n"), ("n.ipynb", NOTEBOOK.as_bytes())]);
    let path = desk.path("a");
    let calls = [
        ("Edit", json!({"file_path": path, "old_string": "two", "new_string": "2"})),
        ("Edit", json!({"file_path": "a", "old_string": "e", "new_string": "E", "replace_all": true})),
        ("Edit", json!({"file_path": desk.path("new"), "old_string": "", "new_string": "x"})),
        ("Write", json!({"file_path": path, "content": "new\n"})),
        ("Write", json!({"file_path": desk.path("d/new"), "content": "new\n"})),
        (
            "MultiEdit",
            json!({"file_path": path, "edits": [
                {"old_string": "one", "new_string": "two"},
                {"old_string": "two", "new_string": "2", "replace_all": true},
            ]}),
        ),
        ("NotebookEdit", json!({"notebook_path": desk.path("n.ipynb"), "cell_id": "c1", "new_source": "2"})),
        (
            "NotebookEdit",
            json!({"notebook_path": desk.path("n.ipynb"), "new_source": "2", "cell_type": "markdown", "edit_mode": "insert"}),
        ),
    ];
    for (tool, input) in calls {
        assert_eq!(claude(&desk, tool, &input).unwrap().0, "allow", "{tool} {input}");
    }
}

#[test]
fn what_is_closed_or_outside_is_denied_whatever_the_tool() {
    let desk = desk();
    for path in [desk.path(".git/config"), desk.path("../outside"), "/etc/hosts".into(), "../outside".into()] {
        for (tool, input) in [
            ("Edit", json!({"file_path": path, "old_string": "x", "new_string": "y"})),
            ("Write", json!({"file_path": path, "content": "y"})),
            ("Read", json!({"file_path": path})),
            ("NotebookEdit", json!({"notebook_path": path, "cell_id": "c1", "new_source": "2"})),
        ] {
            let (said, reason) = claude(&desk, tool, &input).unwrap();
            assert!(said == "deny" && reason.starts_with("error ("), "{tool} {input}: {reason}");
        }
    }
}

#[test]
fn an_edit_that_cannot_be_made_is_denied_with_the_nearest_place() {
    let desk = desk();
    let input = json!({"file_path": desk.path("a"), "old_string": "two\nthre3\n", "new_string": "2"});
    let (said, reason) = claude(&desk, "Edit", &input).unwrap();
    assert_eq!(said, "deny");
    assert!(reason.starts_with("error (not_found): a: ") && reason.contains("     2\ttwo\n"), "{reason}");
}

#[test]
fn of_other_calls_nothing_is_said() {
    let desk = desk();
    for (tool, input) in [
        ("Bash", json!({"command": "rm -r /"})),
        ("mcp__x__y", json!([1])),
        ("Read", json!({"file_path": desk.path("a")})),
        ("Read", json!({"file_path": desk.path("none")})),
    ] {
        assert_eq!(claude(&desk, tool, &input), None, "{tool}");
    }
    let other = json!({"cwd": desk.root(), "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {}});
    assert_eq!(decision(&desk.runs(&["hook", "claude"], other.to_string().as_bytes())), None);
}

#[test]
fn what_cannot_be_understood_is_blocked() {
    let desk = desk();
    for agent in ["claude", "codex"] {
        for text in ["", "{", "[]", "{\"hook_event_name\": \"PreToolUse\"}", "\u{1b}[2J"] {
            let output = desk.runs(&["hook", agent], text.as_bytes());
            assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{text}");
            assert!(!output.stderr.is_empty() && !output.stderr.contains(&0x1b), "{text}");
        }
    }
    for (agent, tool, input) in [
        ("claude", "Edit", json!({"file_path": 1})),
        ("claude", "Write", json!({"file_path": desk.path("a")})),
        ("claude", "NotebookEdit", json!({"notebook_path": desk.path("a"), "edit_mode": "burn"})),
        ("codex", "apply_patch", json!({})),
        ("codex", "apply_patch", json!({"command": 1})),
    ] {
        let output = answered(&desk, agent, tool, &input);
        assert!(output.status.code() == Some(2) && !output.stderr.is_empty(), "{tool} {input}: {output:?}");
    }
    let gone = json!({"cwd": desk.path("none"), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": "a", "content": ""}});
    assert_eq!(desk.runs(&["hook", "claude"], gone.to_string().as_bytes()).status.code(), Some(2));
}

#[test]
fn a_patch_of_codex_is_checked_however_it_comes() {
    let desk = Desk::with(&[("d/a", b"one\n"), ("a", b"one\n"), (".git/config", b"x\n")]);
    let update =
        |file: &str, old: &str| format!("*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+1\n*** End Patch\n");
    let codex = |tool: &str, input: Value| decision(&answered(&desk, "codex", tool, &input));
    let forms = |patch: &str| {
        [
            ("apply_patch", json!({"command": patch})),
            ("apply_patch", json!({"input": patch})),
            ("apply_patch", json!(patch)),
            ("apply_patch", json!({"command": ["apply_patch", patch]})),
            ("Bash", json!({"command": format!("apply_patch <<'EOF'\n{patch}EOF")})),
            ("Bash", json!({"command": ["bash", "-lc", format!("cd d && apply_patch <<EOF\n{patch}EOF\n")]})),
        ]
    };
    for (tool, input) in forms(&update("a", "one")) {
        assert_eq!(codex(tool, input.clone()), None, "{input}");
    }
    for (tool, input) in forms(&update("a", "none")) {
        let (said, reason) = codex(tool, input.clone()).unwrap();
        assert!(said == "deny" && reason.starts_with("error (not_found): "), "{input}: {reason}");
    }
    for (file, kind) in [(".git/config", "denied"), ("../x", "outside_root"), ("/etc/hosts", "outside_root")] {
        let (said, reason) = codex("apply_patch", json!({"command": update(file, "x")})).unwrap();
        assert!(said == "deny" && reason.contains(&format!("error ({kind}): ")), "{file}: {reason}");
    }
    let hidden = format!("true; apply_patch <<'EOF'\n{}EOF", update("a", "one"));
    assert_eq!(codex("Bash", json!({"command": hidden})).unwrap().0, "deny");
    assert_eq!(codex("Bash", json!({"command": "ls"})), None);
    assert!(codex("apply_patch", json!({"command": "no patch"})).unwrap().1.starts_with("error (parse): "));
}
