//! The expected runs of one length and their occurrences.

use std::collections::HashMap;
use std::ops::Range;

use super::hashes::{LineHashes, base_power};
use super::positions::Progressions;
use crate::interrupt::Interrupt;
use crate::lines::offsets::LineOffsets;

/// The expected runs of one length. Each run has a number, in the order in which the runs were
/// added.
#[derive(Default)]
pub(super) struct Runs {
    /// The number of each run, by its hash.
    numbers: HashMap<u64, usize>,
    /// The hash of each run, by its number.
    hashes: Vec<u64>,
    /// The first lines of the occurrences of each run, by its number. Runs that were added after
    /// the last [`Runs::locate`] have no entry.
    starts: Vec<Option<Progressions>>,
    /// The number after the run that was looked up last. Hunks are usually looked up in the order
    /// in which they were added.
    next: usize,
}

impl Runs {
    /// Adds the run with this hash, and returns its number.
    pub(super) fn add(&mut self, hash: u64) -> usize {
        let new = self.hashes.len();
        let number = *self.numbers.entry(hash).or_insert(new);
        if number == new {
            self.hashes.push(hash);
        }
        number
    }

    /// Returns the lines at which the run with this hash starts. `lines` are the hashes of the
    /// text, and `count` is the length of the run.
    pub(super) fn starts_of(
        &mut self,
        hash: u64,
        (lines, count): (&LineHashes, usize),
        (index, interrupt): (&LineOffsets<'_>, &Interrupt),
    ) -> Option<&Progressions> {
        let known = self.find(hash, self.next);
        let number = known.unwrap_or_else(|| self.add(hash));
        self.next = number + 1;
        if number >= self.starts.len() {
            self.locate((lines, count), index, interrupt);
        }
        self.starts[number].as_ref()
    }

    /// Returns the number of the run with this hash. Tries `likely` first.
    fn find(&self, hash: u64, likely: usize) -> Option<usize> {
        if self.hashes.get(likely) == Some(&hash) {
            return Some(likely);
        }
        self.numbers.get(&hash).copied()
    }

    /// Finds the occurrences of all runs in one pass over the lines.
    fn locate(
        &mut self,
        (lines, count): (&LineHashes, usize),
        index: &LineOffsets<'_>,
        interrupt: &Interrupt,
    ) {
        let (power, filter) = (base_power(count), BloomFilter::new(&self.hashes));
        let within = |part: Range<usize>, found: &mut dyn FnMut(usize, usize)| {
            let mut likely = 0;
            for line in interrupt.take_until_raised(part) {
                let hash = lines.run_hash(line, count, power);
                if filter.may_contain(hash)
                    && let Some(number) = self.find(hash, likely)
                {
                    found(number, line);
                    likely = number + 1;
                }
            }
        };
        // Both halves of the text are searched at the same time. Only the first one fills `starts`,
        // and the occurrences in the second one follow later. Each list is therefore ascending.
        let (end, mut rest) = (lines.starts(count).end, Vec::new());
        let mut starts: Vec<Option<Progressions>> = self.hashes.iter().map(|_| None).collect();
        let mut add = |number: usize, line| match &mut starts[number] {
            Some(found) => found.push(line),
            none => *none = Some(Progressions::new(line)),
        };
        let mut first = || within(0..end / 2, &mut add);
        let mut second = || within(end / 2..end, &mut |number, line| rest.push((number, line)));
        (index.join)(index.text().len(), &mut first, &mut second);
        for (number, line) in rest {
            add(number, line);
        }
        self.starts = starts;
    }
}

/// A Bloom filter with two bits for each hash, both in one word. Most runs of a text are not
/// searched for. The filter rejects them in a fraction of the time of a hash table lookup.
pub(super) struct BloomFilter {
    /// At least 16 bits for each hash. The number of words is a power of two.
    words: Vec<u64>,
}

impl BloomFilter {
    pub(super) fn new(hashes: &[u64]) -> Self {
        let mut filter = Self {
            words: vec![0; (hashes.len() / 4 + 1).next_power_of_two()],
        };
        for &hash in hashes {
            let word = filter.word(hash);
            filter.words[word] |= Self::bits(hash);
        }
        filter
    }

    /// Returns the index of the word of a hash. It depends on other bits than [`Self::bits`].
    fn word(&self, hash: u64) -> usize {
        usize::try_from(hash >> 33).unwrap_or_default() & (self.words.len() - 1)
    }

    fn bits(hash: u64) -> u64 {
        1 << (hash % 64) | 1 << (hash / 64 % 64)
    }

    pub(super) fn may_contain(&self, hash: u64) -> bool {
        self.words[self.word(hash)] & Self::bits(hash) == Self::bits(hash)
    }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    #[test]
    fn a_filter_has_no_false_negative_and_few_false_positives() {
        let hash = |number: usize| xxh3_64(format!("line {number}").as_bytes());
        let filter = BloomFilter::new(&(0..1000).map(hash).collect::<Vec<_>>());
        assert!((0..1000).all(|number| filter.may_contain(hash(number))));
        let false_positives = (1000..10_000)
            .filter(|&number| filter.may_contain(hash(number)))
            .count();
        assert!(false_positives < 200, "{false_positives}");
    }
}
