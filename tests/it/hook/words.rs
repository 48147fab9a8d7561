//! What a model reads: the problem and the next step, and nothing that only a command line has.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{NOTEBOOK, answered};
use crate::systems::Desk;
use crate::world;

const POLICY: &str = "\
[[rule]]
paths = ['vendor/**']
ops = ['write']
verdict = 'deny'
[[rule]]
paths = ['key']
ops = ['read']
verdict = 'deny'
[[rule]]
paths = ['*.lock']
ops = ['write']
verdict = 'ask'
";

fn desk(policy: &str) -> Desk {
    let desk = Desk::with(&[
        ("a", b"one\ntwo\none\nthree\n"),
        ("b", b"one\n"),
        ("d/x", b"x\n"),
        ("bytes", b"\0\x01"),
        ("n.ipynb", NOTEBOOK.as_bytes()),
        ("bad.ipynb", b"{"),
        ("vendor/v", b"one\n"),
        ("key", b"one\n"),
        ("a.lock", b"one\n"),
        (".git/config", b"x\n"),
        ("../outside", b"one\n"),
        ("wpatch.toml", policy.as_bytes()),
    ]);
    world::link_on_unix("../outside", desk.path("out"));
    world::link_on_unix("d", desk.path("way"));
    world::link_on_unix("loop", desk.path("loop"));
    desk
}

/// Patches that fail, each in another way.
fn patches() -> Vec<String> {
    [unified(), of_git(), of_other_formats()].concat()
}

fn unified() -> Vec<String> {
    let hunk = |name: &str, body: &str| format!("--- a/{name}\n+++ b/{name}\n{body}");
    vec![
        hunk("a", "@@ -1,9 +1,9 @@\n-one\n+1\n"),
        hunk("a", "@@ -1 +1 @@\n-one\n+1\n+2\n"),
        hunk("a", "@@ -1 +1 @@\n-none\n+1\n"),
        hunk("a", "@@ -1 +1 @@\n-99999999999999999999999999\n"),
        hunk("a", "@@ -99999999999999999999999999 +1 @@\n-one\n+1\n"),
        hunk("none", "@@ -1 +1 @@\n-one\n+1\n"),
        hunk("a/b", "@@ -1 +1 @@\n-one\n+1\n"),
        hunk("d", "@@ -1 +1 @@\n-one\n+1\n"),
        hunk("way/x", "@@ -1 +1 @@\n-x\n+1\n"),
        hunk("out", "@@ -1 +1 @@\n-one\n+1\n"),
        hunk("../outside", "@@ -1 +1 @@\n-one\n+1\n"),
        hunk(".git/config", "@@ -1 +1 @@\n-x\n+1\n"),
        hunk("vendor/v", "@@ -1 +1 @@\n-one\n+1\n"),
        hunk("key", "@@ -1 +1 @@\n-one\n+1\n"),
        hunk("a.lock", "@@ -1 +1 @@\n-one\n+1\n"),
        hunk("AGENTS.md", "@@ -0,0 +1 @@\n+1\n"),
        hunk("wpatch.toml", "@@ -1 +1 @@\n-x\n+1\n"),
        hunk("b", "@@ -1 +1 @@\n-none\n+one\n"),
        format!(
            "{}{}",
            hunk("b", "@@ -1 +1 @@\n-one\n+1\n"),
            hunk("b", "@@ -1 +1 @@\n-one\n+1\n")
        ),
        "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+1\n".to_owned(),
        "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+x\n".to_owned(),
        "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n".to_owned(),
    ]
}

fn of_git() -> Vec<String> {
    let git = |name: &str, lines: &str| format!("diff --git a/{name} b/{name}\n{lines}");
    vec![
        git("a", "old mode 100644\nnew mode 123456\n"),
        git("a", "new file mode 100644\ndeleted file mode 100644\n"),
        git("\"a\\q", "old mode 100644\n"),
        git(
            "a",
            "index 1111111..2222222 100644\nBinary files a/a and b/a differ\n",
        ),
        git(
            "bytes",
            "index 1111111..2222222 100644\nGIT binary patch\nliteral 1\nZZZ\n",
        ),
        git(
            "a",
            "deleted file mode 120000\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
        ),
        git("l", "new file mode 120000\n"),
        git("b", "similarity index 100%\nrename from b\nrename to d/x\n"),
    ]
}

