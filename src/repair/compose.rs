//! Computes the new content of a file from placed hunks.

use std::ops::Range;

use super::bodies::{BodyCandidate, find_bodies};
use super::chunk::RawHunk;
use super::error::PlacementError;
use super::fitted::{HunkEffect, InsertedLine};
use super::line::Line;
use super::lines::FileLines;
use super::place::place;
use super::read::{EndingSource, Section};
use super::rows::read_cost;
use super::{RepairKind, RepairLog};
use crate::plan::LineKind;
use crate::text::{BYTE_ORDER_MARK, LineEnding, lines, without_ending};

/// Returns the new content if every hunk has exactly one place. First, all hunks are placed in the
/// original file. If that fails, each hunk is placed in the result of the previous hunks.
///
/// # Errors
///
/// Returns the indexes of the hunks without a place, with the reasons.
pub(super) fn compose(
    section: &Section<'_>,
    content: &[u8],
    log: &mut RepairLog,
) -> Result<Vec<u8>, Vec<(usize, PlacementError)>> {
    if section.hunks.is_empty() {
        return Ok(content.to_vec());
    }
    let mut tried = log.fork();
    let errors = match compose_at_once(section, content, &mut tried) {
        Ok(after) => {
            log.adopt(tried);
            return Ok(after);
        }
        Err(errors) => errors,
    };
    log.adopt_work(&tried);
    // A later hunk can have context that an earlier hunk inserts. Hunks of a normal diff have no
    // context that would show this.
    let mut tried = log.fork();
    if section.hunks.len() > 1
        && !section.hunks[0].is_normal
        && errors
            .iter()
            .all(|(_, error)| *error == PlacementError::NotFound)
        && let Some(after) = compose_in_turn(section, content, &mut tried)
    {
        tried.note(RepairKind::Order, section.line);
        log.adopt(tried);
        return Ok(after);
    }
    Err(errors)
}

/// The maximum number of earlier hunks that are compared with a hunk to find duplicates.
const MAX_COMPARED_HUNKS: usize = 64;

