//! What `--guard` refuses of changes that fit, whatever asks for them, and what it lets through.

#[cfg(feature = "code-guard")]
mod code;
mod policy;

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;
use wpatch::text::tag::HashlineTag;

use crate::tree::{self, directory};
use crate::verbs::run;

/// Returns the codes of the problems that `command` meets with `guard`, after trying it without a
/// guard, and with one that is overridden: only the guard refuses it, and then nothing is done.
fn codes(files: &[(&str, &str)], command: &[&str], guard: &str, input: &str) -> Vec<String> {
    for free in [&[][..], &["--guard", guard, "--no-guard"], &["--no-guard"]] {
        let report = run(directory(files).path(), &[command, free].concat(), input);
        assert_eq!(
            (&report["ok"], &report["changed"]),
            (&true.into(), &true.into()),
            "{free:?} {report:#}"
        );
    }
    let root = directory(files);
    let before = tree::read(root.path());
    let report = run(root.path(), &[command, &["--guard", guard]].concat(), input);
    let codes: Vec<_> = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(code)
        .collect();
    if report["ok"] == false {
        assert_eq!(tree::read(root.path()), before);
        assert_eq!(
            (&report["error"]["kind"], &report["exit_code"]),
            (&"suspicious".into(), &3.into()),
            "{report:#}"
        );
        assert!(
            report["error"]["help"]
                .as_str()
                .unwrap()
                .contains("--no-guard"),
            "{report:#}"
        );
    }
    codes
}

fn code(problem: &Value) -> Option<String> {
    let code = problem["code"].as_str().unwrap();
    let guard = code.strip_prefix("wpatch::guard::").map(str::to_owned);
    assert!(
        guard.is_some() || code == "wpatch::whitespace::errors",
        "{code}"
    );
    guard
}

/// A table of more than 80 characters, with braces and brackets that balance.
const BLOCK: &str = "{\"one\": [1], \"two\": [2], \"three\": [3], \"four\": [4], \"five\": [5], \"six\": [6, 7, 8]}";

