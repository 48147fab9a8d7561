//! All places of many runs of lines at once: hashes of lines, and of every run of one length.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use super::hashes::{BASE, Comparison, Hashes, power};
use super::index::LineIndex;
use super::ladder::EXACT;
use super::progression::Progressions;
use super::search::Places;
use super::stop::unless_stopped;
use crate::text::lines;
use crate::threads::{LARGE, both, both_of};

/// To hash a line that is asked for, and to number its run, takes as long as to hash so many lines of the file.
const LINES_FOR_ONE: usize = 3;

/// The runs of lines of one file under one comparison.
pub(super) struct Windows<'a> {
    index: &'a LineIndex<'a>,
    comparison: Comparison,
    hashes: Hashes,
    is_stopped: fn() -> bool,
    /// Those that will be asked for, by number of lines.
    runs: HashMap<usize, Runs>,
    /// The line that was looked at last, and its offset.
    near: Cell<(usize, usize)>,
}

/// Runs of one number of lines.
#[derive(Default)]
struct Runs {
    /// The number that each has here, by its hash.
    numbers: HashMap<u64, usize>,
    /// The hash of each, by these numbers.
    hashes: Vec<u64>,
    /// Where they are, by these numbers; of those that came later it is not known.
    places: Vec<Option<Progressions>>,
    /// The number behind that of the last one that was asked for, mostly that of the next.
    likely: usize,
}

impl<'a> Windows<'a> {
    /// Hashes the lines of the file; `wanted` has the number of lines and the hash of each run that will be asked for, which
    /// have about `asked` lines together. Once `is_stopped`, not all places are known.
    pub(super) fn new(
        index: &'a LineIndex<'a>,
        comparison: Comparison,
        (asked, wanted): (usize, impl Iterator<Item = (usize, u64)>),
        is_stopped: fn() -> bool,
    ) -> Self {
        let numbered = || {
            let mut runs: HashMap<usize, Runs> = HashMap::new();
            wanted.for_each(|(count, hash)| _ = runs.entry(count).or_default().number(hash));
            runs
        };
        let part = |lines: Range<usize>, room: usize| {
            let all = comparison.lines_from(index, lines.start).take(lines.len());
            Hashes::of_about(room, comparison, unless_stopped(all, is_stopped))
        };
        // The first thread, which hashes all that is asked for, has so many lines fewer of the file.
        let is_small = index.text().len() < LARGE;
        let middle = if is_small { 0 } else { index.count().saturating_sub(asked.saturating_mul(LINES_FOR_ONE)) / 2 };
        let first = || (numbered(), part(0..middle, if middle == 0 { 0 } else { index.count() }));
        let second = || part(middle..index.count(), index.count() - middle);
        let ((runs, mut hashes), behind) = both_of(index.text().len(), first, second);
        if middle == 0 {
            hashes = behind;
        } else if hashes.count() == middle {
            hashes.append(&behind);
        }
        Self { index, comparison, hashes, is_stopped, runs, near: Cell::default() }
    }

    /// Returns the hash of each line of the file.
    pub(super) fn line_hashes(&self) -> impl Iterator<Item = u64> {
        self.hashes.starts(1).map(|line| self.hashes.run(line, 1, BASE))
    }

    /// Returns the offset of `line`, at once if it is near the last one that was asked for or compared.
    pub(super) fn offset(&self, line: usize) -> usize {
        offset(self.index, &self.near, line)
    }

    /// Returns the places of the lines `wanted`; linear in the file only for each new number of lines.
    pub(super) fn places<'w>(&'w mut self, wanted: &'w [&'w [u8]]) -> Listed<'w> {
        let (count, hash) = (wanted.len(), Hashes::of_run(self.comparison, wanted));
        let runs = self.runs.entry(count).or_default();
        let number = runs.known(hash, runs.likely).unwrap_or_else(|| runs.number(hash));
        runs.likely = number + 1;
        if number >= runs.places.len() {
            let is_large = self.index.text().len() >= LARGE;
            runs.places = located(&self.hashes, count, (runs, is_large), self.is_stopped);
        }
        let lines = runs.places[number].as_ref();
        let (index, comparison, near) = (self.index, self.comparison, &self.near);
        Listed { index, comparison, wanted, lines, near }
    }
}

impl Runs {
    /// Returns the number of the run with this hash, which is a new one for a new run.
    fn number(&mut self, hash: u64) -> usize {
        let next = self.hashes.len();
        let number = *self.numbers.entry(hash).or_insert(next);
        if number == next {
            self.hashes.push(hash);
        }
        number
    }

    /// Returns the number of the run with this hash, if it has one; soonest if that is the `likely` one.
    fn known(&self, hash: u64, likely: usize) -> Option<usize> {
        if self.hashes.get(likely) == Some(&hash) { Some(likely) } else { self.numbers.get(&hash).copied() }
    }
}

