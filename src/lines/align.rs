//! Aligns two sequences with the shortest edit script, within a budget.

use super::anchors::{anchors, find_unique_elements};
use super::edits::{Budget, Edit, Edits, append_edit};
use super::shortest_edits::{MiddleSearch, SequencePair};
use crate::interrupt::Interrupt;

/// The number of steps that the search for anchors takes for each element.
const COST_OF_DIVISION: u64 = 16;

/// The number of changes from each end for which git searches the shortest edit script
/// (`XDL_HEUR_MIN_COST`).
///
/// For more changes, git takes the longest path that it has found so far, even if the end of that
/// path is not on a shortest path. Lines after that point can then be aligned with lines at another
/// place.
const FEW_CHANGES: usize = 256;

/// The changes from one sequence to another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alignment {
    /// The edit script.
    pub(crate) edits: Edits,
    /// The parts that the budget does not suffice to compare, in order. All elements of such a part
    /// count as changed, so one of the edits covers it.
    pub(crate) unaligned: Edits,
}

impl Alignment {
    /// Returns whether every part that was not compared is away from all of `edits`: at least one
    /// unchanged element separates them.
    pub(super) fn is_aligned(&self, edits: &[Edit]) -> bool {
        edits.iter().all(|edit| {
            let before = |part: &Edit| part.old.end < edit.old.start;
            let next = self.unaligned.partition_point(before);
            let next = self.unaligned.get(next);
            next.is_none_or(|part| part.old.start > edit.old.end)
        })
    }
}

/// Returns the shortest edit script from the first sequence to the second.
pub(crate) fn shortest_edits(pair: &SequencePair<'_>) -> Edits {
    Aligner::new(pair, Budget(u64::MAX))
        .align(SearchEffort::Unlimited, Interrupt::never())
        .expect("BUG: the interrupt is never raised")
        .edits
}

/// Returns the changes from the first sequence to the second.
///
/// The edit script is the shortest one if it has few changes. A part with more changes is first
/// divided at its anchors. Returns `None` soon after `interrupt` is raised.
pub(super) fn align(
    pair: &SequencePair<'_>,
    budget: Budget,
    interrupt: &Interrupt,
) -> Option<Alignment> {
    Aligner::new(pair, budget).align(SearchEffort::Few, interrupt)
}

/// A part of both sequences that must still be compared.
struct PendingRange {
    range: Edit,
    search: SearchEffort,
}

/// The search for a point of a shortest path through a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchEffort {
    /// A few changes from each end, as many as git allows.
    Few,
    /// As many changes as the budget allows.
    Many,
    /// As many changes as necessary, without a limit. The part begins or ends at a point of a
    /// shortest path through a larger part. The search for that point took about as many steps as
    /// the search in this part takes.
    Unlimited,
}

struct Aligner<'p> {
    pair: &'p SequencePair<'p>,
    search: MiddleSearch,
    budget: u64,
    /// The parts that were not compared yet. This is a stack: the next part is the last element.
    waiting: Vec<PendingRange>,
    /// The number of elements in the waiting parts that share the budget.
    elements: usize,
    found: Alignment,
}

impl<'p> Aligner<'p> {
    fn new(pair: &'p SequencePair<'p>, Budget(budget): Budget) -> Self {
        Self {
            pair,
            search: MiddleSearch::new(pair),
            budget,
            waiting: Vec::new(),
            elements: 0,
            found: Alignment::default(),
        }
    }

    /// Aligns both sequences as a whole, at first with `search`. Returns `None` soon after `interrupt`
    /// is raised.
    fn align(mut self, search: SearchEffort, interrupt: &Interrupt) -> Option<Alignment> {
        let all = Edit {
            old: 0..self.pair.old.len(),
            new: 0..self.pair.new.len(),
        };
        self.add(all, search);
        while let Some(part) = self.waiting.pop() {
            interrupt.check().ok()?;
            self.align_part(part);
        }
        Some(self.found)
    }

    /// Adds a part that must be compared before the waiting ones.
    fn add(&mut self, range: Edit, search: SearchEffort) {
        if search != SearchEffort::Unlimited {
            self.elements += range.old.len() + range.new.len();
        }
        self.waiting.push(PendingRange { range, search });
    }

    fn align_part(&mut self, PendingRange { range, search }: PendingRange) {
        let core = self.pair.without_common_ends(&range);
        let (most, limit) = match search {
            SearchEffort::Few => (FEW_CHANGES, self.take_share(&range)),
            SearchEffort::Many => (usize::MAX, self.take_share(&range)),
            SearchEffort::Unlimited => (usize::MAX, u64::MAX),
        };
        if core.old.is_empty() && core.new.is_empty() {
            return;
        }
        if core.old.is_empty() || core.new.is_empty() {
            append_edit(&mut self.found.edits, core);
            return;
        }
        let mut left = limit;
        let middle = self
            .search
            .find_middle(&self.pair.part(&core), most, &mut left);
        self.budget = self.budget.saturating_sub(limit - left);
        match (middle, search) {
            (Some((x, y)), _) => {
                let (x, y) = (core.old.start + x, core.new.start + y);
                // Edits are appended in order, so the first half must be the top of the stack.
                for (old, new) in [
                    (x..core.old.end, y..core.new.end),
                    (core.old.start..x, core.new.start..y),
                ] {
                    self.add(Edit { old, new }, SearchEffort::Unlimited);
                }
            }
            (None, SearchEffort::Few) => {
                if let Err(core) = self.divide(core, anchors) {
                    self.add(core, SearchEffort::Many);
                }
            }
            // The budget does not suffice. Pairs of unique elements still divide the part cheaply.
            (None, _) => {
                if let Err(core) = self.divide(core, find_unique_elements) {
                    self.found.unaligned.push(core.clone());
                    append_edit(&mut self.found.edits, core);
                }
            }
        }
    }

    /// Returns the number of steps that a search in `part` may take, and removes the part from the
    /// parts that share the budget. Half of its share is left for the parts before and after the
    /// point.
    fn take_share(&mut self, part: &Edit) -> u64 {
        let elements = part.old.len() + part.new.len();
        let share = u128::from(self.budget) * elements as u128 / self.elements.max(1) as u128;
        self.elements -= elements;
        u64::try_from(share / 2).unwrap_or(self.budget)
    }

    /// Divides a part at the pairs of elements that `search` finds. Returns the part as an error if
    /// there are none, or if the budget does not suffice.
    fn divide(
        &mut self,
        core: Edit,
        search: fn(&SequencePair<'_>) -> Vec<(usize, usize)>,
    ) -> Result<(), Edit> {
        let cost = COST_OF_DIVISION * (core.old.len() + core.new.len()) as u64;
        if cost > self.budget {
            return Err(core);
        }
        self.budget -= cost;
        let anchors = search(&self.pair.part(&core));
        if anchors.is_empty() {
            return Err(core);
        }
        // Add the parts from the end to the start, because the next part is the last one added.
        let (mut old, mut new) = (core.old.end, core.new.end);
        for (x, y) in anchors.into_iter().rev() {
            let (x, y) = (core.old.start + x, core.new.start + y);
            if x + 1 < old || y + 1 < new {
                let part = Edit {
                    old: x + 1..old,
                    new: y + 1..new,
                };
                self.add(part, SearchEffort::Few);
            }
            (old, new) = (x, y);
        }
        let first = Edit {
            old: core.old.start..old,
            new: core.new.start..new,
        };
        self.add(first, SearchEffort::Few);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
