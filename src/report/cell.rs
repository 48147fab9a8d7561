//! A change of a notebook cell in a report, with one entry for each changed range of the file.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::applied::LineShift;
use super::hunk::HunkReport;
use super::words::clip;
use crate::notebook::EditedCell;
use crate::plan::Operation;
use crate::preflight::FileOutcome;

/// The changed cell of a notebook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct CellReport {
    /// The index of the cell, counted from 0: after the change, or before it for a deleted cell.
    pub index: usize,
    /// The id of the cell, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl CellReport {
    pub(super) fn of(cell: &EditedCell) -> Self {
        Self {
            index: cell.index,
            id: cell.id.as_ref().map(|id| clip(id.as_bytes())),
        }
    }
}

/// Returns an entry for each changed range of the file `id`.
pub(super) fn reports(id: &str, operation: &Operation, outcome: &FileOutcome) -> Vec<HunkReport> {
    let mut growth = LineShift::default();
    let places = outcome
        .placements
        .iter()
        .zip(&outcome.edit_lines)
        .enumerate();
    let places =
        places.filter_map(|(index, (placed, &(_, new)))| Some((index, placed.as_ref().ok()?, new)));
    places
        .map(|(index, placement, new)| {
            let lines = growth.hunk_lines(&placement.lines, new);
            growth.add(&lines);
            let mut report = HunkReport::without_text(id, index, operation, lines);
            report.set_placement(placement);
            report
        })
        .collect()
}
