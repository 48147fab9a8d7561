//! What users of Oh My Pi find here, statement by statement.

mod forms;
mod relocate;

use fs_err as fs;
use serde_json::{Value, json};
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::text::tag::HashlineTag;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, FaultInjection, FaultKind, Memory};

use super::Desk;

/// A file of five lines; its tag is `2914`.
const TEXT: &[u8] = b"one\ntwo\nthree\nfour\nfive\n";

const APPLY: &[&str] = &["apply", "--format", "hashline"];
fn desk() -> Desk {
    Desk::with(&[("a", TEXT)])
}

/// Returns `operations` in a section of the file `name`, for the version that it has.
fn section(desk: &Desk, name: &str, operations: &str) -> String {
    format!(
        "[{name}#{}]\n{operations}",
        HashlineTag::of(&desk.bytes(name))
    )
}

/// Returns what `operations` make of a file with `text`.
fn made(text: &[u8], operations: &str) -> String {
    let desk = Desk::with(&[("a", text)]);
    desk.does(APPLY, section(&desk, "a", operations).as_bytes());
    String::from_utf8(desk.bytes("a")).unwrap()
}

/// Returns the error of a patch that is refused for a file with [`TEXT`].
fn refused(kind: &str, operations: &str) -> Value {
    let desk = desk();
    desk.refuses(kind, APPLY, section(&desk, "a", operations).as_bytes())
}

#[test]
fn s01_reading_gives_the_tag_and_numbered_lines() {
    let desk = desk();
    let numbered = "[a#2914]\n1:one\n2:two\n3:three\n4:four\n5:five\n";
    assert_eq!(
        desk.runs(&["read", "a", "--hashline"], b"").stdout,
        numbered.as_bytes()
    );
    assert_eq!(desk.does(&["read", "a", "--hashline"], b"")["tag"], "2914");
}

#[test]
fn s01_a_tag_is_of_the_text_not_of_its_ends_and_mark() {
    let same: [&[u8]; 4] = [
        b"one\ntwo\n",
        b"\xef\xbb\xbfone\ntwo\n",
        b"one\r\ntwo\r\n",
        b"one \ntwo\t \n",
    ];
    for text in same {
        let desk = Desk::with(&[("a", text)]);
        assert_eq!(
            desk.does(&["read", "a", "--hashline"], b"")["tag"],
            "0127",
            "{text:?}"
        );
    }
}

#[test]
fn s02_lines_are_replaced_put_in_and_cut() {
    assert_eq!(made(TEXT, "PUT 2.=3:\n+TWO\n"), "one\nTWO\nfour\nfive\n");
    assert_eq!(
        made(TEXT, "PUT <1:\n+zero\n"),
        "zero\none\ntwo\nthree\nfour\nfive\n"
    );
    assert_eq!(
        made(TEXT, "PUT >2:\n+2a\n+2b\n"),
        "one\ntwo\n2a\n2b\nthree\nfour\nfive\n"
    );
    assert_eq!(
        made(TEXT, "PUT >$:\n+six\n"),
        "one\ntwo\nthree\nfour\nfive\nsix\n"
    );
    assert_eq!(made(TEXT, "CUT 2.=3\n"), "one\nfour\nfive\n");
    assert_eq!(made(b"", "PUT >$:\n+one\n"), "one\n");
}

#[test]
fn s03_cut_lines_come_elsewhere() {
    assert_eq!(
        made(TEXT, "CUT 1.=1\nPUT >5\n"),
        "two\nthree\nfour\nfive\none\n"
    );
    assert_eq!(
        made(TEXT, "CUT 1.=2 @x\nPUT >4 @x\n"),
        "three\nfour\none\ntwo\nfive\n"
    );
}

#[test]
fn s03_cut_lines_come_to_another_file() {
    let desk = Desk::with(&[("a", TEXT), ("b", b"B\r\n")]);
    let patch = section(&desk, "a", "CUT 1.=2 @x\n") + &section(&desk, "b", "PUT <1 @x\n");
    desk.does(APPLY, patch.as_bytes());
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (
            b"three\nfour\nfive\n".to_vec(),
            b"one\r\ntwo\r\nB\r\n".to_vec()
        )
    );
}

#[test]
fn s04_numbers_mean_the_original_text() {
    let after = made(
        TEXT,
        "CUT 1.=1\nPUT 3.=3:\n+THREE\nPUT >4:\n+4a\nPUT <3:\n+2a\n",
    );
    assert_eq!(after, "two\n2a\nTHREE\nfour\n4a\nfive\n");
}

