//! Language servers and configurations that cannot be used.

use std::process::Command;

use fs_err as fs;
use serde_json::json;

use super::{AFTER, BEFORE, Place, WORSE, codes};

#[test]
fn a_server_that_cannot_be_used_is_a_warning_and_a_denial_where_errors_are_denied() {
    let cases = [
        ("dies", "fake ended; its standard error: `no licence`"),
        (
            "chats",
            "fake sent `welcome to the server` instead of a header",
        ),
        (
            "promises",
            "fake sent a message of 99999999999 bytes, which exceeds the limit of 33554432",
        ),
        ("floods", "fake did not respond in time"),
        ("deaf", "fake did not respond in time"),
        ("mute", "fake did not respond in time"),
    ];
    for (behaviour, words) in cases {
        let place = Place::with(&[("a.x", BEFORE)], behaviour);
        let report = place.report(
            &[
                "apply",
                "--diagnostics=deny",
                "--diagnostics-timeout",
                "400ms",
            ],
            WORSE,
        );
        assert_eq!(
            codes(&report),
            [("error", "wpatch::diagnostics::no_answer")],
            "{report:#}"
        );
        assert_eq!(report["exit_code"], 4);
        assert_eq!(
            report["error"]["message"],
            format!("the language server {words}")
        );
        assert_eq!(place.contents("a.x"), BEFORE);
        let report = place.report(
            &["apply", "--diagnostics", "--diagnostics-timeout=400ms"],
            WORSE,
        );
        assert_eq!(
            (codes(&report), &report["ok"]),
            (
                vec![("warning", "wpatch::diagnostics::no_answer")],
                &json!(true)
            )
        );
        assert_eq!(report["diagnostics"]["servers"][0]["problem"], words);
        assert_eq!(
            (
                place.contents("a.x").as_str(),
                &report["diagnostics"]["new"]
            ),
            (AFTER, &json!([]))
        );
    }
}

#[test]
fn incomplete_diagnostics_deny_a_change_where_errors_are_denied() {
    for (behaviour, words) in [
        ("stale", "fake sent only outdated diagnostics"),
        ("refreshes", "fake sent only outdated diagnostics"),
        (
            "crowds",
            "fake sent more than 10000 diagnostics for one file",
        ),
        ("spreads", "fake sent diagnostics for more than 10000 files"),
    ] {
        let place = Place::with(&[("a.x", BEFORE)], behaviour);
        let report = place.report(&["apply", "--diagnostics=deny"], WORSE);
        assert_eq!(
            codes(&report),
            [("error", "wpatch::diagnostics::no_answer")],
            "{report:#}"
        );
        assert_eq!(report["diagnostics"]["servers"][0]["problem"], words);
        assert_eq!(place.contents("a.x"), BEFORE);
    }
}

#[cfg(unix)]
#[test]
fn nothing_of_a_server_is_left_running() {
    let place = Place::with(&[("a.x", BEFORE)], "deaf");
    assert_eq!(
        place.report(
            &["check", "--diagnostics", "--diagnostics-timeout=2s"],
            WORSE
        )["ok"],
        true
    );
    let group = fs::read_to_string(place.root().join("pid")).unwrap();
    let listed = Command::new("sh")
        .args(["-c", "kill -0 -- -\"$1\"", "-", group.trim()])
        .output()
        .unwrap();
    assert!(!listed.status.success(), "{group}");
}

#[test]
fn a_configuration_that_is_not_understood_stops_the_run() {
    let place = Place::with(&[("a.x", BEFORE)], "push");
    let cases = [
        (
            "[[server]]\nname = \"x\"\nfiles = [\"*\"]\ncommand = []",
            "its command is empty",
        ),
        (
            "[[server]]\nname = \"x\"\nfiles = [\"*\"]\ncommand = [\"./x\"]",
            "./x is neither a program name nor an absolute path",
        ),
        (
            "[[server]]\nname = \"x\"\nfiles = [\"[\"]\ncommand = [\"x\"]",
            "unclosed character class",
        ),
        (
            "[[server]]\nname = \"x\"\nfile = [\"[\"]\ncommand = [\"x\"]",
            "unknown field `file`, expected one of",
        ),
        ("[[server", ", at line 1, column 9"),
    ];
    for (text, words) in cases {
        place.configure(text);
        let report = place.report(&["apply", "--diagnostics"], WORSE);
        let message = report["error"]["message"].as_str().unwrap();
        assert!(
            report["exit_code"] == 3 && message.contains(words),
            "{message}"
        );
        assert_eq!(place.contents("a.x"), BEFORE);
    }
}
