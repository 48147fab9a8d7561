//! The `plan_id` and approvals.

use serde_json::Value;
use wpatch::digest::Sha256;
use wpatch::engine::{self, Commit, Outcome, Request};
use wpatch::path::RelPath;
use wpatch::preflight::code;
use wpatch::transaction::Interrupt;
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{Entry, Memory};

use super::{PATCH, check, json, memory, request, tree};

#[test]
fn only_the_change_that_was_approved_is_made() {
    let approve = check(PATCH).report.plan_id;
    let approved = |memory: &Memory| {
        let mut request = Request::of(PATCH);
        request.commit.approve.clone_from(&approve);
        let checked = engine::check(request.clone(), memory);
        let applied = engine::apply(request, memory, &Interrupt::new());
        let code = |outcome: &Outcome| outcome.problems.first().map(|problem| problem.code);
        (code(&checked), code(&applied), applied.report.changed)
    };
    let other = tree("a\nb\nc\nd\ne\nf\ng\n");
    let before = other.fingerprint();
    assert_eq!(
        approved(&other),
        (Some(&code::NOT_APPROVED), Some(&code::NOT_APPROVED), false)
    );
    assert_eq!(other.fingerprint(), before);
    assert_eq!(approved(&memory()), (None, None, true));
}

#[test]
fn anybody_can_work_out_the_plan_id() {
    let document = json(&check(PATCH).report);
    assert_eq!(document["plan_id"], worked_out(&document));
}

#[test]
fn the_plan_id_tells_which_file_is_lost() {
    let files = [("a", "one\n"), ("b", "two\n")]
        .map(|(name, text)| (RelPath::new(name.as_bytes()).unwrap(), Entry::file(text)));
    let mut request =
        request("diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n");
    request.decide.overwrite = true;
    let document = json(&engine::check(request, &Memory::with_files(files)).report);
    let lost = json!({"mode": "100644", "sha256": Sha256::of(b"two\n").to_string()});
    assert_eq!(
        (&document["files"][0]["replaces"], &document["plan_id"]),
        (&lost, &json!(worked_out(&document)))
    );
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Returns the `plan_id` as its documentation tells it, from nothing but the report.
fn worked_out(document: &Value) -> String {
    let mut text = "wpatch.plan/1\n".to_owned();
    for file in document["files"].as_array().unwrap() {
        let word = |value: &Value, missing: &str| value.as_str().unwrap_or(missing).to_owned();
        let modes = [
            word(&file["mode"]["old"], "000000"),
            word(&file["mode"]["new"], "000000"),
        ]
        .join(" ");
        let plain = |key: &str| word(&file[key], "");
        let six = [
            plain("op"),
            plain("from"),
            plain("path"),
            modes,
            plain("sha256_before"),
            plain("sha256_after"),
        ];
        let in_place = file["in_place"]
            .as_bool()
            .unwrap_or(false)
            .then(|| "in_place".to_owned());
        let replaced = file["replaces"]
            .as_object()
            .map(|it| ["replaces", text_of(&it["mode"]), text_of(&it["sha256"])].join(" "));
        for field in six.into_iter().chain(replaced).chain(in_place) {
            text.extend([&field.len().to_string(), ":", &field, ","]);
        }
    }
    Sha256::of(text.as_bytes()).to_string()
}

#[test]
fn an_approval_of_one_name_of_a_file_is_none_of_the_others() {
    let (a, b) = (RelPath::new(b"a").unwrap(), RelPath::new(b"b").unwrap());
    let workspace = Memory::with_files([(a.clone(), Entry::file("one\n"))]);
    workspace.link(&a, &b).unwrap();
    let request = request("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n");
    let approve = engine::check(request.clone(), &workspace).report.plan_id;
    let mut shared = request;
    shared.decide.in_place = true;
    let approving = |approve| Request {
        commit: Commit {
            approve,
            ..Commit::default()
        },
        ..shared.clone()
    };
    let refused = engine::apply(approving(approve), &workspace, &Interrupt::new());
    assert_eq!(
        refused.problems.first().map(|problem| problem.code),
        Some(&code::NOT_APPROVED)
    );

    let checked = json(&engine::check(approving(None), &workspace).report);
    assert_eq!(
        (&checked["files"][0]["in_place"], &checked["plan_id"]),
        (&json!(true), &json!(worked_out(&checked)))
    );
    let approve = checked["plan_id"].as_str().map(str::to_owned);
    assert!(
        engine::apply(approving(approve), &workspace, &Interrupt::new())
            .report
            .changed
    );
    assert_eq!(workspace.files()[&b].contents, b"1\n");
}

#[test]
fn the_plan_id_is_that_of_the_change() {
    let id = |patch: &str, memory: Memory| {
        engine::check(request(patch), &memory)
            .report
            .plan_id
            .unwrap()
    };
    let ours = id(PATCH, memory());
    assert_eq!(
        ours,
        id(
            &PATCH.replace("@@ -2,3 +2,3 @@", "@@ -3,3 +3,3 @@"),
            memory()
        ),
        "the same change"
    );
    assert_ne!(
        ours,
        id(&PATCH.replace("+D", "+X"), memory()),
        "other bytes"
    );
    assert_ne!(ours, id(PATCH, tree("b\nc\nd\ne\n")), "another tree");
}