/// Places all hunks in the original file.
fn compose_at_once(
    section: &Section<'_>,
    content: &[u8],
    log: &mut RepairLog,
) -> Result<Vec<u8>, Vec<(usize, PlacementError)>> {
    let file = FileLines::of(content, log).map_err(|error| vec![(0, error)])?;
    let (mut placed, mut errors) = (Vec::new(), Vec::new());
    // The end of the previous hunk. A hunk above it is out of order.
    let mut previous_end = 0;
    for (index, chunk) in section.hunks.iter().enumerate() {
        match place(&file, chunk, (previous_end, section.is_enveloped), log) {
            Ok(one) => {
                if one.lines.start < previous_end {
                    log.note(RepairKind::Order, chunk.line);
                }
                note_header(chunk, &one, log);
                previous_end = one.lines.end;
                placed.push(one);
            }
            Err(error) => errors.push((index, error)),
        }
    }
    if errors.is_empty() {
        errors.extend(
            find_misnumbered(section, &placed).map(|index| (index, PlacementError::NotFound)),
        );
    }
    if errors.is_empty() && has_conflict(&placed) {
        // Any of the hunks can be wrong, so the last one carries the error.
        errors.push((section.hunks.len() - 1, PlacementError::Overlap));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(splice(&file, &placed))
}

/// Returns whether two of the hunks cannot both be right at their places.
fn has_conflict(placed: &[HunkEffect]) -> bool {
    let mut gone: Vec<_> = placed.iter().flat_map(|one| &one.deletions).collect();
    let count = gone.len();
    gone.sort_unstable();
    gone.dedup();
    // No hunk may delete a line that another hunk keeps as context.
    let is_cut = |one: &HunkEffect| {
        let from = gone.partition_point(|&&at| at < one.lines.start);
        let until = gone.partition_point(|&&at| at < one.lines.end);
        until - from != one.deletions.len()
    };
    // Two hunks with the same change at the same place: one of them is redundant, or belongs to
    // another place.
    let is_twin = |(index, one): (usize, &HunkEffect)| {
        let is_same = |other: &HunkEffect| {
            other.insertions == one.insertions
                && (other.lines == one.lines || !one.insertions.is_empty())
        };
        placed[..index]
            .iter()
            .rev()
            .take(MAX_COMPARED_HUNKS)
            .any(is_same)
    };
    gone.len() < count || placed.iter().any(is_cut) || placed.iter().enumerate().any(is_twin)
}

/// Returns the index of an insertion of a normal diff, if another hunk shows that the line numbers
/// belong to another version of the file. For example, `2c2` matches at line 7, so that nothing is
/// known about the line of `9a10`.
fn find_misnumbered(section: &Section<'_>, placed: &[HunkEffect]) -> Option<usize> {
    let is_off = |(chunk, one): (&RawHunk<'_>, &HunkEffect)| {
        !one.lines.is_empty()
            && chunk
                .header
                .stated
                .is_some_and(|stated| stated != one.lines.start + 1)
    };
    let is_off = section.hunks.iter().zip(placed).any(is_off);
    let is_loose =
        |(_, one): &(usize, &HunkEffect)| section.hunks[0].is_normal && one.lines.is_empty();
    placed
        .iter()
        .enumerate()
        .find(is_loose)
        .filter(|_| is_off)
        .map(|(index, _)| index)
}

/// Places each hunk in the result of the previous hunks.
fn compose_in_turn(section: &Section<'_>, content: &[u8], log: &mut RepairLog) -> Option<Vec<u8>> {
    let mut content = content.to_vec();
    for chunk in &section.hunks {
        let file = FileLines::of(&content, log).ok()?;
        let one = place(&file, chunk, (0, section.is_enveloped), log).ok()?;
        content = splice(&file, &[one]);
    }
    Some(content)
}

/// Records the counts in the header of a hunk if they differ from its numbers of old and new lines.
fn note_counts(chunk: &RawHunk<'_>, found: (usize, usize), log: &mut RepairLog) {
    if chunk.header.counts.is_some_and(|counts| counts != found) {
        log.note(RepairKind::Counts, chunk.line);
    }
}

/// Records the wrong numbers in the header of a hunk.
fn note_header(chunk: &RawHunk<'_>, placed: &HunkEffect, log: &mut RepairLog) {
    let old = placed.lines.len();
    let new = old + placed.insertions.len() - placed.deletions.len();
    note_counts(chunk, (old, new), log);
    // Without preimage lines, a header states the line before the insertion.
    if chunk
        .header
        .stated
        .is_some_and(|stated| old > 0 && stated != placed.lines.start + 1)
    {
        log.note(RepairKind::StartLine, chunk.line);
    }
}

/// Applies the placed hunks to the file. A line without a terminator keeps none as long as it is
/// the last line.
pub(super) fn splice(file: &FileLines<'_>, placed: &[HunkEffect]) -> Vec<u8> {
    let out = splice_lines(file, placed, 0..file.all.len());
    if file.has_mark {
        [BYTE_ORDER_MARK, &out].concat()
    } else {
        out
    }
}

/// Returns the new content of the lines in `range`. All hunks in `placed` must be within `range`.
pub(super) fn splice_lines(
    file: &FileLines<'_>,
    placed: &[HunkEffect],
    range: Range<usize>,
) -> Vec<u8> {
    let start = range.start;
    // `insertions[i]` lists the insertions before line `start + i`. The last entry is for the end
    // of the range.
    let mut insertions: Vec<Vec<&InsertedLine>> = vec![Vec::new(); range.len() + 1];
    let mut is_deleted = vec![false; range.len()];
    for one in placed {
        one.deletions
            .iter()
            .for_each(|&at| is_deleted[at - start] = true);
        one.insertions
            .iter()
            .for_each(|line| insertions[line.at - start].push(line));
    }
    let mut out = Vec::new();
    let mut add = |text: &[u8], end: &[u8], like: usize| {
        // Only the last line of a file can lack its terminator, and another line follows.
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.extend_from_slice(nearest_ending(file, like));
        }
        out.extend_from_slice(text);
        out.extend_from_slice(end);
    };
    for at in 0..=range.len() {
        for InsertedLine {
            text,
            is_unterminated: is_open,
            ending: stated,
            ending_source: like,
            ..
        } in insertions[at].iter().copied()
        {
            let end = match stated {
                _ if *is_open => b"",
                Some(stated) => stated.bytes(),
                None => nearest_ending(file, *like),
            };
            add(text, end, *like);
        }
        if at < range.len() && !is_deleted[at] {
            add(file.all[start + at], b"", start + at);
        }
    }
    out
}

