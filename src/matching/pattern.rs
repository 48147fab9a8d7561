//! The old lines of a hunk as one piece of text.

use std::ops::Range;

use crate::plan::{Direction, Hunk, HunkLine, HunkLines, LineKind};
use crate::text::Span;

/// The old lines of a hunk, joined, and how many of them are context at both ends.
#[derive(Default)]
pub(super) struct Pattern {
    bytes: Vec<u8>,
    /// Where each line starts in `bytes`, and the end.
    starts: Vec<usize>,
    /// Where each line stands in the patch.
    spans: Vec<Span>,
    /// Lines of context before the first change; all lines where nothing changes.
    pub(super) leading: usize,
    /// Lines of context behind the last change; all lines where nothing changes.
    pub(super) trailing: usize,
    /// How many lines the hunk makes more.
    pub(super) change: isize,
}

impl Pattern {
    /// Joins the old lines of `hunk`.
    pub(super) fn new(hunk: &Hunk, text: &[u8], direction: Direction) -> Self {
        let mut pattern = Self::default();
        pattern.fill(hunk, text, direction);
        pattern
    }

    /// Does that again for another hunk, in the room that is there.
    pub(super) fn fill(&mut self, hunk: &Hunk, text: &[u8], direction: Direction) {
        self.join(hunk, hunk.lines(text, direction), HunkLine::is_old);
    }

    /// Joins the new lines of `hunk`.
    pub(super) fn postimage(hunk: &Hunk, text: &[u8], direction: Direction) -> Self {
        let mut pattern = Self::default();
        pattern.join(hunk, hunk.lines(text, direction), HunkLine::is_new);
        pattern
    }

    fn join<'a>(&mut self, hunk: &Hunk, lines: HunkLines<'a>, is_in: impl Fn(&HunkLine<'a>) -> bool) {
        let bytes = hunk.body.end - hunk.body.start;
        // A line has at least a terminator, whatever the header says.
        let count = hunk.old.count.max(hunk.new.count).min(bytes);
        let Self { bytes: joined, starts, spans, .. } = self;
        joined.clear();
        joined.reserve(bytes);
        starts.clear();
        starts.reserve(count + 1);
        starts.push(0);
        spans.clear();
        spans.reserve(count);
        let (mut leading, mut trailing, mut change, mut is_changed) = (0, 0, 0, false);
        for line in lines {
            is_changed |= line.kind != LineKind::Context;
            match line.kind {
                LineKind::Context => trailing += 1,
                LineKind::Deletion => (change, trailing) = (change - 1, 0),
                LineKind::Insertion => (change, trailing) = (change + 1, 0),
            }
            leading += usize::from(!is_changed);
            if is_in(&line) {
                joined.extend_from_slice(line.text);
                starts.push(joined.len());
                spans.push(line.span);
            }
        }
        (self.leading, self.trailing, self.change) = (leading, trailing, change);
    }

    /// Returns the number of lines.
    pub(super) fn count(&self) -> usize {
        self.spans.len()
    }

    /// Returns a run of its lines, with their terminators, as one text.
    pub(super) fn bytes(&self, lines: Range<usize>) -> &[u8] {
        &self.bytes[self.starts[lines.start]..self.starts[lines.end]]
    }

    /// Returns one line with its terminator.
    pub(super) fn line(&self, line: usize) -> &[u8] {
        self.bytes(line..line + 1)
    }

    /// Returns its lines with their terminators.
    pub(super) fn lines(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.count()).map(|line| self.line(line))
    }

    /// Returns where a line stands in the patch.
    pub(super) fn span(&self, line: usize) -> Span {
        self.spans[line]
    }

    /// Returns whether each of `lines` ends where the next one starts; only the last may lack its terminator.
    pub(super) fn is_whole(&self, lines: &Range<usize>) -> bool {
        (lines.start..lines.end.saturating_sub(1)).all(|line| self.line(line).ends_with(b"\n"))
    }
}
