//! Computes a postimage from a preimage, by an edit of a notebook cell.

use super::codes::code;
use super::edited::{Edited, compare};
use super::findings::Findings;
use crate::matching;
use crate::notebook::{self, CellError};
use crate::plan::CellEdit;

/// Returns the postimage of `preimage`; `None` if the edit does not apply.
pub(super) fn postimage(
    wanted: &CellEdit,
    preimage: &[u8],
    max_file: u64,
    findings: &mut Findings,
) -> Option<Edited> {
    match notebook::edit(preimage, wanted, max_file) {
        Ok(edited) => {
            let splices = edited
                .splices
                .into_iter()
                .map(|(place, new)| (place, new.into_bytes()))
                .collect();
            let (after, places) = matching::replace_at(preimage, splices);
            compare(preimage, &after, &mut findings.outcome);
            findings.outcome.cell = Some(Box::new(edited.cell));
            findings.outcome.texts = places
                .iter()
                .map(|place| (place.edit, place.new_lines))
                .collect();
            findings.outcome.placements = places
                .into_iter()
                .map(|place| Ok(place.placement))
                .collect();
            Some(Edited::Changed(after.into()))
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
            Some("`jupyter nbconvert --to notebook` brings it up to date"),
        ),
        CellError::NotFound { .. } => (
            &code::CELL_NOT_FOUND,
            Some("name a cell by its id, or as cell-N, counted from 0"),
        ),
        CellError::Ambiguous { .. } => (
            &code::CELL_AMBIGUOUS,
            Some("name the cell as cell-N, counted from 0"),
        ),
        CellError::Taken => (
            &code::CELL_EXISTS,
            Some("without --new-id the cell gets a fresh one"),
        ),
        CellError::NoIds => (&code::NO_CELL_IDS, Some("leave --new-id out")),
        CellError::TooLarge => (&code::TOO_LARGE, Some("--max-bytes raises the limit")),
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
