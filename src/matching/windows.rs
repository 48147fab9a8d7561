//! All places of many runs of lines at once: hashes of lines, and of every run of one length. Where few lines are asked for,
//! only lines of the file are hashed that one of the runs may begin with.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::Range;

use super::hashes::{BASE, Comparison, Hashes, hashed};
use super::index::LineIndex;
use super::listed::{Listed, offset};
use super::runs::{Runs, add, located};
use super::sieve::{Sieve, fingerprint};
use super::stop::unless_stopped;
use crate::text::lines;
use crate::threads::{LARGE, both_of};

/// Of so many lines of the file at most one may be asked for, if runs are looked for by the lines that they begin with.
const LINES_FOR_FEW: usize = 16;
/// Of so many bytes of the file at most one may be hashed for that.
const BYTES_FOR_ONE: usize = 8;

/// A run of lines that will be asked for.
pub(super) struct Wanted {
    count: usize,
    hash: u64,
    /// The fingerprint of the first line, if there is one.
    first: Option<u64>,
}

impl Wanted {
    /// Returns what is to be known of a run that is all of `lines`.
    pub(super) fn new(comparison: Comparison, lines: &[&[u8]]) -> Self {
        Self::hashed(comparison, lines, Hashes::of_run(comparison, lines))
    }

    /// Does the same where the hash is known.
    pub(super) fn hashed(comparison: Comparison, lines: &[&[u8]], hash: u64) -> Self {
        let first = lines.first().map(|line| fingerprint(&comparison.key(line)));
        Self { count: lines.len(), hash, first }
    }
}

/// The runs of lines of one file under one comparison.
pub(super) struct Windows<'a> {
    index: &'a LineIndex<'a>,
    comparison: Comparison,
    /// Those of all lines, when they were needed.
    hashes: OnceCell<Hashes>,
    /// The fingerprints of the lines that runs begin with, as long as they may be looked for.
    firsts: Option<Vec<u64>>,
    is_stopped: fn() -> bool,
    /// Those that will be asked for, by number of lines.
    runs: HashMap<usize, Runs>,
    /// The line that was looked at last, and its offset.
    near: Cell<(usize, usize)>,
}

impl<'a> Windows<'a> {
    /// Takes what will be asked for, which has about `asked` lines together. Once `is_stopped`, not all places are known.
    pub(super) fn new(
        index: &'a LineIndex<'a>,
        comparison: Comparison,
        (asked, wanted): (usize, impl Iterator<Item = Wanted>),
        is_stopped: fn() -> bool,
    ) -> Self {
        let numbered = || {
            let (mut runs, mut firsts) = (HashMap::<usize, Runs>::new(), Vec::new());
            for run in wanted {
                _ = runs.entry(run.count).or_default().number(run.hash);
                firsts.extend(run.first);
            }
            (runs, firsts)
        };
        let (hashes, (runs, firsts)) = if asked <= index.count() / LINES_FOR_FEW {
            (OnceCell::new(), numbered())
        } else {
            let (numbered, all) = hashed(index, comparison, (asked, numbered), is_stopped);
            (OnceCell::from(all), numbered)
        };
        let firsts = hashes.get().is_none().then_some(firsts);
        Self { index, comparison, hashes, firsts, is_stopped, runs, near: Cell::default() }
    }

    /// Returns the hashes of all lines.
    fn hashes(&self) -> &Hashes {
        self.hashes.get_or_init(|| hashed(self.index, self.comparison, (0, || ()), self.is_stopped).1)
    }

    /// Returns the hash of each line of the file.
    pub(super) fn line_hashes(&self) -> impl Iterator<Item = u64> {
        self.hashes().starts(1).map(|line| self.hashes().run(line, 1, BASE))
    }

    /// Returns the offset of `line`, at once if it is near the last one that was asked for or compared.
    pub(super) fn offset(&self, line: usize) -> usize {
        offset(self.index, &self.near, line)
    }

