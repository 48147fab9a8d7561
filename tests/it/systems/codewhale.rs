//! What users of `CodeWhale` find here, statement by statement.

mod edit;
mod failure;
mod history;
mod place;

use serde_json::json;

use super::Desk;
use crate::tree;

const PLAIN_TWO: &str = "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n--- b.txt\n+++ b.txt\n@@ -1 +1,2 @@\n uno\n+dos\n";

#[test]
fn s01_a_document_writes_all_its_files_or_none() {
    for key in ["replace", "changes"] {
        let desk = Desk::with(&[("a", b"1\n"), ("d/b", b"1\n")]);
        let document =
            json!({key: [{"path": "a", "content": "2\n"}, {"path": "new/c", "content": "c"}]});
        desk.does(&["apply"], document.to_string().as_bytes());
        assert_eq!(
            (desk.bytes("a"), desk.bytes("new/c")),
            (b"2\n".to_vec(), b"c".to_vec())
        );
        for bad in ["../x", "a/x", "d", ".git/x"] {
            let document =
                json!({key: [{"path": "d/b", "content": "2\n"}, {"path": bad, "content": "c"}]});
            let before = tree::read(&desk.root());
            assert_eq!(
                desk.says(&["apply"], document.to_string().as_bytes())["ok"],
                false,
                "{bad}"
            );
            assert_eq!(tree::read(&desk.root()), before, "{bad}");
        }
    }
}

#[test]
fn s01_a_document_has_one_kind_of_change_and_no_unknown_key() {
    let desk = Desk::with(&[("a.txt", b"one\ntwo\n"), ("b.txt", b"uno\n")]);
    let files = json!([{"path": "a.txt", "content": "2\n"}]);
    for document in [
        json!({"patch": PLAIN_TWO, "replace": files}),
        json!({"patch": PLAIN_TWO, "changes": files}),
        json!({"replace": files, "changes": files}),
        json!({"replace": files, "dry_run": true}),
        json!({"replace": [{"path": "a.txt", "content": "2\n", "mode": 1}]}),
        json!({}),
    ] {
        desk.refuses("parse", &["apply"], document.to_string().as_bytes());
    }
    desk.does(
        &["apply", "-p0"],
        json!({"patch": PLAIN_TWO}).to_string().as_bytes(),
    );
    assert_eq!(
        (desk.bytes("a.txt"), desk.bytes("b.txt")),
        (b"one\n2\n".to_vec(), b"uno\ndos\n".to_vec())
    );
}

const THREE: &str = "--- a/m\n+++ b/m\n@@ -1,2 +1,3 @@\n one\n+two\n =\n@@ -3 +4 @@\n-three\n+3\n--- /dev/null\n+++ b/new\n\
                     @@ -0,0 +1,2 @@\n+x\n+y\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n";

#[test]
fn s02_check_counts_per_file_and_in_all_and_writes_nothing() {
    let desk = Desk::with(&[("m", b"one\n=\nthree\n"), ("old", b"old\n")]);
    let told = |report: &serde_json::Value| {
        let files = report["files"].as_array().unwrap().iter();
        let count = |hunks: &serde_json::Value| hunks.as_array().unwrap().len();
        let told = |file: &serde_json::Value| {
            json!([
                file["path"],
                file["op"],
                count(&file["hunks"]),
                file["added"],
                file["removed"]
            ])
        };
        json!(files.map(told).collect::<Vec<_>>())
    };
    let summed = |report: &serde_json::Value| {
        json!(
            [
                "files", "hunks", "creates", "modifies", "deletes", "renames", "added", "removed"
            ]
            .map(|key| report["summary"][key].clone())
        )
    };
    let files = json!([
        ["m", "modify", 2, 2, 1],
        ["new", "create", 1, 2, 0],
        ["old", "delete", 1, 0, 1]
    ]);
    let summary = json!([3, 4, 1, 1, 1, 0, 4, 2]);
    let before = tree::traces(&desk.root());
    let report = desk.does(&["check"], THREE.as_bytes());
    assert_eq!(
        (told(&report), summed(&report)),
        (files.clone(), summary.clone())
    );
    assert_eq!(tree::traces(&desk.root()), before);
    // What reads no file finds nothing wrong with those that are not there.
    let nothing = Desk::with(&[]);
    assert_eq!(nothing.says(&["check"], THREE.as_bytes())["ok"], false);
    let report = nothing.does(&["check", "--shape"], THREE.as_bytes());
    assert_eq!((told(&report), summed(&report)), (files, summary));
}

