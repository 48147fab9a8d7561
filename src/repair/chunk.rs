//! A chunk as it came, and the ways in which it can be read.

use super::bodies::{Body, bodies};
use super::read::Line;
use super::shown::{unescaped, without_numbers};
use super::{Row, Trail};
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
    /// Whether it stands behind numbers, where tools write the function that the hunk is in and nobody relies on it.
    pub(super) is_section: bool,
}

impl<'t> Header<'t> {
    /// Takes one line that starts with `@@`.
    pub(super) fn take(&mut self, line: Line<'t>, trail: &mut Trail) {
        let rest = line.text[2..].trim_ascii_start();
        let (inner, outer) = match memchr::memmem::find(rest, b"@@") {
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
            None if is_placeholder(inner) => trail.note(Row::BareHeader, line.number),
            None => self.texts.push(Text { text: inner, is_section: false }),
        }
        let outer =
            outer.map(|outer| outer.strip_prefix(b" ").unwrap_or(outer)).filter(|outer| !outer.trim_ascii().is_empty());
        if let Some(text) = outer {
            self.texts.push(Text { text, is_section: numbers(inner).is_some() });
        }
    }
}

/// `-3,4 +5,6`; a missing count is 1.
fn numbers(text: &[u8]) -> Option<((usize, usize), (usize, usize))> {
    let text = std::str::from_utf8(text).ok()?;
    let (old, new) = text.split_once(' ')?;
    let range = |range: &str, sign| {
        let (start, count) = range.strip_prefix(sign)?.split_once(',').unwrap_or((&range[1..], "1"));
        Some((start.parse::<usize>().ok()?, count.trim().parse::<usize>().ok()?))
    };
    Some((range(old, '-')?, range(new.trim(), '+')?))
}

/// What stands where numbers should: nothing, dots, signs or letters alone.
fn is_placeholder(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b'.' | b'-' | b'+' | b',' | b' ' | b'X' | b'x' | b'?' | b'N' | b'0'))
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
    /// Whether the text shows that no line is missing at the end: another header, a closing fence or the like follows.
    pub(super) is_closed: bool,
    /// Whether it comes from a text without signs, so that no line can have lost one.
    pub(super) is_text: bool,
    /// Whether it comes from a normal diff, which has no context: its numbers alone say where insertions belong.
    pub(super) is_normal: bool,
    /// Whether the end of its envelope follows, so that it has no line of the text around the patch.
    pub(super) is_bounded: bool,
    /// Whether its last line is the last one of the patch, and has no newline.
    pub(super) is_torn: bool,
    /// How many empty lines follow the last line.
    pub(super) blank: usize,
}

/// Too few lines below a header, which are the sign of a patch that was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shortage {
    /// How many old and new lines the header counts.
    pub(super) promised: (usize, usize),
    /// How many there are.
    pub(super) found: (usize, usize),
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
    pub(super) rows: Vec<Row>,
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
        self.lines.iter().map(|line| (line.kind, &*line.text)).collect()
    }

    pub(super) fn old(&self) -> impl Iterator<Item = &ReadLine> {
        self.lines.iter().filter(|line| line.kind != LineKind::Insertion)
    }
}

