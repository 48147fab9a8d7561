//! `--3way` where something is in the way, where a program would have to merge, and what is said of
//! it.
#![cfg(unix)]

use std::path::Path;

use fs_err as fs;

use super::pairs::{forked, replace};
use super::{both, by_git, text};
use crate::index::Tree;
use crate::loud::first_words;
use crate::repository::git;

/// What one side does.
type Side = fn(&Path);

fn renamed(root: &Path) {
    replace(root, "line 7\n", "LINE 7\n");
    fs::rename(root.join("long"), root.join("moved")).unwrap();
}

fn moved(root: &Path) {
    fs::rename(root.join("long"), root.join("moved")).unwrap();
}

fn copied(root: &Path) {
    let text = fs::read_to_string(root.join("long")).unwrap();
    fs::write(root.join("moved"), text.replace("line 7\n", "LINE 7\n")).unwrap();
}

fn doubled(root: &Path) {
    fs::copy(root.join("long"), root.join("moved")).unwrap();
}

fn in_the_way(root: &Path) {
    fs::write(root.join("moved"), "mine\n").unwrap();
}

fn in_the_way_of_a_conflict(root: &Path) {
    in_the_way(root);
    replace(root, "line 7\n", "line VII\n");
}

/// The trees for git and for us, with a patch that names copies.
fn trees(theirs: &dyn Fn(&Path), ours: &dyn Fn(&Path)) -> [Tree; 2] {
    [(); 2].map(|()| {
        let tree = forked(theirs, ours);
        fs::write(
            tree.patch(),
            tree.git(&["diff", "-C", "--find-copies-harder", "main", "theirs"]),
        )
        .unwrap();
        tree
    })
}

#[test]
fn what_is_renamed_or_copied_takes_the_place_of_what_the_index_has() {
    let cases: [(Side, Side, bool); 5] = [
        (renamed, in_the_way, true),
        (copied, in_the_way, true),
        (renamed, in_the_way_of_a_conflict, true),
        (moved, in_the_way, false),
        (doubled, in_the_way, false),
    ];
    for (nth, (theirs, ours, is_taken)) in cases.into_iter().enumerate() {
        for reach in [&["--3way"][..], &["--3way", "--cached"]]
            .into_iter()
            .take(if nth == 0 { 2 } else { 1 })
        {
            let [git, wpatch] = trees(&theirs, &ours);
            let before = both(&wpatch);
            let code = by_git(&git, reach);
            let look = wpatch
                .report(&[&["check", "--conflict=markers"], reach].concat())
                .1;
            let (found, report) =
                wpatch.report(&[&["apply", "--conflict=markers"], reach].concat());
            assert_eq!((found, both(&wpatch)), (code, both(&git)), "{report:#}");
            assert_eq!(
                (report["changed"] == true, &report["plan_id"]),
                (is_taken, &look["plan_id"]),
                "{report:#}"
            );
            assert_eq!(
                report["files"][0]["replaces"].is_object(),
                is_taken,
                "{report:#}"
            );
            if is_taken {
                wpatch.back("undo");
                assert_eq!(both(&wpatch), before);
            }
        }
    }
}

/// A difference to git, which loses it.
#[test]
fn what_the_index_does_not_have_stays_in_the_way() {
    let cases: [(Side, &str, &str); 2] = [
        (|_| {}, "mine\n", "wpatch::file::exists"),
        (
            in_the_way,
            "mine, and more\n",
            "wpatch::file::not_as_indexed",
        ),
    ];
    for (ours, text_there, code) in cases {
        let [git, wpatch] = trees(&renamed, &ours);
        for tree in [&git, &wpatch] {
            fs::write(tree.root().join("moved"), text_there).unwrap();
        }
        let before = both(&wpatch);
        assert_eq!(by_git(&git, &["--3way"]), 0);
        assert!(text(&git, "moved").contains("LINE 7"));
        let (found, report) = wpatch.report(&["apply", "--3way"]);
        assert_eq!(
            (found, &report["error"]["code"]),
            (1, &code.into()),
            "{report:#}"
        );
        assert_eq!(both(&wpatch), before);
    }
}

