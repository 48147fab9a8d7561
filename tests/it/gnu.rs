//! The program under the name `patch`: GNU patch's command line, words and exit codes, beside GNU patch itself.

mod beside;

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use tempfile::TempDir;

use crate::systems::fed;
use crate::tree::{self, Tree};

const PATCH: &str = "--- a/d/x\n+++ b/d/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";

/// Runs the program as `patch`.
fn patch(root: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wpatch"));
    command.arg0("patch").args(arguments).current_dir(root).env("XDG_STATE_HOME", root.join("../state"));
    fed(&mut command, input)
}

fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Returns a directory that holds these files.
fn scene(files: &[(&str, &str)]) -> TempDir {
    tree::directory(files)
}

fn files(directory: &TempDir) -> Vec<(String, String)> {
    let text = |node: tree::Node| match node {
        tree::Node::File { bytes, .. } => String::from_utf8(bytes).unwrap(),
        other => format!("{other:?}"),
    };
    let tree: Tree = tree::read(directory.path());
    tree.into_iter().map(|(path, node)| (path.to_string(), text(node))).collect()
}

fn of(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn it_says_what_scripts_look_for() {
    let root = scene(&[("d/x", "zero\none\ntwo\nthree\n")]);
    let moved = (0, "patching file d/x\nHunk #1 succeeded at 2 (offset 1 line).\n".to_owned(), String::new());
    assert_eq!(told(&patch(root.path(), &["-p1"], PATCH.as_bytes())), moved);
    let again = told(&patch(root.path(), &["-p1"], PATCH.as_bytes()));
    assert_eq!(again.0, 1);
    assert!(again.1.contains("Reversed (or previously applied) patch detected!"), "{}", again.1);
    let passed = told(&patch(root.path(), &["-p1", "-N"], PATCH.as_bytes()));
    assert_eq!(passed.0, 1);
    assert!(passed.1.contains("detected!  Skipping patch.\n1 out of 1 hunk ignored\n"), "{}", passed.1);
    assert_eq!(files(&root), of(&[("d/x", "zero\none\n2\nthree\n")]));
    let back = (0, "patching file d/x\nHunk #1 succeeded at 2 (offset 1 line).\n".to_owned(), String::new());
    assert_eq!(told(&patch(root.path(), &["-Rp1"], PATCH.as_bytes())), back);
    fs::write(root.path().join("d/x"), "0\ntwo\nthree\n").unwrap();
    let fuzzy = (0, "checking file d/x\nHunk #1 succeeded at 1 with fuzz 1.\n".to_owned(), String::new());
    assert_eq!(told(&patch(root.path(), &["-p1", "--dry-run"], PATCH.as_bytes())), fuzzy);
    let failed = told(&patch(root.path(), &["-p1", "-F0"], PATCH.as_bytes()));
    assert_eq!((failed.0, failed.1.as_str()), (1, "patching file d/x\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED\n"));
    assert!(failed.2.ends_with("patch: no file was changed\n"), "{}", failed.2);
    assert_eq!(files(&root), of(&[("d/x", "0\ntwo\nthree\n")]));
}

#[test]
fn of_several_names_the_one_that_is_there_is_meant() {
    let hunk = "@@ -1 +1 @@\n-one\n+two\n";
    let both = format!("--- a/x.orig\n+++ b/new/x\n{hunk}");
    let root = scene(&[("x.orig", "one\n")]);
    assert_eq!(told(&patch(root.path(), &["-p1"], both.as_bytes())).1, "patching file x.orig\n");
    let root = scene(&[("x.orig", "one\n"), ("new/x", "one\n")]);
    assert_eq!(told(&patch(root.path(), &["-p1"], both.as_bytes())).1, "patching file x.orig\n");
    let root = scene(&[("x", "one\n")]);
    assert_eq!(told(&patch(root.path(), &[], both.as_bytes())).1, "patching file x\n");
    let index = format!("Index: y\n--- z\n+++ x\n{hunk}");
    let root = scene(&[("x", "one\n"), ("y", "one\n")]);
    assert_eq!(told(&patch(root.path(), &["-p0"], index.as_bytes())).1, "patching file x\n");
    let missing = told(&patch(root.path(), &["-p0"], format!("--- u\n+++ v\n{hunk}").as_bytes()));
    assert_eq!(missing.0, 1);
    assert!(missing.1.contains("can't find file to patch"), "{}", missing.1);
    // git's rule holds for `apply`: no other file than the one that the patch names.
    let mut apply = Command::new(env!("CARGO_BIN_EXE_wpatch"));
    apply.args(["apply", "-p1"]).current_dir(root.path());
    assert_eq!(fed(&mut apply, both.as_bytes()).status.code(), Some(1));
}

#[test]
fn old_files_are_kept_where_that_is_asked_for() {
    let start: &[(&str, &str)] = &[("d/x", "one\ntwo\nthree\n")];
    let (old, new) = ("one\ntwo\nthree\n", "one\n2\nthree\n");
    for (arguments, name) in [
        (&["-p1", "-b"][..], "d/x.orig"),
        (&["-p1", "-b", "-z", "~"], "d/x~"),
        (&["-p1", "-bV", "simple", "--suffix=.old"], "d/x.old"),
        (&["-p1", "-B", "old/"], "old/d/x"),
        (&["-p1", "-Y", ".o."], "d/.o.x"),
    ] {
        let root = scene(start);
        assert_eq!(told(&patch(root.path(), arguments, PATCH.as_bytes())).0, 0, "{arguments:?}");
        let mut expected = of(&[("d/x", new), (name, old)]);
        expected.sort();
        assert_eq!(files(&root), expected, "{arguments:?}");
    }
    let root = scene(&[("d/x", old), ("d/x.orig", "older\n")]);
    assert_eq!(told(&patch(root.path(), &["-p1", "-b"], PATCH.as_bytes())).0, 0);
    assert_eq!(files(&root), of(&[("d/x", new), ("d/x.orig", old)]));
    let root = scene(start);
    assert_eq!(told(&patch(root.path(), &["-p1", "-o", "y"], PATCH.as_bytes())).1, "patching file y (read from d/x)\n");
    assert_eq!(files(&root), of(&[("d/x", old), ("y", new)]));
}

#[test]
fn it_takes_the_operands_and_places_of_gnu_patch() {
    let old = "one\ntwo\nthree\n";
    let new = of(&[("d/x", "one\n2\nthree\n"), ("p", PATCH)]);
    for arguments in [
        &["-p1", "-i", "p"][..],
        &["d/x", "p"],
        &["-d", "d", "-i", "../p", "x"],
        &["-d", "d", "-p2", "--input=../p"],
        &["-u", "--verbose", "-p1", "-f", "-t", "--binary", "--no-backup-if-mismatch", "-r", "-", "-i", "p"],
    ] {
        let root = scene(&[("d/x", old), ("p", PATCH)]);
        let ending = told(&patch(root.path(), arguments, b""));
        assert_eq!((ending.0, files(&root)), (0, new.clone()), "{arguments:?} {ending:?}");
    }
    let root = scene(&[("d/x", old), ("p", PATCH)]);
    let absolute = root.path().join("d/x");
    let ending = patch(&root.path().join("d"), &[absolute.to_str().unwrap(), "../p"], b"");
    assert_eq!((told(&ending).0, files(&root)), (0, new));
    let emptied = "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-one\n";
    let root = scene(&[("x", "one\n"), ("y", "")]);
    assert_eq!(told(&patch(root.path(), &["-p1", "-E", "-s"], emptied.as_bytes())), (0, String::new(), String::new()));
    assert_eq!(files(&root), of(&[("y", "")]));
    let older = "Prereq: 2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n";
    let root = scene(&[("x", "one\n")]);
    assert_eq!(told(&patch(root.path(), &["-p1"], older.as_bytes())).0, 1);
    assert_eq!(told(&patch(root.path(), &["-p1", "-f"], older.as_bytes())).0, 0);
    assert_eq!(files(&root), of(&[("x", "two\n")]));
}

#[test]
fn what_it_does_not_take_it_says() {
    let start: &[(&str, &str)] = &[("d/x", "one\ntwo\nthree\n")];
    let root = scene(start);
    for arguments in [
        &["--merge"][..],
        &["--merge=diff3"],
        &["-D", "X"],
        &["-T"],
        &["-Z"],
        &["-e"],
        &["--no-such"],
        &["a", "b", "c"],
    ] {
        let ending = told(&patch(root.path(), arguments, PATCH.as_bytes()));
        assert_eq!((ending.0, ending.1.as_str()), (2, ""), "{arguments:?}");
        assert!(ending.2.starts_with("patch: **** "), "{}", ending.2);
    }
    for (text, words) in [
        ("prose\n", "Only garbage was found in the patch input"),
        ("--- a/d/x\n+++ b/d/x\n@@ -1,9 +1 @@\n-one\n", "malformed patch at line 5"),
        ("--- a/d/x\n+++ b/d/x\n1c\n!touch y\n.\n", "an ed script is a program"),
    ] {
        let ending = told(&patch(root.path(), &["-p1"], text.as_bytes()));
        assert_eq!(ending.0, 2, "{text}");
        assert!(ending.2.contains(words), "{}", ending.2);
    }
    assert_eq!(files(&root), of(start));
    assert_eq!(told(&patch(root.path(), &[], b"")), (0, String::new(), String::new()));
    assert!(told(&patch(root.path(), &["--version"], b"")).1.starts_with("patch "));
    assert!(told(&patch(root.path(), &["--help"], b"")).1.contains("--dry-run"));
}
