//! Lines that are named by their numbers: where they stand, and what the file becomes.
//!
//! Bytes outside the places never change. What comes gets the line end of its place; a byte order
//! mark, and a last newline or the lack of one, stay.

use crate::lines::LineIndex;
use crate::lines::ladder::EXACT;
use std::collections::HashMap;
use std::iter;
use std::ops::Range;

use super::Placement;
use crate::plan::{LineEdit, LineTarget, NewLines, NumberedLines};
use crate::text::{BYTE_ORDER_MARK, Ending, Lines, Span, mark_length, without_ending};

/// The place that a change went to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// Index of the change in its list.
    pub edit: usize,
    /// The place.
    pub placement: Placement,
    /// How many lines come there.
    pub new_lines: usize,
}

/// A change that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMisfit {
    /// Index of the change in its list.
    pub edit: usize,
    /// Why.
    pub mismatch: LineMismatch,
}

/// Why a change cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineMismatch {
    /// The file ends before this line, counted from 1.
    NotFound(usize),
    /// The change at this index of the list has some of its lines.
    Overlap(usize),
    /// The line that is said to go, at this index of its list, is not there.
    NotThere(usize),
    /// The operation that takes the new lines away is not there, or its file ends before them.
    Lost,
    /// The file would be larger than the limit.
    TooLarge,
}

/// A change and its place: the lines that go, counted from 0, and which of those at one place comes
/// first.
struct Site {
    edit: usize,
    target: LineTarget,
    lines: Range<usize>,
    rank: u8,
}

/// What `preimage` becomes and where, or every change that cannot be made.
pub type ChangedLines = Result<(Vec<u8>, Vec<LineChange>), Vec<LineMisfit>>;

/// Returns what `preimage` becomes, unless more than `most` bytes come to it. Places are `shift`
/// lines behind their numbers. `source` returns the contents, as they were numbered, of the file
/// that an operation is about.
///
/// # Errors
///
/// Returns every change that cannot be made.
pub fn change_lines<'a>(
    preimage: &[u8],
    edits: &'a [LineEdit],
    shift: isize,
    source: &dyn Fn(usize) -> Option<&'a [u8]>,
    most: u64,
) -> ChangedLines {
    let (mark, text) = preimage.split_at(mark_length(preimage));
    let index = LineIndex::new(text);
    let sites = sites(&index, edits, shift)?;
    lost(&index, edits, &sites)?;
    let mut out = Out::new(mark, text);
    let mut changes = Vec::with_capacity(sites.len());
    let (mut room, mut sources) = (most, HashMap::new());
    for site in &sites {
        let edit = &edits[site.edit];
        let refused = |mismatch| {
            vec![LineMisfit {
                edit: site.edit,
                mismatch,
            }]
        };
        let new =
            New::of(&edit.new, source, &mut sources).ok_or_else(|| refused(LineMismatch::Lost))?;
        room = room
            .checked_sub(new.size())
            .ok_or_else(|| refused(LineMismatch::TooLarge))?;
        let bytes = index.offset(site.lines.start)..index.offset(site.lines.end);
        out.keep_up_to(bytes.start);
        let new_lines = out.put(&new, endings(&index, site.target));
        out.skip_to(bytes.end);
        let bytes = bytes.start + mark.len()..bytes.end + mark.len();
        let lines = site.lines.clone();
        let placement = Placement {
            offset: shift,
            ..Placement::new(bytes, lines, EXACT)
        };
        changes.push(LineChange {
            edit: site.edit,
            placement,
            new_lines,
        });
    }
    Ok((out.finish(), changes))
}

/// Returns the places in the order of the file.
fn sites(
    index: &LineIndex<'_>,
    edits: &[LineEdit],
    shift: isize,
) -> Result<Vec<Site>, Vec<LineMisfit>> {
    let count = index.count();
    let (mut sites, mut misfits) = (Vec::with_capacity(edits.len()), Vec::new());
    for (edit, wanted) in edits.iter().enumerate() {
        let target = wanted.target.moved(shift);
        let (lines, rank, last) = match target {
            // An empty file has no line 1, and a start.
            LineTarget::Before(1) => (0..0, 1, 0),
            LineTarget::After(line) => (line..line, 0, line),
            LineTarget::Before(line) => (line.saturating_sub(1)..line.saturating_sub(1), 1, line),
            LineTarget::Lines(NumberedLines { first, last }) => {
                (first.saturating_sub(1)..last, 2, last)
            }
            LineTarget::End => (count..count, 3, count),
        };
        if last > count {
            misfits.push(LineMisfit {
                edit,
                mismatch: LineMismatch::NotFound(last),
            });
        } else {
            sites.push(Site {
                edit,
                target,
                lines,
                rank,
            });
        }
    }
    // Stable: what comes to one place comes in the order of the list.
    sites.sort_by_key(|site| (site.lines.start, site.rank));
    let mut before: Option<&Site> = None;
    for site in &sites {
        if let Some(other) = before.filter(|other| site.lines.start < other.lines.end) {
            let (first, second) = (site.edit.min(other.edit), site.edit.max(other.edit));
            misfits.push(LineMisfit {
                edit: second,
                mismatch: LineMismatch::Overlap(first),
            });
        }
        if before.is_none_or(|other| site.lines.end > other.lines.end) {
            before = Some(site);
        }
    }
    misfits.sort_by_key(|misfit| misfit.edit);
    misfits.dedup_by_key(|misfit| misfit.edit);
    if misfits.is_empty() {
        Ok(sites)
    } else {
        Err(misfits)
    }
}

