//! `--intent-to-add` and `--build-fake-ancestor`.

use ::fs_err as fs;
use serde_json::Value;

use super::tree::Tree;
use crate::repository::git;
use crate::world;

#[cfg(unix)]
#[test]
fn new_files_are_noted_as_what_is_going_to_be_added() {
    let tree = Tree::new();
    let before = tree.entries();
    let (code, report) = tree.report(&["check", "-N"]);
    assert_eq!((code, tree.entries()), (0, before.clone()), "{report:#}");
    let (code, report) = tree.report(&["apply", "--intent-to-add"]);
    assert_eq!(
        (code, &report["index"]["reach"]),
        (0, &"intent_to_add".into()),
        "{report:#}"
    );
    assert_eq!(
        tree.git(&["status", "--porcelain"]),
        " M changed\n A d/new\n D gone\n M plain\n M script\n".replace(" M plain", " D plain")
            + "?? sub/\n"
    );
    assert_eq!(
        tree.git(&["diff", "--", "d/new"]).lines().last(),
        Some("+new")
    );
    assert!(!tree.root().join(".git/index.lock").exists());
    tree.back("undo");
    assert_eq!(
        (tree.entries(), tree.git(&["status", "--porcelain"])),
        (before, String::new())
    );
}

#[cfg(unix)]
#[test]
fn what_is_only_going_to_be_added_has_no_contents_in_the_index() {
    let tree = Tree::new();
    fs::create_dir(tree.root().join("d")).unwrap();
    fs::write(tree.root().join("d/new"), "new\n").unwrap();
    tree.git(&["add", "-N", "d/new"]);
    assert_eq!(
        tree.report(&["apply", "--index"]).1["error"]["path"],
        "d/new"
    );
    assert_eq!(tree.report(&["apply", "--cached"]).0, 0);
    assert_eq!(tree.git(&["show", ":d/new"]), "new\n");
}

#[cfg(unix)]
#[test]
fn an_intention_is_nothing_outside_of_a_repository() {
    let tree = Tree::new();
    fs::remove_dir_all(tree.root().join(".git")).unwrap();
    let (code, report) = tree.report(&["apply", "-N"]);
    assert_eq!((code, &report["index"]), (0, &Value::Null), "{report:#}");
}

#[cfg(unix)]
#[test]
fn an_intention_that_git_cannot_be_told_is_no_success() {
    let tree = Tree::new();
    fs::write(tree.root().join(".git/config"), "[broken\n").unwrap();
    let before = crate::tree::read(&tree.root());
    let (code, report) = tree.report(&["apply", "-N"]);
    assert_eq!(
        (code, &report["error"]["code"]),
        (2, &"wpatch::usage".into()),
        "{report:#}"
    );
    assert_eq!(crate::tree::read(&tree.root()), before);
}

#[cfg(unix)]
#[test]
fn an_ancestor_has_the_blobs_that_a_patch_was_made_for() {
    let tree = Tree::new();
    fs::write(tree.root().join("changed"), "one\n2\nthree\n").unwrap();
    fs::write(tree.root().join("new"), "new\n").unwrap();
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "next"]);
    let patch = tree.git(&["diff", "HEAD^", "HEAD"]);
    fs::write(tree.patch(), &patch).unwrap();
    let file = tree.root().join("../ancestor");
    for _ in 0..2 {
        let (code, report) =
            tree.report(&["apply", "--build-fake-ancestor", file.to_str().unwrap()]);
        assert_eq!(
            (code, &report["outcome"]),
            (0, &"described".into()),
            "{report:#}"
        );
        let listed = git(&["ls-files", "-s"])
            .current_dir(tree.root())
            .env("GIT_INDEX_FILE", &file)
            .output()
            .unwrap();
        let id = tree.git(&["rev-parse", "HEAD^:changed"]);
        assert_eq!(
            String::from_utf8(listed.stdout).unwrap(),
            format!("100644 {} 0\tchanged\n", id.trim())
        );
    }
    fs::remove_file(&file).unwrap();
    let index = patch
        .lines()
        .find(|line| line.starts_with("index") && line.ends_with("100644"))
        .unwrap();
    fs::write(
        tree.patch(),
        patch.replace(index, "index 1234567..89abcde 100644"),
    )
    .unwrap();
    let (code, report) = tree.report(&["apply", "--build-fake-ancestor", file.to_str().unwrap()]);
    assert_eq!(
        (code, &report["error"]["code"]),
        (1, &"wpatch::git::no_blob".into()),
        "{report:#}"
    );
    assert!(!file.exists());
}

#[cfg(unix)]
#[test]
fn an_ancestor_takes_no_place_of_another_file() {
    let tree = Tree::new();
    let mine = tree.root().join("../mine");
    fs::write(&mine, "mine\n").unwrap();
    let index = tree.root().join(".git/index");
    let before = fs::read(&index).unwrap();
    fs::write(
        tree.patch(),
        "diff --git a/gone b/gone\nold mode 100644\nnew mode 100755\n",
    )
    .unwrap();
    for file in [&mine, &index] {
        let (code, report) =
            tree.report(&["apply", "--build-fake-ancestor", file.to_str().unwrap()]);
        assert_eq!((code, &report["ok"]), (4, &false.into()), "{report:#}");
    }
    assert_eq!(
        (
            fs::read_to_string(&mine).unwrap().as_str(),
            fs::read(&index).unwrap()
        ),
        ("mine\n", before)
    );
    let new = tree.root().join("../new");
    for command in ["check", "show"] {
        let (code, report) =
            tree.report(&[command, "--build-fake-ancestor", new.to_str().unwrap()]);
        assert_eq!((code, new.exists()), (2, false), "{report:#}");
    }
    assert_eq!(
        tree.report(&["apply", "--build-fake-ancestor", new.to_str().unwrap()])
            .0,
        0
    );
}

/// Even root cannot read a link that names itself.
#[cfg(unix)]
#[test]
fn an_ancestor_does_not_replace_an_unreadable_file() {
    let tree = Tree::new();
    let file = tree.root().join("../loop");
    world::link("loop", &file).unwrap();
    fs::write(
        tree.patch(),
        "diff --git a/gone b/gone\nold mode 100644\nnew mode 100755\n",
    )
    .unwrap();
    let (code, report) = tree.report(&["apply", "--build-fake-ancestor", file.to_str().unwrap()]);
    assert_eq!((code, &report["ok"]), (4, &false.into()), "{report:#}");
    assert_eq!(fs::read_link(&file).unwrap().to_str(), Some("loop"));
}

#[cfg(unix)]
#[test]
fn a_file_that_does_not_come_is_not_going_to_be_added() {
    let tree = Tree::new();
    fs::create_dir(tree.root().join("d")).unwrap();
    fs::write(tree.root().join("d/new"), "mine\n").unwrap();
    let (code, report) = tree.report(&["apply", "-N", "--reject"]);
    assert_eq!(
        (code, &report["outcome"]),
        (1, &"partial".into()),
        "{report:#}"
    );
    assert_eq!(tree.git(&["ls-files"]), "changed\ngone\nplain\nscript\n");
}

#[cfg(unix)]
#[test]
fn language_servers_are_not_passed_over_for_an_intention() {
    let tree = Tree::new();
    let output = tree.wpatch("", &["apply", "-N", "--diagnostics"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
