//! From placed chunks to contents.

use std::ops::Range;

use super::bodies::{Body, bodies};
use super::chunk::Chunk;
use super::error::PlacementError;
use super::fitted::{Coming, Placed};
use super::line::Line;
use super::lines::Lines;
use super::place::place;
use super::read::Section;
use super::rows::read_cost;
use super::{RepairKind, RepairLog};
use crate::plan::LineKind;
use crate::text::{BYTE_ORDER_MARK, Ending, lines, without_ending};

/// Returns what `content` becomes, when every chunk has one place: in the file as it is, or else in
/// the file as the chunks before leave it.
///
/// # Errors
///
/// Returns the chunks that have none, and why.
pub(super) fn compose(
    section: &Section<'_>,
    content: &[u8],
    log: &mut RepairLog,
) -> Result<Vec<u8>, Vec<(usize, PlacementError)>> {
    if section.chunks.is_empty() {
        return Ok(content.to_vec());
    }
    let mut tried = log.tried();
    let errors = match at_once(section, content, &mut tried) {
        Ok(after) => {
            log.take(tried);
            return Ok(after);
        }
        Err(errors) => errors,
    };
    log.leave(&tried);
    let mut tried = log.tried();
    if section.chunks.len() > 1
        && !section.chunks[0].is_normal
        && errors
            .iter()
            .all(|(_, error)| *error == PlacementError::NotFound)
        && let Some(after) = in_turn(section, content, &mut tried)
    {
        tried.note(RepairKind::Order, section.line);
        log.take(tried);
        return Ok(after);
    }
    Err(errors)
}

/// How many chunks before one are looked at for the same.
const MOST_TWINS: usize = 64;

/// Places all chunks in the file as it is.
fn at_once(
    section: &Section<'_>,
    content: &[u8],
    log: &mut RepairLog,
) -> Result<Vec<u8>, Vec<(usize, PlacementError)>> {
    let file = Lines::of(content, log).map_err(|error| vec![(0, error)])?;
    let (mut placed, mut errors) = (Vec::new(), Vec::new());
    let mut behind = 0;
    for (index, chunk) in section.chunks.iter().enumerate() {
        match place(&file, chunk, (behind, section.is_enveloped), log) {
            Ok(one) => {
                if one.lines.start < behind {
                    log.note(RepairKind::Order, chunk.line);
                }
                note_header(chunk, &one, log);
                behind = one.lines.end;
                placed.push(one);
            }
            Err(error) => errors.push((index, error)),
        }
    }
    if errors.is_empty() {
        errors.extend(misnumbered(section, &placed).map(|index| (index, PlacementError::NotFound)));
    }
    let mut gone: Vec<_> = placed.iter().flat_map(|one| &one.gone).collect();
    let count = gone.len();
    gone.sort_unstable();
    gone.dedup();
    // A line that goes is none that another chunk leaves as it is.
    let is_cut = |one: &Placed| {
        let from = gone.partition_point(|&&at| at < one.lines.start);
        let until = gone.partition_point(|&&at| at < one.lines.end);
        until - from != one.gone.len()
    };
    // The same lines at the same place, twice: once would have been enough, or one of them is for
    // another place.
    let is_twin = |(index, one): (usize, &Placed)| {
        let is_same = |other: &Placed| {
            other.come == one.come && (other.lines == one.lines || !one.come.is_empty())
        };
        placed[..index].iter().rev().take(MOST_TWINS).any(is_same)
    };
    if errors.is_empty()
        && (gone.len() < count
            || placed.iter().any(is_cut)
            || placed.iter().enumerate().any(is_twin))
    {
        errors.push((section.chunks.len() - 1, PlacementError::Overlap));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(spliced(&file, &placed))
}

/// Returns an insertion of a normal diff, if another hunk shows that the line numbers are of
/// another version.
fn misnumbered(section: &Section<'_>, placed: &[Placed]) -> Option<usize> {
    let is_off = |(chunk, one): (&Chunk<'_>, &Placed)| {
        !one.lines.is_empty()
            && chunk
                .header
                .stated
                .is_some_and(|stated| stated != one.lines.start + 1)
    };
    let is_off = section.chunks.iter().zip(placed).any(is_off);
    let is_loose =
        |(_, one): &(usize, &Placed)| section.chunks[0].is_normal && one.lines.is_empty();
    placed
        .iter()
        .enumerate()
        .find(is_loose)
        .filter(|_| is_off)
        .map(|(index, _)| index)
}

/// Places each chunk in what the ones before it left.
fn in_turn(section: &Section<'_>, content: &[u8], log: &mut RepairLog) -> Option<Vec<u8>> {
    let mut content = content.to_vec();
    for chunk in &section.chunks {
        let file = Lines::of(&content, log).ok()?;
        let one = place(&file, chunk, (0, section.is_enveloped), log).ok()?;
        content = spliced(&file, &[one]);
    }
    Some(content)
}

/// Notes what the header of a chunk had wrong.
fn note_header(chunk: &Chunk<'_>, placed: &Placed, log: &mut RepairLog) {
    let old = placed.lines.len();
    let new = old + placed.come.len() - placed.gone.len();
    if chunk
        .header
        .counts
        .is_some_and(|counts| counts != (old, new))
    {
        log.note(RepairKind::Counts, chunk.line);
    }
    if chunk
        .header
        .stated
        .is_some_and(|stated| old > 0 && stated != placed.lines.start + 1)
    {
        log.note(RepairKind::StartLine, chunk.line);
    }
}

/// Puts the chunks in. A line without end keeps none while it is the last.
pub(super) fn spliced(file: &Lines<'_>, placed: &[Placed]) -> Vec<u8> {
    let out = spliced_lines(file, placed, 0..file.all.len());
    if file.has_mark {
        [BYTE_ORDER_MARK, &out].concat()
    } else {
        out
    }
}

/// Returns what the lines of `range` become, to which all of `placed` belong.
pub(super) fn spliced_lines(file: &Lines<'_>, placed: &[Placed], range: Range<usize>) -> Vec<u8> {
    let (count, start) = (file.all.len(), range.start);
    let mut come: Vec<Vec<&Coming>> = vec![Vec::new(); range.len() + 1];
    let mut gone = vec![false; range.len()];
    for one in placed {
        one.gone.iter().for_each(|&at| gone[at - start] = true);
        one.come
            .iter()
            .for_each(|line| come[line.at - start].push(line));
    }
    // As the line itself, else as the nearest before it, else as the first behind it.
    let ending = |line: usize| -> &'static [u8] {
        let (before, behind) = file.all.split_at((line + 1).min(count));
        let mut near = before
            .iter()
            .rev()
            .chain(behind)
            .filter(|line| line.ends_with(b"\n"));
        near.next()
            .map_or(Ending::Lf, |line| Ending::of(line))
            .bytes()
    };
    let mut out = Vec::new();
    let mut add = |text: &[u8], end: &[u8], like: usize| {
        if !out.is_empty() && !out.ends_with(b"\n") {
            out.extend_from_slice(ending(like));
        }
        out.extend_from_slice(text);
        out.extend_from_slice(end);
    };
    for at in 0..=range.len() {
        for Coming {
            text,
            is_open,
            like,
            ..
        } in come[at].iter().copied()
        {
            add(text, if *is_open { b"" } else { ending(*like) }, *like);
        }
        if at < range.len() && !gone[at] {
            add(file.all[start + at], b"", start + at);
        }
    }
    out
}

