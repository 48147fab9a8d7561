//! The commands that look: `read`, `list` and `diff`, on a disk.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Returns a directory with files, and one beside it that nothing may look at.
fn root() -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::create_dir(root.join(".git")).unwrap();
    fs::create_dir(directory.path().join("outside")).unwrap();
    let files: [(&str, &[u8]); 8] = [
        ("../outside/file", b"secret\n"),
        (".git/config", b"secret\n"),
        ("crlf", b"one\r\ntwo\r\nthree"),
        ("greek", "αβγδ\n".as_bytes()),
        ("binary", b"\xff\xfe\0"),
        ("gb", b"\xc3\xfb\xb3\xc6 x\n"),
        ("src/a.rs", b"fn a() {}\n"),
        ("src/deep/b.toml", b"b = 1\n"),
    ];
    for (name, bytes) in files {
        fs::write(root.join(name), bytes).unwrap();
    }
    symlink("../outside/file", root.join("out")).unwrap();
    symlink("src", root.join("in")).unwrap();
    (directory, root)
}

fn run(root: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wpatch"));
    command
        .current_dir(root)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Returns what a command prints that has nothing to say besides, and its exit code.
fn printed(root: &Path, arguments: &[&str]) -> (Vec<u8>, Option<i32>) {
    let output = run(root, arguments);
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "",
        "{arguments:?}"
    );
    (output.stdout, output.status.code())
}

/// Returns the document that a command prints, after comparing it with the schema that it is to
/// keep to.
fn found(root: &Path, arguments: &[&str]) -> Value {
    let output = run(root, &[arguments, &["--json"]].concat());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = if document["ok"] == true {
        arguments[0]
    } else {
        "report"
    };
    let schema = wpatch::report::SCHEMAS
        .iter()
        .find(|schema| schema.name == name)
        .unwrap();
    assert!(
        jsonschema::is_valid(&serde_json::from_str(&(schema.text)()).unwrap(), &document),
        "{document:#}"
    );
    document
}

/// Returns some fields of a document.
fn fields(document: &Value, names: &[&str]) -> Value {
    names.iter().map(|&name| document[name].clone()).collect()
}

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
    fs::write(root.join("long"), "x".repeat(70_000)).unwrap();
    assert_eq!(
        found(&root, &["read", "long", "--offset", "0"])["next_offset"],
        65_536
    );
    let told = |arguments: &[&str]| String::from_utf8(run(&root, arguments).stderr).unwrap();
    assert_eq!(
        told(&["read", "long", "--offset", "0"]),
        "wpatch: the file continues: --offset 65536\n"
    );
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

#[test]
fn what_cannot_be_looked_at_says_why() {
    let (directory, root) = root();
    let outside = directory.path().join("outside/file");
    let outside = outside.to_str().unwrap();
    fs::write(root.join("five"), "12345").unwrap();
    fs::write(root.join("large"), vec![b'x'; (4 << 20) + 1]).unwrap();
    let deep = "{a,".repeat(300) + &"}".repeat(300);
    let cases: [(&[&str], &str); 23] = [
        (&["read", "nope"], "missing"),
        (&["read", "crlf/x"], "missing"),
        (&["read", "src"], "not_a_file"),
        (&["read", "."], "not_a_file"),
        (&["read", "five", "--max-bytes", "4"], "too_large"),
        (&["read", "binary", "--number"], "binary"),
        (&["read", "binary", "--hashline"], "binary"),
        (&["read", "out"], "outside_root"),
        (&["read", "../outside/file"], "outside_root"),
        (&["read", outside], "outside_root"),
        (&["read", ".git/config"], "denied"),
        (&["read", "five", "--lines", "0-1"], "usage"),
        (&["read", "five", "--lines", "3-2"], "usage"),
        (
            &["read", "five", "--lines", "1-2", "--offset", "1"],
            "usage",
        ),
        (&["list", "crlf"], "not_a_directory"),
        (&["list", "nope"], "missing"),
        (&["list", ".."], "outside_root"),
        (&["list", "--glob", "{a"], "usage"),
        (&["list", "--glob", &deep], "usage"),
        (&["diff", "five", "nope"], "missing"),
        (&["diff", "five", "large"], "too_large"),
        (&["diff", "five", "out"], "outside_root"),
        (&["diff", "five", "crlf", "--context", "21"], "usage"),
    ];
    for (arguments, kind) in cases {
        let document = found(&root, arguments);
        assert_eq!(
            (&document["ok"], &document["error"]["kind"]),
            (&json!(false), &json!(kind)),
            "{arguments:?}"
        );
        let output = run(&root, arguments);
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{arguments:?}"
        );
        assert_eq!(
            output.status.code().map(i64::from),
            document["exit_code"].as_i64(),
            "{arguments:?}"
        );
        assert!(
            arguments[0] != "diff" || output.status.code() == Some(2),
            "{arguments:?}"
        );
    }
    let limits = fields(
        &found(&root, &["read", "five", "--max-bytes", "4"])["error"],
        &["limit", "size"],
    );
    assert_eq!(limits, json!([4, 5]));
}

