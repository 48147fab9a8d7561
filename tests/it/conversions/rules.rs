//! Single rules of git's conversions, each next to `git apply`.
#![cfg(unix)]

use std::cell::Cell;
use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use super::{Outcome, Pair, compared};
use crate::repository::{git, init};
use crate::systems;
use crate::world;

mod encodings;
mod interfaces;

/// Returns a pair with these files, all of which are in the index.
fn pair(files: &[(&str, &[u8])]) -> Pair {
    let pair = Pair {
        directory: TempDir::new().unwrap(),
        variables: Vec::new(),
        has_source: false,
        time: Cell::new(1_000_000_000),
    };
    let root = pair.root("git");
    fs::create_dir_all(&root).unwrap();
    init(&root);
    for (name, bytes) in files {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), bytes).unwrap();
    }
    let _ = git(&["add", "-A"]).current_dir(&root).output().unwrap();
    let copied = Command::new("cp")
        .args(["-a", "git", "wpatch"])
        .current_dir(pair.directory.path())
        .status();
    assert!(copied.unwrap().success());
    pair.refresh();
    pair
}

fn modified(name: &str, old: &str, new: &str) -> String {
    format!(
        "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
    )
}

fn created(name: &str, line: &str) -> String {
    format!(
        "diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+{line}\n"
    )
}

