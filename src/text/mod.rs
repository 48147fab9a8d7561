//! Basic types for bytes as text: spans, lines, positions, contents, encodings and escaping.
//!
//! Input and output are bytes, because patches, paths and files need not be UTF-8. A line includes
//! its terminator. Offsets are counted in bytes from 0, and ranges are half-open. The module is
//! pure and depends on no other module.
//!
//! Start with [`Span`] and [`lines`].

use bstr::ByteSlice;

mod base64;
mod bytes;
#[cfg(feature = "encodings")]
mod charset;
#[cfg(not(feature = "encodings"))]
#[path = "no_charset.rs"]
mod charset;
mod contents;
mod encoding;
mod entities;
mod fold;
pub mod json;
mod percent;
mod printable;
mod source_map;
pub mod tag;
mod time;

pub use base64::encode_base64;
pub use bytes::Bytes;
pub use charset::{EncodingChoice, EncodingNameError, TextEncoding};
pub use contents::{Contents, Pieces};
pub use encoding::{DecodeError, DecodedBytes, decode, detect_utf16};
pub use entities::decode_entities;
pub use fold::{fold_name, fold_spelling, hash_folded, is_same_name};
pub use percent::{percent_decode, percent_encode};
pub(crate) use printable::find_dangerous;
pub use printable::{Printable, printable, printable_line};
#[cfg(feature = "html")]
pub(crate) use printable::{has_hidden_characters, is_dangerous};
pub use source_map::{EncodedSource, PartEncoding, SourceMap, decode_quoted_byte, sextet};
pub use time::format_rfc3339;

/// The byte order mark of UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns `text` without its byte order mark, if it has one.
#[must_use]
pub fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Returns the length of the byte order mark at the start of `text`, in bytes.
#[must_use]
pub fn bom_length(text: &[u8]) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    }
}

/// The number of bytes at the start of content in which git searches for a NUL (`buffer_is_binary`
/// in git's `xdiff-interface.c`).
pub const BINARY_PREFIX: usize = 8000;

/// Returns the text of a system error without the error number that [`std::io::Error`] appends.
#[must_use]
pub fn without_error_number(message: &str) -> &str {
    message.split(" (os error ").next().unwrap_or_default()
}

/// Returns whether git treats `content` as binary.
#[must_use]
pub fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(BINARY_PREFIX)]).is_some()
}

/// The number of bytes at the start of a file in which a NUL makes the file binary data, see
/// [`is_binary_for_edit`].
const EDIT_BINARY_PREFIX: usize = 8192;

/// Returns whether `content` is binary data for edits and reports that work with lines or text.
#[must_use]
pub fn is_binary_for_edit(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(EDIT_BINARY_PREFIX)]).is_some()
}

/// Returns the kind of line ending in `content`: `lf`, `crlf`, `mixed`, or `none` if there is none.
#[must_use]
pub fn line_ending_kind(content: &[u8]) -> &'static str {
    let newlines = memchr::memchr_iter(b'\n', content).count();
    // Most files contain no CR, and searching for a single byte is faster.
    let pairs = match memchr::memchr(b'\r', content) {
        Some(start) => content[start..].find_iter(b"\r\n").count(),
        None => 0,
    };
    match (newlines, pairs) {
        (0, _) => "none",
        (_, 0) => "lf",
        _ if newlines == pairs => "crlf",
        _ => "mixed",
    }
}

/// Returns the number of lines in `text`. The last line can lack its terminator.
#[must_use]
pub fn count_lines(text: &[u8]) -> usize {
    let is_open = text.last().is_some_and(|&byte| byte != b'\n');
    memchr::memchr_iter(b'\n', text).count() + usize::from(is_open)
}

/// A half-open range of bytes of one input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte, counted from 0.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Creates the span from `start` up to, but not including, `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "a span does not run backwards");
        Self { start, end }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns whether the span is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the bytes of `text` in this span.
    ///
    /// # Panics
    ///
    /// Panics if the span ends after `text`.
    #[must_use]
    pub fn slice(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.end]
    }
}

