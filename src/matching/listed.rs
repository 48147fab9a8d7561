//! The places of some lines, found by their hash.

use std::cell::Cell;

use super::hashes::Comparison;
use super::index::LineIndex;
use super::ladder::EXACT;
use super::progression::Progressions;
use super::search::Places;

/// Returns the offset of `line`, and notes that in `near`, the line with its offset that was asked
/// for before.
pub(super) fn offset(index: &LineIndex<'_>, near: &Cell<(usize, usize)>, line: usize) -> usize {
    let offset = index.offset_from(near.get(), line);
    near.set((line, offset));
    offset
}

/// The places of some lines, found by their hash and compared when they are asked for.
pub(super) struct Listed<'w> {
    pub(super) index: &'w LineIndex<'w>,
    pub(super) comparison: Comparison,
    pub(super) wanted: &'w [&'w [u8]],
    /// Where their hash is.
    pub(super) lines: Option<&'w Progressions>,
    /// The line that was looked at last, and its offset.
    pub(super) near: &'w Cell<(usize, usize)>,
}

impl Listed<'_> {
    /// Returns how many places there are at or behind `from`, as far as hashes tell.
    pub(super) fn count_from(&self, from: usize) -> usize {
        self.lines
            .map_or(0, |lines| lines.count_within(&(from..usize::MAX)))
    }

    /// Returns whether the lines are at `line`.
    pub(super) fn is_at(&self, line: usize) -> bool {
        if self.comparison == Comparison::strict(EXACT) {
            return self.is_exactly_at(line);
        }
        let text = &self.index.text()[offset(self.index, self.near, line)..];
        let mut found = self.comparison.lines_of(text, line);
        let key = |line| self.comparison.key(line);
        self.wanted
            .iter()
            .all(|&wanted| found.next().is_some_and(|line| key(line) == key(wanted)))
    }

    /// The same byte for byte, without a look for the ends of lines.
    fn is_exactly_at(&self, line: usize) -> bool {
        let mut rest = &self.index.text()[offset(self.index, self.near, line)..];
        self.wanted.iter().all(|wanted| {
            let behind = rest.strip_prefix(*wanted);
            rest = behind.unwrap_or_default();
            behind.is_some() && !wanted.is_empty() && (wanted.ends_with(b"\n") || rest.is_empty())
        })
    }
}

impl Places for Listed<'_> {
    fn count(&self) -> usize {
        self.wanted.len()
    }

    fn next(&self, from: usize) -> Option<usize> {
        self.lines?
            .within(from..usize::MAX)
            .find(|&line| self.is_at(line))
    }

    fn previous(&self, before: usize, floor: usize) -> Option<usize> {
        self.lines?
            .within(floor..before)
            .rev()
            .find(|&line| self.is_at(line))
    }
}