/// Refuses lines that are said to go, in this order, and are not among those that do.
fn lost(index: &LineIndex<'_>, edits: &[LineEdit], sites: &[Site]) -> Result<(), Vec<LineMisfit>> {
    let missing = |site: &Site| {
        let gone = &edits[site.edit].gone;
        let mut there = index
            .lines_from(site.lines.start)
            .take(site.lines.len())
            .map(without_ending);
        let row = gone.iter().position(|row| !there.any(|line| line == row))?;
        Some(LineMisfit {
            edit: site.edit,
            mismatch: LineMismatch::NotThere(row),
        })
    };
    let misfits: Vec<_> = sites.iter().filter_map(missing).collect();
    if misfits.is_empty() {
        Ok(())
    } else {
        Err(misfits)
    }
}

/// Returns the ends that new lines get, row by row: of the line that is named, else of the one
/// before, else LF. Of several lines that go each has its row, and the last all further ones.
fn endings<'a>(index: &'a LineIndex<'_>, target: LineTarget) -> impl Iterator<Item = Ending> + 'a {
    let lines = match target {
        LineTarget::Lines(lines) => lines.first.saturating_sub(1)..lines.last,
        LineTarget::Before(line) | LineTarget::After(line) => line.saturating_sub(1)..line.max(1),
        LineTarget::End => index.count().saturating_sub(1)..index.count(),
    };
    let known = |ending: Ending| Some(ending).filter(|ending| *ending != Ending::Missing);
    let mut ending =
        known(Ending::of(&index.text()[..index.offset(lines.start)])).unwrap_or(Ending::Lf);
    let mut named = index.lines_from(lines.start).take(lines.len());
    iter::repeat_with(move || {
        ending = named
            .next()
            .and_then(|line| known(Ending::of(line)))
            .unwrap_or(ending);
        ending
    })
}

/// What comes to a place.
enum New<'a> {
    Rows(&'a [Vec<u8>]),
    Text(&'a [u8]),
}

impl<'a> New<'a> {
    fn of(
        new: &'a NewLines,
        source: &dyn Fn(usize) -> Option<&'a [u8]>,
        known: &mut HashMap<usize, LineIndex<'a>>,
    ) -> Option<Self> {
        match new {
            NewLines::Nothing => Some(Self::Rows(&[])),
            NewLines::Given(rows) => Some(Self::Rows(rows)),
            NewLines::Cut { operation, lines } => {
                if !known.contains_key(operation) {
                    let text = source(*operation)?;
                    known.insert(
                        *operation,
                        LineIndex::new(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)),
                    );
                }
                let index = known
                    .get(operation)
                    .filter(|index| lines.last <= index.count())?;
                Some(Self::Text(
                    &index.text()
                        [index.offset(lines.first.saturating_sub(1))..index.offset(lines.last)],
                ))
            }
        }
    }

    /// Returns about how many bytes it has.
    fn size(&self) -> u64 {
        match self {
            Self::Rows(rows) => rows.iter().map(|row| row.len() as u64 + 1).sum(),
            Self::Text(text) => text.len() as u64,
        }
    }
}

/// A file as it grows.
struct Out<'a> {
    text: &'a [u8],
    done: usize,
    mark: usize,
    bytes: Vec<u8>,
}

impl<'a> Out<'a> {
    fn new(mark: &[u8], text: &'a [u8]) -> Self {
        let mut bytes = Vec::with_capacity(mark.len() + text.len());
        bytes.extend_from_slice(mark);
        Self {
            text,
            done: 0,
            mark: mark.len(),
            bytes,
        }
    }

    fn keep_up_to(&mut self, offset: usize) {
        self.bytes.extend_from_slice(&self.text[self.done..offset]);
        self.done = offset;
    }

    fn skip_to(&mut self, offset: usize) {
        self.done = offset;
    }

    /// Adds lines and returns how many; a line before them that has no end gets one.
    fn put(&mut self, new: &New<'_>, mut endings: impl Iterator<Item = Ending>) -> usize {
        let mut count = 0;
        let mut add = |content: &[u8]| {
            let ending = endings.next().unwrap_or(Ending::Lf);
            if self.bytes.len() > self.mark && !self.bytes.ends_with(b"\n") {
                self.bytes.extend_from_slice(ending.bytes());
            }
            self.bytes.extend_from_slice(content);
            self.bytes.extend_from_slice(ending.bytes());
            count += 1;
        };
        match new {
            New::Rows(rows) => rows.iter().for_each(|row| add(row)),
            New::Text(text) => {
                Lines::within(text, Span::new(0, text.len()))
                    .for_each(|(_, line)| add(without_ending(line)));
            }
        }
        count
    }

    /// Keeps the rest, and a last newline only where there was one; an empty file gets lines that
    /// end.
    fn finish(mut self) -> Vec<u8> {
        self.keep_up_to(self.text.len());
        let has_end = self.text.is_empty() || self.text.ends_with(b"\n");
        if !has_end && self.bytes.len() > self.mark {
            let end = self.bytes.len() - Ending::of(&self.bytes).bytes().len();
            self.bytes.truncate(end);
        }
        self.bytes
    }
}
