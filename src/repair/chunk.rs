//! A hunk with its lines as in the patch, and the interpretations of these lines (readings).

use bstr::ByteSlice;

use super::error::CountMismatch;
use super::line::Line;
use super::{RepairKind, RepairLog};
use crate::plan::LineKind;
use crate::text::LineEnding;

/// The content of the `@@` lines of a hunk.
#[derive(Clone, Debug, Default)]
pub(super) struct RawHunkHeader<'t> {
    /// The first preimage line, counted from 1. `None` if the header states no line, or line 0 as
    /// for a new file (`@@ -0,0 +1,3 @@`).
    pub(super) stated: Option<usize>,
    /// The numbers of preimage and postimage lines.
    pub(super) counts: Option<(usize, usize)>,
    /// The texts, as in `@@ class A` or `@@ -3,2 +3,2 @@ fn f()`. Each can be a line above the hunk
    /// or the first line of the hunk.
    pub(super) texts: Vec<HeaderText<'t>>,
}

/// A text on an `@@` line.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeaderText<'t> {
    pub(super) text: &'t [u8],
    /// Whether the text follows line numbers. There, diff tools write the enclosing function for
    /// people, and no tool needs it to place the hunk.
    pub(super) is_section: bool,
}

impl<'t> RawHunkHeader<'t> {
    /// Parses one line that starts with `@@`. The second `@@` can be missing, as in an envelope.
    pub(super) fn read_line(&mut self, line: Line<'t>, log: &mut RepairLog) {
        let rest = line.text[2..].trim_ascii_start();
        let (inner, outer) = match rest.find(b"@@") {
            Some(end) => (rest[..end].trim_ascii_end(), Some(&rest[end + 2..])),
            None => (rest.trim_ascii_end(), None),
        };
        match parse_ranges(inner) {
            Some((old, new)) => {
                if old.0 > 0 {
                    self.stated = Some(old.0);
                }
                self.counts = Some((old.1, new.1));
            }
            // Models write `@@ ... @@` or `@@ -XX,XX +XX,XX @@` if they do not know the line
            // numbers.
            None if is_placeholder(inner) => log.note(RepairKind::BareHeader, line.number),
            None => self.texts.push(HeaderText {
                text: inner,
                is_section: false,
            }),
        }
        // One space separates the text from `@@`. Further spaces are the indentation of a line of
        // the hunk, as in `@@ -4,4 +4,4 @@     x = 1`.
        let outer = outer
            .map(|outer| outer.strip_prefix(b" ").unwrap_or(outer))
            .filter(|outer| !outer.trim_ascii().is_empty());
        if let Some(text) = outer {
            self.texts.push(HeaderText {
                text,
                is_section: parse_ranges(inner).is_some(),
            });
        }
    }
}

/// Parses `-3,4 +5,6`. A missing count is 1.
fn parse_ranges(text: &[u8]) -> Option<((usize, usize), (usize, usize))> {
    let text = std::str::from_utf8(text).ok()?;
    let (old, new) = text.split_once(' ')?;
    let range = |range: &str, sign| {
        let (start, count) = range
            .strip_prefix(sign)?
            .split_once(',')
            .unwrap_or((&range[1..], "1"));
        // The parser of well-formed headers has the same limit. It prevents overflows of sums.
        let number = |text: &str| {
            text.parse()
                .ok()
                .filter(|&number| number <= usize::MAX >> 2)
        };
        Some((number(start)?, number(count.trim())?))
    };
    Some((range(old, '-')?, range(new.trim(), '+')?))
}

/// Returns whether `text` is empty or a placeholder for line numbers: dots, signs, zeros or
/// letters.
fn is_placeholder(text: &[u8]) -> bool {
    text.iter().all(|byte| {
        matches!(
            byte,
            b'.' | b'-' | b'+' | b',' | b' ' | b'X' | b'x' | b'?' | b'N' | b'0'
        )
    })
}

/// A hunk with the lines of its body as in the input.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct RawHunk<'t> {
    pub(super) header: RawHunkHeader<'t>,
    pub(super) body: Vec<Line<'t>>,
    /// The number of the first line, counted from 1.
    pub(super) line: usize,
    /// The offset of the first line in the patch, in bytes.
    pub(super) at: usize,
    /// Whether `*** End of File` states that the hunk is at the end of the file.
    pub(super) is_at_end: bool,
    /// Whether the text shows that no line of the hunk is missing at its end. For example, another
    /// header or a closing fence follows.
    pub(super) is_closed: bool,
    /// Whether the hunk was built from a text without signs. No line can have lost its sign then.
    pub(super) is_text: bool,
    /// Whether the hunk comes from a normal diff. A normal diff has no context, so only the line
    /// numbers give the place of an insertion.
    pub(super) is_normal: bool,
    /// Whether the end of the envelope follows. The hunk then contains no line of the surrounding
    /// text.
    pub(super) is_bounded: bool,
    /// Whether the last line of the hunk is the last line of the patch and has no newline.
    pub(super) is_unterminated: bool,
    /// The number of empty lines after the last line.
    pub(super) trailing_blank_lines: usize,
}