fn of_other_formats() -> Vec<String> {
    vec![
        "nothing".to_owned(),
        String::new(),
        "diff --cc a\nindex 1,2..3\n--- a/a\n+++ b/a\n@@@ -1,1 -1,1 +1,1 @@@\n- one\n -1\n++2\n"
            .to_owned(),
        "1d\n2a\nx\n.\nw\n".to_owned(),
        "Only in b: x\n".to_owned(),
        "\x1b[1mdiff --git a/a b/a\x1b[m\n\x1b[31m-one\x1b[m\n".to_owned(),
        "*** Begin Patch\n*** Update File: a\n@@\n-none\n+1\n*** End Patch\n".to_owned(),
        "*** Begin Patch\n*** Update File: a\n".to_owned(),
        "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\n".to_owned(),
        "*** Begin Patch\n*** Delete File: none\n*** End Patch\n".to_owned(),
        "a\n<<<<<<< SEARCH\nnone\n=======\n1\n>>>>>>> REPLACE\n".to_owned(),
        "a\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n".to_owned(),
        "a\n<<<<<<< SEARCH\none\n".to_owned(),
        "b\n<<<<<<< SEARCH\n=======\n1\n>>>>>>> REPLACE\n".to_owned(),
        json!({"replace": [{"path": "a", "content": "x"}], "patch": "x"}).to_string(),
        json!({"edits": [{"path": "a", "old": "none", "new": "x"}]}).to_string(),
        "[a#0000]\nSWAP 1.=1:\n+x\n".to_owned(),
        "[b#0000]\nPUT 1.=1:\n+x\n".to_owned(),
    ]
}

/// Calls of the tools of the server, besides those on patches.
fn tools() -> Vec<(&'static str, Value)> {
    let mut calls = Vec::new();
    for path in [
        "none",
        "a/b",
        "d",
        "way/x",
        "out",
        "loop",
        "../outside",
        ".git/config",
        "vendor/v",
        "key",
        "a.lock",
        "bytes",
        "",
    ] {
        calls.push(("view", json!({"path": path, "view_range": [1, 2]})));
        calls.push((
            "str_replace",
            json!({"path": path, "old_str": "none", "new_str": "1"}),
        ));
        calls.push((
            "insert",
            json!({"path": path, "insert_line": 99, "insert_text": "1\n"}),
        ));
        calls.push(("create", json!({"path": path, "file_text": "1\n"})));
    }
    calls.push((
        "str_replace",
        json!({"path": "a", "old_str": "one", "new_str": "1"}),
    ));
    calls.push((
        "str_replace",
        json!({"path": "a", "old_str": "two", "new_str": "two"}),
    ));
    calls.push((
        "str_replace",
        json!({"path": "a", "old_str": "", "new_str": "x"}),
    ));
    calls.push(("view", json!({"path": "a", "view_range": [3, 1]})));
    calls.push(("view", json!({"lines": 1})));
    calls.push(("apply_patch", json!({"patch": patches()[4], "strip": 9})));
    calls.push((
        "apply_patch",
        json!({"patch": "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-one\n+1\n", "approve": "sha256:00"}),
    ));
    calls.push((
        "apply_patch",
        json!({"patch": patches()[4], "format": "none"}),
    ));
    for patch in patches() {
        calls.push(("check_patch", json!({"patch": patch})));
        calls.push(("apply_patch", json!({"patch": patch, "lenient": true})));
    }
    calls
}

/// Asserts that a model can act on `text`.
pub(super) fn is_for_a_model(text: &str, what: &dyn std::fmt::Debug) {
    let text = text.replace("\\n", "\n");
    let options = text.match_indices("--").filter(|(at, _)| {
        let (before, after) = (
            text[..*at].chars().next_back(),
            text[at + 2..].chars().next(),
        );
        !before.is_some_and(|c| c == '-' || c.is_alphanumeric())
            && after.is_some_and(|c| c.is_ascii_lowercase())
    });
    assert_eq!(options.count(), 0, "{what:?}: {text}");
    for command in [
        "apply", "check", "undo", "redo", "recover", "init", "log", "reject", "edit", "show",
        "policy",
    ] {
        assert!(
            !text.contains(&format!("wpatch {command}")),
            "{what:?}: {text}"
        );
    }
}