/// A position in a text as editors count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in bytes, counted from 1.
    pub column: usize,
}

impl Position {
    /// Returns the position of the byte at `offset` of `text`.
    ///
    /// The time is linear in `offset`, because the function counts newlines.
    #[must_use]
    pub fn of(text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        Self {
            line: memchr::memchr_iter(b'\n', before).count() + 1,
            column: before.len() - line_start + 1,
        }
    }
}

/// The lines of a text with their terminators and spans.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    text: &'a [u8],
    offset: usize,
    end: usize,
}

/// Returns the last `length` bytes of `text`, or all of them.
pub(crate) fn last_bytes(text: &[u8], length: u64) -> &[u8] {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    &text[text.len().saturating_sub(length)..]
}

/// Returns the lines of `text` in order.
#[must_use]
pub fn lines(text: &[u8]) -> Lines<'_> {
    Lines::of_span(text, Span::new(0, text.len()))
}

impl<'a> Lines<'a> {
    /// Returns the lines of the part of `text` in `span`. Offsets are counted from the start of
    /// `text`.
    #[must_use]
    pub fn of_span(text: &'a [u8], span: Span) -> Self {
        Self {
            text,
            offset: span.start,
            end: span.end,
        }
    }

    /// Returns the lines from `offset` to the same end.
    pub(crate) fn starting_at(&self, offset: usize) -> Self {
        Self { offset, ..*self }
    }

    /// Returns the offset at which the next line starts.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the next line without advancing the iterator.
    #[must_use]
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.next_span().map(|span| span.slice(self.text))
    }

    /// Returns whether the next line begins with `byte`.
    #[must_use]
    pub fn is_next_byte(&self, byte: u8) -> bool {
        self.text[self.offset..self.end].first() == Some(&byte)
    }

    fn next_span(&self) -> Option<Span> {
        let rest = &self.text[self.offset..self.end];
        if rest.is_empty() {
            return None;
        }
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
        Some(Span::new(self.offset, self.offset + length))
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (Span, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let span = self.next_span()?;
        self.offset = span.end;
        Some((span, span.slice(self.text)))
    }
}

/// The terminator of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineEnding {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
    /// No terminator, at the end of a text.
    Missing,
}

impl LineEnding {
    /// Returns the terminator of `line`.
    #[must_use]
    pub fn of(line: &[u8]) -> Self {
        match line {
            [.., b'\r', b'\n'] => Self::CrLf,
            [.., b'\n'] => Self::Lf,
            _ => Self::Missing,
        }
    }

    /// Returns the bytes of the terminator.
    #[must_use]
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::Missing => b"",
        }
    }

    /// Returns the terminator, or `None` if it is missing.
    pub(crate) fn into_option(self) -> Option<Self> {
        (self != Self::Missing).then_some(self)
    }
}

/// Returns `line` without its terminator (LF or CR LF).
#[must_use]
pub fn without_ending(line: &[u8]) -> &[u8] {
    &line[..line.len() - LineEnding::of(line).bytes().len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_terminators_and_know_their_places() {
        let found: Vec<_> = lines(b"a\r\n\nb")
            .map(|(span, line)| (span.start, line))
            .collect();
        assert_eq!(found, [(0, &b"a\r\n"[..]), (3, b"\n"), (4, b"b")]);
    }

    #[test]
    fn a_nul_byte_near_the_start_makes_contents_binary() {
        let contents = |length: usize| [vec![b'x'; length], vec![0]].concat();
        assert_eq!(
            [0, 7999, 8000].map(|length| is_binary(&contents(length))),
            [true, true, false]
        );
    }

    #[test]
    fn a_position_counts_from_one() {
        assert_eq!(Position::of(b"ab\ncd", 4), Position { line: 2, column: 2 });
        assert_eq!(Position::of(b"", 0), Position { line: 1, column: 1 });
    }
}
