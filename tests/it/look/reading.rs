//! `read`: a file, lines of it, and their formats.

use fs_err as fs;
use serde_json::json;

use super::{fields, found, printed, root, run};

#[cfg(unix)]
#[test]
fn a_file_comes_out_as_it_is_or_by_lines() {
    let (_directory, root) = root();
    let read = |arguments: &[&str]| {
        printed(&root, &[&["read"], arguments].concat())
            .0
            .escape_ascii()
            .to_string()
    };
    assert_eq!(read(&["binary"]), r"\xff\xfe\x00");
    assert_eq!(read(&["crlf", "--lines", "2-3"]), r"two\r\nthree");
    assert_eq!(read(&["crlf", "--lines", "2"]), r"two\r\n");
    assert_eq!(read(&["crlf", "--lines", "3-"]), "three");
    assert_eq!(read(&["crlf", "--lines", "9-12"]), "");
    assert_eq!(
        read(&["crlf", "--number", "--lines", "2-3"]),
        r"     2\ttwo\r\n     3\tthree"
    );
    assert_eq!(read(&["in/a.rs"]), r"fn a() {}\n");
    assert_eq!(
        read(&[root.join("src/a.rs").to_str().unwrap()]),
        r"fn a() {}\n"
    );
}

#[test]
fn json_says_what_a_guard_and_an_editor_need() {
    let (_directory, root) = root();
    let names = [
        "path",
        "size",
        "encoding",
        "eol",
        "bom",
        "lines",
        "first_line",
        "truncated",
        "content",
    ];
    let document = found(&root, &["read", "crlf"]);
    let all = json!([
        "crlf",
        15,
        "utf-8",
        "crlf",
        false,
        3,
        1,
        false,
        "one\r\ntwo\r\nthree"
    ]);
    assert_eq!(fields(&document, &names), all);
    let digest = document["sha256"].as_str().unwrap();
    let edit = [
        "edit",
        "crlf",
        "--old",
        "two",
        "--new",
        "2",
        "--expect-hash",
        digest,
    ];
    assert_eq!(
        run(&root, &edit).status.code(),
        Some(0),
        "the digest is that of the guard"
    );
    let document = found(&root, &["read", "binary"]);
    assert_eq!(
        fields(&document, &["encoding", "content", "lines", "eol"]),
        json!(["base64", "//4A", 1, "none"])
    );
    fs::write(root.join("mark"), b"\xef\xbb\xbfa\nb\r\n").unwrap();
    let document = found(&root, &["read", "mark", "--lines", "2-2"]);
    let told = fields(
        &document,
        &["bom", "eol", "first_line", "offset", "content"],
    );
    assert_eq!(told, json!([true, "mixed", 2, 5, "b\r\n"]));
}

#[test]
fn reading_on_leaves_nothing_out_and_gives_nothing_twice() {
    let (_directory, root) = root();
    let text = "aé€😀\nß".repeat(3000);
    fs::write(root.join("text"), &text).unwrap();
    for cap in ["--length", "--max-output"] {
        for most in [1, 7, 8192, 50_000] {
            let (mut read, mut offset, most_text) = (Vec::new(), 0_u64, most.to_string());
            let limit = if most < 100 { 60 } else { text.len() as u64 };
            while offset < limit {
                let from = offset.to_string();
                let document = found(&root, &["read", "text", "--offset", &from, cap, &most_text]);
                assert_eq!(document["offset"], offset);
                let content = document["content"].as_str().unwrap();
                if document["encoding"] == "utf-8" {
                    assert!(content.len() <= most);
                    read.extend_from_slice(content.as_bytes());
                } else {
                    assert_eq!(most, 1, "only a piece smaller than a character is no text");
                    read.push(text.as_bytes()[usize::try_from(offset).unwrap()]);
                }
                assert_eq!(document["truncated"], !document["next_offset"].is_null());
                offset = document["next_offset"]
                    .as_u64()
                    .unwrap_or(text.len() as u64);
            }
            assert_eq!(read, text.as_bytes()[..read.len()], "{cap} {most}");
            assert_eq!(read.len() as u64, offset);
        }
    }
    let document = found(&root, &["read", "crlf", "--offset", "2", "--length", "3"]);
    let told = fields(&document, &["content", "size", "next_offset", "truncated"]);
    assert_eq!(told, json!(["e\r\n", 15, 5, true]));
    let document = found(&root, &["read", "crlf", "--offset", "99"]);
    assert_eq!(
        fields(&document, &["content", "next_offset"]),
        json!(["", null])
    );
}

