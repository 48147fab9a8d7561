//! Tests of the forms and of the text around them.

use crate::syntax::{Options, parse, select_syntaxes};

const HUNK: &str = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n";

/// Returns the kind and the name of each change that the text names without its content.
fn named(text: &str) -> Vec<String> {
    let options = Options {
        allow_empty: true,
        ..Options::default()
    };
    let plan = parse("-", text, &select_syntaxes("auto"), options).expect("a patch");
    let found = plan.inputs.iter().flat_map(|input| &input.not_included);
    found
        .map(|named| {
            format!(
                "{} {}",
                named.kind.name(),
                String::from_utf8_lossy(&named.name)
            )
        })
        .collect()
}

/// Texts, each with the kind and the name of the change that it names.
const FORMS: &[(&str, &str)] = &[
    ("Only in b: x y\n", "only_in b/x y"),
    ("Only in b/d/: x\n", "only_in b/d/x"),
    (
        "Binary files a/x and y and b/x and y differ\n",
        "binary b/x and y",
    ),
    ("Binary files a/x and /dev/null differ\r\n", "binary a/x"),
    (
        "Binary files x\t2010-05-01 09:00:00 +0000 and x\t2010-05-01 10:00:00 +0000 differ\n",
        "binary x",
    ),
    ("Files a/x and b/x differ\n", "differ b/x"),
    ("Symbolic links a/x and b/x differ\n", "link b/x"),
    (
        "File a/x is a regular file while file b/x is a directory\n",
        "type b/x",
    ),
    (
        "File a/x is a directory while b/x is a regular empty file\n",
        "type b/x",
    ),
    ("diff: b/x: No such file or directory\n", "unreadable b/x"),
    (
        "cvs diff: x.c is a new entry, no comparison available\n",
        "add x.c",
    ),
    (
        "cvs server: x.c was removed, no comparison available\n",
        "remove x.c",
    ),
    ("cvs diff: cannot find x.c\n", "unreadable x.c"),
    (
        "diff -r 000000000001 x.png\nBinary file x.png has changed\n",
        "binary x.png",
    ),
    ("diff -r 000000000001 x\n", "modify x"),
    (
        "Index: x\n===================================================================\n",
        "modify x",
    ),
    (
        "Index: x\n===================================================================\n\
         Cannot display: file marked as a binary type.\nsvn:mime-type = application/octet-stream\n",
        "binary x",
    ),
    (
        "Index: x\n===================================================================\n\
         cannot compute difference between binary files\n",
        "binary x",
    ),
    (
        "\nProperty changes on: x\n___________________________________________________________________\n\
         Added: svn:executable\n## -0,0 +1 ##\n+*\n\\ No newline at end of property\n",
        "properties x",
    ),
    ("* Unmerged path x\n", "unmerged x"),
    (
        "Submodule a b 0123abc..4567def:\n  > one\n  < two\n",
        "submodule a b",
    ),
    (
        "Submodule x 0000000...4567def (new submodule)\n",
        "submodule x",
    ),
    ("Submodule x contains untracked content\n", "submodule x"),
    ("=== renamed file 'x' => 'y'\n", "rename y"),
    ("=== removed file 'x'\n", "remove x"),
    ("=== added symlink 'x'\n=== target is 'y'\n", "add x"),
    (
        "=== modified file 'x' (properties changed: -x to +x)\n",
        "properties x",
    ),
    (
        "=== modified file 'x'\nBinary files x and x differ\n",
        "binary x",
    ),
];

#[test]
fn every_form_names_its_change() {
    for &(text, expected) in FORMS {
        let places = [
            text.to_owned(),
            format!("{HUNK}{text}"),
            format!("{text}{HUNK}"),
            format!("{HUNK}{text}{HUNK}"),
        ];
        // The section below contains the content of a change that only has a name.
        let has_content = |place: &str| text.lines().count() <= 2 && place.ends_with(HUNK);
        let may_follow = expected.starts_with("modify")
            || expected.starts_with("remove")
            || expected.starts_with("add");
        for place in places {
            if may_follow && has_content(&place) && !text.starts_with("cvs") {
                assert_eq!(named(&place), [""; 0], "{place}");
            } else {
                assert_eq!(named(&place), [expected], "{place}");
            }
        }
    }
}

