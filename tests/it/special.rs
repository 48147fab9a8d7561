//! Files that are FIFOs where git or the program opens a file: none of them is waited for.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use crate::repository::{git, run};
use crate::run::valid;
use crate::tree;
use crate::world;

const PATCH: &str = "--- a/d/a\n+++ b/d/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";

/// What a command does where the file is a FIFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// git opens it for some of the commands, which are refused.
    Git,
    /// The program opens it: every command is refused, with this exit code.
    Program(i32),
}

/// The files, each with the process that opens it.
const FILES: &[(&str, Reader)] = &[
    (".git/config", Reader::Git),
    (".git/HEAD", Reader::Git),
    (".git/index", Reader::Git),
    (".git/commondir", Reader::Git),
    (".git/packed-refs", Reader::Git),
    (".git/info/attributes", Reader::Git),
    (".git/refs/heads/main", Reader::Git),
    (".git/objects/info/alternates", Reader::Git),
    (".git/objects/pack/pack-1.idx", Reader::Git),
    (".gitattributes", Reader::Git),
    ("d/.gitattributes", Reader::Git),
    ("t\tb/.gitattributes", Reader::Git),
    ("included", Reader::Git),
    ("home/.gitconfig", Reader::Git),
    (".wpatch", Reader::Program(4)),
    (".git/wpatch", Reader::Program(4)),
    (".git/wpatch/lock", Reader::Program(4)),
    (".git/wpatch/audit.jsonl", Reader::Program(4)),
    ("d/a", Reader::Program(1)),
];

/// The commands, each with its input.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["check", "--json"], PATCH),
    (&["apply", "--json"], PATCH),
    (&["apply", "--index", "--json"], PATCH),
    (&["apply", "--cached", "--json"], PATCH),
    (&["apply", "--3way", "--json"], PATCH),
    (&["edit", "d/a", "--old", "two", "--new", "2", "--json"], ""),
];