#[test]
fn s04_a_row_is_what_follows_its_sign() {
    assert_eq!(
        made(TEXT, "PUT 2.=4:\n++ item\n+\n+- x\n+ y \n"),
        "one\n+ item\n\n- x\n y \nfive\n"
    );
}

#[test]
fn s05_what_cannot_be_meant_is_refused() {
    refused("overlap", "PUT 1.=3:\n+x\nCUT 3.=4\n");
    refused("overlap", "PUT 2.=4:\n+x\nPUT >2:\n+y\n");
    refused("parse", "PUT 3.=2:\n+x\n");
    refused("parse", "PUT 0.=2:\n+x\n");
    refused("not_found", "PUT 5.=6:\n+x\n");
    refused("not_found", "PUT >6:\n+x\n");
    for patch in [
        "[a]\nPUT 1.=1:\n+x\n",
        "[a#29]\nPUT 1.=1:\n+x\n",
        "PUT 1.=1:\n+x\n",
    ] {
        desk().refuses("parse", APPLY, patch.as_bytes());
    }
}

#[test]
fn s06_another_version_is_stale_and_its_lines_are_shown() {
    let error = desk().refuses("stale", APPLY, b"[a#0000]\nPUT 5.=5:\n+x\n");
    let line = |line: usize, text: &str| json!({ "line": line, "text": text });
    assert_eq!(
        (&error["path"], &error["actual_tag"]),
        (&json!("a"), &json!("2914"))
    );
    assert_eq!(
        error["around"],
        json!([line(3, "three"), line(4, "four"), line(5, "five")])
    );
}

#[test]
fn s07_a_file_goes() {
    let desk = desk();
    let report = desk.does(APPLY, b"[a#2914]\nREM\n");
    assert_eq!(
        (&report["files"][0]["op"], desk.path("a").exists()),
        (&json!("delete"), false)
    );
}

#[test]
fn s07_a_file_moves_with_the_edits_above() {
    let desk = desk();
    let report = desk.does(APPLY, b"[a#2914]\nCUT 2.=5\nMV d/b\n");
    let file = &report["files"][0];
    assert_eq!(
        (&file["op"], &file["from"], &file["path"]),
        (&json!("rename"), &json!("a"), &json!("d/b"))
    );
    assert_eq!(
        (desk.bytes("d/b"), desk.path("a").exists()),
        (b"one\n".to_vec(), false)
    );
}

#[test]
fn s07_a_move_onto_a_file_is_refused() {
    let desk = Desk::with(&[("a", TEXT), ("b", b"B\n")]);
    desk.refuses("exists", APPLY, b"[a#2914]\nCUT 1.=1\nMV b\n");
    desk.refuses("outside_root", APPLY, b"[a#2914]\nMV ../b\n");
}

#[test]
fn s08_line_ends_mark_and_last_line_stay() {
    assert_eq!(
        made(b"one\r\ntwo\r\n", "PUT 2.=2:\n+TWO\n+x\n"),
        "one\r\nTWO\r\nx\r\n"
    );
    assert_eq!(
        made(b"one\r\ntwo\nthree\r\n", "PUT 2.=2:\n+TWO\n"),
        "one\r\nTWO\nthree\r\n"
    );
    assert_eq!(
        made("\u{feff}one\ntwo\n".as_bytes(), "PUT <1:\n+zero\n"),
        "\u{feff}zero\none\ntwo\n"
    );
    assert_eq!(made(b"one\ntwo", "PUT >$:\n+three\n"), "one\ntwo\nthree");
    assert_eq!(made(b"one  \ntwo\t\n", "PUT 2.=2:\n+TWO\n"), "one  \nTWO\n");
}

#[test]
fn s09_a_stale_second_section_stops_the_first() {
    let desk = Desk::with(&[("a", TEXT), ("b", b"B\n")]);
    let error = desk.refuses("stale", APPLY, b"[a#2914]\nCUT 1.=1\n[b#0000]\nCUT 1.=1\n");
    assert_eq!(error["path"], "b");
    desk.does(
        APPLY,
        (section(&desk, "a", "CUT 1.=1\n") + &section(&desk, "b", "PUT <1:\n+A\n")).as_bytes(),
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (TEXT[4..].to_vec(), b"A\nB\n".to_vec())
    );
}

