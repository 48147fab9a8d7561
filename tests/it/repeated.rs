//! What has been done already, and what the file has to be: `--idempotent`, `--expect-file`.

use fs_err as fs;
use serde_json::json;
use tempfile::TempDir;

use crate::case::Case;
use crate::tree;
use crate::verbs::run;

/// Does it twice: the first time it changes the tree, the second time it says that there is nothing
/// to do.
fn twice(root: &TempDir, arguments: &[&str], input: &str) {
    let root = root.path();
    let arguments = [arguments, &["--idempotent"]].concat();
    let first = run(root, &arguments, input);
    assert_eq!(
        json!([first["exit_code"], first["changed"]]),
        json!([0, true]),
        "{arguments:?} {first}"
    );
    let after = tree::read(root);
    let second = run(root, &arguments, input);
    assert_eq!(
        json!([second["exit_code"], second["changed"]]),
        json!([0, false]),
        "{arguments:?} {second}"
    );
    assert_eq!(second["files"][0]["status"], "no_change", "{arguments:?}");
    assert_eq!(
        second["problems"][0]["code"], "wpatch::hunk::already_applied",
        "{arguments:?}"
    );
    assert_eq!(tree::read(root), after, "{arguments:?}");
    let third = run(root, &arguments[..arguments.len() - 1], input);
    assert!(
        third["ok"] == false || third["changed"] == true,
        "without the option it counts: {arguments:?}"
    );
}

fn root() -> TempDir {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("a"), "one\r\ntwo\r\nthree").unwrap();
    fs::write(root.path().join("b"), "x\nx\n").unwrap();
    root
}

#[test]
fn an_edit_is_made_once() {
    let cases: [&[&str]; 8] = [
        &["edit", "a", "--old", "two\n", "--new", "2\n2\n"],
        &["edit", "a", "--old", "two", "--new", "two and more"],
        &["edit", "a", "--old", "two\n", "--new", ""],
        &["edit", "b", "--old", "x", "--new", "y", "--all"],
        &["edit", "a", "--insert-after", "1", "--new", "new"],
        &["edit", "a", "--insert-before", "1", "--new", "new"],
        &["append", "a", "--content", "!"],
        &["append", "a", "--line", "--content", "four"],
    ];
    for arguments in cases {
        twice(&root(), arguments, "");
    }
    twice(&root(), &["write", "new", "--content", "x"], "");
}

#[test]
fn a_list_of_edits_is_made_once() {
    let root = root();
    let list = root.path().join("list");
    fs::write(
        &list,
        r#"[{"old": "one", "new": "two"}, {"old": "x", "new": "x"}]"#,
    )
    .unwrap();
    assert_eq!(
        run(
            root.path(),
            &["edit", "a", "--edits", "list", "--idempotent"],
            ""
        )["error"]["kind"],
        "no_change"
    );
    fs::write(
        &list,
        r#"[{"old": "three", "new": "3"}, {"old": "3", "new": "drei"}]"#,
    )
    .unwrap();
    twice(&root, &["edit", "a", "--edits", "list", "--sequential"], "");
    fs::write(
        &list,
        r#"[{"old": "drei", "new": "3"}, {"old": "one", "new": "1"}]"#,
    )
    .unwrap();
    run(
        root.path(),
        &["edit", "a", "--old", "one", "--new", "1"],
        "",
    );
    let report = run(
        root.path(),
        &["edit", "a", "--edits", "list", "--idempotent"],
        "",
    );
    assert_eq!(
        json!([report["ok"], report["changed"]]),
        json!([true, true])
    );
    assert_eq!(fs::read(root.path().join("a")).unwrap(), b"1\r\ntwo\r\n3");
}

