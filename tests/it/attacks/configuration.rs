//! Attempts to have another file taken for the user's configuration.
#![cfg(unix)]

use std::os::unix::fs::lchown;
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde_json::Value;

use super::{DENIED, refused};
use crate::systems::{Desk, fed, program};
use crate::world;

const WRITE: [&str; 4] = ["write", "b", "--content", "x"];
const READ_ONLY: &[u8] = b"[policy]\nmode = 'read-only'\n";

fn set_mode(path: PathBuf, mode: u32) {
    world::set_mode(path, mode);
}

/// Returns a root with a configuration that only its user can write to, whatever the file mode
/// creation mask is.
fn desk() -> Desk {
    let desk = Desk::with(&[("a", b"a\n"), ("../config/wpatch/config.toml", READ_ONLY)]);
    set_mode(desk.path("../config"), 0o755);
    set_mode(desk.path("../config/wpatch"), 0o755);
    set_mode(desk.path("../config/wpatch/config.toml"), 0o644);
    desk
}

#[test]
fn a_directory_that_others_write_to_makes_a_configuration_unusable() {
    let desk = desk();
    for directory in ["../config/wpatch", "../config"] {
        for mode in [0o777, 0o775, 0o757] {
            set_mode(desk.path(directory), mode);
            let error = refused(&desk, ("policy", 3), &WRITE, b"");
            assert!(
                error["message"]
                    .as_str()
                    .unwrap()
                    .contains("other users can replace the file"),
                "{error:#}"
            );
        }
        // In such a one nobody replaces what others have.
        set_mode(desk.path(directory), 0o1777);
        refused(&desk, ("denied", 3), &WRITE, b"");
        set_mode(desk.path(directory), 0o755);
    }
    refused(&desk, ("denied", 3), &WRITE, b"");
}

#[test]
fn a_link_to_a_configuration_is_no_better_than_where_it_leads() {
    let desk = desk();
    let file = desk.path("../config/wpatch/config.toml");
    fs::create_dir_all(desk.path("../shared/own")).unwrap();
    set_mode(desk.path("../shared/own"), 0o755);
    set_mode(desk.path("../shared"), 0o777);
    fs::rename(&file, desk.path("../shared/own/c.toml")).unwrap();
    world::link("../../shared/own/c.toml", &file).unwrap();
    refused(&desk, ("policy", 3), &WRITE, b"");
    set_mode(desk.path("../shared"), 0o755);
    refused(&desk, ("denied", 3), &WRITE, b"");
    // A link on the way lies in a directory as well.
    fs::create_dir(desk.path("../open")).unwrap();
    world::link("../shared/own/c.toml", desk.path("../open/link")).unwrap();
    set_mode(desk.path("../open"), 0o777);
    fs::remove_file(&file).unwrap();
    world::link("../../open/link", &file).unwrap();
    refused(&desk, ("policy", 3), &WRITE, b"");
    set_mode(desk.path("../open"), 0o755);
    refused(&desk, ("denied", 3), &WRITE, b"");
}

#[test]
fn a_link_to_a_directory_is_no_better_than_where_it_lies() {
    let desk = desk();
    fs::create_dir(desk.path("../open")).unwrap();
    world::link("../config", desk.path("../open/link")).unwrap();
    let kind = |variable: &str, place: &str| {
        let mut command = program(&desk.root(), &[&WRITE[..], &["--json"]].concat());
        command
            .env_remove("XDG_CONFIG_HOME")
            .env("HOME", desk.path("../nowhere"))
            .env(variable, desk.path(place));
        let document: Value = serde_json::from_slice(&fed(&mut command, b"").stdout).unwrap();
        document["error"]["kind"].as_str().unwrap().to_owned()
    };
    world::link("../open/../open/link", desk.path("../config/again")).unwrap();
    // The home that has its configuration elsewhere.
    world::link("link", desk.path("../open/.config")).unwrap();
    for (mode, wanted) in [
        (0o755, "denied"),
        (0o777, "policy"),
        (0o775, "policy"),
        (0o1777, "denied"),
    ] {
        set_mode(desk.path("../open"), mode);
        for place in [
            "../open/link",
            "../open/link/again",
            "../config/again/../config/again",
        ] {
            assert_eq!(kind("XDG_CONFIG_HOME", place), wanted, "{mode:o}: {place}");
        }
        assert_eq!(kind("HOME", "../open"), wanted, "{mode:o}");
    }
    // Whoever has a link aims it at another place, if only in a directory in which nobody replaces
    // what others have.
    if lchown(desk.path("../open/link"), Some(65534), None).is_ok() {
        assert_eq!(kind("XDG_CONFIG_HOME", "../open/link"), "policy");
    }
}

