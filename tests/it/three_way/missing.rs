//! Merges of files that the work tree lacks.

use std::path::Path;

use fs_err as fs;

use crate::oracle::beside::{Left, beside, commit, runs};
use crate::world;

const CREATED: &str = "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..5626abf0f72e58d7a153368ba57db4c673c0e171\n\
                       --- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+one\n";
const CHANGED: &str = "diff --git a/n b/n\nindex 5626abf0f72e58d7a153368ba57db4c673c0e171..f719efd430d52bcfc8566a43b2eb655688d38871 100644\n\
     --- a/n\n+++ b/n\n@@ -1 +1 @@\n-one\n+two\n";
const LINKED: &str = "diff --git a/n b/n\nnew file mode 120000\nindex 0000000..43dd47ea691c90a5fa7827892c70241913351963\n\
                      --- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n";

/// A patch, and what prepares the repository for it.
type Prepared<'p> = (&'static str, &'p dyn Fn(&Path));

/// Commits `n` with `text`, and removes it from the work tree.
fn without(root: &Path, text: &[u8]) {
    commit(root, &[("n", b"one\n")]);
    commit(root, &[("n", text)]);
    fs::remove_file(root.join("n")).unwrap();
}

#[cfg(unix)]
#[test]
fn a_merge_checks_out_a_file_that_the_work_tree_lacks() {
    let link = |root: &Path| {
        commit(root, &[]);
        world::link("one", root.join("n")).unwrap();
        commit(root, &[]);
        fs::remove_file(root.join("n")).unwrap();
    };
    let skipped = |root: &Path| {
        without(root, b"one\n");
        runs(root, &["update-index", "--skip-worktree", "n"]);
    };
    let executable = |root: &Path| {
        without(root, b"one\n");
        runs(
            root,
            &[
                "update-index",
                "--cacheinfo",
                "100755,5626abf0f72e58d7a153368ba57db4c673c0e171,n",
            ],
        );
    };
    let cases: [Prepared<'_>; 5] = [
        (CREATED, &|root| without(root, b"one\n")),
        (CHANGED, &|root| without(root, b"two\n")),
        (LINKED, &link),
        (CREATED, &skipped),
        (CREATED, &executable),
    ];
    for (index, (patch, prepare)) in cases.into_iter().enumerate() {
        let [by_git, ours] = beside(prepare, &["--3way"], patch.as_bytes());
        assert_eq!((by_git.exit, by_git.files.len()), (0, 1), "{index}");
        assert_eq!(ours.result(), by_git.result(), "{index}");
    }
}

/// git writes the content to a temporary name, if a file has the name already, and converts it by
/// the attributes of that name.
#[cfg(unix)]
#[test]
fn a_created_file_that_exists_is_merged_by_its_attributes() {
    for exists in [true, false] {
        let prepare = |root: &Path| {
            commit(
                root,
                &[(".gitattributes", &b"n eol=crlf\n"[..]), ("n", b"one\r\n")],
            );
            if !exists {
                fs::remove_file(root.join("n")).unwrap();
            }
        };
        let [by_git, ours] = beside(&prepare, &["--3way"], CREATED.as_bytes());
        assert_eq!([&by_git, &ours].map(|left| left.exit), [0, 0]);
        assert_eq!(
            [&by_git, &ours].map(|left| left.file("n")),
            [Some(&b"one\n"[..]), Some(b"one\r\n")]
        );
    }
}

/// git inserts the lines at the end of the file: a row of the table of differences.
#[cfg(unix)]
#[test]
fn a_merge_is_not_reported_for_a_file_that_is_refused() {
    const INSERTION: &str = "diff --git a/n b/n\nindex 5626abf..1b7c3b8 100644\n--- a/n\n+++ b/n\n@@ -0,0 +2 @@\n+two\n";
    let prepare = |root: &Path| commit(root, &[("n", b"one\n")]);
    for (options, applies) in [
        (&["--3way"][..], false),
        (&["--3way", "--unidiff-zero"], true),
    ] {
        let [_, ours] = beside(&prepare, options, INSERTION.as_bytes());
        let said = ours.said.contains("Applied patch to 'n' cleanly.");
        assert_eq!((ours.exit == 0, said), (applies, applies), "{ours:#?}");
    }
}

#[cfg(unix)]
#[test]
fn a_merge_of_the_index_alone_leaves_the_work_tree_alone() {
    let [by_git, ours] = beside(
        &|root| without(root, b"one\n"),
        &["--3way", "--cached"],
        CREATED.as_bytes(),
    );
    assert_eq!([&by_git, &ours].map(|left| left.exit), [0, 0]);
    assert_eq!(
        [&by_git, &ours].map(|left: &Left| left.file("n")),
        [Some(&b"one\n"[..]), None]
    );
    assert_eq!(by_git.index, ours.index);
}