#[test]
fn what_an_edit_made_is_not_what_another_one_looks_for() {
    let root = root();
    let (file, list) = (root.path().join("b"), root.path().join("list"));
    fs::write(
        &list,
        r#"[{"old": "a", "new": "b"}, {"old": "b", "new": "c"}]"#,
    )
    .unwrap();
    fs::write(&file, "a b\n").unwrap();
    twice(&root, &["edit", "b", "--edits", "list"], "");
    assert_eq!(fs::read(&file).unwrap(), b"b c\n");
    fs::write(&file, "b\n").unwrap();
    let report = run(
        root.path(),
        &["edit", "b", "--edits", "list", "--idempotent"],
        "",
    );
    assert_eq!(
        json!([report["error"]["kind"], report["error"]["index"]]),
        json!(["not_found", 0]),
        "{report}"
    );
}

#[test]
fn an_edit_that_fits_loosely_is_made_once() {
    let root = root();
    let file = root.path().join("b");
    fs::write(&file, "\tx()\n").unwrap();
    let new = "  x()\n  y()\n";
    twice(
        &root,
        &[
            "edit",
            "b",
            "--old",
            "  x()\n",
            "--new",
            new,
            "--match",
            "ladder",
            "--reindent",
        ],
        "",
    );
    fs::write(&file, "\tx()\n\ty()\n").unwrap();
    let gone = [
        "edit", "b", "--old", "  x()\n", "--new", "", "--match", "ladder",
    ];
    twice(&root, &gone, "");
    assert_eq!(fs::read(&file).unwrap(), b"\ty()\n");
}

#[test]
fn a_file_of_another_mode_is_not_made_already() {
    let root = root();
    let kind = |arguments: &[&str], patch: &str| {
        let report = run(root.path(), &[arguments, &["--idempotent"]].concat(), patch);
        json!([report["exit_code"], report["error"]["kind"]])
    };
    assert_eq!(
        kind(&["write", "b", "--content", "x\nx\n", "--mode", "0755"], ""),
        json!([1, "exists"])
    );
    assert_eq!(
        kind(&["write", "b", "--content", "x\nx\n", "--mode", "0644"], ""),
        json!([0, null])
    );
    let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file\n";
    fs::write(root.path().join("l"), "b").unwrap();
    assert_eq!(kind(&["apply"], link), json!([1, "exists"]));
}

#[test]
fn an_empty_file_is_not_the_binary_file_that_a_patch_creates() {
    let root = root();
    let binary = Case::of("git")
        .into_iter()
        .find(|case| case.name == "git/binary-create");
    let binary = String::from_utf8(binary.unwrap().patch).unwrap();
    let missing = "diff --git a/img b/img\nnew file mode 100644\nindex 0000000..1320085\nBinary files /dev/null and b/img differ\n";
    fs::write(root.path().join("img"), "").unwrap();
    for patch in [&*binary, missing] {
        let report = run(root.path(), &["apply", "--idempotent"], patch);
        assert_eq!(report["ok"], false, "{report}");
    }
    assert_eq!(fs::read(root.path().join("img")).unwrap(), b"");
}

#[test]
fn edits_that_are_partly_applied_report_how_many() {
    let root = root();
    let edits = json!({"edits": [
        {"path": "a", "old": "one", "new": "1"},
        {"path": "a", "old": "zwei", "new": "two"},
    ]});
    let report = run(root.path(), &["apply", "--idempotent"], &edits.to_string());
    assert_eq!(report["ok"], true, "{report}");
    assert_eq!(
        report["problems"][0]["message"],
        "1 of 2 edits are already applied"
    );
}

