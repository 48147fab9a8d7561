//! Ascending numbers as few arithmetic progressions: a text that repeats itself has as many places as lines for a run of
//! each length, and they stand at equal distances.

use std::ops::Range;

/// Ascending numbers.
#[derive(Debug, Default)]
pub(super) struct Progressions(Vec<Progression>);

/// Numbers at equal distances.
#[derive(Debug)]
struct Progression {
    /// How many numbers are before it.
    rank: usize,
    first: usize,
    step: usize,
    count: usize,
}

impl Progressions {
    /// Adds a number, which is larger than all others.
    pub(super) fn push(&mut self, number: usize) {
        match self.0.last_mut() {
            Some(last) if last.count == 1 || last.last() + last.step == number => {
                last.step = number - last.last();
                last.count += 1;
            }
            last => {
                let rank = last.map_or(0, |last| last.rank + last.count);
                self.0.push(Progression { rank, first: number, step: 1, count: 1 });
            }
        }
    }

    /// Returns the numbers in `range`, in order.
    pub(super) fn within(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = usize> {
        let parts = self.parts(&range);
        parts.iter().flat_map(move |part| part.places(&range).map(|place| part.first + place * part.step))
    }

    /// Returns how many numbers there are in `range`.
    pub(super) fn count_within(&self, range: &Range<usize>) -> usize {
        self.rank(range.end).saturating_sub(self.rank(range.start))
    }

    /// Returns how many of the numbers are less than `number`.
    fn rank(&self, number: usize) -> usize {
        let behind = self.0.partition_point(|part| part.first < number);
        behind.checked_sub(1).map_or(0, |last| self.0[last].rank + self.0[last].before(number))
    }

    fn parts(&self, range: &Range<usize>) -> &[Progression] {
        let start = self.0.partition_point(|part| part.last() < range.start);
        let end = self.0.partition_point(|part| part.first < range.end);
        &self.0[start..end.max(start)]
    }
}

impl Progression {
    fn last(&self) -> usize {
        self.first + self.step * (self.count - 1)
    }

    /// Returns which of its numbers are in `range`.
    fn places(&self, range: &Range<usize>) -> Range<usize> {
        self.before(range.start)..self.before(range.end)
    }

    /// Returns how many of its numbers are less than `number`.
    fn before(&self, number: usize) -> usize {
        number.saturating_sub(self.first).div_ceil(self.step).min(self.count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

        #[test]
        fn no_number_is_lost(gaps in prop::collection::vec(1..4usize, 0..30), start in 0..70usize, width in 0..70usize) {
            let numbers: Vec<_> = gaps.iter().scan(0, |sum, gap| { *sum += gap; Some(*sum) }).collect();
            let mut found = Progressions::default();
            for &number in &numbers {
                found.push(number);
            }
            let range = start..start + width;
            let wanted: Vec<_> = numbers.into_iter().filter(|number| range.contains(number)).collect();
            prop_assert_eq!(found.count_within(&range), wanted.len());
            prop_assert_eq!(found.within(range.clone()).rev().collect::<Vec<_>>(), wanted.iter().rev().copied().collect::<Vec<_>>());
            prop_assert_eq!(found.within(range).collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn equal_distances_take_no_room() {
        let mut found = Progressions::default();
        (0..1000).map(|number| number * 3).chain(3001..4000).for_each(|number| found.push(number));
        assert_eq!(found.0.len(), 2);
    }
}
