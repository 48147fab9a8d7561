//! The old lines of a hunk.

use super::covered::signed;
use crate::plan::{Direction, Hunk, HunkLine, HunkLines, LineKind};
use crate::text::Span;

/// The old lines of a hunk, and how many of them are context at both ends.
#[derive(Default)]
pub(super) struct Pattern<'a> {
    /// The lines with their terminators.
    lines: Vec<&'a [u8]>,
    /// Where each line stands in the patch.
    spans: Vec<Span>,
    /// Lines of context before the first change; all lines where nothing changes.
    pub(super) leading: usize,
    /// Lines of context behind the last change; all lines where nothing changes.
    pub(super) trailing: usize,
    /// How many lines the hunk makes more.
    pub(super) change: isize,
}

impl<'a> Pattern<'a> {
    /// Takes the old lines of `hunk`.
    pub(super) fn new(hunk: &Hunk, text: &'a [u8], direction: Direction) -> Self {
        let mut pattern = Self::default();
        pattern.fill(hunk, text, direction);
        pattern
    }

    /// Does that again for another hunk, in the room that is there.
    pub(super) fn fill(&mut self, hunk: &Hunk, text: &'a [u8], direction: Direction) {
        if let Some((LineKind::Insertion, count)) = hunk.one_kind(text, direction) {
            self.lines.clear();
            self.spans.clear();
            (self.leading, self.trailing, self.change) = (0, 0, signed(count));
        } else {
            self.take(hunk, hunk.lines(text, direction), HunkLine::is_old);
        }
    }

    /// Takes the new lines of `hunk`.
    pub(super) fn postimage(hunk: &Hunk, text: &'a [u8], direction: Direction) -> Self {
        let mut pattern = Self::default();
        pattern.take(hunk, hunk.lines(text, direction), HunkLine::is_new);
        pattern
    }

    fn take(&mut self, hunk: &Hunk, lines: HunkLines<'a>, is_in: impl Fn(&HunkLine<'a>) -> bool) {
        let count = hunk.most_lines();
        self.lines.clear();
        self.lines.reserve(count);
        self.spans.clear();
        self.spans.reserve(count);
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
                self.lines.push(line.text);
                self.spans.push(line.span);
            }
        }
        (self.leading, self.trailing, self.change) = (leading, trailing, change);
    }

    /// Returns the number of lines.
    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the lines with their terminators.
    pub(super) fn lines(&self) -> &[&'a [u8]] {
        &self.lines
    }

    /// Returns where a line stands in the patch.
    pub(super) fn span(&self, line: usize) -> Span {
        self.spans[line]
    }
}
