//! Guards that a policy file requires.

use fs_err as fs;
use serde_json::json;

use super::change;
use crate::tree::directory;
use crate::verbs::run;

const POLICY: &str = "[policy]\nguard = [\"balance\", \"syntax\"]\n";

#[test]
fn a_policy_requires_guards_that_no_option_lifts() {
    for options in [&[][..], &["--no-guard"], &["--guard", "syntax"]] {
        for command in ["apply", "check"] {
            let root = directory(&[("a.json", "[]\n"), ("wpatch.toml", POLICY)]);
            let command = [&[command], options].concat();
            let report = run(root.path(), &command, &change("a.json", "[]", "{]"));
            let mut codes: Vec<_> = report["problems"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| &it["code"])
                .collect();
            codes.sort_by_key(ToString::to_string);
            assert_eq!(
                codes,
                ["wpatch::guard::syntax", "wpatch::guard::unbalanced"]
            );
            assert_eq!(
                (&report["ok"], &report["exit_code"]),
                (&json!(false), &json!(3))
            );
            let help = "check whether the change is intended; the policy requires this check";
            assert_eq!(report["error"]["help"], help, "{options:?}");
            assert_eq!(fs::read(root.path().join("a.json")).unwrap(), b"[]\n");
        }
    }
}

#[test]
fn an_undo_restores_a_file_that_a_guard_would_refuse() {
    let root = directory(&[("a.json", "{]\n")]);
    run(root.path(), &["init"], "");
    let report = run(root.path(), &["apply"], &change("a.json", "{]", "[]"));
    assert_eq!(report["changed"], json!(true), "{report:#}");
    fs::write(root.path().join("wpatch.toml"), POLICY).unwrap();
    let report = run(root.path(), &["undo"], "");
    assert_eq!(report["changed"], json!(true), "{report:#}");
    assert_eq!(fs::read(root.path().join("a.json")).unwrap(), b"{]\n");
}

#[test]
fn an_unknown_guard_in_a_policy_stops_the_run() {
    let root = directory(&[
        ("a", "x\n"),
        ("wpatch.toml", "[policy]\nguard = [\"tests\"]\n"),
    ]);
    let report = run(root.path(), &["apply"], &change("a", "x", "y"));
    assert_eq!(
        (&report["exit_code"], &report["error"]["kind"]),
        (&json!(3), &json!("policy"))
    );
    let message = report["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("unknown guard; known guards: balance, syntax"),
        "{message}"
    );
}
