//! Finds the place of a run that is nearest to a line and free of other hunks.

use std::collections::BTreeMap;
use std::ops::Range;

use super::MAX_CANDIDATES;
use super::occupied::OccupiedLines;
use crate::lines::RunOccurrences;

/// The maximum number of occupied ranges that are skipped while candidates are listed.
const MAX_STEPS: usize = 1000;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SearchResult {
    /// The nearest line.
    pub(super) line: Option<usize>,
    /// Some of the lines where the run also matches, in order, including the nearest one. At most
    /// [`MAX_CANDIDATES`].
    pub(super) candidates: Vec<usize>,
    /// Whether the run also matches where another hunk is placed.
    pub(super) is_blocked: bool,
}

/// Ranges of lines in which placed hunks block every occurrence of one run.
///
/// A blocked occurrence stays blocked, because hunks are only added. The searches for one run
/// therefore skip each occurrence at most once, and all of them together take linear time.
#[derive(Debug, Default)]
pub(super) struct BlockedRanges {
    /// The end of each range, by its start. The ranges do not overlap.
    ends: BTreeMap<usize, usize>,
    /// A line at which the run occurs. `None` if there is no range.
    pub(super) example: Option<usize>,
}

impl BlockedRanges {
    /// Returns the range that contains `line`.
    fn range_around(&self, line: usize) -> Option<Range<usize>> {
        let (&start, &end) = self.ends.range(..=line).next_back()?;
        (line < end).then_some(start..end)
    }

    /// Adds a range, and merges it with the ranges that it overlaps or touches.
    fn insert(&mut self, added: Range<usize>) {
        let Range { mut start, mut end } = added;
        while let Some((&known, &known_end)) = self.ends.range(..=end).next_back()
            && known_end >= start
        {
            self.ends.remove(&known);
            (start, end) = (start.min(known), end.max(known_end));
        }
        self.ends.insert(start, end);
    }
}

/// Finds the place nearest to the line `stated` of the file after the placed hunks. Of two equally
/// near places, the later one is returned. `blocked` belongs to the run.
pub(super) fn nearest(
    places: &impl RunOccurrences,
    covered: &OccupiedLines,
    stated: isize,
    blocked: &mut BlockedRanges,
) -> SearchResult {
    let mut search = FreePlaceSearch {
        places,
        covered,
        blocked,
        is_blocked: false,
        steps: usize::MAX,
    };
    let start = covered.to_original_line(stated);
    let ahead = search.first_free(start);
    let distance = ahead.map(|line| (covered.to_current_line(line) - stated).unsigned_abs());
    // The backward search must find a place that is strictly nearer.
    let floor = distance.map_or(0, |distance| {
        covered.to_original_line(stated.saturating_sub_unsigned(distance))
    });
    let before = search.last_free(start, floor).filter(|&line| {
        distance.is_none_or(|distance| {
            (stated - covered.to_current_line(line)).unsigned_abs() < distance
        })
    });
    SearchResult {
        line: before.or(ahead),
        candidates: Vec::new(),
        is_blocked: search.is_blocked,
    }
}

/// Lists places around `line`, itself a place, and not before `floor`. Later places have priority
/// over earlier ones.
pub(super) fn list_candidates(
    places: &impl RunOccurrences,
    covered: &OccupiedLines,
    line: usize,
    floor: usize,
) -> Vec<usize> {
    let mut search = FreePlaceSearch {
        places,
        covered,
        blocked: &mut BlockedRanges::default(),
        is_blocked: false,
        steps: MAX_STEPS,
    };
    let mut lines = vec![line];
    while lines.len() < MAX_CANDIDATES
        && let Some(line) = search.first_free(lines[lines.len() - 1] + 1)
    {
        lines.push(line);
    }
    // Earlier places fill the remaining slots.
    let mut earliest = line;
    while lines.len() < MAX_CANDIDATES
        && let Some(line) = search.last_free(earliest, floor)
    {
        earliest = line;
        lines.push(line);
    }
    lines.sort_unstable();
    lines
}

/// A search for places of a run that no hunk occupies.
struct FreePlaceSearch<'s, P> {
    places: &'s P,
    covered: &'s OccupiedLines,
    blocked: &'s mut BlockedRanges,
    /// Whether a blocked occurrence was found.
    is_blocked: bool,
    /// The maximum number of blocked ranges that one search skips.
    steps: usize,
}

