//! Files that control what an agent or a CI system executes: `hook` and `mcp` ask before they are written.

use std::os::unix::fs::symlink;

use fs_err as fs;
use serde_json::{Value, json};

use super::{call, decision};
use crate::systems::{Desk, fed, program};

const FILES: [&str; 24] = [
    ".claude/settings.json",
    ".claude/hooks/check.sh",
    ".mcp.json",
    ".github/workflows/ci.yml",
    ".GitHub/Workflows/ci.yml",
    ".vscode/tasks.json",
    ".envrc",
    "CLAUDE.md",
    "sub/AGENTS.md",
    ".cursor/rules/x.mdc",
    ".husky/pre-commit",
    "Jenkinsfile",
    ".tool-versions",
    "mise/config.toml",
    ".config/direnv/direnvrc",
    ".config/systemd/user/x.service",
    ".config/autostart/x.desktop",
    ".crush.json",
    "WARP.md",
    ".augment/rules/x.md",
    ".trae/rules/x.md",
    ".copilot/mcp-config.json",
    ".claude-plugin/plugin.json",
    ".pnpmfile.mjs",
];

fn desk(policy: &[(&str, &[u8])]) -> Desk {
    let files = [("a", &b"one\n"[..]), (".mcp.json", b"one\n"), (".github/workflows/ci.yml", b"one\n")];
    Desk::with(&[&files[..], policy].concat())
}

fn on(desk: &Desk, arguments: &[&str], tool: &str, input: &Value) -> Option<(String, String)> {
    let mut hook = program(&desk.root(), &[&["hook"], arguments].concat());
    hook.env_remove("CLAUDE_PROJECT_DIR").env("HOME", desk.path("../home"));
    decision(&fed(&mut hook, call(desk, tool, input).as_bytes()))
}

fn on_write(desk: &Desk, file: &str, arguments: &[&str]) -> String {
    let input = json!({"file_path": file, "content": "x\n"});
    on(desk, arguments, "Write", &input).map_or("-".to_owned(), |(said, _)| said)
}

#[test]
fn a_hook_asks_before_a_control_file_is_written() {
    let desk = desk(&[]);
    symlink(".mcp.json", desk.path("link")).unwrap();
    for file in
        FILES.into_iter().chain(["link", ".claude", "~/.claude/settings.json", "~/.bashrc", "../.github/workflows/x"])
    {
        assert_eq!(on_write(&desk, file, &["claude"]), "ask", "{file}");
        // Not even `--allow` is about them.
        assert_eq!(on_write(&desk, file, &["claude", "--allow"]), "ask", "{file}");
        assert_eq!(on(&desk, &["claude"], "Read", &json!({"file_path": file})), None, "{file}");
    }
    for file in ["a", ".claude/plans/p.md", "package.json", "~/.claude/projects/p/memory/MEMORY.md"] {
        assert_eq!(on_write(&desk, file, &["claude"]), "-", "{file}");
    }
    let (_, why) = on(&desk, &["claude"], "Write", &json!({"file_path": ".mcp.json", "content": ""})).unwrap();
    assert!(why.contains("it controls Claude Code"), "{why}");
}

/// Returns what `--allow` says of writing `file`, and why.
fn allowed(desk: &Desk, file: &str) -> (String, String) {
    on(desk, &["claude", "--allow"], "Write", &json!({"file_path": file, "content": "x\n"})).unwrap()
}

