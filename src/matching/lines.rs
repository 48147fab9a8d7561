//! Changes that name lines by number: validates their places and builds the new file.
//!
//! Bytes outside these lines never change. New lines get the line ending of their place. A byte
//! order mark stays. A missing final newline stays missing. An empty file gets terminated lines.

use crate::lines::LineOffsets;
use crate::lines::ladder::EXACT;
use std::collections::HashMap;
use std::iter;
use std::ops::Range;

use super::Placement;
use crate::plan::{LineEdit, LineTarget, NewLines, NumberedLines};
use crate::text::{LineEnding, Lines, Span, bom_length, without_bom, without_ending};

/// The place of one applied change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// The index of the change in its list.
    pub edit: usize,
    /// The placement of the change.
    pub placement: Placement,
    /// The number of lines that the change puts there.
    pub new_lines: usize,
}

/// A change that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEditError {
    /// The index of the change in its list.
    pub edit: usize,
    /// The reason.
    pub mismatch: LineMismatch,
}

/// The reasons why a change cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineMismatch {
    /// The file ends before this line, counted from 1.
    NotFound(usize),
    /// The change at this index of the list covers some of the same lines.
    Overlap(usize),
    /// The line at this index of [`LineEdit::expected`] is not among the lines of the place.
    ExpectedMissing(usize),
    /// The operation that cuts the new lines does not exist, or its file ends before these lines.
    SourceMissing,
    /// No complete construct begins on this line, counted from 1.
    ConstructNotFound(usize),
    /// The file would exceed the size limit.
    TooLarge,
}

/// A change and its place.
///
/// `lines` are the removed lines, counted from 0. `rank` orders changes that start at the same
/// line.
struct PlacedEdit {
    edit: usize,
    target: LineTarget,
    lines: Range<usize>,
    rank: u8,
}

/// The new file and the applied changes, or every change that cannot be applied.
pub type LineEditResult = Result<(Vec<u8>, Vec<LineChange>), Vec<LineEditError>>;

