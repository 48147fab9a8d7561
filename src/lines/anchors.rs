//! Anchors: elements of two sequences that correspond because the run that starts at them occurs
//! only once.

use std::collections::HashMap;

use super::shortest_edits::SequencePair;

/// The maximum length of the runs that are searched for.
const MAX_RUN: usize = 64;

/// Runs are too short if more than this number of pairs of runs would be equal by chance, as a
/// fixed-point number.
const MAX_EXPECTED: u128 = ONE / 16;

/// The number one as a fixed-point number.
const ONE: u128 = 1 << 60;

/// The base of the hash of a run. It is odd, so multiplication by it loses no bits.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of occurrences and the last occurrence of each run, in both sequences. The key is the
/// hash of the run. The hasher of the map is keyed, because an author of both texts can choose runs
/// whose hashes end in the same bits.
type Occurrences = HashMap<u64, [(usize, usize); 2]>;

/// Returns pairs of corresponding elements. Both indexes increase from pair to pair.
///
/// The runs are so long that two of them are hardly ever equal by chance.
pub(super) fn anchors(pair: &SequencePair<'_>) -> Vec<(usize, usize)> {
    longest_increasing(&find_unique_runs(pair, run_length(pair)))
}

/// Returns pairs of elements that occur once in each sequence. Both indexes increase from pair to
/// pair.
pub(super) fn find_unique_elements(pair: &SequencePair<'_>) -> Vec<(usize, usize)> {
    longest_increasing(&find_unique_runs(pair, 1))
}

/// Returns a length at which two runs are hardly ever equal by chance, at most [`MAX_RUN`]. Below
/// this maximum, random sequences with the same elements have at most one sixteenth of an equal
/// pair on average.
fn run_length(pair: &SequencePair<'_>) -> usize {
    let equal: u128 = occurrences(pair, 1)
        .values()
        .map(|[(old, _), (new, _)]| *old as u128 * *new as u128)
        .sum();
    let all = (pair.old.len() as u128 * pair.new.len() as u128).max(1);
    // The probability that two runs of this length are equal. Twice the length squares it.
    let (mut probability, mut length) = (ONE * equal / all, 1);
    while all * probability > MAX_EXPECTED && length < MAX_RUN {
        (probability, length) = (probability * probability / ONE, 2 * length);
    }
    length
}

/// Returns the starts of the runs of `length` elements that occur once in each sequence, in the
/// order of the first sequence.
fn find_unique_runs(pair: &SequencePair<'_>, length: usize) -> Vec<(usize, usize)> {
    let occurrences = occurrences(pair, length);
    // Different runs can have the same hash. The pair is then no anchor.
    let is_same =
        |&(old, new): &(usize, usize)| pair.old[old..old + length] == pair.new[new..new + length];
    run_hashes(pair.old, length)
        .enumerate()
        .filter_map(|(start, hash)| match occurrences[&hash] {
            [(1, _), (1, other)] => Some((start, other)),
            _ => None,
        })
        .filter(is_same)
        .collect()
}

fn occurrences(pair: &SequencePair<'_>, length: usize) -> Occurrences {
    let mut occurrences = Occurrences::with_capacity(pair.old.len().max(pair.new.len()));
    for (side, numbers) in [pair.old, pair.new].into_iter().enumerate() {
        for (start, hash) in run_hashes(numbers, length).enumerate() {
            let (count, last) = &mut occurrences.entry(hash).or_default()[side];
            (*count, *last) = (*count + 1, start);
        }
    }
    occurrences
}

/// Returns the hashes of all runs of `length` numbers, in order. A rolling hash takes constant time
/// for each run.
fn run_hashes(numbers: &[u32], length: usize) -> impl Iterator<Item = u64> {
    let oldest = BASE.wrapping_pow(u32::try_from(length).unwrap_or(u32::MAX));
    let mut sum = 0_u64;
    numbers
        .iter()
        .enumerate()
        .filter_map(move |(end, &number)| {
            sum = sum.wrapping_mul(BASE).wrapping_add(u64::from(number) + 1);
            if let Some(gone) = end.checked_sub(length) {
                let gone = u64::from(numbers[gone]) + 1;
                sum = sum.wrapping_sub(gone.wrapping_mul(oldest));
            }
            (end + 1 >= length).then_some(sum)
        })
}

/// Returns the longest subsequence of `pairs` whose second numbers increase. The first numbers of
/// `pairs` must already increase.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends` has an entry for each length of a subsequence: the last pair with the smallest second
    // number. `previous` has the predecessor of each pair.
    let (mut ends, mut previous): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (index, &(_, other)) in pairs.iter().enumerate() {
        let is_next = ends.last().is_none_or(|&end| pairs[end].1 < other);
        let length = if is_next {
            ends.len()
        } else {
            ends.partition_point(|&end| pairs[end].1 < other)
        };
        previous.push(length.checked_sub(1).map(|length| ends[length]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut found: Vec<_> = std::iter::successors(ends.last().copied(), |&index| previous[index])
        .map(|index| pairs[index])
        .collect();
    found.reverse();
    found
}
