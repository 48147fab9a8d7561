//! Distinct lines as numbers, and the lines of two texts that are worth comparing.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::iter;
use std::ops::Range;

use super::edits::Edit;
use super::table::LineTable;
use crate::interrupt::Interrupt;

/// The number of lines above and below a frequent line that decide whether it is compared.
const WINDOW: usize = 100;

/// A line is frequent if it occurs in the other text at least this number of times, or at least
/// [`square_root`] of the number of lines of its own text. git's name is `XDL_MAX_EQLIMIT`.
const MAX_FREQUENT: usize = 1024;

/// Assigns numbers to distinct lines, from 0 on.
pub(crate) struct LineNumbering<K> {
    numbers: HashMap<K, u32>,
}

impl<K: Eq + Hash + Borrow<[u8]>> LineNumbering<K> {
    /// Creates a numbering with space reserved for `lines` distinct lines.
    pub(crate) fn with_capacity(lines: usize) -> Self {
        Self {
            numbers: HashMap::with_capacity(lines),
        }
    }

    /// Returns the number of the line with this key ([`Comparison::key`](super::Comparison::key)).
    /// Assigns the next number to a new line.
    pub(crate) fn number(&mut self, key: K) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(key).or_insert(next)
    }

    /// Returns the number of the line with this key, or [`u32::MAX`] if it has none. Lines without
    /// a number must not be compared with each other.
    pub(crate) fn find_number(&self, key: &[u8]) -> u32 {
        self.numbers.get(key).copied().unwrap_or(u32::MAX)
    }

    /// Returns the number of distinct lines.
    fn count(&self) -> usize {
        self.numbers.len()
    }
}

/// The numbers of the lines of two texts. Equal lines have the same number.
pub(super) struct LineNumbers {
    pub(super) old: Vec<u32>,
    pub(super) new: Vec<u32>,
    /// The number of distinct lines. All numbers are smaller.
    count: usize,
}

/// The lines of a text that are compared.
pub(super) struct ComparedLines {
    pub(super) numbers: Vec<u32>,
    /// The line of each number.
    pub(super) lines: Vec<usize>,
}

/// The occurrences of a line in the other text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineFrequency {
    Missing,
    Rare,
    Frequent,
}

impl ComparedLines {
    /// Returns the lines that `range` of the numbers covers.
    pub(super) fn lines(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.lines[range.start];
        first
            ..range
                .end
                .checked_sub(1)
                .map_or(first, |last| self.lines[last] + 1)
    }
}

impl LineNumbers {
    /// Returns the numbers of the lines of both texts, or `None` soon after `interrupt` is raised.
    pub(super) fn new(
        old: &LineTable<'_>,
        new: &LineTable<'_>,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let mut numbering = LineNumbering::with_capacity(old.lines.len());
        let mut number = |line| numbering.number(line);
        let lines = interrupt.take_until_raised(old.lines.iter());
        let before: Vec<_> = lines.map(|line| number(*line)).collect();
        // Most new lines are equal to the old line at the same position. These lines need no lookup
        // in the hash table.
        let in_place = old.lines.iter().zip(&before).map(Some);
        let after = interrupt.take_until_raised(new.lines.iter());
        let after = after.zip(in_place.chain(iter::repeat(None)));
        let after = after.map(|(line, same)| match same {
            Some((old, same)) if old == line => *same,
            _ => number(*line),
        });
        let after = after.collect();
        interrupt.check().ok()?;
        Some(Self {
            old: before,
            new: after,
            count: numbering.count(),
        })
    }

    /// Returns the lines of `core` that are compared. The other lines of `core` count as changed.
    ///
    /// Like git, the function excludes lines that are missing in the other text, and frequent lines
    /// between many of them. git's names are `xdl_cleanup_records` and `xdl_clean_mmatch`
    /// (`xdiff/xprepare.c`). The occurrences of a line are counted in `counted`, which contains
    /// `core`.
    pub(super) fn compared(&self, core: &Edit, counted: &Edit) -> [ComparedLines; 2] {
        let limit = |lines: &Range<usize>| square_root(lines.len()).min(MAX_FREQUENT);
        let old = self.occurrences(&self.old[counted.old.clone()]);
        let new = self.occurrences(&self.new[counted.new.clone()]);
        [
            compared(&self.old, core.old.clone(), (&new, limit(&counted.old))),
            compared(&self.new, core.new.clone(), (&old, limit(&counted.new))),
        ]
    }

    /// Returns the number of occurrences of each line in `numbers`.
    fn occurrences(&self, numbers: &[u32]) -> Vec<u32> {
        let mut occurrences = vec![0; self.count];
        for &number in numbers {
            occurrences[number as usize] += 1;
        }
        occurrences
    }
}

/// Returns the lines of `range` that are compared. `counts` has the number of occurrences of each
/// line in the other text. From `limit` on, a line is frequent.
fn compared(
    numbers: &[u32],
    range: Range<usize>,
    (counts, limit): (&[u32], usize),
) -> ComparedLines {
    let occurrence = |number: &u32| match counts[*number as usize] as usize {
        0 => LineFrequency::Missing,
        count if count < limit => LineFrequency::Rare,
        _ => LineFrequency::Frequent,
    };
    let occurrences: Vec<_> = numbers[range.clone()].iter().map(occurrence).collect();
    let is_compared = |line: &usize| match occurrences[*line - range.start] {
        LineFrequency::Missing => false,
        LineFrequency::Rare => true,
        LineFrequency::Frequent => !is_between_missing(&occurrences, *line - range.start),
    };
    let lines: Vec<_> = range.clone().filter(is_compared).collect();
    ComparedLines {
        numbers: lines.iter().map(|&line| numbers[line]).collect(),
        lines,
    }
}

/// Returns whether missing lines are above and below the frequent line at `place`, and there are
/// more than three times as many of them as of frequent lines.
fn is_between_missing(occurrences: &[LineFrequency], place: usize) -> bool {
    let counted = |lines: &mut dyn Iterator<Item = &LineFrequency>| {
        // The line at `place` counts as frequent in both directions, as in git.
        let (mut missing, mut frequent) = (0, 1);
        for occurrence in lines.take(WINDOW) {
            match occurrence {
                LineFrequency::Missing => missing += 1,
                LineFrequency::Frequent => frequent += 1,
                LineFrequency::Rare => break,
            }
        }
        (missing, frequent)
    };
    let (above, frequent_above) = counted(&mut occurrences[..place].iter().rev());
    if above == 0 {
        return false;
    }
    let (below, frequent_below) = counted(&mut occurrences[place + 1..].iter());
    below > 0 && above + below > 3 * (frequent_above + frequent_below)
}

/// Returns an approximate square root like `xdl_bogosqrt` in git: a power of two.
fn square_root(number: usize) -> usize {
    1 << (usize::BITS - number.leading_zeros()).div_ceil(2)
}
