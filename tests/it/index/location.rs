//! Where the index is: outside of the root, another file, or nowhere.

use std::path::Path;

use fs_err as fs;
use tempfile::TempDir;

use super::STAGED;
use super::tree::Tree;
use super::tree::{PATCH, asked};
use crate::repository::git;

#[cfg(unix)]
#[test]
fn the_index_may_be_outside_of_the_root() {
    let tree = Tree::new();
    tree.git(&["worktree", "add", "-q", "../linked"]);
    let linked = tree.root().join("../linked");
    let run = |directory: &Path, arguments: &[&str]| {
        let mut command = crate::world::wpatch();
        command
            .args(arguments)
            .current_dir(directory)
            .env_remove("XDG_STATE_HOME")
            .output()
            .unwrap()
    };
    let patch = tree.patch();
    let output = run(&linked, &["apply", "--index", patch.to_str().unwrap()]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(asked(&linked, &["status", "--porcelain"]), STAGED);
    assert_eq!(tree.git(&["status", "--porcelain"]), "");

    fs::create_dir_all(tree.root().join("deep/er")).unwrap();
    for name in ["changed", "script", "plain", "gone"] {
        fs::copy(
            tree.root().join(name),
            tree.root().join("deep/er").join(name),
        )
        .unwrap();
    }
    tree.git(&["add", "deep"]);
    tree.git(&["commit", "-q", "-m", "deep"]);
    let output = run(
        &tree.root().join("deep/er"),
        &["apply", "--index", patch.to_str().unwrap()],
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let staged: String = STAGED
        .lines()
        .map(|line| line[..3].to_owned() + &line[3..].replace("plain", "deep/er/plain") + "\n")
        .collect();
    let staged = staged.replace("sub/deep/er/plain", "deep/er/sub/plain");
    let staged = ["changed", "d/new", "gone", "script"]
        .iter()
        .fold(staged, |all, name| {
            all.replace(&format!("  {name}"), &format!("  deep/er/{name}"))
        });
    assert_eq!(tree.git(&["status", "--porcelain"]), staged);
}

#[cfg(unix)]
#[test]
fn another_index_can_be_named() {
    let tree = Tree::new();
    let other = tree.root().join("../other-index");
    fs::copy(tree.root().join(".git/index"), &other).unwrap();
    let entries = tree.entries();
    let output = crate::world::wpatch()
        .args(["apply", "--cached"])
        .arg(tree.patch())
        .current_dir(tree.root())
        .env("GIT_INDEX_FILE", &other)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(tree.entries(), entries);
    let listed = git(&["ls-files"])
        .current_dir(tree.root())
        .env("GIT_INDEX_FILE", &other)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(listed.stdout).unwrap(),
        "changed\nd/new\nscript\nsub/plain\n"
    );
}

/// As for git, the current directory is the start of relative paths, even with another root.
#[cfg(unix)]
#[test]
fn a_relative_git_directory_starts_at_the_current_directory() {
    let tree = Tree::new();
    let above = tree.root().parent().unwrap().to_owned();
    fs::rename(tree.root().join(".git"), above.join("g.git")).unwrap();
    fs::write(tree.root().join(".gitattributes"), "changed whitespace\n").unwrap();
    let output = crate::world::wpatch()
        .args(["apply", "--index", "--3way", "--root"])
        .args([tree.root(), tree.patch()])
        .current_dir(&above)
        .env("GIT_DIR", "g.git")
        .env("GIT_WORK_TREE", tree.root().file_name().unwrap())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    fs::rename(above.join("g.git"), tree.root().join(".git")).unwrap();
    fs::remove_file(tree.root().join(".gitattributes")).unwrap();
    assert_eq!(tree.git(&["status", "--porcelain"]), STAGED);
}

#[test]
fn there_is_no_index_outside_of_a_repository() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("p"), PATCH).unwrap();
    let mut command = crate::world::wpatch();
    let output = command
        .args(["apply", "--index", "p"])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a git repository"));
}
