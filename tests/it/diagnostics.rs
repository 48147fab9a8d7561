//! What language servers say of a change, by a server that this project has for it.
#![cfg(unix)]

mod also;
mod failures;
mod people;
mod programs;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::run::valid;
use crate::world;

const SERVER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/diagnostics/server.sh"
);

/// A directory for the configuration, and beside it the root.
struct Place(TempDir);

impl Place {
    /// Returns a root with `files` and a configuration that says `server` of files in `*.x`.
    fn with(files: &[(&str, &str)], behaviour: &str) -> Self {
        let place = Self(TempDir::new().unwrap());
        let command = json!(["sh", SERVER, behaviour, place.0.path().join("left")]);
        place.configure(&format!(
            "[[server]]\nname = \"fake\"\nfiles = [\"*.x\"]\ncommand = {command}\n"
        ));
        fs::create_dir(place.root()).unwrap();
        for (name, contents) in files {
            fs::write(place.root().join(name), contents).unwrap();
        }
        place
    }

    fn configure(&self, text: &str) {
        fs::create_dir_all(self.0.path().join("config/wpatch")).unwrap();
        fs::write(self.0.path().join("config/wpatch/config.toml"), text).unwrap();
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    fn output(&self, arguments: &[&str], input: &str) -> Output {
        self.output_with(arguments, input, &std::env::var("PATH").unwrap())
    }

    fn output_with(&self, arguments: &[&str], input: &str, search_path: &str) -> Output {
        let mut command = world::wpatch();
        command
            .current_dir(self.root())
            .args(arguments)
            .env("XDG_CONFIG_HOME", self.0.path().join("config"));
        command.env("PATH", search_path);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn report(&self, arguments: &[&str], input: &str) -> Value {
        let output = self.output(
            &[arguments, &["--json", "--durability", "none"]].concat(),
            input,
        );
        valid(serde_json::from_slice(&output.stdout).unwrap())
    }

    fn contents(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }
}

fn codes(report: &Value) -> Vec<(&str, &str)> {
    let problems = report["problems"].as_array().unwrap();
    problems
        .iter()
        .map(|it| {
            (
                it["severity"].as_str().unwrap(),
                it["code"].as_str().unwrap(),
            )
        })
        .collect()
}

/// `one` becomes `BAD`, and lines move.
const WORSE: &str = "--- a/a.x\n+++ b/a.x\n@@ -1,3 +1,4 @@\n-one\n+new\n+BAD\n two\n BAD old\n";
const BEFORE: &str = "one\ntwo\nBAD old\nMEH\n";
const AFTER: &str = "new\nBAD\ntwo\nBAD old\nMEH\n";

#[test]
fn what_a_change_brings_is_reported_and_nothing_that_only_moved() {
    for behaviour in ["push", "pull"] {
        for command in ["check", "apply"] {
            let place = Place::with(&[("a.x", BEFORE)], behaviour);
            let mut report = place.report(&[command, "--diagnostics"], WORSE);
            assert_eq!(
                (&report["ok"], codes(&report)),
                (&json!(true), vec![]),
                "{report:#}"
            );
            let told = report["diagnostics"].take();
            let new = json!([{
                "path": "a.x", "line": 2, "column": 1, "end_line": 2, "end_column": 4, "severity": "error", "code": "f1",
                "source": "fake", "message": "this is bad", "server": "fake"
            }]);
            assert_eq!(
                json!([told["new"], told["errors"], told["fixed"], told["more"]]),
                json!([new, 1, 0, 0])
            );
            let server = &told["servers"][0];
            assert_eq!(
                json!([server["name"], server["version"], server["files"]]),
                json!(["fake", "1.5", 1])
            );
            assert!(server["duration_ms"].is_u64() && server["problem"].is_null());
            assert_eq!(
                place.contents("a.x"),
                if command == "apply" { AFTER } else { BEFORE }
            );
            assert!(
                place.0.path().join("left").exists(),
                "the server was not let go in good order"
            );
        }
    }
}

#[test]
fn nobody_is_told_of_files_that_are_closed_for_reading() {
    let policy = "[[rule]]\npaths = ['.env']\nops = ['read']\nverdict = 'deny'\n";
    let place = Place::with(
        &[
            ("a.x", "one\n"),
            (".env", "password=1\n"),
            ("wpatch.toml", policy),
        ],
        "gossips",
    );
    world::link(".env", place.root().join("b.x")).unwrap();
    let patch = "--- a/a.x\n+++ b/a.x\n@@ -1 +1 @@\n-one\n+BAD\n";
    let output = place.output(&["check", "--diagnostics=deny"], patch);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.ends_with("3 more are in files that policy does not allow to read\n"),
        "{said}"
    );
    for command in ["check", "apply"] {
        let report = place.report(&[command, "--diagnostics=deny"], patch);
        assert!(
            !said.contains("password") && !report.to_string().contains("password"),
            "{report:#}"
        );
        let told = &report["diagnostics"];
        let paths: Vec<_> = told["new"]
            .as_array()
            .unwrap()
            .iter()
            .map(|new| new["path"].as_str().unwrap())
            .collect();
        // What is not shown counts all the same.
        assert_eq!(
            json!([paths, told["errors"], told["withheld"]]),
            json!([["a.x", "c.x"], 5, 3]),
            "{report:#}"
        );
        assert_eq!(
            codes(&report),
            [("error", "wpatch::diagnostics::new_errors")]
        );
    }
}

#[test]
fn new_errors_can_be_denied() {
    for command in [&["check"][..], &["apply"]] {
        let place = Place::with(&[("a.x", BEFORE)], "push");
        let report = place.report(&[command, &["--diagnostics=deny"]].concat(), WORSE);
        assert_eq!(
            codes(&report),
            [("error", "wpatch::diagnostics::new_errors")]
        );
        assert_eq!(
            json!([report["exit_code"], report["error"]["kind"]]),
            json!([3, "suspicious"])
        );
        assert_eq!(report["diagnostics"]["errors"], 1);
        assert_eq!(place.contents("a.x"), BEFORE);
    }
    let place = Place::with(&[("a.x", BEFORE)], "push");
    let report = place.report(
        &["apply", "--diagnostics=deny"],
        &WORSE.replace("BAD\n", "MEH\n"),
    );
    assert_eq!(
        json!([report["ok"], report["diagnostics"]["new"][0]["severity"]]),
        json!([true, "warning"])
    );
}

#[test]
fn the_editing_commands_ask_too() {
    let edits: [(&[&str], &str); 3] = [
        (
            &["edit", "a.x", "--old", "one", "--new", "BAD"],
            "BAD\ntwo\nBAD old\nMEH\n",
        ),
        (
            &["append", "a.x", "--content", "BAD\n"],
            "one\ntwo\nBAD old\nMEH\nBAD\n",
        ),
        (&["write", "b.x", "--content", "BAD\n"], "BAD\n"),
    ];
    for (edit, after) in edits {
        let place = Place::with(&[("a.x", BEFORE)], "pull");
        let denied = place.report(&[edit, &["--diagnostics=deny"]].concat(), "");
        assert_eq!(
            codes(&denied),
            [("error", "wpatch::diagnostics::new_errors")],
            "{edit:?}"
        );
        assert_eq!(
            (
                place.contents("a.x").as_str(),
                place.root().join("b.x").exists()
            ),
            (BEFORE, false)
        );
        let dry = place.report(&[edit, &["--diagnostics", "--dry-run"]].concat(), "");
        let told = place.report(&[edit, &["--diagnostics"]].concat(), "");
        assert_eq!(dry["diagnostics"]["new"], told["diagnostics"]["new"]);
        assert_eq!(
            json!([told["ok"], told["diagnostics"]["errors"]]),
            json!([true, 1])
        );
        assert_eq!(place.contents(edit[1]), after);
    }
}

#[test]
fn an_applied_change_is_judged_by_the_tree_and_a_check_by_what_can_be_told() {
    let needs = "--- a/a.x\n+++ b/a.x\n@@ -1,3 +1,4 @@\n+NEEDS b.md\n one\n two\n BAD old\n";
    let makes = "--- /dev/null\n+++ b/b.md\n@@ -0,0 +1 @@\n+text\n";
    for behaviour in ["push", "pull"] {
        let place = Place::with(&[("a.x", BEFORE)], behaviour);
        let patch = [needs, makes].concat();
        let checked = place.report(&["check", "--diagnostics=deny"], &patch);
        assert_eq!(
            checked["diagnostics"]["new"][0]["message"],
            "b.md is missing"
        );
        let applied = place.report(&["apply", "--diagnostics=deny"], &patch);
        assert_eq!(
            json!([applied["ok"], applied["diagnostics"]["new"]]),
            json!([true, []]),
            "{applied:#}"
        );
        assert_eq!(place.contents("b.md"), "text\n");

        let gone = "--- a/b.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\n";
        let touched = "--- a/a.x\n+++ b/a.x\n@@ -2,3 +2,3 @@\n-one\n+1\n two\n BAD old\n";
        let refused = place.report(&["apply", "--diagnostics=deny"], &[gone, touched].concat());
        let codes = codes(&refused);
        assert_eq!(
            codes.last(),
            Some(&("error", "wpatch::diagnostics::new_errors")),
            "{refused:#}"
        );
        assert_eq!(
            refused["diagnostics"]["new"][0]["message"],
            "b.md is missing"
        );
        assert_eq!(
            (place.contents("b.md"), place.contents("a.x")),
            ("text\n".into(), format!("NEEDS b.md\n{BEFORE}"))
        );
    }
}

#[test]
fn what_a_change_takes_away_is_counted() {
    let gone = "--- a/a.x\n+++ /dev/null\n@@ -1,4 +0,0 @@\n-one\n-two\n-BAD old\n-MEH\n";
    let rename =
        "diff --git a/a.x b/d/b.x\nsimilarity index 100%\nrename from a.x\nrename to d/b.x\n";
    let mended = "--- a/a.x\n+++ b/a.x\n@@ -2,3 +2,3 @@\n two\n-BAD old\n+good\n MEH\n";
    let edited = "--- a/a.x\n+++ b/d/b.x\n@@ -1,3 +1,2 @@\n-one\n two\n BAD old\n";
    let edited = rename.replace("100", "80") + edited;
    let swap = |from: &str, to: &str| {
        format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        )
    };
    let swapped = [swap("a.x", "c.x"), swap("c.x", "a.x")].concat();
    for (patch, fixed) in [
        (gone, 2),
        (rename, 0),
        (&edited, 0),
        (&swapped, 0),
        (mended, 1),
    ] {
        for behaviour in ["push", "pull"] {
            let report = Place::with(&[("a.x", BEFORE), ("c.x", "two\n")], behaviour)
                .report(&["apply", "--diagnostics=deny"], patch);
            let told = &report["diagnostics"];
            assert_eq!(
                json!([report["ok"], told["new"], told["fixed"]]),
                json!([true, [], fixed]),
                "{behaviour} {patch}"
            );
        }
    }
}

