//! Texts of patches, files and people in the formats of other systems: harmless, and counted as
//! each format counts.

use fs_err as fs;
use serde_json::{Value, json};

use super::{DOCUMENTS, GOOD, code, desk, document, governed, said};
use crate::systems::Desk;

#[test]
fn a_mending_is_of_one_line_and_counts_as_its_format_does() {
    let desk = Desk::with(&[("a", b"one\ntwo\nthree\nfour\nfive\n")]);
    let told = |name: &str, last: &str| {
        let patch = format!(
            "--- a/a\n+++ b/a\n@@ -1,5 +1,5 @@\n one\n-\u{e9}\n+2\n three\n four\n {last}\n"
        );
        fs::write(desk.path("p.patch"), patch).unwrap();
        document(
            name,
            &desk.runs(&["check", "--output", name, "p.patch"], b""),
        )
    };
    let (bytes, characters) = (told("rdjson", "five"), told("sarif", "five"));
    let range = &bytes["diagnostics"][0]["suggestions"][0]["range"];
    assert_eq!(
        (&range["start"]["column"], &range["end"]["column"]),
        (&json!(2), &json!(4)),
        "{bytes:#}"
    );
    let fix = &characters["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0];
    let region = &fix["replacements"][0]["deletedRegion"];
    assert_eq!(
        (&region["startColumn"], &region["endColumn"]),
        (&json!(2), &json!(3)),
        "{characters:#}"
    );
    assert_eq!(
        told("rdjson", "other")["diagnostics"][0]["suggestions"],
        Value::Null
    );
    assert_eq!(
        told("sarif", "other")["runs"][0]["results"][0]["fixes"],
        Value::Null
    );
}

#[test]
fn a_line_that_a_report_cannot_show_as_it_is_gets_no_suggested_fix() {
    let desk = Desk::with(&[("a", b"one\ncaf\xe9 x\nthree\n"), ("b", b"one\na=c\n")]);
    let body = "--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n-one\n+1\n a=b\n";
    let mail = |encoding: &str, body: &str| {
        format!(
            "From: A <a@b>\nSubject: s\nContent-Type: text/plain; charset=utf-8\n\
             Content-Transfer-Encoding: {encoding}\n\n{body}"
        )
        .into_bytes()
    };
    let latin: &[u8] = b"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n-one\n+1\n caf\xe8 x\n three\n";
    let cases = [
        (latin.to_vec(), false),
        (
            b"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n-one\n+1\n cafe x\n three\n".to_vec(),
            false,
        ),
        (
            mail("quoted-printable", &body.replace("a=b", "a=3Db")),
            false,
        ),
        (mail("7bit", body), true),
        (body.as_bytes().to_vec(), true),
    ];
    for (patch, is_fixable) in cases {
        fs::write(desk.path("p.patch"), &patch).unwrap();
        let shown = String::from_utf8_lossy(&patch);
        let print = |name| {
            document(
                name,
                &desk.runs(&["check", "--output", name, "p.patch"], b""),
            )
        };
        let (rdjson, sarif) = (print("rdjson"), print("sarif"));
        let suggestions = &rdjson["diagnostics"][0]["suggestions"];
        assert_eq!(suggestions.is_array(), is_fixable, "{shown}{rdjson:#}");
        let fixes = &sarif["runs"][0]["results"][0]["fixes"];
        assert_eq!(fixes.is_array(), is_fixable, "{shown}{sarif:#}");
    }
}

#[test]
fn what_somebody_said_of_a_plan_does_nothing_to_a_checker() {
    let desk = desk();
    desk.does(&["init"], b"");
    let plan = desk.does(&["check", "--save"], GOOD.as_bytes())["plan_id"]
        .as_str()
        .unwrap()
        .to_owned();
    desk.does(
        &["reject", &plan, "--reason", "no\u{1b}[2J\n::error::x"],
        b"",
    );
    for (name, path) in [
        ("gitlab", "/0/description"),
        ("rdjson", "/diagnostics/0/message"),
        ("sarif", "/runs/0/results/0/message/text"),
    ] {
        let output = desk.runs(
            &["apply", "--approve", &plan, "--output", name],
            GOOD.as_bytes(),
        );
        let said = document(name, &output);
        let said = said.pointer(path).unwrap().as_str().unwrap();
        assert!(
            said.contains("no\\x1b[2J\\n::error::x") && !said.contains('\u{1b}'),
            "{name}: {said}"
        );
    }
    for name in ["github", "codex"] {
        let output = desk.runs(
            &["apply", "--approve", &plan, "--output", name],
            GOOD.as_bytes(),
        );
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            said.contains("no\\x1b[2J\\n::error::x") && !said.contains('\u{1b}'),
            "{name}: {said}"
        );
    }
}

#[cfg(unix)]
#[test]
fn bytes_that_are_no_text_come_out_harmless() {
    let bytes = b"--- a/\xff\x1b]0;x\x07\n+++ b/\xff\x1b]0;x\x07\n@@ -1 +1 @@\n-\xfe\n+y\n";
    let text = b"--- a/\x1b]0;x\x07\n+++ b/\x1b]0;x\x07\n@@ -1 +1 @@\n-\x1b[2J\n+y\n";
    for (patch, file) in [
        (&bytes[..], None),
        (text, None),
        (text, Some("\u{1b}]0;x\u{7}")),
    ] {
        let desk = Desk::with(&file.map_or(Vec::new(), |name| vec![(name, &b"other\n"[..])]));
        for (name, _) in DOCUMENTS {
            let output = desk.runs(&["check", "--output", name], patch);
            document(name, &output);
            assert!(
                output
                    .stdout
                    .iter()
                    .all(|byte| *byte == b'\n' || !byte.is_ascii_control()),
                "{name}"
            );
        }
        for name in ["github", "codex"] {
            let output = desk.runs(&["check", "--output", name], patch);
            assert!(
                output
                    .stdout
                    .iter()
                    .all(|byte| *byte == b'\n' || !byte.is_ascii_control()),
                "{name}"
            );
            assert_eq!(code(&output), 1);
        }
    }
}

#[test]
fn a_partial_change_needs_the_same_approvals() {
    let desk = governed();
    let good = fs::read_to_string(desk.path("p/good.patch")).unwrap();
    fs::write(desk.path("c"), "x\n").unwrap();
    let patch = good + "--- a/c\n+++ b/c\n@@ -1 +1 @@\n-none\n+y\n";
    fs::write(desk.path("p/part.patch"), patch).unwrap();
    let checked = |name: &str| {
        desk.runs(
            &["check", "--reject", "--output", name, "p/part.patch"],
            b"",
        )
    };
    let text = said(&checked("github"));
    assert!(text.contains("::notice file=a,"), "{text}");
    let told = document("acp", &checked("acp"));
    let content = told["content"].as_array().unwrap();
    assert_eq!(content[1]["newText"], "one\n2\nthree\n", "{told:#}");
    assert_eq!(
        content[2]["content"]["text"],
        "policy requires approval for a: a person looks at it"
    );
    assert_eq!(content.len(), 3, "{told:#}");
}
