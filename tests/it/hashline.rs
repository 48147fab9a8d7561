//! Line-numbered edits of tagged versions: what programs read of them, and the forms that are
//! forgiven.

use serde_json::{Value, json};
use wpatch::engine::{self, Decide, Outcome, Request};
use wpatch::text::tag::HashlineTag;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use crate::tree::path;

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

fn apply(memory: &Memory, patch: &str, lenient: bool) -> (Value, Outcome) {
    let mut request = Request::of(patch);
    request.decide = Decide {
        format: "hashline".to_owned(),
        lenient,
        ..Decide::default()
    };
    let outcome = engine::apply(request, memory, &Interrupt::new());
    (serde_json::to_value(&outcome.report).unwrap(), outcome)
}

fn memory(text: &str) -> Memory {
    Memory::with_files([(path("a"), Entry::file(text))])
}

fn contents(memory: &Memory, name: &str) -> String {
    String::from_utf8(memory.files()[&path(name)].contents.clone()).unwrap()
}

/// What a forgiving reader makes of `patch` below the header of a file with [`TEXT`], and what it
/// says was mended.
fn forgiven(patch: &str) -> (String, Vec<String>) {
    let memory = memory(TEXT);
    let patch = format!("[a#{}]\n{patch}", HashlineTag::of(TEXT.as_bytes()));
    let (strict, _) = apply(&memory, &patch, false);
    assert_eq!(
        (&strict["error"]["kind"], contents(&memory, "a").as_str()),
        (&json!("parse"), TEXT),
        "{patch}"
    );
    let (report, outcome) = apply(&memory, &patch, true);
    assert!(outcome.report.ok, "{patch}\n{report:#}");
    let mended = outcome
        .problems
        .iter()
        .filter(|problem| problem.code.name == "wpatch::lines::mended");
    (
        contents(&memory, "a"),
        mended.map(|problem| problem.message.clone()).collect(),
    )
}

/// Oh My Pi 11.
#[test]
fn the_tag_in_the_result_is_that_of_the_next_edit() {
    let memory = memory(TEXT);
    let (report, _) = apply(&memory, "[a#2914]\nPUT 2.=3:\n+TWO\n", false);
    assert_eq!(report["files"][0]["tag"], "E66C");
    let (report, _) = apply(&memory, "[a#E66C]\nCUT 1.=1\nMV b\n", false);
    assert_eq!(
        report["files"][0]["tag"],
        HashlineTag::of(b"TWO\nfour\nfive\n").to_string()
    );
    assert_eq!(contents(&memory, "b"), "TWO\nfour\nfive\n");
    let (report, _) = apply(
        &memory,
        &format!("[b#{}]\nREM\n", HashlineTag::of(b"TWO\nfour\nfive\n")),
        false,
    );
    assert_eq!(
        (&report["ok"], &report["files"][0]["tag"]),
        (&json!(true), &Value::Null)
    );
    assert!(memory.files().is_empty());
}

/// Oh My Pi 6.
#[test]
fn another_version_is_refused_with_its_tag_and_the_lines_around() {
    let text = (1..=20)
        .map(|line| format!("{line}\n"))
        .collect::<Vec<_>>()
        .concat();
    let memory = memory(&text);
    let (report, _) = apply(
        &memory,
        "[a#0000]\nPUT 2.=9:\n+x\nPUT >15:\n+y\nCUT 99.=99\n",
        false,
    );
    let error = &report["error"];
    assert_eq!(error["kind"], "stale");
    assert_eq!(error["path"], "a");
    assert_eq!(
        error["actual_tag"],
        HashlineTag::of(text.as_bytes()).to_string()
    );
    let around: Vec<_> = error["around"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["line"].as_u64().unwrap())
        .collect();
    assert_eq!(
        around,
        [1, 2, 3, 4, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20]
    );
    assert_eq!(error["around"][4], json!({ "line": 7, "text": "7" }));
    assert_eq!(contents(&memory, "a"), text);
}

/// Oh My Pi 12.
#[test]
fn forms_that_are_mistakes_are_mended_and_told() {
    let bare = forgiven("PUT 2.=3:\nTWO\n\n  + x\n+three\n\nCUT 5.=5\n");
    let text = "a row without `+` is treated as text".to_owned();
    assert_eq!(
        bare,
        ("one\nTWO\n\n  + x\nthree\nfour\n".to_owned(), vec![text; 3])
    );
    let old = forgiven("PUT 2.=2:\n-two\n+TWO\n");
    assert_eq!(old.0, "one\nTWO\nthree\nfour\nfive\n");
    assert_eq!(old.1, ["a row with `-` only shows a deleted line"]);
    let empty = forgiven("PUT 2.=4:\nPUT <2:\n+2\n");
    assert_eq!((empty.0.as_str(), empty.1.len()), ("one\n2\nfive\n", 1));
    let twice = forgiven("PUT 2.=2:\n+A\nPUT 2.=2:\n+B\n");
    assert_eq!(
        (twice.0.as_str(), twice.1.len()),
        ("one\nB\nthree\nfour\nfive\n", 1)
    );
}