#[cfg(unix)]
#[test]
fn a_patch_is_applied_by_the_attributes_before_it() {
    let files: [(&str, &[u8]); 3] = [
        ("d/.gitattributes", b"y eol=crlf\n"),
        ("d/y", b"one\r\n"),
        ("e/x", b"one\n"),
    ];
    let attributes = modified("d/.gitattributes", "y eol=crlf", "z eol=crlf");
    let patch = [attributes, modified("d/y", "one", "2"), created("d/z", "z")].concat();
    let same = pair(&files);
    assert_eq!(compared(&same, &[], patch.as_bytes()), Ok(Outcome::Applied));
    assert_eq!(
        ["d/y", "d/z"].map(|name| fs::read(same.root("wpatch").join(name)).unwrap()),
        [&b"2\r\n"[..], b"z\n"]
    );

    // git removes `d/.gitattributes` before it comes back to `d` from `e`, and then reads no
    // attributes there.
    let other = pair(&files);
    let patch = [patch, modified("e/x", "one", "2")].concat();
    let [by_git, ours] = other.apply(&[], patch.as_bytes());
    assert!(by_git.status.success() && ours.status.success(), "{ours:?}");
    let found = ["git", "wpatch"].map(|copy| fs::read(other.root(copy).join("d/y")).unwrap());
    assert_eq!(found, [&b"2\n"[..], b"2\r\n"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_moves_is_read_by_the_old_name_and_written_by_the_new_one() {
    let encoded = b"\xff\xfea\0\n\0";
    let attributes = b"*.bat eol=crlf\n*.rc working-tree-encoding=UTF-16LE-BOM\n";
    for action in ["rename", "copy"] {
        let pair = pair(&[
            (".gitattributes", attributes),
            ("run.bat", b"a\r\n"),
            ("text.rc", encoded),
        ]);
        let moved = |from: &str, to: &str| {
            format!(
                "diff --git a/{from} b/{to}\nsimilarity index 100%\n{action} from {from}\n{action} to {to}\n"
            )
        };
        let patch = [moved("run.bat", "run.sh"), moved("text.rc", "text.bat")].concat();
        assert_eq!(compared(&pair, &[], patch.as_bytes()), Ok(Outcome::Applied));
        let found =
            ["run.sh", "text.bat"].map(|name| fs::read(pair.root("wpatch").join(name)).unwrap());
        assert_eq!(found, [&b"a\n"[..], b"a\r\n"]);
    }
}

#[cfg(unix)]
#[test]
fn a_file_whose_mode_alone_changes_is_written_as_a_checkout_does() {
    for options in [&[][..], &["--index"]] {
        let pair = pair(&[(".gitattributes", b"*.bat eol=crlf\n"), ("run.bat", b"a\n")]);
        let patch = b"diff --git a/run.bat b/run.bat\nold mode 100644\nnew mode 100755\n";
        assert_eq!(compared(&pair, options, patch), Ok(Outcome::Applied));
        assert_eq!(
            fs::read(pair.root("wpatch").join("run.bat")).unwrap(),
            b"a\r\n"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_change_that_is_made_already_is_found_in_the_form_of_the_repository() {
    let attributes = b"* text eol=crlf\n*.rc working-tree-encoding=UTF-16\n";
    let pair = pair(&[
        (".gitattributes", attributes),
        ("x", b"one\r\n"),
        ("old", b"one\r\n"),
    ]);
    let rename =
        "diff --git a/old b/moved.rc\nsimilarity index 100%\nrename from old\nrename to moved.rc\n";
    let rename = format!("{rename}--- a/old\n+++ b/moved.rc\n@@ -1 +1 @@\n-one\n+2\n");
    let patch = [
        modified("x", "one", "2"),
        created("new", "new"),
        created("new.rc", "new"),
        rename,
    ]
    .concat();
    assert_eq!(compared(&pair, &[], patch.as_bytes()), Ok(Outcome::Applied));
    let (before, [_, ours]) = (
        pair.state("wpatch"),
        pair.apply(&["--idempotent"], patch.as_bytes()),
    );
    assert!(ours.status.success(), "{ours:?}");
    assert_eq!(pair.state("wpatch"), before);
}

#[test]
fn outside_of_a_work_tree_the_configuration_of_the_user_counts_alone() {
    let directory = TempDir::new().unwrap();
    let home = directory.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join(".gitconfig"), "[core]\n\tautocrlf = true\n").unwrap();
    fs::write(
        directory.path().join("patch"),
        [modified("x", "one", "2"), created("new", "new")].concat(),
    )
    .unwrap();
    let found = ["git", env!("CARGO_BIN_EXE_wpatch")].map(|program| {
        let root = TempDir::new_in(directory.path()).unwrap();
        fs::write(root.path().join("x"), "one\r\n").unwrap();
        fs::write(root.path().join(".gitattributes"), "* -text\n").unwrap();
        let mut command = Command::new(program);
        command
            .args(["apply", "../patch"])
            .current_dir(root.path())
            .env("HOME", &home)
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("GIT_CONFIG_GLOBAL");
        assert!(command.status().unwrap().success());
        ["x", "new"].map(|name| fs::read_to_string(root.path().join(name)).unwrap())
    });
    assert_eq!(found[0], ["2\r\n", "new\r\n"]);
    assert_eq!(found[1], found[0]);
}

#[cfg(unix)]
#[test]
fn no_git_is_started_for_text_that_needs_no_conversion() {
    let directory = TempDir::new().unwrap();
    let (root, bin) = (directory.path().join("root"), directory.path().join("bin"));
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(&bin).unwrap();
    fs::write(
        bin.join("git"),
        "#!/bin/sh\necho \"$@\" >> \"${0%/*}/../log\"\nexit 1\n",
    )
    .unwrap();
    world::set_mode(bin.join("git"), 0o755);
    init(&root);
    fs::write(
        root.join(".gitattributes"),
        "* text=auto\n*.sh eol=lf\n*.png -text\n",
    )
    .unwrap();
    fs::write(root.join("x"), "one\n").unwrap();
    fs::write(
        directory.path().join("patch"),
        [modified("x", "one", "2"), created("new", "new")].concat(),
    )
    .unwrap();
    let mut command = world::wpatch();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    command
        .args(["apply", "../patch"])
        .current_dir(&root)
        .env("PATH", path)
        .env("HOME", directory.path());
    assert!(
        command
            .env_remove("XDG_CONFIG_HOME")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(fs::read_to_string(root.join("x")).unwrap(), "2\n");
    assert!(
        !directory.path().join("log").exists(),
        "{:?}",
        fs::read_to_string(directory.path().join("log"))
    );
}

/// git has no work tree there, and reads attributes as if the directory was one.
#[test]
fn a_git_directory_has_attributes_of_its_own() {
    let attributes = [
        (".gitattributes", "* eol=crlf\n"),
        ("info/attributes", "* eol=crlf\n"),
        ("info/attributes", ""),
    ];
    let patch = modified("x", "one", "two");
    for (name, text) in attributes {
        let base = TempDir::new().unwrap();
        let found = ["git", env!("CARGO_BIN_EXE_wpatch")].map(|program| {
            let root = base
                .path()
                .join(if program == "git" { "theirs" } else { "ours" });
            assert!(
                git(&["init", "-q", root.to_str().unwrap()])
                    .status()
                    .unwrap()
                    .success()
            );
            fs::create_dir_all(root.join(".git/info")).unwrap();
            fs::write(root.join(".git").join(name), text).unwrap();
            [".git", ".git/objects"].map(|directory| {
                let directory = root.join(directory);
                fs::write(directory.join("x"), "one\n").unwrap();
                let output = systems::fed(
                    Command::new(program).arg("apply").current_dir(&directory),
                    patch.as_bytes(),
                );
                assert!(
                    output.status.success(),
                    "{name}: {}",
                    String::from_utf8_lossy(&output.stderr)
                );
                fs::read(directory.join("x")).unwrap()
            })
        });
        assert_eq!(found[0], found[1], "{name}");
        assert_eq!(
            found[0][0],
            if text.is_empty() {
                &b"two\n"[..]
            } else {
                b"two\r\n"
            }
        );
    }
}
