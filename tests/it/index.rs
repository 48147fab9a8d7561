//! `--index` and `--cached`: git's index as one more file of the same transaction.

mod attributes;
mod back;
mod intent;
mod kinds;
mod location;
mod rules;
mod sparse;
mod submodules;
pub(crate) mod tree;

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use fs_err as fs;
use serde_json::Value;

use crate::tree::traces;
use crate::world;
pub(crate) use tree::Tree;

/// What `git status` says of the patch when it is in the index and in the work tree.
const STAGED: &str = "M  changed\nA  d/new\nD  gone\nM  script\nR  plain -> sub/plain\n";

#[cfg(unix)]
#[test]
fn index_and_work_tree_change_together() {
    let tree = Tree::new();
    let (code, report) = tree.report(&["apply", "--index"]);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(tree.git(&["status", "--porcelain"]), STAGED);
    assert_eq!(tree.git(&["diff-files"]), "");
    assert!(!tree.root().join(".git/index.lock").exists());
    assert!(
        fs::metadata(tree.root().join("sub/plain"))
            .unwrap()
            .is_file()
    );
    let names: Vec<_> = report["index"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["path"])
        .collect();
    assert_eq!(
        names,
        ["changed", "d/new", "gone", "plain", "script", "sub/plain"]
    );
    assert_eq!(report["index"]["entries"][4]["after"]["mode"], "100755");
    assert_eq!(
        (
            &report["index"]["reach"],
            &report["index"]["entries"][2]["after"]
        ),
        (&"index".into(), &Value::Null)
    );
    assert_eq!(tree.git(&["fsck", "--no-dangling"]), "");
}

#[cfg(unix)]
#[test]
fn the_index_alone_changes_when_only_that_is_meant() {
    let tree = Tree::new();
    fs::write(tree.root().join("changed"), "something else\n").unwrap();
    let (code, report) = tree.report(&["apply", "--cached"]);
    assert_eq!(
        (code, &report["index"]["reach"]),
        (0, &"cached".into()),
        "{report:#}"
    );
    assert_eq!(
        fs::read_to_string(tree.root().join("changed")).unwrap(),
        "something else\n"
    );
    assert!(!tree.root().join("d").exists());
    assert_eq!(tree.git(&["show", ":changed"]), "one\nzwei\nthree\n");
    assert_eq!(
        tree.git(&["diff", "--cached", "--name-status"]),
        "M\tchanged\nA\td/new\nD\tgone\nM\tscript\nR100\tplain\tsub/plain\n"
    );
    assert!(tree.root().join("gone").exists() && !tree.root().join("sub").exists());
}

#[cfg(unix)]
#[test]
fn a_repository_that_has_lost_what_the_index_names_is_at_fault_and_not_the_file() {
    for options in [
        &["apply", "--cached"][..],
        &["apply", "--cached", "--reject"],
        &["check", "--cached"],
    ] {
        let tree = Tree::new();
        let id = tree.git(&["rev-parse", ":changed"]);
        let (directory, name) = id.trim_end().split_at(2);
        fs::remove_file(tree.root().join(".git/objects").join(directory).join(name)).unwrap();
        let before = tree.entries();
        let (code, report) = tree.report(options);
        assert_eq!(
            (code, &report["error"]["kind"]),
            (4, &"io".into()),
            "{options:?}: {report:#}"
        );
        assert!(
            report["error"]["message"]
                .as_str()
                .unwrap()
                .contains(id.trim_end()),
            "{report:#}"
        );
        assert_eq!(
            (tree.entries(), tree.git(&["diff-files"])),
            (before, String::new()),
            "{options:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn what_was_rejected_beside_the_index_is_rejected_again() {
    let tree = Tree::new();
    let lines = (1..=30)
        .map(|number| format!("{number}\n"))
        .collect::<Vec<_>>()
        .concat();
    fs::create_dir(tree.root().join("old")).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(tree.root().join("old").join(name), &lines).unwrap();
    }
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "next"]);
    let moved = |name: &str| {
        format!(
            "diff --git a/old/{name} b/new/{name}\nsimilarity index 90%\nrename from old/{name}\nrename to new/{name}\n"
        )
    };
    let hunk = "--- a/old/a\n+++ b/new/a\n@@ -1,3 +1,3 @@\n 1\n-no such line\n+x\n 3\n";
    fs::write(
        tree.patch(),
        [moved("b"), moved("c"), moved("a"), hunk.to_owned()].concat(),
    )
    .unwrap();
    for _ in 0..2 {
        let (code, report) = tree.report(&["apply", "--cached", "--reject"]);
        assert_eq!(
            (code, &report["error"]["code"]),
            (1, &"wpatch::hunk::not_found".into()),
            "{report:#}"
        );
        assert!(
            fs::read_to_string(tree.root().join("new/a.rej"))
                .unwrap()
                .contains("no such line")
        );
        tree.git(&["reset", "-q"]);
    }
}

