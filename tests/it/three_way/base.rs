//! Where the base of a merge is found.

use fs_err as fs;
use serde_json::Value;

use super::pairs::forked;
use super::{both, by_git, text};
use crate::index::Tree;
use crate::repository::git;

/// Returns a directory in no repository with a file of nine lines that is not any more what the
/// patch was made for; the history, if it has one, has that.
fn without_git(has_history: bool) -> Tree {
    let tree = Tree::diverged();
    let patch = fs::read_to_string(tree.patch()).unwrap();
    fs::write(
        tree.patch(),
        &patch[patch.find("diff --git a/merges").unwrap()..],
    )
    .unwrap();
    fs::remove_dir_all(tree.root().join(".git")).unwrap();
    fs::write(tree.root().join("merges"), NINE).unwrap();
    let wpatch = |arguments: &[&str]| {
        let mut program = crate::world::wpatch();
        let output = program
            .args(arguments)
            .current_dir(tree.root())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    if has_history {
        wpatch(&["init"]);
    }
    wpatch(&["edit", "merges", "--old", "5\n", "--new", "five\n"]);
    tree
}

const NINE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
const MERGED: &str = "1\nzwei\n3\n4\nfive\n6\n7\nacht\n9\n";

#[cfg(unix)]
#[test]
fn the_history_has_what_a_patch_was_made_for() {
    let tree = without_git(true);
    let (code, report) = tree.report(&["apply", "--3way"]);
    assert_eq!(
        (code, &report["files"][0]["merge"]["base"]),
        (0, &"history".into()),
        "{report:#}"
    );
    assert_eq!(
        (text(&tree, "merges"), &report["index"]),
        (MERGED.to_owned(), &Value::Null)
    );
}

#[cfg(unix)]
#[test]
fn the_user_may_name_what_a_patch_was_made_for() {
    let tree = without_git(false);
    let base = tree.root().join("../base");
    fs::write(&base, NINE).unwrap();
    let (code, report) = tree.report(&["apply", "--3way"]);
    let codes = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["code"].as_str().unwrap());
    assert_eq!(
        (code, codes.collect::<Vec<_>>()),
        (1, vec!["wpatch::hunk::not_found", "wpatch::git::no_blob"])
    );
    let (code, report) = tree.report(&["apply", "--3way", "--base", base.to_str().unwrap()]);
    assert_eq!(
        (code, &report["files"][0]["merge"]["base"]),
        (0, &"given".into()),
        "{report:#}"
    );
    assert_eq!(text(&tree, "merges"), MERGED);
}

/// Lines of several versions can be paired in more than one way. In the smallest case the choice of
/// `git merge-file` is a conflict, and the choice of its `--diff-algorithm=histogram` is not.
#[cfg(unix)]
#[test]
fn lines_are_paired_as_git_pairs_them_by_default() {
    let tree = Tree::new();
    let [base, ours, theirs] = ["b\n}\n}\n", "}\nb\n}\n}\n", "}\nb\n}\n"];
    for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
        fs::write(tree.root().join(name), text).unwrap();
    }
    let merged = |options: &[&str]| {
        let mut command =
            git(&[&["merge-file", "-p"], options, &["ours", "base", "theirs"]].concat());
        command
            .current_dir(tree.root())
            .output()
            .unwrap()
            .status
            .code()
            .unwrap()
    };
    assert_eq!(
        (merged(&[]), merged(&["--diff-algorithm=histogram"])),
        (1, 0)
    );
    let fork = forked(
        &|root| fs::write(root.join("x"), theirs).unwrap(),
        &|root| fs::write(root.join("x"), ours).unwrap(),
    );
    fs::write(fork.root().join("../base"), base).unwrap();
    fs::write(
        fork.patch(),
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n+}\n b\n }\n-}\n",
    )
    .unwrap();
    let (code, report) = fork.report(&["apply", "--3way", "--base", "../base"]);
    assert_eq!((code, text(&fork, "x")), (1, ours.to_owned()), "{report:#}");
}

#[cfg(unix)]
#[test]
fn a_blob_that_cannot_be_read_is_not_one_that_nobody_has() {
    let tree = Tree::diverged();
    let id = tree.git(&["rev-parse", "HEAD^:merges"]);
    let object = tree
        .root()
        .join(".git/objects")
        .join(&id[..2])
        .join(id[2..].trim_end());
    fs::remove_file(&object).unwrap();
    fs::write(&object, "no object").unwrap();
    for arguments in [
        &["apply", "--3way"][..],
        &["apply", "--3way", "--conflict=markers"],
        &["check", "--3way"],
    ] {
        let before = both(&tree);
        let (code, report) = tree.report(&[arguments, &["--include", "merges"]].concat());
        assert_eq!(
            (code, &report["error"]["code"]),
            (4, &"wpatch::io".into()),
            "{report:#}"
        );
        assert_eq!(both(&tree), before);
    }
}

#[cfg(unix)]
#[test]
fn a_revision_may_be_what_a_patch_was_made_for() {
    let tree = Tree::diverged();
    let patch = fs::read_to_string(tree.patch()).unwrap();
    let lines = patch
        .lines()
        .filter(|line| !line.starts_with("index "))
        .map(|line| format!("{line}\n"));
    fs::write(tree.patch(), lines.collect::<String>()).unwrap();
    let only = ["apply", "--3way", "--include", "merges", "--base"];
    let (code, report) = tree.report(&[&only[..], &["HEAD^"]].concat());
    assert_eq!(
        (code, &report["files"][0]["merge"]["base"]),
        (0, &"given".into()),
        "{report:#}"
    );
    assert_eq!(text(&tree, "merges"), MERGED);
    assert_eq!(tree.report(&[&only[..], &["nowhere"]].concat()).0, 4);
}

#[cfg(unix)]
#[test]
fn a_file_that_equals_the_base_takes_the_result_of_the_patch_as_with_git() {
    let with_git = |tree: &Tree| by_git(tree, &["--3way"]);
    let with_wpatch = |tree: &Tree| tree.report(&["apply", "--3way"]).0;
    for apply in [with_git as fn(&Tree) -> i32, with_wpatch] {
        let tree = Tree::new();
        let patch = "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..b68fde2\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n";
        fs::write(tree.patch(), patch).unwrap();
        fs::write(tree.root().join("n"), "").unwrap();
        tree.git(&["add", "n"]);
        assert_eq!(apply(&tree), 0);
        assert_eq!(text(&tree, "n"), "x\n");
    }
}
