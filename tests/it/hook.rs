//! What agents are answered that ask before they use a tool.

mod answers;
mod catalogue;
mod codex;
mod control;
mod events;
mod examples;
mod grants;
mod harnesses;
mod install;
mod limits;
mod outside;
mod places;
mod policy;
mod search;
mod words;

use std::process::Output;

use serde_json::{Value, json};

use crate::systems::{Desk, fed, program};
use crate::tree;
use policy::governed;

/// Returns a call of `tool`, as agents write it.
fn call(desk: &Desk, tool: &str, input: &Value) -> String {
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
    call.to_string()
}

/// Runs the hook on a call of `tool`.
fn answered(desk: &Desk, agent: &str, tool: &str, input: &Value) -> Output {
    answered_with(desk, &["hook", agent], tool, input)
}

fn answered_with(desk: &Desk, arguments: &[&str], tool: &str, input: &Value) -> Output {
    let before = tree::read(&desk.root());
    let mut hook = program(&desk.root(), arguments);
    hook.env_remove("CLAUDE_PROJECT_DIR")
        .env("HOME", desk.path("../home"));
    let output = fed(&mut hook, call(desk, tool, input).as_bytes());
    assert_eq!(tree::read(&desk.root()), before, "nothing is written");
    output
}

/// Returns decision and reason; none for a call that the hook says nothing of.
fn decision(output: &Output) -> Option<(String, String)> {
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
    if output.stdout.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let said = &answer["hookSpecificOutput"];
    assert_eq!(
        (answer.as_object().unwrap().len(), &said["hookEventName"]),
        (1, &json!("PreToolUse"))
    );
    let text = |key: &str| said[key].as_str().unwrap().to_owned();
    Some((text("permissionDecision"), text("permissionDecisionReason")))
}

fn claude(desk: &Desk, tool: &str, input: &Value) -> Option<(String, String)> {
    decision(&answered(desk, "claude", tool, input))
}

/// Asserts that nothing is said of a call, since it fits: with `--allow` it is allowed.
fn fits(desk: &Desk, tool: &str, input: &Value) {
    assert_eq!(claude(desk, tool, input), None, "{tool} {input}");
    let allowed = decision(&answered_with(
        desk,
        &["hook", "claude", "--allow"],
        tool,
        input,
    ));
    assert_eq!(allowed.unwrap().0, "allow", "{tool} {input}");
}

fn desk() -> Desk {
    Desk::with(&[
        ("a", b"one\ntwo\nthree\n"),
        ("../outside", b"x\n"),
        (".git/config", b"x\n"),
    ])
}

/// A notebook with one cell.
const NOTEBOOK: &str = r#"{"cells":[{"cell_type":"code","execution_count":1,"id":"c1","metadata":{},"outputs":[],
"source":["1"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}"#;

#[test]
fn of_a_change_that_fits_nothing_is_said() {
    let desk = Desk::with(&[
        ("a", b"one\ntwo\nthree\n"),
        ("n.ipynb", NOTEBOOK.as_bytes()),
    ]);
    let path = desk.path("a");
    let calls = [
        (
            "Edit",
            json!({"file_path": path, "old_string": "two", "new_string": "2"}),
        ),
        (
            "Edit",
            json!({"file_path": "a", "old_string": "e", "new_string": "E", "replace_all": true}),
        ),
        (
            "Edit",
            json!({"file_path": desk.path("new"), "old_string": "", "new_string": "x"}),
        ),
        ("Write", json!({"file_path": path, "content": "new\n"})),
        (
            "Write",
            json!({"file_path": desk.path("d/new"), "content": "new\n"}),
        ),
        (
            "MultiEdit",
            json!({"file_path": path, "edits": [
                {"old_string": "one", "new_string": "two"},
                {"old_string": "two", "new_string": "2", "replace_all": true},
            ]}),
        ),
        (
            "MultiEdit",
            json!({"file_path": desk.path("new"), "edits": [
                {"old_string": "", "new_string": "one"},
                {"old_string": "one", "new_string": "1"},
            ]}),
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": desk.path("n.ipynb"), "cell_id": "c1", "new_source": "2"}),
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": desk.path("n.ipynb"), "new_source": "2", "cell_type": "markdown", "edit_mode": "insert"}),
        ),
    ];
    for (tool, input) in calls {
        fits(&desk, tool, &input);
    }
}

#[test]
fn what_is_closed_is_denied_whatever_the_tool() {
    let desk = desk();
    for path in [
        desk.path(".git/config"),
        desk.path("../.git/x"),
        // On Windows, this is a file of the current drive.
        #[cfg(unix)]
        "/etc/shadow".into(),
        "../root/.git/x".into(),
    ] {
        for (tool, input) in [
            (
                "Edit",
                json!({"file_path": path, "old_string": "x", "new_string": "y"}),
            ),
            ("Write", json!({"file_path": path, "content": "y"})),
            ("Read", json!({"file_path": path})),
            (
                "NotebookEdit",
                json!({"notebook_path": path, "cell_id": "c1", "new_source": "2"}),
            ),
        ] {
            let (said, reason) = claude(&desk, tool, &input).unwrap();
            assert!(
                said == "deny" && reason.starts_with("error ("),
                "{tool} {input}: {reason}"
            );
        }
    }
}

