//! Sparse and split indexes.
#![cfg(unix)]

use ::fs_err as fs;

use super::STAGED;
use super::tree::Tree;
use crate::repository::git;

#[test]
fn a_split_index_and_many_contents_are_no_matter() {
    let tree = Tree::new();
    tree.git(&["update-index", "--split-index"]);
    assert_eq!(tree.report(&["apply", "--index"]).0, 0);
    assert_eq!(tree.git(&["status", "--porcelain"]), STAGED);
}

/// A work tree without the files of `z`, which its index has as one directory.
fn sparse() -> Tree {
    let tree = left_out(&["--cone", "--sparse-index", "y"]);
    assert!(tree.git(&["ls-files", "-s", "--sparse"]).contains("\tz/\n"));
    tree
}

/// A work tree without the files of `z`, as `git sparse-checkout set` with `options` makes it.
pub(super) fn left_out(options: &[&str]) -> Tree {
    let tree = Tree::new();
    fs::create_dir(tree.root().join("z")).unwrap();
    fs::write(tree.root().join("z/x"), "one\ntwo\nthree\n").unwrap();
    fs::create_dir(tree.root().join("y")).unwrap();
    fs::write(tree.root().join("y/x"), "x\n").unwrap();
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "second"]);
    tree.git(&[&["sparse-checkout", "set"], options].concat());
    assert!(!tree.root().join("z").exists());
    tree
}

/// A change of a file of `z`.
pub(super) const OF_Z: &str = "--- a/z/x\n+++ b/z/x\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n";

#[test]
fn a_directory_that_a_sparse_index_has_for_its_files_is_taken_apart() {
    for options in [&["--cached"][..], &["--index"], &["--cached", "--3way"]] {
        let trees = [(); 2].map(|()| {
            let tree = sparse();
            fs::write(tree.patch(), OF_Z).unwrap();
            tree
        });
        let (code, report) = trees[0].report(&[&["apply"], options].concat());
        assert_eq!(code, 0, "{report:#}");
        let by_git = git(&[&["apply"], options].concat())
            .arg(trees[1].patch())
            .current_dir(trees[1].root())
            .output();
        assert!(by_git.unwrap().status.success());
        assert_eq!(trees[0].entries(), trees[1].entries(), "{options:?}");
        assert_eq!(
            trees[0].git(&["write-tree"]),
            trees[1].git(&["write-tree"]),
            "{options:?}"
        );
    }
}

/// git does not survive an index with such an entry, be the directory checked out or not.
#[test]
fn an_intention_in_a_directory_of_a_sparse_index_is_refused() {
    for name in ["y/new", "z/new"] {
        let tree = sparse();
        fs::write(
            tree.patch(),
            format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+z\n"),
        )
        .unwrap();
        let before = tree.git(&["ls-files", "-s", "--sparse"]);
        for command in ["check", "apply"] {
            let (code, report) = tree.report(&[command, "-N"]);
            assert_eq!(
                (code, &report["error"]["code"]),
                (1, &"wpatch::git::sparse_index".into()),
                "{report:#}"
            );
            assert!(
                report["error"]["help"]
                    .as_str()
                    .unwrap()
                    .contains("`git sparse-checkout reapply --no-sparse-index`")
            );
            assert_eq!(tree.git(&["ls-files", "-s", "--sparse"]), before);
            assert!(!tree.root().join(name).exists());
        }
        tree.git(&["sparse-checkout", "reapply", "--no-sparse-index"]);
        assert_eq!(tree.report(&["apply", "-N"]).0, 0);
        assert_eq!(tree.git(&["status", "--porcelain"]), format!(" A {name}\n"));
    }
    let tree = sparse();
    fs::write(
        tree.patch(),
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+z\n",
    )
    .unwrap();
    assert_eq!(tree.report(&["apply", "-N"]).0, 0);
    assert_eq!(tree.git(&["status", "--porcelain"]), " A new\n");
}
