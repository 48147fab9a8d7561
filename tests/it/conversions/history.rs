//! Diffs of the history, next to `git diff`: of contents as the repository has them.
#![cfg(unix)]

use fs_err as fs;

use crate::repository::{git, init};
use crate::systems::{Desk, fed};

const ATTRIBUTES: &str =
    "* text eol=crlf\n*.u text working-tree-encoding=UTF-16LE-BOM\n*.i ident\n*.raw -text\n";

/// A file, its content, and a command that changes it.
const CHANGES: &[(&str, &[u8], &[&str])] = &[
    (
        "text",
        b"one\r\ntwo\r\n",
        &["edit", "text", "--old", "two", "--new", "2"],
    ),
    (
        "mixed",
        b"one\r\ntwo\n",
        &["edit", "mixed", "--old", "one", "--new", "1"],
    ),
    (
        "x.u",
        b"\xff\xfea\0\r\0\n\0b\0\r\0\n\0",
        &[
            "edit",
            "x.u",
            "--encoding",
            "utf-16le",
            "--old",
            "b",
            "--new",
            "c",
        ],
    ),
    (
        "x.i",
        b"$Id: 0123456789012345678901234567890123456789 $\r\ntwo\r\n",
        &["edit", "x.i", "--old", "two", "--new", "2"],
    ),
    (
        "x.raw",
        b"one\r\ntwo\r\n",
        &["edit", "x.raw", "--old", "two", "--new", "2"],
    ),
    (
        "x.raw",
        b"one\r\ntwo\n",
        &["edit", "x.raw", "--old", "two", "--new", "2\r"],
    ),
    ("new", b"", &["write", "new", "--content", "new\r\n"]),
];

#[test]
fn a_change_is_shown_as_a_diff_that_git_apply_takes() {
    for (name, content, command) in CHANGES {
        let desk = Desk::with(&[(".gitattributes", ATTRIBUTES.as_bytes())]);
        init(&desk.root());
        if !content.is_empty() {
            fs::write(desk.path(name), content).unwrap();
        }
        desk.does(command, b"");
        let after = desk.bytes(name);
        let log = desk.says(&["log"], b"");
        let id = log["entries"][0]["id"].as_str().unwrap();
        let shown = desk.runs(&["show", id], b"").stdout;
        let text = String::from_utf8_lossy(&shown);
        let back = fed(git(&["apply", "-R"]).current_dir(desk.root()), &shown);
        assert!(
            back.status.success(),
            "{name}: {text} {}",
            String::from_utf8_lossy(&back.stderr)
        );
        assert_eq!(desk.path(name).exists(), !content.is_empty(), "{name}");
        let again = fed(git(&["apply"]).current_dir(desk.root()), &shown);
        assert!(again.status.success(), "{name}: {text}");
        let is_exact = *name != "mixed" && *name != "x.i";
        assert!(!is_exact || desk.bytes(name) == after, "{name}: {text}");
    }
}
