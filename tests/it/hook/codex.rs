//! The hook of Codex.

use serde_json::{Value, json};

use super::{answered, decision, desk, governed};
use crate::systems::Desk;

#[test]
fn codex_is_told_to_ask_the_user() {
    let policy = b"[[rule]]\npaths = ['*.lock']\nops = ['write']\nverdict = 'ask'\nreason = 'a tool keeps it'\n";
    let desk = Desk::with(&[("a.lock", b"one\n"), ("wpatch.toml", policy)]);
    let patch = "*** Begin Patch\n*** Update File: a.lock\n@@\n-one\n+1\n*** End Patch\n";
    let (_, why) = decision(&answered(
        &desk,
        "codex",
        "apply_patch",
        &json!({"command": patch}),
    ))
    .unwrap();
    let expected = "a.lock: policy requires approval: a tool keeps it\nhelp: ask the user to make this change, and \
         do not try to bypass the rule";
    assert_eq!(why, expected);
}

#[test]
fn codex_is_not_told_whether_a_guess_fits() {
    let desk = governed("wpatch.toml");
    let said = |guess: &str| {
        let patch =
            format!("*** Begin Patch\n*** Update File: a.lock\n@@\n-{guess}\n+1\n*** End Patch\n");
        decision(&answered(
            &desk,
            "codex",
            "apply_patch",
            &json!({"command": patch}),
        ))
        .unwrap()
    };
    let (decided, why) = said("one");
    assert!(decided == "deny" && why.contains("ask the user"), "{why}");
    assert_eq!((decided, why), said("two"));
}

/// Returns a patch that changes the line `old` of `file`.
fn update(file: &str, old: &str) -> String {
    format!("*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+1\n*** End Patch\n")
}