#[test]
fn a_patch_that_does_not_fit_starts_no_server() {
    let place = Place::with(&[("a.x", "other\n")], "deaf");
    assert_eq!(
        place.report(&["apply", "--diagnostics"], WORSE)["error"]["kind"],
        "not_found"
    );
    assert!(!place.root().join("pid").exists());
}

#[test]
fn nobody_is_asked_unless_somebody_wants_it() {
    let place = Place::with(&[("a.x", BEFORE)], "deaf");
    place.configure("[[server]]\nname = \"x\"\nfiles = []\ncommand = []");
    let report = place.report(&["apply"], WORSE);
    assert_eq!(
        json!([report["ok"], report["diagnostics"]]),
        json!([true, null])
    );
    assert!(!place.root().join("pid").exists());
}

#[test]
fn servers_are_asked_about_a_tree_of_the_disk_alone() {
    let place = Place::with(&[("a.x", BEFORE)], "deaf");
    for other in ["--batch", "--from-tree=HEAD"] {
        let report = place.report(&["check", "--diagnostics", other], WORSE);
        assert_eq!(
            (&report["exit_code"], &report["error"]["kind"]),
            (&json!(2), &json!("usage")),
            "{report:#}"
        );
    }
    assert!(!place.root().join("pid").exists());
}
