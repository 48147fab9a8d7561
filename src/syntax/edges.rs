//! Line ranges given by first and last line, as in context and normal diffs.

use super::{SyntaxError, SyntaxErrorKind};
use crate::plan::LineRange;
use crate::text::{Lines, Span};

/// The largest line number. The limit allows sums and differences of two numbers as `isize`.
const LARGEST: usize = usize::MAX >> 2;

/// `FIRST`, or `FIRST,LAST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineBounds {
    first: usize,
    last: Option<usize>,
}

impl LineBounds {
    /// Reads the numbers at the start of `line` and returns them with the rest of the line. Returns
    /// `None` if the line does not start with a number.
    pub(super) fn read(line: &[u8]) -> Option<(Self, &[u8])> {
        let (first, rest) = number(line)?;
        match rest.strip_prefix(b",").and_then(number) {
            Some((last, rest)) => Some((
                Self {
                    first,
                    last: Some(last),
                },
                rest,
            )),
            None => Some((Self { first, last: None }, rest)),
        }
    }

    /// Returns whether there is only one number: one line, or the position after it.
    pub(super) fn is_lone(self) -> bool {
        self.last.is_none()
    }

    /// Returns the number of lines. Line 0 is the position before the first line.
    ///
    /// # Errors
    ///
    /// Returns an error for a number that is too large, and for a last line before the first line.
    pub(super) fn count(self, at: Span) -> Result<usize, SyntaxError> {
        let last = self.last.unwrap_or(self.first);
        if self.first.max(last) > LARGEST {
            return Err(SyntaxError::new(SyntaxErrorKind::NumberTooLarge, at));
        }
        match (self.first, last) {
            (0, 0) => Ok(0),
            (1.., _) if last >= self.first => Ok(last - self.first + 1),
            _ => Err(SyntaxError::new(
                SyntaxErrorKind::Expected("a first line and a last line after it"),
                at,
            )),
        }
    }

    /// Returns the lines as a range of `found` lines, the number of lines in the text. A single
    /// number can also name the position after a line.
    ///
    /// # Errors
    ///
    /// Returns an error if the range has a different number of lines.
    pub(super) fn range(
        self,
        side: &'static str,
        found: usize,
        at: Span,
    ) -> Result<LineRange, SyntaxError> {
        let promised = self.count(at)?;
        if found == promised || (found == 0 && self.is_lone()) {
            return Ok(LineRange {
                start: self.first,
                count: found,
            });
        }
        Err(SyntaxError::new(
            SyntaxErrorKind::LineCount {
                side,
                promised,
                found,
            },
            at,
        ))
    }
}

/// Returns the end of `text` if only white space follows, because lines are then missing. Otherwise
/// returns `header`, whose count is wrong.
pub(super) fn count_error_span(text: &[u8], lines: &Lines<'_>, header: Span) -> Span {
    let is_at_end = text[lines.offset()..].trim_ascii().is_empty();
    if is_at_end {
        Span::new(text.len(), text.len())
    } else {
        header
    }
}

/// Parses the digits at the start of `text` and returns the number with the rest of the text.
/// [`LineBounds::count`] rejects a number that exceeds [`LARGEST`].
fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(length);
    let add = |value: usize, digit: &u8| {
        value
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'))
    };
    (length > 0).then(|| (digits.iter().fold(0, add), rest))
}
