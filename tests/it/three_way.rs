//! `--3way`: patches merged with what became of their files, as `git apply --3way` merges them.

mod missing;
mod onto;

use std::path::Path;
use std::process::Command;

use fs_err as fs;
use serde_json::Value;

use crate::index::Tree;
use crate::repository::git;

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
        said.contains("conflicts: the index has something else for it now"),
        "{said}"
    );
}

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

/// A difference to git, which writes markers into the target of the link, or both targets
/// (`--union`).
#[test]
fn links_lead_to_one_place() {
    let [ours, theirs] = [(); 2].map(|()| {
        let tree = Tree::new();
        let leads = |&(name, target): &(&str, &str)| {
            let link = tree.root().join(name);
            let _ = fs::remove_file(&link);
            fs::os::unix::fs::symlink(target, link).unwrap();
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
    });
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
        let message =
            "both sides changed the link: it leads to `ours` now, and to `theirs` by the patch";
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
        let mut program = Command::new(env!("CARGO_BIN_EXE_wpatch"));
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

/// Makes `theirs` of a tree, and `ours`; returns it with the patch to the first and the second
/// checked out.
fn forked(theirs: Make<'_>, ours: Make<'_>) -> Tree {
    let tree = branched(&[("theirs", theirs), ("ours", ours)]);
    write_patch(&tree, "theirs");
    tree
}

/// What changes the files below a root.
type Make<'m> = &'m dyn Fn(&Path);

/// A work tree with a branch for each change of what is on `main`; the last one is checked out.
fn branched(changes: &[(&str, Make<'_>)]) -> Tree {
    let tree = Tree::new();
    let lines = (1..=12)
        .map(|number| format!("line {number}\n"))
        .collect::<Vec<_>>()
        .concat();
    fs::write(tree.root().join("long"), lines).unwrap();
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "base"]);
    for (name, make) in changes {
        tree.git(&["checkout", "-q", "-B", name, "main"]);
        make(&tree.root());
        tree.git(&["add", "-A", "."]);
        tree.git(&["commit", "-q", "--allow-empty", "-m", name]);
    }
    tree
}

fn write_patch(tree: &Tree, branch: &str) {
    fs::write(
        tree.patch(),
        tree.git(&["diff", "-M", "--binary", "main", branch]),
    )
    .unwrap();
}

/// A way to change a file.
type Step = (&'static str, fn(&Path));

const STEPS: &[Step] = &[
    ("nothing", |_| {}),
    ("the second line", |root| {
        replace(root, "line 2\n", "LINE 2\n");
    }),
    ("the second line otherwise", |root| {
        replace(root, "line 2\n", "zwei\n");
    }),
    ("the third line", |root| {
        replace(root, "line 3\n", "LINE 3\n");
    }),
    ("the tenth line", |root| replace(root, "line 10\n", "")),
    ("more at the end", |root| {
        replace(root, "line 12\n", "line 12\nline 13\n");
    }),
    ("other names", |root| {
        replace(root, "line 7\n", "LINE 7\n");
        fs::rename(root.join("long"), root.join("moved")).unwrap();
    }),
    ("a name", |root| {
        fs::rename(root.join("long"), root.join("moved")).unwrap();
    }),
    ("a mode", |root| {
        let permissions =
            <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
        fs::set_permissions(root.join("long"), permissions).unwrap();
        replace(root, "line 5\n", "line V\n");
    }),
    ("a new file", |root| {
        fs::write(root.join("new"), "a\nb\nc\n").unwrap();
    }),
    ("a new file otherwise", |root| {
        fs::write(root.join("new"), "a\nB\nc\n").unwrap();
    }),
    ("an empty new file", |root| {
        fs::write(root.join("new"), "").unwrap();
    }),
    ("no file", |root| {
        fs::remove_file(root.join("long")).unwrap();
    }),
];

fn replace(root: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(root.join("long")).unwrap();
    fs::write(root.join("long"), text.replacen(old, new, 1)).unwrap();
}

#[test]
fn every_pair_of_changes_ends_as_with_git() {
    let names: Vec<_> = STEPS
        .iter()
        .map(|(name, _)| name.replace(' ', "-"))
        .collect();
    let changes = names
        .iter()
        .zip(STEPS)
        .map(|(name, (_, make))| (name.as_str(), make as Make<'_>));
    let tree = branched(&changes.collect::<Vec<_>>());
    let mut conflicts = 0;
    for theirs in &names[1..] {
        write_patch(&tree, theirs);
        for ours in &names {
            let check_out = || {
                tree.git(&["reset", "-q", "--hard", ours]);
                tree.git(&["clean", "-q", "-d", "-f"]);
            };
            check_out();
            let code = by_git(&tree, &["--3way"]);
            let by_git = both(&tree);
            check_out();
            let (found, report) = tree.report(&["apply", "--3way", "--conflict", "markers"]);
            let what = format!("{theirs} onto {ours}: {report:#}");
            assert_eq!(both(&tree), by_git, "{what}");
            assert_eq!(found == 0, code == 0, "{what}");
            conflicts += usize::from(report["outcome"] == "partial");
        }
    }
    assert!(conflicts >= 6, "only {conflicts} conflicts");
}