impl<P: RunOccurrences> FreePlaceSearch<'_, P> {
    /// Returns the first free place at or after `from`.
    fn first_free(&mut self, from: usize) -> Option<usize> {
        let mut from = from.max(self.covered.floor);
        let (mut found, mut start) = (None, None);
        for _ in 0..self.steps {
            let Some(line) = self.places.next(from) else {
                from = usize::MAX;
                break;
            };
            let Some(around) = self.blocked_around(line) else {
                (found, from) = (Some(line), line);
                break;
            };
            start.get_or_insert(line);
            from = around.end;
        }
        if let Some(start) = start {
            self.record(start, start..from);
        }
        found
    }

    /// Returns the last free place before `before`, and not before `floor`.
    fn last_free(&mut self, before: usize, floor: usize) -> Option<usize> {
        let floor = floor.max(self.covered.floor);
        let mut before = before;
        let (mut found, mut last) = (None, None);
        for _ in 0..self.steps {
            let Some(line) = self.places.previous(before, floor) else {
                before = before.min(floor);
                break;
            };
            let Some(around) = self.blocked_around(line) else {
                (found, before) = (Some(line), line + 1);
                break;
            };
            last.get_or_insert(line);
            before = around.start;
        }
        if let Some(last) = last {
            self.record(last, before..last + 1);
        }
        found
    }

    /// Returns a range around the occurrence at `line` in which all occurrences are blocked, or
    /// `None` if `line` is free.
    fn blocked_around(&self, line: usize) -> Option<Range<usize>> {
        self.blocked.range_around(line).or_else(|| {
            let count = self.places.count();
            let taken = self.covered.find_overlap(&(line..line + count))?;
            // A run that starts earlier but reaches into the occupied lines is not free either.
            let start = (taken.start + 1).saturating_sub(count).min(line);
            Some(start..taken.end.max(line + 1))
        })
    }

    /// Records a range without free places, in which the run occurs at `line`.
    fn record(&mut self, line: usize, range: Range<usize>) {
        self.is_blocked = true;
        self.blocked.example.get_or_insert(line);
        self.blocked.insert(range);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    /// The occurrences of a run at known lines. Counts the queries.
    struct KnownLines {
        lines: Vec<usize>,
        count: usize,
        queries: Cell<usize>,
    }

    impl KnownLines {
        fn new(lines: Vec<usize>, count: usize) -> Self {
            Self {
                lines,
                count,
                queries: Cell::new(0),
            }
        }
    }

    impl RunOccurrences for KnownLines {
        fn count(&self) -> usize {
            self.count
        }

        fn next(&self, from: usize) -> Option<usize> {
            self.queries.set(self.queries.get() + 1);
            let at = self.lines.partition_point(|&line| line < from);
            self.lines.get(at).copied()
        }

        fn previous(&self, before: usize, floor: usize) -> Option<usize> {
            self.queries.set(self.queries.get() + 1);
            let at = self.lines.partition_point(|&line| line < before);
            let line = *self.lines.get(at.checked_sub(1)?)?;
            (line >= floor).then_some(line)
        }
    }

    #[test]
    fn searches_for_one_run_skip_each_blocked_occurrence_once() {
        const COUNT: usize = 1000;
        for stated in [0, 2 * COUNT.cast_signed(), 4 * COUNT.cast_signed()] {
            // Gaps between the occurrences keep the occupied ranges apart.
            let places = KnownLines::new((0..2 * COUNT).map(|line| 2 * line).collect(), 1);
            let (mut covered, mut blocked) = Default::default();
            for _ in 0..2 * COUNT {
                let line = nearest(&places, &covered, stated, &mut blocked)
                    .line
                    .unwrap();
                covered.occupy(line..line + 1, 0);
            }
            let result = nearest(&places, &covered, stated, &mut blocked);
            assert_eq!((result.line, result.is_blocked), (None, true));
            assert!(places.queries.get() < 20 * COUNT, "{:?}", places.queries);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 500,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(7),
            ..ProptestConfig::default()
        })]

        #[test]
        fn known_blocked_ranges_do_not_change_the_result(
            lines in prop::collection::btree_set(0..60usize, 0..40),
            hunks in prop::collection::vec((0..60isize, 0..4usize, -2..3isize, 0..10usize), 1..40),
            count in 1..4usize,
        ) {
            let places = KnownLines::new(lines.into_iter().collect(), count);
            let (mut covered, mut blocked) = (OccupiedLines::default(), BlockedRanges::default());
            for (stated, other, change, floor) in hunks {
                covered.floor = floor;
                let expected = nearest(&places, &covered, stated, &mut BlockedRanges::default());
                prop_assert_eq!(&nearest(&places, &covered, stated, &mut blocked), &expected);
                // A hunk with other lines blocks this run too.
                let line = expected.line.filter(|_| other == 0);
                let start = line.unwrap_or(stated.unsigned_abs());
                let taken = start..start + line.map_or(other, |_| count);
                if covered.find_overlap(&taken).is_none() {
                    covered.occupy(taken, change);
                }
            }
        }
    }
}
