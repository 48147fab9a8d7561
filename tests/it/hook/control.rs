//! Files that control what an agent or a CI system executes: `hook` and `mcp` ask before they are
//! written.

use std::os::unix::fs::symlink;

use fs_err as fs;
use serde_json::{Value, json};

use super::{answered_with, decision};
use crate::systems::Desk;

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

#[test]
fn a_hook_asks_before_a_control_file_is_written() {
    let desk = desk(&[]);
    symlink(".mcp.json", desk.path("link")).unwrap();
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
    assert!(why.contains("it controls Claude Code"), "{why}");
}

/// Returns the document that a server answers.
fn called(desk: &Desk, options: &[&str], tool: &str, arguments: &Value) -> Value {
    desk.serves(options, &[(tool, arguments.clone())])[0]["structuredContent"].take()
}

/// Returns what `--allow` says of writing `file`, and why.
fn allowed(desk: &Desk, file: &str) -> (String, String) {
    on(
        desk,
        &["claude", "--allow"],
        "Write",
        &json!({"file_path": file, "content": "x\n"}),
    )
    .unwrap()
}

#[test]
fn allow_is_not_about_another_name_of_a_control_file() {
    let desk = desk(&[
        ("cfg/settings.json", b"{}"),
        ("cfg/sub/x", b"x\n"),
        ("sub/x", b"x\n"),
        ("twig/x/mcp.json", b"{}"),
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
    // Below the root, and a chain.
    symlink("../twig", desk.path("sub/.cursor")).unwrap();
    fs::create_dir_all(desk.path("deep/.github")).unwrap();
    symlink("../one", desk.path("deep/.github/workflows")).unwrap();
    symlink("../flows", desk.path("deep/one")).unwrap();
    for (file, link) in [
        ("cfg/settings.json", ".claude/settings.json"),
        ("cfg/hooks/new", ".claude/hooks/new"),
        ("CFG/agents/x", ".claude/agents/x"),
        ("other/../cfg/settings.json", ".claude/settings.json"),
        ("notes.md", "CLAUDE.md"),
        ("scripts/x.sh", ".husky/x.sh"),
        ("gone", ".envrc"),
        ("twig/x/mcp.json", "sub/.cursor/x/mcp.json"),
        ("flows/ci.yml", "deep/.github/workflows/ci.yml"),
        ("deep/one", "deep/.github/workflows"),
    ] {
        let (said, why) = allowed(&desk, file);
        assert!(
            said == "ask" && why.contains(&format!("it is another name of {link}")),
            "{file}: {said}: {why}"
        );
        assert_eq!(on_write(&desk, file, &["claude"]), "ask", "{file}");
        assert_eq!(
            on(&desk, &["claude"], "Read", &json!({"file_path": file})),
            None,
            "{file}"
        );
        let patch = format!(
            "*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch\n",
            file.replace("other/../", "")
        );
        assert_eq!(
            on(&desk, &["codex"], "apply_patch", &json!({"command": patch}))
                .unwrap()
                .0,
            "deny",
            "{file}"
        );
        let document = called(&desk, &[], "apply_patch", &json!({"patch": patch}));
        assert_eq!(
            document["error"]["kind"], "approval_required",
            "{file}: {document:#}"
        );
    }
    // Hard links, one of them of a file that controls nothing.
    fs::hard_link(desk.path(".mcp.json"), desk.path("innocent")).unwrap();
    fs::hard_link(desk.path("other/settings.json"), desk.path("twin")).unwrap();
    assert_eq!(on_write(&desk, "innocent", &["claude"]), "ask");
    let (said, why) = allowed(&desk, "innocent");
    assert!(
        said == "ask"
            && why.contains("it is another name of .mcp.json, which controls Claude Code"),
        "{why}"
    );
    for file in ["twin", "other/settings.json"] {
        assert_eq!(on_write(&desk, file, &["claude"]), "-", "{file}");
        let (said, why) = allowed(&desk, file);
        assert!(
            said == "ask" && why.contains("the file has 2 hard links"),
            "{file}: {said}: {why}"
        );
    }
    for file in [
        "a",
        "other/new",
        ".husky.d/x",
        ".github/CODEOWNERS",
        "cfg/sub/x",
        "cfg/new",
        "sub/x",
        "twig2",
    ] {
        assert_eq!(allowed(&desk, file).0, "allow", "{file}");
    }
    let at_home = Desk::with(&[("../home/dotfiles/bashrc", b"x\n")]);
    symlink(at_home.root().join("b"), at_home.path("../home/.bashrc")).unwrap();
    assert_eq!(allowed(&at_home, "b").0, "ask");
    assert_eq!(on_write(&at_home, "b", &["claude"]), "ask");
}

#[test]
fn a_rule_that_allows_a_path_is_about_its_hard_links_and_not_about_control_files() {
    let rule = b"[[rule]]\npaths = ['cfg/settings.json', 'twin']\nverdict = 'allow'\n";
    let desk = desk(&[
        ("cfg/settings.json", b"{}"),
        ("one", b"x\n"),
        ("../config/wpatch/config.toml", rule),
    ]);
    symlink("cfg", desk.path(".claude")).unwrap();
    fs::hard_link(desk.path("one"), desk.path("twin")).unwrap();
    for (file, expected) in [
        ("cfg/settings.json", "ask"),
        ("twin", "allow"),
        ("cfg/x", "allow"),
        ("one", "ask"),
    ] {
        assert_eq!(allowed(&desk, file).0, expected, "{file}");
    }
}

#[test]
fn links_of_control_files_are_free_where_the_user_switches_the_rule_off() {
    let off = (
        "../config/wpatch/config.toml",
        &b"[policy]\ncontrol_files = false\n"[..],
    );
    for (project, expected) in [
        (&b""[..], "allow"),
        (b"[policy]\ncontrol_files = true\n", "ask"),
    ] {
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
        let kind = &document["error"]["kind"];
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
    assert_eq!(
        called(&[], "str_replace", &replace)["error"]["kind"],
        "approval_required"
    );
    assert_eq!(
        called(&[], "str_replace", &replace)["error"]["reason"],
        "it controls Claude Code"
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
    let line = "  modify  ask    `hook` and `mcp` ask: it controls Claude Code (control-files)\n";
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

/// The rule on reading holds for the name in the call, for each link on the way and for the file at
/// the end.
#[test]
fn a_secret_is_not_read_through_another_name() {
    let strict = b"[policy]\nsecrets = 'strict'\n";
    let desk = desk(&[
        ("../config/wpatch/config.toml", strict),
        ("value", b"KEY=1\n"),
        ("dir/id_rsa", b"KEY=1\n"),
    ]);
    symlink("value", desk.path(".env")).unwrap();
    symlink(".env", desk.path("notes")).unwrap();
    symlink("notes", desk.path("more")).unwrap();
    symlink("dir", desk.path("way")).unwrap();
    symlink("way/id_rsa", desk.path("key")).unwrap();
    for file in [".env", "notes", "more", "key", "way/id_rsa"] {
        let said = on(&desk, &["claude"], "Read", &json!({"file_path": file}));
        assert_eq!(said.unwrap().0, "deny", "{file}");
        let edit = json!({"path": file, "old_str": "KEY=1", "new_str": "KEY=2"});
        for (tool, input) in [("view", json!({"path": file})), ("str_replace", edit)] {
            let document = called(&desk, &[], tool, &input);
            assert!(
                document["error"]["kind"] == "denied" && !document.to_string().contains("KEY=1\\n"),
                "{tool} {file}"
            );
        }
        for command in [
            &["read", file][..],
            &["edit", file, "--old", "KEY=1", "--new", "KEY=2"],
        ] {
            desk.refuses("denied", command, b"");
        }
    }
    assert_eq!(
        called(&desk, &[], "view", &json!({"path": "value"}))["error"],
        Value::Null
    );
}
