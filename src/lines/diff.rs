//! Computes the edit script between two texts with Myers' algorithm, then positions each change
//! like git.
//!
//! The result is the shortest edit script if it has few changes. Texts with more changes are first
//! divided at runs of lines that occur once in both (`anchors.rs`), and each part then has the
//! shortest edit script. For such texts, git takes the longest path found so far instead. That path
//! can align a line of one text with a line of the other text at another place. Lines that
//! [`LineNumbers`] excludes from the comparison count as changed.

use std::ops::Range;

use super::align::{Alignment, align};
use super::edits::{Budget, Edit, Edits};
use super::numbers::{ComparedLines, LineNumbers};
use super::shortest_edits::SequencePair;
use super::slide::{ComparedText, SlidePosition, edits, slide};
use super::table::LineTable;
use crate::interrupt::Interrupt;

/// Returns the changes from `old` to `new`.
///
/// The result is always a complete edit script. After `budget` is used up, the remaining changes
/// are larger than necessary.
pub(crate) fn diff(
    old: &LineTable<'_>,
    new: &LineTable<'_>,
    budget: Budget,
    slide: SlidePosition,
) -> Edits {
    align_lines(old, new, budget, slide).edits
}

/// Returns the same changes as [`diff`] with the default budget. Returns `None` soon after
/// `interrupt` is raised.
pub(crate) fn diff_until_raised(
    old: &LineTable<'_>,
    new: &LineTable<'_>,
    slide: SlidePosition,
    interrupt: &Interrupt,
) -> Option<Edits> {
    let alignment = align_until_raised(old, new, (Budget::default(), slide), interrupt)?;
    Some(alignment.edits)
}

/// Returns the changes from `old` to `new`, and the parts that `budget` does not suffice to
/// compare.
pub(super) fn align_lines(
    old: &LineTable<'_>,
    new: &LineTable<'_>,
    budget: Budget,
    position: SlidePosition,
) -> Alignment {
    align_until_raised(old, new, (budget, position), Interrupt::never())
        .expect("BUG: the interrupt is never raised")
}

/// Returns the same as [`align_lines`], or `None` soon after `interrupt` is raised.
fn align_until_raised(
    old: &LineTable<'_>,
    new: &LineTable<'_>,
    (budget, position): (Budget, SlidePosition),
    interrupt: &Interrupt,
) -> Option<Alignment> {
    let numbers = LineNumbers::new(old, new, interrupt)?;
    let all = Edit {
        old: 0..old.lines.len(),
        new: 0..new.lines.len(),
    };
    let core = SequencePair {
        old: &numbers.old,
        new: &numbers.new,
    }
    .without_common_ends(&all);
    // The occurrences of a line decide whether the line is frequent. `git merge-file` counts them
    // in the whole texts.
    let counted = match position {
        SlidePosition::Last => &all,
        // The result must not depend on the lines that both texts have at their ends.
        SlidePosition::Indent => &core,
    };
    let [before, after] = &numbers.compared(&core, counted);
    interrupt.check().ok()?;
    let mut found = align(
        &SequencePair {
            old: &before.numbers,
            new: &after.numbers,
        },
        budget,
        interrupt,
    )?;
    // `align` returns indexes into the compared lines. Everything after it needs line numbers.
    for part in &mut found.unaligned {
        part.old = before.lines(&part.old);
        part.new = after.lines(&part.new);
    }
    let changed = |edit: fn(&Edit) -> &Range<usize>| found.edits.iter().map(edit);
    let mut old = ComparedText {
        lines: &old.lines,
        numbers: &numbers.old,
        changed: changed_lines(old.lines.len(), core.old, before, changed(|edit| &edit.old)),
    };
    let mut new = ComparedText {
        lines: &new.lines,
        numbers: &numbers.new,
        changed: changed_lines(new.lines.len(), core.new, after, changed(|edit| &edit.new)),
    };
    interrupt.check().ok()?;
    slide(&mut old, &mut new, position);
    interrupt.check().ok()?;
    found.edits = edits(&old.changed, &new.changed);
    Some(found)
}

