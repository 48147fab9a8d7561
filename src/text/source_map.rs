//! Positions of decoded text in the input that it was decoded from.

use super::{Bytes, Position};

/// Most bytes of text between two marks, which bounds the work of one lookup.
const STEP: usize = 1024;

/// How bytes of the input became bytes of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coding {
    /// Byte for byte.
    Plain,
    /// Byte for byte, without the CR of each CR LF.
    CrLf,
    /// quoted-printable (RFC 2045, section 6.7).
    QuotedPrintable,
    /// base64 (RFC 2045, section 6.8). A mark is the first character of a group of four.
    Base64,
}

/// The input that a text was decoded from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The input.
    pub bytes: Bytes,
    /// Where each part of the text comes from.
    pub map: SourceMap,
}

/// Where each part of a decoded text comes from: marks in the order of the text.
#[derive(Clone, Debug)]
pub struct SourceMap {
    marks: Vec<Mark>,
    step: usize,
}

/// A known pair of positions, in bytes from 0.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The offset of a byte in the text.
    text: usize,
    /// The offset in the input of the byte that it was decoded from.
    input: usize,
    coding: Coding,
}

impl Default for SourceMap {
    fn default() -> Self {
        Self::with_step(STEP)
    }
}

impl SourceMap {
    /// Returns an empty map. If the caller uses [`mark_if_far`](Self::mark_if_far), at most `step`
    /// bytes of text are between two marks: small steps make lookups fast.
    #[must_use]
    pub fn with_step(step: usize) -> Self {
        Self {
            marks: Vec::new(),
            step,
        }
    }

    /// Returns the most bytes of text between two marks.
    #[must_use]
    pub fn step(&self) -> usize {
        self.step
    }

    /// Notes that the byte of the text at `text` comes from the one of the input at `input`.
    ///
    /// Marks must be added in the order of the text. One with the same `text` as the last one
    /// replaces it.
    pub fn mark(&mut self, text: usize, input: usize, coding: Coding) {
        self.marks.pop_if(|last| last.text == text);
        self.marks.push(Mark {
            text,
            input,
            coding,
        });
    }

    /// Adds a mark if the last one is so far away that a lookup would be slow. Soft line breaks are
    /// input without text, so that the distance in the input is limited as well.
    pub fn mark_if_far(&mut self, text: usize, input: usize, coding: Coding) {
        let is_near = |last: &Mark| {
            text - last.text < self.step && input.saturating_sub(last.input) < 4 * self.step
        };
        if !self.marks.last().is_some_and(is_near) {
            self.mark(text, input, coding);
        }
    }

    /// Returns where the byte of the text at `offset` begins in `input`, and how it is encoded.
    #[must_use]
    pub fn source(&self, input: &[u8], offset: usize) -> (usize, Coding) {
        let index = self.marks.partition_point(|mark| mark.text <= offset);
        let mark = index.checked_sub(1).map(|index| self.marks[index]);
        let mark = mark.unwrap_or(Mark {
            text: 0,
            input: 0,
            coding: Coding::Plain,
        });
        // The input between the text of two marks may have been removed: the result does not pass
        // the next mark.
        let limit = self
            .marks
            .get(index)
            .map(|next| next.input)
            .filter(|&next| next >= mark.input);
        let at = mark.coding.skip(input, mark.input, offset - mark.text);
        (
            at.min(limit.unwrap_or(input.len())).min(input.len()),
            mark.coding,
        )
    }
}

impl Origin {
    /// Returns the offset in the input of the byte of the text at `offset`.
    ///
    /// In quoted-printable this is the byte itself or the `=` of its escape, in base64 the first
    /// character that contains bits of the byte.
    #[must_use]
    pub fn offset(&self, offset: usize) -> usize {
        self.map.source(&self.bytes, offset).0
    }

    /// Returns the position in the input of the byte of the text at `offset`.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        Position::of(&self.bytes, self.offset(offset))
    }

    /// Returns a function from the offset of a byte of the text to its line in the input, counted
    /// from 1: for many offsets.
    pub fn line_numbers(&self) -> impl Fn(usize) -> usize + '_ {
        let ends: Vec<_> = memchr::memchr_iter(b'\n', &self.bytes).collect();
        move |offset| {
            let offset = self.offset(offset);
            ends.partition_point(|&end| end < offset) + 1
        }
    }

    /// Returns whether people can read the byte of the text at `offset` in the input.
    #[must_use]
    pub fn is_readable(&self, offset: usize) -> bool {
        self.map.source(&self.bytes, offset).1 != Coding::Base64
    }
}

impl Coding {
    /// Returns the offset in `input` of the byte that is `count` bytes of text after the one at
    /// `from`.
    fn skip(self, input: &[u8], from: usize, count: usize) -> usize {
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
                while at < input.len() {
                    let (length, byte) = unquote(&input[at..]);
                    if byte.is_some() && left == 0 {
                        break;
                    }
                    left -= usize::from(byte.is_some());
                    at += length;
                }
            }
            Self::Base64 => {
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

/// Decodes the first byte of `input`, which is quoted-printable and not empty. Returns how many
/// bytes of input were read, and the byte if they are not a soft line break.
///
/// Like git, it returns an `=` that starts no escape unchanged (`decode_q_segment` in git's
/// mailinfo.c).
#[must_use]
pub fn unquote(input: &[u8]) -> (usize, Option<u8>) {
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
        // A CR that belongs to the text is written as an escape.
        [b'\r', b'\n', ..] => (1, None),
        [byte, ..] => (1, Some(byte)),
        [] => (0, None),
    }
}

/// Returns the six bits that a character of base64 means.
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