#[test]
fn what_is_above_the_home_is_for_who_runs_the_system() {
    let desk = Desk::with(&[
        ("a", b"a\n"),
        ("../me/.config/wpatch/config.toml", READ_ONLY),
    ]);
    for directory in ["../me", "../me/.config", "../me/.config/wpatch"] {
        set_mode(desk.path(directory), 0o755);
    }
    set_mode(desk.path("../me/.config/wpatch/config.toml"), 0o644);
    let kind = || {
        let mut command = program(&desk.root(), &[&WRITE[..], &["--json"]].concat());
        let output = fed(
            command
                .env_remove("XDG_CONFIG_HOME")
                .env("HOME", desk.path("../me")),
            b"",
        );
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["error"]["kind"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(kind(), "denied");
    set_mode(desk.path(".."), 0o777);
    assert_eq!(kind(), "denied");
    set_mode(desk.path("../me"), 0o777);
    assert_eq!(kind(), "policy");
    set_mode(desk.path("../me"), 0o755);
}

/// Where a variable is relative or empty, no file of the tree is the user's configuration.
#[test]
fn no_file_of_the_tree_is_taken_for_the_configuration() {
    let files = [
        "wpatch/config.toml",
        ".config/wpatch/config.toml",
        "rel/wpatch/config.toml",
        "rel/.config/wpatch/config.toml",
    ];
    let desk = Desk::with(&files.map(|name| (name, READ_ONLY)));
    let writes = |variables: &[(&str, Option<&Path>)]| {
        let mut command = program(
            &desk.root(),
            &["write", "b", "--content", "x", "--overwrite", "--json"],
        );
        for (name, value) in variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let document: Value = serde_json::from_slice(&fed(&mut command, b"").stdout).unwrap();
        assert_eq!(document["ok"], true, "{variables:?}: {document:#}");
    };
    let relative = ["", ".", "rel", "./rel", "../root"].map(Path::new);
    let nowhere = desk.path("../nowhere");
    for value in relative {
        for home in relative.into_iter().chain([nowhere.as_path()]) {
            writes(&[("XDG_CONFIG_HOME", Some(value)), ("HOME", Some(home))]);
        }
        writes(&[("XDG_CONFIG_HOME", Some(&nowhere)), ("HOME", Some(value))]);
        writes(&[("XDG_CONFIG_HOME", None), ("HOME", Some(value))]);
    }
    writes(&[("XDG_CONFIG_HOME", Some(&nowhere)), ("HOME", None)]);
}

#[test]
fn a_home_by_another_name_keeps_its_secrets() {
    let desk = Desk::with(&[
        ("a", b"a\n"),
        (".ssh/id_rsa", b"k\n"),
        ("me/.aws/credentials", b"k\n"),
    ]);
    world::link("root", desk.path("../link")).unwrap();
    let kind = |home: &str, file: &str| {
        let mut command = program(&desk.root(), &["read", file, "--json"]);
        let document: Value =
            serde_json::from_slice(&fed(command.env("HOME", home), b"").stdout).unwrap();
        document["error"]["kind"]
            .as_str()
            .unwrap_or("read")
            .to_owned()
    };
    let root = desk.root().to_str().unwrap().to_owned();
    for home in [
        root.clone(),
        format!("{root}/"),
        format!("{root}//."),
        format!("{root}/../link"),
        format!("{root}/me/.."),
    ] {
        assert_eq!(kind(&home, ".ssh/id_rsa"), "denied", "{home}");
        assert_eq!(
            kind(&home, ".\u{17f}\u{17f}h/id_r\u{17f}a"),
            "denied",
            "{home}"
        );
    }
    assert_eq!(kind(&format!("{root}/me"), "me/.aws/credentials"), "denied");
    assert_eq!(kind(&format!("{root}/me"), ".ssh/id_rsa"), "read");
}

/// The system follows the link before `..`, so the path without links is not the normalized one.
#[test]
fn a_policy_file_is_closed_behind_links_and_parent_directories() {
    let desk = Desk::with(&[("x/real.toml", b""), ("x/y/z", b""), ("sub/z", b"")]);
    world::link("../x/y", desk.path("sub/directory")).unwrap();
    world::link("sub/directory/../real.toml", desk.path("policy.toml")).unwrap();
    let words = [
        "write",
        "x/real.toml",
        "--overwrite",
        "--policy",
        "policy.toml",
    ];
    refused(&desk, DENIED, &words, b"x");
    assert_eq!(desk.bytes("x/real.toml"), b"");
}
