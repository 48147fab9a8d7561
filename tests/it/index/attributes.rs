//! Attributes, wherever git reads them, beside git.
#![cfg(unix)]

use std::path::Path;

use fs_err as fs;

use super::Tree;
use super::tree::asked;
use crate::repository::git;

const PATCH: &str = "--- a/changed\n+++ b/changed\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n\
                     --- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n";

/// Where the attributes are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Where {
    Both,
    IndexAlone,
}

/// Returns a tree with files in `directory` that have CR LF in the work tree, by attributes of the
/// top.
fn converted(place: Where, directory: &str) -> Tree {
    let tree = Tree::new();
    fs::write(
        tree.root().join(".gitattributes"),
        "changed text eol=crlf\nnew text eol=crlf\n",
    )
    .unwrap();
    fs::create_dir_all(tree.root().join(directory)).unwrap();
    let changed = tree.root().join(directory).join("changed");
    fs::write(&changed, "one\r\ntwo\r\nthree\r\n").unwrap();
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "attributes"]);
    // git is to look at the contents.
    fs::remove_file(&changed).unwrap();
    fs::write(&changed, "one\r\ntwo\r\nthree\r\n").unwrap();
    if place == Where::IndexAlone {
        fs::remove_file(tree.root().join(".gitattributes")).unwrap();
    }
    fs::write(tree.patch(), PATCH).unwrap();
    tree
}

/// Returns what is in the work tree and in the index.
fn state(directory: &Path) -> (Vec<Option<Vec<u8>>>, String) {
    (
        ["changed", "new"]
            .map(|name| fs::read(directory.join(name)).ok())
            .to_vec(),
        asked(directory, &["ls-files", "-s"]),
    )
}

#[test]
fn line_ends_are_those_of_git_wherever_attributes_are() {
    for (place, below) in [
        (Where::Both, "."),
        (Where::IndexAlone, "."),
        (Where::IndexAlone, "d"),
        (Where::Both, "d"),
    ] {
        for reach in ["--index", "--cached"] {
            let [ours, theirs] = [(); 2].map(|()| converted(place, below));
            let output = ours.wpatch(below, &["apply", reach]);
            assert!(
                output.status.success(),
                "{place:?} {below} {reach}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let directory = theirs.root().join(below);
            // By the time of a file alone git takes it for another one.
            theirs.git(&["update-index", "-q", "--refresh"]);
            let mut by_git = git(&["apply", reach]);
            // git counts names from the top, unless it is told otherwise.
            by_git
                .args((below != ".").then(|| format!("--directory={below}")))
                .arg(theirs.patch());
            assert!(
                by_git
                    .current_dir(theirs.root())
                    .status()
                    .unwrap()
                    .success()
            );
            assert_eq!(
                state(&ours.root().join(below)),
                state(&directory),
                "{place:?} {below} {reach}"
            );
            let new = fs::read(directory.join("new")).ok();
            assert_eq!(
                new.as_deref(),
                (reach == "--index").then_some(&b"new\r\n"[..])
            );
        }
    }
}

#[test]
fn a_file_that_is_another_one_is_so_by_attributes_of_the_index() {
    let tree = converted(Where::IndexAlone, ".");
    fs::write(tree.root().join("changed"), "one\r\nTWO\r\nthree\r\n").unwrap();
    let before = state(&tree.root());
    let (code, report) = tree.report(&["apply", "--index"]);
    assert_eq!(
        (code, &report["error"]["code"]),
        (1, &"wpatch::file::not_as_indexed".into()),
        "{report:#}"
    );
    assert_eq!(state(&tree.root()), before);
}

#[test]
fn files_are_merged_by_attributes_of_the_index() {
    let [ours, theirs] = [(); 2].map(|()| {
        let tree = Tree::diverged();
        fs::write(
            tree.root().join(".gitattributes"),
            "conflicts merge=union\n",
        )
        .unwrap();
        tree.git(&["add", "."]);
        fs::remove_file(tree.root().join(".gitattributes")).unwrap();
        tree
    });
    let only = ["--3way", "--include", "conflicts"];
    assert!(
        git(&[&["apply"], &only[..]].concat())
            .arg(theirs.patch())
            .current_dir(theirs.root())
            .output()
            .unwrap()
            .status
            .success()
    );
    let (code, report) = ours.report(&[&["apply"], &only[..]].concat());
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(ours.entries(), theirs.entries());
}
