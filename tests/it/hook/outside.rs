//! Files outside of the root: only rules decide there.

use std::path::PathBuf;

use fs_err as fs;
use serde_json::{Value, json};

use super::{call, decision};
use crate::repository;
use crate::systems::{Desk, fed, program};
use crate::world;

fn on(desk: &Desk, home: &str, tool: &str, input: &Value) -> Option<(String, String)> {
    let mut hook = program(&desk.root(), &["hook", "claude"]);
    hook.env_remove("CLAUDE_PROJECT_DIR")
        .env("HOME", desk.path(home));
    decision(&fed(&mut hook, call(desk, tool, input).as_bytes()))
}

/// Returns what is decided on each way to use `file`: `-` for nothing.
fn decided(desk: &Desk, file: &str) -> [String; 4] {
    let edits = [json!({"old_string": "x\n", "new_string": "y\n"})];
    [
        ("Read", json!({"file_path": file})),
        ("Write", json!({"file_path": file, "content": "y\n"})),
        (
            "Edit",
            json!({"file_path": file, "old_string": "x\n", "new_string": "y\n"}),
        ),
        ("MultiEdit", json!({"file_path": file, "edits": edits})),
    ]
    .map(|(tool, input)| on(desk, "../home", tool, &input).map_or("-".to_owned(), |(said, _)| said))
}

fn desk(policy: &str) -> Desk {
    Desk::with(&[
        ("a", b"x\n"),
        ("wpatch.toml", policy.as_bytes()),
        ("../home/.claude/plans/plan.md", b"x\n"),
        ("../home/.claude/projects/p/memory/MEMORY.md", b"x\n"),
        ("../home/.ssh/id_rsa", b"x\n"),
        ("../home/.ssh/config", b"x\n"),
        ("../home/notes/key.pem", b"x\n"),
        ("../temporary/image.png", b"x\n"),
        ("../temporary/.git/config", b"x\n"),
        ("../config/wpatch/config.toml", b""),
    ])
}

#[cfg(unix)]
#[test]
fn outside_of_the_root_no_decision_is_made_unless_a_rule_matches() {
    let desk = desk("[[rule]]\npaths = ['a', 'temporary', '/notes/*']\nverdict = 'deny'\n");
    world::link("../temporary", desk.path("out")).unwrap();
    world::link(desk.path("../home/.ssh"), desk.path("keys")).unwrap();
    let root = desk.root();
    let absolute = |name: &str| {
        root.parent()
            .unwrap()
            .join(name)
            .to_string_lossy()
            .into_owned()
    };
    let silent = ["-"; 4];
    let denied = ["deny"; 4];
    for (file, expected) in [
        (absolute("home/.claude/plans/plan.md"), silent),
        (absolute("home/.claude/plans/new.md"), silent),
        ("~/.claude/projects/p/memory/MEMORY.md".into(), silent),
        (absolute("temporary/image.png"), silent),
        ("../temporary/image.png".into(), silent),
        ("out/image.png".into(), silent),
        ("/etc/hosts".into(), silent),
        ("../root2/b".into(), silent),
        // What always holds.
        ("~/.ssh/id_rsa".into(), denied),
        ("keys/id_rsa".into(), denied),
        (absolute("temporary/../home/.ssh/id_rsa"), denied),
        ("/etc/shadow".into(), denied),
        (absolute("temporary/.git/config"), denied),
        (
            absolute("config/wpatch/config.toml"),
            ["-", "deny", "deny", "deny"],
        ),
        // The root by another way.
        (absolute("root/../root/a"), denied),
        ("../root/a".into(), denied),
    ] {
        assert_eq!(decided(&desk, &file), expected, "{file}");
    }
}

#[test]
fn a_reason_names_a_file_outside_of_the_root_by_its_absolute_name() {
    let desk = desk("[[rule]]\npaths = ['*.png']\nverdict = 'deny'\n");
    let parent = desk.root().parent().unwrap().to_owned();
    for (file, expected) in [
        ("home/.claude/settings.json", "ask"),
        ("temporary/sub/.mcp.json", "ask"),
        ("home/.ssh/id_rsa", "deny"),
        ("temporary/image.png", "deny"),
    ] {
        let name: PathBuf = parent.join(file).components().collect();
        let name = name.to_string_lossy().into_owned();
        let (said, why) = on(
            &desk,
            "../home",
            "Write",
            &json!({"file_path": name, "content": "y\n"}),
        )
        .unwrap();
        assert!(
            said == expected && why.contains(&format!("{name}: ")),
            "{name}: {why}"
        );
        assert!(
            !why.replace(&name, "").contains(&name[1..]),
            "{name}: {why}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_from_outside_into_the_root_leads_around_no_rule() {
    let desk = desk("[[rule]]\npaths = ['a']\nops = ['write']\nverdict = 'deny'\n");
    world::link(desk.path("a"), desk.path("../temporary/way")).unwrap();
    world::link(desk.root(), desk.path("../temporary/back")).unwrap();
    world::link(desk.path("a"), desk.path("absolute")).unwrap();
    for file in ["../temporary/way", "../temporary/back/a", "absolute"] {
        assert_eq!(
            decided(&desk, file),
            ["-", "deny", "deny", "deny"],
            "{file}"
        );
    }
    // The name of a link counts as well as what it leads to.
    fs::write(
        desk.path("wpatch.toml"),
        "[[rule]]\npaths = ['absolute', 'out']\nverdict = 'ask'\n",
    )
    .unwrap();
    world::link("../temporary/image.png", desk.path("out")).unwrap();
    assert_eq!(
        ["absolute", "out"].map(|file| decided(&desk, file)[0].clone()),
        ["ask", "ask"]
    );
}

#[test]
fn a_rule_on_names_and_a_grant_hold_outside_too() {
    let names = desk("[[rule]]\npaths = ['*.pem']\nops = ['read']\nverdict = 'deny'\n");
    assert_eq!(decided(&names, "~/notes/key.pem"), ["deny"; 4]);
    assert_eq!(decided(&names, "../temporary/image.png"), ["-"; 4]);
    let strict = desk("[policy]\nsecrets = 'strict'\n");
    assert_eq!(decided(&strict, "~/notes/key.pem")[0], "deny");
    // A grant closes all that it does not open.
    let granted = desk("[[grant]]\nprefix = '.'\nmode = 'rw'\n");
    assert_eq!(decided(&granted, "../temporary/image.png"), ["deny"; 4]);
    assert_eq!(decided(&granted, "a")[..2], ["-", "-"]);
}

#[test]
fn an_allow_rule_allows_nothing_outside() {
    let desk = desk("");
    fs::write(
        desk.path("../config/wpatch/config.toml"),
        "[[rule]]\npaths = ['**']\nverdict = 'allow'\n",
    )
    .unwrap();
    let on = |file: &str| decided(&desk, file)[1].clone();
    assert_eq!(
        (on("a"), on("../temporary/image.png")),
        ("allow".to_owned(), "-".to_owned())
    );
}

/// The git directory of the root can be next to it, and so can other repositories.
#[test]
fn git_directories_outside_of_the_root_are_protected() {
    let desk = desk("");
    repository::init_apart(&desk.root(), "../gd");
    repository::init_bare(&desk.path("../home/bare"));
    for file in ["../gd/config", "../gd/hooks/new"] {
        assert_eq!(decided(&desk, file), ["deny"; 4], "{file}");
    }
    assert_eq!(
        decided(&desk, "../home/bare/hooks/new"),
        ["-", "ask", "ask", "ask"]
    );
    assert_eq!(decided(&desk, "../temporary/image.png"), ["-"; 4]);
}
