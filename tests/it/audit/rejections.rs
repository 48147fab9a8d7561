//! Rejections with reasons for single hunks.

use serde_json::{Value, json};

use super::requests::{desk, records};
use crate::systems::Desk;

const PATCH: &str = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n";

/// Returns a root with a rejected plan, and its `plan_id`.
fn rejected() -> (Desk, String) {
    let desk = desk();
    let report = desk.does(&["check", "--save"], PATCH.as_bytes());
    let id = report["plan_id"].as_str().unwrap().to_owned();
    let hunks = ["--hunk", "f1h1=use 3", "--hunk", "f1=no tests"];
    let options = ["reject", &id, "--reason", "not yet", "--by", "Alice"];
    desk.does(&[&options[..], &hunks].concat(), b"");
    (desk, id)
}

const REASONS: &str = "not yet; f1h1: use 3; f1: no tests";

#[test]
fn a_rejection_records_the_reasons_and_the_later_attempt_reports_them() {
    let (desk, id) = rejected();
    let hunks = json!([
        {"hunk": "f1h1", "reason": "use 3"},
        {"hunk": "f1", "reason": "no tests"},
    ]);
    let record = records(&desk).pop().unwrap();
    assert_eq!(
        json!([
            record["event"],
            record["plan_id"],
            record["reason"],
            record["hunks"],
            record["by"]
        ]),
        json!(["rejected", id, "not yet", hunks, "Alice"])
    );
    let log = desk.does(&["log"], b"");
    assert_eq!(log["entries"][0]["hunks"], hunks);
    let text = String::from_utf8(desk.runs(&["log"], b"").stdout).unwrap();
    assert!(
        text.contains("  because: not yet\n  because: f1h1: use 3\n"),
        "{text}"
    );
    let error = desk.refuses(
        "approval_required",
        &["apply", "--approve", &id],
        PATCH.as_bytes(),
    );
    assert_eq!(
        error["message"],
        format!("the plan was rejected: {REASONS}")
    );
    let withdraw = ["reject", "--withdraw", &id, "--by", "Bob"];
    desk.does(&[&withdraw[..], &["--sign-with", "echo S"]].concat(), b"");
    let mut all = records(&desk);
    let signature = all.pop().unwrap();
    let record = all.pop().unwrap();
    // Windows ends the line with CR LF.
    let text = signature["signature"].as_str().unwrap().trim_end();
    assert_eq!((&signature["of"], text), (&record["seq"], "S"));
    assert_eq!(
        json!([record["event"], record["plan_id"], record["by"]]),
        json!(["withdrawn", id, "Bob"])
    );
    desk.does(&["apply", "--approve", &id], PATCH.as_bytes());
    assert!(desk.runs(&["log", "--verify"], b"").status.success());
}

#[test]
fn a_model_that_sends_a_rejected_change_again_gets_the_reasons() {
    let (desk, _) = rejected();
    let result = desk.serves(&[], &[("apply_patch", json!({"patch": PATCH}))]);
    let text = result[0].to_string();
    assert!(text.contains(REASONS), "{text}");
    let result = desk.serves(&[], &[("check_patch", json!({"patch": PATCH}))]);
    assert!(result[0].to_string().contains(REASONS));
    let edit = json!({"path": "a", "old_str": "1", "new_str": "2"});
    let result = desk.serves(&[], &[("str_replace", edit)]);
    assert!(result[0].to_string().contains(REASONS));
    assert_eq!(desk.bytes("a"), b"1\n");
    // Another change is another plan.
    let edit = json!({"path": "a", "old_str": "1", "new_str": "3"});
    desk.serves(&[], &[("str_replace", edit)]);
    assert_eq!(desk.bytes("a"), b"3\n");
}

#[test]
fn a_hook_denies_a_rejected_change_with_the_reasons() {
    let (desk, _) = rejected();
    let file = desk.path("a");
    let call = |new: &str| {
        let call = json!({
            "session_id": "1", "transcript_path": "/t", "cwd": desk.root(),
            "hook_event_name": "PreToolUse", "tool_name": "Edit",
            "tool_input": {"file_path": file, "old_string": "1", "new_string": new},
        });
        let output = desk.runs(&["hook", "claude"], call.to_string().as_bytes());
        String::from_utf8(output.stdout).unwrap()
    };
    let answer: Value = serde_json::from_str(&call("2")).unwrap();
    let answer = answer.to_string();
    assert!(
        answer.contains("deny") && answer.contains(REASONS),
        "{answer}"
    );
    // The answer does not contain the digest of the file.
    assert!(!answer.contains("sha256"), "{answer}");
    assert_eq!(call("3"), "");
}

#[test]
fn a_reason_needs_the_id_of_a_hunk() {
    let desk = desk();
    let report = desk.does(&["check", "--save"], PATCH.as_bytes());
    let id = report["plan_id"].as_str().unwrap().to_owned();
    let long = format!("f1h1={}", "x".repeat(4097));
    for hunk in [
        "h1=x", "f1h1", "f0h1=x", "f1h0=x", "1=x", "f1-2=x", "f1h1=", &long,
    ] {
        desk.refuses("usage", &["reject", &id, "--hunk", hunk], b"");
    }
    for (hunk, message) in [
        ("f2=x", "the plan has no f2; its files are: f1"),
        ("f2h1=x", "the plan has no f2; its files are: f1"),
        ("f1h2=x", "the plan has no f1h2; the hunks of f1 are: f1h1"),
    ] {
        let error = desk.refuses("usage", &["reject", &id, "--hunk", hunk], b"");
        assert_eq!(error["message"], message);
    }
    assert!(!desk.path(".wpatch/audit.jsonl").exists());
}
