//! Links to control files, and to files that may not be read.
#![cfg(unix)]

use fs_err as fs;
use serde_json::json;

use super::{called, desk, on, on_write};
use crate::systems::Desk;
use crate::world;

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

/// Returns a root with symbolic links to what control files are in.
fn linked() -> Desk {
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
    world::link("cfg", desk.path(".claude")).unwrap();
    world::link("notes.md", desk.path("CLAUDE.md")).unwrap();
    fs::create_dir(desk.path(".husky.d")).unwrap();
    world::link(desk.path("scripts"), desk.path(".husky")).unwrap();
    world::link("dotfiles/bashrc", desk.path("../home/.bashrc")).unwrap();
    world::link("gone", desk.path(".envrc")).unwrap();
    // Below the root, and a chain.
    world::link("../twig", desk.path("sub/.cursor")).unwrap();
    fs::create_dir_all(desk.path("deep/.github")).unwrap();
    world::link("../one", desk.path("deep/.github/workflows")).unwrap();
    world::link("../flows", desk.path("deep/one")).unwrap();
    desk
}

#[test]
fn allow_is_not_about_another_name_of_a_control_file() {
    let desk = linked();
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
            said == "ask" && why.contains(&format!("the path is a link to {link}")),
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
            document["problems"][0]["kind"], "approval_required",
            "{file}: {document:#}"
        );
    }
}

#[test]
fn allow_is_not_about_a_hard_link_of_a_control_file() {
    let desk = linked();
    // `twin` is a name of a file that controls nothing.
    fs::hard_link(desk.path(".mcp.json"), desk.path("innocent")).unwrap();
    fs::hard_link(desk.path("other/settings.json"), desk.path("twin")).unwrap();
    assert_eq!(on_write(&desk, "innocent", &["claude"]), "ask");
    let (said, why) = allowed(&desk, "innocent");
    assert!(
        said == "ask"
            && why.contains("the path is a link to .mcp.json, which controls Claude Code"),
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
}

#[test]
fn allow_is_not_about_the_target_of_a_link_in_the_home() {
    let at_home = Desk::with(&[("../home/dotfiles/bashrc", b"x\n")]);
    world::link(at_home.root().join("b"), at_home.path("../home/.bashrc")).unwrap();
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
    world::link("cfg", desk.path(".claude")).unwrap();
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
        world::link("cfg", desk.path(".claude")).unwrap();
        assert_eq!(allowed(&desk, "cfg/settings.json").0, expected);
    }
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
    world::link("value", desk.path(".env")).unwrap();
    world::link(".env", desk.path("notes")).unwrap();
    world::link("notes", desk.path("more")).unwrap();
    world::link("dir", desk.path("way")).unwrap();
    world::link("way/id_rsa", desk.path("key")).unwrap();
    for file in [".env", "notes", "more", "key", "way/id_rsa"] {
        let said = on(&desk, &["claude"], "Read", &json!({"file_path": file}));
        assert_eq!(said.unwrap().0, "deny", "{file}");
        let edit = json!({"path": file, "old_str": "KEY=1", "new_str": "KEY=2"});
        for (tool, input) in [("view", json!({"path": file})), ("str_replace", edit)] {
            let document = called(&desk, &[], tool, &input);
            assert!(
                document["problems"][0]["kind"] == "denied"
                    && !document.to_string().contains("KEY=1\\n"),
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
        called(&desk, &[], "view", &json!({"path": "value"}))["ok"],
        true
    );
}