/// A difference to git, which runs the program.
#[test]
fn a_merge_driver_that_is_a_program_is_named_and_not_run() {
    for attributes in ["conflicts merge=mine\n", ""] {
        let trees = [(); 2].map(|()| Tree::diverged());
        for tree in &trees {
            fs::write(tree.root().join(".git/info/attributes"), attributes).unwrap();
            tree.git(&["config", "merge.mine.driver", "touch ../ran; cat %B > %A"]);
            if attributes.is_empty() {
                tree.git(&["config", "merge.default", "mine"]);
            }
        }
        let [git, wpatch] = &trees;
        by_git(git, &["--3way"]);
        assert!(git.root().join("../ran").exists());
        let before = both(wpatch);
        for options in [&[][..], &["--conflict=markers"], &["--theirs"]] {
            let (code, report) =
                wpatch.report(&[&["apply", "--3way", "--include=conflicts"], options].concat());
            assert_eq!(
                (code, &report["error"]["code"]),
                (1, &"wpatch::merge::conflict".into()),
                "{report:#}"
            );
            assert!(
                report["error"]["message"]
                    .as_str()
                    .unwrap()
                    .contains("does not run its merge driver `mine`")
            );
            assert_eq!(
                (both(wpatch), wpatch.root().join("../ran").exists()),
                (before.clone(), false)
            );
        }
    }
}

#[test]
fn a_driver_is_not_asked_where_one_side_alone_changed() {
    let tree = forked(&renamed, &|_| {});
    fs::write(tree.root().join(".git/info/attributes"), "* merge=mine\n").unwrap();
    tree.git(&["config", "merge.mine.driver", "false"]);
    assert_eq!(tree.report(&["apply", "--3way"]).0, 0);
    let tree = Tree::diverged();
    fs::write(
        tree.root().join(".git/info/attributes"),
        "merges merge=nobody\n",
    )
    .unwrap();
    assert_eq!(
        tree.report(&["apply", "--3way", "--include=merges"]).0,
        0,
        "git merges lines of a driver nobody knows"
    );
}

#[test]
fn what_is_merged_and_what_is_not_is_said_as_git_says_it() {
    let several: Side = |root| {
        replace(root, "line 2\n", "LINE 2\n");
        fs::write(root.join("plain"), "other\n").unwrap();
        fs::write(root.join("new"), "new\n").unwrap();
        fs::remove_file(root.join("gone")).unwrap();
        fs::rename(root.join("script"), root.join("run")).unwrap();
    };
    let cases: [(Side, Side); 6] = [
        (several, |_| {}),
        (several, |root| replace(root, "line 10\n", "LINE 10\n")),
        (several, |root| replace(root, "line 2\n", "line II\n")),
        (several, |root| {
            fs::write(root.join("new"), "newer\n").unwrap();
        }),
        (renamed, in_the_way),
        (copied, in_the_way_of_a_conflict),
    ];
    for options in [&["--3way"][..], &["--3way", "-v"]] {
        let [tree, other] = [(); 2].map(|()| Tree::diverged());
        alike(&tree, &other, options);
    }
    for (nth, (theirs, ours)) in cases.into_iter().enumerate() {
        let [tree, other] = trees(&theirs, &ours);
        alike(&tree, &other, &["--3way", "-v"]);
        if nth % 3 != 1 {
            continue;
        }
        let [tree, other] = trees(&theirs, &ours);
        for tree in [&tree, &other] {
            let patch = fs::read_to_string(tree.patch()).unwrap();
            let unknown = |line| {
                if str::starts_with(line, "index ") {
                    "index 1234567..89abcde 100644\n"
                } else {
                    line
                }
            };
            fs::write(
                tree.patch(),
                patch.split_inclusive('\n').map(unknown).collect::<String>(),
            )
            .unwrap();
        }
        alike(&tree, &other, &["--3way"]);
    }
}

/// Lets both apply, and compares what they say before the first word of ours.
fn alike(tree: &Tree, other: &Tree, options: &[&str]) {
    let mut theirs = git(&[&["apply"], options].concat());
    let theirs = theirs
        .arg(tree.patch())
        .current_dir(tree.root())
        .output()
        .unwrap();
    let ours = other.wpatch("", &[&["apply", "--conflict=markers"], options].concat());
    let patch = fs::read_to_string(tree.patch()).unwrap();
    assert_eq!(
        first_words(&ours.stderr),
        String::from_utf8(theirs.stderr).unwrap(),
        "{options:?} {patch}"
    );
}
