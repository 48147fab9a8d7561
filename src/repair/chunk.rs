//! A chunk as it came, and the ways in which it can be read.

use bstr::ByteSlice;

use super::error::Shortage;
use super::line::Line;
use super::{RepairKind, RepairLog};
use crate::plan::LineKind;

/// What the `@@` lines of a chunk say.
#[derive(Clone, Debug, Default)]
pub(super) struct Header<'t> {
    /// The first old line, counted from 1; `None` if no line is named.
    pub(super) stated: Option<usize>,
    /// How many old and new lines follow.
    pub(super) counts: Option<(usize, usize)>,
    /// The texts, each of which may be a line above the chunk or its first line.
    pub(super) texts: Vec<Text<'t>>,
}

/// A text on an `@@` line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'t> {
    pub(super) text: &'t [u8],
    /// Whether it stands behind numbers, where tools write the function that the hunk is in and
    /// nobody relies on it.
    pub(super) is_section: bool,
}

impl<'t> Header<'t> {
    /// Takes one line that starts with `@@`.
    pub(super) fn take(&mut self, line: Line<'t>, log: &mut RepairLog) {
        let rest = line.text[2..].trim_ascii_start();
        let (inner, outer) = match rest.find(b"@@") {
            Some(end) => (rest[..end].trim_ascii_end(), Some(&rest[end + 2..])),
            None => (rest.trim_ascii_end(), None),
        };
        match numbers(inner) {
            Some((old, new)) => {
                if old.0 > 0 {
                    self.stated = Some(old.0);
                }
                self.counts = Some((old.1, new.1));
            }
            None if is_placeholder(inner) => log.note(RepairKind::BareHeader, line.number),
            None => self.texts.push(Text {
                text: inner,
                is_section: false,
            }),
        }
        let outer = outer
            .map(|outer| outer.strip_prefix(b" ").unwrap_or(outer))
            .filter(|outer| !outer.trim_ascii().is_empty());
        if let Some(text) = outer {
            self.texts.push(Text {
                text,
                is_section: numbers(inner).is_some(),
            });
        }
    }
}

/// `-3,4 +5,6`; a missing count is 1.
fn numbers(text: &[u8]) -> Option<((usize, usize), (usize, usize))> {
    let text = std::str::from_utf8(text).ok()?;
    let (old, new) = text.split_once(' ')?;
    let range = |range: &str, sign| {
        let (start, count) = range
            .strip_prefix(sign)?
            .split_once(',')
            .unwrap_or((&range[1..], "1"));
        Some((
            start.parse::<usize>().ok()?,
            count.trim().parse::<usize>().ok()?,
        ))
    };
    Some((range(old, '-')?, range(new.trim(), '+')?))
}

/// What stands where numbers should: nothing, dots, signs or letters alone.
fn is_placeholder(text: &[u8]) -> bool {
    text.iter().all(|byte| {
        matches!(
            byte,
            b'.' | b'-' | b'+' | b',' | b' ' | b'X' | b'x' | b'?' | b'N' | b'0'
        )
    })
}

/// A chunk with the lines of its body as they stand.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Chunk<'t> {
    pub(super) header: Header<'t>,
    pub(super) body: Vec<Line<'t>>,
    /// Its first line, counted from 1.
    pub(super) line: usize,
    /// Where that stands in the patch.
    pub(super) at: usize,
    pub(super) is_at_end: bool,
    /// Whether the text shows that no line is missing at the end: another header, a closing fence
    /// or the like follows.
    pub(super) is_closed: bool,
    /// Whether it comes from a text without signs, so that no line can have lost one.
    pub(super) is_text: bool,
    /// Whether it comes from a normal diff, which has no context: its numbers alone say where
    /// insertions belong.
    pub(super) is_normal: bool,
    /// Whether the end of its envelope follows, so that it has no line of the text around the
    /// patch.
    pub(super) is_bounded: bool,
    /// Whether its last line is the last one of the patch, and has no newline.
    pub(super) is_torn: bool,
    /// How many empty lines follow the last line.
    pub(super) blank: usize,
}

/// One line as a reading has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadLine {
    pub(super) kind: LineKind,
    /// The content.
    pub(super) text: Vec<u8>,
    /// What it is if its first blank was no marker but the file's.
    pub(super) raw: Option<Vec<u8>>,
    /// Whether it has no line end, as `\` behind it says.
    pub(super) is_open: bool,
    /// Where it stands in the patch.
    pub(super) at: usize,
}

/// One way to read a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) lines: Vec<ReadLine>,
    /// The lines that stand above it, outermost first, each a whole line or a part of one.
    pub(super) headings: Vec<Vec<u8>>,
    /// What has to be told if this is the one.
    pub(super) rows: Vec<RepairKind>,
    /// Whether no line is missing at its end.
    pub(super) is_closed: bool,
}

impl Reading {
    /// Returns how many old and new lines it has.
    pub(super) fn counts(&self) -> (usize, usize) {
        let count = |other| self.lines.iter().filter(|line| line.kind != other).count();
        (count(LineKind::Insertion), count(LineKind::Deletion))
    }

    /// Returns each line with its kind.
    pub(super) fn pairs(&self) -> Vec<(LineKind, &[u8])> {
        self.lines
            .iter()
            .map(|line| (line.kind, &*line.text))
            .collect()
    }

    pub(super) fn old(&self) -> impl Iterator<Item = &ReadLine> {
        self.lines
            .iter()
            .filter(|line| line.kind != LineKind::Insertion)
    }
}

impl<'t> Chunk<'t> {
    pub(super) fn new(
        header: Header<'t>,
        mut body: Vec<Line<'t>>,
        first: Line<'t>,
        is_at_end: bool,
    ) -> Self {
        // Empty lines behind the last line belong to nothing.
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
            is_torn: false,
            blank,
        }
    }

    /// Returns what is missing if `found` is all that follows the header, and nothing closes the
    /// chunk. Blank lines at the end can be context that lost its blank.
    pub(super) fn shortage(&self, found: (usize, usize)) -> Option<Shortage> {
        let promised = self.header.counts?;
        let missing = (
            promised.0.checked_sub(found.0)?,
            promised.1.checked_sub(found.1)?,
        );
        let are_blank = missing.0 == missing.1 && missing.0 <= self.blank;
        (missing != (0, 0) && !are_blank).then_some(Shortage { promised, found })
    }

    /// Returns whether its last line is context, and as many old as new lines are missing.
    pub(super) fn ends_in_context(&self) -> bool {
        let is_even =
            |short: Shortage| short.promised.0 - short.found.0 == short.promised.1 - short.found.1;
        self.body
            .last()
            .is_some_and(|line| line.text.starts_with(b" "))
            && self.shortage(counts(&self.body)).is_none_or(is_even)
    }
}

/// Returns how many old and new lines a body has.
pub(super) fn counts(body: &[Line<'_>]) -> (usize, usize) {
    body.iter()
        .fold((0, 0), |(old, new), line| match line.text.first() {
            Some(b'+') => (old, new + 1),
            Some(b'-') => (old + 1, new),
            Some(b'\\') => (old, new),
            _ => (old + 1, new + 1),
        })
}