/// Serves `calls` and returns the codes of all problems.
fn served(desk: &Desk, options: &[&str], calls: &[(&str, Value)]) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for (call, result) in calls.iter().zip(&desk.serves(options, calls)) {
        let document = &result["structuredContent"];
        let text = result["content"][0]["text"].as_str().unwrap();
        // The header of a diff is not an option.
        let lines = text.lines().filter(|line| !line.starts_with("diff --git "));
        is_for_a_model(&lines.collect::<Vec<_>>().join("\n"), call);
        for problem in document["problems"].as_array().unwrap() {
            is_for_a_model(&problem.to_string(), call);
            assert!(
                problem["help"].is_string() || problem["severity"] == "warning",
                "{call:?}: {problem:#}"
            );
            codes.insert(problem["code"].as_str().unwrap().to_owned());
        }
    }
    codes
}

#[test]
fn a_server_shows_no_option_to_a_model() {
    let mut codes = BTreeSet::new();
    for (policy, options) in [
        (POLICY, &[][..]),
        ("[policy]\nrequire_hash = true\n", &[]),
        (
            "[policy]\nsymlinks = 'refuse'\nbinary = 'refuse'\nmax_write_bytes = 1\nmax_read_bytes = 1\n",
            &[],
        ),
        ("[policy]\nmode = 'read-only'\n", &[]),
        ("[policy]\nmode = 'careful'\n", &[]),
        ("[[grant]]\nprefix = 'd'\nmode = 'r'\n", &[]),
    ] {
        codes.extend(served(&desk(policy), options, &tools()));
    }
    let change = [(
        "str_replace",
        json!({"path": "b", "old_str": "one", "new_str": "1"}),
    )];
    for option in ["--before", "--verify", "--after"] {
        codes.extend(served(&desk(""), &[option, "false"], &change));
    }
    let approved = [(
        "apply_patch",
        json!({"patch": "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-one\n+1\n", "approve": format!("sha256:{}", "0".repeat(64))}),
    )];
    codes.extend(served(&desk(""), &[], &approved));
    assert!(codes.len() >= 35, "{} {codes:#?}", codes.len());
}

/// Calls of agents, most of which are denied or blocked.
fn calls() -> Vec<(&'static str, &'static str, Value)> {
    let mut calls = Vec::new();
    for path in [
        "none",
        "a/b",
        "d",
        "way/x",
        "out",
        "loop",
        ".git/config",
        "vendor/v",
        "key",
        "a.lock",
        "bytes",
        "",
        "AGENTS.md",
    ] {
        calls.push((
            "claude",
            "Edit",
            json!({"file_path": path, "old_string": "none", "new_string": "1"}),
        ));
        calls.push((
            "claude",
            "Write",
            json!({"file_path": path, "content": "1"}),
        ));
        calls.push(("claude", "Read", json!({"file_path": path})));
        calls.push(("claude", "Grep", json!({"pattern": "x", "path": path})));
    }
    for (path, cell) in [
        ("n.ipynb", "none"),
        ("n.ipynb", "cell-9"),
        ("bad.ipynb", "1"),
        ("a", "1"),
    ] {
        calls.push((
            "claude",
            "NotebookEdit",
            json!({"notebook_path": path, "cell_id": cell, "new_source": "1"}),
        ));
    }
    calls.push((
        "claude",
        "Edit",
        json!({"file_path": "a", "old_string": "one", "new_string": "1"}),
    ));
    calls.push(("claude", "Edit", json!({"file_path": "a"})));
    calls.push((
        "claude",
        "MultiEdit",
        json!({"file_path": "a", "edits": []}),
    ));
    calls.push(("claude", "Glob", json!({"pattern": "*/../x"})));
    for patch in patches() {
        calls.push(("codex", "apply_patch", json!({"command": patch})));
    }
    calls
}

#[test]
fn a_hook_shows_no_option_to_a_model() {
    let mut denied = 0;
    for policy in [
        POLICY,
        "[policy]\nrequire_hash = true\nmax_write_bytes = 1\nmax_read_bytes = 1\n",
        "[policy]\nmode = 'careful'\n",
    ] {
        let desk = desk(policy);
        for (agent, tool, input) in calls() {
            let output = answered(&desk, agent, tool, &input);
            is_for_a_model(&String::from_utf8_lossy(&output.stderr), &input);
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let said = &answer["hookSpecificOutput"];
            let reason = said["permissionDecisionReason"]
                .as_str()
                .unwrap_or_default();
            is_for_a_model(reason, &input);
            if said["permissionDecision"] == "deny" && reason.starts_with("error") {
                assert!(reason.contains("\nhelp: "), "{input}: {reason}");
                denied += 1;
            }
        }
    }
    assert!(denied > 100, "{denied}");
}
