//! The `.git` file of a work tree: how far it is followed.

use std::path::{Path, PathBuf};

use fs_err as fs;
use tempfile::TempDir;

use crate::history::places::{DEEPER, Place, done, in_git, repository, run};
use crate::world;

/// Returns trees in `base` that have no history, and why. Some name the repository `other`.
fn trees_without_history(base: &Path, other: &Path) -> Vec<(PathBuf, &'static str)> {
    let inside = repository(
        &base.join("inside"),
        &[
            "--separate-git-dir",
            &base.join("inside/g").display().to_string(),
        ],
    );
    let named = |directory: &str, target: &str| {
        let tree = base.join(directory);
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {target}\n")).unwrap();
        tree
    };
    let no_tree = base.join("bare.git");
    in_git(base, &["init", "-q", "--bare", "bare.git"]);
    let moved = named("moved", "../other/.git/worktrees/linked");
    vec![
        (inside, "inside the work tree"),
        (
            named("foreign", "../other/.git"),
            "belongs to another work tree",
        ),
        (moved, "belongs to another work tree"),
        (named("nothing", "../nowhere"), "does not exist"),
        (
            named("moved-main", "../old/.git/worktrees/linked"),
            "`git worktree repair`",
        ),
        (
            named("no-repository", "../other/sub"),
            "is not a git directory",
        ),
        (named("device", "/dev/null"), "is not a git directory"),
        (no_tree.join("refs"), "is in a git directory"),
        (other.join(".git/refs"), "is in a git directory"),
    ]
}

/// Where git finds no repository, or the one of another directory, no state is kept.
#[cfg(unix)]
#[test]
fn a_git_file_is_followed_as_far_as_it_can_be_trusted() {
    let base = TempDir::new().unwrap();
    let base = base.path().canonicalize().unwrap();
    let other = repository(&base.join("other"), &[]);
    in_git(&other, &["worktree", "add", "-q", "../linked"]);
    for (tree, why) in trees_without_history(&base, &other) {
        let report = done(why, &tree, &["write", "new", "--content", "x"]);
        let reason = report["history"]["reason"].as_str().unwrap();
        assert!(
            report["history"]["kept"] == false && reason.contains(why),
            "{reason}"
        );
        assert!(
            !other.join(".git/wpatch").exists() && !tree.join(".wpatch").exists(),
            "{why}"
        );
        let output = run(&tree, &["undo"]);
        assert_eq!(output.status.code(), Some(1));
        // One remedy is named: the one that brings the history back.
        let told = String::from_utf8_lossy(&output.stderr);
        let has_other = reason.contains("`git worktree repair`") || why == "is in a git directory";
        assert_eq!(told.contains("`wpatch init`"), !has_other, "{told}");
        if why == "is in a git directory" {
            let refused = run(&tree, &["init"]);
            let text = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert!(
                refused.status.code() == Some(4) && text.contains(why),
                "{text}"
            );
            assert!(
                text.contains("run `wpatch init` in a work tree") && !tree.join(".wpatch").exists(),
                "{text}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_fifo_in_the_place_of_a_git_file_is_not_waited_for() {
    let base = TempDir::new().unwrap();
    let base = base.path().canonicalize().unwrap();
    let fifo = base.join("fifo");
    fs::create_dir(&fifo).unwrap();
    world::fifo(fifo.join(".git"));
    let report = done("fifo", &fifo, &["write", "new", "--content", "x"]);
    assert_eq!(report["history"]["kept"], false);
}

/// Where git's directory cannot be used, the top still has one lock for all directories.
#[cfg(unix)]
#[test]
fn a_moved_linked_work_tree_has_one_lock() {
    let place = Place::of("moved", |base| {
        let main = repository(&base.join("main"), &[]);
        in_git(&main, &["worktree", "add", "-q", "../linked"]);
        fs::rename(base.join("linked"), base.join("moved")).unwrap();
        base.join("moved")
    });
    for (holds, waits) in [(".", DEEPER), ("sub", "."), (DEEPER, "sub")] {
        let other = place.at(waits).display().to_string();
        let program = env!("CARGO_BIN_EXE_wpatch");
        let command = format!(
            "env -u WPATCH_TRANSACTION '{program}' --root '{other}' --lock-timeout 0 write new --content x; test $? = 6"
        );
        let edit = [
            "write",
            "a",
            "--overwrite",
            "--content",
            holds,
            "--verify",
            &command,
        ];
        let report = done("moved", &place.at(holds), &edit);
        assert!(
            report["history"]["reason"]
                .as_str()
                .unwrap()
                .contains("git worktree repair")
        );
    }
}
