//! The ladder of line comparisons, strictest first.
//!
//! To add a comparison, add a row to [`LADDER`].

use std::borrow::Cow;

use bstr::ByteSlice;

/// One comparison of lines.
pub(crate) struct Rung {
    /// The name in reports.
    pub(crate) name: &'static str,
    /// Returns the key of a line. Two lines are equal on this rung if their keys are.
    pub(crate) key: fn(&[u8]) -> Cow<'_, [u8]>,
}

/// The line comparisons. The rungs up to `punct` are ordered by strictness.
///
/// - Hunks with line numbers use the first rung. With `--match` or `--reindent` they use all rungs
///   up to `punct`. Options enable the other rungs.
/// - Hunks below headings use all rungs up to `punct`.
pub(crate) const LADDER: &[Rung] = &[
    Rung {
        name: "exact",
        key: |line| Cow::Borrowed(line),
    },
    Rung {
        name: "trailing",
        key: |line| Cow::Borrowed(trim_end(line)),
    },
    Rung {
        name: "indent",
        key: |line| Cow::Borrowed(trim(line)),
    },
    Rung {
        name: "punct",
        key: |line| fold_line(trim(line)),
    },
    Rung {
        name: "whitespace",
        key: collapse_blanks,
    },
    Rung {
        name: "line_end",
        key: normalize_ending,
    },
    Rung {
        name: "eof",
        key: |line| Cow::Borrowed(line.strip_suffix(b"\n").unwrap_or(line)),
    },
    // The key depends on the white-space rules of the file, which are part of `Comparison`.
    Rung {
        name: "fixed",
        key: |line| Cow::Borrowed(line),
    },
];

/// Compares byte for byte.
pub(crate) const EXACT: usize = 0;
/// Ignores white space at the end of a line.
pub(crate) const TRAILING: usize = 1;
/// Also ignores the indentation. This is the first rung that does so.
pub(crate) const INDENT: usize = 2;
/// Also ignores typographic differences. This is the last rung for hunks below headings.
pub(crate) const PUNCT: usize = 3;
/// Compares like git's `--ignore-whitespace`.
pub(crate) const WHITESPACE: usize = 4;
/// Compares CR LF and LF as equal.
pub(crate) const LINE_END: usize = 5;
/// Ignores a missing terminator of the last line, like git's `--inaccurate-eof`.
pub(crate) const EOF: usize = 6;
/// Fixes white-space errors before the comparison, like git's `--whitespace=fix`.
pub(crate) const FIXED: usize = 7;

/// Removes Unicode white space from the end, including the terminator.
fn trim_end(line: &[u8]) -> &[u8] {
    line.trim_end_with(char::is_whitespace)
}

/// Returns the Unicode white space at the start of a line.
pub(crate) fn indentation(line: &[u8]) -> &[u8] {
    &line[..line.len() - line.trim_start_with(char::is_whitespace).len()]
}

/// Removes Unicode white space from both ends.
pub(crate) fn trim(line: &[u8]) -> &[u8] {
    line.trim_with(char::is_whitespace)
}

/// Replaces typographic dashes, quotes and spaces with ASCII characters, as Codex does.
pub(crate) fn fold_line(line: &[u8]) -> Cow<'_, [u8]> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let mut out = Vec::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        for character in chunk.valid().chars() {
            out.extend_from_slice(fold(character).encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(out)
}

/// Returns whether two texts differ only in typographic characters.
pub(crate) fn folds_to_same(one: &str, other: &str) -> bool {
    one.chars().map(fold).eq(other.chars().map(fold))
}

/// Returns whether a character is a typographic form of an ASCII character.
pub(crate) fn is_typographic(character: char) -> bool {
    fold(character) != character
}

/// Returns the ASCII character for a typographic one, or the character itself.
pub(crate) fn fold(character: char) -> char {
    match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// Replaces CR LF with LF.
fn normalize_ending(line: &[u8]) -> Cow<'_, [u8]> {
    match line.strip_suffix(b"\r\n") {
        Some(content) => Cow::Owned([content, b"\n"].concat()),
        None => Cow::Borrowed(line),
    }
}

/// Removes the line ending and collapses every run of white space to one space, like
/// `fuzzy_matchlines` in git's `apply.c`.
fn collapse_blanks(line: &[u8]) -> Cow<'_, [u8]> {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let end = line
        .iter()
        .rposition(|&byte| byte != b'\r' && byte != b'\n')
        .map_or(0, |last| last + 1);
    let line = &line[..end];
    let mut out = Vec::with_capacity(line.len());
    for &byte in line {
        match byte {
            byte if !is_blank(byte) => out.push(byte),
            _ if out.last() == Some(&b' ') => {}
            _ => out.push(b' '),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meets(rung: usize, left: &[u8], right: &[u8]) -> bool {
        (LADDER[rung].key)(left) == (LADDER[rung].key)(right)
    }

    #[test]
    fn each_rung_is_looser_than_the_one_before() {
        let pairs: [(&str, &str); 4] = [
            ("a b", "a b"),
            ("a b", "a b \t"),
            ("a b", "\u{3000}a b"),
            ("a-'b", "a\u{2014}\u{2019}b"),
        ];
        for (pair, &(left, right)) in pairs.iter().enumerate() {
            let met: Vec<_> = (0..=PUNCT)
                .filter(|&rung| meets(rung, left.as_bytes(), right.as_bytes()))
                .collect();
            assert_eq!(met, (pair..=PUNCT).collect::<Vec<_>>(), "{left} {right}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        assert_eq!(
            (LADDER[PUNCT].key)(b" \xff\xe2\x80\x94\xe2\x80 "),
            Cow::<[u8]>::Owned(b"\xff-\xe2\x80".to_vec())
        );
    }

    #[test]
    fn blanks_need_blanks() {
        assert!(meets(WHITESPACE, b"\ta  b\r\n", b" a\tb\n"));
        assert!(!meets(WHITESPACE, b"a b\n", b"ab\n"));
        assert!(!meets(WHITESPACE, b"a \n", b"a\n"));
    }
}
