//! Runs of one number of lines, by their hashes, and the places of all of them.

use std::collections::HashMap;
use std::ops::Range;

use super::hashes::{Hashes, power};
use super::progression::Progressions;
use super::sieve::Sieve;
use super::stop::until_raised;
use crate::interrupt::Interrupt;
use crate::threads::both;

/// Runs of one number of lines.
#[derive(Default)]
pub(super) struct Runs {
    /// The number that each has here, by its hash.
    numbers: HashMap<u64, usize>,
    /// The hash of each, by these numbers.
    pub(super) hashes: Vec<u64>,
    /// Where they are, by these numbers; of those that came later it is not known.
    pub(super) places: Vec<Option<Progressions>>,
    /// The number behind that of the last one that was asked for, mostly that of the next.
    pub(super) likely: usize,
}

impl Runs {
    /// Returns the number of the run with this hash, which is a new one for a new run.
    pub(super) fn number(&mut self, hash: u64) -> usize {
        let next = self.hashes.len();
        let number = *self.numbers.entry(hash).or_insert(next);
        if number == next {
            self.hashes.push(hash);
        }
        number
    }

    /// Returns the number of the run with this hash, if it has one; soonest if that is the `likely`
    /// one.
    pub(super) fn known(&self, hash: u64, likely: usize) -> Option<usize> {
        if self.hashes.get(likely) == Some(&hash) {
            Some(likely)
        } else {
            self.numbers.get(&hash).copied()
        }
    }

    /// Returns no place for each.
    pub(super) fn nowhere(&self) -> Vec<Option<Progressions>> {
        self.hashes.iter().map(|_| None).collect()
    }
}

/// Adds a line behind the others where the run with this number starts.
pub(super) fn add(places: &mut [Option<Progressions>], number: usize, line: usize) {
    match &mut places[number] {
        Some(lines) => lines.push(line),
        room => *room = Some(Progressions::new(line)),
    }
}

/// Returns where those of `runs` start, which have `count` lines, by their number there.
pub(super) fn located(
    hashes: &Hashes,
    count: usize,
    (runs, is_large): (&Runs, bool),
    interrupt: &Interrupt,
) -> Vec<Option<Progressions>> {
    let (power, sieve) = (power(count), Sieve::new(&runs.hashes));
    let within = |lines: Range<usize>| {
        let mut places = runs.nowhere();
        let mut likely = 0;
        for line in until_raised(lines, interrupt) {
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
        lines
            .iter()
            .flat_map(|lines| lines.within(0..usize::MAX))
            .for_each(|line| add(&mut places, number, line));
    }
    places
}
