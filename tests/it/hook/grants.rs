//! What the hook may allow: nothing that its user did not allow.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::process::Output;

use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::{Value, json};

use super::NOTEBOOK;
use super::events::with_paths;
use crate::systems::{Desk, fed, program};
use crate::world;
use calls::{Call, OTHER_NAMES, call};

mod calls;

/// Policies that allow no change: the file that has them, and their text.
pub(super) const SILENT: [(&str, &str); 8] = [
    ("unused", ""),
    (
        "wpatch.toml",
        "[[rule]]\npaths = ['**']\nverdict = 'allow'\n",
    ),
    (
        "../config/wpatch/config.toml",
        "[policy]\nmode = 'full'\nsecrets = false\n[[grant]]\nprefix = '.'\nmode = 'rw'\n",
    ),
    (
        "../config/wpatch/config.toml",
        "[[rule]]\npaths = ['**']\nops = ['read']\nverdict = 'allow'\n",
    ),
    (
        "../config/wpatch/config.toml",
        "[[rule]]\npaths = ['nowhere/**']\nverdict = 'allow'\n",
    ),
    (
        "../config/wpatch/config.toml",
        "[[rule]]\npaths = ['**']\nverdict = 'allow'\n[[rule]]\npaths = ['**']\nops = ['write']\nverdict = 'ask'\n",
    ),
    (
        "../config/wpatch/config.toml",
        "[[rule]]\npaths = ['**']\nops = ['write']\nverdict = 'deny'\n[[rule]]\npaths = ['**']\nverdict = 'allow'\n",
    ),
    ("wpatch.toml", "[policy]\nmode = 'ful'\n"),
];

/// A policy of the user that allows every change.
pub(super) const ALLOWED: (&str, &str) = (
    "../config/wpatch/config.toml",
    "[[rule]]\npaths = ['**']\nops = ['write']\nverdict = 'allow'\n",
);

const WRITING_MODES: [&str; 5] = [
    "default",
    "acceptEdits",
    "auto",
    "dontAsk",
    "bypassPermissions",
];

pub(super) fn desk((policy, text): (&str, &str)) -> Desk {
    let desk = Desk::with(&[
        ("a", b"one\ntwo\n"),
        ("d/b c", b"one\n"),
        ("n.ipynb", NOTEBOOK.as_bytes()),
        (".git/config", b"one\n"),
        (".claude/settings.json", b"one\n"),
        (".github/workflows/ci.yml", b"one\n"),
        (".env", b"one\n"),
        ("../outside", b"one\n"),
        ("../home/.ssh/id", b"one\n"),
        ("twig/mcp.json", b"one\n"),
        ("sub/memory", b"one\n"),
        ("nest/gd/config", b"one\n"),
        ("nest/.git", b"gitdir: gd\n"),
        ("bare.git/HEAD", b"ref: refs/heads/main\n"),
        ("bare.git/config", b"one\n"),
        ("bare.git/objects/x", b"one\n"),
        ("bare.git/refs/x", b"one\n"),
        ("../home/dot/bashrc", b"one\n"),
        (policy, text.as_bytes()),
    ]);
    for (target, link) in [
        ("../twig", "sub/.cursor"),
        ("memory", "sub/CLAUDE.md"),
        ("gone-link", ".envrc"),
        ("nest/gd", "way-to-git"),
        ("loop-link", "loop-link"),
        ("dot/bashrc", "../home/.bashrc"),
    ] {
        world::link_on_unix(target, desk.path(link));
    }
    fs_err::hard_link(desk.path(".claude/settings.json"), desk.path("hard-link")).unwrap();
    world::link_on_unix("a", desk.path("in"));
    world::link_on_unix("../outside", desk.path("out"));
    world::link_on_unix("d", desk.path("directory"));
    desk
}

fn answered(desk: &Desk, (agent, mode, tool, input): &Call, options: &[&str]) -> Output {
    let input = with_paths(desk, input.clone());
    let call = json!({"session_id": "s", "transcript_path": "/t", "cwd": desk.root(), "permission_mode": mode,
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "t"});
    let mut hook = program(&desk.root(), &[&["hook", agent], options].concat());
    hook.env_remove("CLAUDE_PROJECT_DIR")
        .env("HOME", desk.path("../home"));
    fed(&mut hook, call.to_string().as_bytes())
}