fn repository() -> TempDir {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    fs::create_dir_all(root.join("d")).unwrap();
    fs::create_dir(directory.path().join("home")).unwrap();
    run(git(&["init", "-q", "-b", "main"]).arg(&root), b"");
    let git = |arguments: &[&str]| run(git(&["-C"]).arg(&root).args(arguments), b"");
    fs::write(root.join("d/a"), "one\ntwo\nthree\n").unwrap();
    fs::write(root.join("e"), "e\n").unwrap();
    fs::create_dir(root.join("t\tb")).unwrap();
    fs::write(root.join("t\tb/c"), "c\n").unwrap();
    fs::write(root.join(".gitattributes"), "* text\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    directory
}

/// Files that a file of git names in a way that takes git's rules to read: where the FIFO is, the
/// file, and its last lines.
const NAMED: &[(&str, &str, &str)] = &[
    ("fi", ".git/config", "[include] path = ../fi ; c\n"),
    ("fi", ".git/config", "[include]path=\"../fi\"# c\n"),
    (
        "fi",
        ".git/config",
        "[includeIf \"gitdir:**\"]\n\tpath = ../\\\nfi\n",
    ),
    (
        "x]y",
        ".git/config",
        "[core]\n\tattributesFile = \"ROOT/x]y\"\n",
    ),
    (
        "x;y",
        ".git/config",
        "[core] AttributesFile = ROOT/\"x;y\" ;\n",
    ),
    ("x y", ".git/config", "[core] attributesFile = x y\n"),
    (
        "x\\y",
        ".git/config",
        "[core] attributesFile = ROOT/x\\\\y\n",
    ),
    ("home/fi", ".git/config", "[core] attributesFile = ~/fi\n"),
    ("fi", "second", "[core] attributesFile = ROOT/fi\n"),
    (".git/info/attributes", "sub/.git/unused", ""),
    (".git/info/attributes", "sub/.git/HEAD", "x\n"),
    (
        "other/info/alternates",
        ".git/objects/info/alternates",
        "ROOT/other\n",
    ),
    (
        ".git/refs/heads/other",
        ".git/refs/heads/main",
        "ref: refs/heads/other\n",
    ),
];

/// Runs a command that has to end by itself.
fn ends(directory: &Path, command: (&[&str], &str)) -> Output {
    ends_in("root", directory, command)
}

/// Runs a command in the directory `below` of `directory`. It has to end by itself.
fn ends_in(below: &str, directory: &Path, (arguments, input): (&[&str], &str)) -> Output {
    let patch = directory.join("patch");
    fs::write(&patch, input).unwrap();
    let mut command = Command::new("timeout");
    command
        .args(["-k", "1", "10", env!("CARGO_BIN_EXE_wpatch")])
        .args(arguments);
    command
        .current_dir(directory.join(below))
        .stdin(fs::File::open(&patch).unwrap().into_file());
    command
        .env("HOME", directory.join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command.env_remove("GIT_CONFIG_GLOBAL").output().unwrap()
}

/// Puts a FIFO in the place of `path`.
fn put_fifo(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    let status = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(status.success());
}

/// Puts a FIFO in the place of the file `name` of [`FILES`], for the repository in `directory`.
fn put_fifo_for(directory: &Path, name: &str) {
    let root = directory.join("root");
    let file = match name {
        "home/.gitconfig" => directory.join(name),
        _ => root.join(name),
    };
    if name == "included" {
        let config = root.join(".git/config");
        let text = fs::read_to_string(&config).unwrap();
        fs::write(&config, text + "[include]\n\tpath = ../included\n").unwrap();
    }
    put_fifo(&file);
}

#[test]
fn no_fifo_is_waited_for() {
    for &(name, reader) in FILES {
        let mut refused = 0;
        for &command in COMMANDS {
            let directory = repository();
            let root = directory.path().join("root");
            put_fifo_for(directory.path(), name);
            let before = tree::traces(&root);
            let output = ends(directory.path(), command);
            let code = output.status.code().unwrap();
            let report: Value = valid(serde_json::from_slice(&output.stdout).unwrap_or_else(
                |error| {
                    panic!(
                        "{name} {:?}: {code}, {error}: {}",
                        command.0,
                        String::from_utf8_lossy(&output.stderr)
                    )
                },
            ));
            if code == 0 {
                // `--cached` does not open the files of the work tree. Nor does `check` open the
                // audit file.
                let is_unread = name == "d/a" && command.0.contains(&"--cached")
                    || name.ends_with("/audit.jsonl") && command.0[0] == "check";
                assert!(reader == Reader::Git || is_unread, "{name} {:?}", command.0);
                continue;
            }
            refused += 1;
            let expected = if let Reader::Program(code) = reader {
                code
            } else {
                4
            };
            assert_eq!(
                code, expected,
                "{name} {:?}: {:#}",
                command.0, report["error"]
            );
            let error = report["error"].to_string();
            let last = name.rsplit('/').next().unwrap();
            assert!(error.contains(last), "{name} {:?}: {error}", command.0);
            let after = tree::traces(&root);
            // git removes objects that nothing names later.
            let is_object = |path: &PathBuf| path.starts_with(root.join(".git/objects"));
            let is_kept =
                |path: &&PathBuf| !path.is_dir() && !path.ends_with("lock") && !is_object(path);
            let kept =
                |traces: &tree::Traces| traces.keys().filter(is_kept).cloned().collect::<Vec<_>>();
            assert_eq!(kept(&before), kept(&after), "{name} {:?}", command.0);
        }
        assert!(refused > 0, "{name}: no command opens it");
    }
}

/// [`COMMANDS`] are refused for no other reason than the FIFO.
#[test]
fn each_command_changes_a_repository_without_a_fifo() {
    for &command in COMMANDS {
        let output = ends(repository().path(), command);
        assert!(
            output.status.success(),
            "{:?}: {}",
            command.0,
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

#[test]
fn files_that_name_themselves_under_several_names_are_read_once() {
    let command = (
        &["apply", "--3way", "--index", "--check", "--json"][..],
        PATCH,
    );
    for (file, lines) in [
        (
            ".git/objects/info/alternates",
            "../objects\n../../.git/objects\n",
        ),
        (
            "included",
            "[include]\n\tpath = ./included\n\tpath = ../root/included\n",
        ),
    ] {
        let directory = repository();
        let root = directory.path().join("root");
        let config = fs::read_to_string(root.join(".git/config")).unwrap();
        fs::write(
            root.join(".git/config"),
            config + "[include]\n\tpath = ../included\n",
        )
        .unwrap();
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), lines).unwrap();
        let output = ends(directory.path(), command);
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        // git refuses to include so many; a program that does not end has the exit code of
        // `timeout`.
        let expected = if file == "included" { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(expected), "{file}: {report}");
    }
}

#[test]
fn the_file_that_the_environment_includes_is_not_waited_for() {
    let directory = repository();
    let fifo = directory.path().join("root/fifo");
    world::fifo(&fifo);
    let mut command = Command::new("timeout");
    command.args([
        "-k",
        "1",
        "10",
        env!("CARGO_BIN_EXE_wpatch"),
        "check",
        "--index",
        "--json",
    ]);
    command
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "include.path")
        .env("GIT_CONFIG_VALUE_0", &fifo);
    let output = command
        .current_dir(directory.path().join("root"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stdout).contains("is not a regular file"));
}

#[test]
fn a_fifo_that_a_file_of_git_names_is_not_waited_for() {
    for &(name, file, lines) in NAMED {
        let directory = repository();
        let root = directory.path().join("root");
        let lines = lines.replace("ROOT", root.to_str().unwrap());
        let config = root.join(".git/config");
        let mut text = fs::read_to_string(&config).unwrap();
        if file == "second" {
            // The first name of more than a few hundred files is not the one that counts.
            let others = (0..300).map(|number| {
                format!("[core] attributesFile = {}/none-{number}\n", root.display())
            });
            text += "[include] path = ../second\n";
            text += &others.collect::<Vec<_>>().concat();
            fs::write(&config, text).unwrap();
            fs::write(
                root.join(file),
                format!("# {}\n{lines}", "x".repeat(2 << 20)),
            )
            .unwrap();
        } else {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let is_kept = file.ends_with("config");
            fs::write(
                &file,
                if is_kept {
                    text + &lines
                } else {
                    lines.clone()
                },
            )
            .unwrap();
        }
        let fifo = if name.starts_with("home/") {
            directory.path().join(name)
        } else {
            root.join(name)
        };
        put_fifo(&fifo);
        let below = if file.starts_with("sub/") {
            "root/sub"
        } else {
            "root"
        };
        let command = &["apply", "--3way", "--index", "--check", "--json"][..];
        let patch = PATCH.replace("d/a", if below == "root" { "d/a" } else { "../d/a" });
        let output = ends_in(below, directory.path(), (command, &patch));
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(4), "{name} {lines:?}: {report}");
        assert!(
            report.contains("is not a regular file"),
            "{name} {lines:?}: {report}"
        );
    }
}
