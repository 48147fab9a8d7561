//! Maps positions in a decoded text to positions in its input.

use super::{Bytes, Position};

/// The default maximum number of bytes of text between two marks. It bounds the work of one lookup.
const DEFAULT_STEP: usize = 1024;

/// The encoding of a part of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartEncoding {
    /// The text equals the input.
    Plain,
    /// The text equals the input, without the CR of each CR LF.
    CrLf,
    /// quoted-printable (RFC 2045, section 6.7).
    QuotedPrintable,
    /// base64 (RFC 2045, section 6.8). A mark must refer to the first character of a group of four.
    Base64,
}

/// The input from which a text was decoded.
#[derive(Clone, Debug, Default)]
pub struct EncodedSource {
    /// The input.
    pub bytes: Bytes,
    /// The position in the input of each part of the text.
    pub map: SourceMap,
}

/// The position in the input of each part of a decoded text, as marks in text order.
#[derive(Clone, Debug)]
pub struct SourceMap {
    marks: Vec<OffsetPair>,
    step: usize,
}

/// A known pair of offsets, in bytes from 0.
#[derive(Clone, Copy, Debug)]
struct OffsetPair {
    /// The offset of a byte in the text.
    text: usize,
    /// The offset of the corresponding byte in the input.
    input: usize,
    encoding: PartEncoding,
}

impl Default for SourceMap {
    fn default() -> Self {
        Self::with_step(DEFAULT_STEP)
    }
}

impl SourceMap {
    /// Creates an empty map.
    ///
    /// If the caller uses [`mark_if_far`](Self::mark_if_far), at most `step` bytes of text are
    /// between two marks. Small steps make lookups fast.
    #[must_use]
    pub fn with_step(step: usize) -> Self {
        Self {
            marks: Vec::new(),
            step,
        }
    }

    /// Returns the maximum number of bytes of text between two marks.
    #[must_use]
    pub fn step(&self) -> usize {
        self.step
    }

    /// Records that the byte at `text` in the text was decoded from the byte at `input` in the
    /// input.
    ///
    /// Marks must be added in text order. A mark with the same `text` as the last one replaces it.
    pub fn mark(&mut self, text: usize, input: usize, coding: PartEncoding) {
        self.marks.pop_if(|last| last.text == text);
        self.marks.push(OffsetPair {
            text,
            input,
            encoding: coding,
        });
    }

    /// Adds a mark if the last one is far away. The distance in the input is also limited, because
    /// soft line breaks are input without text.
    pub fn mark_if_far(&mut self, text: usize, input: usize, coding: PartEncoding) {
        let is_near = |last: &OffsetPair| {
            text - last.text < self.step && input.saturating_sub(last.input) < 4 * self.step
        };
        if !self.marks.last().is_some_and(is_near) {
            self.mark(text, input, coding);
        }
    }

    /// Returns the offset in `input` of the byte at `offset` in the text, and the encoding there.
    #[must_use]
    pub fn input_offset(&self, input: &[u8], offset: usize) -> (usize, PartEncoding) {
        let index = self.marks.partition_point(|mark| mark.text <= offset);
        let mark = index.checked_sub(1).map(|index| self.marks[index]);
        let mark = mark.unwrap_or(OffsetPair {
            text: 0,
            input: 0,
            encoding: PartEncoding::Plain,
        });
        // The input between the texts of two marks may have been removed. The result must not
        // exceed the next mark.
        let limit = self
            .marks
            .get(index)
            .map(|next| next.input)
            .filter(|&next| next >= mark.input);
        let at = mark.encoding.advance(input, mark.input, offset - mark.text);
        (
            at.min(limit.unwrap_or(input.len())).min(input.len()),
            mark.encoding,
        )
    }
}

impl EncodedSource {
    /// Returns the offset in the input of the byte at `offset` in the text.
    ///
    /// In quoted-printable this is the byte itself or the `=` of its escape. In base64 it is the
    /// first character that contains bits of the byte.
    #[must_use]
    pub fn offset(&self, offset: usize) -> usize {
        self.map.input_offset(&self.bytes, offset).0
    }

    /// Returns the position in the input of the byte at `offset` in the text.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        Position::of(&self.bytes, self.offset(offset))
    }

    /// Returns a function that maps an offset in the text to a line of the input, counted from 1.
    /// Use it for many offsets.
    pub fn line_numbers(&self) -> impl Fn(usize) -> usize + '_ {
        let ends: Vec<_> = memchr::memchr_iter(b'\n', &self.bytes).collect();
        move |offset| {
            let offset = self.offset(offset);
            ends.partition_point(|&end| end < offset) + 1
        }
    }

    /// Returns whether the byte at `offset` in the text is readable in the input, that is, not
    /// base64.
    #[must_use]
    pub fn is_readable(&self, offset: usize) -> bool {
        self.map.input_offset(&self.bytes, offset).1 != PartEncoding::Base64
    }
}

impl PartEncoding {
    /// Returns the offset in `input` of the byte that is `count` bytes of text after the byte at
    /// `from`.
    fn advance(self, input: &[u8], from: usize, count: usize) -> usize {
        let mut at = from;
        match self {
            Self::Plain => at += count,
            Self::CrLf => {
                for _ in 0..count {
                    at += usize::from(input[at.min(input.len())..].starts_with(b"\r\n")) + 1;
                }
            }
            Self::QuotedPrintable => {
                let mut left = count;
                // The loop also skips the soft line breaks directly before the wanted byte.
                while at < input.len() {
                    let (length, byte) = decode_quoted_byte(&input[at..]);
                    if byte.is_some() && left == 0 {
                        break;
                    }
                    left -= usize::from(byte.is_some());
                    at += length;
                }
            }
            Self::Base64 => {
                // A group of three bytes has four characters. Byte `n` of a group, counted from 0,
                // starts in character `n`.
                let mut left = count / 3 * 4 + count % 3;
                let rest = input.get(from..).unwrap_or_default().iter();
                let is_reached = |&(_, &byte): &(usize, &u8)| {
                    let is_data = sextet(byte).is_some();
                    let is_reached = is_data && left == 0;
                    left -= usize::from(is_data && left > 0);
                    is_reached
                };
                at = rest
                    .enumerate()
                    .find(is_reached)
                    .map_or(input.len(), |(index, _)| from + index);
            }
        }
        at
    }
}

/// Decodes the first byte of `input`, which must be quoted-printable and not empty.
///
/// Returns the number of bytes read, and the byte, or `None` for a soft line break. Like git, the
/// function returns an `=` that starts no escape unchanged (`decode_q_segment` in git's
/// `mailinfo.c`).
#[must_use]
pub fn decode_quoted_byte(input: &[u8]) -> (usize, Option<u8>) {
    match *input {
        [b'=', first, second, ..] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => {
            let digit = |byte: u8| {
                char::from(byte)
                    .to_digit(16)
                    .and_then(|digit| u8::try_from(digit).ok())
                    .unwrap_or(0)
            };
            (3, Some(digit(first) << 4 | digit(second)))
        }
        [b'=', ref rest @ ..] => {
            let blanks = rest
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t'))
                .count();
            match &rest[blanks..] {
                [] => (1 + blanks, None),
                [b'\n', ..] => (blanks + 2, None),
                [b'\r', b'\n', ..] => (blanks + 3, None),
                _ => (1, Some(b'=')),
            }
        }
        // A CR that belongs to the text is escaped, so this one belongs to the line ending.
        [b'\r', b'\n', ..] => (1, None),
        [byte, ..] => (1, Some(byte)),
        [] => (0, None),
    }
}

/// Returns the six bits of a base64 character.
#[must_use]
pub fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}