#[test]
fn allow_is_not_about_another_name_of_a_control_file() {
    let desk = desk(&[
        ("cfg/settings.json", b"{}"),
        ("cfg/sub/x", b"x\n"),
        ("other/settings.json", b"{}"),
        ("notes.md", b"x\n"),
        ("scripts/x.sh", b"x\n"),
        (".codex/x", b"x\n"),
        (".github/CODEOWNERS", b"x\n"),
        ("../home/dotfiles/bashrc", b"x\n"),
        ("../home/.config/wpatch/x", b"x\n"),
    ]);
    // Links of a directory, of a file, of a directory that exists only in part, and in the home.
    symlink("cfg", desk.path(".claude")).unwrap();
    symlink("notes.md", desk.path("CLAUDE.md")).unwrap();
    fs::create_dir(desk.path(".husky.d")).unwrap();
    symlink(desk.path("scripts"), desk.path(".husky")).unwrap();
    symlink("dotfiles/bashrc", desk.path("../home/.bashrc")).unwrap();
    symlink("gone", desk.path(".envrc")).unwrap();
    for (file, link) in [
        ("cfg/settings.json", ".claude"),
        ("cfg/new", ".claude"),
        ("cfg/sub/x", ".claude"),
        ("cfg/new/new", ".claude"),
        ("other/../cfg/settings.json", ".claude"),
        ("notes.md", "CLAUDE.md"),
        ("scripts/x.sh", ".husky"),
        ("gone", ".envrc"),
    ] {
        let (said, why) = allowed(&desk, file);
        assert!(said == "ask" && why.contains(&format!("the link {link} leads to it")), "{file}: {said}: {why}");
        // Without the switch the agent decides.
        assert_eq!(on_write(&desk, file, &["claude"]), "-", "{file}");
    }
    // Hard links, one of them of a file that controls nothing.
    fs::hard_link(desk.path(".mcp.json"), desk.path("innocent")).unwrap();
    fs::hard_link(desk.path("other/settings.json"), desk.path("twin")).unwrap();
    for file in ["innocent", "twin", "other/settings.json"] {
        let (said, why) = allowed(&desk, file);
        assert!(said == "ask" && why.contains("the file has 2 hard links"), "{file}: {said}: {why}");
    }
    for file in ["a", "other/new", ".husky.d/x", ".github/CODEOWNERS"] {
        assert_eq!(allowed(&desk, file).0, "allow", "{file}");
    }
    let at_home = Desk::with(&[("../home/dotfiles/bashrc", b"x\n")]);
    symlink(at_home.root().join("b"), at_home.path("../home/.bashrc")).unwrap();
    assert_eq!(allowed(&at_home, "b").0, "ask");
}

#[test]
fn a_rule_that_allows_a_path_is_about_its_links_too() {
    let rule = b"[[rule]]\npaths = ['cfg/settings.json', 'twin']\nverdict = 'allow'\n";
    let desk = desk(&[("cfg/settings.json", b"{}"), ("one", b"x\n"), ("../config/wpatch/config.toml", rule)]);
    symlink("cfg", desk.path(".claude")).unwrap();
    fs::hard_link(desk.path("one"), desk.path("twin")).unwrap();
    for (file, expected) in [("cfg/settings.json", "allow"), ("twin", "allow"), ("cfg/x", "ask"), ("one", "ask")] {
        assert_eq!(allowed(&desk, file).0, expected, "{file}");
    }
}

#[test]
fn links_of_control_files_are_free_where_the_user_switches_the_rule_off() {
    let off = ("../config/wpatch/config.toml", &b"[policy]\ncontrol_files = false\n"[..]);
    for (project, expected) in [(&b""[..], "allow"), (b"[policy]\ncontrol_files = true\n", "ask")] {
        let desk = desk(&[("cfg/settings.json", b"{}"), off, ("wpatch.toml", project)]);
        symlink("cfg", desk.path(".claude")).unwrap();
        assert_eq!(allowed(&desk, "cfg/settings.json").0, expected);
    }
}

#[test]
fn renames_and_deletions_write_a_control_file_too() {
    let desk = desk(&[]);
    let codex = |body: &str| {
        let patch = format!("*** Begin Patch\n{body}*** End Patch\n");
        on(&desk, &["codex"], "apply_patch", &json!({"command": patch})).map(|(said, _)| said)
    };
    let update = |from: &str, to: &str| format!("*** Update File: {from}\n*** Move to: {to}\n@@\n-one\n+1\n");
    for body in [
        "*** Add File: AGENTS.md\n+x\n".to_owned(),
        "*** Delete File: .mcp.json\n".to_owned(),
        update(".mcp.json", "b"),
        update("a", ".github/workflows/new.yml"),
    ] {
        assert_eq!(codex(&body).as_deref(), Some("deny"), "{body}");
    }
    assert_eq!(codex(&update("a", "b")), None);
}

