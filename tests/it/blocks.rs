//! SEARCH/REPLACE blocks on a disk, and the options that hold for every grammar: what they leave,
//! what they say. The numbers are those of the statements on the systems that wpatch takes the
//! place of.

use fs_err as fs;
use serde_json::{Value, json};

use crate::tree::{self, directory};
use crate::verbs::{run, text};

fn block(old: &str, new: &str) -> String {
    format!("<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
}

fn statuses(report: &Value) -> Vec<Vec<&str>> {
    let of = |file: &'_ Value| file["hunks"].as_array().unwrap().len();
    let files = report["files"].as_array().unwrap();
    let status = |file: usize, hunk: usize| {
        report["files"][file]["hunks"][hunk]["status"]
            .as_str()
            .unwrap()
    };
    files
        .iter()
        .enumerate()
        .map(|(at, file)| (0..of(file)).map(|hunk| status(at, hunk)).collect())
        .collect()
}

const DIFF: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n";

/// Reasonix 1 to 4.
#[test]
fn blocks_are_applied_in_turn_and_told_as_hunks() {
    let root = directory(&[("a.txt", "1\r\n2\r\n3"), ("e.txt", "")]);
    let patch = [
        "a.txt\n",
        &block("2\n", "two\n2b\n"),
        &block("2b\n3\n", ""),
        "n/new.txt\n",
        &block("", "hi\n"),
        "e.txt\n",
        &block("", "full\n"),
    ]
    .concat();
    let checked = run(root.path(), &["check"], &patch);
    let report = run(root.path(), &["apply"], &patch);
    assert_eq!(checked["plan_id"], report["plan_id"]);
    let tree = ["a.txt", "n/new.txt", "e.txt"].map(|name| text(root.path(), name));
    assert_eq!(tree, [r"1\r\ntwo\r\n", r"hi\n", r"full\n"]);
    assert_eq!(
        statuses(&report),
        [vec!["clean", "clean"], vec!["clean"], vec!["clean"]]
    );
    let ops: Vec<_> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["op"].clone())
        .collect();
    assert_eq!(
        (json!(ops), &report["summary"]["hunks"]),
        (json!(["modify", "create", "modify"]), &json!(4))
    );
    let second = json!({ "old_start": 3, "old_lines": 2, "new_start": 2, "new_lines": 0 });
    assert_eq!(report["files"][0]["hunks"][1]["applied"], second);
    assert_eq!(report["inputs"][0]["format"], "blocks");
}

/// Reasonix 5 and 8.
#[test]
fn of_blocks_that_fail_each_has_its_status() {
    let root = directory(&[("a.txt", "1\n2\n2\n3\n"), ("b.txt", "x\n")]);
    let before = tree::read(root.path());
    let patch = [
        "a.txt\n",
        &block("1\n", "one\n"),
        &block("nowhere 3\n", "x\n"),
        &block("2\n", "two\n"),
        &block("3\n", "three\n"),
        "b.txt\n",
        &block("", "y\n"),
        "c.txt\n",
        &block("z\n", "y\n"),
    ]
    .concat();
    let report = run(root.path(), &["apply"], &patch);
    assert_eq!(tree::read(root.path()), before);
    let expected = [
        vec!["clean", "not_found", "ambiguous", "clean"],
        vec!["exists"],
        vec!["unplaced"],
    ];
    assert_eq!(statuses(&report), expected);
    let files = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["status"].clone());
    assert_eq!(
        json!(files.collect::<Vec<_>>()),
        json!(["not_found", "exists", "missing"])
    );
    let kinds = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["kind"].clone());
    assert_eq!(
        json!(kinds.collect::<Vec<_>>()),
        json!(["not_found", "ambiguous", "exists", "missing"])
    );
    assert_eq!(
        json!([report["error"]["path"], report["error"]["hunk"]]),
        json!(["a.txt", 2])
    );
    assert_eq!(report["files"][0]["hunks"][1]["nearest"]["line"], 4);
    let lines: Vec<_> = report["problems"][1]["lines"].as_array().unwrap().clone();
    assert_eq!(json!(lines), json!([2, 3]));
    let outside = run(
        root.path(),
        &["apply"],
        &["../b.txt\n", &block("x\n", "y\n")].concat(),
    );
    assert_eq!(
        (&outside["error"]["kind"], tree::read(root.path())),
        (&json!("outside_root"), before)
    );
}

/// Reasonix 3, `CodeWhale` 10.
#[test]
fn blocks_go_down_the_ladder_where_that_is_asked_for() {
    let root = directory(&[("a.txt", "\tif x:\n\t\ty\n")]);
    let patch = [
        "a.txt\n",
        &block("    if x:\n        y\n", "    if x:\n        z\n"),
    ]
    .concat();
    let kind = |arguments: &[&str]| run(root.path(), arguments, &patch)["error"]["kind"].clone();
    assert_eq!(kind(&["check"]), "not_found");
    assert_eq!(kind(&["check", "--match", "exact"]), "not_found");
    assert_eq!(kind(&["check", "--reindent"]), "usage");
    assert_eq!(kind(&["check", "--reindent", "--match", "exact"]), "usage");
    let report = run(
        root.path(),
        &["apply", "--match", "ladder", "--reindent"],
        &patch,
    );
    assert_eq!(
        (&report["files"][0]["match"], &*text(root.path(), "a.txt")),
        (&json!("indent"), r"\tif x:\n\t\tz\n")
    );
}