    /// Returns the places of the lines `wanted`; linear in the file only for each new number of lines.
    pub(super) fn places<'w>(&'w mut self, wanted: &'w [&'w [u8]]) -> Listed<'w> {
        let Wanted { count, hash, first } = Wanted::new(self.comparison, wanted);
        let runs = self.runs.entry(count).or_default();
        let number = runs.known(hash, runs.likely).unwrap_or_else(|| {
            self.firsts.iter_mut().for_each(|firsts| firsts.extend(first));
            runs.number(hash)
        });
        runs.likely = number + 1;
        if number >= runs.places.len() {
            self.locate(count);
        }
        let lines = self.runs.get(&count).and_then(|runs| runs.places[number].as_ref());
        let (index, comparison, near) = (self.index, self.comparison, &self.near);
        Listed { index, comparison, wanted, lines, near }
    }

    /// Finds the places of all runs of `count` lines; at first, those of all runs.
    fn locate(&mut self, count: usize) {
        let firsts = self.firsts.take().filter(|_| count > 0 && self.hashes.get().is_none());
        if let Some(begun) = firsts.and_then(|firsts| self.begun(&Sieve::new(&firsts))) {
            for (_, runs) in self.runs.iter_mut().filter(|(count, _)| **count > 0) {
                runs.places = runs.nowhere();
            }
            for Begun { count, number, line } in begun {
                self.runs.entry(count).and_modify(|runs| add(&mut runs.places, number, line));
            }
            return;
        }
        let is_large = self.index.text().len() >= LARGE;
        if let Some(runs) = self.runs.get(&count) {
            let places = located(self.hashes(), count, (runs, is_large), self.is_stopped);
            self.runs.entry(count).and_modify(|runs| runs.places = places);
        }
    }

    /// Returns what begins at the lines that pass, in the order of the file; `None` if there are too many such lines for that
    /// to take less time than the hashes of all.
    fn begun(&self, sieve: &Sieve) -> Option<Vec<Begun>> {
        let (index, comparison, is_stopped) = (self.index, self.comparison, self.is_stopped);
        let mut runs: Vec<_> = self.runs.iter().filter(|(count, _)| **count > 0).collect();
        runs.sort_unstable_by_key(|(count, _)| **count);
        let longest = runs.last().map_or(0, |(count, _)| **count);
        let within = |part: Range<usize>| {
            let bytes = index.bytes(part.clone());
            let (text, mut left, mut found) = (&index.text()[bytes.start..], bytes.len() / BYTES_FOR_ONE, Vec::new());
            for (line, (span, first)) in part.zip(unless_stopped(lines(text), is_stopped)) {
                if !sieve.passes(fingerprint(&comparison.key(comparison.bare(line, first)))) {
                    continue;
                }
                let (mut hash, mut ends) = (0, runs.iter().peekable());
                for (count, text) in (1..=longest).zip(comparison.lines_of(&text[span.start..], line)) {
                    left = left.checked_sub(text.len())?;
                    hash = comparison.add(hash, text);
                    let ending = ends.next_if(|(end, _)| **end == count);
                    let number = ending.and_then(|(_, runs)| runs.known(hash, 0));
                    found.extend(number.map(|number| Begun { count, number, line }));
                }
            }
            Some(found)
        };
        let middle = if index.text().len() < LARGE { 0 } else { index.count() / 2 };
        let (first, behind) = both_of(index.text().len(), || within(0..middle), || within(middle..index.count()));
        let mut found = first?;
        found.extend(behind?);
        Some(found)
    }
}

/// A run that begins at a line of the file.
struct Begun {
    count: usize,
    /// Its number among those of so many lines.
    number: usize,
    line: usize,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{RngSeed, TestRunner};

