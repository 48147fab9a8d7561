//! Changes that an input names and does not contain: reported by every command, refused with
//! `--strict-input`.

use serde_json::{Value, json};

use crate::tree::directory;
use crate::verbs::{run, text};

const NAMED: &str = "Only in b: added.txt\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\
                     Binary files a/logo.png and b/logo.png differ\n";

fn problems(report: &Value, code: &str) -> Vec<Value> {
    let problems = report["problems"].as_array().unwrap();
    problems
        .iter()
        .filter(|problem| problem["code"] == code)
        .map(|problem| problem["severity"].clone())
        .collect()
}

#[test]
fn named_changes_are_in_the_report_and_refused_on_request() {
    let root = directory(&[("f", "one\ntwo\nthree\n")]);
    let expected = json!([
        {"change": "only_in", "path": "b/added.txt", "line": 1, "text": "Only in b: added.txt"},
        {"change": "binary", "path": "b/logo.png", "line": 9, "text": "Binary files a/logo.png and b/logo.png differ"},
    ]);
    for command in ["check", "show", "apply"] {
        let report = run(root.path(), &[command, "--strict-input"], NAMED);
        assert_eq!(
            (&report["exit_code"], &report["inputs"][0]["not_included"]),
            (&json!(2), &expected),
            "{command}"
        );
        assert_eq!(
            problems(&report, "wpatch::patch::not_included"),
            ["error"],
            "{command}"
        );
    }
    assert_eq!(text(root.path(), "f"), r"one\ntwo\nthree\n");
    for command in ["check", "apply"] {
        let report = run(root.path(), &[command], NAMED);
        assert_eq!(
            (&report["exit_code"], &report["inputs"][0]["not_included"]),
            (&json!(0), &expected),
            "{command}"
        );
        assert_eq!(
            problems(&report, "wpatch::patch::not_included"),
            ["warning"],
            "{command}"
        );
    }
    assert_eq!(text(root.path(), "f"), r"one\n2\nthree\n");
}

#[test]
fn a_repaired_input_keeps_its_named_changes() {
    let root = directory(&[("f", "one\ntwo\nthree\n")]);
    // The first can be read as it is, the second cannot.
    for damaged in [
        NAMED.replace(" one\n", " one \n"),
        NAMED.replace("-1,3 +1,3", "-1,2 +1,2"),
    ] {
        let report = run(
            root.path(),
            &["check", "--lenient", "--strict-input"],
            &damaged,
        );
        assert_eq!(report["exit_code"], 2, "{report:#}");
        let report = run(root.path(), &["check", "--lenient"], &damaged);
        let named = report["inputs"][0]["not_included"].as_array().map(Vec::len);
        assert_eq!(
            (&report["ok"], named),
            (&json!(true), Some(2)),
            "{report:#}"
        );
        assert_eq!(
            problems(&report, "wpatch::patch::not_included"),
            ["warning"]
        );
        assert!(!problems(&report, "wpatch::patch::repaired").is_empty());
    }
}
