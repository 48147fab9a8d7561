//! Converts bytes of patches and files to report text, and offsets to line numbers.

use std::borrow::Borrow;

use crate::digest::hex;
use crate::plan::Input;
use crate::text::{EncodedSource, Position, Span, format_rfc3339, printable};

/// The maximum length of one line of a file or patch in a report, in characters.
const MAX_CHARACTERS: usize = 200;

/// Returns `bytes` as text. Bytes that are not UTF-8 are escaped.
///
/// The text can contain control characters. The code that prints it must escape these.
pub(super) fn text(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| printable(bytes).to_string(), str::to_owned)
}

/// Returns the hex digits of `path` if [`text`] cannot represent it exactly.
pub(super) fn hex_if_lossy(path: &impl Borrow<[u8]>) -> Option<String> {
    let bytes = path.borrow();
    std::str::from_utf8(bytes).is_err().then(|| hex(bytes))
}

/// Returns a time in seconds since 1970 in RFC 3339 format.
pub(super) fn format_time(seconds: u64) -> String {
    format_rfc3339(seconds)
}

/// Returns one line as text, shortened to [`MAX_CHARACTERS`].
pub(super) fn clip(line: &[u8]) -> String {
    // A character has at most four bytes, so the first cut keeps all characters that are returned.
    // It only avoids the conversion of a very long line.
    let text = text(&line[..line.len().min(MAX_CHARACTERS * 4 + 4)]);
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Converts offsets of one text to line numbers.
///
/// The cost is linear in the distance between consecutive offsets. All offsets of a patch in
/// ascending order cost one pass.
#[derive(Debug)]
pub(super) struct LineCounter<'a> {
    /// The original input.
    text: &'a [u8],
    origin: Option<&'a EncodedSource>,
    offset: usize,
    newlines: usize,
}

impl<'a> LineCounter<'a> {
    /// Returns a counter for each of `inputs`.
    pub(super) fn of_all(inputs: &'a [Input]) -> Vec<Self> {
        let counter = |input: &'a Input| Self {
            text: input.original(),
            origin: input.origin.as_deref(),
            offset: 0,
            newlines: 0,
        };
        inputs.iter().map(counter).collect()
    }

    /// Returns the span of the original input that `span` of the decoded text came from.
    pub(super) fn original_span(&self, span: Span) -> Span {
        let Some(origin) = self.origin else {
            return span;
        };
        let start = origin.offset(span.start);
        Span::new(start, origin.offset(span.end).max(start))
    }

    /// Returns the original input from the byte at `offset` of the decoded text on.
    pub(super) fn source_from(&self, offset: usize) -> &'a [u8] {
        let offset = self.origin.map_or(offset, |origin| origin.offset(offset));
        self.text.get(offset..).unwrap_or_default()
    }

    /// Returns the line, counted from 1, of the byte at `offset` of the decoded text.
    pub(super) fn line(&mut self, offset: usize) -> usize {
        let offset = self
            .origin
            .map_or(offset, |origin| origin.offset(offset))
            .min(self.text.len());
        let count =
            |from: usize, to: usize| memchr::memchr_iter(b'\n', &self.text[from..to]).count();
        if offset >= self.offset {
            self.newlines += count(self.offset, offset);
        } else {
            self.newlines -= count(offset, self.offset);
        }
        self.offset = offset;
        self.newlines + 1
    }

    /// Returns the line and column, counted from 1, of the byte at `offset`.
    pub(super) fn position(&mut self, offset: usize) -> Position {
        let line = self.line(offset);
        let before = &self.text[..self.offset];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        Position {
            line,
            column: before.len() - line_start + 1,
        }
    }

    /// Returns the first and the last line of `span`, counted from 1.
    pub(super) fn lines(&mut self, span: Span) -> (usize, usize) {
        let first = self.line(span.start);
        let last = if span.is_empty() {
            first
        } else {
            self.line(span.end - 1)
        };
        (first, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_goes_both_ways() {
        let inputs = [Input {
            bytes: b"a\nbc\nd".into(),
            ..Input::default()
        }];
        let counter = &mut LineCounter::of_all(&inputs)[0];
        assert_eq!(counter.lines(Span::new(2, 6)), (2, 3));
        assert_eq!(counter.position(3), Position { line: 2, column: 2 });
        assert_eq!(counter.line(0), 1);
    }

    #[test]
    fn a_long_line_is_clipped() {
        assert_eq!(
            clip("é".repeat(300).as_bytes()),
            format!("{}…", "é".repeat(200))
        );
    }

    #[test]
    fn a_path_that_is_no_text_has_its_bytes_beside_it() {
        assert_eq!(hex_if_lossy(&&b"a\xff"[..]), Some("61ff".to_owned()));
        assert_eq!(hex_if_lossy(&"é".as_bytes()), None);
        assert_eq!(text(b"a\xff\x1b"), "a\\xff\\x1b");
        assert_eq!(text(b"a\x1b"), "a\x1b");
    }
}