    use super::super::hashes::power;
    use super::super::ladder::{EXACT, WHITESPACE};
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
    fn runs_are_found_by_their_first_lines_as_by_all_hashes() {
        let file_lines = vec!["a b\n", "a  b\n", "abc\n", "\n", "d\r\n", "e\n", "f\n"];
        let of = |lines: Vec<&'static str>, count| prop::collection::vec(prop::sample::select(lines), count);
        let case = (
            (prop::sample::select(vec!["", "\u{feff}"]), of(file_lines, 0..200), prop::sample::select(vec!["", "e"])),
            prop::collection::vec(of(vec!["a b\n", "\n", "d\n", "e", "g\n"], 1..4), 1..4),
            0..4_usize,
            prop::sample::select(vec![
                Comparison::loose(EXACT),
                Comparison::strict(EXACT),
                Comparison::strict(WHITESPACE),
            ]),
        );
        let config =
            ProptestConfig { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() };
        let by_first_lines = Cell::new(0);
        let tried = TestRunner::new(config).run(&case, |((mark, file, end), wanted, known, comparison)| {
            let file = format!("{mark}{}{end}", file.concat());
            let index = LineIndex::new(file.as_bytes());
            let wanted: Vec<Vec<_>> =
                wanted.iter().map(|run| run.iter().map(|line| line.as_bytes()).collect()).collect();
            let runs = || wanted.iter().take(known).map(|run| Wanted::new(comparison, run));
            let windows = |asked| Windows::new(&index, comparison, (asked, runs()), || false);
            let (mut few, mut many) = (windows(0), windows(usize::MAX));
            for run in &wanted {
                let all = |windows: &mut Windows<'_>| {
                    let places = windows.places(run);
                    let listed = std::iter::successors(places.next(0), |line| places.next(line + 1));
                    (listed.collect::<Vec<_>>(), places.count_from(0))
                };
                prop_assert_eq!(all(&mut few), all(&mut many));
            }
            by_first_lines.set(by_first_lines.get() + usize::from(few.hashes.get().is_none()));
            Ok(())
        });
        tried.unwrap();
        assert!(by_first_lines.get() > 10, "{by_first_lines:?}");
    }

    #[test]
    fn all_lines_are_hashed_only_where_many_may_begin_a_run() {
        let file: Vec<u8> = (0..4000).flat_map(|line| format!("this is line {line}\n").into_bytes()).collect();
        let index = LineIndex::new(&file);
        let comparison = Comparison::loose(EXACT);
        let places = |wanted: [&'static [u8]; 3]| {
            let runs = [Wanted::new(comparison, &wanted)].into_iter();
            let mut windows = Windows::new(&index, comparison, (wanted.len(), runs), || false);
            let line = windows.places(&wanted).next(0);
            (line, windows.hashes.get().is_some())
        };
        assert_eq!(places([b"this is line 700\n", b"this is line 701\n", b"this is line 702\n"]), (Some(700), false));
        assert_eq!(places([b"this is line 700\n", b"this is line 701\n", b"this is another\n"]), (None, false));
        let file = [&b"a\n".repeat(4000)[..], b"b\n"].concat();
        let index = LineIndex::new(&file);
        let wanted: [&[u8]; 3] = [b"a\n", b"a\n", b"b\n"];
        let mut windows = Windows::new(&index, comparison, (3, std::iter::empty()), || false);
        assert_eq!(windows.places(&wanted).next(0), Some(3998));
        assert!(windows.hashes.get().is_some());
    }

    #[test]
    fn a_run_is_found_where_one_thread_ends_and_the_other_begins() {
        let count = LARGE / 16;
        let file: Vec<u8> = (0..count).flat_map(|line| format!("this is line {line}\n").into_bytes()).collect();
        let index = LineIndex::new(&file);
        assert!(index.text().len() > LARGE);
        let lines = |start: usize| index.lines_from(start).take(4).collect::<Vec<_>>();
        let starts = [0, count / 2 - 4, count / 2 - 2, count / 2, count - 4];
        let comparison = Comparison::strict(EXACT);
        let runs = starts.map(|start| Wanted::new(comparison, &lines(start)));
        let mut windows = Windows::new(&index, comparison, (20, runs.into_iter()), || false);
        for start in starts {
            let wanted = lines(start);
            let places = windows.places(&wanted);
            assert_eq!((places.next(0), places.count_from(0)), (Some(start), 1));
        }
        assert!(windows.hashes.get().is_none());
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
            let runs = || [Wanted::new(comparison, &wanted)].into_iter();
            let windows = || Windows::new(&index, comparison, (asked, runs()), || false);
            assert!(windows().line_hashes().eq(hashes.iter().copied()), "{asked}");
            let mut windows = windows();
            let places = windows.places(&wanted);
            assert_eq!((places.next(0), places.count_from(0)), (Some(LARGE / 6 - 1), 1), "{asked}");
        }
    }
}
