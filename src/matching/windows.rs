//! All places of many runs of lines at once: hashes of lines, and of every run of one length.

use std::cell::Cell;
use std::collections::HashMap;

use super::hashes::{BASE, Comparison, Hashes, hashed};
use super::index::LineIndex;
use super::listed::{Listed, offset};
use super::runs::{Runs, located};
use crate::interrupt::Interrupt;
use crate::threads::LARGE;

/// A run of lines that will be asked for.
pub(super) struct Wanted {
    pub(super) count: usize,
    pub(super) hash: u64,
}

impl Wanted {
    /// Returns what is to be known of a run that is all of `lines`.
    pub(super) fn new(comparison: Comparison, lines: &[&[u8]]) -> Self {
        Self {
            count: lines.len(),
            hash: Hashes::of_run(comparison, lines),
        }
    }
}

/// The runs of lines of one file under one comparison.
pub(super) struct Windows<'a> {
    index: &'a LineIndex<'a>,
    comparison: Comparison,
    /// Those of all lines.
    hashes: Hashes,
    interrupt: &'a Interrupt,
    /// Those that will be asked for, by number of lines.
    runs: HashMap<usize, Runs>,
    /// The line that was looked at last, and its offset.
    near: Cell<(usize, usize)>,
}

impl<'a> Windows<'a> {
    /// Takes what will be asked for, which has about `asked` lines together. Once `interrupt` is
    /// raised, not all places are known.
    pub(super) fn new(
        index: &'a LineIndex<'a>,
        comparison: Comparison,
        (asked, wanted): (usize, impl Iterator<Item = Wanted>),
        interrupt: &'a Interrupt,
    ) -> Self {
        let numbered = || {
            let mut runs = HashMap::<usize, Runs>::new();
            for run in wanted {
                _ = runs.entry(run.count).or_default().number(run.hash);
            }
            runs
        };
        let (runs, hashes) = hashed(index, comparison, (asked, numbered), interrupt);
        Self {
            index,
            comparison,
            hashes,
            interrupt,
            runs,
            near: Cell::default(),
        }
    }

    /// Returns the hash of each line of the file.
    pub(super) fn line_hashes(&self) -> impl Iterator<Item = u64> {
        self.hashes
            .starts(1)
            .map(|line| self.hashes.run(line, 1, BASE))
    }

    /// Returns the offset of `line`, at once if it is near the last one that was asked for or
    /// compared.
    pub(super) fn offset(&self, line: usize) -> usize {
        offset(self.index, &self.near, line)
    }

