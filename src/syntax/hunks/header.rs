//! The first line of a hunk: `@@ -START,COUNT +START,COUNT @@ SECTION`.

use nom::bytes::complete::tag;
use nom::character::complete::{char, digit1};
use nom::combinator::opt;
use nom::error::{ErrorKind, ParseError};
use nom::sequence::preceded;
use nom::{IResult, Parser};

use crate::plan::LineRange;
use crate::syntax::{SyntaxError, SyntaxErrorKind};
use crate::text::Span;

pub(super) const HEADER: SyntaxErrorKind =
    SyntaxErrorKind::Expected("a hunk header, `@@ -START,COUNT +START,COUNT @@`");

/// Returns whether a line at the end of a hunk must be the header of the next one.
pub(in crate::syntax) fn is_header(line: &[u8]) -> bool {
    line.starts_with(b"@@")
}

/// Returns whether `line` is a complete hunk header.
pub(in crate::syntax) fn is_whole_header(line: &[u8]) -> bool {
    header(line).is_ok()
}

/// Returns the line ranges of both sides in a complete hunk header, and its section heading.
pub(in crate::syntax) fn ranges(line: &[u8]) -> Option<(LineRange, LineRange, &[u8])> {
    let (_, header) = header(line).ok()?;
    let section = &line[line.len() - header.section..];
    Some((header.old, header.new, section))
}

/// A parsed hunk header.
pub(super) struct HunkHeader {
    pub(super) old: LineRange,
    pub(super) new: LineRange,
    /// The number of bytes after the second `@@` and its blank.
    pub(super) section: usize,
}

impl HunkHeader {
    /// Parses `line`, the line at `span`. Both exclude the terminator.
    pub(super) fn parse(line: &[u8], span: Span) -> Result<Self, SyntaxError> {
        header(line).map(|(_, header)| header).map_err(|error| {
            let (nom::Err::Error(stop) | nom::Err::Failure(stop)) = error else {
                return SyntaxError::new(HEADER, span);
            };
            let place = Span::new(span.end - stop.left, span.end);
            SyntaxError::new(
                if stop.is_overflow {
                    SyntaxErrorKind::NumberTooLarge
                } else {
                    HEADER
                },
                place,
            )
        })
    }

    /// Replaces the counts.
    pub(super) fn set_counts(&mut self, (old, new): (usize, usize)) {
        (self.old.count, self.new.count) = (old, new);
    }
}

/// The position of an error in a header, as the number of remaining bytes, and whether the error is
/// a number that is too large.
#[derive(Clone, Copy, Debug)]
struct HeaderError {
    left: usize,
    is_overflow: bool,
}

impl ParseError<&[u8]> for HeaderError {
    fn from_error_kind(input: &[u8], _: ErrorKind) -> Self {
        Self {
            left: input.len(),
            is_overflow: false,
        }
    }

    fn append(_: &[u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

type HeaderResult<'a, T> = IResult<&'a [u8], T, HeaderError>;

fn header(input: &[u8]) -> HeaderResult<'_, HunkHeader> {
    let (rest, old) = preceded(tag("@@ -"), range).parse(input)?;
    let (rest, new) = preceded(tag(" +"), range).parse(rest)?;
    let (rest, _) = tag(" @@").parse(rest)?;
    let section = rest.strip_prefix(b" ").unwrap_or(rest).len();
    Ok((rest, HunkHeader { old, new, section }))
}

/// Parses `start,count`. A missing count is 1.
fn range(input: &[u8]) -> HeaderResult<'_, LineRange> {
    let (rest, start) = number(input)?;
    let (rest, count) = opt(preceded(char(','), number)).parse(rest)?;
    let count = count.unwrap_or(1);
    match start.checked_add(count) {
        Some(_) => Ok((rest, LineRange { start, count })),
        None => Err(nom::Err::Failure(HeaderError {
            left: input.len(),
            is_overflow: true,
        })),
    }
}

fn number(input: &[u8]) -> HeaderResult<'_, usize> {
    let (rest, digits) = digit1.parse(input)?;
    let value = digits.iter().try_fold(0_usize, |value, digit| {
        value
            .checked_mul(10)?
            .checked_add(usize::from(digit - b'0'))
    });
    // The limit is a quarter of the range, so that sums and differences of two numbers fit into an
    // `isize`.
    match value.filter(|&value| value <= usize::MAX >> 2) {
        Some(value) => Ok((rest, value)),
        None => Err(nom::Err::Failure(HeaderError {
            left: input.len(),
            is_overflow: true,
        })),
    }
}
