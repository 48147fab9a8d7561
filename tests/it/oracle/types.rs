//! Files, links and directories that take each other's place, and change again in the same input:
//! the tree of git.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::quiet;
use crate::tree::{self, Node, Tree};

const FILE: &str = "diff --git a/f b/f\n";
const INNER: &str = "diff --git a/f/inner b/f/inner\n";

/// Sections, by what they do.
const SECTIONS: &[(&str, &str, &str)] = &[
    (
        "make f",
        FILE,
        "new file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+own\n",
    ),
    (
        "make link f",
        FILE,
        "new file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+t\n\\ No newline at end of file\n",
    ),
    (
        "change f",
        FILE,
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-own\n+mine\n",
    ),
    (
        "delete f",
        FILE,
        "deleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
    ),
    (
        "delete link f",
        FILE,
        "deleted file mode 120000\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-t\n\\ No newline at end of file\n",
    ),
    (
        "make inner",
        INNER,
        "new file mode 100644\n--- /dev/null\n+++ b/f/inner\n@@ -0,0 +1 @@\n+i\n",
    ),
    (
        "change inner",
        INNER,
        "--- a/f/inner\n+++ b/f/inner\n@@ -1 +1 @@\n-i\n+j\n",
    ),
    ("mode of inner", INNER, "old mode 100644\nnew mode 100755\n"),
    (
        "delete inner",
        INNER,
        "deleted file mode 100644\n--- a/f/inner\n+++ /dev/null\n@@ -1 +0,0 @@\n-i\n",
    ),
    (
        "make other",
        "diff --git a/a b/a\n",
        "new file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+a\n",
    ),
];

/// What is there at first, and the sections in order.
const CASES: &[(&str, &[&str])] = &[
    ("file", &["make inner", "delete f", "change inner"]),
    ("file", &["delete f", "make inner", "change inner"]),
    ("file", &["make inner", "change inner", "delete f"]),
    (
        "file",
        &["make inner", "make other", "delete f", "change inner"],
    ),
    (
        "file",
        &["make inner", "mode of inner", "make other", "delete f"],
    ),
    ("file", &["delete f", "make link f"]),
    ("file", &["delete f", "make f", "change f"]),
    ("link", &["make inner", "delete link f", "change inner"]),
    ("link", &["delete link f", "make inner", "change inner"]),
    ("link", &["delete link f", "make f"]),
    ("link", &["delete link f", "make f", "change f"]),
    ("directory", &["make f", "delete inner", "change f"]),
    ("directory", &["make f", "change f", "delete inner"]),
    ("directory", &["delete inner", "make f", "change f"]),
    (
        "directory",
        &["make f", "make other", "delete inner", "change f"],
    ),
    ("directory", &["make link f", "make other", "delete inner"]),
];

fn before(kind: &str) -> Tree {
    let (path, node) = match kind {
        "file" => ("f", Node::file("1\n")),
        "link" => ("f", Node::Link(b"t".to_vec())),
        _ => ("f/inner", Node::file("i\n")),
    };
    Tree::from([
        (tree::path(path), node),
        (tree::path("t"), Node::file("x\n")),
    ])
}

fn ending(kind: &str, patch: &str, mut apply: Command) -> (bool, Tree) {
    let directory = TempDir::new().unwrap();
    let (root, file) = (
        directory.path().join("tree"),
        directory.path().join("patch"),
    );
    tree::write(&before(kind), &root);
    fs_err::write(&file, patch).unwrap();
    apply
        .arg("apply")
        .arg(&file)
        .env("XDG_STATE_HOME", directory.path());
    let output = quiet(apply, &root, directory.path());
    (output.status.success(), tree::read(Path::new(&root)))
}

#[test]
fn types_change_as_with_git_whatever_changes_again() {
    for (kind, names) in CASES {
        let section = |name: &&str| {
            SECTIONS
                .iter()
                .find(|(known, ..)| known == name)
                .expect("a section")
        };
        let patch: String = names
            .iter()
            .map(section)
            .flat_map(|(_, header, body)| [*header, *body])
            .collect();
        let theirs = ending(kind, &patch, Command::new("git"));
        let ours = ending(kind, &patch, crate::world::wpatch());
        assert!(theirs.0, "{kind} {names:?}");
        assert_eq!(ours, theirs, "{kind} {names:?}");
    }
}
