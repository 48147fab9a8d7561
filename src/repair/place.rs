//! Finds the place of each hunk of a section in a file. Each hunk must have exactly one place.

mod headings;

use super::chunk::{RawHunk, Reading, ReadingLine};
use super::elision::writes_elision;
use super::error::{CountMismatch, PlacementError};
use super::fitted::{FIRST_LOOSE_RUNG, HunkEffect, find_applied, fit_reading};
use super::lines::FileLines;
use super::parts::place_parts;
use super::second_match::second_match;
use super::{RepairKind, RepairLog, lost};
use crate::lines::LADDER;
use crate::plan::LineKind;

use headings::places_below;

/// The rungs in order, as indexes of [`LADDER`]: `exact`, `trailing`, `indent`, `punct` and
/// `whitespace`. Each rung is tried in the whole file before the next one, so that a strict match
/// elsewhere precedes a loose match at the stated line.
const RUNGS: [usize; 5] = [0, 1, 2, 3, 4];
/// The maximum number of places that an error contains.
const MAX_REPORTED_PLACES: usize = 8;

/// Returns the only place of `chunk`. `previous_end` is the end of the previously placed hunk.
///
/// If several readings match, the first one on the strictest rung counts. An ambiguity of this
/// reading is an error, and no later reading resolves it.
pub(super) fn place(
    file: &FileLines<'_>,
    chunk: &RawHunk<'_>,
    (previous_end, is_enveloped): (usize, bool),
    log: &mut RepairLog,
) -> Result<HunkEffect, PlacementError> {
    let mut readings = writable_readings(chunk)?;
    let restored = lost::restore_signs(file, chunk, &readings, log)?;
    let shortage = |reading: &Reading| shortage(chunk, reading);
    let cut = readings.iter().find_map(shortage);
    // Missing lines are accepted only if they can all be context.
    readings.retain(|reading| shortage(reading).is_none() || chunk.ends_in_context());
    // This reading explains the signs by the counts or by the file, so it is the first.
    readings.splice(0..0, restored);
    if let Some(cut) = cut.filter(|_| readings.is_empty()) {
        return Err(PlacementError::Truncated(cut));
    }
    // The line where the postimage of each reading already is.
    let stood = readings
        .iter()
        .map(|reading| find_applied(file, reading, log))
        .collect::<Result<Vec<_>, _>>()?;
    let mut error = PlacementError::NotFound;
    // A strict match of a later reading precedes a loose match of an earlier one.
    for rung in RUNGS {
        for (reading, stood) in readings.iter().zip(&stood) {
            if changes_nothing(reading) {
                error = PlacementError::NoChange;
                continue;
            }
            if rung >= FIRST_LOOSE_RUNG && is_uncertain(reading) {
                continue;
            }
            let at = (rung, previous_end, is_enveloped);
            if let Some(placed) = place_reading(file, chunk, (reading, *stood), at, log)? {
                return Ok(placed);
            }
        }
    }
    // Only now may a context line such as `...` represent omitted lines of the file.
    if let Some(placed) = place_elided(file, chunk, &readings, log)? {
        return Ok(placed);
    }
    // A result that is already in the file is the most useful reason, then missing lines.
    let error = cut.map_or(error, PlacementError::Truncated);
    Err(stood
        .into_iter()
        .flatten()
        .next()
        .map_or(error, PlacementError::AlreadyApplied))
}

fn changes_nothing(reading: &Reading) -> bool {
    let mut lines = reading.lines.iter();
    lines.all(|line| line.kind == LineKind::Context)
}

/// Returns whether `reading` is uncertain already: its line numbers were removed, or its entities
/// were decoded.
fn is_uncertain(reading: &Reading) -> bool {
    let mut repairs = reading.repairs.iter();
    repairs.any(|row| matches!(row, RepairKind::LineNumbers | RepairKind::Escaped))
}

/// Returns the readings of `chunk` that can be written to a file.
fn writable_readings(chunk: &RawHunk<'_>) -> Result<Vec<Reading>, PlacementError> {
    let mut readings = chunk.readings();
    // No line can follow a last line without a terminator. Lines after its `\` line can be text
    // after the hunk.
    let is_last = |two: &[ReadingLine]| two[0].is_unterminated && two[0].kind != LineKind::Deletion;
    readings.retain(|reading| !reading.lines.windows(2).any(is_last));
    if readings.is_empty() {
        return Err(PlacementError::DoubtfulTail);
    }
    // An elision marker is never written to a file.
    let has_counts =
        |reading: &Reading| !chunk.is_text && chunk.header.counts == Some(reading.counts());
    readings.retain(|reading| !writes_elision(&reading.pairs(), has_counts(reading)));
    if readings.is_empty() {
        return Err(PlacementError::Elided);
    }
    Ok(readings)
}