#[test]
fn a_change_whose_content_follows_is_included() {
    let texts = [
        format!(
            "Index: f\n===================================================================\n{HUNK}"
        ),
        format!(
            "Index: f\n================================\nRCS file: /f,v\nretrieving revision 1.1\ndiff -u -r1.1 f\n{HUNK}"
        ),
        format!("diff -ruN a/f b/f\n{HUNK}"),
        format!("=== added file 'f'\n{HUNK}\n=== modified file 'f'\n{HUNK}"),
        "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n".to_owned(),
        format!("=== added directory 'd'\n=== added file 'd/f'\n{HUNK}"),
    ];
    for text in texts {
        assert_eq!(named(&text), [""; 0], "{text}");
    }
}

#[test]
fn several_lines_of_one_program_are_all_named() {
    let text = format!(
        "Only in b: x\nOnly in b: y\nFiles a/z and b/z differ\ndiff -ru a/f b/f\n{HUNK}Only in a: q\n"
    );
    assert_eq!(
        named(&text),
        ["only_in b/x", "only_in b/y", "differ b/z", "only_in a/q"]
    );
    let text = format!(
        "Index: a\n====================\nIndex: b\n====================\n\nProperty changes on: b\n____________________\n\
         Index: f\n====================\n{HUNK}"
    );
    assert_eq!(named(&text), ["modify a", "properties b"]);
}

#[test]
fn prose_names_no_change() {
    let mail = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A\nSubject: x\n\n";
    let texts = [
        // A mail message that quotes such lines.
        format!("{mail}Only in b: x\nBinary files a/x and b/x differ\n=== renamed\n---\n f | 2 +-\n\n{HUNK}-- \n2.39\n"),
        format!("Subject: x\n\nBinary file x has changed\n* Unmerged path x\n---\n{HUNK}"),
        format!("Description: x\n Only in b: x\nOnly in b: y\n---\n{HUNK}"),
        format!("# HG changeset patch\n# User A\n\nOnly in b: x\n\ndiff -r 0 f\n{HUNK}"),
        format!("{HUNK}-- \n2.39\n\nOnly in b: x\nBinary files a/x and b/x differ\n"),
        // Text of a bug tracker or a chat.
        format!("It fails.\nOnly in rare cases: the parser stops.\nAnd so on.\n\n{HUNK}\nOnly in rare cases: more.\nText\n"),
        format!("Generated with:\n\ndiff -ruN a b\n\n{HUNK}"),
        format!("* Unmerged path handling\n* Other\n\n{HUNK}"),
        format!("Index: the list of names\nis sorted\n{HUNK}"),
        // Hunk lines.
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n Only in b: x\n-Binary files a/x and b/x differ\n+=== renamed file 'a' => 'b'\n"
            .to_owned(),
        // Any text may separate blocks.
        "f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nBinary files a/x and b/x differ\n".to_owned(),
    ];
    for text in texts {
        assert_eq!(named(&text), [""; 0], "{text}");
    }
}

#[test]
fn a_log_names_changes_after_its_messages() {
    let commit =
        "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: me\n\n    Only in b: x\n\n";
    assert_eq!(
        named(&format!(
            "{commit}Submodule x 0123abc..4567def:\n  > one\n{HUNK}"
        )),
        ["submodule x"]
    );
    let export = "# HG changeset patch\n# User A\n\nOnly in b: x\n\ndiff -r 0 x\nBinary file x has changed\n";
    assert_eq!(named(&format!("{export}diff -r 0 f\n{HUNK}")), ["binary x"]);
}

#[test]
fn a_text_that_only_names_changes_is_refused() {
    let broken = parse(
        "-",
        "Only in b: x\n",
        &select_syntaxes("auto"),
        Options::default(),
    )
    .unwrap_err();
    assert_eq!(
        broken.error.kind,
        crate::syntax::SyntaxErrorKind::NotIncluded
    );
    assert_eq!(broken.input.not_included.len(), 1);
}
