//! Unchanged files that servers check, too, and several servers for one file.

use fs_err as fs;
use serde_json::{Value, json};

use super::{BEFORE, Place, SERVER, WORSE, codes};

const GONE: &str = "--- a/b.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\n";

/// Returns the places and messages of the new diagnostics.
fn new(report: &Value) -> Value {
    let new = report["diagnostics"]["new"].as_array().unwrap().iter();
    new.map(|it| json!([it["path"], it["line"], it["message"], it["server"]]))
        .collect()
}

#[test]
fn an_unchanged_file_that_depends_on_a_changed_one_is_checked() {
    let files = [("c.x", "BAD\nNEEDS b.md\n"), ("b.md", "text\n")];
    for behaviour in ["push", "pull"] {
        let place = Place::with(&files, behaviour);
        fs::create_dir(place.root().join("d")).unwrap();
        fs::write(place.root().join("d/e.x"), "NEEDS b.md\n").unwrap();
        fs::write(place.root().join(".hidden.x"), "NEEDS b.md\n").unwrap();
        let also = |pattern: &str| {
            let pattern = format!("--diagnostics-also={pattern}");
            place.report(&["apply", "--diagnostics=deny", &pattern], GONE)
        };
        let c = json!(["c.x", 2, "b.md is missing", "fake"]);
        let e = json!(["d/e.x", 1, "b.md is missing", "fake"]);
        for (pattern, expected) in [
            ("*.x", json!([c, e])),
            ("d/*.x", json!([e])),
            ("**/c.x", json!([c])),
        ] {
            let report = also(pattern);
            assert_eq!(new(&report), expected, "{pattern} {report:#}");
            assert_eq!(
                codes(&report).last(),
                Some(&("error", "wpatch::diagnostics::new_errors"))
            );
            assert_eq!(place.contents("b.md"), "text\n");
        }
        // The servers read the files of a check from the disk.
        let arguments = ["check", "--diagnostics=deny", "--diagnostics-also", "*.x"];
        let report = place.report(&arguments, GONE);
        assert_eq!(json!([report["ok"], new(&report)]), json!([true, []]));
        assert_eq!(report["diagnostics"]["servers"][0]["files"], 2);
        let report = place.report(&["apply", "--diagnostics=deny"], GONE);
        assert_eq!(
            json!([report["ok"], report["diagnostics"]["servers"]]),
            json!([true, []])
        );
    }
}

#[test]
fn diagnostics_of_an_unchanged_file_are_not_new() {
    for behaviour in ["push", "pull"] {
        let place = Place::with(&[("a.x", BEFORE), ("c.x", "BAD\n")], behaviour);
        let arguments = ["apply", "--diagnostics", "--diagnostics-also", "*.x"];
        let report = place.report(&arguments, WORSE);
        assert_eq!(new(&report), json!([["a.x", 2, "this is bad", "fake"]]));
        let told = &report["diagnostics"];
        let files = &told["servers"][0]["files"];
        assert_eq!(json!([told["fixed"], files]), json!([0, 2]));
    }
}

#[test]
fn a_limited_number_of_unchanged_files_is_checked() {
    let place = Place::with(&[("z.x", BEFORE)], "idle");
    for number in 0..201 {
        fs::write(place.root().join(format!("{number:03}.x")), "one\n").unwrap();
    }
    let arguments = [
        "check",
        "--diagnostics",
        "--diagnostics-also=*.x",
        "--diagnostics-timeout=5m",
    ];
    let report = place.report(&arguments, &WORSE.replace("a.x", "z.x"));
    assert_eq!(
        report["problems"][0]["message"],
        "more files match --diagnostics-also than the servers open; only the first 200 are checked"
    );
    assert_eq!(codes(&report).len(), 1);
    assert_eq!(report["diagnostics"]["servers"][0]["files"], 201);
    fs::remove_file(place.root().join("000.x")).unwrap();
    let report = place.report(&arguments, &WORSE.replace("a.x", "z.x"));
    assert_eq!(codes(&report), vec![]);
    assert_eq!(report["diagnostics"]["servers"][0]["files"], 201);
}

