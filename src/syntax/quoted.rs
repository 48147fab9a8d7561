//! Names in double quotes, as git writes names with unusual bytes.
//!
//! The escape sequences are the C escapes that git uses (`core.quotePath` in `git-config(1)`):
//! `\a \b \t \n \v \f \r`, `\"`, `\\`, and three octal digits for any other byte.

use std::borrow::Cow;

use nom::branch::alt;
use nom::bytes::complete::{is_not, take};
use nom::character::complete::{char, one_of};
use nom::combinator::map_opt;
use nom::multi::fold_many0;
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use crate::text::printable;

/// The letters after a backslash and the bytes that they represent.
const ESCAPES: &[(u8, u8)] = &[
    (b'a', 0x07),
    (b'b', 0x08),
    (b't', b'\t'),
    (b'n', b'\n'),
    (b'v', 0x0b),
    (b'f', 0x0c),
    (b'r', b'\r'),
    (b'"', b'"'),
    (b'\\', b'\\'),
];

/// Reads the quoted name at the start of `line`. Returns the name and the text after the closing
/// quote.
///
/// Returns `None` if the text does not start with a quote, the closing quote is missing, or an
/// escape sequence is unknown.
pub(crate) fn unquote(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    quoted_name(line).ok().map(|(rest, name)| (name, rest))
}

/// The names that are quoted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quoting {
    /// Names that contain bytes other than printable ASCII, as with `core.quotePath` on.
    #[default]
    Full,
    /// Names that contain invisible characters or characters that can control a terminal. Other
    /// non-ASCII characters are not quoted, as with `core.quotePath` off.
    Unreadable,
}

impl Quoting {
    /// Returns `path`, in quotes if it needs them.
    #[must_use]
    pub fn quote(self, path: &[u8]) -> Cow<'_, [u8]> {
        let is_readable =
            self == Self::Unreadable && matches!(printable(path).to_text(), Cow::Borrowed(_));
        let is_plain = |byte: &u8| {
            let is_text = matches!(byte, b' '..=b'~') || is_readable && !byte.is_ascii();
            is_text && !matches!(byte, b'"' | b'\\')
        };
        if path.iter().all(is_plain) {
            return Cow::Borrowed(path);
        }
        let mut quoted = vec![b'"'];
        for byte in path {
            match ESCAPES.iter().find(|(_, meant)| meant == byte) {
                Some(&(letter, _)) => quoted.extend([b'\\', letter]),
                None if is_plain(byte) => quoted.push(*byte),
                None => quoted.extend(format!("\\{byte:03o}").bytes()),
            }
        }
        quoted.push(b'"');
        Cow::Owned(quoted)
    }
}

/// Returns `path` as git writes it with `core.quotePath` on. A path with a control character, a
/// quote, a backslash or a non-ASCII byte is quoted.
#[must_use]
pub fn quote(path: &[u8]) -> Cow<'_, [u8]> {
    Quoting::Full.quote(path)
}

fn quoted_name(input: &[u8]) -> IResult<&[u8], Vec<u8>> {
    let piece = alt((
        is_not("\"\\").map(Cow::Borrowed),
        escape.map(|byte| Cow::Owned(vec![byte])),
    ));
    let name = fold_many0(piece, Vec::new, |mut name, piece: Cow<'_, [u8]>| {
        name.extend_from_slice(&piece);
        name
    });
    delimited(char('"'), name, char('"')).parse(input)
}

fn escape(input: &[u8]) -> IResult<&[u8], u8> {
    preceded(char('\\'), alt((octal, letter))).parse(input)
}

fn octal(input: &[u8]) -> IResult<&[u8], u8> {
    let digit = |allowed| {
        map_opt(one_of(allowed), |digit: char| {
            digit.to_digit(8).and_then(|value| u8::try_from(value).ok())
        })
    };
    // The value must fit into a byte, so the first of the three digits is at most 3.
    (digit("0123"), digit("01234567"), digit("01234567"))
        .map(|(high, middle, low)| high << 6 | middle << 3 | low)
        .parse(input)
}

fn letter(input: &[u8]) -> IResult<&[u8], u8> {
    let meaning = |letter: &[u8]| {
        ESCAPES
            .iter()
            .find(|row| [row.0] == *letter)
            .map(|&(_, meant)| meant)
    };
    map_opt(take(1_usize), meaning).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_name_comes_back_as_it_was() {
        let every: Vec<u8> = (1..=255).collect();
        let text = quote(&every).into_owned();
        assert_eq!(unquote(&text), Some((every, &b""[..])));
        assert_eq!(&*quote("ä\t".as_bytes()), b"\"\\303\\244\\t\"");
    }

    #[test]
    fn a_plain_name_is_not_quoted() {
        assert!(matches!(quote(b"a b/c.rs"), Cow::Borrowed(b"a b/c.rs")));
    }

    #[test]
    fn a_readable_name_may_stay() {
        for (name, kept) in [
            ("\u{e4} b", "\u{e4} b"),
            ("a\"", r#""a\"""#),
            ("a\\", r#""a\\""#),
            ("a\u{202e}", r#""a\342\200\256""#),
        ] {
            assert_eq!(
                &*Quoting::Unreadable.quote(name.as_bytes()),
                kept.as_bytes()
            );
        }
    }

    #[test]
    fn a_damaged_quoted_name_is_none() {
        for damaged in [
            &b"\"a"[..],
            b"a\"",
            b"\"\\x\"",
            b"\"\\477\"",
            b"\"\\08\"",
            b"\"\\",
        ] {
            assert_eq!(unquote(damaged), None);
        }
        assert_eq!(
            unquote(b"\"a\\101\"\tb"),
            Some((b"aA".to_vec(), &b"\tb"[..]))
        );
    }
}
