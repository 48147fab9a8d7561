//! A repository that git checked out with CR LF.

use std::collections::BTreeMap;
use std::os::windows::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;

use fs_err as fs;
use walkdir::WalkDir;

use crate::systems::Desk;

/// The output of `git diff -M` in a work tree with `core.autocrlf=true`.
const DIFF: &[u8] = include_bytes!("line_ends.diff");

const FILES: &[(&str, &[u8])] = &[
    ("a.txt", b"first\r\nsecond\r\nthird\r\n"),
    ("from.txt", b"one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n"),
    ("old.txt", b"remove me\r\n"),
    ("run.cmd", b"@echo off\r\necho hello\r\n"),
    ("src/main.c", b"int main(void)\r\n{\r\n\treturn 0;\r\n}\r\n"),
    (".git/HEAD", b"ref: refs/heads/main\n"),
    (".git/config", b"[core]\n\tautocrlf = true\n"),
    (".git/objects/info/x", b""),
    (".git/refs/heads/x", b""),
];

const CHANGED: &[(&str, &[u8])] = &[
    ("a.txt", b"first\r\nSECOND\r\nthird\r\n"),
    ("run.cmd", b"@echo off\r\necho goodbye\r\n"),
    (
        "src/main.c",
        b"#include <stdio.h>\r\n\r\nint main(void)\r\n{\r\n\tputs(\"hello\");\r\n\treturn 0;\r\n}\r\n",
    ),
    ("src/new.txt", b"new\r\nfile\r\n"),
    ("src/to.txt", b"one\r\ntwo\r\nTHREE\r\nfour\r\nfive\r\n"),
];

/// Read-only, hidden, archive, not indexed.
const ATTRIBUTES: u32 = 0x1 | 0x2 | 0x20 | 0x2000;

/// Returns the content and the attributes of every file outside of `.git`.
fn files(desk: &Desk) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
    let entries = WalkDir::new(desk.root())
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    let files = entries
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| {
            let attributes = entry.metadata().unwrap().file_attributes() & ATTRIBUTES;
            let bytes = fs::read(entry.path()).unwrap();
            (entry.into_path(), (bytes, attributes))
        })
        .collect()
}

#[test]
fn a_diff_of_git_applies_and_undo_restores_bytes_and_attributes() {
    let desk = Desk::with(FILES);
    for (name, attributes) in [("run.cmd", "+h"), ("from.txt", "+r"), ("old.txt", "+r")] {
        let done = Command::new("attrib")
            .args([attributes, name])
            .current_dir(desk.root())
            .status();
        assert!(done.unwrap().success());
    }
    let before = files(&desk);
    let is_set = |name: &str, bit: u32| before[&desk.path(name)].1 & bit != 0;
    assert!(is_set("run.cmd", 0x2) && is_set("from.txt", 0x1) && is_set("old.txt", 0x1));

    let applied = desk.does(&["apply"], DIFF);
    assert_eq!(applied["summary"]["files"], 6, "{applied:#}");
    let after = files(&desk);
    for (name, bytes) in CHANGED {
        let found = &after[&desk.path(name)];
        assert_eq!(found.0, *bytes, "{name}");
    }
    assert_eq!(after.len(), CHANGED.len());
    assert_eq!(after[&desk.path("run.cmd")].1 & 0x2, 0x2, "hidden");

    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
    desk.does(&["redo"], b"");
    assert_eq!(files(&desk), after);
}