    /// Returns the places of the lines `wanted`; linear in the file only for each new number of
    /// lines.
    pub(super) fn places<'w>(&'w mut self, wanted: &'w [&'w [u8]]) -> Listed<'w> {
        let Wanted { count, hash } = Wanted::new(self.comparison, wanted);
        let runs = self.runs.entry(count).or_default();
        let number = runs
            .known(hash, runs.likely)
            .unwrap_or_else(|| runs.number(hash));
        runs.likely = number + 1;
        if number >= runs.places.len() {
            let is_large = self.index.text().len() >= LARGE;
            runs.places = located(&self.hashes, count, (runs, is_large), self.interrupt);
        }
        let lines = runs.places[number].as_ref();
        let (index, comparison, near) = (self.index, self.comparison, &self.near);
        Listed {
            index,
            comparison,
            wanted,
            lines,
            near,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::super::hashes::power;
    use super::super::ladder::EXACT;
    use super::super::progression::Progressions;
    use super::super::search::{Needle, Places};
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

        #[test]
        fn hashes_and_bytes_find_the_same_places(
            file in prop::collection::vec(prop::sample::select(vec!["a\n", "b\n", "ab\n"]), 0..40),
            wanted in prop::collection::vec(prop::sample::select(vec!["a\n", "b\n"]), 1..4),
            from in 0..45usize,
            width in 0..45usize,
        ) {
        let never = Interrupt::new();
            let (file, anchored) = (file.concat(), format!("\n{}", wanted.concat()));
            let index = LineIndex::new(file.as_bytes());
            let needle = Needle::new(&index, anchored.as_bytes(), wanted.len());
            let comparison = Comparison::strict(EXACT);
            let mut windows = Windows::new(&index, comparison, (0, std::iter::empty()), &never);
            let wanted: Vec<_> = wanted.iter().map(|line| line.as_bytes()).collect();
            let listed = windows.places(&wanted);
            prop_assert_eq!(needle.next(from), listed.next(from));
            prop_assert_eq!(needle.previous(from, from.saturating_sub(width)), listed.previous(from, from.saturating_sub(width)));
        }

        #[test]
        fn two_parts_are_as_one(
            lines in prop::collection::vec(prop::sample::select(vec![&b"a\n"[..], b"b\n", b"ab\n"]), 1..60),
            cut in 0..60usize,
            count in 1..4usize,
        ) {
        let never = Interrupt::new();
            let of = |lines: &[&[u8]]| Hashes::new(Comparison::strict(EXACT), lines.iter().copied());
            let (whole, cut) = (of(&lines), cut.min(lines.len()));
            let mut joined = of(&lines[..cut]);
            joined.append(&of(&lines[cut..]));
            prop_assert_eq!(&joined, &whole);
            let mut runs = Runs::default();
            whole.starts(count).step_by(3).for_each(|line| _ = runs.number(whole.run(line, count, power(count))));
            let places = |is_large| {
                let found = located(&whole, count, (&runs, is_large), &never);
                let lines = |lines: Option<Progressions>| lines.map(|lines| lines.within(0..usize::MAX).collect::<Vec<_>>());
                found.into_iter().map(lines).collect::<Vec<_>>()
            };
            prop_assert_eq!(places(true), places(false));
        }
    }

    #[test]
    fn a_run_is_found_where_one_thread_ends_and_the_other_begins() {
        let never = Interrupt::new();
        let count = LARGE / 16;
        let file: Vec<u8> = (0..count)
            .flat_map(|line| format!("this is line {line}\n").into_bytes())
            .collect();
        let index = LineIndex::new(&file);
        assert!(index.text().len() > LARGE);
        let lines = |start: usize| index.lines_from(start).take(4).collect::<Vec<_>>();
        let starts = [0, count / 2 - 4, count / 2 - 2, count / 2, count - 4];
        let comparison = Comparison::strict(EXACT);
        let runs = starts.map(|start| Wanted::new(comparison, &lines(start)));
        let mut windows = Windows::new(&index, comparison, (20, runs.into_iter()), &never);
        for start in starts {
            let wanted = lines(start);
            let places = windows.places(&wanted);
            assert_eq!((places.next(0), places.count_from(0)), (Some(start), 1));
        }
    }

    #[test]
    fn however_two_threads_share_a_file_it_is_the_same() {
        let never = Interrupt::new();
        let text = [
            b"ab\n".repeat(LARGE / 6),
            b"c\nd\n".repeat(LARGE / 6),
            b"e".to_vec(),
        ]
        .concat();
        let index = LineIndex::new(&text);
        let comparison = Comparison::strict(EXACT);
        let hashes: Vec<_> = index
            .lines_from(0)
            .map(|line| comparison.hash(line))
            .collect();
        let wanted = [&b"ab\n"[..], b"c\n", b"d\n"];
        // All lines of the file, few, and none are left to the thread that hashes what is asked
        // for.
        for asked in [0, index.count() / 4, index.count(), usize::MAX] {
            let runs = || [Wanted::new(comparison, &wanted)].into_iter();
            let windows = || Windows::new(&index, comparison, (asked, runs()), &never);
            assert!(
                windows().line_hashes().eq(hashes.iter().copied()),
                "{asked}"
            );
            let mut windows = windows();
            let places = windows.places(&wanted);
            assert_eq!(
                (places.next(0), places.count_from(0)),
                (Some(LARGE / 6 - 1), 1),
                "{asked}"
            );
        }
    }
}
