//! Where hunks belong that are merged: where all their old lines are, or else most of them.

use crate::lines::{LineIndex, RunIndex};
use std::ops::Range;

use super::super::Placement;
use super::super::covered::{Covered, signed};
use super::super::numbered::Patch;
use super::super::search::{candidates, nearest};
use super::sides::{Numbers, Sides};
use crate::lines::{Pair, beginning};

/// Most lines that are compared for places where a hunk fits in part. Each hunk has its share, and
/// leaves what it does not need to those behind it; the best place until then counts.
const MOST_STEPS: usize = 20_000_000;

/// A file in which hunks are looked for, one behind the other.
pub(super) struct Search<'m> {
    index: &'m LineIndex<'m>,
    patch: Patch<'m>,
    /// The numbers of its lines.
    pub(super) numbers: Vec<u32>,
    numbering: &'m Numbers<'m>,
    runs: Option<RunIndex<'m>>,
    /// How far from its stated place the last hunk was that has one.
    carried: isize,
    /// How many hunks are still to come.
    to_come: usize,
    /// How many lines may still be compared.
    steps: usize,
}

impl<'m> Search<'m> {
    pub(super) fn new(
        index: &'m LineIndex<'m>,
        patch: Patch<'m>,
        numbering: &'m Numbers<'m>,
    ) -> Self {
        let numbers = index
            .lines_from(0)
            .map(|line| numbering.number(line))
            .collect();
        let (to_come, steps) = (patch.hunks.len(), MOST_STEPS);
        Self {
            index,
            patch,
            numbers,
            numbering,
            runs: None,
            carried: 0,
            to_come,
            steps,
        }
    }

    /// Finds the lines of the file that a hunk is merged with, none of the first `frozen`; where
    /// they are all its old lines, that is its placement.
    pub(super) fn find(
        &mut self,
        sides: &Sides<'_>,
        frozen: usize,
    ) -> (Option<Placement>, Range<usize>) {
        let share = self.steps / self.to_come.max(1);
        self.to_come = self.to_come.saturating_sub(1);
        if self.patch.rules.interrupt.is_raised() {
            return (None, frozen..frozen);
        }
        if let Some(placement) = self.find_exactly(sides, frozen) {
            let lines = placement.lines.clone();
            return (Some(placement), lines);
        }
        let mut steps = share;
        let lines = self.find_roughly(sides, frozen, &mut steps);
        self.steps -= share - steps;
        (None, lines)
    }

    /// Finds all old lines of a hunk, nearest to where they are expected.
    fn find_exactly(&mut self, sides: &Sides<'_>, frozen: usize) -> Option<Placement> {
        let last = self.index.count().checked_sub(sides.old.count())?;
        let expected = self.expected(sides);
        let stated = usize::try_from(expected).unwrap_or(0);
        let only = |line: usize| self.is_at(sides, line, frozen).then(|| (line, Vec::new()));
        let (line, candidates) = if sides.old.count() == 0 {
            (stated.clamp(frozen, last.max(frozen)), Vec::new())
        } else if sides.is_first() {
            only(0)?
        } else if sides.is_last() {
            only(last)?
        } else {
            only(stated).or_else(|| self.nearest(sides, expected, frozen))?
        };
        self.carried += signed(line) - expected;
        let lines = line..line + sides.old.count();
        let (bytes, rung) = (
            self.index.bytes(lines.clone()),
            self.numbering.comparison.rung,
        );
        Some(Placement {
            offset: self.carried,
            candidates,
            ..Placement::new(bytes, lines, rung)
        })
    }

    /// Returns the line where a hunk is expected, counted from 0.
    fn expected(&self, sides: &Sides<'_>) -> isize {
        signed(sides.stated) + self.carried
    }

    fn is_at(&self, sides: &Sides<'_>, line: usize, frozen: usize) -> bool {
        line >= frozen
            && self
                .numbers
                .get(line..)
                .is_some_and(|found| found.starts_with(&sides.old.numbers))
    }

    /// Finds the nearest place of all old lines, and others that are as good.
    fn nearest(
        &mut self,
        sides: &Sides<'_>,
        expected: isize,
        frozen: usize,
    ) -> Option<(usize, Vec<usize>)> {
        let (index, patch, comparison) = (self.index, self.patch, self.numbering.comparison);
        let runs = self
            .runs
            .get_or_insert_with(|| patch.run_index(index, comparison));
        let (places, done) = (runs.places(&sides.old.lines), Covered::below(frozen));
        let line = nearest(&places, &done, expected).line?;
        Some((line, candidates(&places, &done, line, 0)))
    }

    /// Finds the lines of the file that are most like the old lines of a hunk; none behind where
    /// they are expected, if nothing is like them.
    ///
    /// Each line of context may be another one, and of two places with as many lines the nearer one
    /// counts. Where a hunk has less context on one side, it is at that end of the file. Of lines
    /// that another hunk took, some are looked at and none is taken again.
    fn find_roughly(&self, sides: &Sides<'_>, frozen: usize, steps: &mut usize) -> Range<usize> {
        let (end, expected) = (self.numbers.len(), self.expected(sides));
        let context = sides.context();
        let mut best = usize::try_from(expected).unwrap_or(0).min(end);
        if context == 0 {
            return best.max(frozen)..best.max(frozen);
        }
        let (mut best_count, mut least, mut most) = (0, sides.old.count() - context, 2 * context);
        let furthest = (end + context).saturating_sub(sides.old.count());
        let places = frozen.min(best)..if sides.is_first() {
            furthest.min(best)
        } else {
            furthest
        } + 1;
        for line in self
            .patch
            .rules
            .interrupt
            .until_raised(around(expected, places))
        {
            let pair = Pair {
                old: &sides.old.numbers,
                new: &self.numbers[line..],
            };
            let wanted = if sides.is_last() { end - line } else { least };
            if let Some((count, changes)) = beginning(&pair, line + 1, wanted..=most, steps)
                && count > best_count
            {
                (best, best_count, least) = (line, count, count);
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

/// Returns the lines of a range, nearest to `expected` first, of two the later one.
fn around(expected: isize, lines: Range<usize>) -> impl Iterator<Item = usize> {
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
        assert_eq!(around(2, 0..5).collect::<Vec<_>>(), [2, 3, 1, 4, 0]);
        assert_eq!(around(-3, 1..3).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(around(isize::MAX / 4, 1..3).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(around(2, 5..5).count(), 0);
    }
}
