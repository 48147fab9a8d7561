//! `--approve-part`: a part of a plan is applied under the approval of the whole plan.

use fs_err as fs;
use serde_json::{Value, json};

use super::{FILES, desk};
use crate::systems::Desk;

/// Returns the `plan_id` of the whole plan.
fn plan(desk: &Desk) -> String {
    desk.does(&["check"], FILES.as_bytes())["plan_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Applies the part `only` of the plan `approved`. Returns the outcome, and the code of the error.
fn apply(desk: &Desk, approved: &str, only: &str) -> Value {
    let arguments = ["apply", "--approve-part", approved, "--only", only];
    let report = desk.says(&arguments, FILES.as_bytes());
    json!([report["outcome"], report["error"]["code"]])
}

#[test]
fn a_part_of_the_approved_plan_is_applied() {
    let desk = desk();
    let approved = plan(&desk);
    let checked = ["check", "--approve-part", &approved, "--only", "f1h2,f2"];
    let report = desk.does(&checked, FILES.as_bytes());
    assert_eq!(report["outcome"], "would_apply");
    assert_ne!(report["plan_id"], json!(approved));
    assert_eq!(apply(&desk, &approved, "f1h2,f2"), json!(["applied", null]));
    assert_eq!(
        fs::read_to_string(desk.path("moved")).unwrap(),
        "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"
    );
    assert!(desk.path("made").exists() && desk.path("gone").exists());
}

#[test]
fn a_part_of_another_plan_is_refused() {
    let refused = json!(["does_not_apply", "wpatch::plan::not_approved"]);
    let desk = desk();
    let approved = plan(&desk);
    let part = desk.does(&["check", "--only", "f2"], FILES.as_bytes())["plan_id"].clone();
    assert_eq!(apply(&desk, part.as_str().unwrap(), "f2"), refused);
    // Another file of the plan has changed, although the part does not touch it.
    fs::write(desk.path("gone"), "bye\n").unwrap();
    fs::write(desk.path("old"), "1\n2\n3\n4\n5\nVI\n7\n8\n9\n").unwrap();
    assert_eq!(apply(&desk, &approved, "f2"), refused);
    assert!(!desk.path("made").exists());
}

#[test]
fn a_part_of_a_rejected_plan_is_refused() {
    let desk = desk();
    desk.does(&["init"], b"");
    let approved = plan(&desk);
    desk.does(&["reject", &approved], b"");
    assert_eq!(
        apply(&desk, &approved, "f2"),
        json!(["refused", "wpatch::plan::rejected"])
    );
}

#[test]
fn a_later_section_of_a_file_is_applied_without_an_earlier_one() {
    let desk = Desk::with(&[("a", b"1\n2\n3\n4\n5\n6\n7\n8\n9\n")]);
    let section = |range: &str, lines: &str| format!("--- a/a\n+++ b/a\n@@ {range} @@\n{lines}");
    let patch = section("-1,2 +1,2", "-1\n+one\n 2\n") + &section("-8,2 +8,2", " 8\n-9\n+nine\n");
    let approved = desk.does(&["check"], patch.as_bytes())["plan_id"].clone();
    let approved = approved.as_str().unwrap();
    let arguments = ["apply", "--approve-part", approved, "--only", "f2"];
    desk.does(&arguments, patch.as_bytes());
    assert_eq!(desk.bytes("a"), b"1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
}

#[test]
fn an_approval_of_a_part_needs_a_selection_and_a_whole_plan_id() {
    let desk = desk();
    for arguments in [
        &["apply", "--approve-part", "x"][..],
        &["apply", "--approve-part", "x", "--only", "1"],
        &[
            "apply",
            "--approve-part",
            "x",
            "--approve",
            "x",
            "--only",
            "1",
        ],
    ] {
        let report = desk.says(arguments, FILES.as_bytes());
        assert_eq!(report["outcome"], "usage", "{arguments:?}");
    }
}
