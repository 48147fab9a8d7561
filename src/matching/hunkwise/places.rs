//! Finds the lines of the file with which a hunk is merged: all its old lines, or the closest
//! match.

use crate::lines::{Comparison, LineOffsets, RunIndex};
use std::ops::Range;

use super::super::Placement;
use super::super::numbered::FilePatch;
use super::super::occupied::{OccupiedLines, to_signed};
use super::super::search::{BlockedRanges, list_candidates, nearest};
use super::sides::HunkSides;
use crate::lines::{SequencePair, align_prefix};

/// The maximum number of line comparisons in the search for partial matches, for all hunks
/// together.
///
/// Each hunk has an equal share of the remaining steps. Unused steps are left for the later hunks.
/// A search that uses up its share returns the best place found so far.
const MAX_STEPS: usize = 20_000_000;

/// A file in which hunks are searched for in patch order.
pub(super) struct HunkwiseSearch<'m> {
    index: &'m LineOffsets<'m>,
    patch: FilePatch<'m>,
    comparison: Comparison,
    /// The number of each file line. Lines that occur in no hunk are unknown.
    pub(super) numbers: Vec<u32>,
    runs: Option<RunIndex<'m>>,
    /// The offset of the last hunk whose old lines all matched.
    last_offset: isize,
    /// The number of hunks that were not searched for yet.
    hunks_left: usize,
    /// The number of line comparisons that are left.
    steps_left: usize,
}

impl<'m> HunkwiseSearch<'m> {
    pub(super) fn new(
        index: &'m LineOffsets<'m>,
        patch: FilePatch<'m>,
        comparison: Comparison,
        numbers: Vec<u32>,
    ) -> Self {
        let (to_come, steps) = (patch.hunks.len(), MAX_STEPS);
        Self {
            index,
            patch,
            comparison,
            numbers,
            runs: None,
            last_offset: 0,
            hunks_left: to_come,
            steps_left: steps,
        }
    }

    /// Finds the lines of the file with which a hunk is merged. The first `frozen` lines are
    /// excluded.
    ///
    /// Also returns the placement if all old lines of the hunk matched.
    pub(super) fn find(
        &mut self,
        sides: &HunkSides<'_>,
        frozen: usize,
    ) -> (Option<Placement>, Range<usize>) {
        let share = self.steps_left / self.hunks_left.max(1);
        self.hunks_left = self.hunks_left.saturating_sub(1);
        if self.patch.rules.interrupt.is_raised() {
            return (None, frozen..frozen);
        }
        if let Some(placement) = self.find_exactly(sides, frozen) {
            let lines = placement.lines.clone();
            return (Some(placement), lines);
        }
        let mut steps = share;
        let lines = self.find_closest(sides, frozen, &mut steps);
        self.steps_left -= share - steps;
        (None, lines)
    }

    /// Finds all old lines of a hunk, nearest to the expected line.
    fn find_exactly(&mut self, sides: &HunkSides<'_>, frozen: usize) -> Option<Placement> {
        let last = self.index.count().checked_sub(sides.old.count())?;
        let expected = self.expected_line(sides);
        let stated = usize::try_from(expected).unwrap_or(0);
        let only = |line: usize| self.is_at(sides, line, frozen).then(|| (line, Vec::new()));
        let (line, candidates) = if sides.old.count() == 0 {
            (stated.clamp(frozen, last.max(frozen)), Vec::new())
        } else if sides.is_at_start() {
            only(0)?
        } else if sides.is_at_end() {
            only(last)?
        } else {
            only(stated).or_else(|| self.nearest(sides, expected, frozen))?
        };
        // Later hunks are expected at the same offset from their stated lines.
        self.last_offset += to_signed(line) - expected;
        let lines = line..line + sides.old.count();
        let (bytes, rung) = (self.index.bytes(lines.clone()), self.comparison.rung);
        Some(Placement {
            offset: self.last_offset,
            candidates,
            ..Placement::new(bytes, lines, rung)
        })
    }

    /// Returns the line where a hunk is expected, counted from 0. The hunk is assumed to have the
    /// same offset as the previous one.
    fn expected_line(&self, sides: &HunkSides<'_>) -> isize {
        to_signed(sides.stated) + self.last_offset
    }

