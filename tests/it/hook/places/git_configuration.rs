//! Files that git's configuration names.
#![cfg(unix)]

use super::{desk, hooked, in_git, served};

use crate::world;

#[cfg(unix)]
#[test]
fn a_model_needs_approval_for_the_files_that_gits_configuration_names() {
    let included = b"[include]\n\tpath = nested.cfg\n[core]\n\tattributesFile = tools/marks\n";
    let desk = desk(&[
        ("tools/team.cfg", included),
        ("tools/other.cfg", b"x\n"),
        (
            "../home/.gitconfig",
            b"[include]\n\tpath = ../root/dotfiles/git\n",
        ),
    ]);
    world::link("tools", desk.path("way")).unwrap();
    assert_eq!(hooked(&desk, ".", "claude", "tools/team.cfg").0, "allow");
    in_git(&desk, ".", &["config", "include.path", "../way/team.cfg"]);
    for (file, asks) in [
        ("tools/team.cfg", true),
        ("way/team.cfg", true),
        ("tools/nested.cfg", true),
        ("tools/marks", true),
        ("dotfiles/git", true),
        ("tools/other.cfg", false),
        ("dotfiles/other", false),
    ] {
        let (verdict, why) = hooked(&desk, ".", "claude", file);
        assert_eq!(
            (verdict == "ask", why.contains("git's configuration")),
            (asks, asks),
            "{file}: {verdict} {why}"
        );
        assert_eq!(
            served(&desk, ".", file)["kind"] == "approval_required",
            asks,
            "{file}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_special_file_does_not_hide_the_files_that_gits_configuration_names() {
    let desk = desk(&[("hk/pre-commit", b"x\n"), ("team.cfg", b"[core]\n")]);
    in_git(&desk, ".", &["config", "include.path", "../team.cfg"]);
    in_git(&desk, ".", &["config", "core.hooksPath", "hk"]);
    in_git(&desk, ".", &["config", "core.excludesFile", "ign"]);
    for special in [false, true] {
        if special {
            world::link("/dev/tty", desk.path("ign")).unwrap();
        }
        for file in ["team.cfg", "hk/pre-commit"] {
            assert_eq!(
                hooked(&desk, ".", "claude", file).0,
                "ask",
                "{special} {file}"
            );
        }
    }
}