/// Applies `edits` to `preimage` and returns the new file.
///
/// The line numbers of the edits are moved by `shift`. `source` returns the file of an operation as
/// it was when its lines were numbered. New lines may add at most `most` bytes in total.
///
/// # Errors
///
/// Returns every change that cannot be applied.
pub fn change_lines<'a>(
    preimage: &[u8],
    edits: &'a [LineEdit],
    shift: isize,
    source: &dyn Fn(usize) -> Option<&'a [u8]>,
    max_new_bytes: u64,
) -> LineEditResult {
    let (mark, text) = preimage.split_at(bom_length(preimage));
    let index = LineOffsets::new(text);
    let sites = place_edits(&index, edits, shift)?;
    check_removed(&index, edits, &sites)?;
    let mut out = OutputBuilder::new(mark, text);
    let mut changes = Vec::with_capacity(sites.len());
    let (mut room, mut sources) = (max_new_bytes, HashMap::new());
    for site in &sites {
        let edit = &edits[site.edit];
        let refused = |mismatch| {
            vec![LineEditError {
                edit: site.edit,
                mismatch,
            }]
        };
        let new = NewContent::of(&edit.new, source, &mut sources)
            .ok_or_else(|| refused(LineMismatch::SourceMissing))?;
        room = room
            .checked_sub(new.size())
            .ok_or_else(|| refused(LineMismatch::TooLarge))?;
        let bytes = index.offset(site.lines.start)..index.offset(site.lines.end);
        out.keep_up_to(bytes.start);
        let new_lines = out.put(&new, endings(&index, site.target));
        out.skip_to(bytes.end);
        // Offsets of the index do not include the byte order mark.
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

/// Returns the places in file order.
fn place_edits(
    index: &LineOffsets<'_>,
    edits: &[LineEdit],
    shift: isize,
) -> Result<Vec<PlacedEdit>, Vec<LineEditError>> {
    let (mut sites, mut misfits) = (Vec::with_capacity(edits.len()), Vec::new());
    for (edit, wanted) in edits.iter().enumerate() {
        let target = wanted.target.offset_by(shift);
        match place_target(target, index.count()) {
            Ok((lines, rank)) => sites.push(PlacedEdit {
                edit,
                target,
                lines,
                rank,
            }),
            Err(mismatch) => misfits.push(LineEditError { edit, mismatch }),
        }
    }
    // The sort is stable: insertions at the same place keep the order of the list.
    sites.sort_by_key(|site| (site.lines.start, site.rank));
    // Only the place that reaches furthest can overlap the next one.
    let mut before: Option<&PlacedEdit> = None;
    for site in &sites {
        if let Some(other) = before.filter(|other| site.lines.start < other.lines.end) {
            let (first, second) = (site.edit.min(other.edit), site.edit.max(other.edit));
            misfits.push(LineEditError {
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

/// Returns the lines that `target` removes in a file with `count` lines, and the rank of the place.
///
/// At one place, an insertion after the previous line is first, then an insertion before the next
/// line, then the replacement of that line.
fn place_target(target: LineTarget, count: usize) -> Result<(Range<usize>, u8), LineMismatch> {
    let (lines, rank, last) = match target {
        // Line 1 does not exist in an empty file, but its start does.
        LineTarget::Before(1) => (0..0, 1, 0),
        LineTarget::After(line) => (line..line, 0, line),
        LineTarget::Before(line) => (line.saturating_sub(1)..line.saturating_sub(1), 1, line),
        LineTarget::Lines(NumberedLines { first, last }) => {
            (first.saturating_sub(1)..last, 2, last)
        }
        LineTarget::End => (count..count, 3, count),
        LineTarget::Construct(line) | LineTarget::AfterConstruct(line) => {
            return Err(LineMismatch::ConstructNotFound(line));
        }
    };
    if last > count {
        Err(LineMismatch::NotFound(last))
    } else {
        Ok((lines, rank))
    }
}

/// Checks that the removed range of each edit contains its expected lines, in their order.
fn check_removed(
    index: &LineOffsets<'_>,
    edits: &[LineEdit],
    sites: &[PlacedEdit],
) -> Result<(), Vec<LineEditError>> {
    let missing = |site: &PlacedEdit| {
        let gone = &edits[site.edit].expected;
        let mut there = index
            .lines_from(site.lines.start)
            .take(site.lines.len())
            .map(without_ending);
        // The iterator is not restarted, so the lines must occur in this order.
        let row = gone.iter().position(|row| !there.any(|line| line == row))?;
        Some(LineEditError {
            edit: site.edit,
            mismatch: LineMismatch::ExpectedMissing(row),
        })
    };
    let misfits: Vec<_> = sites.iter().filter_map(missing).collect();
    if misfits.is_empty() {
        Ok(())
    } else {
        Err(misfits)
    }
}

/// Returns the line endings for the new lines, one per row.
///
/// Row N gets the ending of line N of the target. Rows after the last target line repeat the last
/// ending. If no target line has an ending, the line before the target decides, or LF.
fn endings<'a>(
    index: &'a LineOffsets<'_>,
    target: LineTarget,
) -> impl Iterator<Item = LineEnding> + 'a {
    let lines = match target {
        LineTarget::Lines(lines) => lines.first.saturating_sub(1)..lines.last,
        LineTarget::Before(line) | LineTarget::After(line) => line.saturating_sub(1)..line.max(1),
        LineTarget::End | LineTarget::Construct(_) | LineTarget::AfterConstruct(_) => {
            index.count().saturating_sub(1)..index.count()
        }
    };
    let mut ending = LineEnding::of(&index.text()[..index.offset(lines.start)])
        .into_option()
        .unwrap_or(LineEnding::Lf);
    let mut named = index.lines_from(lines.start).take(lines.len());
    iter::repeat_with(move || {
        ending = named
            .next()
            .and_then(|line| LineEnding::of(line).into_option())
            .unwrap_or(ending);
        ending
    })
}

/// The new content of a place.
enum NewContent<'a> {
    Rows(&'a [Vec<u8>]),
    Text(&'a [u8]),
}

impl<'a> NewContent<'a> {
    fn of(
        new: &'a NewLines,
        source: &dyn Fn(usize) -> Option<&'a [u8]>,
        known: &mut HashMap<usize, LineOffsets<'a>>,
    ) -> Option<Self> {
        match new {
            NewLines::Nothing => Some(Self::Rows(&[])),
            NewLines::Given(rows) => Some(Self::Rows(rows)),
            NewLines::CutConstruct { .. } => None,
            NewLines::Cut { operation, lines } => {
                // The index of a source is built once for all its cuts.
                if !known.contains_key(operation) {
                    let text = source(*operation)?;
                    known.insert(*operation, LineOffsets::new(without_bom(text)));
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

    /// Returns the approximate size in bytes.
    fn size(&self) -> u64 {
        match self {
            Self::Rows(rows) => rows.iter().map(|row| row.len() as u64 + 1).sum(),
            Self::Text(text) => text.len() as u64,
        }
    }
}

/// The new file during its construction.
struct OutputBuilder<'a> {
    text: &'a [u8],
    /// The offset in `text` up to which all bytes are processed.
    done: usize,
    /// The length of the byte order mark at the start of `bytes`.
    mark: usize,
    bytes: Vec<u8>,
}

impl<'a> OutputBuilder<'a> {
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

    /// Appends lines and returns their number. Terminates an unterminated line before them.
    fn put(
        &mut self,
        new: &NewContent<'_>,
        mut endings: impl Iterator<Item = LineEnding>,
    ) -> usize {
        let mut count = 0;
        let mut add = |content: &[u8]| {
            let ending = endings.next().unwrap_or(LineEnding::Lf);
            if self.bytes.len() > self.mark && !self.bytes.ends_with(b"\n") {
                self.bytes.extend_from_slice(ending.bytes());
            }
            self.bytes.extend_from_slice(content);
            self.bytes.extend_from_slice(ending.bytes());
            count += 1;
        };
        match new {
            NewContent::Rows(rows) => rows.iter().for_each(|row| add(row)),
            NewContent::Text(text) => {
                Lines::of_span(text, Span::new(0, text.len()))
                    .for_each(|(_, line)| add(without_ending(line)));
            }
        }
        count
    }

    /// Appends the rest of the file. Removes the final newline if the original file had content but
    /// no final newline.
    fn finish(mut self) -> Vec<u8> {
        self.keep_up_to(self.text.len());
        let has_end = self.text.is_empty() || self.text.ends_with(b"\n");
        if !has_end && self.bytes.len() > self.mark {
            let end = self.bytes.len() - LineEnding::of(&self.bytes).bytes().len();
            self.bytes.truncate(end);
        }
        self.bytes
    }
}
