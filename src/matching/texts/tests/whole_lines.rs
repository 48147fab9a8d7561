//! Tests for the replacement of whole lines.

use super::*;

fn lines_of(file: &[u8], old: &str, new: &str, match_mode: MatchMode) -> String {
    made(
        file,
        vec![edit(EditTarget::Lines(old.into()), new)],
        EditOrder::Sequential,
        match_mode,
    )
}

#[test]
fn whole_lines_are_whole() {
    let exact = |file: &[u8], old, new| lines_of(file, old, new, MatchMode::Exact);
    assert_eq!(exact(b"12\n2\n", "2\n", "two\n"), r"12\ntwo\n");
    assert_eq!(exact(b"2 \n2\n22\n", "2\n", ""), r"2 \n22\n");
    assert_eq!(
        exact(b"a\r\n2\r\nb\n", "2\n", "x\ny\n"),
        r"a\r\nx\r\ny\r\nb\n"
    );
    assert_eq!(exact(b"a\r\n2\n", "2\r\n", "x\r\n"), "refused 0: NotFound");
    assert_eq!(exact(b"a\n2", "2\n", "x\ny\n"), r"a\nx\ny");
    assert_eq!(exact(b"a\n2", "2\n", ""), r"a\n");
    assert_eq!(
        exact(b"\xef\xbb\xbf2\nb\n", "2\n", "x\n"),
        r"\xef\xbb\xbfx\nb\n"
    );
    assert_eq!(exact(b"\xef\xbb\xbf2", "2\n", "x\n"), r"\xef\xbb\xbfx");
    assert_eq!(exact(b"a\n\nb\n", "\n", ""), r"a\nb\n");
    assert_eq!(exact(b"", "2\n", ""), "refused 0: NotFound");
    assert_eq!(
        exact(b"2\nx\n2\n", "2\n", ""),
        "refused 0: exact [0, 2] of 2"
    );
    assert_eq!(
        exact(b"a\na\na\n", "a\na\n", ""),
        "refused 0: exact [0] of 2"
    );
    assert_eq!(exact(b"xa\na\na\n", "a\na\n", ""), r"xa\n");
}

#[test]
fn whole_lines_go_down_the_ladder() {
    let ladder = |file: &str, old, new| lines_of(file.as_bytes(), old, new, MatchMode::Ladder);
    assert_eq!(ladder("a \nb\n", "a\n", "c\n"), r"c\nb\n");
    assert_eq!(
        ladder("\u{feff}\ta\n", "  a\n", "  c\n"),
        r"\xef\xbb\xbf  c\n"
    );
    assert_eq!(ladder("\t\u{201c}a\u{201d}\n", "\"a\"\n", "c\n"), r"c\n");
    assert_eq!(
        ladder("\ta\n  a\n", "a\n", "c\n"),
        "refused 0: indent [0, 1] of 2"
    );
    assert_eq!(
        lines_of(b"\t\ta\n", "\ta\n", "\tc\n\t\td\n", MatchMode::Reindented),
        r"\t\tc\n\t\t\td\n"
    );
}
