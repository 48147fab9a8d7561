//! Statement 6: line numbers of a version that was there before.

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::text::tag::HashlineTag;

use super::{APPLY, Desk, TEXT, desk, section};

const RELOCATE: &[&str] = &["apply", "--format", "hashline", "--relocate"];

/// Returns a root whose history has a change of `a` by `operations`.
fn changed(operations: &str) -> Desk {
    let desk = desk();
    desk.does(&["init"], b"");
    desk.does(APPLY, format!("[a#2914]\n{operations}").as_bytes());
    desk
}

/// Returns what comes of `operations`, whose numbers are those of [`TEXT`], after another change by
/// `first`.
fn after(first: &str, operations: &str) -> (Value, String) {
    let desk = changed(first);
    let patch = format!("[a#2914]\n{operations}");
    desk.refuses("stale", APPLY, patch.as_bytes());
    let checked = desk.does(
        &["check", "--format", "hashline", "--relocate"],
        patch.as_bytes(),
    );
    let report = desk.does(RELOCATE, patch.as_bytes());
    assert_eq!(report["plan_id"], checked["plan_id"]);
    assert_eq!(report["files"][0]["recovered"], json!(true));
    let text = desk.bytes("a");
    assert_eq!(
        report["files"][0]["tag"],
        HashlineTag::of(&text).to_string()
    );
    (report, String::from_utf8(text).unwrap())
}

#[test]
fn s06_lines_that_moved_together_are_found_again() {
    let (report, text) = after(
        "PUT <1:\n+0\n+0a\n",
        "PUT 2.=2:\n+TWO\nPUT >4:\n+4a\nPUT >$:\n+six\n",
    );
    assert_eq!(text, "0\n0a\none\nTWO\nthree\nfour\n4a\nfive\nsix\n");
    assert_eq!(
        (
            &report["files"][0]["hunks"][0]["offset"],
            &report["summary"]["hunks_offset"]
        ),
        (&json!(2), &json!(3))
    );
    let (_, text) = after("CUT 1.=2\n", "PUT 4.=4:\n+FOUR\n");
    assert_eq!(text, "three\nFOUR\nfive\n");
    let (report, text) = after("PUT 1.=1:\n+ONE\n", "CUT 3.=4\n");
    assert_eq!(
        (text.as_str(), &report["files"][0]["hunks"][0]["offset"]),
        ("ONE\ntwo\nfive\n", &json!(0))
    );
}

#[test]
fn s06_repairs_leave_relocated_line_numbers_alone() {
    let desk = changed("PUT <1:\n+0\n");
    let patch = b"[a#2914]\nPUT 2.=2:\n+TWO\n";
    let lenient = [RELOCATE, &["--lenient"]].concat();
    let report = desk.does(&lenient, patch);
    assert_eq!(desk.bytes("a"), b"0\none\nTWO\nthree\nfour\nfive\n");
    assert_eq!(report["files"][0]["recovered"], json!(true));
}

#[test]
fn s06_what_was_cut_is_what_was_numbered() {
    let (_, text) = after("PUT <1:\n+0\n", "CUT 1.=2 @x\nPUT >4 @x\n");
    assert_eq!(text, "0\nthree\nfour\none\ntwo\nfive\n");
    let desk = Desk::with(&[("a", TEXT), ("b", b"B\n")]);
    desk.does(&["init"], b"");
    desk.does(APPLY, b"[a#2914]\nPUT <1:\n+0\n");
    let patch = "[a#2914]\nCUT 1.=2 @x\n".to_owned() + &section(&desk, "b", "PUT >$ @x\n");
    let report = desk.does(RELOCATE, patch.as_bytes());
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (
            b"0\nthree\nfour\nfive\n".to_vec(),
            b"B\none\ntwo\n".to_vec()
        )
    );
    assert_eq!(
        (
            &report["files"][0]["recovered"],
            &report["files"][1]["recovered"]
        ),
        (&json!(true), &Value::Null)
    );
}

#[test]
fn s06_lines_that_changed_or_moved_apart_are_stale() {
    for (first, operations) in [
        ("PUT 2.=2:\n+TWO\n", "PUT 2.=2:\n+x\n"),
        ("PUT 2.=2:\n+TWO\n", "PUT 1.=3:\n+x\n"),
        ("PUT >2:\n+x\n", "CUT 2.=3\n"),
        ("PUT >2:\n+x\n", "CUT 1.=1\nCUT 4.=4\n"),
        ("PUT >$:\n+six\n", "PUT >$:\n+x\n"),
        ("PUT <1:\n+0\n", "CUT 5.=6\n"),
        // What goes or moves as a whole is another file now.
        ("PUT <1:\n+0\n", "REM\n"),
        ("PUT <1:\n+0\n", "MV b\n"),
    ] {
        let desk = changed(first);
        let error = desk.refuses(
            "stale",
            RELOCATE,
            format!("[a#2914]\n{operations}").as_bytes(),
        );
        assert_eq!(
            error["actual_tag"],
            HashlineTag::of(&desk.bytes("a")).to_string(),
            "{first} {operations}"
        );
    }
}

#[test]
fn s06_a_version_that_nobody_recorded_is_stale() {
    let patch = b"[a#2914]\nPUT 2.=2:\n+TWO\n";
    let desk = changed("PUT <1:\n+0\n");
    desk.refuses("stale", RELOCATE, b"[a#0000]\nPUT 2.=2:\n+TWO\n");
    // The version of another file says nothing of this one.
    fs::write(desk.path("b"), b"0\none\ntwo\nthree\nfour\nfive\n").unwrap();
    desk.refuses("stale", RELOCATE, b"[b#2914]\nPUT 2.=2:\n+TWO\n");
    let without = super::desk();
    fs::write(without.path("a"), b"0\none\ntwo\nthree\nfour\nfive\n").unwrap();
    without.refuses("stale", RELOCATE, patch);
}

#[test]
fn s06_a_version_that_is_there_needs_no_record() {
    let desk = desk();
    let report = desk.does(RELOCATE, b"[a#2914]\nPUT 2.=2:\n+TWO\n");
    assert_eq!(report["files"][0]["recovered"], Value::Null);
}
