//! Tests of alignments.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

fn numbers(text: &str) -> Vec<u32> {
    text.bytes().map(u32::from).collect()
}

/// Returns both sequences as one text, with `-` before deleted elements and `+` before inserted
/// elements.
fn parted(old: &str, new: &str) -> String {
    let (mut text, mut at) = (String::new(), (0, 0));
    let end = Edit {
        old: old.len()..old.len(),
        new: new.len()..new.len(),
    };
    for edit in shortest_edits(&SequencePair {
        old: &numbers(old),
        new: &numbers(new),
    })
    .into_iter()
    .chain([end])
    {
        let (same, other) = (&old[at.0..edit.old.start], &new[at.1..edit.new.start]);
        assert_eq!(same, other);
        text += same;
        old[edit.old.clone()]
            .chars()
            .for_each(|element| text.extend(['-', element]));
        new[edit.new.clone()]
            .chars()
            .for_each(|element| text.extend(['+', element]));
        at = (edit.old.end, edit.new.end);
    }
    text
}

#[test]
fn the_shortest_way_is_found() {
    assert_eq!(parted("abc", "abc"), "abc");
    assert_eq!(parted("abcd", "axcd"), "a-b+xcd");
    assert_eq!(parted("", "ab"), "+a+b");
    assert_eq!(parted("ab", ""), "-a-b");
    assert_eq!(parted("abcabba", "cbabac").matches(['+', '-']).count(), 5);
}

/// Returns the number of changes of a shortest edit script, by comparing all prefixes.
fn fewest_changes(old: &[u32], new: &[u32]) -> usize {
    let mut above: Vec<usize> = (0..=new.len()).collect();
    for (row, a) in old.iter().enumerate() {
        let mut left = row + 1;
        let mut current = vec![left];
        for (column, b) in new.iter().enumerate() {
            let changed = left.min(above[column + 1]) + 1;
            left = if a == b {
                changed.min(above[column])
            } else {
                changed
            };
            current.push(left);
        }
        above = current;
    }
    above[new.len()]
}

/// Asserts that `edits` are in order and turn the first sequence into the second. Returns the
/// number of changes.
fn checked(pair: &SequencePair<'_>, edits: &[Edit]) -> usize {
    let (mut built, mut at, mut changes) = (Vec::<u32>::new(), 0, 0);
    for edit in edits {
        assert!(!edit.old.is_empty() || !edit.new.is_empty());
        built.extend(&pair.old[at..edit.old.start]);
        assert_eq!(built.len(), edit.new.start);
        built.extend(&pair.new[edit.new.clone()]);
        at = edit.old.end;
        changes += edit.old.len() + edit.new.len();
    }
    built.extend(&pair.old[at..]);
    assert_eq!(built, pair.new);
    changes
}

/// Returns pseudo-random numbers below `count`.
fn random(seed: u64, length: usize, count: u64) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        u32::try_from((state >> 33) % count).unwrap()
    };
    (0..length).map(|_| next()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: RngSeed::Fixed(31), ..ProptestConfig::default() })]

    #[test]
    fn an_edit_script_with_few_changes_is_the_shortest_one(
        old in vec(0..4_u32, 0..60),
        new in vec(0..4_u32, 0..60),
    ) {
        let pair = SequencePair { old: &old, new: &new };
        let fewest = fewest_changes(&old, &new);
        let found = align(&pair, Budget::default(), Interrupt::never()).unwrap();
        prop_assert_eq!(checked(&pair, &found.edits), fewest);
        prop_assert_eq!(found.unaligned, []);
        prop_assert_eq!(checked(&pair, &shortest_edits(&pair)), fewest);
    }

    #[test]
    fn what_the_budget_does_not_suffice_for_is_one_change(
        old in vec(0..4_u32, 0..60),
        new in vec(0..4_u32, 0..60),
        budget in 0..2000_u64,
    ) {
        let pair = SequencePair { old: &old, new: &new };
        let found = align(&pair, Budget(budget), Interrupt::never()).unwrap();
        checked(&pair, &found.edits);
        for part in &found.unaligned {
            let covers = |edit: &&Edit| {
                edit.old.start <= part.old.start
                    && part.old.end <= edit.old.end
                    && edit.new.start <= part.new.start
                    && part.new.end <= edit.new.end
            };
            let covering = found.edits.iter().find(covers);
            prop_assert!(covering.is_some(), "{:?}", found);
            prop_assert!(!found.is_aligned(std::slice::from_ref(covering.unwrap())));
        }
        let aligned = found.edits.iter().filter(|edit| found.is_aligned(std::slice::from_ref(edit)));
        prop_assert!(!found.unaligned.is_empty() || aligned.count() == found.edits.len());
    }
}

/// git takes a longer edit script for such texts.
#[test]
fn an_edit_script_with_many_changes_is_not_much_longer_than_the_shortest_one() {
    for (seed, count) in [(1, 2), (2, 3), (3, 8), (4, 49), (5, 400)] {
        let old = random(seed, 6000, count);
        let mut new = old.clone();
        new.splice(4000..5000, random(seed + 100, 700, count));
        new.drain(1000..2600);
        let pair = SequencePair {
            old: &old,
            new: &new,
        };
        let found = align(&pair, Budget::default(), Interrupt::never()).unwrap();
        let fewest = checked(&pair, &shortest_edits(&pair));
        assert!(fewest > 4 * FEW_CHANGES, "{count}: {fewest}");
        let changes = checked(&pair, &found.edits);
        assert!(
            changes <= fewest + fewest / 20,
            "{count}: {changes}, {fewest}"
        );
        assert_eq!(found.unaligned, []);
    }
}
