//! The command `diff -r`: its options, its output and its exit codes.

use fs_err as fs;
use serde_json::Value;

use super::{directories, run};
use crate::repository::Repository;
use crate::tree::{Node, Tree, path};
use crate::world;

#[test]
fn equal_directories_have_no_diff() {
    let root = directories(
        &[("x", "1\n"), ("d/y", "2\n")],
        &[("x", "1\n"), ("d/y", "2\n")],
    );
    let result = run(root.path(), &["diff", "-r", "a", "b"]);
    assert_eq!(result, (Some(0), String::new(), String::new()));
}

#[test]
fn different_directories_have_a_diff_with_names_relative_to_them() {
    let root = directories(
        &[("x", "1\n2\n3\n4\n"), ("d/y", "one\ntwo\nthree\n")],
        &[("x", "1\n2\n3\n5\n"), ("e/z", "one\ntwo\nthree\n")],
    );
    let expected = "diff --git a/d/y b/e/z\nsimilarity index 100%\nrename from d/y\nrename to e/z\n\
                    diff --git a/x b/x\nindex 94ebaf900161..e0d13b09c85b 100644\n--- a/x\n+++ b/x\n\
                    @@ -1,4 +1,4 @@\n 1\n 2\n 3\n-4\n+5\n";
    let result = run(root.path(), &["diff", "-r", "a", "b"]);
    assert_eq!(result, (Some(1), expected.to_owned(), String::new()));
    let (code, stat, _) = run(root.path(), &["diff", "-r", "a", "b", "--stat"]);
    let expected = " d/y => e/z |    0 \n x          |    2 +-\n 2 files changed, 1 insertion(+), 1 deletion(-)\n";
    assert_eq!((code, &stat[..]), (Some(1), expected));
}

