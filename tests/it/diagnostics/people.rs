//! What people and other formats are told.

use std::process::Command;

use fs_err as fs;
use serde_json::json;

use super::{BEFORE, Place, WORSE, codes};
use crate::output::document;

#[test]
fn checkers_are_told_what_a_change_brings_and_where() {
    let place = Place::with(&[("a.x", BEFORE)], "push");
    let patch = WORSE
        .replace("+BAD\n", "+BAD\n+MEH\n")
        .replace("+1,4", "+1,5");
    let checked = |name: &str| place.output(&["check", "--diagnostics", "--output", name], &patch);
    let annotated = String::from_utf8(checked("github").stdout).unwrap();
    insta::assert_snapshot!(annotated, @r"
    ::error file=a.x,line=2,col=1,title=diagnostic%3A%3Afake%3A%3Af1::this is bad
    ::warning file=a.x,line=6,col=1,title=diagnostic%3A%3Afake%3A%3Af1::this is so-so
    would apply: 1 file changed, 3 insertions(+), 1 deletion(-)
    ");
    for (name, list, severity, levels) in [
        ("gitlab", "", "severity", ["major", "minor"]),
        ("rdjson", "/diagnostics", "severity", ["ERROR", "WARNING"]),
        ("sarif", "/runs/0/results", "level", ["error", "warning"]),
    ] {
        let output = checked(name);
        assert_eq!(output.status.code(), Some(0), "{name}");
        let document = document(name, &output);
        let told = document.pointer(list).unwrap().as_array().unwrap();
        let told: Vec<_> = told
            .iter()
            .map(|told| told[severity].as_str().unwrap())
            .collect();
        assert_eq!(told, levels, "{name}");
    }
}

#[test]
fn files_without_a_server_are_named() {
    let patch = "--- /dev/null\n+++ b/b.md\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/Makefile\n@@ -0,0 +1 @@\n+x\n";
    let place = Place::with(&[("a.x", BEFORE)], "push");
    let report = place.report(&["check", "--diagnostics=deny"], &[WORSE, patch].concat());
    assert_eq!(
        codes(&report),
        [
            ("warning", "wpatch::diagnostics::not_asked"),
            ("error", "wpatch::diagnostics::new_errors")
        ]
    );
    assert_eq!(
        report["problems"][0]["message"],
        "no language server is configured for *.md, Makefile"
    );
    fs::remove_file(place.0.path().join("config/wpatch/config.toml")).unwrap();
    let report = place.report(&["apply", "--diagnostics=deny"], WORSE);
    assert_eq!(
        (&report["ok"], codes(&report)),
        (
            &json!(true),
            vec![("warning", "wpatch::diagnostics::not_asked")]
        )
    );
    assert_eq!(report["diagnostics"]["servers"], json!([]));
}

#[test]
fn files_that_no_server_can_read_are_named() {
    let place = Place::with(&[("a.x", BEFORE)], "push");
    fs::write(place.root().join("b.x"), b"one\ntwo\nBAD old\n\xff\n").unwrap();
    let report = place.report(
        &["check", "--diagnostics=deny"],
        &WORSE.replace("a.x", "b.x"),
    );
    assert_eq!(
        (&report["ok"], codes(&report)),
        (
            &json!(true),
            vec![("warning", "wpatch::diagnostics::not_asked")]
        )
    );
    assert_eq!(
        report["problems"][0]["message"],
        "not checked by a language server, because the file is unreadable, too large or not UTF-8: b.x"
    );
}

#[test]
fn people_read_a_line_for_each_diagnostic() {
    let place = Place::with(&[("a.x", "one\n")], "push");
    let many = format!(
        "--- a/a.x\n+++ b/a.x\n@@ -1 +1,30 @@\n-one\n{}",
        "+BAD\n".repeat(30)
    );
    let output = place.output(&["apply", "--diagnostics=deny", "--color=never"], &many);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.starts_with(
            "error[wpatch::diagnostics::new_errors]: the change introduces 30 new errors\n"
        ),
        "{text}"
    );
    assert_eq!(
        text.matches(": error: this is bad [fake f1]\n").count(),
        20,
        "{text}"
    );
    assert!(
        text.ends_with(
            "a.x:20:1: error: this is bad [fake f1]\nand 10 more diagnostics; use --json to print all\n"
        ),
        "{text}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn a_page_has_its_images_whether_servers_are_asked_or_not() {
    let place = Place::with(&[], "push");
    for (side, bytes) in [
        ("a", b"GIF89a\x01\0\x01\0old"),
        ("b", b"GIF89a\x01\0\x01\0new"),
    ] {
        let directory = place.0.path().join(side);
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("image.gif"), bytes).unwrap();
    }
    fs::copy(
        place.0.path().join("a/image.gif"),
        place.root().join("image.gif"),
    )
    .unwrap();
    let mut git = Command::new("git");
    let arguments = ["diff", "--no-index", "--no-prefix", "--binary", "a", "b"];
    let patch = git
        .args(arguments)
        .current_dir(place.0.path())
        .output()
        .unwrap()
        .stdout;
    let patch = String::from_utf8(patch).unwrap();
    for options in [
        &["show", "--html"][..],
        &["show", "--html", "--diagnostics"],
    ] {
        let page = String::from_utf8(place.output(options, &patch).stdout).unwrap();
        assert_eq!(page.matches("<img").count(), 2, "{options:?}");
    }
}
