//! Places readings with gaps.

use super::RepairLog;
use super::chunk::{Reading, ReadingLine};
use super::elision::{changes_around, has_ambiguous_changes, is_elision};
use super::error::PlacementError;
use super::fitted::{HunkEffect, find_applied, fit_reading};
use super::lines::FileLines;
use crate::plan::LineKind;

/// The rungs for the lines between gaps, as indexes of [`LADDER`](crate::lines::LADDER): `exact`
/// and `trailing`. A gap makes a place less certain, so looser rungs are not tried.
const RUNGS: [usize; 2] = [0, 1];

/// Places a reading with gaps. Each part between gaps must have exactly one place in the whole
/// file, and the places must be in order. Returns `None` if the reading has no gaps, or a part has
/// no place.
///
/// Line numbers and distances do not decide, because the length of a gap is unknown. The second
/// value is the loosest rung that a part needs.
pub(super) fn place_parts(
    file: &FileLines<'_>,
    reading: &Reading,
    log: &mut RepairLog,
) -> Result<Option<(HunkEffect, usize)>, PlacementError> {
    let is_gap = |line: &ReadingLine| line.kind == LineKind::Context && is_elision(&line.text);
    if !reading.headings.is_empty() || !reading.lines.iter().any(is_gap) {
        return Ok(None);
    }
    // A gap between a deletion and another change is ambiguous. The omitted lines may be deleted
    // too, or may be elsewhere.
    let lines = &reading.lines;
    let kind = |line: &ReadingLine| line.kind;
    if (0..lines.len()).any(|at| {
        is_gap(&lines[at]) && has_ambiguous_changes(changes_around(lines, at, kind), kind)
    }) {
        return Ok(None);
    }
    let (mut whole, mut loosest): (Option<HunkEffect>, usize) = (None, 0);
    for lines in lines.split(is_gap).filter(|lines| !lines.is_empty()) {
        // Only readings without headings have gaps. The caller reports the repair.
        let part = Reading {
            lines: lines.to_vec(),
            headings: Vec::new(),
            repairs: Vec::new(),
            is_closed: true,
        };
        let Some((placed, rung)) = place_part(file, &part, log)? else {
            return Ok(None);
        };
        loosest = loosest.max(rung);
        match &mut whole {
            None => whole = Some(placed),
            Some(before) if before.lines.end <= placed.lines.start => {
                before.lines.end = placed.lines.end;
                before.deletions.extend(placed.deletions);
                before.insertions.extend(placed.insertions);
            }
            Some(_) => return Ok(None),
        }
    }
    let whole =
        whole.filter(|placed| !placed.deletions.is_empty() || !placed.insertions.is_empty());
    Ok(whole.map(|placed| (placed, loosest)))
}

/// Returns the only place of the part between two gaps, and its rung.
fn place_part(
    file: &FileLines<'_>,
    part: &Reading,
    log: &mut RepairLog,
) -> Result<Option<(HunkEffect, usize)>, PlacementError> {
    let old: Vec<_> = part.old().collect();
    // Blank lines occur everywhere, so they place nothing.
    if old.iter().all(|line| line.text.trim_ascii().is_empty()) {
        return Ok(None);
    }
    for rung in RUNGS {
        let starts = file.find_runs(&old, rung, log)?;
        match starts[..] {
            [] => {}
            [start] => {
                // A part that only inserts can still match after it was applied.
                let is_pure = part
                    .lines
                    .iter()
                    .all(|line| line.kind != LineKind::Deletion);
                return match find_applied(file, part, log)?.filter(|_| is_pure) {
                    Some(line) => Err(PlacementError::AlreadyApplied(line)),
                    None => fit_reading(file, part, start, rung).map(|placed| Some((placed, rung))),
                };
            }
            _ => return Err(PlacementError::Ambiguous(starts)),
        }
    }
    Ok(None)
}
