//! The occurrences of one run of lines.

use std::cell::Cell;

use super::Places;
use super::positions::Progressions;
use crate::lines::comparison::Comparison;
use crate::lines::ladder::EXACT;
use crate::lines::offsets::LineOffsets;

/// The occurrences of one run of lines. The hash of the run selects candidates. Each candidate is
/// compared line by line before it is returned.
pub(crate) struct Matches<'w> {
    pub(super) index: &'w LineOffsets<'w>,
    pub(super) comparison: Comparison,
    pub(super) wanted: &'w [&'w [u8]],
    /// The lines where a run with the same hash starts.
    pub(super) candidates: Option<&'w Progressions>,
    /// The line whose offset was computed last, and this offset.
    pub(super) near: &'w Cell<(usize, usize)>,
}

impl Matches<'_> {
    /// Returns the number of candidates at or after the line `from`.
    pub(crate) fn count_from(&self, from: usize) -> usize {
        self.candidates
            .map_or(0, |lines| lines.count_within(&(from..usize::MAX)))
    }

    /// Returns whether the run is at `line`.
    pub(crate) fn is_at(&self, line: usize) -> bool {
        let text = &self.index.text()[offset(self.index, self.near, line)..];
        if self.comparison == Comparison::strict(EXACT) {
            return self.is_prefix_of(text);
        }
        let mut found = self.comparison.lines_of(text, line);
        let key = |line| self.comparison.key(line);
        self.wanted
            .iter()
            .all(|&wanted| found.next().is_some_and(|line| key(line) == key(wanted)))
    }

    /// Returns whether `text` begins with the run, byte for byte. This avoids a search for the line
    /// endings of the text.
    fn is_prefix_of(&self, mut text: &[u8]) -> bool {
        self.wanted.iter().all(|wanted| {
            let rest = text.strip_prefix(*wanted);
            text = rest.unwrap_or_default();
            rest.is_some() && !wanted.is_empty() && (wanted.ends_with(b"\n") || text.is_empty())
        })
    }
}

impl Places for Matches<'_> {
    fn count(&self) -> usize {
        self.wanted.len()
    }

    fn next(&self, from: usize) -> Option<usize> {
        self.candidates?
            .within(from..usize::MAX)
            .find(|&line| self.is_at(line))
    }

    fn previous(&self, before: usize, floor: usize) -> Option<usize> {
        self.candidates?
            .within(floor..before)
            .rev()
            .find(|&line| self.is_at(line))
    }
}

/// Returns the offset of `line`. `near` caches it, because the next line is usually near.
pub(super) fn offset(index: &LineOffsets<'_>, near: &Cell<(usize, usize)>, line: usize) -> usize {
    let offset = index.offset_from(near.get(), line);
    near.set((line, offset));
    offset
}
