//! Escapes bytes of a patch, a path or a file for display. All such output must pass through this
//! module.

use std::borrow::Cow;
use std::fmt;

/// Bytes that can be printed without any effect on a terminal.
///
/// # Security
///
/// Control characters (C0, DEL, C1), direction overrides and isolates, invisible characters and
/// bytes that are not UTF-8 are escaped. A patch can therefore neither move the cursor nor reorder
/// the displayed text.
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a> {
    bytes: &'a [u8],
    tab: &'static str,
}

/// Wraps `bytes` for printing; see [`Printable`].
#[must_use]
pub fn printable(bytes: &[u8]) -> Printable<'_> {
    Printable { bytes, tab: "\\t" }
}

/// Wraps a line of a file or a patch, or a part of it, for printing; see [`Printable`]. Tabs are
/// not escaped.
#[must_use]
pub fn printable_line(bytes: &[u8]) -> Printable<'_> {
    Printable { bytes, tab: "\t" }
}

impl Printable<'_> {
    /// Returns the escaped text. It is borrowed if nothing had to be escaped.
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        match std::str::from_utf8(self.bytes) {
            Ok(text) if find_dangerous(text).is_none() => Cow::Borrowed(text),
            _ => Cow::Owned(self.to_string()),
        }
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.bytes.utf8_chunks() {
            let mut rest = chunk.valid();
            while let Some((start, character)) = find_dangerous(rest) {
                f.write_str(&rest[..start])?;
                match character {
                    '\t' => f.write_str(self.tab)?,
                    '\n' => f.write_str("\\n")?,
                    '\r' => f.write_str("\\r")?,
                    '\0'..='\u{7f}' => write!(f, "\\x{:02x}", u32::from(character))?,
                    _ => write!(f, "\\u{{{:x}}}", u32::from(character))?,
                }
                rest = &rest[start + character.len_utf8()..];
            }
            f.write_str(rest)?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Returns whether a character is a control character, or a Unicode character that reorders, joins
/// or hides text: most of the general category Cf, line and paragraph separators, variation
/// selectors, tags, and letters without a glyph such as the Hangul fillers.
pub(crate) fn is_dangerous(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a line contains characters that hide or reorder text. The joiner and the variation
/// selector are expected after other characters than ASCII, because emoji and some scripts need them.
#[cfg(feature = "html")]
pub(crate) fn has_hidden_characters(line: &[u8]) -> bool {
    let mut previous = ' ';
    line.utf8_chunks()
        .flat_map(|chunk| chunk.valid().chars())
        .any(|character| {
            let is_expected = match character {
                '\t' | '\r' | '\n' => true,
                '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => !previous.is_ascii(),
                _ => !is_dangerous(character),
            };
            previous = character;
            !is_expected
        })
}

/// Returns the first dangerous character of `text` and its offset.
pub(crate) fn find_dangerous(text: &str) -> Option<(usize, char)> {
    let mut start = 0;
    loop {
        start += printable_ascii_length(&text.as_bytes()[start..]);
        let character = text[start..].chars().next()?;
        if is_dangerous(character) {
            return Some((start, character));
        }
        start += character.len_utf8();
    }
}

/// The number of bytes that are checked together.
const BLOCK: usize = 32;

/// Returns the number of printable ASCII bytes at the start of `bytes`.
fn printable_ascii_length(bytes: &[u8]) -> usize {
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte);
    // There is no branch for each byte, so the compiler can compare many bytes at once.
    let are_plain = |block: &&[u8]| {
        block
            .iter()
            .fold(true, |are_plain, byte| are_plain & is_plain(byte))
    };
    let start = bytes.chunks_exact(BLOCK).take_while(are_plain).count() * BLOCK;
    start
        + bytes[start..]
            .iter()
            .take_while(|byte| is_plain(byte))
            .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_cannot_write_to_the_terminal() {
        let hostile = b"a\x1b[31m\x07\xc2\x9bb\xe2\x80\xae\xff\tc";
        assert_eq!(
            printable(hostile).to_string(),
            "a\\x1b[31m\\x07\\u{9b}b\\u{202e}\\xff\\tc"
        );
    }

    #[test]
    fn a_line_has_its_tabs() {
        assert_eq!(printable_line(b"\ta\x1b\n").to_string(), "\ta\\x1b\\n");
    }

    #[test]
    fn what_is_dangerous_is_found_wherever_it_stands() {
        for before in 0..3 * BLOCK {
            for (character, plain) in [
                ('\u{7f}', 'x'),
                ('\n', 'x'),
                ('\u{202e}', '\u{2030}'),
                ('\0', '\u{e9}'),
            ] {
                let text: String = [plain; 3 * BLOCK]
                    .into_iter()
                    .take(before)
                    .chain([character, 'y', '\u{1b}'])
                    .collect();
                assert_eq!(
                    find_dangerous(&text),
                    Some((before * plain.len_utf8(), character)),
                    "{text:?}"
                );
                assert_eq!(
                    find_dangerous(&text[..before * plain.len_utf8()]),
                    None,
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn ordinary_text_is_borrowed() {
        assert!(matches!(
            printable("naïve – 名".as_bytes()).to_text(),
            Cow::Borrowed(_)
        ));
    }
}
