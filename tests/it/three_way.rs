//! `--3way`: patches merged with what became of their files, as `git apply --3way` merges them.

mod base;
mod large;
mod missing;
mod onto;
mod pairs;

use fs_err as fs;
use serde_json::Value;

use crate::index::Tree;
use crate::repository::git;
use crate::world;

/// What is in the work tree and in the index.
fn both(tree: &Tree) -> (crate::tree::Tree, String) {
    let mut files = crate::tree::read(&tree.root());
    files.retain(|path, _| !path.as_bytes().starts_with(b".git"));
    (files, tree.entries())
}

/// Does the same with git, and returns its exit code.
fn by_git(tree: &Tree, arguments: &[&str]) -> i32 {
    let mut command = git(&[&["apply"], arguments].concat());
    command
        .arg(tree.patch())
        .current_dir(tree.root())
        .output()
        .unwrap()
        .status
        .code()
        .unwrap()
}

fn text(tree: &Tree, name: &str) -> String {
    fs::read_to_string(tree.root().join(name)).unwrap()
}

#[cfg(unix)]
#[test]
fn a_patch_is_merged_with_what_became_of_its_file() {
    for (options, status) in [
        (&["--3way"][..], "M  merges\n"),
        (&["-3", "--cached"], "MM merges\n"),
    ] {
        let tree = Tree::diverged();
        let only = ["--include", "merges"];
        let before = both(&tree);
        let (code, checked) = tree.report(&[&["check"], options, &only].concat());
        assert_eq!(
            (code, &checked["outcome"], both(&tree) == before),
            (0, &"would_apply".into(), true)
        );
        let (code, report) = tree.report(&[&["apply"], options, &only].concat());
        assert_eq!(
            (code, &report["plan_id"]),
            (0, &checked["plan_id"]),
            "{report:#}"
        );
        let merge = serde_json::json!({"base": "objects", "marked": false, "conflicts": []});
        assert_eq!(report["files"][0]["merge"], merge);
        assert_eq!(tree.git(&["status", "--porcelain"]), status);
        assert_eq!(
            tree.git(&["show", ":merges"]),
            "1\nzwei\n3\n4\nfive\n6\n7\nacht\n9\n"
        );
        tree.back("undo");
        assert_eq!(both(&tree), before);
    }
}

/// A difference to git, which writes them into the files unless it is told otherwise: cases 3, 4,
/// 8, 10 and 14 of its t4108. With `--conflict markers` they are as with git, but for case 8: no
/// resolution that `git rerere` knows is written.
#[cfg(unix)]
#[test]
fn conflicts_leave_the_tree_alone_and_are_listed() {
    let tree = Tree::diverged();
    assert_eq!(by_git(&tree, &["--3way"]), 1);
    assert!(text(&tree, "conflicts").contains("<<<<<<< ours"));
    tree.git(&["reset", "-q", "--hard"]);
    let before = both(&tree);
    for command in ["check", "apply"] {
        let (code, report) = tree.report(&[command, "--3way"]);
        assert_eq!(
            (code, &report["error"]["code"]),
            (1, &"wpatch::merge::conflict".into()),
            "{report:#}"
        );
        assert_eq!(
            (&report["error"]["kind"], &report["changed"]),
            (&"conflict".into(), &false.into())
        );
        let line = |start, count| serde_json::json!({"start": start, "count": count});
        let conflict =
            serde_json::json!({"base": line(2, 1), "ours": line(2, 1), "theirs": line(2, 1)});
        assert_eq!(
            report["files"][1]["merge"]["conflicts"],
            Value::from(vec![conflict])
        );
        assert_eq!(both(&tree), before);
    }
}

