//! Where the chunks of a section belong in a file, when each has one place only.

use std::collections::VecDeque;
use std::ops::Range;

use super::chunk::{Chunk, ReadLine, Reading, Shortage};
use super::depth::{is_column_lost, is_doubtful};
use super::elision::{place_parts, writes_elision};
use super::lines::Lines;
use super::twin::twin;
use super::typography::Typography;
use super::{Row, Trail, lost};
use crate::matching::reindent::Reindent;
use crate::matching::{LADDER, trimmed};
use crate::plan::LineKind;

/// Why a chunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    NotFound,
    /// It fits at these lines, counted from 0.
    Ambiguous(Vec<usize>),
    /// Its result stands at this line already.
    Applied(usize),
    /// It would put lines in at a depth that nobody knows.
    Depth(usize),
    /// Another chunk takes the same lines.
    Overlap,
    /// It changes nothing.
    Nothing,
    /// It would write a line that stands for others.
    Elided,
    /// Lines after it can be text, or lines of it.
    Tail,
    /// It was cut off.
    Cut(Shortage),
    /// A new line has a typographic character that can be meant, or can stand for an ASCII character of the file.
    Typography,
    /// Its line at this line of the patch can be an insertion, or context that lost its blank.
    Sign(usize),
    /// To search it would take too long.
    TooMuch,
}

/// What a chunk does to the file.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// The lines that it speaks of.
    pub(super) lines: Range<usize>,
    /// Lines that go.
    pub(super) gone: Vec<usize>,
    /// Lines that come.
    pub(super) come: Vec<Coming>,
}

/// A line that comes.
#[derive(Clone, Debug)]
pub(super) struct Coming {
    /// It stands before the line with this index.
    pub(super) at: usize,
    /// Without terminator.
    pub(super) text: Vec<u8>,
    /// Whether it has no terminator.
    pub(super) is_open: bool,
    /// The line that it ends as.
    pub(super) like: usize,
}

impl PartialEq for Coming {
    /// How both end says nothing of what they are.
    fn eq(&self, other: &Self) -> bool {
        (self.at, &self.text, self.is_open) == (other.at, &other.text, other.is_open)
    }
}

/// The comparisons that are tried, each over the whole file before the next.
const RUNGS: [usize; 5] = [0, 1, 2, 3, 4];
/// From this rung on the depth of a line is not compared.
const LOOSE: usize = 2;
/// The rung on which typographic characters are not compared.
const TYPOGRAPHY: usize = 3;
/// Most lines that go of which a new line can replace one.
const MOST_REPLACED: usize = 32;
/// Most places that are looked at.
const MOST: usize = 8;

