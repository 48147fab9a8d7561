//! Finds texts that look the same but differ, and names the first different character.

use crate::lines::ladder::fold;
use std::cell::OnceCell;
use std::fmt::Write as _;

use bstr::ByteSlice;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The first different character of two texts that look the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookalike {
    /// Line of the file, counted from 0.
    pub line: usize,
    /// The number of characters before it in this line.
    pub column: usize,
    /// The character in the patch, for example `U+0020 SPACE`.
    pub expected: String,
    /// The character in the file, for example `U+00A0 NO-BREAK SPACE`.
    pub found: String,
}

/// The description of the position after the last character of a name.
pub(crate) const END_OF_NAME: &str = "the end of the name";

/// Searches `file` for a text that looks like `wanted`, and returns the first different character.
///
/// Returns `None` if no text looks like `wanted`, if the text is identical, or if one input is not
/// UTF-8.
#[must_use]
pub fn lookalike(file: &[u8], wanted: &[u8]) -> Option<Lookalike> {
    LookalikeSearch::new(file).find(wanted)
}

/// A search for several texts in one file.
pub(crate) struct LookalikeSearch<'f> {
    file: &'f [u8],
    folded: OnceCell<Option<FoldedFile<'f>>>,
}

/// A file and its text with look-alike characters folded.
struct FoldedFile<'f> {
    file: &'f str,
    is_ascii: bool,
    /// The folded text, and the offset in the file for each of its bytes.
    folded: OnceCell<(String, Vec<usize>)>,
}

impl<'f> LookalikeSearch<'f> {
    /// Creates a search in `file`. The first search that needs the folded text computes it once.
    pub(crate) fn new(file: &'f [u8]) -> Self {
        Self {
            file,
            folded: OnceCell::new(),
        }
    }

    /// Searches for a text that looks like `wanted`, see [`lookalike`].
    pub(crate) fn find(&self, wanted: &[u8]) -> Option<Lookalike> {
        self.folded
            .get_or_init(|| FoldedFile::new(self.file))
            .as_ref()?
            .find(std::str::from_utf8(wanted).ok()?)
    }
}

impl<'f> FoldedFile<'f> {
    fn new(file: &'f [u8]) -> Option<Self> {
        let file = std::str::from_utf8(file).ok()?;
        Some(Self {
            file,
            is_ascii: file.is_ascii(),
            folded: OnceCell::new(),
        })
    }

    fn find(&self, wanted: &str) -> Option<Lookalike> {
        let file = self.file;
        // Two different ASCII texts never look the same.
        if self.is_ascii && wanted.is_ascii() {
            return None;
        }
        let (looked_for, _) = fold_text(wanted);
        if looked_for.is_empty() {
            return None;
        }
        let (folded, offsets) = self.folded.get_or_init(|| fold_text(file));
        // Equal folded texts look the same. The clusters then show where the originals differ.
        let start = offsets[folded.as_bytes().find(looked_for.as_bytes())?];
        let (length, expected, found) =
            first_difference(clusters(wanted).zip(clusters(&file[start..])))?;
        let before = &file[..start + length];
        let line = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |newline| newline + 1);
        Some(Lookalike {
            line: memchr::memchr_iter(b'\n', before.as_bytes()).count(),
            column: before[line..].chars().count(),
            expected: describe_cluster(expected),
            found: describe_cluster(found),
        })
    }
}

/// Returns the first different character of two names that look the same.
///
/// Returns `None` if the names are identical or look different. Names that differ only in white
/// space at the end look the same.
#[must_use]
pub fn lookalike_name(found: &str, wanted: &str) -> Option<Lookalike> {
    let folded = |name| fold_text(name).0.trim_end().to_owned();
    if found == wanted || folded(found) != folded(wanted) {
        return None;
    }
    // The empty cluster marks the end of the name, so names can also differ there.
    let ended = |name| clusters(name).chain(std::iter::once(""));
    let most = found.chars().count().max(wanted.chars().count()) + 1;
    let padded = |name| ended(name).chain(std::iter::repeat("")).take(most);
    let (length, expected, character) = first_difference(padded(wanted).zip(padded(found)))?;
    let text = |cluster: &str| {
        if cluster.is_empty() {
            END_OF_NAME.to_owned()
        } else {
            describe_cluster(cluster)
        }
    };
    Some(Lookalike {
        line: 0,
        column: found[..length].chars().count(),
        expected: text(expected),
        found: text(character),
    })
}