#[cfg(unix)]
#[test]
fn conflicts_that_are_marked_are_those_of_git() {
    for (style, configured) in [
        ("markers", "merge"),
        ("markers", "diff3"),
        ("diff3", "diff3"),
        ("markers", "zdiff3"),
    ] {
        for reach in [&["--3way"][..], &["--3way", "--cached"]] {
            let (ours, theirs) = (Tree::diverged(), Tree::diverged());
            ours.git(&[
                "config",
                "merge.conflictStyle",
                if style == "diff3" {
                    "merge"
                } else {
                    configured
                },
            ]);
            theirs.git(&["config", "merge.conflictStyle", configured]);
            assert_eq!(by_git(&theirs, reach), 1);
            let before = both(&ours);
            let (code, checked) = ours.report(&[&["check", "--conflict", style], reach].concat());
            assert_eq!(
                (code, &checked["outcome"], both(&ours) == before),
                (1, &"would_be_partial".into(), true)
            );
            let (code, report) = ours.report(&[&["apply", "--conflict", style], reach].concat());
            assert_eq!(
                (code, &report["outcome"], &report["changed"]),
                (1, &"partial".into(), &true.into())
            );
            assert_eq!(report["error"]["code"], "wpatch::merge::conflict");
            let after = both(&ours);
            assert_eq!(after, both(&theirs), "{style} {configured} {reach:?}");
            ours.back("undo");
            assert_eq!(both(&ours), before);
            ours.back("redo");
            assert_eq!(both(&ours), after);
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_resolved_meanwhile_stays_in_the_index() {
    let tree = Tree::diverged();
    assert_eq!(
        tree.report(&["apply", "--3way", "--conflict", "markers"]).0,
        1
    );
    tree.git(&["add", "conflicts"]);
    let staged = tree.git(&["ls-files", "-s", "conflicts"]);
    let said = tree.back("undo");
    assert_eq!(tree.git(&["ls-files", "-s", "conflicts"]), staged);
    assert!(
        said.contains("conflicts: the index entry changed after this change"),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn one_side_or_both_may_be_favoured_as_git_does_it() {
    for favour in ["--ours", "--theirs", "--union"] {
        let (ours, theirs) = (Tree::diverged(), Tree::diverged());
        assert_eq!(by_git(&theirs, &["--3way", favour]), 0);
        let (code, report) = ours.report(&["apply", "--3way", favour]);
        assert_eq!(
            (code, &report["outcome"]),
            (0, &"applied".into()),
            "{report:#}"
        );
        assert_eq!(both(&ours), both(&theirs), "{favour}");
    }
}

#[cfg(unix)]
#[test]
fn attributes_say_how_files_are_merged() {
    let attributes = "conflicts merge=union\nboth -merge\n";
    let (ours, theirs) = (Tree::diverged(), Tree::diverged());
    for tree in [&ours, &theirs] {
        fs::write(tree.root().join(".git/info/attributes"), attributes).unwrap();
    }
    assert_eq!(by_git(&theirs, &["--3way"]), 1);
    assert_eq!(
        ours.report(&["apply", "--3way", "--conflict", "markers"]).0,
        1
    );
    assert_eq!(both(&ours), both(&theirs));
}

#[cfg(unix)]
#[test]
fn binary_files_are_merged_as_a_whole() {
    for favour in [&[][..], &["--theirs"]] {
        let made = || {
            let tree = Tree::new();
            for (text, name) in [("\0one\n", "base"), ("\0two\n", "theirs")] {
                fs::write(tree.root().join("plain"), text).unwrap();
                tree.git(&["commit", "-q", "-a", "-m", name]);
            }
            fs::write(
                tree.patch(),
                tree.git(&["diff", "--binary", "HEAD^", "HEAD"]),
            )
            .unwrap();
            tree.git(&["reset", "-q", "--hard", "HEAD^"]);
            fs::write(tree.root().join("plain"), "\0three\n").unwrap();
            tree.git(&["commit", "-q", "-a", "-m", "ours"]);
            tree
        };
        let (ours, theirs) = (made(), made());
        let code = by_git(&theirs, &[&["--3way"], favour].concat());
        let found = ours.report(&[&["apply", "--3way", "--conflict", "markers"], favour].concat());
        assert_eq!(found.0, code, "{:#}", found.1);
        assert_eq!(both(&ours), both(&theirs), "{favour:?}");
    }
}

/// Returns a repository and a patch of its links, which both sides changed.
fn links_of_two_sides() -> Tree {
    let tree = Tree::new();
    let leads = |&(name, target): &(&str, &str)| {
        let link = tree.root().join(name);
        let _ = fs::remove_file(&link);
        world::link(target, link).unwrap();
    };
    let commit = || {
        tree.git(&["add", "."]);
        tree.git(&["commit", "-q", "-m", "next"]);
    };
    leads(&("link", "base"));
    commit();
    let all_lead = |target| {
        [("link", target), ("new", target), ("same", "same")]
            .iter()
            .for_each(leads);
    };
    all_lead("theirs");
    commit();
    fs::write(tree.patch(), tree.git(&["diff", "HEAD^", "HEAD"])).unwrap();
    tree.git(&["reset", "-q", "--hard", "HEAD^"]);
    all_lead("ours");
    commit();
    tree
}

/// A difference to git, which writes markers into the target of the link, or both targets
/// (`--union`).
#[cfg(unix)]
#[test]
fn links_lead_to_one_place() {
    let [ours, theirs] = [(); 2].map(|()| links_of_two_sides());
    assert_eq!(by_git(&theirs, &["--3way"]), 1);
    assert!(
        fs::read_link(theirs.root().join("link"))
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("<<<<<<<")
    );
    let before = both(&ours);
    for options in [&[][..], &["--conflict", "markers"], &["--union"]] {
        let (code, report) = ours.report(&[&["apply", "--3way"], options].concat());
        let conflicts = report["problems"].as_array().unwrap();
        let told: Vec<_> = conflicts
            .iter()
            .map(|it| (it["path"].as_str(), it["code"].as_str().unwrap()))
            .collect();
        let told_of = |name| (Some(name), "wpatch::merge::conflict");
        assert_eq!(
            (code, told),
            (1, vec![told_of("link"), told_of("new")]),
            "{report:#}"
        );
        let message = "both sides changed the link: it points to `ours`, and the patch changes it to `theirs`";
        assert_eq!(conflicts[0]["message"], message);
        assert!(
            conflicts[0]["help"]
                .as_str()
                .unwrap()
                .contains("a link cannot contain conflict markers")
        );
        assert_eq!(both(&ours), before, "{options:?}");
    }
    for favour in ["--ours", "--theirs"] {
        for tree in [&ours, &theirs] {
            tree.git(&["reset", "-q", "--hard"]);
        }
        assert_eq!(by_git(&theirs, &["--3way", favour]), 0);
        assert_eq!(ours.report(&["apply", "--3way", favour]).0, 0);
        assert_eq!(both(&ours), both(&theirs), "{favour}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_is_there_and_not_in_the_index_is_refused() {
    let tree = Tree::diverged();
    tree.git(&["rm", "-q", "--cached", "both"]);
    tree.git(&["commit", "-q", "-m", "gone"]);
    let before = both(&tree);
    let (code, report) = tree.report(&["apply", "--3way", "--conflict", "markers"]);
    assert_eq!(
        (code, &report["error"]["code"]),
        (1, &"wpatch::file::exists".into()),
        "{report:#}"
    );
    assert_eq!(both(&tree), before);
}
