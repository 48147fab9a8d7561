//! Approvals and saved plans of changes with rejects.

use fs_err as fs;

use super::{LINES, MIXED};
use crate::systems::Desk;
use crate::tree;

#[test]
fn an_approval_is_one_of_what_is_rejected_and_of_what_that_replaces() {
    let desk = Desk::with(&[
        ("a", LINES.as_bytes()),
        ("b", b"text\n"),
        ("a.rej", b"mine\n"),
        (".git/HEAD", b""),
    ]);
    let id = |arguments: &[&str]| {
        let report = desk.says(
            &[&["check", "--reject"], arguments].concat(),
            MIXED.as_bytes(),
        );
        assert_eq!(report["outcome"], "would_be_partial");
        report["plan_id"].as_str().unwrap().to_owned()
    };
    let known = id(&[]);
    let replaced =
        desk.says(&["check", "--reject"], MIXED.as_bytes())["files"][0]["rejects"]["replaces"]
            .clone();
    assert_eq!(replaced["mode"], "100644");
    assert_ne!(id(&["--exclude", "sub/*"]), known);
    fs::write(desk.path("a.rej"), b"other\n").unwrap();
    assert_ne!(id(&[]), known);
    let before = tree::read(&desk.root());
    let refused = desk.says(
        &["apply", "--reject", "--approve", &known],
        MIXED.as_bytes(),
    );
    assert_eq!(refused["error"]["code"], "wpatch::plan::not_approved");
    assert_eq!(tree::read(&desk.root()), before);
    let now = id(&[]);
    let done = desk.says(&["apply", "--reject", "--approve", &now], MIXED.as_bytes());
    assert_eq!(
        (&done["outcome"], done["plan_id"].as_str()),
        (&"partial".into(), Some(now.as_str())),
        "{done:#}"
    );
}

#[test]
fn what_is_left_out_has_another_name_than_what_is_done() {
    let desk = Desk::with(&[("a", b"one\n"), ("gone", b"two\n")]);
    let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-other\n";
    let whole = desk.does(
        &["check", "--reject"],
        patch.replace("-other", "-two").as_bytes(),
    );
    let reduced = desk.says(&["check", "--reject"], patch.as_bytes());
    assert!(
        reduced["plan_id"].is_string() && reduced["plan_id"] != whole["plan_id"],
        "{reduced:#}"
    );
}

#[test]
fn a_plan_that_rejects_can_be_saved() {
    let desk = Desk::with(&[
        ("a", LINES.as_bytes()),
        ("b", b"text\n"),
        (".git/HEAD", b""),
    ]);
    let saved = desk.says(&["check", "--reject", "--save"], MIXED.as_bytes());
    let id = saved["saved"]["id"].as_str().unwrap();
    let done = desk.says(&["apply", "--plan", id], b"");
    assert_eq!(
        (&done["outcome"], &done["exit_code"]),
        (&"partial".into(), &1.into()),
        "{done:#}"
    );
    assert!(
        desk.bytes("a.rej")
            .starts_with(b"diff a/a b/a\t(rejected hunks)\n@@ -4,3")
    );
}
