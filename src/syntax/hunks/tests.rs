//! Tests of the headers and the line counts of hunks.

use super::header::HEADER;
use super::*;
use crate::plan::LineRange;

fn error(text: &str) -> (SyntaxErrorKind, &str) {
    let error = read(text.as_bytes(), 0, Options::default()).unwrap_err();
    (error.kind, &text[error.span.start..error.span.end])
}

fn bodies(text: &str, options: Options) -> Vec<(LineRange, LineRange, &str)> {
    let (hunks, _) = read(text.as_bytes(), 0, options).unwrap();
    hunks
        .iter()
        .map(|hunk| (hunk.old, hunk.new, &text[hunk.body.start..hunk.body.end]))
        .collect()
}

fn range(start: usize, count: usize) -> LineRange {
    LineRange { start, count }
}

#[test]
fn a_hunk_knows_its_places() {
    let text = b"@@ -3 +3,2 @@ fn main\r\n-a\n\\ Kein Zeilenumbruch\n+b\n+c\n\\ No\nprose";
    let (hunks, end) = read(text, 0, Options::default()).unwrap();
    let hunk = &hunks[0];
    let parts = [hunk.span, hunk.header, hunk.body, hunk.section].map(|span| span.slice(text));
    let header = b"@@ -3 +3,2 @@ fn main";
    assert_eq!(
        parts,
        [
            &text[..end],
            header,
            &text[header.len() + 2..end],
            b"fn main"
        ]
    );
    assert_eq!(
        (hunk.old, hunk.new, &text[end..]),
        (range(3, 1), range(3, 2), &b"prose"[..])
    );
}

#[test]
fn a_blank_line_that_lost_its_blank_is_context() {
    let text = "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n-- \n2.39\n";
    let expected = (range(1, 3), range(1, 3), " a\n\n-b\n+c\n");
    assert_eq!(bodies(text, Options::default()), [expected]);
}

#[test]
fn numbers_cannot_overflow() {
    let large = "18446744073709551615";
    for text in [
        format!("@@ -{large} +1 @@\n"),
        format!("@@ -1 +1,{large} @@\n"),
        format!("@@ -9{large} +1 @@\n"),
    ] {
        assert_eq!(error(&text).0, SyntaxErrorKind::NumberTooLarge, "{text}");
    }
    assert_eq!(
        error("@@ -1 +9999999999999999999 @@\n").1,
        "9999999999999999999 @@"
    );
}

#[test]
fn a_header_error_stands_where_the_header_breaks() {
    assert_eq!(error("@@ --1,3 +1 @@\n"), (HEADER, "-1,3 +1 @@"));
    assert_eq!(error("@@\n"), (HEADER, "@@"));
}

#[test]
fn a_short_body_is_refused_where_it_ends() {
    let count = |side, promised, found| SyntaxErrorKind::LineCount {
        side,
        promised,
        found,
    };
    assert_eq!(
        error("@@ -1,2 +1 @@\n-a\n+b\nprose\n"),
        (count("old", 2, 1), "prose")
    );
    assert_eq!(error("@@ -1 +1,2 @@\n-a\n+b\n"), (count("new", 2, 1), ""));
    assert_eq!(
        error("@@ -1 +1,2 @@\n-a\n-b\n+b\n"),
        (count("old", 1, 2), "-b")
    );
}

#[test]
fn lines_behind_the_count_are_never_dropped() {
    for extra in ["+c", "-c", " c", "---c", "--- c"] {
        let text = format!("@@ -1 +1 @@\n-a\n+b\n{extra}\n");
        assert_eq!(error(&text), (SyntaxErrorKind::ExtraLines, extra));
    }
    assert_eq!(
        error("@@ -1 +1 @@\n-a\n+b\n\n+c\n"),
        (SyntaxErrorKind::ExtraLines, "+c")
    );
    for other in [
        "-- \n2.39\n",
        "--\n",
        "\n",
        "prose\n",
        "--- a\n+++ b\n",
        "  \n",
        "",
    ] {
        let text = format!("@@ -1 +1 @@\n-a\n+b\n{other}");
        assert_eq!(
            bodies(&text, Options::default()),
            [(range(1, 1), range(1, 1), "-a\n+b\n")],
            "{other}"
        );
    }
}

#[test]
fn a_line_without_newline_is_the_last_one() {
    assert_eq!(
        error("@@ -1 +1 @@\n-a\n+b"),
        (SyntaxErrorKind::NO_NEWLINE, "")
    );
    let says = SyntaxErrorKind::Contradiction(
        "a line follows the line without a newline at the end of the file",
    );
    assert_eq!(
        error("@@ -1,2 +1,3 @@\n a\n+b\n\\ No newline\n c\n"),
        (says.clone(), " c")
    );
    assert_eq!(
        error("@@ -1,2 +1 @@\n-a\n\\ No newline\n+b\n-c\n"),
        (says, "-c")
    );
    let both = "@@ -1 +1 @@\n\\ No newline\n-a\n\\ No newline\n+b\n\\ No newline\n";
    assert_eq!(
        read(both.as_bytes(), 0, Options::default()).unwrap().1,
        both.len()
    );
}

#[test]
fn a_hunk_that_changes_nothing_is_refused() {
    let expected = SyntaxErrorKind::Expected("a hunk that adds or removes a line");
    assert_eq!(error("@@ -0,0 +0,0 @@\n+a\n").0, expected);
    assert_eq!(error("@@ -1 +1 @@\n a\n").0, expected);
}

#[test]
fn recounting_believes_the_body() {
    let text = "@@ -1,9 +1,9 @@\n a\n-b\n\n-- \n2.39\n@@ -5 +5 @@\n-a\n+b\n--- x\n+++ x\n";
    let options = Options {
        recount: true,
        ..Options::default()
    };
    assert_eq!(
        bodies(text, options),
        [(range(1, 2), range(1, 1), " a\n-b\n")]
    );
    let (_, end) = read(text.as_bytes(), 0, options).unwrap();
    assert_eq!(&text.as_bytes()[end..end + 4], b"\n-- ");
}
