//! Tags: short names for versions of a text. Tools for models write them next to numbered lines.

use std::fmt;

use xxhash_rust::xxh32::Xxh32;

use super::{lines, without_bom};

/// The tag of a version of a text in the hashline format: four upper-case hex digits.
///
/// # Security
///
/// One in 65,536 other texts has the same tag by chance, and such a text is easy to construct. A
/// tag detects accidental changes; it proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HashlineTag(u16);

impl HashlineTag {
    /// Computes the tag of `text`: the low 16 bits of its xxHash32 with seed 0.
    ///
    /// A byte order mark and the spaces, tabs and CRs at the end of each line are ignored. Bytes
    /// that are not UTF-8 are hashed unchanged.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        let text = without_bom(text);
        let mut hasher = Xxh32::new(0);
        for (_, line) in lines(text) {
            let (content, newline) = line
                .strip_suffix(b"\n")
                .map_or((line, &b""[..]), |content| (content, b"\n"));
            let end = content
                .iter()
                .rposition(|byte| !b" \t\r".contains(byte))
                .map_or(0, |last| last + 1);
            hasher.update(&content[..end]);
            hasher.update(newline);
        }
        Self((hasher.digest() & 0xffff) as u16)
    }

    /// Parses a tag of four hex digits in upper or lower case.
    #[must_use]
    pub fn parse(digits: &[u8]) -> Option<Self> {
        let digit = |value: u16, digit: &u8| {
            Some(value << 4 | u16::try_from(char::from(*digit).to_digit(16)?).ok()?)
        };
        if digits.len() == 4 {
            digits.iter().try_fold(0, digit).map(Self)
        } else {
            None
        }
    }
}

impl fmt::Display for HashlineTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04X}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_that_of_the_original() {
        let tag = |text: &str| HashlineTag::of(text.as_bytes()).to_string();
        assert_eq!(tag("one\ntwo\nthree\nfour\nfive\n"), "2914");
        assert_eq!(tag("one\ntwo"), "AAAE");
        assert_eq!(tag("one\r\ntwo\nthree\r\n"), "2543");
    }

    #[test]
    fn a_mark_and_blanks_at_the_ends_of_lines_do_not_count() {
        let plain = HashlineTag::of(b"one\ntwo\n");
        assert_eq!(plain.to_string(), "0127");
        for same in ["\u{feff}one\ntwo\n", "one  \ntwo\t\n", "one\r\ntwo \r\n"] {
            assert_eq!(HashlineTag::of(same.as_bytes()), plain, "{same:?}");
        }
        assert_ne!(HashlineTag::of(b"one\ntwo"), plain);
        assert_ne!(HashlineTag::of(b" one\ntwo\n"), plain);
    }

    #[test]
    fn four_hex_digits_are_a_tag() {
        assert_eq!(
            HashlineTag::parse(b"01aF").map(|tag| tag.to_string()),
            Some("01AF".to_owned())
        );
        assert_eq!(
            [&b"01A"[..], b"01A00", b"01AG", b"+1AF"].map(HashlineTag::parse),
            [None; 4]
        );
    }
}