#[test]
fn a_patch_is_applied_once() {
    let patch = "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\r\n-two\r\n+2\r\n three\n\\ No newline at end of file\n";
    let files = "diff --git a/b b/c\nsimilarity index 100%\nrename from b\nrename to c\n\
        diff --git a/d b/d\nnew file mode 100644\n--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+d\n";
    twice(&root(), &["apply"], patch);
    twice(&root(), &["apply"], files);
    twice(
        &root(),
        &["apply"],
        "diff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-x\n",
    );
    let binary = Case::of("git")
        .into_iter()
        .find(|case| case.name == "git/binary-create");
    let binary = String::from_utf8(binary.unwrap().patch).unwrap();
    twice(&root(), &["apply"], &binary);
    let root = root();
    run(root.path(), &["apply"], patch);
    let both = [patch, files].concat();
    let report = run(root.path(), &["apply", "--idempotent"], &both);
    assert_eq!(
        json!([
            report["ok"],
            report["changed"],
            report["files"][0]["status"],
            report["files"][1]["status"]
        ]),
        json!([true, true, "no_change", "ok"])
    );
    fs::write(root.path().join("d"), "other\n").unwrap();
    let report = run(root.path(), &["apply", "--idempotent"], &both);
    assert_eq!(
        json!([report["exit_code"], report["error"]["kind"]]),
        json!([1, "exists"])
    );
}

#[test]
fn a_file_with_other_contents_than_the_expected_is_stale() {
    let root = root();
    let outside = TempDir::new().unwrap();
    let expected = outside.path().join("expected");
    fs::write(&expected, "one\r\ntwo\r\nthree").unwrap();
    let arguments = [
        "edit",
        "a",
        "--old",
        "two",
        "--new",
        "2",
        "--expect-file",
        expected.to_str().unwrap(),
    ];
    assert_eq!(run(root.path(), &arguments, "")["ok"], true);
    let before = tree::read(root.path());
    for command in ["edit", "write", "append"] {
        let rest: &[&str] = match command {
            "edit" => &["--old", "2", "--new", "3"],
            "write" => &["--overwrite", "--content", "x"],
            _ => &["--content", "x"],
        };
        let report = run(
            root.path(),
            &[
                &[command, "a", "--expect-file", expected.to_str().unwrap()],
                rest,
            ]
            .concat(),
            "",
        );
        assert_eq!(
            json!([report["exit_code"], report["error"]["kind"]]),
            json!([1, "stale"]),
            "{command}"
        );
    }
    let entry = r#"{"edits": [{"path": "b", "old": "x\nx", "new": "y", "expected": "x\n"}]}"#;
    assert_eq!(
        run(root.path(), &["apply"], entry)["error"]["kind"],
        "stale"
    );
    assert_eq!(tree::read(root.path()), before);
    let entry = entry.replace(r#""x\n"}"#, r#""x\nx\n"}"#);
    assert_eq!(run(root.path(), &["apply"], &entry)["ok"], true);
}

#[test]
fn a_file_with_several_names_is_flagged() {
    let root = root();
    fs::hard_link(root.path().join("b"), root.path().join("other")).unwrap();
    let report = run(
        root.path(),
        &["edit", "b", "--old", "x", "--new", "y", "--all"],
        "",
    );
    assert_eq!(
        json!([report["ok"], report["files"][0]["hardlinks"]]),
        json!([true, 2])
    );
    assert_eq!(fs::read(root.path().join("other")).unwrap(), b"x\nx\n");
    let report = run(
        root.path(),
        &["edit", "a", "--old", "two", "--new", "2"],
        "",
    );
    assert_eq!(report["files"][0].get("hardlinks"), None);
}

#[test]
fn a_diff_is_cut_at_a_line() {
    let arguments = [
        "edit",
        "b",
        "--old",
        "x",
        "--new",
        "yy",
        "--all",
        "--dry-run",
        "--diff-max-bytes",
    ];
    let report = |most: &str| {
        run(root().path(), &[&arguments[..], &[most]].concat(), "")["files"][0].clone()
    };
    let (whole, cut) = (report("1000"), report("30"));
    assert_eq!(
        json!([whole["diff"], whole["diff_truncated"]]),
        json!([
            "--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n-x\n-x\n+yy\n+yy\n",
            null
        ])
    );
    assert_eq!(
        json!([cut["diff"], cut["diff_truncated"]]),
        json!(["--- a/b\n+++ b/b\n", true])
    );
}
