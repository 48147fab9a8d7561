//! Files and directories that the user may not read or write: the message names what the user
//! wanted and what helps.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};

use fs_err as fs;

use crate::systems::Desk;
use crate::world;

const PATCH: &[u8] = b"--- a/d/f\n+++ b/d/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";

/// Returns the program without the rights that root has over all files.
fn program(desk: &Desk, arguments: &[&str]) -> Command {
    let is_root = world::is_root();
    let wrapper: &[&str] = if is_root {
        &["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    } else {
        &["env"]
    };
    let mut command = Command::new(wrapper[0]);
    command
        .args(&wrapper[1..])
        .arg(env!("CARGO_BIN_EXE_wpatch"))
        .args(arguments)
        .current_dir(desk.root());
    command
        .env("XDG_CONFIG_HOME", desk.path("../config"))
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::null());
    command
}

/// Returns the exit code and what the program prints for people.
fn says(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// Does `work` while `path` has the permission bits `mode`.
fn with_mode(path: &Path, mode: u32, work: impl FnOnce()) {
    let before = fs::metadata(path).unwrap().permissions();
    world::set_mode(path, mode);
    work();
    fs::set_permissions(path, before).unwrap();
}

fn desk() -> Desk {
    Desk::with(&[("d/f", b"one\ntwo\n"), ("p", PATCH)])
}

#[test]
fn a_directory_that_is_not_writable_is_named_with_the_file() {
    let commands: [(&[&str], &str); 3] = [
        (&["apply", "p"], "d/f"),
        (&["edit", "d/f", "--old", "one", "--new", "1"], "d/f"),
        (&["write", "d/new"], "d/new"),
    ];
    for (closed, is_git, name) in [
        ("d", false, "the directory d"),
        ("d", true, "the directory d"),
        (".", false, "the root directory"),
        (".git", true, "the directory .git"),
        (".git/wpatch", true, "the directory .git/wpatch"),
    ] {
        for (arguments, file) in commands {
            let desk = desk();
            if is_git {
                assert!(
                    Command::new("git")
                        .args(["init", "-q"])
                        .current_dir(desk.root())
                        .status()
                        .unwrap()
                        .success()
                );
            }
            if closed == ".git/wpatch" {
                fs::create_dir(desk.path(closed)).unwrap();
            }
            with_mode(&desk.path(closed), 0o555, || {
                let (code, words) = says(&mut program(&desk, arguments));
                let sentence = format!(
                    "{file}: cannot change the file: {name} is not writable (Permission denied)"
                );
                assert!(
                    code == Some(4) && words.contains(&sentence),
                    "{closed} {arguments:?} {code:?}: {words}"
                );
                assert!(
                    words.contains("help: make this directory writable for the current user"),
                    "{closed}: {words}"
                );
                assert_eq!(
                    words.matches("Permission denied").count(),
                    1,
                    "{closed}: {words}"
                );
                assert!(!words.contains("txn-"), "{closed}: {words}");
            });
            assert_eq!(desk.bytes("d/f"), b"one\ntwo\n");
        }
    }
}

#[test]
fn a_directory_with_the_name_of_a_transaction_is_named_whole() {
    let patch = b"--- a/d/txn-1/f\n+++ b/d/txn-1/f\n@@ -1 +1 @@\n-one\n+1\n";
    let desk = Desk::with(&[("d/txn-1/f", b"one\n"), ("p", patch)]);
    with_mode(&desk.path("d/txn-1"), 0o555, || {
        let (code, words) = says(&mut program(&desk, &["apply", "p"]));
        assert!(
            code == Some(4) && words.contains("the directory d/txn-1 is not writable"),
            "{code:?}: {words}"
        );
        assert!(!words.contains("stores an unfinished change"), "{words}");
    });
}

#[test]
fn a_directory_is_no_place_in_the_text_of_an_edit() {
    for name in ["d", ".", "none"] {
        let (code, words) = says(&mut program(
            &desk(),
            &["edit", name, "--old", "one", "--new", "1"],
        ));
        assert!(
            code == Some(1) && words.contains(&format!("{name}: ")) && !words.contains("--old:"),
            "{words}"
        );
    }
}

#[test]
fn an_undo_names_the_directory_that_is_not_writable() {
    for (closed, sentence) in [
        (
            "d",
            "d/f: cannot change the file: the directory d is not writable (Permission denied)",
        ),
        (
            ".git/wpatch",
            "the directory .git/wpatch is not writable (Permission denied)",
        ),
    ] {
        let desk = desk();
        assert!(
            Command::new("git")
                .args(["init", "-q"])
                .current_dir(desk.root())
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(says(&mut program(&desk, &["apply", "p"])).0, Some(0));
        with_mode(&desk.path(closed), 0o555, || {
            let (code, words) = says(&mut program(&desk, &["undo"]));
            assert!(
                code == Some(4) && words.contains(sentence),
                "{code:?}: {words}"
            );
        });
        assert_eq!(says(&mut program(&desk, &["undo"])).0, Some(0));
    }
}

#[test]
fn a_configuration_directory_that_cannot_be_read_is_named_with_its_variable() {
    let desk = Desk::with(&[
        ("d/f", b"one\ntwo\n"),
        ("p", PATCH),
        ("../config/x", b""),
        ("../home/.config/x", b""),
    ]);
    fs::write(desk.path("../file"), "").unwrap();
    let (config, home) = (desk.path("../config"), desk.path("../home"));
    with_mode(&config, 0, || {
        with_mode(&home.join(".config"), 0, || {
            let xdg = || program(&desk, &["check", "p"]);
            let mut of_home = xdg();
            of_home.env_remove("XDG_CONFIG_HOME").env("HOME", &home);
            let mut of_file = xdg();
            of_file.env("XDG_CONFIG_HOME", desk.path("../file"));
            for (mut command, name, variable, reason) in [
                (
                    xdg(),
                    "config",
                    "set XDG_CONFIG_HOME to",
                    "Permission denied",
                ),
                (
                    of_home,
                    ".config",
                    "set HOME or XDG_CONFIG_HOME to",
                    "Permission denied",
                ),
                (of_file, "file", "set XDG_CONFIG_HOME to", "Not a directory"),
            ] {
                let (code, words) = says(&mut command);
                let sentence =
                    format!("{name}: cannot read the configuration directory: {reason}\n");
                assert!(
                    code == Some(3) && words.contains(&sentence) && words.contains(variable),
                    "{code:?}: {words}"
                );
                assert!(
                    !words.contains("policy file is invalid") && !words.contains("config.toml"),
                    "{words}"
                );
            }
        });
    });
    let (code, words) = says(&mut program(&desk, &["check", "p", "--policy", "gone"]));
    let is_named = words.contains("gone: No such file or directory\n")
        && words.contains("use --policy with an existing policy file");
    assert!(
        code == Some(3) && is_named && !words.contains("fix it"),
        "{code:?}: {words}"
    );
}