/// Returns where those of `runs` start, which have `count` lines, by their number there.
fn located(
    hashes: &Hashes,
    count: usize,
    (runs, is_large): (&Runs, bool),
    is_stopped: fn() -> bool,
) -> Vec<Option<Progressions>> {
    let (power, sieve) = (power(count), Sieve::new(&runs.hashes));
    let add = |places: &mut [Option<Progressions>], number: usize, line| match &mut places[number] {
        Some(lines) => lines.push(line),
        room => *room = Some(Progressions::new(line)),
    };
    let within = |lines: Range<usize>| {
        let mut places: Vec<_> = runs.hashes.iter().map(|_| None).collect();
        let mut likely = 0;
        for line in unless_stopped(lines, is_stopped) {
            let hash = hashes.run(line, count, power);
            if sieve.passes(hash)
                && let Some(number) = runs.known(hash, likely)
            {
                add(&mut places, number, line);
                likely = number + 1;
            }
        }
        places
    };
    let all = hashes.starts(count);
    if !is_large {
        return within(all);
    }
    let middle = all.len() / 2;
    let (mut places, behind) = both(|| within(0..middle), || within(middle..all.end));
    for (number, lines) in behind.into_iter().enumerate() {
        lines.iter().flat_map(|lines| lines.within(0..usize::MAX)).for_each(|line| add(&mut places, number, line));
    }
    places
}

/// Lets the hashes through that it was made of, and few others.
struct Sieve {
    /// Its bits, 16 and more for each hash; their number is a power of two.
    words: Vec<u64>,
}

impl Sieve {
    fn new(hashes: &[u64]) -> Self {
        let mut sieve = Self { words: vec![0; (hashes.len() / 4 + 1).next_power_of_two()] };
        for &hash in hashes {
            let word = sieve.word(hash);
            sieve.words[word] |= 1 << (hash % 64);
        }
        sieve
    }

    fn word(&self, hash: u64) -> usize {
        usize::try_from(hash >> 33).unwrap_or_default() & (self.words.len() - 1)
    }

    fn passes(&self, hash: u64) -> bool {
        self.words[self.word(hash)] >> (hash % 64) & 1 != 0
    }
}

/// Returns the offset of `line`, and notes that in `near`, the line with its offset that was asked for before.
fn offset(index: &LineIndex<'_>, near: &Cell<(usize, usize)>, line: usize) -> usize {
    let offset = index.offset_from(near.get(), line);
    near.set((line, offset));
    offset
}

/// The places of some lines, found by their hash and compared when they are asked for.
pub(super) struct Listed<'w> {
    index: &'w LineIndex<'w>,
    comparison: Comparison,
    wanted: &'w [&'w [u8]],
    lines: Option<&'w Progressions>,
    near: &'w Cell<(usize, usize)>,
}

impl Listed<'_> {
    /// Returns how many places there are at or behind `from`, as far as hashes tell.
    pub(super) fn count_from(&self, from: usize) -> usize {
        self.lines.map_or(0, |lines| lines.count_within(&(from..usize::MAX)))
    }

    /// Returns whether the lines are at `line`.
    pub(super) fn is_at(&self, line: usize) -> bool {
        if self.comparison == Comparison::strict(EXACT) {
            return self.is_exactly_at(line);
        }
        let text = &self.index.text()[offset(self.index, self.near, line)..];
        let mut found = (line..).zip(lines(text)).map(|(number, (_, line))| self.comparison.bare(number, line));
        let key = |line| self.comparison.key(line);
        self.wanted.iter().all(|&wanted| found.next().is_some_and(|line| key(line) == key(wanted)))
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
        self.lines?.within(from..usize::MAX).find(|&line| self.is_at(line))
    }

    fn previous(&self, before: usize, floor: usize) -> Option<usize> {
        self.lines?.within(floor..before).rev().find(|&line| self.is_at(line))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::super::search::Needle;
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
            let (file, anchored) = (file.concat(), format!("\n{}", wanted.concat()));
            let index = LineIndex::new(file.as_bytes());
            let needle = Needle::new(&index, anchored.as_bytes(), wanted.len());
            let comparison = Comparison::strict(EXACT);
            let mut windows = Windows::new(&index, comparison, (0, std::iter::empty()), || false);
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
            let of = |lines: &[&[u8]]| Hashes::new(Comparison::strict(EXACT), lines.iter().copied());
            let (whole, cut) = (of(&lines), cut.min(lines.len()));
            let mut joined = of(&lines[..cut]);
            joined.append(&of(&lines[cut..]));
            prop_assert_eq!(&joined, &whole);
            let mut runs = Runs::default();
            whole.starts(count).step_by(3).for_each(|line| _ = runs.number(whole.run(line, count, power(count))));
            let places = |is_large| {
                let found = located(&whole, count, (&runs, is_large), || false);
                let lines = |lines: Option<Progressions>| lines.map(|lines| lines.within(0..usize::MAX).collect::<Vec<_>>());
                found.into_iter().map(lines).collect::<Vec<_>>()
            };
            prop_assert_eq!(places(true), places(false));
        }
    }

    #[test]
    fn however_two_threads_share_a_file_it_is_the_same() {
        let text = [b"ab\n".repeat(LARGE / 6), b"c\nd\n".repeat(LARGE / 6), b"e".to_vec()].concat();
        let index = LineIndex::new(&text);
        let comparison = Comparison::strict(EXACT);
        let hashes: Vec<_> = index.lines_from(0).map(|line| comparison.hash(line)).collect();
        let wanted = [&b"ab\n"[..], b"c\n", b"d\n"];
        // All lines of the file, few, and none are left to the thread that hashes what is asked for.
        for asked in [0, index.count() / 4, index.count(), usize::MAX] {
            let runs = [(3, Hashes::of_run(comparison, &wanted))];
            let mut windows = Windows::new(&index, comparison, (asked, runs.into_iter()), || false);
            assert!(windows.line_hashes().eq(hashes.iter().copied()), "{asked}");
            let places = windows.places(&wanted);
            assert_eq!((places.next(0), places.count_from(0)), (Some(LARGE / 6 - 1), 1), "{asked}");
        }
    }
}
