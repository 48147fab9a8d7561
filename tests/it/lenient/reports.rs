//! Situations that users of agents report: an edit that did not apply, or that changed something
//! else.

use crate::systems::Desk;
use serde_json::json;

use super::*;

/// What is reported, the file, the change, and the file afterwards; `None` if it must be refused.
type Report = (&'static str, &'static str, Asked, Option<&'static str>);

fn block(head: &str, old: &str, new: &str) -> Asked {
    Asked::Patch(format!(
        "dir/file.txt\n<<<<<<< SEARCH\n{head}{old}=======\n{new}>>>>>>> REPLACE\n"
    ))
}

fn hunk(header: &str) -> Asked {
    Asked::Patch(format!(
        "*** Begin Patch\n*** Update File: dir/file.txt\n{header}\n b\n-c\n+C\n d\n*** End Patch\n"
    ))
}

const NESTED: &str =
    "class A:\n    def f(self):\n        self.a = 1\n        self.b = 1\n        self.c = 1\n";
const NESTED_AFTER: &str =
    "class A:\n    def f(self):\n        self.a = 2\n        self.b = 2\n        self.c = 1\n";
const LETTERS: &str = "a\nb\nc\nd\ne\n";
const CHANGED: &str = "a\nb\nC\nd\ne\n";
const METHODS: &str = "class A {\n  a() {}\n  b() {}\n  c() {}\n}\n";

fn reports() -> Vec<Report> {
    let start = |line| block(line, "b\nc\n", "b\nC\n");
    vec![
        (
            "the first line of the text lost its indentation, the others have it",
            NESTED,
            Asked::edit("self.a = 1  \n        self.b = 1", "self.a = 2\n        self.b = 2"),
            Some(NESTED_AFTER),
        ),
        (
            "the indentation of the next line is taken away with the newline",
            "if ok:\n  foo()\n  bar()\n",
            Asked::edit("    foo()\n", "    baz()\n"),
            Some("if ok:\n  baz()\n  bar()\n"),
        ),
        (
            "all lines between the first and the last line of the text are deleted",
            "a {\n  x: 3px;\n}\nb {\n  y: 1;\n}\n/* 27 */\n",
            Asked::edit("  x: 3px;\n}\n/* 27 */", "  x: 2px;"),
            None,
        ),
        ("one empty line for two", "a = 1\n\n\nb = 2\n", Asked::edit("a = 1\n\nb = 2", "a = 1\n\nb = 3"), None),
        ("the last line is only the start of one", "}\n// Build trees with TIME\n", block("", "}\n// Build trees\n", "}\n// B\n"), None),
        (
            "blocks out of order",
            LETTERS,
            Asked::Patch(
                "dir/file.txt\n<<<<<<< SEARCH\nd\n=======\nD\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n".to_owned(),
            ),
            Some("a\nB\nc\nD\ne\n"),
        ),
        ("`:start_line=2`", LETTERS, start(":start_line=2\n-------\n"), Some(CHANGED)),
        ("`:start_line>2` and `:end_line=3`", LETTERS, start(":start_line>2\n:end_line=3\n-------\n"), Some(CHANGED)),
        ("numbers of a viewer with a bar", LETTERS, block("", "2 | b\n3 | c\n", "2 | b\n3 | C\n"), Some(CHANGED)),
        ("numbers of a viewer in some new lines only", LETTERS, block("", "2 | b\n3 | c\n", "2 | b\n3 | C\nd\n"), None),
        ("numbers of a viewer with an arrow", LETTERS, Asked::edit("     2→b\n     3→c", "     2→b\n     3→C"), Some(CHANGED)),
        ("numbers of a viewer with a tab", LETTERS, Asked::edit("     2\tb\n     3\tc", "b\nC"), Some(CHANGED)),
        ("the change is in the file already", "pub struct S {\n    a: u32,\n}\n", block("", "struct S {\n    a: u64,\n", "pub struct S {\n    a: u32,\n"), None),
        ("`(rest of the methods ...)` deletes them", METHODS, block("", "  a() {}\n  b() {}\n  c() {}\n", "  a() { x }\n  // (rest of the methods ...)\n"), None),
        ("`... (keep existing code)` deletes it", METHODS, block("", "  a() {}\n  b() {}\n", "  # ... (keep existing code)\n  d() {}\n"), None),
        ("a spread is no elision", "f(\n  a,\n  b,\n);\n", block("", "  a,\n  b,\n", "  ...existing,\n  ...args,\n"), Some("f(\n  ...existing,\n  ...args,\n);\n")),
        ("the body of a stub is no elision", "def f():\n    pass\n", block("", "def f():\n    pass\n", "def f() -> int:\n    ...\n"), Some("def f() -> int:\n    ...\n")),
        ("a count that is left out means 1", LETTERS, hunk("@@ -2 +2 @@"), Some(CHANGED)),
        ("a header without numbers", LETTERS, Asked::Patch("--- a/dir/file.txt\n+++ b/dir/file.txt\n@@\n b\n-c\n+C\n d\n".to_owned()), Some(CHANGED)),
        ("a list follows the note on the last line", "a\nb", Asked::Patch("--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ ... @@\n-a\n+A\n b\n\\ No newline at end of file\n+ a remark\n".to_owned()), None),
        ("runs of blanks are collapsed in the whole file", "def f():\n    x = 1\n    y  = 2\n", Asked::edit("    x  =  1", "    x = 3"), Some("def f():\n    x = 3\n    y  = 2\n")),
        ("blanks at the end of a new line are lost", "a\nline\n", Asked::edit("a \nline", "a\nline  "), Some("a\nline  \n")),
        ("tabs are read as blanks", "f() {\n\tif x {\n\t\ty()\n\t}\n}\n", Asked::edit("    if x {\n        y()\n    }", "    if x {\n        z()\n    }"), Some("f() {\n\tif x {\n\t\tz()\n\t}\n}\n")),
        ("the document is in a fence, with prose around", LETTERS, Asked::Patch(format!("I change it:\n```json\n{}\n```\nDone.\n", json!({"edits": [{"path": "dir/file.txt", "old_string": "c", "new_string": "C"}]}))), Some(CHANGED)),
        ("the operation is the diff of a model", LETTERS, Asked::Patch(json!({"type": "update_file", "path": "dir/file.txt", "diff": "@@ ... @@\n b  \n-c\n+C"}).to_string()), Some(CHANGED)),
    ]
}

#[test]
fn an_edit_that_was_reported_is_applied_as_meant_or_refused() {
    let mut wrong = Vec::new();
    for (name, file, asked, wanted) in reports() {
        let made = made(file, asked);
        if made.as_deref() != wanted {
            wrong.push(format!("{name}: {}", made.as_deref().unwrap_or("refused")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_repaired_patch_keeps_the_options_of_gnu_patch() {
    let patch = b"--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n one\n-two\n+2\n three\n";
    let (old, new) = (b"one\ntwo\nthree\n", b"one\n2\nthree\n");
    let desk = Desk::with(&[("a", old)]);
    desk.does(&["apply", "--lenient", "--backup"], patch);
    assert_eq!(
        (desk.bytes("a"), desk.bytes("a.orig")),
        (new.to_vec(), old.to_vec())
    );
    let desk = Desk::with(&[("a", old)]);
    desk.does(&["apply", "--lenient", "--output-file", "out"], patch);
    assert_eq!(
        (desk.bytes("a"), desk.bytes("out")),
        (old.to_vec(), new.to_vec())
    );
}

#[test]
fn a_hunk_with_gaps_reports_each_repair() {
    let python = "def f():\n    a = 1 \n    b = 2\n    c = 3\n    d = 4\n    e = 5\n";
    let patch = "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ ... @@ def f():\n     a = 1\n     ...\n-    d = 4\n+    d = 40\n     e = 5\n";
    let memory = Memory::with_files([(path(), Entry::file(python))]);
    let outcome = engine::apply(lenient(patch), &memory, &Interrupt::new());
    let repairs = &outcome.report.inputs[0].repairs;
    let codes: Vec<_> = repairs.iter().map(|repair| repair.code).collect();
    assert_eq!(
        codes,
        ["bare_header", "glued_header", "whitespace", "elision"]
    );
}

#[test]
fn an_operation_changes_only_the_file_that_it_names() {
    for diff in [
        "@@\n-a\n+b\n*** Delete File: x\n",
        "@@\n-a\n+b\n***end patch\n***begin patch\n*** Delete File: x\n",
        "@@\n-a\n+b\n*** Move to: y\n",
        "@@\n-a\n+b\ndiff --git a/x b/x\ndeleted file mode 100644\n",
        "@@\n-a\n+b\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n",
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n",
        "@@\n-a\n+b\nIndex: x\n--- x\n+++ x\n@@ -1 +1,2 @@\n-a\n+b\n",
        "@@\n-a\n+b\n*** a/x\n--- b/x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
        "@@\n-a\n+b\n*** End Patch\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    ] {
        let name = |name: &str| RelPath::new(name.as_bytes()).unwrap();
        let memory = Memory::with_files(["a", "x"].map(|file| (name(file), Entry::file("a\n"))));
        let operation = json!({"type": "update_file", "path": "a", "diff": diff}).to_string();
        let outcome = engine::apply(lenient(operation), &memory, &Interrupt::new());
        assert!(!outcome.report.ok, "{diff}");
        assert!(!outcome.report.changed);
    }
    // A header can name the same file.
    for diff in [
        "--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n-a\n+b\n",
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n-a\n+b\n",
    ] {
        let memory = Memory::with_files([(RelPath::new(b"a").unwrap(), Entry::file("a\n"))]);
        let operation = json!({"type": "update_file", "path": "a", "diff": diff}).to_string();
        let outcome = engine::apply(lenient(operation), &memory, &Interrupt::new());
        assert!(outcome.report.ok, "{diff}: {:?}", outcome.report.error);
    }
}

#[test]
fn names_that_contradict_each_other_are_refused() {
    let name = |name: &str| RelPath::new(name.as_bytes()).unwrap();
    let files = ["o.rs", "src/foo.rs", "src/o.rs"];
    let memory = Memory::with_files(files.map(|file| (name(file), Entry::file("a\nb\nc\n"))));
    for given in ["src/foo.rs", "src/o.rs"] {
        let patch = format!(
            "diff --git a/{given} b/{given}\n--- a/o.rs\n+++ b/o.rs\n@@ -1,2 +1,4 @@\n a\n-b\n+B\n c\n"
        );
        let outcome = engine::apply(lenient(patch), &memory, &Interrupt::new());
        assert!(!outcome.report.ok, "{given}");
    }
}

#[test]
fn a_diff_that_contains_the_markers_of_blocks_is_repaired_as_a_diff() {
    let before = "h\n------ SEARCH\nt\n";
    let memory = Memory::with_files([(path(), Entry::file(before))]);
    let patch = "--- a/dir/file.txt\n+++ b/dir/file.txt\n@@ -1,2 +1,4 @@\n h\n------- SEARCH\n+++++++ REPLACE\n t\n";
    let outcome = engine::apply(lenient(patch), &memory, &Interrupt::new());
    assert!(outcome.report.ok, "{:?}", outcome.report.error);
    let expected = Memory::with_files([(path(), Entry::file("h\n++++++ REPLACE\nt\n"))]);
    assert_eq!(crate::run::tree(&memory), crate::run::tree(&expected));
}

#[test]
fn the_repair_of_a_block_in_a_mail_has_the_line_of_the_mail() {
    let mail = "From: A <a@b>\nSubject: s\nContent-Type: text/plain; charset=utf-8\n\
                Content-Transfer-Encoding: quoted-printable\n\nThis line has a soft =\nbreak.\n\n\
                a\n<<<<<<< SEARCH\n    foo()\n=3D=3D=3D=3D=3D=3D=3D\n    baz()\n>>>>>>> REPLACE\n";
    let desk = Desk::with(&[("a", b"if ok:\n  foo()\n  bar()\n")]);
    let report = desk.does(&["check", "--lenient"], mail.as_bytes());
    let line = mail
        .lines()
        .position(|line| line.contains("SEARCH"))
        .unwrap()
        + 1;
    let repairs = report["inputs"][0]["repairs"].as_array().unwrap();
    assert_eq!(
        (repairs.len(), &repairs[0]["line"]),
        (1, &json!(line)),
        "{report:#}"
    );
}
