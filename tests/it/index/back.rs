//! What became of an index is taken back, and made again.
#![cfg(unix)]

use fs_err as fs;

use super::Tree;
use super::sparse::{OF_Z, left_out};

#[test]
fn what_was_staged_is_taken_back_and_made_again() {
    for reach in ["--index", "--cached"] {
        let tree = Tree::new();
        let before = (tree.git(&["status", "--porcelain"]), tree.entries());
        assert_eq!(tree.report(&["apply", reach]).0, 0);
        let after = (tree.git(&["status", "--porcelain"]), tree.entries());
        tree.back("undo");
        assert_eq!(
            (tree.git(&["status", "--porcelain"]), tree.entries()),
            before,
            "{reach}"
        );
        tree.back("redo");
        assert_eq!(
            (tree.git(&["status", "--porcelain"]), tree.entries()),
            after,
            "{reach}"
        );
    }
}

#[test]
fn what_somebody_staged_since_stays_when_a_change_is_taken_back() {
    let tree = Tree::new();
    assert_eq!(tree.report(&["apply", "--cached"]).0, 0);
    tree.git(&["update-index", "--chmod=+x", "changed"]);
    fs::write(tree.root().join("mine"), "mine\n").unwrap();
    tree.git(&["add", "mine"]);
    let entry = tree.git(&["ls-files", "-s", "changed"]);
    let said = tree.back("undo");
    assert_eq!(tree.git(&["ls-files", "-s", "changed"]), entry);
    assert_eq!(
        tree.git(&["ls-files"]),
        "changed\ngone\nmine\nplain\nscript\n"
    );
    assert!(
        said.contains("changed: the index entry changed after this change"),
        "{said}"
    );
}

#[test]
fn what_the_repository_has_lost_does_not_come_back_into_the_index() {
    let tree = Tree::new();
    fs::write(tree.root().join("changed"), "one\ntwo\nthree\nfour\n").unwrap();
    tree.git(&["add", "changed"]);
    assert_eq!(tree.report(&["apply", "--cached"]).0, 0);
    tree.git(&["prune", "--expire=now"]);
    let entry = tree.git(&["ls-files", "-s", "changed"]);
    let said = tree.back("undo");
    assert!(
        said.contains("changed: the repository no longer has the blob of the previous"),
        "{said}"
    );
    assert_eq!(tree.git(&["ls-files", "-s", "changed"]), entry);
    assert_eq!(tree.git(&["ls-files"]), "changed\ngone\nplain\nscript\n");
    tree.git(&["diff", "--cached"]);
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_left_out_again() {
    let cone = &["--cone", "y"][..];
    let ways = [
        (cone, "--index"),
        (cone, "--cached"),
        (&["--no-cone", "/y/"], "--index"),
        (&["--cone", "--sparse-index", "y"], "--index"),
    ];
    for (options, reach) in ways {
        let tree = left_out(options);
        fs::write(tree.patch(), OF_Z).unwrap();
        let state = || {
            let flags = tree.git(&["ls-files", "-s", "-v"]);
            (
                flags,
                tree.git(&["status", "--porcelain"]),
                tree.root().join("z").exists(),
            )
        };
        let before = state();
        assert!(
            before
                .0
                .lines()
                .any(|line| line.starts_with('S') && line.ends_with("z/x")),
            "{}",
            before.0
        );
        assert_eq!(tree.report(&["apply", reach]).0, 0);
        let after = state();
        tree.back("undo");
        assert_eq!(state(), before, "{options:?} {reach}");
        tree.back("redo");
        assert_eq!(state(), after, "{options:?} {reach}");
    }
}

#[test]
fn what_counts_as_unchanged_does_so_again() {
    let tree = Tree::new();
    tree.git(&["update-index", "--assume-unchanged", "changed", "plain"]);
    let before = tree.git(&["ls-files", "-s", "-v"]);
    assert!(before.contains("h 100644"));
    assert_eq!(tree.report(&["apply", "--index"]).0, 0);
    tree.back("undo");
    assert_eq!(tree.git(&["ls-files", "-s", "-v"]), before);
}

#[test]
fn what_is_only_going_to_be_added_is_so_again() {
    let tree = Tree::new();
    assert_eq!(tree.report(&["apply", "-N"]).0, 0);
    let after = (tree.git(&["status", "--porcelain"]), tree.entries());
    tree.back("undo");
    tree.back("redo");
    assert_eq!(
        (tree.git(&["status", "--porcelain"]), tree.entries()),
        after
    );

    let tree = Tree::new();
    fs::create_dir(tree.root().join("d")).unwrap();
    fs::write(tree.root().join("d/new"), "new\n").unwrap();
    tree.git(&["add", "-N", "d/new"]);
    let before = tree.git(&["status", "--porcelain"]);
    assert_eq!(tree.report(&["apply", "--cached"]).0, 0);
    tree.back("undo");
    assert_eq!(tree.git(&["status", "--porcelain"]), before);
}
