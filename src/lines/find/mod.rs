//! Finds the occurrences of a run of lines in a text.
//!
//! Two types find a run, with the same result. An [`ExactRunFinder`] searches the text for the
//! bytes of one run. A [`RunIndex`] hashes all lines once and then finds many runs, also under a
//! [`Comparison`] that ignores differences. The matches of both implement [`RunOccurrences`].
//! [`LineOccurrences`] finds single lines. Lines are counted from 0.
//!
//! Repetitive texts do not make a search slow. The occurrences of a run are stored as arithmetic
//! progressions, and all runs of one length are located in one pass.

mod exact;
mod hashes;
mod line_occurrences;
mod matches;
mod positions;
mod runs;

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use super::comparison::Comparison;
use super::offsets::LineOffsets;
use crate::interrupt::Interrupt;
use hashes::BASE;
use matches::offset;
use runs::{BloomFilter, Runs};

pub(crate) use exact::ExactRunFinder;
pub(crate) use hashes::{LineHashes, base_power};
pub(crate) use line_occurrences::LineOccurrences;
pub(crate) use matches::RunMatches;

/// The occurrences of one run of lines, in order. They may overlap each other.
pub(crate) trait RunOccurrences {
    /// Returns the number of lines of the run.
    fn count(&self) -> usize;

    /// Returns the first occurrence at or after the line `from`.
    fn next(&self, from: usize) -> Option<usize>;

    /// Returns the last occurrence before the line `before` and at or after the line `floor`.
    fn previous(&self, before: usize, floor: usize) -> Option<usize>;
}

/// The number of lines of the text that are hashed in the time in which one expected line is hashed
/// and its run is stored.
const HASHED_MEANWHILE: usize = 3;

/// The length and the hash of a run of lines.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RunHash {
    pub(crate) count: usize,
    pub(crate) hash: u64,
}

impl RunHash {
    /// Returns the length and the hash of the run that consists of `lines`.
    pub(crate) fn new(comparison: Comparison, lines: &[&[u8]]) -> Self {
        Self {
            count: lines.len(),
            hash: LineHashes::hash_run(comparison, lines),
        }
    }
}

/// Finds runs of lines in one text under one comparison.
pub(crate) struct RunIndex<'a> {
    index: &'a LineOffsets<'a>,
    comparison: Comparison,
    hashes: LineHashes,
    interrupt: &'a Interrupt,
    /// The expected runs, by length.
    runs: HashMap<usize, Runs>,
    /// The line whose offset was computed last, and this offset.
    near: Cell<(usize, usize)>,
}

impl<'a> RunIndex<'a> {
    /// Hashes the lines of a text.
    ///
    /// `expected` are the runs that will be searched for. Together they have about `asked` lines,
    /// which is an estimate and only balances the work of two threads. The first search for a run
    /// that is not expected takes one more pass over the text. After `interrupt` is raised,
    /// occurrences can be missing.
    pub(crate) fn new(
        index: &'a LineOffsets<'a>,
        comparison: Comparison,
        (asked, expected): (usize, impl Iterator<Item = RunHash>),
        interrupt: &'a Interrupt,
    ) -> Self {
        let (mut runs, mut hashes) = (HashMap::<usize, Runs>::new(), LineHashes::default());
        let mut expected = Some(expected);
        // The first part of the text is smaller, because the same thread also hashes the expected
        // runs.
        let left = asked.saturating_mul(HASHED_MEANWHILE);
        let middle = index.count().saturating_sub(left) / 2;
        let hash = |lines: Range<usize>, room| {
            let part = comparison.lines_from(index, lines.start).take(lines.len());
            LineHashes::with_capacity(room, comparison, interrupt.take_until_raised(part))
        };
        let mut first = || {
            for run in expected.take().into_iter().flatten() {
                runs.entry(run.count).or_default().add(run.hash);
            }
            if middle > 0 {
                hashes = hash(0..middle, index.count());
            }
        };
        let mut rest = LineHashes::default();
        let mut second = || rest = hash(middle..index.count(), index.count() - middle);
        (index.join)(index.text().len(), &mut first, &mut second);
        // An interrupt can end the first part early. The lines of the second part would then get
        // wrong numbers, so they are dropped.
        if middle == 0 {
            hashes = rest;
        } else if hashes.starts(1).len() == middle {
            hashes.append(&rest);
        }
        Self {
            index,
            comparison,
            hashes,
            interrupt,
            runs,
            near: Cell::default(),
        }
    }

