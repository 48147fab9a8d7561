//! What agents are answered that ask before they use a tool.

mod catalogue;
mod codex;
mod control;
mod examples;
mod grants;
mod limits;
mod outside;
mod places;
mod search;
mod words;

use std::os::unix::fs::symlink;
use std::process::Output;

use serde_json::{Value, json};

use crate::systems::{Desk, fed, program};
use crate::tree;

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

const POLICY: &str = "
[[rule]]
paths = ['vendor/**']
verdict = 'deny'
reason = 'it comes from elsewhere'
[[rule]]
paths = ['*.lock']
ops = ['write', 'read']
verdict = 'ask'
reason = 'a tool keeps it'
";

/// Returns a root with something for each rule of [`POLICY`], which is in `policy`.
fn governed(policy: &str) -> Desk {
    let lock = ("a.lock", &b"one\n"[..]);
    Desk::with(&[
        ("a", b"one\n"),
        ("vendor/a", b"one\n"),
        lock,
        (policy, POLICY.as_bytes()),
        ("../home/x", b""),
    ])
}

#[test]
fn policy_decides_wherever_it_stands() {
    for policy in [
        "wpatch.toml",
        "../config/wpatch/config.toml",
        "../given.toml",
    ] {
        let desk = governed(policy);
        let given = if policy == "../given.toml" {
            &["--policy", policy][..]
        } else {
            &[]
        };
        let said = |agent: &str, tool: &str, input: &Value| {
            let mut hook = program(&desk.root(), &[&["hook", agent], given].concat());
            hook.env_remove("CLAUDE_PROJECT_DIR")
                .env("HOME", desk.path("../home"));
            decision(&fed(&mut hook, call(&desk, tool, input).as_bytes()))
        };
        for (path, wanted, reason) in [
            ("a", "", ""),
            ("vendor/a", "deny", "it comes from elsewhere"),
            ("a.lock", "ask", "a tool keeps it"),
        ] {
            let edits = [json!({"old_string": "one", "new_string": "1"})];
            for (tool, input) in [
                (
                    "Edit",
                    json!({"file_path": desk.path(path), "old_string": "one", "new_string": "1"}),
                ),
                ("Write", json!({"file_path": path, "content": "1"})),
                ("MultiEdit", json!({"file_path": path, "edits": edits})),
            ] {
                let (said, why) = said("claude", tool, &input).unwrap_or_default();
                assert!(
                    said == wanted && why.contains(reason),
                    "{policy}: {tool} {path}: {said}, {why}"
                );
            }
            let read = said("claude", "Read", &json!({"file_path": path}));
            assert_eq!(
                read.map_or(String::new(), |(said, _)| said),
                wanted,
                "{policy}: {path}"
            );
            let patch =
                format!("*** Begin Patch\n*** Update File: {path}\n@@\n-one\n+1\n*** End Patch\n");
            let said = said("codex", "apply_patch", &json!({"command": patch}));
            match (wanted, said) {
                ("", None) => {}
                (_, Some((said, why))) => assert!(
                    said == "deny" && why.contains(reason),
                    "{policy}: {path}: {why}"
                ),
                (_, None) => panic!("{policy}: {path} is let through"),
            }
        }
    }
}

#[test]
fn a_policy_that_cannot_be_used_denies_everything() {
    for policy in ["wpatch.toml", "../config/wpatch/config.toml"] {
        let desk = Desk::with(&[("a", b"one\n"), (policy, b"[policy]\nmoode = 'full'\n")]);
        for (agent, tool, input) in [
            ("claude", "Write", json!({"file_path": "a", "content": ""})),
            ("claude", "Read", json!({"file_path": "a"})),
            (
                "codex",
                "apply_patch",
                json!({"command": "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"}),
            ),
        ] {
            let (said, why) = decision(&answered(&desk, agent, tool, &input)).unwrap();
            assert!(
                said == "deny" && why.contains("moode") && why.contains("line 2"),
                "{policy}: {tool}: {why}"
            );
        }
    }
    let desk = desk();
    let mut hook = program(&desk.root(), &["hook", "claude", "--policy", "none.toml"]);
    let call = call(&desk, "Read", &json!({"file_path": "a"}));
    assert_eq!(
        decision(&fed(&mut hook, call.as_bytes())).unwrap().0,
        "deny"
    );
}

#[test]
fn the_policy_is_that_of_the_project() {
    let desk = Desk::with(&[
        ("a", b"one\n"),
        ("sub/vendor/a", b"one\n"),
        ("sub/wpatch.toml", POLICY.as_bytes()),
    ]);
    let answer = |project: &str| {
        let mut hook = program(&desk.root(), &["hook", "claude"]);
        hook.env("CLAUDE_PROJECT_DIR", desk.path(project));
        let input = json!({"file_path": desk.path("sub/vendor/a"), "content": ""});
        decision(&fed(&mut hook, call(&desk, "Write", &input).as_bytes())).map(|(said, _)| said)
    };
    assert_eq!(
        (answer("."), answer("sub")),
        (None, Some("deny".to_owned()))
    );
}