/// Finds the one place of `chunk`; `behind` is the end of the chunk before it, where that came in order.
pub(super) fn place(
    file: &Lines<'_>,
    chunk: &Chunk<'_>,
    (behind, is_enveloped): (usize, bool),
    trail: &mut Trail,
) -> Result<Placed, Misfit> {
    let mut readings = chunk.readings();
    // No line follows the last line of a file.
    let is_last = |two: &[ReadLine]| two[0].is_open && two[0].kind != LineKind::Deletion;
    readings.retain(|reading| !reading.lines.windows(2).any(is_last));
    if readings.is_empty() {
        return Err(Misfit::Tail);
    }
    // What stands for other lines is never written.
    let has_counts = |reading: &Reading| !chunk.is_text && chunk.header.counts == Some(reading.counts());
    readings.retain(|reading| !writes_elision(&reading.pairs(), has_counts(reading)));
    if readings.is_empty() {
        return Err(Misfit::Elided);
    }
    let restored = lost::restored(file, chunk, &readings, trail)?;
    let shortage = |reading: &Reading| chunk.shortage(reading.counts()).filter(|_| !reading.is_closed);
    let cut = readings.iter().find_map(shortage);
    readings.retain(|reading| shortage(reading).is_none() || chunk.ends_in_context());
    readings.splice(0..0, restored);
    if let Some(cut) = cut.filter(|_| readings.is_empty()) {
        return Err(Misfit::Cut(cut));
    }
    let stood = readings.iter().map(|reading| standing(file, reading, trail)).collect::<Result<Vec<_>, _>>()?;
    let mut misfit = Misfit::NotFound;
    for rung in RUNGS {
        for (reading, stood) in readings.iter().zip(&stood) {
            if reading.lines.iter().all(|line| line.kind == LineKind::Context) {
                misfit = Misfit::Nothing;
                continue;
            }
            if rung >= LOOSE && reading.rows.iter().any(|row| matches!(row, Row::LineNumbers | Row::Escaped)) {
                // One doubt is enough.
                continue;
            }
            let Some(starts) = starts(file, (chunk, is_enveloped), reading, rung, trail)? else { continue };
            match choose(file, chunk, (reading, *stood), &starts, (rung, behind, is_enveloped), trail) {
                Ok(Some(start)) => {
                    if let Some(other) = twin(file, chunk, reading, start, trail)? {
                        return Err(Misfit::Ambiguous(vec![other.min(start), other.max(start)]));
                    }
                    if is_section_of_cut(chunk, reading, start) {
                        continue;
                    }
                    // Lines that the file does not have cannot be missing: the count is wrong.
                    let is_cut = |cut: Shortage| {
                        start + cut.promised.0 <= file.all.len() || start + reading.old().count() < file.all.len()
                    };
                    if shortage(reading).is_some_and(is_cut) {
                        continue;
                    }
                    if lost::is_doubtful(file, chunk, reading, start) {
                        return Err(Misfit::Sign(chunk.line));
                    }
                    let placed = fitted(file, reading, start, rung)?;
                    for &row in &reading.rows {
                        trail.note(row, chunk.line);
                    }
                    note_rung(rung, reading, file, start, chunk.line, trail);
                    return Ok(placed);
                }
                Ok(None) => {}
                Err(found) => return Err(found),
            }
        }
    }
    for reading in readings.iter().filter(|reading| shortage(reading).is_none()) {
        if let Some(placed) = place_parts(file, reading, trail)? {
            trail.note(Row::Elision, chunk.line);
            return Ok(placed);
        }
    }
    let misfit = cut.map_or(misfit, Misfit::Cut);
    Err(stood.into_iter().flatten().next().map_or(misfit, Misfit::Applied))
}

/// Returns whether `reading`, placed at `start`, takes the section text of a header as the missing line of a chunk that
/// was cut off: the section is the line of another place.
fn is_section_of_cut(chunk: &Chunk<'_>, reading: &Reading, start: usize) -> bool {
    let is_elsewhere = chunk.header.stated.is_some_and(|stated| stated != start + 1);
    let (old, new) = reading.counts();
    let is_glued = reading.rows.contains(&Row::GluedHeader) && reading.lines[0].kind == LineKind::Context;
    is_glued && is_elsewhere && !reading.is_closed && chunk.shortage((old - 1, new - 1)).is_some()
}

fn note_rung(rung: usize, reading: &Reading, file: &Lines<'_>, start: usize, line: usize, trail: &mut Trail) {
    match rung {
        0 => {}
        1 | 4 => trail.note(Row::Whitespace, line),
        2 => trail.note(Row::Indentation, line),
        _ => trail.note(Row::Typography, line),
    }
    let is_raw = |(index, old): (usize, &ReadLine)| {
        let (key, found) = (LADDER[rung].key, file.content(start + index));
        key(&old.text) != key(found)
    };
    if reading.old().enumerate().any(is_raw) {
        trail.note(Row::Markers, line);
    }
}

