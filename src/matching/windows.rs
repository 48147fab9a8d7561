//! All places of many runs of lines at once: hashes of lines, and of every run of one length.

use std::borrow::Cow;
use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::index::LineIndex;
use super::ladder::{EXACT, FIXED, LADDER};
use super::progression::Progressions;
use super::search::Places;
use super::stop::unless_stopped;
use crate::text::{BYTE_ORDER_MARK, without_ending};
use crate::threads::{LARGE, both};
use crate::whitespace::{WhitespaceRule, fix};

/// Odd and without pattern, so that places in a run weigh differently.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// How lines are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    /// The row of [`LADDER`].
    pub(super) rung: usize,
    /// Whether terminators and a byte order mark count.
    pub(super) is_strict: bool,
    /// What is put right before, on the rung for that.
    pub(super) whitespace: WhitespaceRule,
}

impl Comparison {
    /// Returns the comparison of whole lines, terminators and all.
    pub(super) fn strict(rung: usize) -> Self {
        Self { rung, is_strict: true, whitespace: WhitespaceRule::NONE }
    }

    /// Returns the comparison of lines without terminators.
    pub(super) const fn loose(rung: usize) -> Self {
        Self { rung, is_strict: false, whitespace: WhitespaceRule::NONE }
    }

    /// Returns the comparison of lines as they are when `rule` has put them right.
    pub(super) fn fixed(rule: WhitespaceRule) -> Self {
        Self { whitespace: rule, ..Self::strict(FIXED) }
    }

    /// Returns what has to be equal in two lines that are the same.
    pub(super) fn key(self, line: &[u8]) -> Cow<'_, [u8]> {
        if self.rung == FIXED {
            return fix(line, self.whitespace).line;
        }
        (LADDER[self.rung].key)(if self.is_strict { line } else { without_ending(line) })
    }

    /// Returns the line `number` of a file as it is compared: where terminators do not count, the mark in front of the
    /// first one does not either.
    pub(super) fn bare(self, number: usize, line: &[u8]) -> &[u8] {
        if self.is_strict || number > 0 { line } else { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) }
    }

    /// Returns the lines of a file from `line` on as they are compared.
    pub(super) fn lines_from<'a>(self, index: &LineIndex<'a>, line: usize) -> impl Iterator<Item = &'a [u8]> {
        (line..).zip(index.lines_from(line)).map(move |(number, line)| self.bare(number, line))
    }

    /// Returns the hash of a line.
    pub(super) fn hash(self, line: &[u8]) -> u64 {
        xxh3_64(&self.key(line))
    }

    /// Returns the hash of some lines and one more from that of the others.
    fn add(self, sum: u64, line: &[u8]) -> u64 {
        sum.wrapping_mul(BASE).wrapping_add(self.hash(line))
    }
}

/// Hashes of lines, from which that of each run of them follows.
#[derive(Default)]
pub(super) struct Hashes {
    /// The hash of all lines up to each line.
    sums: Vec<u64>,
}

impl Hashes {
    /// Hashes lines.
    pub(super) fn new<'l>(comparison: Comparison, lines: impl Iterator<Item = &'l [u8]>) -> Self {
        Self::of_about(lines.size_hint().0, comparison, lines)
    }

    /// Hashes lines; `count` is how many there are if it is known.
    fn of_about<'l>(count: usize, comparison: Comparison, lines: impl Iterator<Item = &'l [u8]>) -> Self {
        let mut sums = Vec::with_capacity(count + 1);
        sums.push(0);
        let mut sum = 0_u64;
        for line in lines {
            sum = comparison.add(sum, line);
            sums.push(sum);
        }
        Self { sums }
    }

    /// Adds the lines that follow, which were hashed on their own.
    fn append(&mut self, behind: &Self) {
        let mut carried = self.sums[self.sums.len() - 1];
        self.sums.extend(behind.sums[1..].iter().map(|&sum| {
            carried = carried.wrapping_mul(BASE);
            carried.wrapping_add(sum)
        }));
    }

    /// Returns the hash of a run that is all of `lines`.
    pub(super) fn of_run<'l>(comparison: Comparison, lines: impl Iterator<Item = &'l [u8]>) -> u64 {
        lines.fold(0, |sum, line| comparison.add(sum, line))
    }

    /// Returns the hash of the run of `count` lines from `line` on; `power` is that of `count`.
    pub(super) fn run(&self, line: usize, count: usize, power: u64) -> u64 {
        self.sums[line + count].wrapping_sub(self.sums[line].wrapping_mul(power))
    }

    fn starts(&self, count: usize) -> Range<usize> {
        0..self.sums.len().saturating_sub(count)
    }
}

