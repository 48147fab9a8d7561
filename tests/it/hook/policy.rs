//! What policies and the protection of files make of a call.

use serde_json::{Value, json};

use super::{answered, call, claude, decision, desk};
use crate::systems::{Desk, fed, program};
use crate::world;

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
pub(super) fn governed(policy: &str) -> Desk {
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

#[cfg(unix)]
#[test]
fn no_name_leads_around_a_policy() {
    let desk = governed("wpatch.toml");
    world::link("../../home", desk.path("vendor/out")).unwrap();
    world::link("../home", desk.path("out")).unwrap();
    world::link("vendor", desk.path("in")).unwrap();
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
        why.contains("key: policy requires approval") && !why.contains("hush-9f3c"),
        "{why}"
    );
}
