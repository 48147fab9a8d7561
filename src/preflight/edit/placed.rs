//! Where hunks go, and how many lines they change.

use crate::lines::LineIndex;
use crate::matching::{self, Placements, Rules, Spliced};
use crate::plan::{Anchor, Hunk, LineKind, Operation};
use crate::threads::both;

/// The places of the hunks of a file.
pub(super) struct Placed {
    pub(super) placements: Placements,
    /// What they make of the preimage, where that is known already.
    pub(super) overlaid: Option<Spliced>,
    /// How many lines they add and remove.
    pub(super) counted: (usize, usize),
}

impl Placed {
    /// Places the hunks, and counts their lines at the same time.
    pub(super) fn new(
        operation: &Operation,
        patch: (&[u8], &[Hunk]),
        file: &LineIndex<'_>,
        rules: &Rules,
    ) -> Self {
        let (text, hunks) = patch;
        let place = || match overlaid(operation, patch, file.text(), rules) {
            Some((placements, spliced)) => (placements, Some(spliced)),
            None => (
                matching::place(file, text, hunks, operation.direction, rules),
                None,
            ),
        };
        let size = hunks
            .iter()
            .map(|hunk| hunk.body.end - hunk.body.start)
            .sum();
        let ((placements, overlaid), counted) = both(size, place, || counted(operation, text));
        Self {
            placements,
            overlaid,
            counted,
        }
    }
}

/// Places the hunks one over the other where they may overlap, and returns what that makes of
/// `preimage`; of a choice of them nobody could tell what it leaves.
fn overlaid(
    operation: &Operation,
    (text, hunks): (&[u8], &[Hunk]),
    preimage: &[u8],
    rules: &Rules,
) -> Option<(Placements, Spliced)> {
    let may = rules.allow_overlap && operation.left_out.is_empty();
    (may && hunks.iter().all(|hunk| hunk.anchor == Anchor::Line))
        .then(|| matching::overlay(preimage, (text, hunks), operation.direction, rules))
}

/// Returns how many lines the operation adds and removes.
pub(in crate::preflight) fn counted(operation: &Operation, text: &[u8]) -> (usize, usize) {
    let (mut added, mut removed) = (0, 0);
    let mut count = |kind, lines| match kind {
        LineKind::Insertion => added += lines,
        LineKind::Deletion => removed += lines,
        LineKind::Context => {}
    };
    for hunk in operation.hunks() {
        match hunk.one_kind(text, operation.direction) {
            Some((kind, lines)) => count(kind, lines),
            None => hunk
                .lines(text, operation.direction)
                .for_each(|line| count(line.kind, 1)),
        }
    }
    (added, removed)
}