/// Returns the weight of a line that `count` lines follow.
pub(super) fn power(count: usize) -> u64 {
    BASE.wrapping_pow(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The runs of lines of one file under one comparison.
pub(super) struct Windows<'a> {
    index: &'a LineIndex<'a>,
    comparison: Comparison,
    hashes: Hashes,
    is_stopped: fn() -> bool,
    /// The hashes that will be asked for, by number of lines.
    wanted: HashMap<usize, HashSet<u64>>,
    /// Where they are, by number of lines.
    places: HashMap<usize, HashMap<u64, Progressions>>,
}

impl<'a> Windows<'a> {
    /// Hashes the lines of the file; `wanted` is the number of lines and the hash of what will be asked for. Once
    /// `is_stopped`, not all places are known.
    pub(super) fn new(
        index: &'a LineIndex<'a>,
        comparison: Comparison,
        wanted: impl Iterator<Item = (usize, u64)> + Send,
        is_stopped: fn() -> bool,
    ) -> Self {
        let wanted = || {
            let mut by_count: HashMap<usize, HashSet<u64>> = HashMap::new();
            wanted.for_each(|(count, hash)| by_count.entry(count).or_default().extend([hash]));
            by_count
        };
        let part = |lines: Range<usize>, room: usize| {
            let all = comparison.lines_from(index, lines.start).take(lines.len());
            Hashes::of_about(room, comparison, unless_stopped(all, is_stopped))
        };
        let count = index.count();
        if index.text().len() < LARGE {
            let (wanted, hashes) = (wanted(), part(0..count, count));
            return Self { index, comparison, hashes, is_stopped, wanted, places: HashMap::new() };
        }
        // What is wanted are lines too, of which nobody knows how many.
        let middle = count * 2 / 5;
        let before = || (wanted(), part(0..middle, count));
        let ((wanted, mut hashes), behind) = both(before, || part(middle..count, count - middle));
        if hashes.sums.len() > middle {
            hashes.append(&behind);
        }
        Self { index, comparison, hashes, is_stopped, wanted, places: HashMap::new() }
    }

    /// Returns the hash of each line of the file.
    pub(super) fn line_hashes(&self) -> impl Iterator<Item = u64> {
        self.hashes.starts(1).map(|line| self.hashes.run(line, 1, BASE))
    }

    /// Returns the places of the lines `wanted`; linear in the file only for each new number of lines.
    pub(super) fn places<'w>(&'w mut self, wanted: &'w [&'w [u8]]) -> Listed<'w> {
        let count = wanted.len();
        let hash = Hashes::of_run(self.comparison, wanted.iter().copied());
        if !self.places.get(&count).is_some_and(|places| places.contains_key(&hash)) {
            let hashes = self.wanted.entry(count).or_default();
            if hashes.insert(hash) || !self.places.contains_key(&count) {
                let is_large = self.index.text().len() >= LARGE;
                let found = located(&self.hashes, count, (hashes, is_large), self.is_stopped);
                self.places.insert(count, found);
            }
        }
        let lines = self.places.get(&count).and_then(|places| places.get(&hash));
        let (index, comparison) = (self.index, self.comparison);
        Listed { index, comparison, wanted, lines }
    }
}

/// Returns where the runs of `count` lines with one of the hashes `wanted` start.
fn located(
    hashes: &Hashes,
    count: usize,
    (wanted, is_large): (&HashSet<u64>, bool),
    is_stopped: fn() -> bool,
) -> HashMap<u64, Progressions> {
    let (power, sieve) = (power(count), Sieve::new(wanted));
    let within = |lines: Range<usize>| {
        let mut found: HashMap<u64, Progressions> = HashMap::with_capacity(wanted.len().min(lines.len()));
        for line in unless_stopped(lines, is_stopped) {
            let hash = hashes.run(line, count, power);
            if sieve.passes(hash) && wanted.contains(&hash) {
                found.entry(hash).and_modify(|lines| lines.push(line)).or_insert_with(|| Progressions::new(line));
            }
        }
        found
    };
    let all = hashes.starts(count);
    if !is_large {
        return within(all);
    }
    let middle = all.len() / 2;
    let (mut found, behind) = both(|| within(0..middle), || within(middle..all.end));
    for (hash, more) in behind {
        match found.entry(hash) {
            Entry::Occupied(mut known) => more.within(0..usize::MAX).for_each(|line| known.get_mut().push(line)),
            Entry::Vacant(room) => drop(room.insert(more)),
        }
    }
    found
}

/// Lets the hashes through that it was made of, and few others.
struct Sieve {
    /// Its bits, 16 and more for each hash; their number is a power of two.
    words: Vec<u64>,
}

impl Sieve {
    fn new(hashes: &HashSet<u64>) -> Self {
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

/// The places of some lines, found by their hash and compared when they are asked for.
pub(super) struct Listed<'w> {
    index: &'w LineIndex<'w>,
    comparison: Comparison,
    wanted: &'w [&'w [u8]],
    lines: Option<&'w Progressions>,
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
        let mut found = self.comparison.lines_from(self.index, line);
        let key = |line| self.comparison.key(line);
        self.wanted.iter().all(|&wanted| found.next().is_some_and(|line| key(line) == key(wanted)))
    }

    /// The same byte for byte, without a look for the ends of lines.
    fn is_exactly_at(&self, line: usize) -> bool {
        let mut rest = &self.index.text()[self.index.offset(line)..];
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
            let mut windows = Windows::new(&index, comparison, std::iter::empty(), || false);
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
            prop_assert_eq!(&joined.sums, &whole.sums);
            let wanted = whole.starts(count).step_by(3).map(|line| whole.run(line, count, power(count))).collect();
            let places = |is_large| {
                let found = located(&whole, count, (&wanted, is_large), || false);
                let lines = found.into_iter().map(|(hash, lines)| (hash, lines.within(0..usize::MAX).collect::<Vec<_>>()));
                lines.collect::<HashMap<_, _>>()
            };
            prop_assert_eq!(places(true), places(false));
        }
    }
}