#[test]
fn only_the_user_switches_it_off() {
    let off = b"[policy]\ncontrol_files = false\n";
    let project = desk(&[("wpatch.toml", off)]);
    assert_eq!(on_write(&project, ".mcp.json", &["claude"]), "ask");
    let user = desk(&[("../config/wpatch/config.toml", off)]);
    assert_eq!(on_write(&user, ".mcp.json", &["claude"]), "-");
    let given = desk(&[("../given.toml", off)]);
    assert_eq!(on_write(&given, ".mcp.json", &["claude", "--policy", "../given.toml"]), "-");
    let both = desk(&[("../config/wpatch/config.toml", off), ("wpatch.toml", b"[policy]\ncontrol_files = true\n")]);
    assert_eq!(on_write(&both, ".mcp.json", &["claude"]), "ask");
    // A rule that denies is stricter, and one that allows is not.
    let rule = |verdict: &str| format!("[[rule]]\npaths = ['.mcp.json']\nverdict = '{verdict}'\n");
    for (verdict, expected) in [("deny", "deny"), ("allow", "ask")] {
        let desk = desk(&[("../config/wpatch/config.toml", rule(verdict).as_bytes())]);
        assert_eq!(on_write(&desk, ".mcp.json", &["claude"]), expected);
    }
}

#[test]
fn a_server_asks_and_commands_do_not() {
    let desk = desk(&[]);
    let called = |arguments: &[&str], tool: &str, arguments_of_tool: &Value| -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments_of_tool}});
        let output = desk.runs(&[&["mcp"], arguments].concat(), format!("{request}\n").as_bytes());
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["result"]["structuredContent"].clone()
    };
    for file in FILES {
        let document = called(&[], "create", &json!({"path": file, "file_text": "x\n"}));
        let kind = &document["error"]["kind"];
        assert!(kind == "approval_required" || kind == "exists", "{file}: {document:#}");
        assert!(!desk.path(file).exists() || file.ends_with("ci.yml") || file == ".mcp.json", "{file}");
    }
    let replace = json!({"path": ".mcp.json", "old_str": "one", "new_str": "1"});
    assert_eq!(called(&[], "str_replace", &replace)["error"]["kind"], "approval_required");
    assert_eq!(called(&[], "str_replace", &replace)["error"]["reason"], "it controls Claude Code");
    desk.does(&["edit", ".mcp.json", "--old", "one", "--new", "1"], b"");
    desk.does(&["write", ".envrc", "--content", "x"], b"");
    fs::write(desk.path("../off.toml"), "[policy]\ncontrol_files = false\n").unwrap();
    let replace = json!({"path": ".mcp.json", "old_str": "1", "new_str": "2"});
    assert_eq!(called(&["--policy", "../off.toml"], "str_replace", &replace)["ok"], true);
}

#[test]
fn an_explanation_shows_the_rule() {
    let desk = desk(&[("../off.toml", b"[policy]\ncontrol_files = false\n")]);
    let output = desk.runs(&["policy", "explain", ".mcp.json", "--access", "modify"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    let line = "  modify  ask    `hook` and `mcp` ask: it controls Claude Code (control-files)\n";
    assert!(text.contains(line), "{text}");
    let document = desk.does(&["policy", "explain", ".mcp.json", "--access", "read"], b"");
    assert_eq!(document["accesses"][0]["verdict"], "allow");
    let off = desk.does(&["policy", "explain", ".mcp.json", "--policy", "../off.toml", "--access", "modify"], b"");
    assert_eq!(off["accesses"][0]["verdict"], "allow");
}