#[test]
fn a_directory_is_listed_by_name() {
    let (_directory, root) = root();
    let document = found(&root, &["list", "."]);
    let entries = document["entries"].as_array().unwrap();
    let told: Value = entries
        .iter()
        .map(|entry| fields(entry, &["name", "type", "size"]))
        .collect();
    let expected = json!([
        ["binary", "file", 3],
        ["crlf", "file", 15],
        ["gb", "file", 7],
        ["greek", "file", 9],
        ["in", "symlink", 3],
        ["out", "symlink", 15],
        ["src", "dir", null],
    ]);
    assert_eq!((told, &document["truncated"]), (expected, &json!(false)));
    assert_eq!(printed(&root, &["list", "in/"]).0, b"a.rs\ndeep/\n");
    assert_eq!(found(&root, &["list", "in"])["path"], "src");
    assert_eq!(
        found(&root, &["list", "--hidden"])["entries"][0]["name"],
        ".git"
    );
    for (most, is_truncated) in [("1", true), ("2", false)] {
        assert_eq!(
            found(&root, &["list", "src", "--max", most])["truncated"],
            is_truncated
        );
    }
}

#[test]
fn a_pattern_finds_what_lies_below_and_the_newest_first() {
    let (_directory, root) = root();
    let names = |arguments: &[&str]| -> Vec<String> {
        let document = found(&root, &[&["list"], arguments].concat());
        document["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["name"].as_str().unwrap().into())
            .collect()
    };
    assert_eq!(
        names(&["--glob", "**/*.{rs,toml}"]),
        ["src/a.rs", "src/deep/b.toml"]
    );
    assert_eq!(names(&["--glob", "src/*.{rs,toml}"]), ["src/a.rs"]);
    assert_eq!(names(&["src", "--glob", "*/*"]), ["deep/b.toml"]);
    fs::write(root.join(OsStr::from_bytes(b"caf\xe9.rs")), "").unwrap();
    assert_eq!(
        names(&["--glob", "caf?.rs"]),
        ["caf\\xe9.rs"],
        "a byte that is no text is one character"
    );
    assert_eq!(
        names(&["--hidden", "--glob", "**/config"]),
        [""; 0],
        "what is closed is not looked into"
    );
    let many = root.join("many");
    fs::create_dir(&many).unwrap();
    for number in 0..101_u32 {
        let file = fs::File::create(many.join(format!("{number:03}"))).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + u64::from(number));
        file.set_modified(time).unwrap();
    }
    let document = found(&root, &["list", "many", "--glob", "*", "--newest"]);
    let entries = document["entries"].as_array().unwrap();
    assert_eq!((entries.len(), &document["truncated"]), (100, &json!(true)));
    assert_eq!(
        fields(&entries[0], &["name", "modified"]),
        json!(["100", "1970-01-12T13:48:20Z"])
    );
    assert_eq!(names(&["many", "--newest", "--max", "2"]), ["100", "099"]);
    assert_eq!(
        names(&["many"]).len(),
        101,
        "without a pattern there is no limit"
    );
}

