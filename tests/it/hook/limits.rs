//! Calls that are made to take long: an agent lets a call through if its hook does not answer in
//! time.
#![cfg(unix)]

use std::process::Command;

use serde_json::{Value, json};

use super::call;
use crate::systems::{Desk, fed};
use crate::world;

/// Runs the hook on a call of `tool`, with at most 30 seconds of processor time. Returns its exit
/// code and its output.
fn ended(desk: &Desk, agent: &str, tool: &str, input: &Value) -> (Option<i32>, String) {
    let mut hook = Command::new("sh");
    hook.args([
        "-c",
        "ulimit -t 30 && exec \"$0\" hook \"$1\"",
        env!("CARGO_BIN_EXE_wpatch"),
        agent,
    ]);
    hook.current_dir(desk.root())
        .env_remove("CLAUDE_PROJECT_DIR")
        .env("HOME", desk.path("../home"));
    let output = fed(&mut hook, call(desk, tool, input).as_bytes());
    (
        output.status.code(),
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap(),
    )
}

fn governed() -> Desk {
    Desk::with(&[
        ("a", b"one\n"),
        (
            "wpatch.toml",
            b"[[rule]]\npaths = ['b']\nverdict = 'deny'\n",
        ),
    ])
}

/// Each of these calls took minutes or hours.
#[test]
fn a_call_that_is_made_to_take_long_is_denied_at_once() {
    let desk = governed();
    let edits = |count| {
        Value::from(vec![
            json!({"old_string": "one", "new_string": "one1"});
            count
        ])
    };
    let dots = |count| ["{a", &"..b".repeat(count)].concat();
    let long = "the pattern exceeds 1024 bytes";
    for (tool, input, why) in [
        ("Glob", json!({"pattern": "[".repeat(200_000)}), long),
        ("Glob", json!({"pattern": dots(1_000_000)}), long),
        ("Glob", json!({"pattern": "a/".repeat(200_000)}), long),
        (
            "Grep",
            json!({"pattern": "x", "glob": "a* ".repeat(1_000_000)}),
            long,
        ),
        (
            "Grep",
            json!({"pattern": "x", "glob": "[[:".repeat(200_000)}),
            long,
        ),
        (
            "MultiEdit",
            json!({"file_path": "a", "edits": edits(100_000)}),
            "the call has more than 1000 edits",
        ),
    ] {
        let (code, text) = ended(&desk, "claude", tool, &input);
        assert!(
            code == Some(0) && text.contains("\"deny\"") && text.contains(why),
            "{tool}: {code:?} {text}"
        );
    }
}

/// Each edit would double the text.
#[test]
fn edits_of_a_new_file_that_double_it_take_no_memory() {
    let desk = governed();
    let double = json!({"old_string": "x", "new_string": "xx", "replace_all": true});
    let mut edits = vec![double; 999];
    edits.insert(0, json!({"old_string": "", "new_string": "x"}));
    let input = json!({"file_path": desk.path("new"), "edits": edits});
    let (code, text) = ended(&desk, "claude", "MultiEdit", &input);
    assert_eq!((code, &*text), (Some(0), ""));
}

#[test]
fn a_file_name_that_is_too_long_is_blocked_or_denied() {
    let desk = governed();
    let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
    let name = "a/".repeat(500_000);
    for (tool, input) in [
        ("Read", json!({"file_path": name})),
        ("Write", json!({"file_path": name, "content": "x"})),
        ("LS", json!({"path": name})),
        ("Grep", json!({"pattern": "x", "path": name})),
    ] {
        let (code, text) = ended(&desk, "claude", tool, &input);
        assert!(
            code == Some(2) && text.contains("the file name exceeds 4096 bytes"),
            "{tool}: {code:?} {text}"
        );
    }
    let script = format!("cd {name} && apply_patch <<'E'\n{patch}E\n");
    let (code, text) = ended(&desk, "codex", "Bash", &json!({"command": script}));
    assert!(
        code == Some(0) && text.contains("\"deny\"") && text.contains("cannot be checked"),
        "{code:?} {text}"
    );
}

#[test]
fn calls_of_usual_size_are_checked() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let dots = ["{a", &"..b".repeat(340)].concat();
    let edits = |count| {
        Value::from(vec![
            json!({"old_string": "one", "new_string": "one1"});
            count
        ])
    };
    for (tool, input) in [
        ("Glob", json!({"pattern": "[".repeat(1024)})),
        ("Glob", json!({"pattern": dots})),
        ("Grep", json!({"pattern": "x", "glob": "a* ".repeat(341)})),
        ("MultiEdit", json!({"file_path": "a", "edits": edits(1000)})),
    ] {
        assert_eq!(
            ended(&desk, "claude", tool, &input),
            (Some(0), String::new()),
            "{tool}"
        );
    }
}

/// Policy and the links to control files are read once for all files of a patch.
#[test]
fn a_patch_of_many_files_is_checked_in_time() {
    let rule =
        |number| format!("[[rule]]\npaths = ['{number}/**']\nops = ['write']\nverdict = 'deny'\n");
    let policy: String = (0..300).map(rule).collect();
    let desk = Desk::with(&[
        ("cfg/a", b"x\n"),
        ("wpatch.toml", policy.as_bytes()),
        ("../home/x", b""),
    ]);
    world::link(desk.path("cfg"), desk.path("../home/.gemini")).unwrap();
    let file = |number| format!("*** Add File: d/{number}\n+x\n");
    let sections = |last: &str| {
        let files: String = (0..1000).map(file).collect();
        format!("*** Begin Patch\n{files}*** Add File: {last}\n+x\n*** End Patch\n")
    };
    let answer = |last| {
        ended(
            &desk,
            "codex",
            "apply_patch",
            &json!({"command": sections(last)}),
        )
    };
    assert_eq!(answer("d/last"), (Some(0), String::new()));
    let (code, text) = answer("cfg/last");
    assert!(
        code == Some(0) && text.contains("cfg/last: ") && text.contains("controls Gemini CLI"),
        "{code:?} {text}"
    );
}