/// Returns the first different pair, preceded by the length in bytes of the second texts before it.
fn first_difference<'t>(
    mut pairs: impl Iterator<Item = (&'t str, &'t str)>,
) -> Option<(usize, &'t str, &'t str)> {
    let mut length = 0;
    let (expected, found) = pairs.find(|(expected, found)| {
        length += if expected == found { found.len() } else { 0 };
        expected != found
    })?;
    Some((length, expected, found))
}

/// Replaces look-alike characters with one common character. Also returns, for each byte of the
/// result, its offset in `text`.
fn fold_text(text: &str) -> (String, Vec<usize>) {
    let (mut folded, mut offsets, mut offset) = (
        String::with_capacity(text.len()),
        Vec::with_capacity(text.len()),
        0,
    );
    for cluster in clusters(text) {
        if cluster.is_ascii() {
            folded.push_str(cluster);
        } else {
            let visible = cluster
                .chars()
                .filter(|character| !is_invisible(*character));
            folded.extend(
                visible
                    .nfkc()
                    .map(|character| to_ascii_lookalike(fold(character))),
            );
        }
        // Every byte of a folded cluster maps to the start of the cluster.
        offsets.resize(folded.len(), offset);
        offset += cluster.len();
    }
    (folded, offsets)
}

/// Returns the characters of `text`, each with its combining marks.
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut ends = rest
            .char_indices()
            .skip(1)
            .filter(|(_, character)| !is_combining_mark(*character));
        let end = ends.next().map_or(rest.len(), |(end, _)| end);
        let (cluster, tail) = rest.split_at(end);
        rest = tail;
        (!cluster.is_empty()).then_some(cluster)
    })
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Returns the Latin letter that a Cyrillic or Greek letter looks like.
fn to_ascii_lookalike(character: char) -> char {
    // Pairs: a Cyrillic or Greek letter, then the ASCII character that it resembles.
    const LOOKALIKE_PAIRS: &str =
        "аaеeоoрpсcхxуyіiјjѕsԁdАAВBЕEЅSЗ3ІIЈJКKМMНHОOРPСCТTХXУYοoνvΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX";
    let mut pairs = LOOKALIKE_PAIRS.chars();
    while let (Some(other), Some(latin)) = (pairs.next(), pairs.next()) {
        if other == character {
            return latin;
        }
    }
    character
}

/// Returns the code points of a cluster. Characters that are often confused also get their names.
fn describe_cluster(cluster: &str) -> String {
    let mut names = String::new();
    for (index, character) in cluster.chars().enumerate() {
        let separator = if index == 0 { "" } else { " and " };
        // Writing to a string cannot fail.
        let _ = write!(names, "{separator}U+{:04X}", u32::from(character));
        if let Some(name) = character_name(character) {
            let _ = write!(names, " {name}");
        }
    }
    names
}