#[test]
fn s09_a_second_write_that_fails_takes_the_first_back() {
    let named = |name: &str| RelPath::new(name.as_bytes()).unwrap();
    let patch = format!(
        "[a#2914]\nCUT 1.=1\n[b#{}]\nPUT <1:\n+A\n",
        HashlineTag::of(b"B\n")
    );
    let (mut met, mut verb) = (0, 0);
    loop {
        let memory = Memory::with_files([
            (named("a"), Entry::file(TEXT)),
            (named("b"), Entry::file("B\n")),
        ]);
        let before = memory.files();
        memory.inject(FaultInjection {
            verb,
            kind: FaultKind::TransientError,
        });
        let outcome = engine::apply(Request::of(patch.as_str()), &memory, &Interrupt::new());
        if !memory.has_failed() {
            break assert!(outcome.report.ok && met > 10, "{met} of {verb}");
        }
        if !outcome.report.ok {
            met += 1;
            assert_eq!(memory.files(), before, "verb {verb}");
        }
        verb += 1;
    }
}

#[test]
fn s11_the_result_has_the_tag_for_the_next_edit() {
    let desk = Desk::with(&[("a", TEXT), ("b", b"B\n")]);
    let patch = section(&desk, "a", "PUT 2.=3:\n+TWO\n") + &section(&desk, "b", "PUT >1:\n+C\n");
    let report = desk.does(APPLY, patch.as_bytes());
    let tags: Vec<_> = (0..2)
        .map(|file| report["files"][file]["tag"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        tags,
        ["E66C".to_owned(), HashlineTag::of(b"B\nC\n").to_string()]
    );
    desk.does(
        APPLY,
        format!("[a#{}]\nCUT 1.=1\n[b#{}]\nCUT 1.=1\n", tags[0], tags[1]).as_bytes(),
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"TWO\nfour\nfive\n".to_vec(), b"C\n".to_vec())
    );
}

#[test]
fn s13_a_block_by_its_first_line_is_never_guessed() {
    for operations in ["PUT 2*:\n+x\n", "CUT 2*\n", "PUT >2*:\n+x\n", "CUT 2* @x\n"] {
        for name in ["a", "a.json", "a.kt"] {
            let desk = Desk::with(&[(name, TEXT)]);
            let error = desk.refuses(
                "unsupported",
                APPLY,
                section(&desk, name, operations).as_bytes(),
            );
            assert!(
                error["message"]
                    .as_str()
                    .unwrap()
                    .starts_with("the symbols of the file are unknown"),
                "{error:#}"
            );
        }
    }
}

#[test]
fn s14_a_tag_may_collide_and_a_digest_does_not() {
    let desk = desk();
    let patch = b"[a#2914]\nPUT 2.=2:\n+TWO\n";
    let expecting = |hash: &str| {
        [APPLY, &["--expect-hash", hash]]
            .concat()
            .iter()
            .map(|&s| s.to_owned())
            .collect()
    };
    let sha256 = desk.does(&["read", "a"], b"")["sha256"]
        .as_str()
        .unwrap()
        .to_owned();
    let refused: Vec<String> = expecting(&format!("sha256:{}", "0".repeat(64)));
    let refused: Vec<_> = refused.iter().map(String::as_str).collect();
    let error = desk.refuses("stale", &refused, patch);
    assert_eq!(error["actual"], json!(sha256));
    desk.refuses(
        "usage",
        &refused,
        b"[a#2914]\nCUT 1.=1\n[b#2914]\nCUT 1.=1\n",
    );
    let taken: Vec<String> = expecting(&sha256);
    let report = desk.does(&taken.iter().map(String::as_str).collect::<Vec<_>>(), patch);
    assert_eq!(
        report["files"][0]["tag"],
        HashlineTag::of(&desk.bytes("a")).to_string()
    );
}

#[test]
fn s14_an_approval_is_of_the_contents() {
    // Blanks at the ends of lines are not in the tag.
    let desk = desk();
    let patch = b"[a#2914]\nPUT 2.=2:\n+TWO\n";
    let plan = desk.does(&["check", "--format", "hashline"], patch)["plan_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let approved = [APPLY, &["--approve", &plan]].concat();
    fs::write(desk.path("a"), b"one\ntwo\nthree\nfour\nfive  \n").unwrap();
    desk.refuses("stale", &approved, patch);
    fs::write(desk.path("a"), TEXT).unwrap();
    desk.does(&approved, patch);
}