/// Returns the line ending of the line itself, of the nearest line before it, or of the first line
/// after it.
fn nearest_ending(file: &FileLines<'_>, line: usize) -> &'static [u8] {
    let (before, rest) = file.all.split_at((line + 1).min(file.all.len()));
    let mut near = before
        .iter()
        .rev()
        .chain(rest)
        .filter(|line| line.ends_with(b"\n"));
    near.next()
        .map_or(LineEnding::Lf, |line| LineEnding::of(line))
        .bytes()
}

/// Returns the content of a new file; `None` if it is not certain which lines belong to it.
pub(super) fn created_content(section: &Section<'_>, log: &mut RepairLog) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for chunk in &section.hunks {
        // A model can omit the signs of a new file. Each line is then a line of the file.
        let is_bare = !chunk.body.iter().any(|line| line.text.starts_with(b"+"));
        // In a hunk without signs, a header line can also be a line of the file.
        if is_bare && (!section.is_enveloped || section.hunks.len() > 1) {
            return None;
        }
        if is_bare {
            chunk
                .body
                .iter()
                .for_each(|line| out.extend([line.text, b"\n"].concat()));
            if let Some(first) = chunk.body.first() {
                log.note(RepairKind::Markers, first.number);
            }
            continue;
        }
        // Text after the counted lines does not belong to the file. Any other line may have lost
        // its sign.
        let is_certain = |body: &&BodyCandidate<'_, '_>| {
            body.row.is_some() || body.lines.len() == chunk.body.len()
        };
        let bodies = find_bodies(chunk);
        let mut certain = bodies.iter().filter(is_certain);
        let states_endings = !section.is_enveloped
            && section.ending_source == EndingSource::Patch
            && chunk.header.counts.is_some();
        let ending = |line: &Line<'_>| match line.ending {
            LineEnding::CrLf if states_endings => LineEnding::CrLf,
            _ => LineEnding::Lf,
        };
        let content = |body: &BodyCandidate<'_, '_>| inserted_content(body.lines, ending);
        let (content, body) = certain.find_map(|body| Some((content(body)?, body)))?;
        note_counts(chunk, (0, lines(&content).count()), log);
        out.extend(content);
        if section.ending_source == EndingSource::Transport {
            log.note(RepairKind::Whitespace, chunk.line);
        }
        if let Some(blank) = body.lines.iter().find(|line| line.text.is_empty()) {
            log.note(RepairKind::Markers, blank.number);
        }
        if let Some(row) = body.row {
            log.note(row, chunk.line);
        }
    }
    Some(out)
}

/// Returns the content of the inserted lines; `None` if the body contains other lines.
fn inserted_content(
    body: &[Line<'_>],
    ending: impl Fn(&Line<'_>) -> LineEnding,
) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for line in body {
        match line.text {
            [b'\\'] | [b'\\', b' ', ..] => {
                // The note states that the line before it has no terminator.
                out.truncate(without_ending(&out).len());
                continue;
            }
            [b'+', text @ ..] => out.extend_from_slice(text),
            // An empty line of a new file lost its `+`.
            [] => {}
            _ => return None,
        }
        out.extend_from_slice(ending(line).bytes());
    }
    Some(out)
}

/// Returns whether a deletion states the whole content of the file, or states no content. Every
/// line must be equal, because the whole file is deleted. Line endings are ignored.
pub(super) fn is_whole_content(
    section: &Section<'_>,
    content: &[u8],
    log: &mut RepairLog,
) -> Result<bool, PlacementError> {
    if section.hunks.is_empty() {
        return Ok(true);
    }
    log.spend(read_cost(content))?;
    // Only the most likely reading counts. Another reading would interpret the lines more loosely.
    let readings: Vec<_> = section
        .hunks
        .iter()
        .filter_map(|chunk| chunk.readings().into_iter().next())
        .collect();
    for (chunk, reading) in section.hunks.iter().zip(&readings) {
        note_counts(chunk, (reading.lines.len(), 0), log);
    }
    let old: Vec<_> = readings.iter().flat_map(|reading| &reading.lines).collect();
    let is_gone = old.iter().all(|line| line.kind == LineKind::Deletion);
    let found: Vec<_> = lines(content)
        .map(|(_, line)| without_ending(line))
        .collect();
    Ok(is_gone
        && old.len() == found.len()
        && old
            .iter()
            .zip(found)
            .all(|(line, found)| line.text == found))
}