/// Returns the only place of `reading` under one rung. `stood` is the line where its postimage
/// already is.
fn place_reading(
    file: &FileLines<'_>,
    chunk: &RawHunk<'_>,
    (reading, stood): (&Reading, Option<usize>),
    (rung, previous_end, is_enveloped): (usize, usize, bool),
    log: &mut RepairLog,
) -> Result<Option<HunkEffect>, PlacementError> {
    let Some(starts) = find_starts(file, (chunk, is_enveloped), reading, rung, log)? else {
        return Ok(None);
    };
    let start = choose(
        file,
        chunk,
        (reading, stood),
        &starts,
        (rung, previous_end, is_enveloped),
        log,
    )?;
    match start {
        Some(start) => {
            let placed = place_at(file, chunk, (reading, start), rung, log)?;
            // As in strict mode, only a hunk with line numbers states line endings.
            let states_endings = chunk.header.counts.is_some() && !is_enveloped;
            Ok(placed.map(|placed| {
                if states_endings {
                    placed.with_stated_endings(file, reading)
                } else {
                    placed
                }
            }))
        }
        None => Ok(None),
    }
}

/// Returns the place of the first complete reading that matches with elision markers.
fn place_elided(
    file: &FileLines<'_>,
    chunk: &RawHunk<'_>,
    readings: &[Reading],
    log: &mut RepairLog,
) -> Result<Option<HunkEffect>, PlacementError> {
    for reading in readings
        .iter()
        .filter(|reading| shortage(chunk, reading).is_none())
    {
        if let Some((placed, rung)) = place_parts(file, reading, log)? {
            log.note(RepairKind::Elision, chunk.line);
            note_reading(reading, chunk, log);
            if rung > 0 {
                log.note(RepairKind::Whitespace, chunk.line);
            }
            return Ok(Some(placed));
        }
    }
    Ok(None)
}

/// Returns the lines that `reading` lacks, unless the text shows that it is complete.
fn shortage(chunk: &RawHunk<'_>, reading: &Reading) -> Option<CountMismatch> {
    chunk
        .shortage(reading.counts())
        .filter(|_| !reading.is_closed)
}

/// Returns the hunk placed at `start`; `None` if the reading is wrong or truncated there.
fn place_at(
    file: &FileLines<'_>,
    chunk: &RawHunk<'_>,
    (reading, start): (&Reading, usize),
    rung: usize,
    log: &mut RepairLog,
) -> Result<Option<HunkEffect>, PlacementError> {
    if let Some(other) = second_match(file, chunk, reading, start, log)? {
        return Err(PlacementError::Ambiguous(vec![
            other.min(start),
            other.max(start),
        ]));
    }
    // If the file does not contain the missing lines either, the hunk is complete and the count is
    // wrong.
    let is_cut = |cut: CountMismatch| {
        start + cut.stated.0 <= file.all.len() || start + reading.old().count() < file.all.len()
    };
    if is_section_of_truncated_hunk(chunk, reading, start)
        || shortage(chunk, reading).is_some_and(is_cut)
    {
        return Ok(None);
    }
    if lost::is_sign_doubtful(file, chunk, reading, start) {
        return Err(PlacementError::DoubtfulSign(chunk.line));
    }
    let placed = fit_reading(file, reading, start, rung)?;
    note_reading(reading, chunk, log);
    note_rung(rung, reading, file, start, chunk.line, log);
    Ok(Some(placed))
}

/// Returns whether `reading`, placed at `start`, uses the section text of a header as the missing
/// line of a truncated hunk. The section text then belongs to another place.
fn is_section_of_truncated_hunk(chunk: &RawHunk<'_>, reading: &Reading, start: usize) -> bool {
    let is_elsewhere = chunk
        .header
        .stated
        .is_some_and(|stated| stated != start + 1);
    let (old, new) = reading.counts();
    let is_glued = reading.repairs.contains(&RepairKind::GluedHeader)
        && reading.lines[0].kind == LineKind::Context;
    is_glued && is_elsewhere && !reading.is_closed && chunk.shortage((old - 1, new - 1)).is_some()
}

/// Records the repairs that `reading` of `chunk` contains.
fn note_reading(reading: &Reading, chunk: &RawHunk<'_>, log: &mut RepairLog) {
    for &row in &reading.repairs {
        log.note(row, chunk.line);
    }
}