#[test]
fn no_name_leads_around_a_policy() {
    let desk = governed("wpatch.toml");
    symlink("../../home", desk.path("vendor/out")).unwrap();
    symlink("../home", desk.path("out")).unwrap();
    symlink("vendor", desk.path("in")).unwrap();
    for path in [
        "in/a",
        "in/out/x",
        "out/.ssh/id_rsa",
        "~/.ssh/id_rsa",
        "vendor/out/x",
        "d/../vendor/a",
        "/etc/shadow",
    ] {
        for (tool, input) in [
            ("Write", json!({"file_path": path, "content": ""})),
            ("Read", json!({"file_path": path})),
            (
                "MultiEdit",
                json!({"file_path": path, "edits": [{"old_string": "", "new_string": "x"}]}),
            ),
            (
                "NotebookEdit",
                json!({"notebook_path": path, "new_source": "", "edit_mode": "insert"}),
            ),
        ] {
            let (said, why) = claude(&desk, tool, &input).unwrap();
            assert!(said == "deny" && !why.is_empty(), "{tool} {path}: {why}");
        }
    }
    let home = Desk::with(&[
        (".ssh/id_rsa", b"x"),
        (".ssh/config", b"x"),
        (".aws/credentials", b"x"),
    ]);
    let read = |path: &str| {
        let mut hook = program(&home.root(), &["hook", "claude"]);
        hook.env_remove("CLAUDE_PROJECT_DIR")
            .env("HOME", home.root());
        decision(&fed(
            &mut hook,
            call(&home, "Read", &json!({"file_path": path})).as_bytes(),
        ))
    };
    for path in ["~/.ssh/id_rsa", ".aws/credentials"] {
        let (said, why) = read(path).unwrap();
        assert!(
            said == "deny" && why.contains("credentials"),
            "{path}: {why}"
        );
    }
    assert_eq!(read("~/.ssh/config"), None);
}

#[test]
fn a_file_that_is_larger_than_policy_lets_be_read_is_denied() {
    let desk = Desk::with(&[
        ("a", b"12345"),
        ("b", b"1234"),
        ("wpatch.toml", b"[policy]\nmax_read_bytes = 4\n"),
    ]);
    let (said, why) = claude(&desk, "Read", &json!({"file_path": "a"})).unwrap();
    assert!(said == "deny" && why.contains("limit of 4 bytes"), "{why}");
    assert_eq!(claude(&desk, "Read", &json!({"file_path": "b"})), None);
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
    let other = json!({"cwd": desk.root(), "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {}});
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

#[test]
fn blanks_around_a_name_lead_around_no_policy() {
    let desk = governed("wpatch.toml");
    for path in [
        "a.lock ",
        "a.lock\n",
        " a.lock",
        "a.lock\u{a0}",
        "\u{feff}a.lock",
        "\t~/../a.lock",
    ] {
        for (tool, input) in [
            ("Write", json!({"file_path": path, "content": ""})),
            ("Read", json!({"file_path": path})),
            (
                "Edit",
                json!({"file_path": path, "old_string": "one", "new_string": ""}),
            ),
        ] {
            assert!(
                ["ask", "deny"].contains(&claude(&desk, tool, &input).unwrap().0.as_str()),
                "{tool} {path:?}"
            );
        }
    }
}

#[test]
fn a_file_that_somebody_is_asked_about_is_not_told_of() {
    let policy = "[[rule]]\npaths = ['key']\nops = ['read']\nverdict = 'ask'\n";
    let desk = Desk::with(&[("key", b"hush-9f3c\n"), ("wpatch.toml", policy.as_bytes())]);
    let edit = |old: &str| {
        claude(
            &desk,
            "Edit",
            &json!({"file_path": "key", "old_string": old, "new_string": ""}),
        )
    };
    let said = edit("hush-9f3c").unwrap();
    assert!(said.0 == "ask" && !said.1.contains("hush-9f3c"), "{said:?}");
    assert_eq!(edit("hush-9f3d").unwrap(), said);
    let patch = |old: &str| {
        format!("*** Begin Patch\n*** Update File: key\n@@\n-{old}\n+x\n*** End Patch\n")
    };
    let (_, why) = decision(&answered(
        &desk,
        "codex",
        "apply_patch",
        &json!({"command": patch("hush-9f3d")}),
    ))
    .unwrap();
    assert!(
        why.contains("key: policy asks for approval") && !why.contains("hush-9f3c"),
        "{why}"
    );
}
