//! The occurrences of one run of lines.

use std::cell::Cell;

use super::positions::Progressions;
use super::{RunHash, RunOccurrences};
use crate::lines::comparison::Comparison;
use crate::lines::offsets::LineOffsets;

/// The occurrences of one run of lines. The hash of the run selects candidates. Each candidate is
/// compared line by line before it is returned.
pub(crate) struct RunMatches<'w> {
    pub(super) index: &'w LineOffsets<'w>,
    pub(super) comparison: Comparison,
    pub(super) wanted: &'w [&'w [u8]],
    pub(crate) hash: RunHash,
    /// The lines where a run with the same hash starts.
    pub(super) candidates: Option<&'w Progressions>,
    /// The line whose offset was computed last, and this offset.
    pub(super) near: &'w Cell<(usize, usize)>,
}

impl RunMatches<'_> {
    /// Returns the number of candidates at or after the line `from`. The function does not compare
    /// their lines, so the number can be too high.
    pub(crate) fn count_from(&self, from: usize) -> usize {
        self.candidates
            .map_or(0, |lines| lines.count_within(&(from..usize::MAX)))
    }

    /// Returns whether the run is at `line`.
    pub(crate) fn is_at(&self, line: usize) -> bool {
        let start = (line, offset(self.index, self.near, line));
        let wanted = self.wanted.iter().copied();
        self.comparison.is_at(self.index, start, wanted)
    }
}

impl RunOccurrences for RunMatches<'_> {
    fn count(&self) -> usize {
        self.wanted.len()
    }

    fn next(&self, from: usize) -> Option<usize> {
        self.candidates?
            .numbers_in(from..usize::MAX)
            .find(|&line| self.is_at(line))
    }

    fn previous(&self, before: usize, floor: usize) -> Option<usize> {
        self.candidates?
            .numbers_in(floor..before)
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