#[test]
fn a_document_lists_the_changed_files() {
    let root = directories(
        &[("x", "1\n"), ("bin", "\0a")],
        &[("x", "2\n"), ("bin", "\0b")],
    );
    let (code, text, _) = run(root.path(), &["diff", "-r", "a", "b", "--json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    let file = |name: &str, binary: bool, lines: usize| {
        serde_json::json!({
            "op": "modify", "path": name, "old_mode": "100644", "new_mode": "100644",
            "binary": binary, "added": lines, "removed": lines,
        })
    };
    assert_eq!(code, Some(1));
    assert_eq!(document["identical"], false);
    assert_eq!(
        document["files"],
        Value::from(vec![file("bin", true, 0), file("x", false, 1)])
    );
    assert!(
        document["diff"]
            .as_str()
            .unwrap()
            .contains("GIT binary patch\n")
    );
}

#[test]
fn directories_without_files_are_reported() {
    let root = directories(
        &[("x", "1\n"), ("d/y", "1\n")],
        &[("x", "1\n"), ("d/y", "1\n")],
    );
    fs::create_dir_all(root.path().join("b/d/empty")).unwrap();
    fs::create_dir_all(root.path().join("a/old")).unwrap();
    fs::create_dir_all(root.path().join("a/same")).unwrap();
    fs::create_dir_all(root.path().join("b/same")).unwrap();
    let (code, text, errors) = run(root.path(), &["diff", "-r", "a", "b"]);
    assert_eq!((code, &text[..]), (Some(1), ""));
    assert_eq!(
        errors,
        "wpatch: d/empty: an empty directory cannot be part of a patch\n\
         wpatch: old: no patch can delete an empty directory\n"
    );
}

#[cfg(unix)]
#[test]
fn special_files_are_reported() {
    let root = directories(&[("x", "1\n")], &[("x", "2\n")]);
    world::fifo(root.path().join("b/fifo"));
    let (code, text, errors) = run(root.path(), &["diff", "-r", "a", "b"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("-1\n+2\n"), "{text}");
    assert_eq!(
        errors,
        "wpatch: fifo: a special file cannot be part of a patch\n"
    );
}

#[test]
fn files_of_git_and_of_wpatch_are_skipped() {
    let root = directories(
        &[
            (".git/config", "1\n"),
            (".wpatch/x", "1\n"),
            ("d/.git", "1\n"),
        ],
        &[(".git/config", "2\n"), ("d/.git", "2\n")],
    );
    let result = run(root.path(), &["diff", "-r", "a", "b"]);
    assert_eq!(result, (Some(0), String::new(), String::new()));
    fs::create_dir(root.path().join("b/.GIT")).unwrap();
    fs::write(root.path().join("b/.GIT/x"), "1\n").unwrap();
    let (code, text, errors) = run(root.path(), &["diff", "-r", "a", "b"]);
    assert_eq!((code, &text[..]), (Some(1), ""));
    let expected = "wpatch: .GIT/x: git and wpatch refuse to change a file of this name\n";
    assert_eq!(errors, expected);
}

#[test]
fn white_space_is_ignored_on_request() {
    let root = directories(
        &[("x", "a  b\nc\nd\nlast"), ("y", "a b\n")],
        &[("x", "a b\n c\ne\nlast\n"), ("y", "ab\n")],
    );
    let changed = |arguments: &[&str]| {
        let (_, text, _) = run(
            root.path(),
            &[&["diff", "-r", "a", "b"], arguments].concat(),
        );
        let lines = text
            .lines()
            .filter(|line| line.starts_with(['-', '+']) && !line.contains('/'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(changed(&["-w"]), ["-d", "-last", "+e", "+last"]);
    assert_eq!(
        changed(&["-b"]),
        ["-c", "-d", "-last", "+ c", "+e", "+last", "-a b", "+ab"]
    );
    let (_, patch, _) = run(root.path(), &["diff", "-r", "-w", "a", "b"]);
    fs::write(root.path().join("p"), patch).unwrap();
    let (code, _, errors) = run(root.path(), &["apply", "-q", "-d", "a", "p"]);
    assert_eq!((code, &errors[..]), (Some(0), ""));
    assert_eq!(
        fs::read(root.path().join("a/x")).unwrap(),
        b"a  b\nc\ne\nlast\n"
    );
    let files = ["diff", "-w", "a/y", "b/y"];
    assert_eq!(
        run(root.path(), &files),
        (Some(0), String::new(), String::new())
    );
}

#[test]
fn filters_and_ignore_files_select_the_paths() {
    let root = directories(
        &[("keep.c", "1\n"), (".gitignore", "*.o\n/build/\n!need.o\n")],
        &[
            ("keep.c", "2\n"),
            (".gitignore", "*.o\n/build/\n!need.o\n"),
            ("x.o", "1\n"),
            ("need.o", "1\n"),
            ("build/y.c", "1\n"),
            ("d/build/z.c", "1\n"),
            ("d/.gitignore", "secret\n"),
            ("d/secret", "1\n"),
        ],
    );
    let names = |arguments: &[&str]| {
        let (_, text, _) = run(
            root.path(),
            &[&["diff", "-r", "a", "b"], arguments].concat(),
        );
        let lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("diff --git a/"));
        lines
            .map(|line| line.split(" b/").nth(1).unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let expected = ["d/.gitignore", "d/build/z.c", "keep.c", "need.o"];
    assert_eq!(names(&["--gitignore"]), expected);
    assert_eq!(
        names(&["--include", "*.c", "--exclude", "d/*"]),
        ["build/y.c", "d/build/z.c", "keep.c"]
    );
    assert_eq!(
        names(&["--exclude", "d/*", "--include", "*.c"]),
        ["build/y.c", "keep.c"]
    );
    // A file that exists in both trees is ignored only if both trees ignore it.
    fs::write(root.path().join("a/x.o"), "0\n").unwrap();
    assert_eq!(names(&["--gitignore"]), expected);
    fs::write(root.path().join("a/.gitignore"), "/build/\n").unwrap();
    assert!(names(&["--gitignore"]).contains(&"x.o".to_owned()));
}

#[test]
fn moves_are_optional() {
    let text = "one\ntwo\nthree\nfour\nfive\n";
    let root = directories(
        &[("old", text), ("kept", "1\n2\n3\n4\n")],
        &[
            ("new", text),
            ("copy", text),
            ("kept", "1\n2\n3\n4\n"),
            ("kept2", "1\n2\n3\n4\n"),
        ],
    );
    let moves = |arguments: &[&str]| {
        let (_, text, _) = run(
            root.path(),
            &[&["diff", "-r", "a", "b"], arguments].concat(),
        );
        let is_move =
            |line: &&str| line.starts_with("rename from") || line.starts_with("copy from");
        text.lines()
            .filter(is_move)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(moves(&[]), ["rename from old", "copy from old"]);
    assert_eq!(
        moves(&["--find-copies-harder"]),
        ["rename from old", "copy from kept", "copy from old"]
    );
    assert_eq!(moves(&["--no-copies"]), ["rename from old"]);
    assert_eq!(moves(&["--no-renames"]), [""; 0]);
}

#[test]
fn trees_of_revisions_are_compared_without_a_checkout() {
    let node = |text: &str| Node::file(text);
    let old = Tree::from([(path("x"), node("1\n")), (path("d/same"), node("s\n"))]);
    let new = Tree::from([(path("x"), node("2\n")), (path("d/same"), node("s\n"))]);
    let repository = Repository::new();
    repository.import(&[("old", &old), ("new", &new)]);
    let git_dir = repository.path();
    let git_dir = git_dir.to_str().unwrap();
    let arguments = ["diff", "--from-tree", "old", "new", "--git-dir", git_dir];
    let (code, text, errors) = run(&repository.path(), &arguments);
    assert_eq!((code, &errors[..]), (Some(1), ""));
    let git = repository.git(&["diff", "--abbrev=12", "old", "new"]);
    assert_eq!(text, git + "\n");
    let missing = ["diff", "--from-tree", "old", "none", "--git-dir", git_dir];
    assert_eq!(run(&repository.path(), &missing).0, Some(2));
}

#[test]
fn policy_protects_the_files_below_the_root() {
    let root = directories(
        &[("x", "1\n"), ("key", "s\n")],
        &[("x", "2\n"), ("key", "t\n")],
    );
    fs::write(
        root.path().join("wpatch.toml"),
        "[[rule]]\npaths = [\"**/key\"]\nverdict = \"deny\"\nreason = \"private\"\n",
    )
    .unwrap();
    let (code, _, errors) = run(root.path(), &["diff", "-r", "a", "b"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("private"), "{errors}");
    let (code, text, _) = run(root.path(), &["diff", "-r", "a", "b", "--exclude", "key"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("+2"), "{text}");
}

#[test]
fn policy_protects_the_sources_of_copies() {
    let secret = "one\ntwo\nthree\nfour\nfive\n";
    let root = directories(
        &[("key", secret)],
        &[("key", secret), ("new", "one\ntwo\nthree\nfour\n")],
    );
    fs::write(
        root.path().join("wpatch.toml"),
        "[[rule]]\npaths = [\"**/key\"]\nverdict = \"deny\"\nreason = \"private\"\n",
    )
    .unwrap();
    let arguments = ["diff", "-r", "--find-copies-harder", "a", "b"];
    let (code, text, errors) = run(root.path(), &arguments);
    assert_eq!((code, &text[..]), (Some(2), ""));
    assert!(
        errors.contains("skip the file with `--exclude`"),
        "{errors}"
    );
    let (code, text, _) = run(
        root.path(),
        &[&arguments[..], &["--exclude", "key"]].concat(),
    );
    assert_eq!(code, Some(1));
    assert!(!text.contains("copy from"), "{text}");
}

#[test]
fn equal_names_that_no_patch_can_change_are_no_difference() {
    let root = directories(&[("git~1", "1\n")], &[("git~1", "1\n")]);
    let result = run(root.path(), &["diff", "-r", "a", "b"]);
    assert_eq!(result, (Some(0), String::new(), String::new()));
}

#[test]
fn an_empty_directory_that_becomes_a_file_is_in_the_diff() {
    let root = directories(&[("x", "1\n")], &[("x", "1\n"), ("d", "file\n")]);
    fs::create_dir(root.path().join("a/d")).unwrap();
    let (code, text, errors) = run(root.path(), &["diff", "-r", "a", "b"]);
    assert_eq!((code, &errors[..]), (Some(1), ""));
    assert!(
        text.contains("diff --git a/d b/d\nnew file mode 100644\n"),
        "{text}"
    );
}

#[test]
fn policy_protects_files_from_a_directory_above_the_root() {
    let root = directories(&[("key", "s\n")], &[("key", "t\n")]);
    let rules = "[[rule]]\npaths = [\"key\"]\nverdict = \"deny\"\nreason = \"private\"\n";
    fs::write(root.path().join("a/wpatch.toml"), rules).unwrap();
    let (code, text, errors) = run(&root.path().join("a"), &["diff", "-r", "..", "../b"]);
    assert_eq!((code, &text[..]), (Some(2), ""));
    assert!(errors.contains("private"), "{errors}");
}

#[test]
fn many_equal_files_are_joined_in_linear_time() {
    let files = |directory: &str| -> Tree {
        let names = (0..5000).map(|index| path(&format!("{directory}/{index}")));
        names.map(|name| (name, Node::file("same\n"))).collect()
    };
    let (old, new) = (files("a"), files("b"));
    let patch = super::diff(&wpatch::engine::TreeDiffRequest::default(), &old, &new);
    let text = String::from_utf8(patch).unwrap();
    assert_eq!(text.matches("\nrename from a/").count(), 5000);
    assert!(text.contains("rename from a/77\nrename to b/77\n"));
}

#[test]
fn empty_files_are_renamed() {
    let root = directories(&[("old", "")], &[("new", "")]);
    let (_, text, _) = run(root.path(), &["diff", "-r", "a", "b"]);
    assert!(text.contains("rename from old\nrename to new\n"), "{text}");
}

#[test]
fn wrong_operands_are_errors() {
    let root = directories(&[("x", "1\n")], &[("x", "2\n")]);
    for arguments in [
        &["diff", "-r", "a", "none"][..],
        &["diff", "-r", "a/x", "b/x"],
        &["diff", "-r", "a"],
        &["diff", "a/x", "b/x", "--stat"],
        &["diff", "--from-tree", "a"],
        &["diff", "-r", "a", "b", "--from-tree", "x", "y"],
        &["diff", "a", "b"],
        &["diff", "-r", "a", "b", "--max-bytes", "10"],
        &["diff", "-r", "a", "b", "--root", "p=a", "--root", "q=b"],
    ] {
        let (code, text, errors) = run(root.path(), arguments);
        assert_eq!((code, &text[..]), (Some(2), ""), "{arguments:?}: {errors}");
        assert!(!errors.is_empty());
    }
    let (_, _, errors) = run(root.path(), &["diff", "a", "b"]);
    assert!(errors.contains("`wpatch diff -r`"), "{errors}");
}