impl<'t> Chunk<'t> {
    pub(super) fn new(header: Header<'t>, mut body: Vec<Line<'t>>, first: Line<'t>, is_at_end: bool) -> Self {
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

    /// Returns what is missing if `found` is all that follows the header, and nothing closes the chunk. Blank lines at
    /// the end can be context that lost its blank.
    pub(super) fn shortage(&self, found: (usize, usize)) -> Option<Shortage> {
        let promised = self.header.counts?;
        let missing = (promised.0.checked_sub(found.0)?, promised.1.checked_sub(found.1)?);
        let are_blank = missing.0 == missing.1 && missing.0 <= self.blank;
        (missing != (0, 0) && !are_blank).then_some(Shortage { promised, found })
    }

    /// Returns whether its last line is context, and as many old as new lines are missing.
    pub(super) fn ends_in_context(&self) -> bool {
        let is_even = |short: Shortage| short.promised.0 - short.found.0 == short.promised.1 - short.found.1;
        self.body.last().is_some_and(|line| line.text.starts_with(b" "))
            && self.shortage(counts(&self.body)).is_none_or(is_even)
    }

    /// Returns the readings, the one that is most likely meant first. The first that has exactly one place counts.
    pub(super) fn readings(&self) -> Vec<Reading> {
        let mut readings = Vec::new();
        for Body { lines: body, is_closed, row: cut } in bodies(self) {
            for Head { headings, glued, row } in self.heads(body) {
                let mut lines = lines(body);
                if let Some((kind, text)) = glued {
                    let line = ReadLine { kind, text: text.to_vec(), raw: None, is_open: false, at: self.at };
                    lines.insert(0, line);
                }
                let headings = headings.into_iter().map(<[u8]>::to_vec).collect();
                readings.push(Reading { lines, headings, rows: row.into_iter().chain(cut).collect(), is_closed });
            }
        }
        if self.is_text {
            readings.iter_mut().flat_map(|reading| &mut reading.lines).for_each(|line| line.raw = None);
        }
        let numbered: Vec<_> = readings
            .iter()
            .flat_map(|reading| [without_numbers(reading, b""), without_numbers(reading, b" ")])
            .flatten()
            .collect();
        let unescaped: Vec<_> = readings.iter().filter_map(unescaped).collect();
        readings.extend(numbered);
        readings.extend(unescaped);
        readings
    }

    /// The ways to take the texts of the header above `body`: headings, and perhaps a first line.
    fn heads(&self, body: &[Line<'t>]) -> Vec<Head<'t>> {
        let all: Vec<_> = self.header.texts.iter().filter(|text| !text.is_section).map(|text| text.text).collect();
        let plain = Head { headings: all.clone(), glued: None, row: None };
        let Some(last) = self.header.texts.last() else { return vec![plain] };
        let above = all[..all.len() - usize::from(!last.is_section)].to_vec();
        let glued =
            |kind, text| Head { headings: above.clone(), glued: Some((kind, text)), row: Some(Row::GluedHeader) };
        // Counts that the body has show that no line of it is here.
        let is_section = last.is_section && self.header.counts == Some(counts(body));
        let kind = match last.text.first() {
            Some(b'+') => LineKind::Insertion,
            Some(b'-') => LineKind::Deletion,
            _ if is_section => return vec![plain],
            _ => return vec![plain, glued(LineKind::Context, last.text)],
        };
        if !last.is_section && last.text.get(1) == Some(&b' ') {
            return vec![plain];
        }
        // A line that changes something is never left out.
        vec![if is_section { plain } else { glued(kind, &last.text[1..]) }]
    }
}

/// Returns how many old and new lines a body has.
pub(super) fn counts(body: &[Line<'_>]) -> (usize, usize) {
    body.iter().fold((0, 0), |(old, new), line| match line.text.first() {
        Some(b'+') => (old, new + 1),
        Some(b'-') => (old + 1, new),
        Some(b'\\') => (old, new),
        _ => (old + 1, new + 1),
    })
}

/// Returns the lines of a body by their markers.
fn lines(body: &[Line<'_>]) -> Vec<ReadLine> {
    let mut lines: Vec<ReadLine> = Vec::with_capacity(body.len());
    for line in body {
        let (kind, text, raw) = match line.text {
            // The note can be cut off.
            [b'\\'] | [b'\\', b' ', ..] => {
                if let Some(last) = lines.last_mut() {
                    last.is_open = true;
                }
                continue;
            }
            [b'-', text @ ..] => (LineKind::Deletion, text, None),
            [b'+', text @ ..] => (LineKind::Insertion, text, None),
            [b' ', text @ ..] => (LineKind::Context, text, Some(line.whole)),
            text => (LineKind::Context, text, None),
        };
        let raw = raw.map(<[u8]>::to_vec);
        lines.push(ReadLine { kind, text: text.to_vec(), raw, is_open: false, at: line.span.start });
    }
    lines
}

/// One way to take the texts of a header.
struct Head<'t> {
    /// Lines above the chunk.
    headings: Vec<&'t [u8]>,
    /// Its first line.
    glued: Option<(LineKind, &'t [u8])>,
    row: Option<Row>,
}
