//! Policy: grants, secrets, questions, and that it answers first.

use fs_err as fs;
use serde_json::{Value, json};

use crate::systems::{Desk, fed, program};

/// The option that names the policy of [`desk`].
const POLICY: [&str; 2] = ["--policy", "../policy.toml"];

/// Returns a desk under a policy that no file of the project can loosen.
fn desk(policy: &str, files: &[(&str, &[u8])]) -> Desk {
    Desk::with(&[files, &[("../policy.toml", policy.as_bytes())]].concat())
}

fn under<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &POLICY].concat()
}

#[test]
fn s18_grants_open_directories_and_nothing_beside_them() {
    let grants = "[[grant]]\nprefix = 'src'\nmode = 'rw'\n[[grant]]\nprefix = 'docs'\nmode = 'r'\n";
    let desk = desk(grants, &[("docs/d", b"d"), ("other/o", b"o")]);
    desk.does(&under(&["write", "src/a", "--content", "x"]), b"");
    assert_eq!(desk.runs(&under(&["read", "docs/d"]), b"").stdout, b"d");
    for closed in [
        &["write", "src2/a", "--content", "x"][..],
        &["edit", "docs/d", "--old", "d", "--new", "e"],
        &["write", "docs/n", "--content", "x"],
        &["read", "other/o"],
    ] {
        desk.refuses("denied", &under(closed), b"");
    }
}

#[test]
fn s19_credentials_of_the_home_are_closed_and_their_like_elsewhere_are_not() {
    let files: [(&str, &[u8]); 4] = [
        (".aws/credentials", b"old"),
        (".ssh/id_ed25519", b"own"),
        (".ssh/config", b"Host x\n"),
        ("testdata/.aws/credentials", b"made up"),
    ];
    let desk = Desk::with(&files);
    let run = |arguments: &[&str]| {
        fed(
            program(&desk.root(), arguments).env("HOME", desk.root()),
            b"",
        )
    };
    for closed in [
        &[
            "write",
            ".aws/credentials",
            "--content",
            "x",
            "--overwrite",
            "--json",
        ][..],
        &["read", ".ssh/id_ed25519", "--json"],
        &["write", ".ssh/new", "--content", "x", "--json"],
    ] {
        let document: Value = serde_json::from_slice(&run(closed).stdout).unwrap();
        assert_eq!(
            document["error"]["kind"], "denied",
            "{closed:?}: {document:#}"
        );
    }
    assert_eq!(desk.bytes(".aws/credentials"), b"old");
    assert_eq!(run(&["read", ".ssh/config"]).stdout, b"Host x\n");
    assert_eq!(
        run(&["read", "testdata/.aws/credentials"]).stdout,
        b"made up"
    );
    assert!(
        run(&[
            "edit",
            "testdata/.aws/credentials",
            "--old",
            "made",
            "--new",
            "thought"
        ])
        .status
        .success()
    );
}

#[test]
fn s20_a_question_stops_what_applies_and_is_told_by_a_check() {
    let patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
    let gone = b"--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
    let asks = |ops: &str| format!("[[rule]]\npaths = ['**']\nops = ['{ops}']\nverdict = 'ask'\n");
    let manual = desk(&asks("write"), &[("a", b"one\n")]);
    let checked = manual.does(&under(&["check"]), patch);
    assert_eq!(
        [
            &checked["policy"]["verdict"],
            &checked["files"][0]["verdict"]
        ],
        [&json!("ask"), &json!("ask")]
    );
    manual.refuses("approval_required", &under(&["apply"]), patch);
    let id = checked["plan_id"].as_str().unwrap();
    manual.does(&under(&["apply", "--approve", id]), patch);
    assert_eq!(manual.bytes("a"), b"1\n");

    let accepts_edits = desk(&asks("delete"), &[("a", b"one\n")]);
    accepts_edits.refuses("approval_required", &under(&["apply"]), gone);
    accepts_edits.does(&under(&["apply"]), patch);

    let plan = "[policy]\nmode = 'read-only'\n[[grant]]\nprefix = 'plans'\nmode = 'rw'\n";
    let plans = desk(plan, &[("a", b"one\n")]);
    plans.refuses("denied", &under(&["apply"]), patch);
    plans.does(&under(&["write", "plans/p.md", "--content", "x"]), b"");
    // The project's own mode has no such exception.
    fs::write(plans.path("wpatch.toml"), "[policy]\nmode = 'read-only'\n").unwrap();
    plans.refuses(
        "denied",
        &under(&["write", "plans/q.md", "--content", "x"]),
        b"",
    );
}

#[test]
fn s21_policy_answers_before_anybody_looks_at_the_file() {
    let closed = "[[rule]]\npaths = ['vendor/**']\nops = ['write']\nverdict = 'deny'\n";
    let desk = desk(closed, &[("vendor/v", b"v")]);
    desk.refuses(
        "denied",
        &under(&["edit", "vendor/v", "--old", "not there", "--new", "x"]),
        b"",
    );
    desk.refuses(
        "denied",
        &under(&["edit", "vendor/none", "--old", "v", "--new", "x"]),
        b"",
    );
    desk.refuses(
        "denied",
        &under(&["apply"]),
        b"--- a/vendor/v\n+++ b/vendor/v\n@@ -1 +1 @@\n-w\n+x\n",
    );
}
