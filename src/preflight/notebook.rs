//! Computes a postimage from a preimage, by an edit of a notebook cell.

use super::codes::code;
use super::edit_result::{EditResult, count_changed_lines};
use super::findings::Findings;
use crate::interrupt::Interrupt;
use crate::matching;
use crate::notebook::{self, CellError};
use crate::plan::CellEdit;

/// Returns the postimage of `preimage`; `None` if the edit does not apply.
pub(super) fn postimage(
    wanted: &CellEdit,
    preimage: &[u8],
    (max_file, interrupt): (u64, &Interrupt),
    findings: &mut Findings,
) -> Option<EditResult> {
    match notebook::edit(preimage, wanted, max_file) {
        Ok(edited) => {
            let splices = edited
                .splices
                .into_iter()
                .map(|(place, new)| (place, new.into_bytes()))
                .collect();
            let (after, places) = matching::replace_at(preimage, splices);
            count_changed_lines(preimage, &after, interrupt, &mut findings.outcome);
            findings.outcome.cell = Some(Box::new(edited.cell));
            findings.outcome.edit_lines = places
                .iter()
                .map(|place| (place.edit, place.new_lines))
                .collect();
            findings.outcome.placements = places
                .into_iter()
                .map(|place| Ok(place.placement))
                .collect();
            Some(EditResult::Changed(after.into()))
        }
        Err(error) => {
            refuse(error, findings);
            None
        }
    }
}

fn refuse(error: CellError, findings: &mut Findings) {
    let (code, help) = match &error {
        CellError::NotJson(_) | CellError::Malformed(_) => (&code::NOT_A_NOTEBOOK, None),
        CellError::Unsupported(_) => (
            &code::NOTEBOOK_VERSION,
            Some("run `jupyter nbconvert --to notebook` to update it"),
        ),
        CellError::NotFound { .. } => (
            &code::CELL_NOT_FOUND,
            Some("use the id of a cell, or cell-N, counted from 0"),
        ),
        CellError::Ambiguous { .. } => (&code::CELL_AMBIGUOUS, Some("use cell-N, counted from 0")),
        CellError::DuplicateId => (
            &code::CELL_EXISTS,
            Some("use another id, or remove --new-id to get a fresh one"),
        ),
        CellError::NoIds => (&code::NO_CELL_IDS, Some("remove --new-id")),
        CellError::TooLarge => (&code::TOO_LARGE, Some("use --max-bytes to raise the limit")),
    };
    let problem = findings.error(code, error.to_string());
    problem.help = help.map(str::to_owned);
    match error {
        CellError::NotFound { cells } => problem.facts.cells = cells,
        CellError::Ambiguous { cells, lines } => {
            problem.facts.count = Some(cells.len());
            problem.lines = lines;
        }
        _ => {}
    }
}