fn character_name(character: char) -> Option<&'static str> {
    Some(match character {
        ' ' => "SPACE",
        '\t' => "CHARACTER TABULATION",
        '-' => "HYPHEN-MINUS",
        '\'' => "APOSTROPHE",
        '"' => "QUOTATION MARK",
        '(' => "LEFT PARENTHESIS",
        ')' => "RIGHT PARENTHESIS",
        '\u{a0}' => "NO-BREAK SPACE",
        '\u{ad}' => "SOFT HYPHEN",
        '\u{200b}' => "ZERO WIDTH SPACE",
        '\u{200c}' => "ZERO WIDTH NON-JOINER",
        '\u{200d}' => "ZERO WIDTH JOINER",
        '\u{2010}' => "HYPHEN",
        '\u{2011}' => "NON-BREAKING HYPHEN",
        '\u{2013}' => "EN DASH",
        '\u{2014}' => "EM DASH",
        '\u{2018}' => "LEFT SINGLE QUOTATION MARK",
        '\u{2019}' => "RIGHT SINGLE QUOTATION MARK",
        '\u{201c}' => "LEFT DOUBLE QUOTATION MARK",
        '\u{201d}' => "RIGHT DOUBLE QUOTATION MARK",
        '\u{202f}' => "NARROW NO-BREAK SPACE",
        '\u{2212}' => "MINUS SIGN",
        '\u{3000}' => "IDEOGRAPHIC SPACE",
        '\u{feff}' => "ZERO WIDTH NO-BREAK SPACE",
        '\u{ff08}' => "FULLWIDTH LEFT PARENTHESIS",
        '\u{ff09}' => "FULLWIDTH RIGHT PARENTHESIS",
        '\u{ff0c}' => "FULLWIDTH COMMA",
        '\u{ff1a}' => "FULLWIDTH COLON",
        '\u{ff1b}' => "FULLWIDTH SEMICOLON",
        '\u{300}' => "COMBINING GRAVE ACCENT",
        '\u{301}' => "COMBINING ACUTE ACCENT",
        '\u{302}' => "COMBINING CIRCUMFLEX ACCENT",
        '\u{303}' => "COMBINING TILDE",
        '\u{308}' => "COMBINING DIAERESIS",
        '\u{327}' => "COMBINING CEDILLA",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, wanted: &str) -> Option<(usize, usize, String, String)> {
        let alike = lookalike(file.as_bytes(), wanted.as_bytes())?;
        Some((alike.line, alike.column, alike.expected, alike.found))
    }

    #[test]
    fn the_first_character_that_differs_is_named() {
        let (space, other) = (
            "U+0020 SPACE".to_owned(),
            "U+00A0 NO-BREAK SPACE".to_owned(),
        );
        assert_eq!(
            found("a\nwait\u{a0}here\n", "wait here"),
            Some((1, 4, space.clone(), other.clone()))
        );
        assert_eq!(
            found("wait here\n", "wait\u{a0}here"),
            Some((0, 4, other, space))
        );
        for (file, wanted, column, expected, character) in [
            (
                "p（\"x\"）；\n",
                "p(\"x\");",
                1,
                "U+0028 LEFT PARENTHESIS",
                "U+FF08 FULLWIDTH LEFT PARENTHESIS",
            ),
            (
                "caf\u{e9}",
                "cafe\u{301}",
                3,
                "U+0065 and U+0301 COMBINING ACUTE ACCENT",
                "U+00E9",
            ),
            ("p\u{430}ss", "pass", 1, "U+0061", "U+0430"),
            ("a\u{200b}b", "ab", 1, "U+0062", "U+200B ZERO WIDTH SPACE"),
            (
                "é “x”",
                "é \"x\"",
                2,
                "U+0022 QUOTATION MARK",
                "U+201C LEFT DOUBLE QUOTATION MARK",
            ),
        ] {
            assert_eq!(
                found(file, wanted),
                Some((0, column, expected.to_owned(), character.to_owned())),
                "{file}"
            );
        }
    }

    #[test]
    fn texts_that_look_different_have_no_such_character() {
        for (file, wanted) in [
            ("a b", "a c"),
            ("é", "e"),
            ("\u{a0}", ""),
            ("é", "é"),
            ("a", "\u{200b}"),
        ] {
            assert_eq!(found(file, wanted), None, "{file:?} {wanted:?}");
        }
        assert_eq!(lookalike(b"\xff \xc2\xa0", b" "), None);
    }
}
