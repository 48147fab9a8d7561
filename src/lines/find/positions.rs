//! Stores ascending numbers as arithmetic progressions.
//!
//! In a repetitive text, a run can occur at almost every line, at equal distances. Progressions
//! keep such lists short.

use std::ops::Range;

/// A non-empty list of ascending numbers. Most lists have one number, so the last progression is
/// stored inline.
#[derive(Debug)]
pub(super) struct Progressions {
    before: Vec<Progression>,
    last: Progression,
}

/// Numbers at equal distances.
#[derive(Debug)]
struct Progression {
    /// The number of elements in the progressions before this one.
    rank: usize,
    first: usize,
    step: usize,
    count: usize,
}

impl Progressions {
    /// Creates a list with one number.
    pub(super) fn new(number: usize) -> Self {
        Self {
            before: Vec::new(),
            last: Progression {
                rank: 0,
                first: number,
                step: 1,
                count: 1,
            },
        }
    }

    /// Appends a number, which must be larger than all others. The second number of a progression
    /// decides its step.
    pub(super) fn push(&mut self, number: usize) {
        let last = &mut self.last;
        if last.count == 1 || last.last() + last.step == number {
            last.step = number - last.last();
            last.count += 1;
        } else {
            let rank = last.rank + last.count;
            self.before.push(std::mem::replace(
                last,
                Progression {
                    rank,
                    first: number,
                    step: 1,
                    count: 1,
                },
            ));
        }
    }

    /// Returns the numbers in `range`, in order.
    pub(super) fn numbers_in(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = usize> {
        let parts = self.parts(&range);
        parts.flat_map(move |part| {
            part.places(&range)
                .map(|place| part.first + place * part.step)
        })
    }

    /// Returns the count of numbers in `range`.
    pub(super) fn count_within(&self, range: &Range<usize>) -> usize {
        self.rank(range.end).saturating_sub(self.rank(range.start))
    }

    /// Returns the count of numbers less than `number`.
    fn rank(&self, number: usize) -> usize {
        let rank = |part: &Progression| part.rank + part.count_before(number);
        if self.last.first < number {
            return rank(&self.last);
        }
        let behind = self.before.partition_point(|part| part.first < number);
        behind
            .checked_sub(1)
            .map_or(0, |last| rank(&self.before[last]))
    }

    fn parts<'p>(
        &'p self,
        range: &Range<usize>,
    ) -> impl DoubleEndedIterator<Item = &'p Progression> + use<'p> {
        let start = self
            .before
            .partition_point(|part| part.last() < range.start);
        let end = self.before.partition_point(|part| part.first < range.end);
        self.before[start..end.max(start)]
            .iter()
            .chain([&self.last])
    }
}

impl Progression {
    fn last(&self) -> usize {
        self.first + self.step * (self.count - 1)
    }

    /// Returns the indexes of the elements in `range`.
    fn places(&self, range: &Range<usize>) -> Range<usize> {
        self.count_before(range.start)..self.count_before(range.end)
    }

    /// Returns the count of elements less than `number`.
    fn count_before(&self, number: usize) -> usize {
        number
            .saturating_sub(self.first)
            .div_ceil(self.step)
            .min(self.count)
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
        fn no_number_is_lost(gaps in prop::collection::vec(1..4usize, 1..30), start in 0..70usize, width in 0..70usize) {
            let numbers: Vec<_> = gaps.iter().scan(0, |sum, gap| { *sum += gap; Some(*sum) }).collect();
            let mut found = Progressions::new(numbers[0]);
            numbers[1..].iter().for_each(|&number| found.push(number));
            let range = start..start + width;
            let wanted: Vec<_> = numbers.into_iter().filter(|number| range.contains(number)).collect();
            prop_assert_eq!(found.count_within(&range), wanted.len());
            prop_assert_eq!(found.numbers_in(range.clone()).rev().collect::<Vec<_>>(), wanted.iter().rev().copied().collect::<Vec<_>>());
            prop_assert_eq!(found.numbers_in(range).collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn equal_distances_take_no_room() {
        let mut found = Progressions::new(0);
        (1..1000)
            .map(|number| number * 3)
            .chain(3001..4000)
            .for_each(|number| found.push(number));
        assert_eq!(found.before.len(), 1);
    }
}
