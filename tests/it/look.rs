//! The commands that look: `read`, `list` and `diff`, on a disk.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, SystemTime};

use fs_err as fs;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::world;

mod reading;

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
    world::link_on_unix("../outside/file", root.join("out"));
    world::link_on_unix("src", root.join("in"));
    (directory, root)
}

fn run(root: &Path, arguments: &[&str]) -> Output {
    let mut command = world::wpatch();
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

#[cfg(unix)]
#[test]
fn what_cannot_be_looked_at_says_why() {
    let (directory, root) = root();
    let outside = directory.path().join("outside/file");
    let outside = outside.to_str().unwrap();
    fs::write(root.join("five"), "12345").unwrap();
    fs::write(root.join("large"), vec![b'x'; (4 << 20) + 1]).unwrap();
    let deep = "{a,".repeat(300) + &"}".repeat(300);
    let cases: [(&[&str], &str); 24] = [
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
        (&["diff", "five", "crlf", "--policy", "five"], "policy"),
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
}

#[test]
fn a_file_that_is_too_large_is_refused_with_its_size() {
    let (_directory, root) = root();
    fs::write(root.join("five"), "12345").unwrap();
    let limits = fields(
        &found(&root, &["read", "five", "--max-bytes", "4"])["error"],
        &["limit", "size"],
    );
    assert_eq!(limits, json!([4, 5]));
}

#[cfg(unix)]
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

#[cfg(unix)]
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
    fs::write(root.join(world::path_of(b"caf\xe9.rs")), "").unwrap();
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
