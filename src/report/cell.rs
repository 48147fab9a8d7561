//! A change of a cell in a report, one entry for each place of the file.

use schemars::JsonSchema;
use serde::Serialize;

use super::hunk::{AppliedLines, HunkReport, HunkStatus, Source, StatedLines};
use super::words::clipped;
use crate::notebook::EditedCell;
use crate::plan::Operation;
use crate::preflight::FileOutcome;

/// The cell of a notebook that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CellReport {
    /// Its place among the cells, counted from 0: afterwards, or before if it goes.
    pub index: usize,
    /// Its id, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl CellReport {
    pub(super) fn of(cell: &EditedCell) -> Self {
        Self { index: cell.index, id: cell.id.as_ref().map(|id| clipped(id.as_bytes())) }
    }
}

/// Reports the places of the file `id`.
pub(super) fn reports(id: &str, operation: &Operation, outcome: &FileOutcome) -> Vec<HunkReport> {
    let (mut added, mut removed) = (0, 0);
    let places = outcome.placements.iter().zip(&outcome.texts).enumerate();
    let places = places.filter_map(|(index, (placed, &(_, new)))| Some((index, placed.as_ref().ok()?, new)));
    places
        .map(|(index, placement, new)| {
            let old = placement.lines.len();
            let first = |before: usize, count: usize| if count == 0 { before } else { before + 1 };
            let lines = AppliedLines {
                old_start: first(placement.lines.start, old),
                old_lines: old,
                new_start: first((placement.lines.start + added).saturating_sub(removed), new),
                new_lines: new,
            };
            added += new;
            removed += old;
            let mut report = unplaced(format!("{id}h{}", index + 1), operation, lines);
            report.place(placement);
            report
        })
        .collect()
}

/// The entry of a change that no text says: it stands nowhere, and states what it comes to.
fn unplaced(id: String, operation: &Operation, lines: AppliedLines) -> HunkReport {
    let (old_lines, new_lines) = (lines.old_lines, lines.new_lines);
    HunkReport {
        id,
        status: HunkStatus::Unplaced,
        rung: None,
        offset: None,
        fuzz: None,
        patch: StatedLines { old_start: None, old_lines, new_start: None, new_lines, section: String::new() },
        applied: Some(lines),
        source: Source { input: operation.input, byte_start: 0, byte_end: 0, line_start: 1, line_end: 1 },
        candidates: Vec::new(),
        expected: Vec::new(),
        nearest: None,
    }
}
