//! The lines where hunks were applied.

use std::ops::Range;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::matching::{Placement, Placements};
use crate::plan::{Hunk, Operation};

/// The lines of a hunk before and after the change, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct AppliedLines {
    /// The first preimage line; the line before the hunk if the preimage is empty.
    pub old_start: usize,
    /// The number of preimage lines.
    pub old_lines: usize,
    /// The first postimage line; the line before the hunk if the postimage is empty.
    pub new_start: usize,
    /// The number of postimage lines.
    pub new_lines: usize,
    /// The lines of the hunk, each after its marker ` `, `-` or `+`. Only for files that are
    /// written as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// The lines added and removed by the hunks above, which shift the postimage lines.
#[derive(Default)]
pub(super) struct LineShift {
    added: usize,
    removed: usize,
}

impl LineShift {
    /// Returns the applied lines of a hunk that replaces the lines `old`, counted from 0, by
    /// `new_lines` lines.
    pub(super) fn hunk_lines(&self, old: &Range<usize>, new_lines: usize) -> AppliedLines {
        let first = |before: usize, count: usize| if count == 0 { before } else { before + 1 };
        AppliedLines {
            old_start: first(old.start, old.len()),
            old_lines: old.len(),
            new_start: first(
                (old.start + self.added).saturating_sub(self.removed),
                new_lines,
            ),
            new_lines,
            lines: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, applied: &AppliedLines) {
        self.added += applied.new_lines;
        self.removed += applied.old_lines;
    }
}

/// Returns the applied lines of each hunk; `None` for a hunk without a placement.
pub(super) fn applied_lines(
    operation: &Operation,
    hunks: &[Hunk],
    placements: &Placements,
) -> Vec<Option<AppliedLines>> {
    let mut placed: Vec<(usize, &Placement)> = placements
        .iter()
        .enumerate()
        .filter(|(index, _)| operation.is_applied(*index))
        .filter_map(|(index, placement)| Some((index, placement.as_ref().ok()?)))
        .collect();
    placed.sort_unstable_by_key(|&(index, placement)| (placement.lines.start, index));
    let mut applied = vec![None; placements.len()];
    let mut growth = LineShift::default();
    for (index, placement) in placed {
        let Some(hunk) = hunks.get(index) else {
            continue;
        };
        let lines = growth.hunk_lines(
            &placement.lines,
            count_postimage_lines(operation, hunk, placement),
        );
        growth.add(&lines);
        applied[index] = Some(lines);
    }
    applied
}

fn count_postimage_lines(operation: &Operation, hunk: &Hunk, placement: &Placement) -> usize {
    let left_out = placement.ignored_context.0 + placement.ignored_context.1;
    hunk.postimage_range(operation.direction)
        .count
        .saturating_sub(left_out)
}