#[test]
fn two_files_are_compared_line_by_line() {
    let (_directory, root) = root();
    fs::write(root.join("a"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n").unwrap();
    fs::write(root.join("b"), "1\n2\n3\n4\nfive\n6\n7\n8\n9").unwrap();
    let diff = |arguments: &[&str]| {
        let (text, code) = printed(&root, &[&["diff", "a", "b"], arguments].concat());
        (String::from_utf8(text).unwrap(), code.unwrap())
    };
    let end = "\\ No newline at end of file\n";
    let text =
        format!("--- a\n+++ b\n@@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n-9\n+9\n{end}");
    assert_eq!(diff(&[]), (text.clone(), 1));
    let bare =
        format!("--- old/x\n+++ new x\t\n@@ -5 +5 @@\n-5\n+five\n@@ -9 +9 @@\n-9\n+9\n{end}");
    assert_eq!(
        diff(&["--context", "0", "--label-a", "old/x", "--label-b", "new x"]),
        (bare, 1)
    );
    let document = found(&root, &["diff", "a", "b"]);
    let names = [
        "identical",
        "binary",
        "lines_a",
        "lines_b",
        "added",
        "removed",
        "truncated",
        "diff",
    ];
    assert_eq!(
        fields(&document, &names),
        json!([false, false, 9, 9, 2, 2, false, text])
    );
    assert_eq!(printed(&root, &["diff", "a", "a"]), (Vec::new(), Some(0)));
    let document = found(&root, &["diff", "a", "b", "--max-bytes", "30"]);
    assert_eq!(
        fields(&document, &["truncated", "diff"]),
        json!([true, "--- a\n+++ b\n@@ -2,8 +2,8 @@\n"])
    );
    assert_eq!(
        printed(&root, &["diff", "a", "binary"]),
        (b"Binary files a and binary differ\n".to_vec(), Some(1))
    );
    assert_eq!(found(&root, &["diff", "a", "gb"])["encoding"], "base64");
}

#[test]
fn apply_takes_a_diff_back() {
    let (_directory, root) = root();
    let texts: [(&[u8], &[u8]); 6] = [
        (b"1\n2\n3\n", b"1\n2\n3"),
        (b"1\n2\n3", b"0\n1\nzwei\r\n3\n"),
        (b"", b"new"),
        (b"caf\xe9\nx\n", b"caf\xe9\ny\n"),
        (b"a\rb\nc\n", b"a\rb\nd\n"),
        (b"--- x\n+++ y\n", b"-- x\n@@ -1 +1 @@\n"),
    ];
    for (before, after) in texts {
        for context in ["0", "3"] {
            fs::write(root.join("file"), before).unwrap();
            fs::write(root.join("after"), after).unwrap();
            let labels = [
                "--label-a",
                "a/file",
                "--label-b",
                "b/file",
                "--context",
                context,
            ];
            let (diff, code) = printed(&root, &[&["diff", "file", "after"][..], &labels].concat());
            fs::write(root.join("diff"), &diff).unwrap();
            let output = run(
                &root,
                &["apply", "--whitespace=nowarn", "--unidiff-zero", "diff"],
            );
            let told = (
                code,
                output.status.code(),
                String::from_utf8(output.stderr).unwrap(),
            );
            assert_eq!(
                told,
                (Some(1), Some(0), String::new()),
                "{}",
                diff.escape_ascii()
            );
            assert_eq!(
                fs::read(root.join("file")).unwrap(),
                after,
                "{}",
                diff.escape_ascii()
            );
        }
    }
}
