//! Tests of the sections of git diffs, as short descriptions of their operations.

use crate::plan::{Name, NameCandidate, StripRule};
use crate::syntax::SyntaxErrorKind::{self, Binary, Contradiction, Expected};
use crate::syntax::testing::{describe, parse_error};
use crate::text::Span;

const HUNK: &str = "@@ -1 +1 @@\n-a\n+b\n";

fn section(lines: &str) -> String {
    format!("diff --git a/x b/x\n{lines}")
}

#[test]
fn every_kind_of_section_is_read() {
    let hunks = format!("--- a/x\n+++ b/x\n{HUNK}");
    let cases = [
        (section(&hunks), "Modify x +1-1"),
        (
            section(&format!("index 1234..5678 100755\n{hunks}")),
            "Modify x old 100755 +1-1",
        ),
        (
            section("old mode 100644\nnew mode 100755\n"),
            "Modify x old 100644 new 100755",
        ),
        (
            section("new file mode 100644\nindex 0000000..e69de29\n"),
            "Create x new 100644",
        ),
        (section("deleted file mode 120000\n"), "Delete x old 120000"),
        (
            section("new file mode 160000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+S\n"),
            "Create x new 160000 +1-0",
        ),
        (
            section("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+S\n"),
            "Create x +1-0",
        ),
        (
            section("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-S\n"),
            "Delete x +0-1",
        ),
        (
            section("similarity index 100%\nrename from x\nrename to d/y z\n"),
            "Rename d/y z from x",
        ),
        (section("rename old x\nrename new y\n"), "Rename y from x"),
        (
            section(&format!("copy from x\ncopy to y\n--- a/x\n+++ b/y\n{HUNK}")),
            "Copy y from x +1-1",
        ),
        (
            section("index 1..2 100644\nBinary files a/x and b/x differ\n"),
            "Modify x old 100644 differs",
        ),
        (
            section("GIT binary patch\nliteral 4\nD00000\n\ndelta 2\nB00000\n\n"),
            "Modify x Literal 4 Delta 2",
        ),
    ];
    for (text, words) in cases {
        assert_eq!(describe(&text), [words], "{text}");
        assert_eq!(
            describe(&text.replace('\n', "\r\n")),
            [words],
            "{text} with CR LF"
        );
    }
}

#[test]
fn names_are_quoted_or_hold_blanks() {
    let created = "new file mode 100644\n";
    assert_eq!(
        describe(&format!("diff --git a/a b c b/a b c\n{created}")),
        ["Create a b c new 100644"]
    );
    assert_eq!(
        describe(&format!(
            "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\n{created}"
        )),
        ["Create ä new 100644"]
    );
    assert_eq!(
        describe(&format!("diff --git a/q \"b/q\"\n{created}")),
        ["Create q new 100644"]
    );
    let tab = format!("diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n{HUNK}");
    assert_eq!(describe(&tab), ["Modify a b +1-1"]);
    let renamed = section("rename from \"\\tx\"\nrename to \"y\\\"\"\n");
    assert_eq!(describe(&renamed), ["Rename y\" from \\tx"]);
}

#[test]
fn lines_that_disagree_name_no_file() {
    let text = section(&format!("--- a/x\n+++ b/y\n{HUNK}"));
    assert_eq!(
        describe(&text),
        ["Modify the header lines of this section name different files +1-1"]
    );
}

#[test]
fn a_header_that_says_nothing_is_passed_over() {
    let text = format!(
        "{}{}",
        section("similarity index 100%\n"),
        section(&format!("--- a/x\n+++ b/x\n{HUNK}"))
    );
    assert_eq!(describe(&text), ["Modify x +1-1"]);
    assert_eq!(
        parse_error(&section("")),
        (SyntaxErrorKind::NoPatch, String::new())
    );
}