/// Returns where the old lines of `reading` stand, headings aside; `None` if nowhere.
fn starts(
    file: &Lines<'_>,
    (chunk, is_enveloped): (&Chunk<'_>, bool),
    reading: &Reading,
    rung: usize,
    trail: &mut Trail,
) -> Result<Option<Vec<usize>>, Misfit> {
    let old: Vec<_> = reading.old().collect();
    if old.is_empty() {
        let at = chunk.header.stated.unwrap_or(0);
        if chunk.is_normal {
            return Ok((at <= file.all.len()).then(|| vec![at]));
        }
        // Only an envelope says where lines without any around them belong.
        let has_place = is_enveloped && chunk.header.counts.is_none() || file.all.is_empty();
        return Ok(has_place.then(|| vec![file.all.len()]));
    }
    let starts = file.runs(&old, rung, trail)?;
    Ok((!starts.is_empty()).then_some(starts))
}

/// Chooses of several places the one that headings, order or the stated line leave; `None` if headings leave none.
fn choose(
    file: &Lines<'_>,
    chunk: &Chunk<'_>,
    (reading, stood): (&Reading, Option<usize>),
    starts: &[usize],
    (rung, behind, is_enveloped): (usize, usize, bool),
    trail: &mut Trail,
) -> Result<Option<usize>, Misfit> {
    let old = reading.old().count();
    // What is to go is there, so that it has not gone yet.
    let is_pure = reading.lines.iter().all(|line| line.kind != LineKind::Deletion);
    if let Some(line) = stood.filter(|_| is_pure).filter(|&line| {
        let new = reading.lines.iter().filter(|line| line.kind != LineKind::Deletion).count();
        starts.iter().any(|&start| line <= start + old && start < line + new)
    }) {
        return Err(Misfit::Applied(line));
    }
    let mut left: Vec<usize> = match below(file, reading, starts, old, trail)? {
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
    if rung < LOOSE {
        if let Some(start) = chunk.header.stated.and_then(|stated| stated_one(&left, stated - 1)) {
            return Ok(Some(start));
        }
        let mut later = left.iter().filter(|&&start| start >= behind);
        if let (true, Some(&first), None) = (is_enveloped && behind > 0, later.next(), later.next()) {
            return Ok(Some(first));
        }
    }
    left.truncate(MOST);
    Err(Misfit::Ambiguous(left))
}

/// Returns the place that a line number decides for: the one there, or one that is nearest by far.
fn stated_one(starts: &[usize], stated: usize) -> Option<usize> {
    let mut by_distance: Vec<_> = starts.iter().map(|&start| (start.abs_diff(stated), start)).collect();
    by_distance.sort_unstable();
    match by_distance[..] {
        [(0, start), ..] => Some(start),
        [(near, start), (far, _), ..] if near.saturating_mul(4) <= far => Some(start),
        _ => None,
    }
}

/// Returns the places below all headings, each of which stands below the one before; a heading may also be the first
/// line of the place. `None` if a heading is nowhere.
fn below(
    file: &Lines<'_>,
    reading: &Reading,
    starts: &[usize],
    old: usize,
    trail: &mut Trail,
) -> Result<Option<Vec<usize>>, Misfit> {
    let Some(outermost) = reading.headings.last() else { return Ok(Some(starts.to_vec())) };
    let (mut from, mut first) = (0, 0);
    for heading in &reading.headings {
        let Some(at) = heading_at(file, heading, from, trail)? else { return Ok(None) };
        (from, first) = (at + 1, at);
    }
    let again = heading_at(file, outermost, first + 1, trail)?;
    if old == 0 {
        return Ok(Some([Some(first + 1), again.map(|line| line + 1)].into_iter().flatten().collect()));
    }
    // Below a heading that comes again, only its own part of the file is meant: the nearest place decides.
    let left: Vec<_> = starts.iter().copied().filter(|&start| start >= first).collect();
    if again.is_some() && left.len() > 1 {
        return Ok(Some(left));
    }
    Ok(Some(left.into_iter().take(1).collect()))
}

/// Finds a line that is the heading, else one that has it in it.
fn heading_at(file: &Lines<'_>, heading: &[u8], from: usize, trail: &mut Trail) -> Result<Option<usize>, Misfit> {
    let wanted = heading.trim_ascii();
    let finder = memchr::memmem::Finder::new(wanted);
    let count = file.all.len();
    let whole = (from..count).find(|&index| file.content(index).trim_ascii() == wanted);
    trail.spend((whole.map_or(count, |at| at + 1)).saturating_sub(from))?;
    if whole.is_some() {
        return Ok(whole);
    }
    let part = (from..count).find(|&index| finder.find(file.content(index)).is_some());
    trail.spend((part.map_or(count, |at| at + 1)).saturating_sub(from))?;
    Ok(part)
}

/// Returns where the new lines of `reading` stand already, with something added that shows it.
pub(super) fn standing(file: &Lines<'_>, reading: &Reading, trail: &mut Trail) -> Result<Option<usize>, Misfit> {
    let shows = |line: &ReadLine| line.kind == LineKind::Insertion && !line.text.trim_ascii().is_empty();
    if !reading.lines.iter().any(shows) {
        return Ok(None);
    }
    let new: Vec<_> = reading.lines.iter().filter(|line| line.kind != LineKind::Deletion).collect();
    Ok(file.runs(&new, 1, trail)?.first().copied())
}

/// Works out what the reading does at `start`.
pub(super) fn fitted(file: &Lines<'_>, reading: &Reading, start: usize, rung: usize) -> Result<Placed, Misfit> {
    let old: Vec<_> = reading.old().collect();
    let key = LADDER[rung].key;
    // The reading of each old line that fits there.
    let chosen: Vec<&[u8]> = old
        .iter()
        .enumerate()
        .map(|(index, line)| match &line.raw {
            Some(raw) if key(&line.text) != key(file.content(start + index)) => raw.as_slice(),
            _ => line.text.as_slice(),
        })
        .collect();
    if is_column_lost(reading, &chosen) || rung >= LOOSE && is_doubtful(file, reading, &chosen, start) {
        return Err(Misfit::Depth(start));
    }
    let found = (0..old.len()).map(|index| file.content(start + index));
    let indent = Reindent::new(&chosen, found.clone());
    let typography = (rung == TYPOGRAPHY).then(|| Typography::new(chosen.iter().copied().zip(found)));
    let (mut at, mut gone, mut come) = (start, Vec::new(), Vec::new());
    // Each new line ends as the one that goes for it, if there is one.
    let mut like = if old.is_empty() { start.saturating_sub(1) } else { start };
    let mut free = VecDeque::new();
    for line in &reading.lines {
        match line.kind {
            LineKind::Context => {
                free.clear();
                like = at;
                at += 1;
            }
            LineKind::Deletion => {
                free.push_back(at);
                gone.push(at);
                at += 1;
            }
            LineKind::Insertion => {
                let text = if rung >= LOOSE {
                    let (old, new) = indent.apply(&line.text).ok_or(Misfit::Depth(start))?;
                    let replaced: Vec<_> = free.iter().take(MOST_REPLACED).map(|at| at - start).collect();
                    let text = match &typography {
                        Some(typography) => kept(typography, &line.text[old.len()..], &replaced)?,
                        None => line.text[old.len()..].to_vec(),
                    };
                    [new, text].concat()
                } else {
                    line.text.clone()
                };
                like = free.pop_front().unwrap_or(like);
                come.push(Coming { at, text, is_open: line.is_open, like });
            }
        }
    }
    Ok(Placed { lines: start..start + old.len(), gone, come })
}

/// Returns the new line `text`, which is not indented, with the typographic characters that it is meant to have.
fn kept(typography: &Typography<'_>, text: &[u8], replaced: &[usize]) -> Result<Vec<u8>, Misfit> {
    let content = trimmed(text);
    let Ok(new) = std::str::from_utf8(content) else { return Ok(text.to_vec()) };
    let kept = typography.kept(new, replaced).ok_or(Misfit::Typography)?;
    Ok([kept.as_bytes(), &text[content.len()..]].concat())
}
