//! Places hunks and counts the lines that they change.

use crate::lines::LineOffsets;
use crate::matching::{self, MatchRules, Placements, SplicedFile};
use crate::plan::{self, Anchor, Hunk, Operation};
use crate::threads::{run_both, run_both_mut};

/// The placements of the hunks of one file.
pub(super) struct HunkPlacements<'p> {
    pub(super) file: LineOffsets<'p>,
    pub(super) placements: Placements,
    /// The postimage, if the placement already computed it.
    pub(super) overlaid: Option<SplicedFile>,
    /// The numbers of added and removed lines.
    pub(super) counted: (usize, usize),
}

impl<'p> HunkPlacements<'p> {
    /// Places the hunks and counts their lines. For a large patch, both run in parallel. Returns
    /// `None` if the interrupt of `rules` is raised.
    pub(super) fn new(
        operation: &Operation,
        patch: (&[u8], &[Hunk]),
        preimage: &'p [u8],
        rules: &MatchRules,
    ) -> Option<Self> {
        let (text, hunks) = patch;
        let place = || {
            let file = LineOffsets::with_runner(preimage, run_both_mut, &rules.interrupt)?;
            let (placements, overlaid) = match overlay_hunks(operation, patch, preimage, rules) {
                Some((placements, spliced)) => (placements, Some(spliced)),
                None => (
                    matching::place_hunks(&file, text, hunks, operation.direction, rules),
                    None,
                ),
            };
            Some((file, placements, overlaid))
        };
        let size = hunks
            .iter()
            .map(|hunk| hunk.body.end - hunk.body.start)
            .sum();
        let count = || {
            let hunks = rules.interrupt.take_until_raised(operation.hunks());
            plan::count_changes(hunks, text, operation.direction)
        };
        let (placed, counted) = run_both(size, place, count);
        let (file, placements, overlaid) = placed?;
        (!rules.interrupt.is_raised()).then_some(Self {
            file,
            placements,
            overlaid,
            counted,
        })
    }
}

/// Places hunks that may overlap and returns the placements and the postimage. Returns `None` if
/// overlaps are not allowed, a hunk is left out, an anchor is not [`Anchor::Line`], or the interrupt
/// is raised.
///
/// A hunk can match lines that an overlapping hunk wrote. Without that hunk the result would be
/// undefined, so no hunk may be left out.
fn overlay_hunks(
    operation: &Operation,
    (text, hunks): (&[u8], &[Hunk]),
    preimage: &[u8],
    rules: &MatchRules,
) -> Option<(Placements, SplicedFile)> {
    let may = rules.allow_overlap && operation.left_out.is_empty();
    let may = may && hunks.iter().all(|hunk| hunk.anchor == Anchor::Line);
    may.then(|| matching::overlay(preimage, (text, hunks), operation.direction, rules))?
}

/// Returns the numbers of lines that the operation adds and removes.
pub(in crate::preflight) fn count_changes(operation: &Operation, text: &[u8]) -> (usize, usize) {
    plan::count_changes(operation.hunks(), text, operation.direction)
}