/// Returns the contents of a file that is made; `None` if it is not certain what is in it.
pub(super) fn created(section: &Section<'_>, log: &mut RepairLog) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for chunk in &section.chunks {
        let is_bare = !chunk.body.iter().any(|line| line.text.starts_with(b"+"));
        // A header in a chunk without signs may be a line of the file.
        if is_bare && (!section.is_enveloped || section.chunks.len() > 1) {
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
        // Text after the counted lines belongs to no file; any other line can be one that lost its
        // sign.
        let is_certain =
            |body: &&Body<'_, '_>| body.row.is_some() || body.lines.len() == chunk.body.len();
        let bodies = bodies(chunk);
        let mut certain = bodies.iter().filter(is_certain);
        let (content, body) = certain.find_map(|body| Some((inserted(body.lines)?, body)))?;
        out.extend(content);
        if let Some(blank) = body.lines.iter().find(|line| line.text.is_empty()) {
            log.note(RepairKind::Markers, blank.number);
        }
        if let Some(row) = body.row {
            log.note(row, chunk.line);
        }
    }
    Some(out)
}

/// Returns the insertions of a body that has nothing else.
fn inserted(body: &[Line<'_>]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for line in body {
        match line.text {
            [b'\\'] | [b'\\', b' ', ..] => {
                if out.last() == Some(&b'\n') {
                    out.pop();
                }
                continue;
            }
            [b'+', text @ ..] => out.extend_from_slice(text),
            [] => {}
            _ => return None,
        }
        out.push(b'\n');
    }
    Some(out)
}

/// Returns whether a deletion says what the file has, or nothing of it.
pub(super) fn is_whole(
    section: &Section<'_>,
    content: &[u8],
    log: &mut RepairLog,
) -> Result<bool, PlacementError> {
    if section.chunks.is_empty() {
        return Ok(true);
    }
    log.spend(read_cost(content))?;
    let readings: Vec<_> = section
        .chunks
        .iter()
        .filter_map(|chunk| chunk.readings().into_iter().next())
        .collect();
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
