//! Symbolic links where `core.symlinks` is false: they are regular files in the work tree, and
//! links in the index.
#![cfg(unix)]

use std::path::Path;

use fs_err as fs;
use tempfile::TempDir;

use super::beside::{beside, commit, runs};
use crate::index::tree::asked;
use crate::repository::init;
use crate::tree::{self, Node};
use crate::world;

const NOTE: &str = "\\ No newline at end of file\n";

/// Commits the file `f` and the links `l` and `m`, which the work tree has as regular files.
fn prepare(root: &Path) {
    runs(root, &["config", "core.symlinks", "false"]);
    for link in ["l", "m"] {
        world::link("f", root.join(link)).unwrap();
    }
    runs(root, &["-c", "core.symlinks=true", "add", "l", "m"]);
    commit(
        root,
        &[
            ("f", b"one\n"),
            ("x", b"x\n"),
            (".gitattributes", b"m text=auto\nn text eol=crlf\n"),
        ],
    );
    world::set_mode(root.join("x"), 0o755);
    commit(root, &[]);
    for link in ["l", "m"] {
        fs::remove_file(root.join(link)).unwrap();
    }
    runs(root, &["checkout", "-q", "l", "m"]);
    assert_eq!(fs::read(root.join("l")).unwrap(), b"f");
    assert_eq!(asked(root, &["ls-files", "-s", "l"])[..6], *"120000");
}

fn header(old: &str, new: &str) -> String {
    format!("diff --git a/{old} b/{new}\n")
}

fn created(name: &str, target: &str) -> String {
    let lines = format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+{target}\n{NOTE}");
    format!("{}new file mode 120000\n{lines}", header(name, name))
}

fn deleted(name: &str, target: &str) -> String {
    let lines = format!("--- a/{name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-{target}\n{NOTE}");
    format!("{}deleted file mode 120000\n{lines}", header(name, name))
}

fn changed(name: &str, old: &str, new: &str) -> String {
    let lines = format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n{NOTE}+{new}\n{NOTE}");
    format!(
        "{}index 1111111..2222222 120000\n{lines}",
        header(name, name)
    )
}

fn renamed(old: &str, new: &str) -> String {
    format!(
        "{}similarity index 100%\nrename from {old}\nrename to {new}\n",
        header(old, new)
    )
}

/// Returns patches, and whether git applies each without an index and with one.
fn cases() -> Vec<(String, [bool; 2])> {
    let file = |kind: &str, sides: &str, sign: &str, range: &str| {
        format!(
            "{}{kind} file mode 100644\n{sides}\n@@ {range} @@\n{sign}one\n",
            header("f", "f")
        )
    };
    let file_deleted = file("deleted", "--- a/f\n+++ /dev/null", "-", "-1 +0,0");
    let script = format!(
        "{}deleted file mode 100755\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
        header("x", "x")
    );
    let made = format!(
        "{}new file mode 100644\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+l\n",
        header("l", "l")
    );
    let copied = format!(
        "{}similarity index 100%\ncopy from l\ncopy to c\n",
        header("l", "c")
    );
    vec![
        (created("n", "f"), [true; 2]),
        (created("d/n", "../f") + &created("n", "d"), [true; 2]),
        (created("n", "f") + &changed("n", "f", "g"), [true; 2]),
        (created("l", "f"), [false; 2]),
        (changed("l", "f", "g"), [false, true]),
        (changed("m", "f", "g"), [false, true]),
        (changed("l", "x", "g"), [false; 2]),
        (deleted("l", "f"), [false, true]),
        (renamed("l", "k"), [true; 2]),
        (renamed("m", "n"), [true; 2]),
        (copied, [true; 2]),
        (deleted("l", "f") + &made, [false, true]),
        (file_deleted + &created("f", "l"), [true; 2]),
        (script + &created("x", "l"), [true; 2]),
    ]
}

#[test]
fn links_are_regular_files_where_git_is_configured_so() {
    for (patch, applies) in cases() {
        for (options, applies) in [
            (&[][..], applies[0]),
            (&["--index"], applies[1]),
            (&["--cached"], applies[1]),
            (&["--check"], applies[0]),
        ] {
            let [by_git, ours] = beside(&prepare, options, patch.as_bytes());
            assert_eq!(
                by_git.exit == 0,
                applies,
                "{options:?} {patch}{}",
                by_git.said
            );
            assert_eq!(ours.exit == 0, applies, "{options:?} {patch}{}", ours.said);
            assert_eq!(ours.files, by_git.files, "{options:?} {patch}");
            assert_eq!(ours.index, by_git.index, "{options:?} {patch}");
            assert!(
                !ours
                    .files
                    .values()
                    .any(|node| matches!(node, Node::Link(_))),
                "{options:?} {patch}"
            );
        }
    }
}

#[test]
fn a_change_of_links_that_are_regular_files_is_undone() {
    let mut count = 0;
    for (patch, applies) in cases() {
        for (options, applies) in [(&[][..], applies[0]), (&["--index"], applies[1])] {
            let directory = TempDir::new().unwrap();
            let root = directory.path().join("root");
            fs::create_dir(&root).unwrap();
            init(&root);
            prepare(&root);
            fs::write(directory.path().join("patch"), &patch).unwrap();
            let state = || {
                let mut files = tree::read(&root);
                files.retain(|path, _| !path.as_bytes().starts_with(b".git/"));
                (files, asked(&root, &["ls-files", "-s"]))
            };
            let wpatch = |arguments: &[&str]| {
                let mut command = world::wpatch();
                command.args(arguments);
                super::quiet(command, &root, directory.path()).status.code()
            };
            let before = state();
            if wpatch(&[&["apply"], options, &["../patch"]].concat()) == Some(0) {
                assert!(applies);
                assert_ne!(state(), before, "{options:?} {patch}");
                let after = state();
                for (command, expected) in [("undo", &before), ("redo", &after)] {
                    assert_eq!(wpatch(&[command]), Some(0), "{command} {options:?} {patch}");
                    assert_eq!(state(), *expected, "{command} {options:?} {patch}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 15, "{count}");
}

/// The names of the two changes differ, so that an approval of the one does not count for the
/// other.
#[test]
fn the_name_of_a_change_says_whether_links_are_regular_files() {
    let ids = ["true", "false"].map(|is_on| {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("root");
        fs::create_dir(&root).unwrap();
        init(&root);
        runs(&root, &["config", "core.symlinks", is_on]);
        fs::write(directory.path().join("patch"), created("n", "f")).unwrap();
        let mut command = world::wpatch();
        command.args(["check", "--json", "../patch"]);
        let output = super::quiet(command, &root, directory.path());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (
            report["plan_id"].as_str().unwrap().to_owned(),
            report["files"][0]["file_type"].as_str().unwrap().to_owned(),
        )
    });
    assert_ne!(ids[0].0, ids[1].0);
    assert_eq!(ids.map(|(_, kind)| kind), ["symlink", "text"]);
}