    /// Returns the lines that have one of `hashes`, with their hashes. Some lines with another hash
    /// are also returned, because a Bloom filter has false positives.
    pub(crate) fn lines_with(&self, hashes: &[u64]) -> impl Iterator<Item = (usize, u64)> {
        let filter = BloomFilter::new(hashes);
        self.hashes
            .starts(1)
            .map(|line| (line, self.hashes.run_hash(line, 1, BASE)))
            .filter(move |&(_, hash)| filter.may_contain(hash))
    }

    /// Returns the byte offset of `line`. This is fast if the line is near the last one that was
    /// looked up.
    pub(crate) fn offset(&self, line: usize) -> usize {
        offset(self.index, &self.near, line)
    }

    /// Returns the occurrences of `wanted`.
    pub(crate) fn matches<'w>(&'w mut self, wanted: &'w [&'w [u8]]) -> RunMatches<'w> {
        let run = RunHash::new(self.comparison, wanted);
        let RunHash { count, hash } = run;
        let runs = self.runs.entry(count).or_default();
        RunMatches {
            index: self.index,
            comparison: self.comparison,
            wanted,
            hash: run,
            candidates: runs.starts_of(hash, (&self.hashes, count), (self.index, self.interrupt)),
            near: &self.near,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::super::ladder::EXACT;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 500,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(7),
            ..ProptestConfig::default()
        })]

        #[test]
        fn hashes_and_bytes_find_the_same_places(
            file in prop::collection::vec(prop::sample::select(vec!["a\n", "b\n", "ab\n"]), 0..40),
            wanted in prop::collection::vec(prop::sample::select(vec!["a\n", "b\n"]), 1..4),
            from in 0..45usize,
            width in 0..45usize,
        ) {
            let never = Interrupt::new();
            let (file, anchored) = (file.concat(), format!("\n{}", wanted.concat()));
            let index = LineOffsets::new(file.as_bytes());
            let needle = ExactRunFinder::new(&index, anchored.as_bytes(), wanted.len());
            let comparison = Comparison::strict(EXACT);
            let mut runs = RunIndex::new(&index, comparison, (0, std::iter::empty()), &never);
            let wanted: Vec<_> = wanted.iter().map(|line| line.as_bytes()).collect();
            let matches = runs.matches(&wanted);
            let floor = from.saturating_sub(width);
            prop_assert_eq!(needle.next(from), matches.next(from));
            prop_assert_eq!(needle.previous(from, floor), matches.previous(from, floor));
        }
    }

    #[test]
    fn expected_and_other_runs_are_found() {
        let never = Interrupt::new();
        let file = "a\nb\n".repeat(3);
        let index = LineOffsets::new(file.as_bytes());
        let comparison = Comparison::strict(EXACT);
        let expected = [&b"b\n"[..], b"a\n"];
        let run = RunHash::new(comparison, &expected);
        let mut runs = RunIndex::new(&index, comparison, (2, [run].into_iter()), &never);
        for (wanted, first, count) in [(expected, 1, 2), ([b"a\n", b"b\n"], 0, 3)] {
            let places = runs.matches(&wanted);
            assert_eq!((places.next(0), places.count_from(0)), (Some(first), count));
        }
        assert_eq!(runs.matches(&[b"c\n"]).next(0), None);
        let hash = comparison.hash(b"b\n");
        let lines: Vec<_> = runs.lines_with(&[hash]).collect();
        for line in [1, 3, 5] {
            assert!(lines.contains(&(line, hash)), "{lines:?}");
        }
    }
}
