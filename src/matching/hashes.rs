//! Hashes of lines under one comparison, and of every run of them.

use std::borrow::Cow;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::index::LineIndex;
use super::ladder::{FIXED, LADDER};
use super::stop::until_raised;
use crate::interrupt::Interrupt;
use crate::text::{BYTE_ORDER_MARK, lines, without_ending};
use crate::threads::{LARGE, both_of};
use crate::whitespace::{WhitespaceRule, fix};

/// Odd and without pattern, so that places in a run weigh differently.
pub(super) const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// To hash a line that is asked for, and to number its run, takes as long as to hash so many lines
/// of the file.
const LINES_FOR_ONE: usize = 3;

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
        Self {
            rung,
            is_strict: true,
            whitespace: WhitespaceRule::NONE,
        }
    }

    /// Returns the comparison of lines without terminators.
    pub(super) const fn loose(rung: usize) -> Self {
        Self {
            rung,
            is_strict: false,
            whitespace: WhitespaceRule::NONE,
        }
    }

    /// Returns the comparison of lines as they are when `rule` has put them right.
    pub(super) fn fixed(rule: WhitespaceRule) -> Self {
        Self {
            whitespace: rule,
            ..Self::strict(FIXED)
        }
    }

    /// Returns what has to be equal in two lines that are the same.
    pub(super) fn key(self, line: &[u8]) -> Cow<'_, [u8]> {
        if self.rung == FIXED {
            return fix(line, self.whitespace).line;
        }
        (LADDER[self.rung].key)(if self.is_strict {
            line
        } else {
            without_ending(line)
        })
    }

    /// Returns the line `number` of a file as it is compared: where terminators do not count, the
    /// mark in front of the first one does not either.
    pub(super) fn bare(self, number: usize, line: &[u8]) -> &[u8] {
        if self.is_strict || number > 0 {
            line
        } else {
            line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
        }
    }

    /// Returns the lines of a file from `line` on as they are compared.
    pub(super) fn lines_from<'a>(
        self,
        index: &LineIndex<'a>,
        line: usize,
    ) -> impl Iterator<Item = &'a [u8]> {
        self.lines_of(&index.text()[index.offset(line)..], line)
    }

    /// Returns the lines of a part of a file that begins with `line` as they are compared.
    pub(super) fn lines_of(self, text: &[u8], line: usize) -> impl Iterator<Item = &[u8]> {
        (line..)
            .zip(lines(text))
            .map(move |(number, (_, line))| self.bare(number, line))
    }

    /// Returns the hash of a line.
    pub(super) fn hash(self, line: &[u8]) -> u64 {
        xxh3_64(&self.key(line))
    }

    /// Returns the hash of some lines and one more from that of the others.
    pub(super) fn add(self, sum: u64, line: &[u8]) -> u64 {
        sum.wrapping_mul(BASE).wrapping_add(self.hash(line))
    }
}

/// Hashes of lines, from which that of each run of them follows.
#[derive(Debug, Default, PartialEq, Eq)]
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
    pub(super) fn of_about<'l>(
        count: usize,
        comparison: Comparison,
        lines: impl Iterator<Item = &'l [u8]>,
    ) -> Self {
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
    pub(super) fn append(&mut self, behind: &Self) {
        let mut carried = self.sums[self.sums.len() - 1];
        self.sums.extend(behind.sums[1..].iter().map(|&sum| {
            carried = carried.wrapping_mul(BASE);
            carried.wrapping_add(sum)
        }));
    }

    /// Returns how many lines there are.
    pub(super) fn count(&self) -> usize {
        self.sums.len() - 1
    }

    /// Returns the hash of a run that is all of `lines`.
    pub(super) fn of_run(comparison: Comparison, lines: &[&[u8]]) -> u64 {
        lines.iter().fold(0, |sum, line| comparison.add(sum, line))
    }

    /// Returns the hash of the run of `count` lines from `line` on; `power` is that of `count`.
    pub(super) fn run(&self, line: usize, count: usize, power: u64) -> u64 {
        self.sums[line + count].wrapping_sub(self.sums[line].wrapping_mul(power))
    }

    /// Returns where a run of `count` lines may start.
    pub(super) fn starts(&self, count: usize) -> Range<usize> {
        0..self.sums.len().saturating_sub(count)
    }
}

/// Returns the weight of a line that `count` lines follow.
pub(super) fn power(count: usize) -> u64 {
    BASE.wrapping_pow(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Returns the hashes of all lines, and what `beside` makes of about `asked` lines meanwhile.
pub(super) fn hashed<R>(
    index: &LineIndex<'_>,
    comparison: Comparison,
    (asked, beside): (usize, impl FnOnce() -> R),
    interrupt: &Interrupt,
) -> (R, Hashes) {
    let part = |lines: Range<usize>, room: usize| {
        let all = comparison.lines_from(index, lines.start).take(lines.len());
        Hashes::of_about(room, comparison, until_raised(all, interrupt))
    };
    // The first thread, which has something else to do, has so many lines fewer of the file.
    let is_small = index.text().len() < LARGE;
    let middle = if is_small {
        0
    } else {
        index
            .count()
            .saturating_sub(asked.saturating_mul(LINES_FOR_ONE))
            / 2
    };
    let first = || {
        (
            beside(),
            part(0..middle, if middle == 0 { 0 } else { index.count() }),
        )
    };
    let second = || part(middle..index.count(), index.count() - middle);
    let ((made, mut hashes), behind) = both_of(index.text().len(), first, second);
    if middle == 0 {
        hashes = behind;
    } else if hashes.count() == middle {
        hashes.append(&behind);
    }
    (made, hashes)
}