#[test]
fn all_edits_of_a_call_fit_or_it_is_denied() {
    let desk = desk();
    let edits = |second: &str| {
        json!({"file_path": "a", "edits": [
            {"old_string": "one", "new_string": "1"},
            {"old_string": second, "new_string": "2"},
        ]})
    };
    fits(&desk, "MultiEdit", &edits("1\ntwo"));
    let (said, why) = claude(&desk, "MultiEdit", &edits("one")).unwrap();
    assert!(
        said == "deny" && why.starts_with("error (not_found): a: "),
        "{why}"
    );
}

#[test]
fn fields_that_are_not_known_change_nothing() {
    let desk = Desk::with(&[("a", b"one\n"), ("n.ipynb", NOTEBOOK.as_bytes())]);
    let new = json!({"x": [1, null]});
    for (tool, input) in [
        (
            "Edit",
            json!({"file_path": "a", "old_string": "one", "new_string": "1", "new": new}),
        ),
        (
            "Write",
            json!({"file_path": "a", "content": "1", "new": new}),
        ),
        (
            "MultiEdit",
            json!({"file_path": "a", "edits": [{"old_string": "one", "new_string": "1", "new": new}], "new": 1}),
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": "n.ipynb", "cell_id": "c1", "new_source": "2", "new": new}),
        ),
    ] {
        fits(&desk, tool, &input);
    }
    assert_eq!(
        claude(
            &desk,
            "Read",
            &json!({"file_path": "a", "pages": "1-3", "new": new})
        ),
        None
    );
}

#[test]
fn an_edit_that_cannot_be_made_is_denied_with_the_nearest_place() {
    let desk = desk();
    let input =
        json!({"file_path": desk.path("a"), "old_string": "two\nthre3\n", "new_string": "2"});
    let (said, reason) = claude(&desk, "Edit", &input).unwrap();
    assert_eq!(said, "deny");
    assert!(
        reason.starts_with("error (not_found): a: ") && reason.contains("     2\ttwo\n"),
        "{reason}"
    );
}

#[test]
fn no_line_of_a_file_acts_on_whoever_reads_the_reason() {
    let hostile = "\tone \u{1b}[2J\u{202e}\u{9b}31m\r\u{8} \u{200b}\n";
    let desk = Desk::with(&[("a", format!("{hostile}two\nthree\n").as_bytes())]);
    let input = json!({"file_path": desk.path("a"), "old_string": format!("{hostile}twoo\nthree\n"), "new_string": "2"});
    let (said, reason) = claude(&desk, "Edit", &input).unwrap();
    assert_eq!(said, "deny");
    assert!(
        reason.contains("     1\t\tone \\x1b[2J\\u{202e}\\u{9b}31m\\r\\x08 \\u{200b}\n"),
        "{reason:?}"
    );
    let acts = |it: char| {
        it.is_control() && !matches!(it, '\n' | '\t') || matches!(it, '\u{202e}' | '\u{200b}')
    };
    assert_eq!(
        reason.chars().find(|&character| acts(character)),
        None,
        "{reason:?}"
    );
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
    let other = json!({"cwd": desk.root(), "hook_event_name": "PostToolUseFailure", "tool_name": "Edit", "tool_input": {}});
    assert_eq!(
        decision(&desk.runs(&["hook", "claude"], other.to_string().as_bytes())),
        None
    );
}

#[test]
fn what_cannot_be_understood_is_blocked() {
    let desk = desk();
    for agent in ["claude", "codex"] {
        for text in [
            "",
            "{",
            "[]",
            "{\"hook_event_name\": \"PreToolUse\"}",
            "\u{1b}[2J",
        ] {
            let output = desk.runs(&["hook", agent], text.as_bytes());
            assert_eq!(
                (output.status.code(), output.stdout.as_slice()),
                (Some(2), &b""[..]),
                "{text}"
            );
            assert!(
                !output.stderr.is_empty() && !output.stderr.contains(&0x1b),
                "{text}"
            );
        }
    }
}

#[test]
fn calls_with_wrong_arguments_are_blocked() {
    let desk = desk();
    for (agent, tool, input) in [
        ("claude", "Edit", json!({"file_path": 1})),
        ("claude", "Write", json!({"file_path": desk.path("a")})),
        (
            "claude",
            "Write",
            json!({"file_path": "a", "content": ["x"]}),
        ),
        ("claude", "Write", json!("a")),
        ("claude", "Read", json!({"file_path": null})),
        (
            "claude",
            "MultiEdit",
            json!({"file_path": "a", "edits": "[]"}),
        ),
        (
            "claude",
            "Edit",
            json!({"file_path": "a", "old_string": "one", "new_string": "1", "replace_all": "yes"}),
        ),
        (
            "claude",
            "NotebookEdit",
            json!({"notebook_path": desk.path("a"), "edit_mode": "burn"}),
        ),
        ("codex", "apply_patch", json!({})),
        ("codex", "apply_patch", json!({"command": 1})),
    ] {
        let output = answered(&desk, agent, tool, &input);
        assert!(
            output.status.code() == Some(2) && !output.stderr.is_empty(),
            "{tool} {input}: {output:?}"
        );
    }
    let gone = json!({"cwd": desk.path("none"), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": "a", "content": ""}});
    assert_eq!(
        desk.runs(&["hook", "claude"], gone.to_string().as_bytes())
            .status
            .code(),
        Some(2)
    );
}
