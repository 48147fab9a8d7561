//! Lines of the file that begin with a sign, and lost the blank in front of them: `+ x` can be an insertion or context.

use std::collections::HashSet;

use super::chunk::{Chunk, ReadLine, Reading};
use super::lines::Lines;
use super::place::Misfit;
use super::{Row, Trail};
use crate::plan::LineKind;

/// Most readings that are tried for one chunk.
const MOST_READINGS: usize = 256;

/// Returns the reading of `chunk` in which some lines with a sign are context, and which the file has: as many lines as
/// its header asks for, or, where no header counts lines, those without which the file has no place for the chunk.
///
/// # Errors
///
/// Returns [`Misfit::Sign`] if the file has several of these readings.
pub(super) fn restored(
    file: &Lines<'_>,
    chunk: &Chunk<'_>,
    readings: &[Reading],
    trail: &mut Trail,
) -> Result<Option<Reading>, Misfit> {
    let mut found: Option<Reading> = None;
    if chunk.header.counts.is_none() {
        for reading in readings {
            if !file.runs(&reading.old().collect::<Vec<_>>(), 0, trail)?.is_empty() {
                return Ok(None);
            }
        }
    }
    for reading in readings.iter().filter(|reading| !reading.rows.iter().any(|row| is_shown(*row))) {
        for reading in flipped(file, chunk, reading) {
            let old: Vec<_> = reading.old().collect();
            if file.runs(&old, 0, trail)?.is_empty() {
                continue;
            }
            match &found {
                None => found = Some(reading),
                Some(other) if other.lines == reading.lines => {}
                Some(_) => return Err(Misfit::Sign(chunk.line)),
            }
        }
    }
    Ok(found)
}

/// Returns whether what is read was changed in another way already.
fn is_shown(row: Row) -> bool {
    matches!(row, Row::LineNumbers | Row::Escaped)
}

/// Returns the readings in which some lines with a sign are lines of the file. Without counts these are insertions alone:
/// a deletion can be a line of the file that lost its sign.
fn flipped(file: &Lines<'_>, chunk: &Chunk<'_>, reading: &Reading) -> Vec<Reading> {
    if chunk.is_text {
        return Vec::new();
    }
    let known: HashSet<&[u8]> = (0..file.all.len()).map(|index| file.content(index)).collect();
    let signed = |kind: LineKind| -> Vec<usize> {
        let is_known = |line: &ReadLine| line.kind == kind && known.contains(&*with_sign(line));
        (0..reading.lines.len()).filter(|&index| is_known(&reading.lines[index])).collect()
    };
    let Some(all) = flips(chunk, reading.counts(), signed) else { return Vec::new() };
    let flip = |indexes: Vec<usize>| {
        let mut reading = reading.clone();
        for index in indexes {
            let line = &mut reading.lines[index];
            (line.text, line.raw, line.kind) = (with_sign(line), None, LineKind::Context);
        }
        reading.rows.push(Row::Markers);
        reading
    };
    let changes = |reading: &Reading| reading.lines.iter().any(|line| line.kind != LineKind::Context);
    all.into_iter().map(flip).filter(changes).collect()
}

/// Returns the sets of lines that can be context: of those that `signed` returns, as many as the header has more than the
/// `found` ones; `None` if these are none, or too many.
fn flips(chunk: &Chunk<'_>, found: (usize, usize), signed: impl Fn(LineKind) -> Vec<usize>) -> Option<Vec<Vec<usize>>> {
    let Some(wanted) = chunk.header.counts else {
        let signed = signed(LineKind::Insertion);
        let all = (1..=signed.len()).flat_map(|count| choices(&signed, count));
        return (1_usize << signed.len().min(20) <= MOST_READINGS).then(|| all.collect());
    };
    if wanted == found {
        return None;
    }
    let (plus, minus) = (wanted.0.checked_sub(found.0)?, wanted.1.checked_sub(found.1)?);
    let plus = choices(&signed(LineKind::Insertion), plus);
    let minus = choices(&signed(LineKind::Deletion), minus);
    let both = |one: &Vec<usize>| minus.iter().map(|more| [&one[..], more].concat()).collect::<Vec<_>>();
    (plus.len() * minus.len() <= MOST_READINGS).then(|| plus.iter().flat_map(both).collect())
}

/// Returns all choices of `count` of `items`, or none if those are too many.
fn choices(items: &[usize], count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for (index, &item) in items.iter().enumerate() {
        let left = items.len() - index - 1;
        let mut next = Vec::new();
        for choice in all {
            if choice.len() < count {
                next.push([&choice[..], &[item]].concat());
            }
            if choice.len() + left >= count {
                next.push(choice);
            }
        }
        if next.len() > MOST_READINGS {
            return Vec::new();
        }
        all = next;
    }
    all.retain(|choice| choice.len() == count);
    all
}

fn with_sign(line: &ReadLine) -> Vec<u8> {
    let sign: &[u8] = if line.kind == LineKind::Deletion { b"-" } else { b"+" };
    [sign, &line.text].concat()
}

/// Returns whether an insertion of `reading`, placed at `start`, is a line of the file with its sign: the header has no
/// counts that decide between the two.
pub(super) fn is_doubtful(file: &Lines<'_>, chunk: &Chunk<'_>, reading: &Reading, start: usize) -> bool {
    if chunk.is_text || chunk.header.counts == Some(reading.counts()) {
        return false;
    }
    let is_known = |line: &ReadLine, at: usize| at < file.all.len() && file.content(at) == with_sign(line);
    let mut lead = reading.lines.iter().take_while(|line| line.kind == LineKind::Insertion);
    if start.checked_sub(1).is_some_and(|above| lead.any(|line| is_known(line, above))) {
        return true;
    }
    let mut at = start;
    for line in &reading.lines {
        match line.kind {
            LineKind::Insertion if is_known(line, at) => return true,
            LineKind::Insertion => {}
            LineKind::Context | LineKind::Deletion => at += 1,
        }
    }
    false
}