#[cfg(unix)]
#[test]
fn check_says_what_apply_does_and_writes_nothing() {
    let tree = Tree::new();
    let before = traces(&tree.root());
    let checked = [
        tree.report(&["check"]),
        tree.report(&["check", "--index"]),
        tree.report(&["check", "--cached"]),
    ];
    assert_eq!(traces(&tree.root()), before);
    let ids: Vec<_> = checked
        .iter()
        .map(|(code, report)| (*code, report["plan_id"].as_str().unwrap()))
        .collect();
    assert!(ids.iter().all(|(code, _)| *code == 0), "{ids:?}");
    assert!(
        ids[0].1 != ids[1].1 && ids[1].1 != ids[2].1 && ids[0].1 != ids[2].1,
        "{ids:?}"
    );
    let (code, refused) = tree.report(&["apply", "--index", "--approve", ids[2].1]);
    assert_eq!((code, &refused["error"]["kind"]), (1, &"stale".into()));
    let (code, report) = tree.report(&["apply", "--index", "--approve", ids[1].1]);
    assert_eq!(
        (code, &report["index"]["entries"]),
        (0, &checked[1].1["index"]["entries"])
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_is_not_the_one_in_the_index_is_refused() {
    let changes: [fn(&Path); 4] = [
        |root| fs::write(root.join("changed"), "one\ntwo\nthree\nfour\n").unwrap(),
        |root| fs::write(root.join("plain"), "other\n").unwrap(),
        |root| {
            world::set_mode(root.join("gone"), 0o755);
        },
        |root| {
            fs::remove_file(root.join("changed")).unwrap();
            world::link("plain", root.join("changed")).unwrap();
        },
    ];
    for change in changes {
        let tree = Tree::new();
        change(&tree.root());
        let (files, entries) = (crate::tree::read(&tree.root()), tree.entries());
        let (code, report) = tree.report(&["apply", "--index"]);
        assert_eq!(
            (code, &report["error"]["code"]),
            (1, &"wpatch::file::not_as_indexed".into()),
            "{report:#}"
        );
        assert_eq!(
            (crate::tree::read(&tree.root()), tree.entries()),
            (files, entries)
        );
    }
}

#[cfg(unix)]
#[test]
fn what_is_in_the_way_and_not_in_the_index_is_refused() {
    let tree = Tree::new();
    fs::create_dir(tree.root().join("d")).unwrap();
    fs::write(tree.root().join("d/new"), "mine\n").unwrap();
    let (code, report) = tree.report(&["apply", "--index"]);
    assert_eq!(
        (code, &report["error"]["kind"]),
        (1, &"exists".into()),
        "{report:#}"
    );
    assert_eq!(
        fs::read_to_string(tree.root().join("d/new")).unwrap(),
        "mine\n"
    );
    assert_eq!(tree.git(&["diff", "--cached", "--name-only"]), "");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_missing_is_as_the_index_has_it() {
    let tree = Tree::new();
    for name in ["changed", "gone", "plain"] {
        fs::remove_file(tree.root().join(name)).unwrap();
    }
    assert_eq!(tree.report(&["apply", "--index"]).0, 0);
    assert_eq!(tree.git(&["status", "--porcelain"]), STAGED);
}

#[cfg(unix)]
#[test]
fn a_lock_of_somebody_else_is_respected_and_stays() {
    for reach in ["--index", "--cached"] {
        let tree = Tree::new();
        let lock = tree.root().join(".git/index.lock");
        fs::write(&lock, "").unwrap();
        let files = crate::tree::read(&tree.root());
        let (code, report) = tree.report(&["apply", reach]);
        assert_eq!(code, 6, "{report:#}");
        assert_eq!(fs::read_to_string(&lock).unwrap(), "");
        assert_eq!(crate::tree::read(&tree.root()), files);
        assert_eq!(tree.report(&["check", reach]).0, 0);
    }
}

#[cfg(unix)]
#[test]
fn line_ends_and_filters_are_those_of_git() {
    let tree = Tree::new();
    tree.git(&["config", "filter.shout.clean", "tr A-Z a-z"]);
    tree.git(&["config", "filter.shout.smudge", "tr a-z A-Z"]);
    fs::write(
        tree.root().join(".gitattributes"),
        "changed text eol=crlf\nd/new filter=shout\nplain filter=shout\n",
    )
    .unwrap();
    fs::write(tree.root().join("changed"), "one\r\ntwo\r\nthree\r\n").unwrap();
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "attributes"]);
    tree.git(&["rm", "-q", "--cached", "plain"]);
    tree.git(&["reset", "-q", "--hard"]);
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    let (code, report) = tree.report(&["apply", "--index", "--allow-filter", "shout"]);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(
        fs::read_to_string(tree.root().join("changed")).unwrap(),
        "one\r\nzwei\r\nthree\r\n"
    );
    assert_eq!(
        fs::read_to_string(tree.root().join("d/new")).unwrap(),
        "NEW\n"
    );
    assert_eq!(tree.git(&["show", ":d/new"]), "new\n");
    assert_eq!(tree.git(&["status", "--porcelain"]), STAGED);
}

#[cfg(unix)]
#[test]
fn a_binary_file_comes_from_the_repository_where_the_patch_has_no_data() {
    let tree = Tree::new();
    fs::write(tree.root().join("plain"), b"\0one\n").unwrap();
    tree.git(&["commit", "-q", "-a", "-m", "binary"]);
    fs::write(tree.root().join("plain"), b"\0two\n").unwrap();
    tree.git(&["commit", "-q", "-a", "-m", "next"]);
    for (options, code) in [(&["--full-index"][..], 0), (&[], 1)] {
        let patch = tree.git(&[&["diff", "HEAD^", "HEAD"], options].concat());
        assert!(patch.contains("Binary files"), "{patch}");
        fs::write(tree.patch(), patch).unwrap();
        tree.git(&["reset", "-q", "--hard", "HEAD^"]);
        let (found, report) = tree.report(&["apply"]);
        assert_eq!(found, code, "{report:#}");
        assert_eq!(
            fs::read(tree.root().join("plain")).unwrap() == b"\0two\n",
            code == 0
        );
        tree.git(&["reset", "-q", "--hard", "main@{1}"]);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_changed_when_the_index_was_written_still_looks_changed() {
    let tree = Tree::new();
    tree.git(&["config", "core.trustctime", "false"]);
    let other = tree.root().join("other");
    // As if all of it had happened at once, an hour ago.
    let was = SystemTime::now() - Duration::from_secs(3600);
    let date = |file: &Path| {
        std::fs::File::options()
            .write(true)
            .open(file)
            .unwrap()
            .set_modified(was)
            .unwrap();
    };
    fs::write(&other, "a\n").unwrap();
    date(&other);
    tree.git(&["add", "other"]);
    fs::write(&other, "b\n").unwrap();
    date(&other);
    date(&tree.root().join(".git/index"));
    assert!(tree.wpatch("", &["apply", "--cached"]).status.success());
    assert!(
        tree.git(&["diff", "--name-only"])
            .lines()
            .any(|name| name == "other")
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_wait_for_git() {
    let tree = Tree::new();
    tree.git(&[
        "config",
        "filter.slow.clean",
        "touch ../begun; sleep 20; touch ../ended; cat",
    ]);
    fs::write(
        tree.root().join(".git/info/attributes"),
        "changed filter=slow\n",
    )
    .unwrap();
    // Only git can tell whether these bytes are those of the index.
    fs::write(tree.root().join("changed"), "one\ntwo\nthree\n\n").unwrap();
    let before = (tree.entries(), crate::tree::read(&tree.root()));
    let mut program = world::wpatch();
    program
        .args(["apply", "--index", "--allow-filter", "slow"])
        .arg(tree.patch())
        .current_dir(tree.root());
    let mut child = program
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !tree.root().join("../begun").exists() {
        assert!(child.try_wait().unwrap().is_none(), "git was not asked");
        std::thread::yield_now();
    }
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    assert!(!tree.root().join("../ended").exists());
    let (entries, mut files) = (tree.entries(), crate::tree::read(&tree.root()));
    files.retain(|path, _| !path.as_bytes().starts_with(b".git/wpatch"));
    assert_eq!((entries, files), before);
}