#[test]
fn header_lines_that_cannot_stand_together_are_refused() {
    let cases = [
        (
            "new file mode 100644\ndeleted file mode 100644\n",
            "a file cannot be both new and deleted",
        ),
        (
            "rename from x\nrename to y\ncopy from x\ncopy to y\n",
            "a file cannot be both renamed and copied",
        ),
        ("rename from x\n", "a rename needs two names"),
        ("copy to x\n", "a copy needs two names"),
        (
            "rename from x\nrename to y\nnew file mode 100644\n",
            "a new file cannot have another name",
        ),
        (
            "new file mode 100644\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
            "the old name of a new file must be /dev/null",
        ),
        (
            "new file mode 100644\n--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            "a new file cannot have old lines",
        ),
        (
            "deleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n",
            "a deleted file cannot have new lines",
        ),
        (
            "old mode 100644\nold mode 100644\nnew mode 100755\n",
            "a header line occurs twice",
        ),
    ];
    for (lines, says) in cases {
        assert_eq!(
            parse_error(&section(lines)).0,
            Contradiction(says),
            "{lines}"
        );
    }
}

#[test]
fn damaged_sections_are_refused_where_they_break() {
    let cases = [
        ("new file mode 100abc\n", SyntaxErrorKind::Mode, "100abc"),
        ("new file mode 060666\n", SyntaxErrorKind::Mode, "060666"),
        ("new file mode 1100644\n", SyntaxErrorKind::Mode, "1100644"),
        (
            "new file mode 7777777777777\n",
            SyntaxErrorKind::Mode,
            "7777777777777",
        ),
        ("index 12..34\nprose\n", Expected("a hunk"), "prose"),
        (
            "rename from \"x\nrename to y\n",
            SyntaxErrorKind::QuotedName,
            "\"x",
        ),
        (
            "GIT binary patch\nprose\n",
            Expected("`literal SIZE` or `delta SIZE`"),
            "prose",
        ),
        (
            "GIT binary patch\nliteral 4\nD00000\n",
            Binary("the empty line at the end is missing"),
            "",
        ),
        (
            "GIT binary patch\nliteral 4\nD0000\n\n",
            Binary("a line is not valid base85 of the declared length"),
            "D0000",
        ),
        (
            "GIT binary patch\nliteral 18446744073709551616\n",
            SyntaxErrorKind::NumberTooLarge,
            "18446744073709551616",
        ),
    ];
    for (lines, kind, place) in cases {
        assert_eq!(
            parse_error(&section(lines)),
            (kind, place.to_owned()),
            "{lines}"
        );
    }
}

#[test]
fn each_message_of_a_mailbox_is_a_step() {
    let from = "From 0123456789 Mon Sep 17 00:00:00 2001\nSubject: x\n\n";
    let created = section("new file mode 100644\n");
    let moved = section("rename from x\nrename to y\n");
    let text = format!("{from}{created}{moved}-- \n2.39\n\n{from}{moved}");
    assert_eq!(
        describe(&text),
        [
            "Create x new 100644 step 1",
            "Rename y from x step 1",
            "Rename y from x step 2"
        ]
    );
}

#[test]
fn a_header_that_repeats_both_lines_adds_nothing() {
    let mut names = vec![Vec::new()];
    for start in 0..40 {
        names.extend(b"a/ ".map(|byte| [&names[start][..], &[byte]].concat()));
    }
    let claim = |bytes: &[u8]| NameCandidate {
        bytes: bytes.to_vec(),
        strip: StripRule::Prefixed,
        span: Span::default(),
    };
    for (old, new) in names
        .iter()
        .flat_map(|old| names.iter().map(move |new| (old, new)))
    {
        let (header, old, new) = (claim(&[&old[..], new].join(&b' ')), claim(old), claim(new));
        assert!(super::is_repeated(&header, &old, &new));
        let above = Name::Below {
            header: Box::new(header),
            lines: vec![old.clone(), new.clone()],
        };
        let alone = Name::from_pair(old, new);
        for level in 0..5 {
            assert_eq!(
                above.resolve(level, b""),
                alone.resolve(level, b""),
                "{above:?} at {level}"
            );
        }
    }
}