/// One line of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadingLine {
    pub(super) kind: LineKind,
    /// The content, without the sign.
    pub(super) text: Vec<u8>,
    /// The content if the line lost its sign, so that its first space belongs to the file.
    pub(super) raw: Option<Vec<u8>>,
    /// Whether the line has no terminator. A `\` line after it states this.
    pub(super) is_unterminated: bool,
    /// The terminator of the line in the patch.
    pub(super) ending: LineEnding,
    /// The offset of the line in the patch, in bytes.
    pub(super) at: usize,
}

/// One reading of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) lines: Vec<ReadingLine>,
    /// The headings above the hunk, outermost first. Each is a whole line of the file or a part of
    /// one.
    pub(super) headings: Vec<Vec<u8>>,
    /// The repairs to report if this reading is used.
    pub(super) repairs: Vec<RepairKind>,
    /// Whether no line is missing at the end.
    pub(super) is_closed: bool,
}

impl Reading {
    /// Returns the numbers of preimage and postimage lines.
    pub(super) fn counts(&self) -> (usize, usize) {
        let count = |other| self.lines.iter().filter(|line| line.kind != other).count();
        (count(LineKind::Insertion), count(LineKind::Deletion))
    }

    /// Returns the kind and the content of each line.
    pub(super) fn pairs(&self) -> Vec<(LineKind, &[u8])> {
        self.lines
            .iter()
            .map(|line| (line.kind, &*line.text))
            .collect()
    }

    pub(super) fn old(&self) -> impl Iterator<Item = &ReadingLine> {
        self.lines
            .iter()
            .filter(|line| line.kind != LineKind::Insertion)
    }
}

impl<'t> RawHunk<'t> {
    pub(super) fn new(
        header: RawHunkHeader<'t>,
        mut body: Vec<Line<'t>>,
        first: Line<'t>,
        is_at_end: bool,
    ) -> Self {
        // Empty lines after the last line are not part of the hunk.
        let length = body.len();
        while body.last().is_some_and(|line| line.text.is_empty()) {
            body.pop();
        }
        let blank = length - body.len();
        Self {
            header,
            body,
            line: first.number,
            at: first.span.start,
            is_at_end,
            is_closed: true,
            is_text: false,
            is_normal: first.is_normal,
            is_bounded: false,
            is_unterminated: false,
            trailing_blank_lines: blank,
        }
    }

    /// Returns the counts of the header and of the hunk if lines are missing. `found` are the
    /// counts of the hunk. Blank lines at the end do not count as missing, because they can be
    /// context that lost its leading space.
    pub(super) fn shortage(&self, found: (usize, usize)) -> Option<CountMismatch> {
        let promised = self.header.counts?;
        let missing = (
            promised.0.checked_sub(found.0)?,
            promised.1.checked_sub(found.1)?,
        );
        // Editors and chats strip the space of empty context lines, so such lines look like text
        // after the hunk.
        let are_blank = missing.0 == missing.1 && missing.0 <= self.trailing_blank_lines;
        (missing != (0, 0) && !are_blank).then_some(CountMismatch {
            stated: promised,
            found,
        })
    }

    /// Returns whether the last line is context, and equal numbers of preimage and postimage lines
    /// are missing. All missing lines can then be context, so that no change is lost.
    pub(super) fn ends_in_context(&self) -> bool {
        let is_even =
            |short: CountMismatch| short.stated.0 - short.found.0 == short.stated.1 - short.found.1;
        self.body
            .last()
            .is_some_and(|line| line.text.starts_with(b" "))
            && self.shortage(count_lines(&self.body)).is_none_or(is_even)
    }
}

/// Returns the numbers of preimage and postimage lines in a body.
pub(super) fn count_lines(body: &[Line<'_>]) -> (usize, usize) {
    body.iter()
        .fold((0, 0), |(old, new), line| match line.text.first() {
            Some(b'+') => (old, new + 1),
            Some(b'-') => (old + 1, new),
            Some(b'\\') => (old, new),
            // A line without a sign is context that lost its leading space.
            _ => (old + 1, new + 1),
        })
}
