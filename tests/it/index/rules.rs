//! What policy says of a change of index and work tree.

use fs_err as fs;
use serde_json::Value;

use super::Tree;
use crate::systems::program;
use crate::tree::traces;

/// Returns the options for a policy with one rule: `verdict` for `ops` on `paths`.
fn ruled(tree: &Tree, (paths, ops, verdict): (&str, &str, &str)) -> [String; 2] {
    let policy = tree.root().join("../policy.toml");
    let text = format!("[[rule]]\npaths = ['{paths}']\nops = ['{ops}']\nverdict = '{verdict}'\n");
    fs::write(&policy, text).unwrap();
    ["--policy".to_owned(), policy.to_str().unwrap().to_owned()]
}

fn report(tree: &Tree, options: &[&str], policy: &[String]) -> (i32, Value) {
    tree.report(
        &options
            .iter()
            .copied()
            .chain(policy.iter().map(String::as_str))
            .collect::<Vec<_>>(),
    )
}

/// Puts a file into the work tree that the patch makes, and git does not know.
fn untracked(tree: &Tree) {
    fs::create_dir(tree.root().join("d")).unwrap();
    fs::write(tree.root().join("d/new"), "mine\n").unwrap();
}

#[cfg(unix)]
#[test]
fn what_the_work_tree_has_is_nothing_to_the_index_alone() {
    for verdict in ["deny", "ask"] {
        let tree = Tree::new();
        untracked(&tree);
        let policy = ruled(&tree, ("d/*", "modify", verdict));
        let (code, report) = report(&tree, &["apply", "--cached"], &policy);
        assert_eq!((code, &report["changed"]), (0, &true.into()), "{report:#}");
        assert_eq!(tree.git(&["show", ":d/new"]), "new\n");
    }
}

#[cfg(unix)]
#[test]
fn what_comes_over_a_file_of_the_work_tree_changes_it() {
    for (verdict, kind) in [("deny", "denied"), ("ask", "approval_required")] {
        let tree = Tree::new();
        untracked(&tree);
        let policy = ruled(&tree, ("d/*", "modify", verdict));
        let before = (traces(&tree.root()), tree.entries());
        let (code, report) = report(&tree, &["apply", "--index", "--overwrite"], &policy);
        assert_eq!(
            (code, &report["error"]["kind"]),
            (3, &kind.into()),
            "{report:#}"
        );
        assert_eq!((traces(&tree.root()), tree.entries()), before);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_told_of_what_policy_keeps_closed() {
    let tree = Tree::new();
    let policy = ruled(&tree, ("changed", "read", "deny"));
    fs::write(tree.root().join("changed"), "one\ntwo\nthree\nfour\n").unwrap();
    for command in ["check", "apply"] {
        let (code, report) = report(&tree, &[command, "--index"], &policy);
        let problems: Vec<_> = report["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|problem| problem["code"].clone())
            .collect();
        assert_eq!(
            (code, problems),
            (3, vec!["wpatch::policy::denied".into()]),
            "{report:#}"
        );
    }
}

#[cfg(unix)]
#[test]
fn an_ancestor_is_written_where_policy_lets_files_come() {
    let tree = Tree::new();
    let file = tree.root().join("d");
    let policy = ruled(&tree, ("d", "create", "deny"));
    let (code, report) = report(
        &tree,
        &["apply", "--build-fake-ancestor", file.to_str().unwrap()],
        &policy,
    );
    assert_eq!(
        (code, &report["error"]["kind"]),
        (3, &"denied".into()),
        "{report:#}"
    );
    assert!(!file.exists());
}

#[cfg(unix)]
#[test]
fn another_commit_of_a_submodule_is_stated() {
    let tree = Tree::new();
    let ids = ["1", "2", "3"].map(|digit| digit.repeat(40));
    let entry = format!("160000,{},sub", ids[0]);
    tree.git(&["update-index", "--add", "--cacheinfo", &entry]);
    for (name, fault) in [
        (
            "sub",
            format!(
                "the submodule has the commit {}, not the one of the patch",
                ids[0]
            ),
        ),
        (
            "none",
            "the index has no submodule with this name".to_owned(),
        ),
    ] {
        let patch = format!(
            "diff --git a/{name} b/{name}\nindex 2222222..3333333 160000\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n\
             -Subproject commit {}\n+Subproject commit {}\n",
            ids[1], ids[2]
        );
        fs::write(tree.root().join("p"), patch).unwrap();
        let mut command = program(&tree.root(), &["apply", "--cached", "p"]);
        let text = String::from_utf8(command.output().unwrap().stderr).unwrap();
        let start = format!("error: patch failed: {name}:1\nerror: {name}: patch does not apply\n");
        assert!(text.starts_with(&start) && text.contains(&fault), "{text}");
    }
}
