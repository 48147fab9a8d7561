//! Files that control what an agent or a CI system executes: `hook` and `mcp` ask before they are
//! written.

use fs_err as fs;
use serde_json::{Value, json};

use super::{answered_with, decision};
use crate::systems::Desk;
use crate::world;

mod links;

const FILES: [&str; 34] = [
    ".lsp.json",
    "plugin/hooks/hooks.json",
    ".helix/languages.toml",
    ".config/lefthook.toml",
    ".pre-commit-config.yaml",
    ".devcontainer/devcontainer.json",
    ".idea/runConfigurations/x.xml",
    ".vscode/launch.json",
    "rust-toolchain.toml",
    "HEAD",
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
    let files = [
        ("a", &b"one\n"[..]),
        (".mcp.json", b"one\n"),
        (".github/workflows/ci.yml", b"one\n"),
    ];
    Desk::with(&[&files[..], policy].concat())
}

fn on(desk: &Desk, arguments: &[&str], tool: &str, input: &Value) -> Option<(String, String)> {
    decision(&answered_with(
        desk,
        &[&["hook"], arguments].concat(),
        tool,
        input,
    ))
}

fn on_write(desk: &Desk, file: &str, arguments: &[&str]) -> String {
    let input = json!({"file_path": file, "content": "x\n"});
    on(desk, arguments, "Write", &input).map_or("-".to_owned(), |(said, _)| said)
}

#[cfg(unix)]
#[test]
fn a_hook_asks_before_a_control_file_is_written() {
    let desk = desk(&[]);
    world::link(".mcp.json", desk.path("link")).unwrap();
    for file in FILES.into_iter().chain([
        "link",
        ".claude",
        "~/.claude/settings.json",
        "~/.bashrc",
        "../.github/workflows/x",
    ]) {
        assert_eq!(on_write(&desk, file, &["claude"]), "ask", "{file}");
        // Not even `--allow` is about them.
        assert_eq!(
            on_write(&desk, file, &["claude", "--allow"]),
            "ask",
            "{file}"
        );
        assert_eq!(
            on(&desk, &["claude"], "Read", &json!({"file_path": file})),
            None,
            "{file}"
        );
    }
    for file in [
        "a",
        ".claude/plans/p.md",
        "package.json",
        "~/.claude/projects/p/memory/MEMORY.md",
    ] {
        assert_eq!(on_write(&desk, file, &["claude"]), "-", "{file}");
    }
    let (_, why) = on(
        &desk,
        &["claude"],
        "Write",
        &json!({"file_path": ".mcp.json", "content": ""}),
    )
    .unwrap();
    assert!(why.contains("the path controls Claude Code"), "{why}");
}

/// Returns the document that a server answers.
fn called(desk: &Desk, options: &[&str], tool: &str, arguments: &Value) -> Value {
    desk.serves(options, &[(tool, arguments.clone())])[0]["structuredContent"].take()
}

#[test]
fn renames_and_deletions_write_a_control_file_too() {
    let desk = desk(&[]);
    let codex = |body: &str| {
        let patch = format!("*** Begin Patch\n{body}*** End Patch\n");
        on(&desk, &["codex"], "apply_patch", &json!({"command": patch})).map(|(said, _)| said)
    };
    let update = |from: &str, to: &str| {
        format!("*** Update File: {from}\n*** Move to: {to}\n@@\n-one\n+1\n")
    };
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
    assert_eq!(
        on_write(
            &given,
            ".mcp.json",
            &["claude", "--policy", "../given.toml"]
        ),
        "-"
    );
    let both = desk(&[
        ("../config/wpatch/config.toml", off),
        ("wpatch.toml", b"[policy]\ncontrol_files = true\n"),
    ]);
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
    let called =
        |arguments: &[&str], tool: &str, input: &Value| called(&desk, arguments, tool, input);
    for file in FILES {
        let document = called(&[], "create", &json!({"path": file, "file_text": "x\n"}));
        let kind = &document["problems"][0]["kind"];
        assert!(
            kind == "approval_required" || kind == "exists",
            "{file}: {document:#}"
        );
        assert!(
            !desk.path(file).exists() || file.ends_with("ci.yml") || file == ".mcp.json",
            "{file}"
        );
    }
    let replace = json!({"path": ".mcp.json", "old_str": "one", "new_str": "1"});
    let problem = called(&[], "str_replace", &replace)["problems"][0].take();
    assert_eq!(problem["kind"], "approval_required");
    assert_eq!(
        problem["message"],
        "this change needs approval: the path controls Claude Code"
    );
    desk.does(&["edit", ".mcp.json", "--old", "one", "--new", "1"], b"");
    desk.does(&["write", ".envrc", "--content", "x"], b"");
    fs::write(
        desk.path("../off.toml"),
        "[policy]\ncontrol_files = false\n",
    )
    .unwrap();
    let replace = json!({"path": ".mcp.json", "old_str": "1", "new_str": "2"});
    assert_eq!(
        called(&["--policy", "../off.toml"], "str_replace", &replace)["ok"],
        true
    );
}

#[test]
fn an_explanation_shows_the_rule() {
    let desk = desk(&[("../off.toml", b"[policy]\ncontrol_files = false\n")]);
    let output = desk.runs(
        &["policy", "explain", ".mcp.json", "--access", "modify"],
        b"",
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let line =
        "  modify  ask    `hook` and `mcp` ask: the path controls Claude Code (control-files)\n";
    assert!(text.contains(line), "{text}");
    let document = desk.does(&["policy", "explain", ".mcp.json", "--access", "read"], b"");
    assert_eq!(document["accesses"][0]["verdict"], "allow");
    let off = desk.does(
        &[
            "policy",
            "explain",
            ".mcp.json",
            "--policy",
            "../off.toml",
            "--access",
            "modify",
        ],
        b"",
    );
    assert_eq!(off["accesses"][0]["verdict"], "allow");
}