#[test]
fn a_pattern_without_a_file_for_a_server_is_a_warning() {
    let place = Place::with(&[("a.x", BEFORE), ("b.md", "text\n")], "pull");
    for pattern in ["*.md", "src/**/*.x"] {
        let report = place.report(
            &["check", "--diagnostics", "--diagnostics-also", pattern],
            WORSE,
        );
        assert_eq!(
            report["problems"][0]["message"],
            "--diagnostics-also matches no file for which a language server is configured"
        );
    }
    let report = place.report(&["check", "--diagnostics", "--diagnostics-also=a.x"], WORSE);
    assert_eq!(codes(&report), vec![]);
    for arguments in [
        &["check", "--diagnostics", "--diagnostics-also=["][..],
        &["check", "--diagnostics-also=*.x"],
    ] {
        let report = place.report(arguments, WORSE);
        assert_eq!(report["error"]["kind"], "usage", "{arguments:?}");
    }
}

#[test]
fn unchanged_files_that_policy_protects_or_servers_cannot_read_are_not_sent() {
    let policy = "[[rule]]\npaths = ['secret.x']\nops = ['read']\nverdict = 'deny'\n";
    let files = [
        ("a.x", BEFORE),
        ("secret.x", "BAD\n"),
        ("wpatch.toml", policy),
    ];
    let place = Place::with(&files, "pull");
    fs::write(place.root().join("binary.x"), b"\xff\n").unwrap();
    crate::world::link("a.x", place.root().join("link.x")).unwrap();
    let arguments = ["check", "--diagnostics", "--diagnostics-also=*.x"];
    let report = place.report(&arguments, WORSE);
    assert_eq!(report["diagnostics"]["servers"][0]["files"], 1);
    assert_eq!(
        report["problems"][0]["message"],
        "not checked by a language server, because the file is unreadable, too large or not UTF-8: \
         binary.x"
    );
}

/// Configures two servers for the same files. `lint` gets the options `more`.
fn configure_two(place: &Place, [types, lint]: [&str; 2], more: &str) {
    let server = |name: &str, behaviour: &str| {
        let command = json!(["sh", SERVER, behaviour]);
        format!("[[server]]\nname = \"{name}\"\nfiles = [\"*.x\"]\ncommand = {command}\n")
    };
    place.configure(&(server("types", types) + &server("lint", lint) + more));
}

#[test]
fn several_servers_check_the_same_file() {
    let place = Place::with(&[("a.x", BEFORE)], "push");
    configure_two(&place, ["push", "pull"], "");
    let report = place.report(&["apply", "--diagnostics=deny"], WORSE);
    let bad = |server: &str| json!(["a.x", 2, "this is bad", server]);
    assert_eq!(new(&report), json!([bad("lint"), bad("types")]));
    assert_eq!(
        report["error"]["message"],
        "the change introduces 2 new errors"
    );
}

#[test]
fn a_server_that_only_reports_does_not_deny_a_change() {
    let place = Place::with(&[("a.x", BEFORE)], "push");
    configure_two(&place, ["push", "pull"], "deny = false\n");
    let report = place.report(&["check", "--diagnostics=deny"], WORSE);
    assert_eq!(report["diagnostics"]["errors"], 2);
    assert_eq!(
        report["error"]["message"],
        "the change introduces 1 new error"
    );
    for behaviour in ["pull", "dies"] {
        configure_two(&place, ["idle", behaviour], "deny = false\n");
        let report = place.report(&["check", "--diagnostics=deny"], WORSE);
        let warning = ("warning", "wpatch::diagnostics::no_answer");
        let expected = Vec::from_iter((behaviour == "dies").then_some(warning));
        assert_eq!((codes(&report), &report["ok"]), (expected, &json!(true)));
    }
}