#[test]
fn a_note_names_the_rest_that_a_limit_cut() {
    let (_directory, root) = root();
    fs::write(root.join("long"), "x".repeat(70_000)).unwrap();
    assert_eq!(
        found(&root, &["read", "long", "--offset", "0"])["next_offset"],
        65_536
    );
    let told = |arguments: &[&str]| String::from_utf8(run(&root, arguments).stderr).unwrap();
    assert_eq!(
        told(&["read", "long", "--offset", "0"]),
        "wpatch: the file continues; use --offset 65536 for the rest\n"
    );
    for (arguments, note) in [
        (&["--lines", "2-2", "--max-output", "1000"][..], ""),
        (
            &["--lines", "2-3", "--max-lines", "1"],
            "wpatch: the file continues; use --lines 3- for the rest\n",
        ),
        (&["--offset", "1", "--length", "2", "--max-lines", "9"], ""),
    ] {
        let arguments = [&["read", "crlf"], arguments].concat();
        assert_eq!(told(&arguments), note, "{arguments:?}");
    }
    assert_eq!(
        told(&["read", "long", "--offset", "0", "--length", "65536"]),
        "",
        "that is what was asked for"
    );
    let output = run(&root, &["read", "greek", "--max-output", "3"]);
    assert_eq!(
        (output.stdout.as_slice(), output.stderr.is_empty()),
        ("α".as_bytes(), false)
    );
}

#[test]
fn numbered_lines_have_their_limits() {
    let (_directory, root) = root();
    fs::write(root.join("many"), "x\n".repeat(2500)).unwrap();
    let document = found(&root, &["read", "many", "--number"]);
    assert!(
        document["content"]
            .as_str()
            .unwrap()
            .ends_with("  2000\tx\n")
    );
    assert_eq!(
        fields(&document, &["next_offset", "lines_cut"]),
        json!([4000, 0])
    );
    let document = found(
        &root,
        &[
            "read",
            "many",
            "--number",
            "--offset",
            "4000",
            "--max-lines",
            "2",
        ],
    );
    assert_eq!(document["content"], "  2001\tx\n  2002\tx\n");
    fs::write(root.join("wide"), format!("{}\nshort\n", "é".repeat(2001))).unwrap();
    let document = found(&root, &["read", "wide", "--number"]);
    let shown = format!("     1\t{}\n     2\tshort\n", "é".repeat(2000));
    assert_eq!(
        fields(&document, &["content", "lines_cut", "truncated"]),
        json!([shown, 1, false])
    );
    assert_eq!(
        printed(&root, &["read", "wide"]).0.len(),
        2001 * 2 + 7,
        "the file itself is not cut"
    );
    let document = found(&root, &["read", "wide", "--number", "--max-output", "10"]);
    assert_eq!(
        fields(&document, &["content", "next_offset", "lines_cut"]),
        json!(["     1\té", 4003, 1])
    );
    fs::write(
        root.join("latin"),
        [vec![0x80; 2001], b"\n".to_vec()].concat(),
    )
    .unwrap();
    assert_eq!(found(&root, &["read", "latin", "--number"])["lines_cut"], 1);
}

#[test]
fn hashline_names_the_version_and_each_line() {
    let (_directory, root) = root();
    fs::write(root.join("a.txt"), b"\xef\xbb\xbfone  \r\ntwo\t\n").unwrap();
    assert_eq!(
        printed(&root, &["read", "a.txt", "--hashline"]).0,
        b"[a.txt#0127]\n1:one  \n2:two\t\n"
    );
    let document = found(&root, &["read", "a.txt", "--hashline", "--lines", "2-2"]);
    assert_eq!(
        fields(&document, &["tag", "content"]),
        json!(["0127", "[a.txt#0127]\n2:two\t\n"])
    );
    let document = found(&root, &["read", "a.txt", "--hashline", "--max-output", "3"]);
    assert_eq!(
        fields(&document, &["content", "next_offset", "lines_cut"]),
        json!(["[a.", 10, 1]),
        "it goes on"
    );
    fs::write(root.join("a.txt"), "one\ntwo\n").unwrap();
    assert_eq!(
        found(&root, &["read", "a.txt", "--hashline"])["tag"],
        "0127",
        "blanks and line ends do not count"
    );
}

#[test]
fn a_text_is_read_from_its_encoding() {
    let (_directory, root) = root();
    for label in ["gb18030", "auto"] {
        let document = found(&root, &["read", "gb", "--encoding", label]);
        assert_eq!(
            (&document["content"], &document["size"]),
            (&json!("名称 x\n"), &json!(7))
        );
        assert!(["gb18030", "gbk"].contains(&document["encoding"].as_str().unwrap()));
    }
    assert_eq!(
        printed(&root, &["read", "gb", "--encoding", "gbk"]).0,
        "名称 x\n".as_bytes()
    );
    assert_eq!(
        found(&root, &["read", "greek", "--encoding", "auto"])["encoding"],
        "utf-8"
    );
    assert_eq!(
        found(&root, &["read", "gb", "--encoding", "utf-8"])["error"]["kind"],
        "encoding"
    );
    assert_eq!(
        found(&root, &["read", "gb", "--encoding", "klingon"])["error"]["kind"],
        "usage"
    );
}
