//! Roots that are inside of what rules are about: a root must not switch a rule off.

use std::path::Path;
use std::process::Command;

use fs_err as fs;
use serde_json::{Value, json};

use super::decision;
use crate::mcp;
use crate::repository::{self, git, run};
use crate::systems::{Desk, fed, program};
use crate::world;

mod git_configuration;
mod git_directories;

const VENDOR: &str =
    "[[rule]]\npaths = ['vendor/**']\nops = ['write']\nverdict = 'deny'\nreason = 'generated'\n";

/// Returns a work tree of git with `files`.
fn desk(files: &[(&str, &[u8])]) -> Desk {
    let desk = Desk::with(files);
    repository::init(&desk.root());
    desk
}

fn in_git(desk: &Desk, directory: &str, arguments: &[&str]) {
    run(git(arguments).current_dir(desk.path(directory)), b"");
}

/// Returns the program in `directory`, for a user with the home `../home`.
fn started(desk: &Desk, directory: &str, arguments: &[&str]) -> Command {
    let mut command = program(&desk.path(directory), arguments);
    command
        .env_remove("CLAUDE_PROJECT_DIR")
        .env_remove("XDG_CONFIG_HOME")
        .env("HOME", desk.path("../home"));
    command
}

/// Returns what a hook says of writing `file` for an agent in `directory`: `-` for nothing.
fn hooked(desk: &Desk, directory: &str, agent: &str, file: &str) -> (String, String) {
    let patch = format!("*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch\n");
    let (arguments, tool, input) = match agent {
        "claude" => (
            &["hook", "claude", "--allow"][..],
            "Write",
            json!({"file_path": file, "content": "x\n"}),
        ),
        _ => (
            &["hook", "codex"][..],
            "apply_patch",
            json!({"command": patch}),
        ),
    };
    let call = json!({
        "cwd": desk.path(directory), "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": tool, "tool_input": input,
    });
    let output = fed(
        &mut started(desk, directory, arguments),
        call.to_string().as_bytes(),
    );
    decision(&output).unwrap_or(("-".to_owned(), String::new()))
}

/// Returns the error of the tool that creates `file` below `directory`.
fn served(desk: &Desk, directory: &str, file: &str) -> Value {
    let arguments = json!({"path": file, "file_text": "x\n"});
    let session = mcp::session(&[("create", arguments)]);
    let root = desk.path(directory);
    let output = fed(
        &mut started(desk, ".", &["mcp", "--root", root.to_str().unwrap()]),
        session.as_bytes(),
    );
    mcp::problem(&mcp::results(&output, 1)[0])
}

/// Asserts that no model writes `file` below `directory`, and that the reason has `why`.
fn is_protected(desk: &Desk, directory: &str, file: &str, why: &str) {
    for agent in ["claude", "codex"] {
        let (said, reason) = hooked(desk, directory, agent, file);
        assert!(
            said == "deny" && reason.contains(why),
            "{directory}: {agent} {file}: {said} {reason}"
        );
    }
    let error = served(desk, directory, file);
    assert!(
        error["kind"] == "denied" && error.to_string().contains(why),
        "{directory}: {file}: {error:#}"
    );
}

#[cfg(unix)]
#[test]
fn a_root_in_the_directory_of_control_files_asks_as_the_top_does() {
    let desk = desk(&[
        (".github/workflows/ci.yml", b"x\n"),
        (".claude/commands/c.md", b"x\n"),
        ("p/.cursor/rules/deep/r", b"x\n"),
        ("../home/.codex/prompts/p", b"x\n"),
        ("../home/.codex/trees/p/a", b"x\n"),
        ("../home/.codex/trees/p/.github/workflows/ci.yml", b"x\n"),
    ]);
    repository::init(&desk.path("../home/.codex/trees/p"));
    for directory in [
        ".github/workflows",
        ".claude/commands",
        "p/.cursor/rules/deep",
        "../home/.codex/prompts",
        "../home/.codex",
        "../home/.codex/trees/p/.github/workflows",
    ] {
        assert_eq!(
            hooked(&desk, directory, "claude", "new").0,
            "ask",
            "{directory}"
        );
        let (said, why) = hooked(&desk, directory, "codex", "new");
        assert!(
            said == "deny" && why.contains("controls"),
            "{directory}: {said} {why}"
        );
        assert_eq!(
            served(&desk, directory, "new")["kind"],
            "approval_required",
            "{directory}"
        );
    }
    // A link at the top leads into the root.
    world::link("p/cfg", desk.path(".gemini")).unwrap();
    fs::create_dir(desk.path("p/cfg")).unwrap();
    assert_eq!(hooked(&desk, "p", "claude", "cfg/new").0, "ask");
    let (said, why) = hooked(&desk, "p", "codex", "cfg/new");
    assert!(
        said == "deny" && why.contains("cfg/new: ") && why.contains("controls Gemini CLI"),
        "{said} {why}"
    );
    assert_eq!(served(&desk, "p", "cfg/new")["kind"], "approval_required");
    assert_eq!(
        [
            hooked(&desk, "p", "codex", "x").0,
            served(&desk, "p", "x").to_string()
        ],
        ["-", "null"]
    );
    assert_eq!(
        hooked(&desk, "../home/.codex/trees/p", "claude", "new").0,
        "allow"
    );
    assert_eq!(
        hooked(&desk, "../home/.codex/trees/p", "codex", "new").0,
        "-"
    );
}

