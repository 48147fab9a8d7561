//! Lines by the first and the last of them, as context and normal diffs name them.

use super::{SyntaxError, SyntaxErrorKind};
use crate::plan::LineRange;
use crate::text::{Lines, Span};

/// Largest number of a line: sums and differences of two have room as `isize`.
const LARGEST: usize = usize::MAX >> 2;

/// `FIRST`, or `FIRST,LAST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edges {
    first: usize,
    last: Option<usize>,
}

impl Edges {
    /// Reads them at the start of `line` and returns what stands behind them; `None` if no number
    /// does.
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

    /// Returns whether they name one line, or the place behind it.
    pub(super) fn is_lone(self) -> bool {
        self.last.is_none()
    }

    /// Returns how many lines they name. The line 0 is the place in front of the file.
    ///
    /// # Errors
    ///
    /// Returns an error for a number that no line has, and for a last line before the first one.
    pub(super) fn count(self, at: Span) -> Result<usize, SyntaxError> {
        let last = self.last.unwrap_or(self.first);
        if self.first.max(last) > LARGEST {
            return Err(SyntaxError::new(SyntaxErrorKind::NumberTooLarge, at));
        }
        match (self.first, last) {
            (0, 0) => Ok(0),
            (1.., _) if last >= self.first => Ok(last - self.first + 1),
            _ => Err(SyntaxError::new(
                SyntaxErrorKind::Expected("a first line and a last one behind it"),
                at,
            )),
        }
    }

    /// Returns the lines as a range, of which the text has `found`. A lone number may name the
    /// place behind a line.
    ///
    /// # Errors
    ///
    /// Returns an error if these are not as many as the numbers name.
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

/// Returns the end of `text` if `lines` are there, where lines are missing; else `header`, which
/// counts too many of them.
pub(super) fn end_or(text: &[u8], lines: &Lines<'_>, header: Span) -> Span {
    let is_at_end = text[lines.offset()..].trim_ascii().is_empty();
    if is_at_end {
        Span::new(text.len(), text.len())
    } else {
        header
    }
}

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
