//! Statements 8 to 12: what can be seen of files and directories.

use fs_err as fs;
use serde_json::{Value, json};

use super::super::Desk;

use crate::world;

#[test]
fn s08_numbered_lines_stand_behind_six_digits_and_a_tab() {
    let desk = Desk::with(&[("f", b"one\ntwo\nthree\nfour\n")]);
    let output = desk.runs(&["read", "f", "--number", "--lines", "2-3"], b"");
    assert_eq!(output.stdout, b"     2\ttwo\n     3\tthree\n");
}

#[test]
fn s08_a_long_text_is_read_in_pieces_without_gap_or_overlap() {
    const MAX: usize = 50_000;
    // Characters of four, three and two bytes, so that a cut at any even number of bytes hits one
    // somewhere.
    let text: String = (0..)
        .map(|line| format!("{line} \u{1f600}€é\n"))
        .take(20_000)
        .collect();
    assert!(text.len() > 300_000);
    let desk = Desk::with(&[("f", text.as_bytes())]);
    let (mut whole, mut offset, mut shorter) = (String::new(), 0, 0);
    loop {
        let extract = desk.does(
            &[
                "read",
                "f",
                "--max-output",
                &MAX.to_string(),
                "--offset",
                &offset.to_string(),
            ],
            b"",
        );
        let piece = extract["content"].as_str().unwrap();
        assert!(
            piece.len() <= MAX && extract["encoding"] == "utf-8",
            "{}",
            piece.len()
        );
        whole.push_str(piece);
        assert_eq!(extract["truncated"], json!(whole.len() < text.len()));
        shorter += usize::from(piece.len() < MAX);
        match extract["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
        assert_eq!(offset, whole.len() as u64);
    }
    assert!(whole == text && shorter > 1);
    let first = desk.does(&["read", "f", "--max-output", "50000"], b"");
    assert_eq!(
        first["next_offset"],
        json!(first["content"].as_str().unwrap().len())
    );
    assert_eq!(first["truncated"], true);
}

#[test]
fn s09_bytes_that_are_no_text_come_as_base64() {
    let desk = Desk::with(&[("f", b"\xff\xfe\0")]);
    let extract = desk.does(&["read", "f"], b"");
    assert_eq!(
        (&extract["encoding"], &extract["content"]),
        (&json!("base64"), &json!("//4A"))
    );
}

#[cfg(unix)]
#[test]
fn s10_a_directory_is_listed_by_bytes_with_types_and_sizes() {
    let desk = Desk::with(&[("b", b"12"), ("Z", b""), ("a/x", b"x"), (".hidden", b"")]);
    world::link("nowhere", desk.path("link")).unwrap();
    world::fifo(desk.path("pipe"));
    let shown = |arguments: &[&str]| {
        let mut listing = desk.does(arguments, b"");
        let entries = listing["entries"].as_array_mut().unwrap();
        let told = |entry: &Value| json!([entry["name"], entry["type"], entry["size"]]);
        (
            entries.iter().map(told).collect::<Vec<_>>(),
            listing["truncated"].clone(),
        )
    };
    let all = [
        json!(["Z", "file", 0]),
        json!(["a", "dir", null]),
        json!(["b", "file", 2]),
        json!(["link", "symlink", 7]),
        json!(["pipe", "other", null]),
    ];
    assert_eq!(shown(&["list"]), (all.to_vec(), json!(false)));
    assert_eq!(
        shown(&["list", "--max", "2"]),
        (all[..2].to_vec(), json!(true))
    );
    assert_eq!(shown(&["list", "--max", "5"]).1, json!(false));
    let hidden = shown(&["list", "--hidden"]).0;
    assert_eq!(
        (hidden.len(), &hidden[0]),
        (6, &json!([".hidden", "file", 0]))
    );
}

#[test]
fn s11_two_files_are_compared_as_a_unified_diff() {
    let lines = |changed: &str| ["=\n".repeat(4), format!("{changed}\n"), "=\n".repeat(4)].concat();
    let desk = Desk::with(&[
        ("a", lines("old").as_bytes()),
        ("b", lines("new").as_bytes()),
    ]);
    let printed = |arguments: &[&str]| {
        let output = desk.runs(arguments, b"");
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let three = "--- a\n+++ b\n@@ -2,7 +2,7 @@\n =\n =\n =\n-old\n+new\n =\n =\n =\n";
    assert_eq!(printed(&["diff", "a", "b"]), (Some(1), three.to_owned()));
    assert_eq!(printed(&["diff", "a", "a"]), (Some(0), String::new()));
    let none = "--- before\n+++ after\n@@ -5 +5 @@\n-old\n+new\n";
    let labelled = [
        "diff",
        "a",
        "b",
        "--context",
        "0",
        "--label-a",
        "before",
        "--label-b",
        "after",
    ];
    assert_eq!(printed(&labelled), (Some(1), none.to_owned()));
    desk.refuses("usage", &["diff", "a", "b", "--context", "21"], b"");
    assert_eq!(printed(&["diff", "a", "b", "--context", "20"]).0, Some(1));
    let told = desk.does(&["diff", "a", "b"], b"");
    let fields = [
        "identical",
        "lines_a",
        "lines_b",
        "added",
        "removed",
        "truncated",
        "diff",
    ]
    .map(|key| told[key].clone());
    assert_eq!(json!(fields), json!([false, 9, 9, 1, 1, false, three]));
    let told = desk.does(&["diff", "a", "a"], b"");
    assert_eq!(
        (&told["identical"], &told["diff"]),
        (&json!(true), &json!(""))
    );
}

#[test]
fn s11_what_is_too_large_to_compare_is_refused_and_a_long_diff_is_cut() {
    let (most, text) = (vec![b'\n'; 4 << 20], "some text\n".repeat(250_000));
    let desk = Desk::with(&[
        ("most", &most),
        ("over", &[&most[..], b"\n"].concat()),
        ("text", text.as_bytes()),
        ("no", b""),
    ]);
    let error = desk.refuses("too_large", &["diff", "over", "no"], b"");
    assert_eq!(
        json!([error["path"], error["limit"], error["size"]]),
        json!(["over", 4 << 20, (4 << 20) + 1])
    );
    desk.refuses("too_large", &["diff", "no", "over"], b"");
    assert_eq!(desk.does(&["diff", "most", "most"], b"")["identical"], true);
    let told = desk.does(&["diff", "no", "text"], b"");
    let diff = told["diff"].as_str().unwrap();
    assert!(
        diff.len() <= 2 << 20 && diff.len() > (2 << 20) - 20 && diff.ends_with("\n+some text\n"),
        "{}",
        diff.len()
    );
    assert_eq!(told["truncated"], true);
}

#[test]
fn s12_a_missing_last_newline_is_said_and_comes_back() {
    for (before, after) in [
        ("one\ntwo", "one\n2"),
        ("one\ntwo\n", "one\ntwo"),
        ("one\ntwo", "one\ntwo\n"),
    ] {
        let desk = Desk::with(&[("a", before.as_bytes()), ("b", after.as_bytes())]);
        let diff = desk.runs(&["diff", "a", "b", "--label-b", "a"], b"").stdout;
        let notes = memchr::memmem::find_iter(&diff, b"\n\\ No newline at end of file\n").count();
        let open = [before, after]
            .iter()
            .filter(|text| !text.ends_with('\n'))
            .count();
        assert_eq!(notes, open, "{}", diff.escape_ascii());
        desk.does(&["apply", "-p0"], &diff);
        assert_eq!(desk.bytes("a"), fs::read(desk.path("b")).unwrap());
    }
}
