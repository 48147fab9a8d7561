//! Tests of the inputs that no grammar can read.

use super::*;
use crate::syntax::SyntaxErrorKind;
use crate::syntax::testing::parse_error;
use crate::syntax::{Options, parse, select_syntaxes};

const HUNK: &str = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n";

fn kind(text: &[u8]) -> SyntaxErrorKind {
    parse(
        "-",
        text.to_vec(),
        &select_syntaxes("auto"),
        Options::default(),
    )
    .expect_err("no patch")
    .error
    .kind
}

fn utf16(text: &str, bytes: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn other_encodings_and_archives_are_named() {
    use Compression::{Bzip2, Gzip, Lzma, Xz, Zip, Zstd};
    use UnicodeEncoding::{Utf16Be, Utf16Le, Utf32};
    use UnsupportedFormat::{Compressed, Encoded, Html};

    let texts = [
        (utf16(HUNK, u16::to_le_bytes), Encoded(Utf16Le)),
        (utf16(HUNK, u16::to_be_bytes), Encoded(Utf16Be)),
        (
            utf16(&format!("\u{feff}{HUNK}"), u16::to_le_bytes),
            Encoded(Utf16Le),
        ),
        (
            utf16(&format!("\u{feff}{HUNK}"), u16::to_be_bytes),
            Encoded(Utf16Be),
        ),
        (b"\xff\xfe\0\0-\0\0\0".to_vec(), Encoded(Utf32)),
        (b"\x1f\x8b\x08".to_vec(), Compressed(Gzip)),
        (b"BZh9".to_vec(), Compressed(Bzip2)),
        (b"\xfd7zXZ\0".to_vec(), Compressed(Xz)),
        (b"\x28\xb5\x2f\xfd".to_vec(), Compressed(Zstd)),
        (b"\x5d\0\0\x80\0".to_vec(), Compressed(Lzma)),
        (b"PK\x03\x04".to_vec(), Compressed(Zip)),
        (
            format!("\n<!DOCTYPE html>\n<pre>\n{HUNK}").into_bytes(),
            Html,
        ),
        (format!("<HTML>\n{HUNK}").into_bytes(), Html),
        (
            format!("<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC>\n{HUNK}").into_bytes(),
            Html,
        ),
        (format!("<div class='diff'>\n{HUNK}").into_bytes(), Html),
        (format!("<pre>\n{HUNK}").into_bytes(), Html),
        (format!("<head><title>\n{HUNK}").into_bytes(), Html),
    ];
    for (text, expected) in texts {
        assert_eq!(
            kind(&text),
            SyntaxErrorKind::UnsupportedFormat(expected),
            "{}",
            crate::text::printable(&text)
        );
    }
}

#[test]
fn texts_without_a_section_are_named() {
    let texts = [
        (
            " src/x.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
            UnsupportedFormat::Statistics,
        ),
        (" a/{b => c}/d.txt | 0\n", UnsupportedFormat::Statistics),
        (
            "one\t\t\t\t\t\t\t\tone\ntwo\t\t\t\t\t\t\t      |\t2\n",
            UnsupportedFormat::SideBySide,
        ),
        ("two\t\t\t\t\t\t\t      <\n", UnsupportedFormat::SideBySide),
        (
            "\t\t\t\t\t\t\t      >\tnew\n",
            UnsupportedFormat::SideBySide,
        ),
        ("<pre>--- a/f\n+++ b/f\n", UnsupportedFormat::Html),
        ("<td>diff --git a/f b/f</td>\n", UnsupportedFormat::Html),
        ("diff &#45;&#45;git a/f b/f\n", UnsupportedFormat::Html),
        (
            "f\n&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\n",
            UnsupportedFormat::Html,
        ),
        (
            "\x1b[32m\x1b[K1\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K--- a/f\n",
            UnsupportedFormat::Coloured,
        ),
        ("one \x1b[01;31mtwo\x1b[m\n", UnsupportedFormat::Coloured),
    ];
    for (text, expected) in texts {
        assert_eq!(
            parse_error(text).0,
            SyntaxErrorKind::UnsupportedFormat(expected),
            "{text}"
        );
    }
    for text in [
        "<pretty print>\n",
        "<divide/>\n",
        "<preface>\n",
        "<header>\n",
    ] {
        let bytes = [text, HUNK].concat().into_bytes();
        assert!(
            parse("-", bytes, &select_syntaxes("auto"), Options::default()).is_ok(),
            "{text}"
        );
    }
    for text in [
        "no patch at all\n",
        "a | b\n",
        "x < y\n",
        "if (a\t|| b)\n",
        "<xml>\n",
        "",
    ] {
        assert_eq!(parse_error(text).0, SyntaxErrorKind::NoPatch, "{text}");
    }
}

#[test]
fn coloured_diffs_are_refused_wherever_they_start() {
    let coloured = "\x1b[1mdiff --git a/g b/g\x1b[m\n\x1b[1m--- a/g\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-a\x1b[m\n";
    let gnu = "\x1b[0m\x1b[1m--- a/f\x1b[0m\n\x1b[1m+++ b/f\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a\x1b[0m\n";
    for text in [
        coloured.to_owned(),
        gnu.to_owned(),
        format!("{HUNK}{coloured}"),
        format!("prose\n{gnu}{HUNK}"),
    ] {
        assert_eq!(
            parse_error(&text).0,
            SyntaxErrorKind::UnsupportedFormat(UnsupportedFormat::Coloured),
            "{text:?}"
        );
    }
    // The content of a file can include escape sequences.
    let contents = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-\x1b[31mred\n+\x1b[32m--- green\n \x1b[1mdiff --git a b\n";
    assert_eq!(
        crate::syntax::testing::describe(contents),
        ["Modify f +1-1"]
    );
}

#[test]
fn word_diffs_are_named_where_a_hunk_is_damaged() {
    let header = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n";
    for body in [
        "one\n[-two-]{+2+}\nthree\n",
        " one\n-two\n+2\n~\n three\n~\n",
        "  a {+b+}\n  c\n  d\n",
    ] {
        let text = format!("{header}{body}");
        assert_eq!(
            parse_error(&text).0,
            SyntaxErrorKind::UnsupportedFormat(UnsupportedFormat::WordDiff),
            "{body}"
        );
    }
    let text = format!("{header} one\n-x [-a-]\n+{{+b+}}\n three\n");
    assert_eq!(crate::syntax::testing::describe(&text), ["Modify f +1-1"]);
}