#[cfg(unix)]
#[test]
fn a_link_above_the_root_to_the_root_or_above_it_is_seen() {
    for (link, target, is_asked) in [
        (".gemini", "p", true),
        (".claude", "p", false),
        (".github", "p", false),
    ] {
        let desk = desk(&[("p/commands/c", b"x\n"), ("../home/x", b"")]);
        world::link(target, desk.path(link)).unwrap();
        for (directory, is_asked) in [("p", is_asked), ("p/commands", link != ".github")] {
            let kind = if is_asked {
                json!("approval_required")
            } else {
                Value::Null
            };
            assert_eq!(
                served(&desk, directory, "new")["kind"],
                kind,
                "{link} {directory}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_from_the_home_is_seen_by_each_agent() {
    let desk = desk(&[("cfg/a", b"x\n"), ("../home/x", b"")]);
    world::link(desk.path("cfg"), desk.path("../home/.gemini")).unwrap();
    assert_eq!(hooked(&desk, ".", "claude", "cfg/new").0, "ask");
    let (said, why) = hooked(&desk, ".", "codex", "cfg/new");
    assert!(
        said == "deny" && why.contains("cfg/new: ") && why.contains("controls Gemini CLI"),
        "{said} {why}"
    );
    assert_eq!(hooked(&desk, ".", "codex", "other").0, "-");
}

#[cfg(unix)]
#[test]
fn the_files_that_git_runs_as_hooks_are_asked_about() {
    let desk = desk(&[
        ("scripts/hooks/a", b"x\n"),
        ("sub/a", b"x\n"),
        ("../home/x", b""),
    ]);
    let explained = |file: &str| {
        desk.does(&["policy", "explain", file, "--access", "modify"], b"")["accesses"][0].clone()
    };
    assert_eq!(explained("scripts/hooks/a")["verdict"], "allow");
    world::link("scripts/hooks", desk.path("way")).unwrap();
    for value in ["scripts/hooks", "way", "~/../root/scripts/hooks", "hooks"] {
        in_git(&desk, ".", &["config", "core.hooksPath", value]);
        let asks = value != "hooks";
        for (directory, file) in [
            (".", "scripts/hooks/pre-push"),
            (".", "way/x"),
            ("scripts", "hooks/b"),
            ("scripts/hooks", "b"),
        ] {
            let (said, why) = hooked(&desk, directory, "claude", file);
            assert_eq!(
                (said == "ask", why.contains("core.hooksPath")),
                (asks, asks),
                "{value}: {directory}/{file}: {said} {why}"
            );
            assert_eq!(
                served(&desk, directory, file)["kind"] == "approval_required",
                asks,
                "{value}: {directory}/{file}"
            );
        }
        assert_eq!(hooked(&desk, "sub", "claude", "b").0, "allow", "{value}");
    }
    in_git(&desk, ".", &["config", "core.hooksPath", "scripts/hooks"]);
    for file in ["scripts/hooks/a", "way/a"] {
        let explained = explained(file);
        assert_eq!(explained["verdict"], "ask", "{file}: {explained:#}");
    }
    desk.does(&["write", "scripts/hooks/c", "--content", "x"], b"");
}

#[cfg(unix)]
#[test]
fn the_configuration_of_the_user_is_protected_before_it_exists() {
    let files = [
        ("../home/.config/other/x", &b"x\n"[..]),
        ("../home/.config/wpatch/rules/x", b"x\n"),
    ];
    for files in [&files[..1], &files] {
        let desk = Desk::with(&[files, &[("a", b"x\n")]].concat());
        let is_closed = |directory: &str, file: &str| {
            is_protected(
                &desk,
                directory,
                file,
                "the path contains the configuration of wpatch",
            );
        };
        for name in ["config.toml", "other.toml", "x/y"] {
            is_closed("../home", &format!(".config/wpatch/{name}"));
            is_closed("../home/.config", &format!("wpatch/{name}"));
        }
        if desk.path("../home/.config/wpatch").exists() {
            is_closed("../home/.config/wpatch", "config.toml");
            is_closed("../home/.config/wpatch/rules", "x.toml");
        }
        let (said, why) = hooked(&desk, ".", "claude", "~/.config/wpatch/config.toml");
        assert!(
            said == "deny" && why.contains("the configuration of wpatch"),
            "{said} {why}"
        );
        assert_eq!(
            hooked(&desk, "../home", "claude", ".config/other/y").0,
            "allow"
        );
        assert_eq!(
            hooked(&desk, "../home/.config/other", "claude", "y").0,
            "allow"
        );
    }
}

/// Returns a work tree whose policy protects `vendor`.
fn with_vendor() -> Desk {
    let files = [
        ("vendor/v", &b"v\n"[..]),
        ("src/vendor/v", b"v\n"),
        ("a", b"a\n"),
        ("wpatch.toml", VENDOR.as_bytes()),
    ];
    let desk = desk(&files);
    fs::create_dir(desk.path("vendor/deep")).unwrap();
    desk
}

/// Runs the program in `directory`, and returns its exit code and its output.
fn runs(desk: &Desk, directory: &str, arguments: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let output = fed(&mut started(desk, directory, arguments), input);
    (
        output.status.code(),
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
    )
}

#[test]
fn the_policy_of_the_top_holds_in_every_directory_of_the_work_tree() {
    let desk = with_vendor();
    is_protected(&desk, "vendor", "v", "generated");
    is_protected(&desk, "vendor/deep", "x", "generated");
    let patch = b"--- a/v\n+++ b/v\n@@ -1 +1 @@\n-v\n+w\n";
    for arguments in [
        &["apply"][..],
        &["check"],
        &["apply", "--lenient"],
        &["apply", "--reject"],
    ] {
        let (code, text) = runs(&desk, "vendor", arguments, patch);
        assert!(
            code == Some(3) && text.contains("generated"),
            "{arguments:?}: {code:?} {text}"
        );
    }
    let (_, text) = runs(
        &desk,
        "vendor",
        &["policy", "explain", "v", "--access", "modify"],
        b"",
    );
    assert!(
        text.contains("deny") && text.contains("../wpatch.toml:1"),
        "{text}"
    );
    assert_eq!(fs::read(desk.path("vendor/v")).unwrap(), b"v\n");
    // The rule is about the directory at the top.
    assert_eq!(
        runs(
            &desk,
            "src",
            &["edit", "vendor/v", "--old", "v", "--new", "w"],
            b""
        )
        .0,
        Some(0)
    );
    assert_eq!(runs(&desk, "src", &["undo"], b"").0, Some(0));
}

#[test]
fn the_policies_of_the_top_and_of_the_root_both_hold() {
    let desk = with_vendor();
    let own = "[[rule]]\npaths = ['x']\nops = ['write']\nverdict = 'deny'\nreason = 'own'\n";
    fs::write(desk.path("src/wpatch.toml"), own).unwrap();
    is_protected(&desk, "src", "x", "own");
    fs::write(
        desk.path("wpatch.toml"),
        "[[grant]]\nprefix = 'src'\nmode = 'rw'\n",
    )
    .unwrap();
    assert_eq!(
        runs(&desk, "src", &["write", "y", "--content", "y"], b"").0,
        Some(0)
    );
    is_protected(&desk, "vendor", "v", "no grant of ../wpatch.toml allows it");
    fs::write(desk.path("wpatch.toml"), "[policy]\nmode = 1\n").unwrap();
    let (code, text) = runs(
        &desk,
        "src",
        &["edit", "y", "--old", "y", "--new", "z"],
        b"",
    );
    assert!(
        code == Some(3) && text.contains("../wpatch.toml"),
        "{code:?} {text}"
    );
    assert!(Path::new(&desk.path("src/y")).exists());
}
