//! The commands of the user around a change: what they get, what they decide, and what they cannot
//! do.
#![cfg(unix)]

use serde_json::Value;
use wpatch::path::RelPath;

use crate::systems::Desk;
use crate::tree::{self, Tree};

mod changes;
mod interrupted;

const PATCH: &str = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n--- a/d/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-two\n--- /dev/null\n+++ b/new/c\n@@ -0,0 +1 @@\n+three\n";

fn desk() -> Desk {
    Desk::with(&[("a", b"one\n"), ("d/b", b"two\n"), ("other", b"other\n")])
}

fn apply<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["apply", "--durability=none"], arguments].concat()
}

fn verify(desk: &Desk, command: &str) -> Value {
    desk.says(&apply(&["--verify", command]), PATCH.as_bytes())
}

/// Returns the `verify` of a change that `command` sends back, of which nothing is left.
fn sent_back(command: &str, more: &[&str]) -> Value {
    let desk = desk();
    let before = tree::read(&desk.root());
    let report = desk.says(
        &apply(&[&["--verify", command], more].concat()),
        PATCH.as_bytes(),
    );
    let told = (
        &report["outcome"],
        &report["exit_code"],
        &report["changed"],
        &report["error"]["code"],
    );
    let expected = (
        &"refused".into(),
        &3.into(),
        &false.into(),
        &"wpatch::command::verify".into(),
    );
    assert_eq!(told, expected, "{command}: {report:#}");
    assert_eq!(tree::read(&desk.root()), before, "{command}");
    report["verify"].clone()
}

#[test]
fn a_verification_sees_the_new_tree_and_keeps_it_by_exit_code_0() {
    let desk = desk();
    let report = verify(&desk, "cat a new/c; test ! -e d && echo gone");
    assert_eq!(
        (&report["ok"], &report["changed"]),
        (&true.into(), &true.into()),
        "{report:#}"
    );
    assert_eq!(
        (&report["verify"]["exit_code"], &report["verify"]["output"]),
        (&0.into(), &"1\nthree\ngone\n".into())
    );
    assert_eq!(report["verify"]["truncated"], false);
    assert_eq!(
        (desk.bytes("a"), desk.bytes("new/c")),
        (b"1\n".to_vec(), b"three\n".to_vec())
    );
    assert!(!desk.path(".wpatch").exists());
}

#[test]
fn any_other_end_of_it_puts_everything_back() {
    assert_eq!(
        sent_back("echo why; echo because >&2; exit 7", &[])["output"],
        "why\nbecause\n"
    );
    assert_eq!(sent_back("exit 7", &[])["exit_code"], 7);
    assert_eq!(sent_back("kill -SEGV $$", &[])["signal"], 11);
    assert_eq!(sent_back("no-such-command-at-all", &[])["exit_code"], 127);
    for slow in [
        "sleep 1000",
        "trap '' TERM; while :; do :; done",
        "kill -STOP $$",
        "sleep 1000 & sleep 1000",
    ] {
        let verify = sent_back(slow, &["--verify-timeout", "100ms"]);
        assert_eq!(
            (&verify["timed_out"], &verify["exit_code"]),
            (&true.into(), &Value::Null),
            "{slow}"
        );
    }
    let long = sent_back(
        "head -c 100000 /dev/zero | tr '\\0' x; echo the end; exit 1",
        &[],
    );
    assert_eq!(
        (long["output"].as_str().unwrap().len(), &long["truncated"]),
        (16 << 10, &true.into())
    );
}