/// Returns the decision; an empty one if nothing is printed.
fn decided(desk: &Desk, call: &Call, options: &[&str]) -> String {
    let output = answered(desk, call, options);
    if output.stdout.is_empty() {
        return if output.status.code() == Some(0) {
            String::new()
        } else {
            "blocked".to_owned()
        };
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["hookSpecificOutput"]["permissionDecision"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Runs `test` on generated calls and returns how often it returned each word.
pub(super) fn counted(
    seed: u64,
    cases: u32,
    test: impl Fn(&Call, usize) -> String,
) -> BTreeMap<String, usize> {
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    };
    let counts = RefCell::new(BTreeMap::new());
    let tested = TestRunner::new(config).run(&(call(), 0..SILENT.len()), |(call, policy)| {
        *counts.borrow_mut().entry(test(&call, policy)).or_default() += 1;
        Ok(())
    });
    tested.unwrap();
    counts.into_inner()
}

#[test]
fn without_a_policy_that_allows_no_call_is_allowed() {
    let desks = SILENT.map(desk);
    let counts = counted(28, 600, |call, policy| {
        let decision = decided(&desks[policy], call, &[]);
        assert_ne!(decision, "allow", "{:?}: {call:?}", SILENT[policy]);
        decision
    });
    let seen: Vec<_> = counts.keys().map(String::as_str).collect();
    assert_eq!(seen, ["", "ask", "blocked", "deny"], "{counts:?}");
}

#[test]
fn where_the_user_allows_all_the_mode_still_decides() {
    let (open, ruled) = (desk(SILENT[0]), desk(ALLOWED));
    let counts = counted(29, 300, |call, _| {
        let (by_option, by_rule) = (
            decided(&open, call, &["--allow"]),
            decided(&ruled, call, &[]),
        );
        let is_writing = call.0 == "claude"
            && call
                .1
                .as_str()
                .is_some_and(|mode| WRITING_MODES.contains(&mode));
        let input = call.3.to_string();
        let is_free = is_writing && !OTHER_NAMES.iter().any(|name| input.contains(name));
        assert!(
            is_free || ![&by_option, &by_rule].contains(&&"allow".to_owned()),
            "{call:?}"
        );
        by_option + "," + &by_rule
    });
    assert!(
        counts.get("allow,allow").is_some_and(|&count| count > 10),
        "{counts:?}"
    );
}

/// Returns what is decided on a change of `file` in `mode`, with `options`.
fn on_write(desk: &Desk, file: &str, mode: &str, options: &[&str]) -> String {
    decided(
        desk,
        &(
            "claude",
            json!(mode),
            "Write",
            json!({"file_path": file, "content": "x\n"}),
        ),
        options,
    )
}

/// No link, no hard link and no git directory becomes free by `--allow` or by a rule that allows
/// everything.
#[cfg(unix)]
#[test]
fn no_other_name_of_a_protected_file_is_allowed() {
    let (open, ruled) = (desk(SILENT[0]), desk(ALLOWED));
    for name in OTHER_NAMES {
        for mode in ["default", "plan"] {
            let by = [
                on_write(&open, name, mode, &["--allow"]),
                on_write(&ruled, name, mode, &[]),
            ];
            assert!(
                by.iter()
                    .all(|decision| matches!(&**decision, "ask" | "deny")),
                "{name} {mode}: {by:?}"
            );
            let silent = on_write(&open, name, mode, &[]);
            assert!(
                matches!(&*silent, "ask" | "deny"),
                "{name} {mode}: {silent:?}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn an_allow_rule_of_the_user_allows_what_it_matches() {
    let rule = "[[rule]]\npaths = ['d/**']\nops = ['write']\nverdict = 'allow'\n";
    for (file, options) in [
        ("../config/wpatch/config.toml", &[][..]),
        ("../given.toml", &["--policy", "../given.toml"]),
    ] {
        let desk = desk((file, rule));
        let on = |file: &str| on_write(&desk, file, "default", options);
        assert_eq!(
            ["d/b c", "d/new", "directory/b c", "a", "in", "new"].map(on),
            ["allow", "allow", "allow", "", "", ""]
        );
    }
    // Each way of writing has to be allowed.
    for (ops, decisions) in [
        ("create", ["", "allow"]),
        ("modify", ["allow", ""]),
        ("delete", ["", ""]),
        ("read", ["", ""]),
    ] {
        let desk = desk((
            "../config/wpatch/config.toml",
            &format!("[[rule]]\npaths = ['**']\nops = ['{ops}']\nverdict = 'allow'\n"),
        ));
        assert_eq!(
            ["a", "new"].map(|file| on_write(&desk, file, "default", &[])),
            decisions,
            "{ops}"
        );
    }
}

#[test]
fn a_stricter_rule_beside_it_wins() {
    let allow = "[[rule]]\npaths = ['**']\nverdict = 'allow'\n";
    for verdict in ["ask", "deny"] {
        let strict = format!("[[rule]]\npaths = ['a']\nops = ['modify']\nverdict = '{verdict}'\n");
        for (user, project) in [
            (format!("{allow}{strict}"), String::new()),
            (allow.to_owned(), strict.clone()),
        ] {
            let desk = desk(("../config/wpatch/config.toml", &user));
            fs_err::write(desk.path("wpatch.toml"), project).unwrap();
            assert_eq!(
                ["a", "new"].map(|file| on_write(&desk, file, "default", &[])),
                [verdict, "allow"]
            );
            assert_eq!(
                ["a", "new"].map(|file| on_write(&desk, file, "default", &["--allow"])),
                [verdict, "allow"]
            );
        }
    }
}

#[test]
fn in_plan_mode_a_question_is_a_refusal() {
    let desk = desk(("wpatch.toml", "[[rule]]\npaths = ['a']\nverdict = 'ask'\n"));
    let on = |file: &str, mode: &str| on_write(&desk, file, mode, &["--allow"]);
    assert_eq!(
        (on("a", "default"), on("new", "default")),
        ("ask".into(), "allow".into())
    );
    assert_eq!(
        (on("a", "plan"), on("new", "plan")),
        ("deny".into(), String::new())
    );
    assert_eq!(
        (on("a", "tomorrow"), on("new", "tomorrow")),
        ("ask".into(), String::new())
    );
    let read = ("claude", json!("plan"), "Read", json!({"file_path": "a"}));
    assert_eq!(decided(&desk, &read, &[]), "deny");
}