/// Returns whether each of `count` lines is changed: the lines of `core` that are not compared, and
/// the compared lines of the edits.
fn changed_lines<'e>(
    count: usize,
    core: Range<usize>,
    compared: &ComparedLines,
    edits: impl Iterator<Item = &'e Range<usize>>,
) -> Vec<bool> {
    let mut changed = vec![false; count];
    changed[core].fill(true);
    for &line in &compared.lines {
        changed[line] = false;
    }
    for edit in edits {
        for &line in &compared.lines[edit.clone()] {
            changed[line] = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::lines::align::shortest_edits;

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

    /// Returns the number of changed lines.
    fn size(edits: &[Edit]) -> usize {
        edits
            .iter()
            .map(|edit| edit.old.len() + edit.new.len())
            .sum()
    }

    fn budget() -> impl Strategy<Value = Budget> {
        prop_oneof![Just(Budget::default()), (0..3000_u64).prop_map(Budget)]
    }

    #[test]
    fn a_raised_interrupt_leaves_no_changes() {
        let (old, new) = (table(&["a\n", "b\n"]), table(&["b\n"]));
        let interrupt = Interrupt::new();
        let changes = || diff_until_raised(&old, &new, SlidePosition::Last, &interrupt);
        assert_eq!(changes().map(|edits| edits.len()), Some(1));
        interrupt.raise(15);
        assert_eq!(changes(), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, rng_seed: RngSeed::Fixed(29), ..ProptestConfig::default() })]

        #[test]
        fn edits_turn_the_old_text_into_the_new_one_within_any_budget(
            old in vec(select(&LINES[..]), 0..60),
            new in vec(select(&LINES[..]), 0..60),
            budget in budget(),
            slide in select(&[SlidePosition::Last, SlidePosition::Indent][..]),
        ) {
            let (old, new) = (table(&old), table(&new));
            prop_assert_eq!(applied(&old, &new, &diff(&old, &new, budget, slide)), new.lines.concat());
        }

        /// Lines that are missing in the other text decide which frequent lines are not compared.
        #[test]
        fn texts_of_the_same_lines_have_the_shortest_edit_script(
            old in vec(select(&LINES[..4]), 0..80),
            new in vec(select(&LINES[..4]), 0..80),
        ) {
            let all = &LINES[..4];
            let [old, new] = [old, new].map(|lines| table(&[all, &lines[..]].concat()));
            let numbers = LineNumbers::new(&old, &new, Interrupt::never()).unwrap();
            let shortest = shortest_edits(&SequencePair { old: &numbers.old, new: &numbers.new });
            prop_assert_eq!(size(&diff(&old, &new, Budget::default(), SlidePosition::Last)), size(&shortest));
        }

        #[test]
        fn a_few_changes_stay_a_few_edits(
            lines in vec(select(&LINES[..]), 0..80),
            (at, count, copied) in (0..80_usize, 0..5_usize, 0..5_usize),
            slide in select(&[SlidePosition::Last, SlidePosition::Indent][..]),
        ) {
            let mut changed = lines.clone();
            let at = at.min(lines.len());
            changed.drain(at..(at + count).min(lines.len()));
            changed.splice(at..at, lines.iter().copied().take(copied));
            let (old, new) = (table(&lines), table(&changed));
            let edits = diff(&old, &new, Budget::default(), slide);
            prop_assert_eq!(applied(&old, &new, &edits), new.lines.concat());
            prop_assert!(size(&edits) <= count + copied, "{:?}", edits);
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
        let edits = diff(&old, &new, Budget(20_000_000), SlidePosition::Last);
        assert_eq!(applied(&old, &new, &edits), new.lines.concat());
        assert!(size(&edits) < 200, "{}", size(&edits));
        // Without any budget, all lines between the first and the last one that both texts have and
        // that changed are one edit.
        let edits = diff(&old, &new, Budget(0), SlidePosition::Last);
        assert_eq!(applied(&old, &new, &edits), new.lines.concat());
        assert_eq!(
            edits,
            [
                Edit {
                    old: 10..10,
                    new: 10..11
                },
                Edit {
                    old: 4_999..15_001,
                    new: 5_000..15_001
                },
                Edit {
                    old: 20_000..20_000,
                    new: 20_000..20_001
                }
            ]
        );
    }
}