#[test]
fn every_command_gets_the_report_and_knows_where_it_is() {
    let desk = desk();
    let keep = |name: &str| {
        format!("cat > ../{name}; echo \"$WPATCH_COMMAND $WPATCH_PLAN_ID $WPATCH_ROOT\"")
    };
    let [before, verify, after] = ["before", "verify", "after"].map(keep);
    let arguments = apply(&["--before", &before, "--verify", &verify, "--after", &after]);
    let report = desk.does(&arguments, PATCH.as_bytes());
    let told =
        |name: &str| serde_json::from_slice::<Value>(&desk.bytes(&format!("../{name}"))).unwrap();
    for (name, outcome, changed) in [
        ("before", "would_apply", false),
        ("verify", "applied", false),
        ("after", "applied", true),
    ] {
        let document = told(name);
        assert_eq!(
            (&document["outcome"], &document["changed"]),
            (&outcome.into(), &changed.into()),
            "{name}"
        );
        assert!(
            document["files"][0]["diff"]
                .as_str()
                .unwrap()
                .contains("+1\n"),
            "{name}: {document:#}"
        );
        let plan = document["plan_id"].as_str().unwrap();
        assert_eq!(report["plan_id"], plan, "{name}");
        let root = desk.root().canonicalize().unwrap();
        assert_eq!(
            report[name]["output"],
            format!("apply {plan} {}\n", root.display()),
            "{name}"
        );
    }
    assert_eq!(told("after")["verify"]["exit_code"], 0);
}

#[test]
fn nothing_is_written_unless_the_command_before_says_yes() {
    let desk = desk();
    let asked = [
        "--before",
        "cat a; exit 1",
        "--verify",
        "exit 9",
        "--after",
        "exit 9",
    ];
    let error = desk.refuses("denied", &apply(&asked), PATCH.as_bytes());
    assert_eq!(error["code"], "wpatch::command::before");
    let report = desk.says(&apply(&["--before", "echo two > a"]), PATCH.as_bytes());
    assert_eq!(
        (&report["exit_code"], &report["error"]["kind"]),
        (&1.into(), &"stale".into()),
        "{report:#}"
    );
    assert_eq!(desk.bytes("a"), b"two\n");
}

#[test]
fn the_command_after_decides_nothing() {
    let desk = desk();
    let report = desk.does(&apply(&["--after", "cat a; exit 9"]), PATCH.as_bytes());
    assert_eq!(
        (&report["after"]["exit_code"], &report["after"]["output"]),
        (&9.into(), &"1\n".into())
    );
    assert_eq!(
        (
            &report["problems"][0]["code"],
            &report["problems"][0]["severity"]
        ),
        (&"wpatch::command::after".into(), &"warning".into())
    );
    // It is told of what was done, and nothing was.
    let report = desk.says(&apply(&["--after", "true"]), PATCH.as_bytes());
    assert_eq!(
        (&report["ok"], &report["after"]),
        (&false.into(), &Value::Null)
    );
}

#[test]
fn a_change_within_a_change_is_refused_at_once() {
    let program = env!("CARGO_BIN_EXE_wpatch");
    for inner in [
        "write x --content y",
        "undo",
        "recover",
        "append other --content y",
    ] {
        let verify = sent_back(&format!("{program} {inner} --lock-timeout 1000s"), &[]);
        assert_eq!(verify["exit_code"], 6, "{inner}: {verify:#}");
        assert!(
            verify["output"]
                .as_str()
                .unwrap()
                .contains("a command of a running change cannot"),
            "{verify:#}"
        );
    }
    let desk = desk();
    let report = verify(
        &desk,
        &format!("{program} read a && {program} check --json /dev/null"),
    );
    assert!(
        report["verify"]["output"]
            .as_str()
            .unwrap()
            .starts_with("1\n"),
        "{report:#}"
    );
    // Nobody is at work any more when the command after is told.
    let desk = self::desk();
    let report = desk.does(
        &apply(&["--after", &format!("{program} write x --content y")]),
        PATCH.as_bytes(),
    );
    assert_eq!(
        (&report["after"]["exit_code"], desk.bytes("x")),
        (&0.into(), b"y".to_vec()),
        "{report:#}"
    );
}

#[test]
fn who_asks_for_no_command_is_told_so() {
    let desk = desk();
    for option in ["--before", "--verify", "--after"] {
        for empty in ["", " \n"] {
            desk.refuses("usage", &apply(&[option, empty]), PATCH.as_bytes());
            desk.refuses(
                "usage",
                &["write", "x", "--content", "y", option, empty],
                b"",
            );
        }
    }
}

