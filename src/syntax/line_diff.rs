//! The line diff of two texts, for writing unified diffs.

mod whitespace;

use std::ops::Range;

use super::headings::Headings;
use super::writers::PatchHunk;
use crate::interrupt::Interrupt;
use crate::lines::{Edit, Edits, LineTable, SlidePosition, diff_until_raised};
use crate::plan::{LineKind, LineRange};
use crate::text::{LineEnding, is_binary};

pub use whitespace::WhitespaceComparison;

/// The number of bytes that are compared at once.
const BLOCK: usize = 64;

/// The line diff of two texts.
pub(super) struct LineDiff<'a> {
    /// The whole old text.
    text: &'a [u8],
    /// The number of bytes in the common lines before `old`.
    start: usize,
    old: Vec<&'a [u8]>,
    new: Vec<&'a [u8]>,
    edits: Edits,
    /// The number of common lines before `old` and `new`.
    skipped_lines: usize,
    /// The number of bytes in the common lines before and after `old` and `new`.
    skipped_bytes: usize,
}

impl<'a> LineDiff<'a> {
    /// Compares two contents. A binary content counts as a single line. `context` is the maximum
    /// number of context lines that will be written around a change. If `interrupt` is raised, the
    /// result is incomplete and must not be used.
    pub(super) fn of(old: &'a [u8], new: &'a [u8], context: usize, interrupt: &Interrupt) -> Self {
        let lines = |text: &'a [u8]| {
            if is_binary(text) {
                LineTable::new([text])
            } else {
                LineTable::from_text_until_raised(text, interrupt)
            }
        };
        if is_binary(old) || is_binary(new) {
            Self::of_tables(old, [lines(old), lines(new)], interrupt)
        } else {
            Self::of_lines(old, new, context, interrupt)
        }
    }

    /// Compares two contents as [`LineDiff::of`] does. Lines that are equal for `comparison` are
    /// common lines.
    pub(super) fn with_whitespace(
        old: &'a [u8],
        new: &'a [u8],
        (context, comparison): (usize, WhitespaceComparison),
        interrupt: &Interrupt,
    ) -> Self {
        if is_binary(old) || is_binary(new) {
            return Self::of(old, new, context, interrupt);
        }
        Self::of_lines_with_whitespace(old, new, (context, comparison), interrupt)
    }

    /// Compares two texts as [`LineDiff::with_whitespace`] does, without testing for binary content.
    pub(super) fn of_lines_with_whitespace(
        old: &'a [u8],
        new: &'a [u8],
        (context, comparison): (usize, WhitespaceComparison),
        interrupt: &Interrupt,
    ) -> Self {
        if comparison == WhitespaceComparison::Exact {
            return Self::of_lines(old, new, context, interrupt);
        }
        let tables = [old, new].map(|text| LineTable::from_text_until_raised(text, interrupt));
        let keys = tables.each_ref().map(|table| {
            let lines = table.lines.iter();
            lines.map(|line| comparison.key(line)).collect::<Vec<_>>()
        });
        let [before, after] =
            (keys.each_ref()).map(|keys| LineTable::new(keys.iter().map(Vec::as_slice)));
        let edits = diff_until_raised(&before, &after, SlidePosition::Indent, interrupt);
        Self::of_edits(old, tables, edits.unwrap_or_default())
    }

    /// Compares two texts without testing for binary content.
    pub(super) fn of_lines(
        old: &'a [u8],
        new: &'a [u8],
        context: usize,
        interrupt: &Interrupt,
    ) -> Self {
        let table = |text| LineTable::from_text_until_raised(text, interrupt);
        Self::of_middle(old, new, context, interrupt)
            .unwrap_or_else(|| Self::of_tables(old, [old, new].map(table), interrupt))
    }

    /// Compares two texts without most of their common lines at the start and at the end. Returns
    /// `None` if there are no such lines, or if they could change the position of an edit.
    fn of_middle(
        old: &'a [u8],
        new: &'a [u8],
        context: usize,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let kept = context.saturating_add(1);
        let same = common_prefix(old, new);
        let mut starts = memchr::memrchr_iter(b'\n', &old[..same]);
        let start = starts.nth(kept).map_or(0, |newline| newline + 1);
        let end = common_suffix(&old[same..], &new[same..], kept);
        if start + end == 0 {
            return None;
        }
        let middle = |text: &'a [u8]| {
            let middle = &text[start..text.len() - end];
            LineTable::from_text_until_raised(middle, interrupt)
        };
        let diff = Self::of_tables(old, [middle(old), middle(new)], interrupt);
        let is_same = (start == 0 || diff.is_settled_at_start(context))
            && (end == 0 || diff.is_settled_at_end(context));
        let skipped = memchr::memchr_iter(b'\n', &old[..start]).count();
        is_same.then_some(Self {
            start,
            skipped_lines: skipped,
            skipped_bytes: start + end,
            ..diff
        })
    }

    fn of_tables(text: &'a [u8], tables: [LineTable<'a>; 2], interrupt: &Interrupt) -> Self {
        let [old, new] = &tables;
        let edits = diff_until_raised(old, new, SlidePosition::Indent, interrupt);
        Self::of_edits(text, tables, edits.unwrap_or_default())
    }

    /// Returns the diff of two whole texts with these edits.
    fn of_edits(text: &'a [u8], [old, new]: [LineTable<'a>; 2], edits: Edits) -> Self {
        Self {
            text,
            start: 0,
            old: old.lines,
            new: new.lines,
            edits,
            skipped_lines: 0,
            skipped_bytes: 0,
        }
    }

    /// Returns whether the lines before these cannot change the position of the first edit. No
    /// possible position may have such a line as context or as the nearest line that is not blank.
    fn is_settled_at_start(&self, context: usize) -> bool {
        let Some(Edit { old, new }) = self.edits.first() else {
            return true;
        };
        let first = |lines: &[&[u8]], range: &Range<usize>| {
            let slides =
                |up: &usize| !range.is_empty() && lines[range.start - up] == lines[range.end - up];
            range.start - (1..=range.start).take_while(slides).count()
        };
        let first = first(&self.old, old).min(first(&self.new, new));
        old.start >= context.max(1) && self.old[..first].iter().any(|line| !is_blank(line))
    }

    /// Returns whether the lines after these cannot change the position of the last edit.
    fn is_settled_at_end(&self, context: usize) -> bool {
        let Some(Edit { old, new }) = self.edits.last() else {
            return true;
        };
        let rest = |lines: &[&[u8]], range: &Range<usize>| {
            let slides = |down: &usize| {
                !range.is_empty() && lines[range.start + down] == lines[range.end + down]
            };
            let room = lines.len() - range.end;
            room - (0..room).take_while(slides).count()
        };
        let rest = rest(&self.old, old).min(rest(&self.new, new));
        // The indent heuristic reads the line after the change, and then the nearest line that is
        // not blank.
        let after = &self.old[self.old.len() - rest..];
        self.old.len() - old.end >= context.max(1)
            && after.iter().skip(1).any(|line| !is_blank(line))
    }

    /// Returns the numbers of added and of removed lines.
    pub(super) fn changed_lines(&self) -> (usize, usize) {
        let edits = || self.edits.iter();
        (
            edits().map(|edit| edit.new.len()).sum(),
            edits().map(|edit| edit.old.len()).sum(),
        )
    }

    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the percentage of the larger side that also occurs on the other side.
    pub(super) fn similarity(&self) -> usize {
        let old = self.skipped_bytes + size(&self.old);
        let alike = old
            - self
                .edits
                .iter()
                .map(|edit| size(&self.old[edit.old.clone()]))
                .sum::<usize>();
        (alike * 100)
            .checked_div(old.max(self.skipped_bytes + size(&self.new)))
            .unwrap_or(100)
    }

    /// Writes the hunks with `context` lines around each change, without section headings.
    pub(super) fn write(&self, out: &mut Vec<u8>, context: usize) {
        self.write_hunks(out, context, |_| b"");
    }

    /// Writes the hunks with `context` lines around each change, and their section headings.
    pub(super) fn write_with_headings(&self, out: &mut Vec<u8>, context: usize) {
        let mut headings = Headings::of(self.text);
        let (mut line, mut offset) = (0, self.start);
        self.write_hunks(out, context, |first| {
            offset += size(&self.old[line..first]);
            line = first;
            headings.before(offset)
        });
    }

    /// Writes the hunks. `section` returns the section heading of the hunk that starts at a line of
    /// `old`.
    fn write_hunks(
        &self,
        out: &mut Vec<u8>,
        context: usize,
        mut section: impl FnMut(usize) -> &'a [u8],
    ) {
        for group in self.groups(context) {
            let (old, new) = (self.range(group.old.clone()), self.range(group.new.clone()));
            out.extend_from_slice(format!("@@ -{old} +{new} @@").as_bytes());
            let section = section(group.old.start);
            if !section.is_empty() {
                out.push(b' ');
                out.extend_from_slice(section);
            }
            out.push(b'\n');
            let mut next = group.old.start;
            for edit in group.edits {
                put_lines(out, b' ', &self.old[next..edit.old.start]);
                put_lines(out, b'-', &self.old[edit.old.clone()]);
                put_lines(out, b'+', &self.new[edit.new.clone()]);
                next = edit.old.end;
            }
            put_lines(out, b' ', &self.old[next..group.old.end]);
        }
    }

    /// Returns the edits of each hunk, with `context` lines around each change.
    fn groups(&self, context: usize) -> impl Iterator<Item = EditGroup<'_>> {
        let is_near = move |one: &Edit, next: &Edit| {
            next.old.start - one.old.end <= context.saturating_mul(2)
        };
        self.edits.chunk_by(is_near).filter_map(move |edits| {
            let (first, last) = (edits.first()?, edits.last()?);
            let before = context.min(first.old.start);
            let after = context.min(self.old.len() - last.old.end);
            Some(EditGroup {
                edits,
                old: first.old.start - before..last.old.end + after,
                new: first.new.start - before..last.new.end + after,
            })
        })
    }

    /// Returns the hunks with `context` lines around each change, without section headings.
    pub(super) fn hunks(&self, context: usize) -> Vec<PatchHunk<'a>> {
        let range = |lines: &Range<usize>| LineRange {
            start: self.skipped_lines + lines.start + usize::from(!lines.is_empty()),
            count: lines.len(),
        };
        let is_end = self.start + size(&self.old) == self.text.len();
        let hunk = |group: EditGroup<'_>| {
            let mut lines = Vec::new();
            let mut push = |kind: LineKind, text: &[&'a [u8]]| {
                lines.extend(text.iter().map(|line| (kind, *line)));
            };
            let mut next = group.old.start;
            for edit in group.edits {
                push(LineKind::Context, &self.old[next..edit.old.start]);
                push(LineKind::Deletion, &self.old[edit.old.clone()]);
                push(LineKind::Insertion, &self.new[edit.new.clone()]);
                next = edit.old.end;
            }
            push(LineKind::Context, &self.old[next..group.old.end]);
            PatchHunk {
                old: range(&group.old),
                new: range(&group.new),
                section: b"",
                lines,
                is_at_end: is_end && group.old.end == self.old.len(),
            }
        };
        self.groups(context).map(hunk).collect()
    }

    /// Returns a line range as in a hunk header. An empty range names the line before it.
    fn range(&self, lines: Range<usize>) -> String {
        let start = self.skipped_lines + lines.start;
        match lines.len() {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            count => format!("{},{count}", start + 1),
        }
    }
}

