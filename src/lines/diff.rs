//! Computes the edit script between two texts with Myers' algorithm, then positions each change
//! like git.

use std::iter;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Interner, NoSliderHeuristic, Token};

use super::edits::{Budget, Edit, Edits, push};
use super::indent::IndentHeuristic;
use super::pieces::{Piece, Pieces};
use super::table::LineTable;

/// The position of a change that could also be a few lines further up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slide {
    /// The last position, as in `git merge-file`.
    Last,
    /// The position that the indentation suggests, as in `git diff`.
    Indent,
}

/// Returns the changes from `old` to `new`.
///
/// The result is always a complete edit script. After `budget` is used up, the remaining changes
/// are larger than necessary.
pub(crate) fn diff(
    old: &LineTable<'_>,
    new: &LineTable<'_>,
    budget: Budget,
    slide: Slide,
) -> Edits {
    let mut interner = Interner::new(old.lines.len() + new.lines.len());
    let before: Vec<_> = old
        .lines
        .iter()
        .map(|line| interner.intern(*line))
        .collect();
    // Most lines are equal to the old line with the same number. These lines need no hash.
    let in_place = old
        .lines
        .iter()
        .zip(&before)
        .map(Some)
        .chain(iter::repeat(None));
    let after: Vec<_> = new
        .lines
        .iter()
        .zip(in_place)
        .map(|(line, same)| match same {
            Some((old, token)) if old == line => *token,
            _ => interner.intern(*line),
        })
        .collect();
    let mut edits = Edits::new();
    let mut pieces = Pieces::new(&before, &after, budget);
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Replace(edit) => push(&mut edits, edit),
            Piece::Compare(Edit { old, new }) => {
                let is_whole = old.len() + new.len() == before.len() + after.len();
                let compare = if is_whole { compare } else { compare_part };
                let found = compare(&before[old.clone()], &after[new.clone()], &interner, slide);
                pieces.spend_on(old.len() + new.len(), &found);
                for edit in found {
                    push(&mut edits, edit.shifted(old.start, new.start));
                }
            }
        }
    }
    edits
}

/// Compares two texts in one step.
fn compare(before: &[Token], after: &[Token], interner: &Interner<&[u8]>, slide: Slide) -> Edits {
    let mut diff = Diff::default();
    let count = interner.num_tokens();
    diff.compute_with(Algorithm::Myers, before, after, count);
    match slide {
        Slide::Last => diff.postprocess_with(before, after, NoSliderHeuristic),
        Slide::Indent => diff.postprocess_with(before, after, IndentHeuristic { lines: interner }),
    }
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks()
        .map(|hunk| Edit {
            old: range(hunk.before),
            new: range(hunk.after),
        })
        .collect()
}

/// Compares two texts with new, small tokens. `imara-diff` allocates a counter for each token up to
/// the largest one.
fn compare_part(
    before: &[Token],
    after: &[Token],
    interner: &Interner<&[u8]>,
    slide: Slide,
) -> Edits {
    let mut own = Interner::new(before.len() + after.len());
    let mut intern = |tokens: &[Token]| {
        tokens
            .iter()
            .map(|token| own.intern(interner[*token]))
            .collect::<Vec<_>>()
    };
    let (before, after) = (intern(before), intern(after));
    compare(&before, &after, &own, slide)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::RngSeed;

    use super::*;

    const LINES: [&str; 8] = ["a\n", "b\n", "\n", "  c\n", "\td\n", "}\n", "e\r\n", "f"];

    fn table<'t>(lines: &[&'t str]) -> LineTable<'t> {
        LineTable::new(lines.iter().map(|line| line.as_bytes()))
    }

    /// Applies `edits` to `old` and asserts that they are in order.
    fn applied(old: &LineTable<'_>, new: &LineTable<'_>, edits: &[Edit]) -> Vec<u8> {
        let (mut lines, mut end): (Vec<&[u8]>, _) = (Vec::new(), (0, 0));
        for (index, edit) in edits.iter().enumerate() {
            assert!(!edit.old.is_empty() || !edit.new.is_empty());
            assert!(index == 0 || edit.old.start > end.0, "{edits:?}");
            assert_eq!(edit.old.start - end.0, edit.new.start - end.1, "{edits:?}");
            lines.extend(&old.lines[end.0..edit.old.start]);
            lines.extend(&new.lines[edit.new.clone()]);
            end = (edit.old.end, edit.new.end);
        }
        lines.extend(&old.lines[end.0..]);
        lines.concat()
    }

    fn budget() -> impl Strategy<Value = Budget> {
        prop_oneof![Just(Budget::default()), (0..3000_u64).prop_map(Budget)]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, rng_seed: RngSeed::Fixed(29), ..ProptestConfig::default() })]

        #[test]
        fn edits_turn_the_old_text_into_the_new_one_within_any_budget(
            old in vec(select(&LINES[..]), 0..60),
            new in vec(select(&LINES[..]), 0..60),
            budget in budget(),
            slide in select(&[Slide::Last, Slide::Indent][..]),
        ) {
            let (old, new) = (table(&old), table(&new));
            prop_assert_eq!(applied(&old, &new, &diff(&old, &new, budget, slide)), new.lines.concat());
        }

        #[test]
        fn a_few_changes_stay_a_few_edits(
            lines in vec(select(&LINES[..]), 0..80),
            (at, count, copied) in (0..80_usize, 0..5_usize, 0..5_usize),
            slide in select(&[Slide::Last, Slide::Indent][..]),
        ) {
            let mut changed = lines.clone();
            let at = at.min(lines.len());
            changed.drain(at..(at + count).min(lines.len()));
            changed.splice(at..at, lines.iter().copied().take(copied));
            let (old, new) = (table(&lines), table(&changed));
            let edits = diff(&old, &new, Budget::default(), slide);
            prop_assert_eq!(applied(&old, &new, &edits), new.lines.concat());
            let size: usize = edits.iter().map(|edit| edit.old.len() + edit.new.len()).sum();
            prop_assert!(size <= count + copied, "{:?}", edits);
        }
    }

    #[test]
    fn large_texts_are_compared_in_pieces() {
        let numbered: Vec<_> = (0..20_000)
            .map(|line| format!("{}\n", line / 2 * 2))
            .collect();
        let mut changed = numbered.clone();
        changed.insert(10, "new\n".to_owned());
        changed.remove(5_000);
        changed[15_000] = "other\n".to_owned();
        changed.push("end\n".to_owned());
        let texts =
            [&numbered, &changed].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
        let [old, new] = texts.each_ref().map(|lines| table(lines));
        let edits = diff(&old, &new, Budget(20_000_000), Slide::Last);
        assert_eq!(applied(&old, &new, &edits), new.lines.concat());
        let size: usize = edits
            .iter()
            .map(|edit| edit.old.len() + edit.new.len())
            .sum();
        assert!(size < 200, "{size}");
        // Without any budget, the changes are one edit.
        let edits = diff(&old, &new, Budget(0), Slide::Last);
        assert_eq!(
            edits,
            [Edit {
                old: 10..20_000,
                new: 10..20_001
            }]
        );
    }
}