#[test]
fn the_editing_commands_take_them_too() {
    let desk = desk();
    let before = tree::read(&desk.root());
    let edits: [&[&str]; 3] = [
        &["edit", "a", "--old", "one", "--new", "1"],
        &["write", "x", "--content", "y"],
        &["append", "a", "--content", "y"],
    ];
    for edit in edits {
        let error = &desk.says(&[edit, &["--verify", "exit 1"]].concat(), b"")["error"];
        assert_eq!(error["code"], "wpatch::command::verify", "{edit:?}");
        assert_eq!(tree::read(&desk.root()), before, "{edit:?}");
        // Nothing is done, and so nobody is asked.
        desk.does(&[edit, &["--dry-run", "--verify", "exit 1"]].concat(), b"");
    }
}

/// Returns the files of the tree without the state directory.
fn files(desk: &Desk) -> Tree {
    let is_state = |path: &RelPath| path.as_bytes().starts_with(b".wpatch");
    let mut files = tree::read(&desk.root());
    files.retain(|path, _| !is_state(path));
    files
}

/// Asserts that commands which refuse `command` leave the tree as it is.
fn is_undone(desk: &Desk, command: &[&str]) {
    let before = files(desk);
    let with = |more: &[&str]| desk.says(&[command, more].concat(), b"");
    let report = with(&[
        "--verify",
        "cat > ../told; cat a; exit 1",
        "--after",
        "echo > ../after",
    ]);
    assert_eq!(
        report["error"]["code"], "wpatch::command::verify",
        "{command:?}"
    );
    assert_eq!(files(desk), before, "{command:?}");
    let told: Value = serde_json::from_slice(&desk.bytes("../told")).unwrap();
    assert_eq!(
        (&told["command"], &told["outcome"]),
        (&command[0].into(), &"applied".into())
    );
    assert!(
        told["files"][0]["diff"].is_string(),
        "{command:?}: {told:#}"
    );
    let slow = with(&["--verify", "sleep 1000", "--verify-timeout", "100ms"]);
    assert_eq!(
        (&slow["verify"]["timed_out"], files(desk) == before),
        (&true.into(), true),
        "{command:?}"
    );
    assert_eq!(
        with(&["--before", "exit 1"])["error"]["code"],
        "wpatch::command::before",
        "{command:?}"
    );
    assert_eq!(with(&["--verify", " "])["exit_code"], 2, "{command:?}");
    assert_eq!(
        (files(desk) == before, desk.path("../after").exists()),
        (true, false),
        "{command:?}"
    );
}

/// Asserts that `command` is put to commands around it. Returns what each printed, and the
/// `plan_id`.
fn goes(desk: &Desk, command: &[&str]) -> ([String; 3], Value) {
    is_undone(desk, command);
    let before = files(desk);
    let with = |more: &[&str]| desk.says(&[command, more].concat(), b"");
    let report = with(&["--before", "cat a", "--verify", "cat a", "--after", "cat a"]);
    assert_eq!(
        (&report["ok"], files(desk) == before),
        (&true.into(), false),
        "{command:?}: {report:#}"
    );
    let outputs = ["before", "verify", "after"]
        .map(|name| report[name]["output"].as_str().unwrap().to_owned());
    (outputs, report["plan_id"].clone())
}

#[test]
fn taking_changes_back_and_carrying_out_a_plan_are_put_to_them_too() {
    let desk = desk();
    desk.does(&["init"], b"");
    let plan = desk.does(&["check", "--save"], PATCH.as_bytes())["plan_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let [one, other] = ["one\n", "1\n"];
    assert_eq!(
        goes(&desk, &["apply", "--plan", &plan]),
        ([one, other, other].map(str::to_owned), plan.as_str().into())
    );
    assert_eq!(goes(&desk, &["undo"]).0, [other, one, one]);
    assert_eq!(goes(&desk, &["redo"]).0, [one, other, other]);
    desk.does(&["undo", "--dry-run", "--verify", "exit 1"], b"");
}

#[test]
fn what_a_command_says_does_nothing_to_a_terminal() {
    let desk = desk();
    let command = "printf 'red \\033[31m\\342\\200\\256\\nlast\\n'; exit 1";
    let output = desk.runs(&apply(&["--verify", command]), PATCH.as_bytes());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("  | red \\x1b[31m\\u{202e}\n  | last"),
        "{said}"
    );
    assert!(
        !said.contains('\u{1b}') && !said.contains('\u{202e}'),
        "{said}"
    );
}