/// `CodeWhale` 10 and 11.
#[test]
fn diffs_go_down_the_ladder_and_keep_the_context() {
    let root = directory(&[("a.txt", "1  \r\n2\r\n3\t\r\n")]);
    assert_eq!(
        run(root.path(), &["check"], DIFF)["error"]["kind"],
        "not_found"
    );
    let report = run(root.path(), &["apply", "--match", "ladder"], DIFF);
    assert_eq!(report["files"][0]["match"], "trailing");
    assert_eq!(text(root.path(), "a.txt"), r"1  \r\ntwo\r\n3\t\r\n");
    let twice = DIFF.replace("-1,3 +1,3", "-2,3 +2,3");
    fs::write(root.path().join("a.txt"), "0\n1 \n2\n3\n0\n1 \n2\n3\n0\n").unwrap();
    let error = run(root.path(), &["apply", "--match", "ladder"], &twice)["error"].clone();
    assert_eq!(
        json!([error["kind"], error["lines"]]),
        json!(["ambiguous", [2, 6]])
    );
    let (quoted, indented) = (
        DIFF.replace(" 1\n", " \"1\"\n"),
        DIFF.replace("+two", "+  two"),
    );
    fs::write(root.path().join("a.txt"), "\u{201c}1\u{201d}\n2\n3\n").unwrap();
    assert_eq!(
        run(root.path(), &["check", "--match", "ladder"], &quoted)["files"][0]["match"],
        "punct"
    );
    fs::write(root.path().join("a.txt"), "\t1\n\t2\n\t3\n").unwrap();
    run(root.path(), &["apply", "--match", "ladder"], &indented);
    assert_eq!(text(root.path(), "a.txt"), r"\t1\n  two\n\t3\n");
    fs::write(root.path().join("a.txt"), "\t1\n\t2\n\t3\n").unwrap();
    run(
        root.path(),
        &["apply", "--match", "ladder", "--reindent"],
        DIFF,
    );
    assert_eq!(text(root.path(), "a.txt"), r"\t1\n\ttwo\n\t3\n");
}

/// `CodeWhale` 3.
#[test]
fn a_patch_of_one_file_may_be_aimed_at_another() {
    let root = directory(&[("a.txt", "1\n2\n3\n"), ("c.txt", "1\n2\n3\n")]);
    let report = run(root.path(), &["apply", "--file", "c.txt"], DIFF);
    let file = &report["files"][0];
    assert_eq!(
        json!([file["path"], file["header_path"]]),
        json!(["c.txt", "a.txt"])
    );
    assert_eq!(
        ["a.txt", "c.txt"].map(|name| text(root.path(), name)),
        [r"1\n2\n3\n", r"1\ntwo\n3\n"]
    );
    let before = tree::read(root.path());
    let two = [DIFF, &DIFF.replace("a.txt", "b.txt")].concat();
    let rename =
        "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n";
    for (file, patch, kind) in [
        ("c.txt", &*two, "usage"),
        ("c.txt", rename, "usage"),
        ("../c.txt", DIFF, "outside_root"),
    ] {
        assert_eq!(
            run(root.path(), &["apply", "--file", file], patch)["error"]["kind"],
            kind
        );
    }
    assert_eq!(tree::read(root.path()), before);
    let blocks = ["/no/such\n", &block("1\n", "one\n"), &block("3\n", "")].concat();
    let report = run(root.path(), &["apply", "--file", "a.txt"], &blocks);
    assert_eq!(
        (
            &report["files"][0]["header_path"],
            &*text(root.path(), "a.txt")
        ),
        (&json!("/no/such"), r"one\n2\n")
    );
}

/// `CodeWhale` 2, 6 and 8.
#[test]
fn the_shape_of_a_patch_needs_no_file() {
    let root = directory(&[]);
    let patch = [
        "a.txt\n",
        &block("1\n2\n", "1\n3\n4\n"),
        "b.txt\n",
        &block("", "x\n"),
        DIFF,
    ]
    .concat();
    let report = run(root.path(), &["check", "--shape"], &patch);
    let file = |at: usize| {
        let file = &report["files"][at];
        json!([
            file["path"],
            file["op"],
            file["added"],
            file["removed"],
            file["hunks"].as_array().unwrap().len()
        ])
    };
    assert_eq!(
        [file(0), file(2)],
        [
            json!(["a.txt", "modify", 2, 1, 1]),
            json!(["a.txt", "modify", 1, 1, 1])
        ]
    );
    let told = json!([
        report["ok"],
        report["command"],
        report["outcome"],
        report["summary"]["hunks"]
    ]);
    assert_eq!(told, json!([true, "check", "described", 3]));
    assert_eq!(
        run(root.path(), &["check"], &patch)["error"]["kind"],
        "missing"
    );
    let wrong = DIFF.replace("-1,3", "-1,2");
    fs::write(root.path().join("a.txt"), "1\n2\n3\n").unwrap();
    assert_eq!(
        run(root.path(), &["check"], &wrong)["error"]["kind"],
        "parse"
    );
    assert_eq!(
        run(root.path(), &["check", "--recount"], &wrong)["ok"],
        true
    );
}