fn note_rung(
    rung: usize,
    reading: &Reading,
    file: &FileLines<'_>,
    start: usize,
    line: usize,
    log: &mut RepairLog,
) {
    match rung {
        0 => {}
        1 | 4 => log.note(RepairKind::Whitespace, line),
        2 => log.note(RepairKind::Indentation, line),
        _ => log.note(RepairKind::Typography, line),
    }
    // The line matched only by its raw form, so it lost its sign.
    let is_raw = |(index, old): (usize, &ReadingLine)| {
        let (key, found) = (LADDER[rung].key, file.content(start + index));
        key(&old.text) != key(found)
    };
    if reading.old().enumerate().any(is_raw) {
        log.note(RepairKind::Markers, line);
    }
}

/// Returns the places of the preimage of `reading`, regardless of headings; `None` if there are
/// none.
fn find_starts(
    file: &FileLines<'_>,
    (chunk, is_enveloped): (&RawHunk<'_>, bool),
    reading: &Reading,
    rung: usize,
    log: &mut RepairLog,
) -> Result<Option<Vec<usize>>, PlacementError> {
    let old: Vec<_> = reading.old().collect();
    if old.is_empty() {
        let at = chunk.header.stated.unwrap_or(0);
        // A normal diff places an insertion by its line number only. `find_misnumbered` checks it.
        if chunk.is_normal {
            return Ok((at <= file.all.len()).then(|| vec![at]));
        }
        // A hunk without preimage lines has a place only in an envelope, or in an empty file.
        let has_place = is_enveloped && chunk.header.counts.is_none() || file.all.is_empty();
        return Ok(has_place.then(|| vec![file.all.len()]));
    }
    let starts = file.find_runs(&old, rung, log)?;
    Ok((!starts.is_empty()).then_some(starts))
}

/// Selects one of several places by headings, order, or the stated line; `None` if the headings
/// exclude all places.
fn choose(
    file: &FileLines<'_>,
    chunk: &RawHunk<'_>,
    (reading, stood): (&Reading, Option<usize>),
    starts: &[usize],
    (rung, previous_end, is_enveloped): (usize, usize, bool),
    log: &mut RepairLog,
) -> Result<Option<usize>, PlacementError> {
    let old = reading.old().count();
    // If the file still contains the lines to delete, the hunk is not applied yet.
    let is_pure = reading
        .lines
        .iter()
        .all(|line| line.kind != LineKind::Deletion);
    if let Some(line) = stood.filter(|_| is_pure).filter(|&line| {
        let new = reading
            .lines
            .iter()
            .filter(|line| line.kind != LineKind::Deletion)
            .count();
        starts
            .iter()
            .any(|&start| line <= start + old && start < line + new)
    }) {
        return Err(PlacementError::AlreadyApplied(line));
    }
    let mut left: Vec<usize> = match places_below(file, reading, starts, old, log)? {
        Some(left) => left,
        None => return Ok(None),
    };
    if chunk.is_at_end {
        left.retain(|&start| start + old == file.all.len());
    }
    match left[..] {
        [] => return Ok(None),
        [only] => return Ok(Some(only)),
        _ => {}
    }
    // Places that differ in indentation are equal on a loose rung, so a number decides nothing.
    if rung < FIRST_LOOSE_RUNG {
        if let Some(start) = chunk
            .header
            .stated
            .and_then(|stated| nearest_to_stated(&left, stated - 1))
        {
            return Ok(Some(start));
        }
        // As in Codex, the hunks of an envelope are in the order of the file.
        let mut later = left.iter().filter(|&&start| start >= previous_end);
        if let (true, Some(&first), None) =
            (is_enveloped && previous_end > 0, later.next(), later.next())
        {
            return Ok(Some(first));
        }
    }
    left.truncate(MAX_REPORTED_PLACES);
    Err(PlacementError::Ambiguous(left))
}

/// Returns the place that the stated line selects: the place at this line, or the nearest place if
/// all others are at least four times as far away. Models state wrong lines, so a line between two
/// places selects neither.
fn nearest_to_stated(starts: &[usize], stated: usize) -> Option<usize> {
    let mut by_distance: Vec<_> = starts
        .iter()
        .map(|&start| (start.abs_diff(stated), start))
        .collect();
    by_distance.sort_unstable();
    match by_distance[..] {
        [(0, start), ..] => Some(start),
        [(near, start), (far, _), ..] if near.saturating_mul(4) <= far => Some(start),
        _ => None,
    }
}