    fn is_at(&self, sides: &HunkSides<'_>, line: usize, frozen: usize) -> bool {
        line >= frozen
            && self
                .numbers
                .get(line..)
                .is_some_and(|found| found.starts_with(&sides.old.numbers))
    }

    /// Finds the nearest place where all old lines match, and the equally good places.
    fn nearest(
        &mut self,
        sides: &HunkSides<'_>,
        expected: isize,
        frozen: usize,
    ) -> Option<(usize, Vec<usize>)> {
        let (index, patch, comparison) = (self.index, self.patch, self.comparison);
        let runs = self
            .runs
            .get_or_insert_with(|| patch.run_index(index, comparison));
        let (places, done) = (
            runs.matches(&sides.old.lines),
            OccupiedLines::with_floor(frozen),
        );
        let line = nearest(&places, &done, expected, &mut BlockedRanges::default()).line?;
        Some((line, list_candidates(&places, &done, line, 0)))
    }

    /// Finds the lines of the file that resemble the old lines of a hunk most. Returns an empty
    /// range at or after the expected line if no lines do.
    ///
    /// Any context line may differ. A place is better if more lines match with fewer changes. Of
    /// equal places, the nearer one wins. A hunk with less context on one side must be at that end
    /// of the file. The search also reads lines before `frozen`, but the result excludes them.
    fn find_closest(
        &self,
        sides: &HunkSides<'_>,
        frozen: usize,
        steps: &mut usize,
    ) -> Range<usize> {
        let (end, expected) = (self.numbers.len(), self.expected_line(sides));
        let context = sides.context();
        let mut best = usize::try_from(expected).unwrap_or(0).min(end);
        if context == 0 {
            return best.max(frozen)..best.max(frozen);
        }
        // A changed context line counts as one deletion and one insertion.
        let (mut best_count, mut least, mut most) = (0, sides.old.count() - context, 2 * context);
        // The deleted lines must fit before the end of the file. Context lines may be missing.
        let furthest = (end + context).saturating_sub(sides.old.count());
        let places = frozen.min(best)..if sides.is_at_start() {
            furthest.min(best)
        } else {
            furthest
        } + 1;
        for line in self
            .patch
            .rules
            .interrupt
            .take_until_raised(lines_by_distance(expected, places))
        {
            let pair = SequencePair {
                old: &sides.old.numbers,
                new: &self.numbers[line..],
            };
            let wanted = if sides.is_at_end() { end - line } else { least };
            if let Some((count, changes)) = align_prefix(&pair, line + 1, wanted..=most, steps)
                && count > best_count
            {
                (best, best_count, least) = (line, count, count);
                // A later place is better only with fewer changes.
                let Some(fewer) = changes.checked_sub(1) else {
                    break;
                };
                most = fewer;
            }
            if *steps == 0 {
                break;
            }
        }
        best.max(frozen)..(best + best_count).max(frozen)
    }
}

/// Returns the lines of a range by their distance from `expected`. Of two equal distances, the
/// later line is first.
fn lines_by_distance(expected: isize, lines: Range<usize>) -> impl Iterator<Item = usize> {
    let start = usize::try_from(expected)
        .unwrap_or(0)
        .clamp(lines.start, lines.end.max(lines.start));
    let mut ahead = start..lines.end;
    let mut behind = lines.start..start;
    let distance =
        move |line: Option<usize>| line.map(|line| (line.cast_signed() - expected).unsigned_abs());
    std::iter::from_fn(move || {
        let [next, previous] = [
            distance(ahead.clone().next()),
            distance(behind.clone().next_back()),
        ];
        match (next, previous) {
            (Some(next), Some(previous)) if previous < next => behind.next_back(),
            (Some(_), _) => ahead.next(),
            (None, _) => behind.next_back(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_tried_from_the_nearest_on() {
        assert_eq!(
            lines_by_distance(2, 0..5).collect::<Vec<_>>(),
            [2, 3, 1, 4, 0]
        );
        assert_eq!(lines_by_distance(-3, 1..3).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(
            lines_by_distance(isize::MAX / 4, 1..3).collect::<Vec<_>>(),
            [2, 1]
        );
        assert_eq!(lines_by_distance(2, 5..5).count(), 0);
    }
}