#[test]
fn s03_a_patch_of_one_file_goes_to_another_one() {
    let desk = Desk::with(&[("a.txt", b"one\n"), ("c.txt", b"one\n")]);
    let patch = b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n";
    let report = desk.does(&["apply", "--file", "c.txt"], patch);
    assert_eq!(
        (desk.bytes("a.txt"), desk.bytes("c.txt")),
        (b"one\n".to_vec(), b"1\n".to_vec())
    );
    let file = &report["files"][0];
    assert_eq!(
        (&file["path"], &file["header_path"]),
        (&json!("c.txt"), &json!("a.txt"))
    );
    desk.refuses(
        "usage",
        &["apply", "--file", "c.txt", "-p0"],
        PLAIN_TWO.as_bytes(),
    );
}

#[test]
fn s04_plain_diffs_follow_each_other_and_content_may_look_like_a_header() {
    let desk = Desk::with(&[
        ("a.txt", b"one\ntwo\n"),
        ("b.txt", b"uno\n"),
        ("sql", b"-- a\nx\n++ b\n"),
    ]);
    desk.does(&["apply", "-p0"], PLAIN_TWO.as_bytes());
    assert_eq!(
        (desk.bytes("a.txt"), desk.bytes("b.txt")),
        (b"one\n2\n".to_vec(), b"uno\ndos\n".to_vec())
    );
    desk.does(
        &["apply"],
        b"--- a/sql\n+++ b/sql\n@@ -1,3 +1,3 @@\n--- a\n+++ b\n x\n-++ b\n+-- a\n",
    );
    assert_eq!(desk.bytes("sql"), b"++ b\nx\n-- a\n");
}

#[test]
fn s13_a_guard_refuses_what_looks_like_a_mistake() {
    let block = format!("{{ {} }}", "a: 1, ".repeat(13));
    let source = format!("#if A\nx = {block};\nf(1);\n#endif\n");
    let desk = Desk::with(&[("a.c", source.as_bytes())]);
    let edits = [
        (block.as_str(), "[]"),
        ("f(1)", "f(1"),
        ("#endif\n", ""),
        ("a: 1", "a: [1"),
        ("x = {", "x = "),
    ];
    for (old, new) in edits {
        let edit = ["edit", "a.c", "--old", old, "--new", new];
        let edit = [&edit[..], if old == "a: 1" { &["--all"] } else { &[] }].concat();
        let error = desk.refuses(
            "suspicious",
            &[&edit[..], &["--guard", "balance"]].concat(),
            b"",
        );
        assert!(
            error["help"].as_str().unwrap().contains("--no-guard"),
            "{error:#}"
        );
        desk.does(&[&edit[..], &["--dry-run"]].concat(), b"");
        desk.does(
            &[
                &edit[..],
                &["--dry-run", "--guard", "balance", "--no-guard"],
            ]
            .concat(),
            b"",
        );
    }
    desk.does(
        &[
            "edit", "a.c", "--old", "f(1)", "--new", "f(g(1))", "--guard", "balance",
        ],
        b"",
    );
}

#[test]
fn s15_the_result_names_each_file_and_both_names_of_a_rename() {
    let desk = Desk::with(&[("a", b"a\n"), ("b", b"b\n"), ("c", b"c\n")]);
    let patch = "diff --git a/a b/n/a\nrename from a\nrename to n/a\n--- a/a\n+++ b/n/a\n@@ -1 +1 @@\n-a\n+1\n\
                 diff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n\
                 diff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-c\n+C\n";
    let report = desk.does(&["apply"], patch.as_bytes());
    let files = report["files"].as_array().unwrap().iter();
    let told: Vec<_> = files
        .map(|file| json!([file["op"], file["from"], file["path"], file["status"]]))
        .collect();
    let expected = [
        json!(["rename", "a", "n/a", "ok"]),
        json!(["delete", null, "b", "ok"]),
        json!(["modify", null, "c", "ok"]),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        (desk.bytes("n/a"), desk.bytes("c"), desk.path("a").exists()),
        (b"1\n".to_vec(), b"C\n".to_vec(), false)
    );
}
