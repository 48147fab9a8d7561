//! The origins of a patch: every grammar, saved plans, edit sessions and standard input.

use fs_err as fs;
use serde_json::Value;

use super::{Desk, FILES, PATCH, Review};
use crate::terminal::wpatch;

#[test]
fn patches_in_all_grammars_can_be_reviewed() {
    let codex = "*** Begin Patch\n*** Update File: b.rs\n@@ fn main() {\n-    let limit = 10;\n\
                 +    let limit = 20;\n*** Add File: c.txt\n+c\n*** End Patch\n";
    let blocks = "b.rs\n<<<<<<< SEARCH\n    let limit = 10;\n=======\n    let limit = 20;\n\
                  >>>>>>> REPLACE\nb.rs\n<<<<<<< SEARCH\n    run(limit);\n=======\n    go(limit);\n\
                  >>>>>>> REPLACE\n";
    let json = r#"{"edits": [{"path": "b.rs", "old": "10", "new": "20"}]}"#;
    for (patch, keys, only, text) in [
        (
            codex,
            "yd",
            "f1",
            "fn main() {\n    let limit = 20;\n    run(limit);\n}\n",
        ),
        (
            blocks,
            "ny",
            "f2",
            "fn main() {\n    let limit = 10;\n    go(limit);\n}\n",
        ),
        (
            json,
            "y",
            "f1",
            "fn main() {\n    let limit = 20;\n    run(limit);\n}\n",
        ),
    ] {
        let desk = Desk::new(FILES);
        let mut review = Review::of(&desk.root(), patch);
        review.wait_for("- ");
        review.wait_for("+ ");
        review.press(keys);
        let ended = review.finish();
        assert_eq!(
            (ended.code, ended.only()),
            (Some(0), Some(only)),
            "{}",
            ended.report
        );
        assert_eq!(desk.read("b.rs"), text);
    }
}

#[test]
fn a_malformed_patch_is_refused_as_by_check() {
    let desk = Desk::new(FILES);
    fs::write(
        desk.root().join("../change.diff"),
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n",
    )
    .unwrap();
    let command = wpatch(&desk.root(), &["review", "--json", "../change.diff"]);
    let ended = Review::start(&command, (80, 24)).end();
    assert_eq!(ended.code, Some(2));
    assert_eq!(ended.report["error"]["kind"], "parse");
}

#[test]
fn a_review_needs_a_terminal() {
    let desk = Desk::new(FILES);
    let output = wpatch(&desk.root(), &["review", "--json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(report["error"]["message"], "`review` needs a terminal");
}

#[test]
fn a_saved_plan_starts_with_its_selection() {
    let desk = Desk::new(FILES);
    assert!(wpatch(&desk.root(), &["init"]).status().unwrap().success());
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let arguments = [
        "check",
        "--save",
        "--json",
        "--only",
        "f1h1:2-4,f2",
        "../change.diff",
    ];
    let saved = wpatch(&desk.root(), &arguments).output().unwrap();
    let saved: Value = serde_json::from_slice(&saved.stdout).unwrap();
    let id = saved["saved"]["id"].as_str().unwrap();
    let command = wpatch(
        &desk.root(),
        &["review", "--json", &id["sha256:".len()..][..12]],
    );
    let mut review = Review::start(&command, (80, 24));
    review.wait_for("5 of 5 hunks decided");
    review.wait_for("[~] f1h1");
    let ended = review.finish();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("f1h1:2-4,f2")));
    assert_eq!(ended.report["plan_id"].as_str(), Some(id));
}

#[test]
fn a_part_of_a_saved_plan_can_be_accepted() {
    let desk = Desk::new(FILES);
    assert!(wpatch(&desk.root(), &["init"]).status().unwrap().success());
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let saved = wpatch(
        &desk.root(),
        &["check", "--save", "--json", "../change.diff"],
    )
    .output();
    let saved: Value = serde_json::from_slice(&saved.unwrap().stdout).unwrap();
    let id = saved["saved"]["id"].as_str().unwrap();
    let mut review = Review::start(&wpatch(&desk.root(), &["review", "--json", id]), (80, 24));
    review.wait_for("0 of 5");
    review.press("ny");
    let ended = review.finish();
    assert_eq!(
        (ended.code, ended.only()),
        (Some(0), Some("f1h2")),
        "{}",
        ended.report
    );
}