/// The edits of one hunk.
struct EditGroup<'e> {
    edits: &'e [Edit],
    /// The lines of both files, with context.
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the number of bytes in `lines`.
fn size(lines: &[&[u8]]) -> usize {
    lines.iter().map(|line| line.len()).sum()
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

fn put_lines(out: &mut Vec<u8>, marker: u8, lines: &[&[u8]]) {
    for line in lines {
        out.push(marker);
        out.extend_from_slice(line);
        if LineEnding::of(line) == LineEnding::Missing {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// Returns the number of bytes in the common whole lines at the start.
fn common_prefix(old: &[u8], new: &[u8]) -> usize {
    let pairs = old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK));
    let blocks = pairs.take_while(|(old, new)| old == new).count() * BLOCK;
    let rest = old[blocks..]
        .iter()
        .zip(&new[blocks..])
        .take_while(|(old, new)| old == new)
        .count();
    memchr::memrchr(b'\n', &old[..blocks + rest]).map_or(0, |newline| newline + 1)
}

/// Returns the number of bytes in the common whole lines at the end, without the first `kept` of
/// these lines.
fn common_suffix(old: &[u8], new: &[u8], kept: usize) -> usize {
    let pairs = old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK));
    let blocks = pairs.take_while(|(old, new)| old == new).count() * BLOCK;
    let before = |text: &[u8]| text.len() - blocks;
    let pairs = old[..before(old)]
        .iter()
        .rev()
        .zip(new[..before(new)].iter().rev());
    let same = &old[before(old) - pairs.take_while(|(old, new)| old == new).count()..];
    // The first line may be incomplete, because the comparison stops anywhere in it.
    memchr::memchr_iter(b'\n', same)
        .nth(kept)
        .map_or(0, |newline| same.len() - newline - 1)
}

#[cfg(test)]
mod tests;