#[test]
fn every_way_to_change_a_file_is_guarded_alike() {
    let old = format!("a = f(\n{BLOCK}\n)\n");
    let files = [("a.py", old.as_str())];
    let diff = format!("--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n a = f(\n-{BLOCK}\n+NEW\n )\n");
    let codex = format!("*** Begin Patch\n*** Update File: a.py\n-{BLOCK}\n+NEW\n*** End Patch\n");
    let blocks = format!("a.py\n<<<<<<< SEARCH\n{BLOCK}\n=======\nNEW\n>>>>>>> REPLACE\n");
    let hashline = format!(
        "[a.py#{}]\nPUT 2.=2:\n+NEW\n",
        HashlineTag::of(old.as_bytes())
    );
    let json = json!({ "edits": [{ "path": "a.py", "old": BLOCK, "new": "NEW" }] }).to_string();
    for (new, found) in [
        ("[]", vec!["placeholder"]),
        ("[)", vec!["unbalanced"]),
        ("{x: []}", vec![]),
    ] {
        for patch in [&diff, &codex, &blocks, &hashline, &json] {
            let patch = patch.replace("NEW", new);
            assert_eq!(
                codes(&files, &["apply"], "balance", &patch),
                found,
                "{patch}"
            );
            let checked = run(
                directory(&files).path(),
                &["check", "--guard=balance"],
                &patch,
            );
            assert_eq!(
                checked["problems"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(code)
                    .collect::<Vec<_>>(),
                found
            );
        }
        let edit = |rest: &[&str]| {
            codes(
                &files,
                &[&["edit", "a.py", "--new", new], rest].concat(),
                "balance",
                "",
            )
        };
        assert_eq!(edit(&["--old", BLOCK]), found);
        assert_eq!(edit(&["--from", "{\"one", "--to", "8]}"]), found);
    }
}

#[test]
fn what_is_appended_or_written_is_guarded_alike() {
    let old = format!("a = f(\n{BLOCK}\n)\n");
    let files = [("a.py", old.as_str())];
    let append = |text| {
        codes(
            &files,
            &["append", "a.py", "--content", text],
            "balance",
            "",
        )
    };
    assert_eq!(
        (append("[)\n"), append("[]\n")),
        (vec!["unbalanced".to_owned()], vec![])
    );
    let write = |text| {
        codes(
            &files,
            &["write", "a.py", "--overwrite", "--content", text],
            "balance",
            "",
        )
    };
    assert_eq!(
        (write("("), write("[]\n")),
        (
            vec!["unbalanced".to_owned()],
            vec!["placeholder".to_owned()]
        )
    );
}

#[test]
fn cells_of_notebooks_are_guarded() {
    let cell = r#"{"cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": ["["], "source": ["f(1)"]}"#;
    let notebook =
        format!(r#"{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 2}}"#);
    let replace = |source| {
        let command = [
            "notebook", "replace", "n.ipynb", "--cell", "cell-0", "--source", source,
        ];
        codes(&[("n.ipynb", &notebook)], &command, "balance", "")
    };
    assert_eq!(
        (replace("f(2"), replace("f(2)")),
        (vec!["unbalanced".to_owned()], vec![])
    );
}

#[test]
fn what_is_made_or_goes_is_not_compared() {
    let new = "--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+#if {\n";
    let gone = "--- a/a.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-#if {(\n";
    assert_eq!(
        codes(
            &[("a.c", "#if {(\n")],
            &["apply"],
            "balance",
            &[new, gone].concat()
        ),
        [""; 0]
    );
    let copy = "diff --git a/a.c b/b.c\nsimilarity index 50%\ncopy from a.c\ncopy to b.c\n";
    let rename = copy.replace("copy", "rename");
    let hunk = "--- a/a.c\n+++ b/b.c\n@@ -1 +1 @@\n-#if {(\n+#if {((\n";
    for patch in [copy, &rename] {
        assert_eq!(
            codes(
                &[("a.c", "#if {(\n")],
                &["apply"],
                "balance",
                &[patch, hunk].concat()
            ),
            ["unbalanced"]
        );
        assert_eq!(
            codes(&[("a.c", "#if {(\n")], &["apply"], "balance", patch),
            [""; 0]
        );
    }
}

#[test]
fn of_several_changes_of_a_file_the_last_result_counts() {
    let change = |old: &str, new: &str| format!("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-{old}\n+{new}\n");
    let files = [("a", "x\n")];
    assert_eq!(
        codes(
            &files,
            &["apply"],
            "balance",
            &[change("x", "{"), change("{", "{}")].concat()
        ),
        [""; 0]
    );
    assert_eq!(
        codes(
            &files,
            &["apply"],
            "balance",
            &[change("x", "{"), change("{", "{y")].concat()
        ),
        ["unbalanced"]
    );
    let swap = |from: &str, to: &str| {
        format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        )
    };
    let swapped = [swap("a", "b"), swap("b", "a")].concat();
    assert_eq!(
        codes(
            &[("a", "x{\n"), ("b", "y\n")],
            &["apply"],
            "balance",
            &swapped
        ),
        [""; 0]
    );
    let made = "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n".to_owned()
        + &change("x", "{").replace("/a\n", "/n\n");
    assert_eq!(codes(&[], &["apply"], "balance", &made), [""; 0]);
}

#[test]
fn characters_are_counted_not_their_bytes() {
    // The second byte of this character is a brace in GBK.
    let root = TempDir::new().unwrap();
    let edit = |new: &str, encoding: &str| {
        fs::write(root.path().join("a"), b"x = \x81\x7b;\n").unwrap();
        let command = [
            "edit",
            "a",
            "--old",
            "x",
            "--new",
            new,
            "--encoding",
            encoding,
            "--guard",
            "balance",
        ];
        run(root.path(), &command, "")["error"]["code"].clone()
    };
    assert_eq!(edit("亄", "gbk"), Value::Null);
    assert_eq!(
        fs::read(root.path().join("a")).unwrap(),
        b"\x81\x7b = \x81\x7b;\n"
    );
    for (new, encoding) in [("{", "gbk"), ("亄(", "gbk"), ("{", "latin1")] {
        assert_eq!(edit(new, encoding), "wpatch::guard::unbalanced");
    }
}

#[test]
fn a_guard_does_not_send_a_patch_to_the_repairs() {
    let diff =
        "```diff\ndiff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-f()\n+f(\n```\n";
    let report = run(
        directory(&[("a.c", "f()\n")]).path(),
        &["apply", "--lenient", "--guard=balance"],
        diff,
    );
    assert_eq!(report["inputs"][0]["repairs"], json!([]), "{report:#}");
    assert_eq!(report["error"]["code"], "wpatch::guard::unbalanced");
}

fn change(name: &str, old: &str, new: &str) -> String {
    format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n+{new}\n")
}

#[test]
fn a_file_has_to_parse_if_it_did() {
    for (name, right, other, wrong) in [
        ("a.json", "[1]", "[2]", "[1],"),
        ("a.jsonl", "1", "2", "{"),
        ("a.toml", "a = 1", "b = 1", "a = "),
        ("a.yml", "a: 1", "a: [2]", "a: ["),
    ] {
        let (files, broken) = (
            [(name, [right, "\n"].concat())],
            [(name, [wrong, "\n"].concat())],
        );
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        let broken = broken.each_ref().map(|(name, text)| (*name, text.as_str()));
        let both = "syntax,balance";
        assert_eq!(
            codes(&files, &["apply"], "syntax", &change(name, right, wrong)),
            ["syntax"],
            "{name}"
        );
        assert_eq!(
            codes(&files, &["apply"], both, &change(name, right, other)),
            [""; 0],
            "{name}"
        );
        assert_eq!(
            codes(&broken, &["apply"], "syntax", &change(name, wrong, "]")),
            [""; 0],
            "{name}"
        );
        assert_eq!(
            codes(
                &files,
                &["edit", name, "--old", right, "--new", wrong],
                "syntax",
                ""
            ),
            ["syntax"]
        );
        assert_eq!(
            codes(
                &files,
                &["write", name, "--overwrite", "--content", wrong],
                "syntax",
                ""
            ),
            ["syntax"]
        );
        assert_eq!(
            codes(&files, &["append", name, "--content", wrong], "syntax", ""),
            ["syntax"]
        );
    }
}

#[test]
fn every_guard_has_its_problem_and_the_place_of_the_error() {
    let files = [("a.json", "[]\n")];
    let report = run(
        directory(&files).path(),
        &["check", "--guard", "balance", "--guard=syntax"],
        &change("a.json", "[]", "[1, x"),
    );
    let codes: Vec<_> = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(code)
        .collect();
    assert_eq!(codes, ["unbalanced", "syntax"]);
    let message = "the file is no longer valid JSON: line 1, column 5: expected value";
    assert_eq!(report["problems"][1]["message"], message);
}

#[test]
fn what_is_too_large_for_a_guard_is_said() {
    let text = "#".repeat((1 << 20) - 1) + "\n";
    let report = run(
        directory(&[("a.toml", &text)]).path(),
        &["append", "a.toml", "--content", "[", "--guard=syntax"],
        "",
    );
    let problem = &report["problems"][0];
    assert_eq!(
        (&report["changed"], &problem["severity"]),
        (&json!(true), &json!("warning"))
    );
    assert_eq!(
        (&problem["kind"], &problem["path"]),
        (&json!("too_large"), &json!("a.toml"))
    );
    assert_eq!(
        problem["message"],
        "not parsed as TOML: 1048577 bytes exceed the limit of 1048576"
    );
}
