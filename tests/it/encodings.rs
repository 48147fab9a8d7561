//! Texts that are replaced in files which are not UTF-8.

use fs_err as fs;
use serde_json::json;
use tempfile::TempDir;

use crate::verbs::run;

const GB: &[u8] = b"\xc3\xfb\xb3\xc6: \xff \xc3\xfb\xb3\xc6\r\n\x95\x32\x82\x36 x\r\n";

#[test]
fn a_text_is_replaced_in_the_encoding_of_the_file() {
    let root = TempDir::new().unwrap();
    let file = root.path().join("f");
    fs::write(&file, GB).unwrap();
    let report = run(
        root.path(),
        &[
            "edit",
            "f",
            "--encoding",
            "gb18030",
            "--old",
            "称\n",
            "--new",
            "字\n",
        ],
        "",
    );
    assert_eq!(
        json!([report["changed"], report["files"][0]["encoding"]]),
        json!([true, "gb18030"])
    );
    assert_eq!(
        fs::read(&file).unwrap(),
        b"\xc3\xfb\xb3\xc6: \xff \xc3\xfb\xd7\xd6\r\n\x95\x32\x82\x36 x\r\n"
    );
    fs::write(
        root.path().join("edits"),
        r#"[{"old": "名", "new": "x", "all": true}, {"old": "x称", "new": "é"}]"#,
    )
    .unwrap();
    let report = run(
        root.path(),
        &[
            "edit",
            "f",
            "--encoding",
            "gb18030",
            "--edits",
            "edits",
            "--sequential",
        ],
        "",
    );
    assert_eq!(report["files"][0]["replacements"], 3);
    assert_eq!(
        fs::read(&file).unwrap(),
        b"\xa8\xa6: \xff x\xd7\xd6\r\n\x95\x32\x82\x36 x\r\n"
    );
}

#[test]
fn no_text_is_found_in_the_middle_of_a_character() {
    let root = TempDir::new().unwrap();
    // The second byte of the first character is a vertical line in ASCII.
    fs::write(root.path().join("f"), b"\x83\x7c|\n").unwrap();
    let report = run(
        root.path(),
        &[
            "edit",
            "f",
            "--encoding",
            "shift_jis",
            "--old",
            "|",
            "--new",
            "-",
        ],
        "",
    );
    assert_eq!(report["ok"], true);
    assert_eq!(fs::read(root.path().join("f")).unwrap(), b"\x83\x7c-\n");
}

#[test]
fn files_of_two_byte_units_are_texts_in_their_encoding() {
    let root = TempDir::new().unwrap();
    let utf_16 = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>()
    };
    fs::write(root.path().join("f"), utf_16("\u{feff}one\r\ntwo\r\n")).unwrap();
    assert_eq!(
        run(
            root.path(),
            &["edit", "f", "--old", "two", "--new", "2"],
            ""
        )["error"]["kind"],
        "binary"
    );
    let report = run(
        root.path(),
        &[
            "edit",
            "f",
            "--encoding",
            "auto",
            "--old",
            "two\n",
            "--new",
            "2\n3\n",
        ],
        "",
    );
    let file = &report["files"][0];
    assert_eq!(
        json!([file["encoding"], file["added"], file["removed"]]),
        json!(["utf-16le", 2, 1])
    );
    assert_eq!(
        fs::read(root.path().join("f")).unwrap(),
        utf_16("\u{feff}one\r\n2\r\n3\r\n")
    );
}

#[test]
fn what_cannot_be_written_is_refused() {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("f"), b"caf\xe9\n").unwrap();
    let cases: [(&[&str], &str); 5] = [
        (
            &["--encoding", "latin1", "--old", "café", "--new", "名"],
            "encoding",
        ),
        (
            &["--encoding", "latin1", "--old", "名", "--new", "x"],
            "encoding",
        ),
        (
            &["--encoding", "klingon", "--old", "caf", "--new", "x"],
            "encoding",
        ),
        (
            &["--encoding", "iso-2022-jp", "--old", "caf", "--new", "x"],
            "encoding",
        ),
        (
            &["--encoding", "latin1", "--old", "cafe", "--new", "x"],
            "not_found",
        ),
    ];
    for (arguments, kind) in cases {
        let report = run(root.path(), &[&["edit", "f"], arguments].concat(), "");
        assert_eq!(
            json!([report["ok"], report["changed"], report["error"]["kind"]]),
            json!([false, false, kind]),
            "{arguments:?}"
        );
        assert_eq!(fs::read(root.path().join("f")).unwrap(), b"caf\xe9\n");
    }
    assert_eq!(
        run(
            root.path(),
            &[
                "edit",
                "f",
                "--encoding",
                "latin1",
                "--old",
                "é",
                "--new",
                "è"
            ],
            ""
        )["ok"],
        true
    );
    assert_eq!(fs::read(root.path().join("f")).unwrap(), b"caf\xe8\n");
}

#[test]
fn no_text_in_utf_8_is_appended_to_a_file_in_utf_16() {
    let root = TempDir::new().unwrap();
    let file = root.path().join("f");
    let envelope =
        |lines: &str| format!("*** Begin Patch\n*** Update File: f\n@@\n{lines}*** End Patch\n");
    for unit in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        let utf_16 = |text: &str| text.encode_utf16().flat_map(unit).collect::<Vec<_>>();
        let content = utf_16("\u{feff}one\r\n");
        fs::write(&file, &content).unwrap();
        let cases: [(&[&str], &str); 6] = [
            (&["append", "f", "--content", "two", "--line"], ""),
            (&["append", "f", "--content", "two"], ""),
            (&["edit", "f", "--insert-after", "1", "--new", "two"], ""),
            (&["apply"], &envelope("+two\n")),
            (&["apply"], &envelope("+two\n*** End of File\n")),
            (
                &["apply"],
                r#"{"type": "update_file", "path": "f", "diff": "+two"}"#,
            ),
        ];
        for (arguments, input) in cases {
            let report = run(root.path(), arguments, input);
            let error = &report["error"];
            assert_eq!(
                json!([error["kind"], error["cause"]["kind"]]),
                json!(["binary", "encoding"]),
                "{arguments:?}"
            );
            assert_eq!(fs::read(&file).unwrap(), content, "{arguments:?} {input}");
        }
        let options = ["--line", "--content", "two", "--encoding", "auto"];
        assert_eq!(
            run(root.path(), &[&["append", "f"][..], &options].concat(), "")["ok"],
            true
        );
        assert_eq!(fs::read(&file).unwrap(), utf_16("\u{feff}one\r\ntwo\r\n"));
        fs::write(root.path().join("bytes"), utf_16("three\r\n")).unwrap();
        assert_eq!(
            run(root.path(), &["append", "f", "--content-file", "bytes"], "")["ok"],
            true
        );
        assert_eq!(
            fs::read(&file).unwrap(),
            utf_16("\u{feff}one\r\ntwo\r\nthree\r\n")
        );
    }
}