#[test]
fn filters_select_the_files_of_a_review() {
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let arguments = ["review", "--json", "--exclude", "a.txt", "../change.diff"];
    let mut review = Review::start(&wpatch(&desk.root(), &arguments), (80, 24));
    review.wait_for("0 of 3");
    review.press("A");
    let ended = review.finish();
    assert_eq!(
        (ended.code, ended.only()),
        (Some(0), Some("1-3")),
        "{}",
        ended.report
    );
    assert_eq!(desk.read("a.txt"), FILES[0].1);
    assert_eq!(desk.read("new.txt"), "n1\nn2\n");
}

#[test]
fn options_without_a_meaning_in_a_review_are_refused() {
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    for option in ["--reject", "--merge", "--stat", "--approve=x"] {
        let arguments = ["review", "--json", option, "../change.diff"];
        let ended = Review::start(&wpatch(&desk.root(), &arguments), (80, 24)).end();
        assert_eq!(ended.code, Some(2), "{option}: {}", ended.report);
    }
}

/// Begins an edit session that changes `a.txt` and `old.txt`. Returns its identifier.
fn begin_session(desk: &Desk) -> String {
    let run = |arguments: &[&str]| {
        let output = wpatch(&desk.root(), arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    run(&["init"]);
    let id = run(&["begin"]);
    run(&["edit", "--in", &id, "a.txt", "--old", "a2", "--new", "A2"]);
    run(&[
        "edit", "--in", &id, "old.txt", "--old", "old", "--new", "newer",
    ]);
    id
}

#[test]
fn the_whole_change_of_a_session_is_committed() {
    let desk = Desk::new(FILES);
    let id = begin_session(&desk);
    let command = wpatch(&desk.root(), &["review", "--json", "--in", &id]);
    let mut review = Review::start(&command, (80, 24));
    review.wait_for("0 of 2 hunks decided");
    review.press("A");
    let ended = review.finish();
    assert_eq!(ended.code, Some(0), "{}", ended.report);
    assert_eq!(desk.read("old.txt"), "newer\n");
    let log = wpatch(&desk.root(), &["log", "--json"]).output().unwrap();
    let log: Value = serde_json::from_slice(&log.stdout).unwrap();
    assert_eq!(
        log.get("sessions")
            .and_then(Value::as_array)
            .map_or(0, Vec::len),
        0,
        "{log}"
    );
}

#[test]
fn a_part_of_a_session_is_applied_and_the_session_stays() {
    let desk = Desk::new(FILES);
    let id = begin_session(&desk);
    let command = wpatch(&desk.root(), &["review", "--json", "--in", &id]);
    let mut review = Review::start(&command, (80, 24));
    review.wait_for("0 of 2 hunks decided");
    review.press("yn");
    let ended = review.finish();
    assert_eq!(
        (ended.code, ended.only()),
        (Some(0), Some("f1")),
        "{}",
        ended.report
    );
    assert!(desk.read("a.txt").starts_with("a1\nA2\n"));
    assert_eq!(desk.read("old.txt"), "old\n");
    let commit = wpatch(&desk.root(), &["commit", "--rebase", &id])
        .status()
        .unwrap();
    assert!(commit.success());
    assert_eq!(desk.read("old.txt"), "newer\n");
}

#[test]
fn the_patch_can_come_from_a_pipe() {
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let program = wpatch(&desk.root(), &[]);
    let script = format!(
        "cat ../change.diff | '{}' review --json",
        program.get_program().to_str().unwrap()
    );
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &script])
        .current_dir(desk.root())
        .env("TERM", "xterm")
        .env("LANG", "C.UTF-8")
        .env("HOME", desk.root());
    let mut review = Review::start(&command, (80, 24));
    review.wait_for("0 of 5 hunks decided");
    review.press("A");
    let ended = review.finish();
    assert_eq!(ended.code, Some(0), "{}", ended.report);
    assert_eq!(desk.read("new.txt"), "n1\nn2\n");
}
