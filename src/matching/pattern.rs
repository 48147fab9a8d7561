//! The old lines of a hunk.

use super::occupied::to_signed;
use crate::plan::{Direction, Hunk, HunkLine, HunkLines, LineKind};
use crate::text::Span;

/// The old lines of a hunk, and the number of context lines at both ends.
#[derive(Default)]
pub(super) struct Pattern<'a> {
    /// The lines with their terminators.
    lines: Vec<&'a [u8]>,
    /// The span of each line in the patch.
    spans: Vec<Span>,
    /// The number of context lines before the first change, or of all lines if nothing changes.
    pub(super) leading: usize,
    /// The number of context lines after the last change, or of all lines if nothing changes.
    pub(super) trailing: usize,
    /// The number of lines that the hunk adds. Negative if it removes lines.
    pub(super) added_lines: isize,
}

impl<'a> Pattern<'a> {
    /// Creates the pattern of the preimage of `hunk`.
    pub(super) fn new(hunk: &Hunk, text: &'a [u8], direction: Direction) -> Self {
        let mut pattern = Self::default();
        pattern.fill(hunk, text, direction);
        pattern
    }

    /// Replaces the pattern with the preimage of another hunk and reuses the allocations.
    pub(super) fn fill(&mut self, hunk: &Hunk, text: &'a [u8], direction: Direction) {
        // A hunk that only inserts, such as a new file, has no old lines, so its body is not split.
        if let Some((LineKind::Insertion, count)) = hunk.single_line_kind(text, direction) {
            self.lines.clear();
            self.spans.clear();
            (self.leading, self.trailing, self.added_lines) = (0, 0, to_signed(count));
        } else {
            self.take(hunk, hunk.lines(text, direction), HunkLine::is_in_preimage);
        }
    }

    /// Creates the pattern of the postimage of `hunk`.
    pub(super) fn postimage(hunk: &Hunk, text: &'a [u8], direction: Direction) -> Self {
        let mut pattern = Self::default();
        pattern.take(hunk, hunk.lines(text, direction), HunkLine::is_in_postimage);
        pattern
    }

    fn take(&mut self, hunk: &Hunk, lines: HunkLines<'a>, is_in: impl Fn(&HunkLine<'a>) -> bool) {
        let count = hunk.max_lines();
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
        (self.leading, self.trailing, self.added_lines) = (leading, trailing, change);
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn lines(&self) -> &[&'a [u8]] {
        &self.lines
    }

    /// Returns the span of a line in the patch.
    pub(super) fn span(&self, line: usize) -> Span {
        self.spans[line]
    }
}