#[test]
fn a_patch_that_was_cut_off_is_refused() {
    for patch in [
        "[a#2914]\nPUT 2.=4:\n",
        "*** Begin Patch\n[a#2914]\nPUT 2.=2:\n+x\n",
    ] {
        for is_lenient in [true, false] {
            let (report, _) = apply(&memory(TEXT), patch, is_lenient);
            assert_eq!(report["error"]["kind"], "parse", "{report:#}");
        }
    }
}

/// Oh My Pi 12: an empty `PUT` at the end of the text deletes if something shows that no row was
/// cut off.
#[test]
fn an_empty_put_at_the_end_deletes_where_no_row_can_be_missing() {
    let whole = [
        "PUT 2.=4:\n\n",
        "PUT 2.=4:\n*** Abort\n",
        "PUT 2.=3:\nPUT 4.=4:\n",
    ];
    let enveloped = format!(
        "*** Begin Patch\n[a#{}]\nPUT 2.=4:\n*** End Patch\n",
        HashlineTag::of(TEXT.as_bytes())
    );
    let patches = whole
        .iter()
        .map(|patch| format!("[a#{}]\n{patch}", HashlineTag::of(TEXT.as_bytes())));
    for patch in patches.chain([enveloped]) {
        let memory = memory(TEXT);
        let (report, _) = apply(&memory, &patch, true);
        assert!(
            report["ok"] == true && contents(&memory, "a") == "one\nfive\n",
            "{patch}\n{report:#}"
        );
    }
}

#[test]
fn text_below_the_last_row_with_a_sign_is_no_row() {
    for text in [
        "That is all.\n",
        "\nThat is all.\n",
        "\n+ a remark\n+ another\n",
        "* a remark\n",
    ] {
        let memory = memory(TEXT);
        let (report, _) = apply(&memory, &format!("[a#2914]\nPUT 2.=4:\n+x\n{text}"), true);
        assert_eq!(
            (&report["error"]["kind"], contents(&memory, "a").as_str()),
            (&json!("parse"), TEXT),
            "{text}"
        );
    }
}

/// What has no place cannot be emptied, whoever reads it.
#[test]
fn nothing_comes_between_two_lines() {
    let (report, _) = apply(&memory(TEXT), "[a#2914]\nPUT >2:\n", true);
    assert_eq!(report["error"]["kind"], "parse");
}

/// Oh My Pi 13 and 15.
#[test]
fn what_is_not_taken_is_refused_by_its_name() {
    for (patch, name) in [
        (
            "[a#2914]\nPUT >2*:\n+x\n",
            "the symbols of the file are unknown",
        ),
        ("[a#2914]\nCUT 2*\n", "the symbols of the file are unknown"),
        ("[a#2914]\n2#KX:two\n", "`LINE#HH:text`"),
        ("2+kx|two\n", "`LINE+HASH|TEXT`"),
    ] {
        let (report, _) = apply(&memory(TEXT), patch, true);
        let message = report["error"]["message"].as_str().unwrap();
        assert!(
            report["error"]["kind"] == "unsupported" && message.contains(name),
            "{report:#}"
        );
    }
}

/// Lines of one file that come to many are no way to fill a disk.
#[test]
fn lines_that_come_to_many_files_have_a_limit() {
    let big = "x\n".repeat(1 << 10);
    let names: Vec<_> = (0..20).map(|index| format!("f{index}")).collect();
    let files = names.iter().map(|name| (path(name), Entry::file("y\n")));
    let memory = Memory::with_files(files.chain([(path("a"), Entry::file(big.clone()))]));
    let mut patch = format!("[a#{}]\nCUT 1.=1024 @x\n", HashlineTag::of(big.as_bytes()));
    patch.extend(
        names
            .iter()
            .map(|name| format!("[{name}#{}]\nPUT >1 @x\n", HashlineTag::of(b"y\n"))),
    );
    let mut request = Request::of(patch);
    request.decide.max_growth = 10 << 10;
    let outcome = engine::apply(request.clone(), &memory, &Interrupt::new());
    assert_eq!(
        outcome.report.error.as_ref().map(|error| error.code),
        Some("wpatch::file::growth")
    );
    request.decide.max_growth = 1 << 20;
    assert!(engine::apply(request, &memory, &Interrupt::new()).report.ok);
    assert_eq!(contents(&memory, "f19"), format!("y\n{big}"));
}

/// A line in brackets is nothing special in mail.
#[test]
fn only_an_operation_makes_a_header() {
    let diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n";
    for (prose, format) in [
        ("[bug#2914]\nis mended.\n\n", "unified"),
        ("See\n[a#2914]\n", "unified"),
    ] {
        let memory = memory(TEXT);
        let outcome = engine::apply(
            Request::of(format!("{prose}{diff}")),
            &memory,
            &Interrupt::new(),
        );
        assert!(outcome.report.ok, "{prose}");
        assert_eq!(outcome.inputs[0].formats, [format]);
    }
    let outcome = engine::apply(
        Request::of("\n[a#2914]\n\nCUT 1.=1\n"),
        &memory(TEXT),
        &Interrupt::new(),
    );
    assert_eq!(outcome.inputs[0].formats, ["hashline"]);
}