/// Returns the calls in which Codex passes `patch`.
fn forms(patch: &str) -> [(&'static str, Value); 8] {
    [
        ("apply_patch", json!({"command": patch})),
        ("apply_patch", json!({"input": patch})),
        ("apply_patch", json!(patch)),
        ("apply_patch", json!({"command": ["apply_patch", patch]})),
        (
            "Bash",
            json!({"command": format!("apply_patch <<'EOF'\n{patch}EOF")}),
        ),
        ("Bash", json!({"command": format!("apply_patch '{patch}'")})),
        (
            "Bash",
            json!({"command": ["bash", "-lc", format!("cd . && apply_patch \"{patch}\"")]}),
        ),
        (
            "Bash",
            json!({"command": ["bash", "-lc", format!("cd d && apply_patch <<EOF\n{patch}EOF\n")]}),
        ),
    ]
}

#[test]
fn a_patch_of_codex_is_checked_however_it_comes() {
    let desk = Desk::with(&[
        ("d/a", b"one\n"),
        ("d/b", b"two\n"),
        ("a", b"one\n"),
        (".git/config", b"x\n"),
    ]);
    let codex = |tool: &str, input: Value| decision(&answered(&desk, "codex", tool, &input));
    for (tool, input) in forms(&update("a", "one")) {
        assert_eq!(codex(tool, input.clone()), None, "{input}");
    }
    for (tool, input) in forms(&update("a", "none")) {
        let (said, reason) = codex(tool, input.clone()).unwrap();
        assert!(
            said == "deny" && reason.starts_with("error (not_found): "),
            "{input}: {reason}"
        );
    }
    for (file, kind) in [
        (".git/config", "denied"),
        ("../x", "outside_root"),
        ("/etc/hosts", "outside_root"),
    ] {
        let (said, reason) = codex("apply_patch", json!({"command": update(file, "x")})).unwrap();
        assert!(
            said == "deny" && reason.contains(&format!("error ({kind}): ")),
            "{file}: {reason}"
        );
    }
    let below = update("b", "two");
    for (directory, fits) in [("d", true), (".", false)] {
        let script = format!("cd {directory} && apply_patch <<'EOF'\n{below}EOF");
        assert_eq!(
            codex("Bash", json!({"command": script})).is_none(),
            fits,
            "{directory}"
        );
    }
    let hidden = format!("true; apply_patch <<'EOF'\n{}EOF", update("a", "one"));
    assert_eq!(codex("Bash", json!({"command": hidden})).unwrap().0, "deny");
    assert_eq!(codex("Bash", json!({"command": "ls"})), None);
    assert!(
        codex("apply_patch", json!({"command": "no patch"}))
            .unwrap()
            .1
            .starts_with("error (parse): ")
    );
}

/// Asserts that a call is denied, because its patch cannot be checked.
fn is_denied(desk: &Desk, tool: &str, input: &Value) {
    let (said, why) = decision(&answered(desk, "codex", tool, input)).unwrap();
    assert!(
        said == "deny" && why.contains("call apply_patch with only the patch"),
        "{input}: {why}"
    );
}

#[test]
fn a_patch_that_comes_to_codex_in_another_way_is_denied() {
    let desk = desk();
    let patch = "*** Begin Patch\n*** Add File: .git/hooks/x\n+x\n*** End Patch\n";
    let harmless = patch.replace(".git/hooks/", "");
    let script = format!("apply_patch <<'EOF'\n{patch}EOF");
    for (tool, input) in [
        ("Bash", json!({"command": ["bash", "-l", "-c", script]})),
        ("Bash", json!({"command": ["env", "bash", "-lc", script]})),
        ("Bash", json!({"command": ["bash", "-euc", script, "x"]})),
        ("Bash", json!({"command": ["bash", "-lc", script, 1]})),
        ("Bash", json!({"command": ["/usr/bin/apply_patch", patch]})),
        ("Bash", json!({"command": "ls", "input": script})),
        ("Bash", json!({"cmd": script})),
        ("exec_command", json!({"cmd": script})),
        (
            "Bash",
            json!({"command": script.replace(".git/hooks/", ""), "workdir": ".git"}),
        ),
        ("functions.apply_patch", json!({"command": patch})),
        ("apply_patch", json!({"command": harmless, "input": patch})),
        ("apply_patch", json!({"patch": harmless, "input": patch})),
        (
            "Bash",
            json!({"command": format!("true && apply\\_patch <<'EOF'\n{patch}EOF")}),
        ),
        (
            "Bash",
            json!({"command": format!("codex --codex-run-as-apply-patch '{patch}'")}),
        ),
        (
            "Bash",
            json!({"command": ["codex", "--codex-run-as-apply-patch", patch]}),
        ),
        ("Bash", json!({"command": format!("x '{patch}'")})),
    ] {
        is_denied(&desk, tool, &input);
    }
}

#[test]
fn a_patch_that_codex_takes_from_a_file_is_denied() {
    let desk = desk();
    for (tool, input) in [
        (
            "Bash",
            json!({"command": ["bash", "-lc", "apply_patch < p"]}),
        ),
        ("Bash", json!({"command": "apply_patch < p"})),
        ("Bash", json!({"command": "ls; apply_patch < p"})),
        ("Bash", json!({"command": "apply_patch \"$(cat p)\""})),
        ("Bash", json!({"command": "apply\"\"_patch < p"})),
        ("exec_command", json!({"cmd": "apply_patch < p"})),
        (
            "exec_command",
            json!({"cmd": "cat apply_patch", "shell": "/usr/bin/python3"}),
        ),
        ("exec_command", json!({"cmd": "rg x | xargs apply_patch"})),
        ("write_stdin", json!({"chars": "cat apply_patch\n"})),
        (
            "Bash",
            json!({"command": ["perl", "-e", "cat apply_patch"]}),
        ),
    ] {
        is_denied(&desk, tool, &input);
    }
}

#[test]
fn a_call_that_only_mentions_apply_patch_is_not_denied() {
    let desk = desk();
    let patch = "*** Begin Patch\n*** Add File: .git/hooks/x\n+x\n*** End Patch\n";
    let other = json!({"text": "apply_patch takes a patch"});
    assert_eq!(
        decision(&answered(&desk, "codex", "mcp__notes__add", &other)),
        None
    );
    for input in [
        json!({"command": "grep -r apply_patch ."}),
        json!({"command": "rg -n apply_patch src 2>/dev/null | head -20"}),
        json!({"command": ["bash", "-lc", "git commit -m 'fix apply_patch'"]}),
        json!({"cmd": "which apply_patch; sed -n 1,5p apply_patch", "shell": "/bin/zsh"}),
        json!({"command": ["ls", 1]}),
        json!([patch]),
    ] {
        assert_eq!(
            decision(&answered(&desk, "codex", "Bash", &input)),
            None,
            "{input}"
        );
    }
}
