//! The lines where hunks were applied.

use std::ops::Range;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::matching::{Placement, Placements};
use crate::plan::{Hunk, Operation};

/// The lines that a hunk header names, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct AppliedLines {
    /// First line of the preimage; the line before it for an empty run.
    pub old_start: usize,
    /// Lines of the preimage.
    pub old_lines: usize,
    /// First line of the postimage; the line before it for an empty run.
    pub new_start: usize,
    /// Lines of the postimage.
    pub new_lines: usize,
    /// What goes and comes there with the lines around it, each behind its ` `, `-` or `+`; of
    /// files that are written as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// What the hunks that went further up added and removed: new lines stand behind their growth.
#[derive(Default)]
pub(super) struct Growth {
    added: usize,
    removed: usize,
}

impl Growth {
    /// Returns where a hunk went that has the lines `old` of the file, counted from 0, and
    /// `new_lines` instead.
    pub(super) fn applied(&self, old: &Range<usize>, new_lines: usize) -> AppliedLines {
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

/// Returns where each hunk went, old and new lines.
pub(super) fn applied_lines(
    operation: &Operation,
    hunks: &[Hunk],
    placements: &Placements,
) -> Vec<Option<AppliedLines>> {
    let mut placed: Vec<(usize, &Placement)> = placements
        .iter()
        .enumerate()
        .filter(|(index, _)| operation.takes(*index))
        .filter_map(|(index, placement)| Some((index, placement.as_ref().ok()?)))
        .collect();
    placed.sort_by_key(|(_, placement)| placement.lines.start);
    let mut applied = vec![None; placements.len()];
    let mut growth = Growth::default();
    for (index, placement) in placed {
        let Some(hunk) = hunks.get(index) else {
            continue;
        };
        let lines = growth.applied(&placement.lines, new_count(operation, hunk, placement));
        growth.add(&lines);
        applied[index] = Some(lines);
    }
    applied
}

fn new_count(operation: &Operation, hunk: &Hunk, placement: &Placement) -> usize {
    let left_out = placement.left_out.0 + placement.left_out.1;
    hunk.postimage_range(operation.direction)
        .count
        .saturating_sub(left_out)
}
