//! Lines of the file that begin with a sign, and lost the blank in front of them: `+ x` can be an insertion or context.

use std::collections::HashSet;

use super::chunk::{Chunk, ReadLine, Reading};
use super::lines::Lines;
use super::place::Misfit;
use super::{Row, Trail};
use crate::plan::LineKind;

/// Most readings that are tried for one chunk.
const MOST_READINGS: usize = 256;

/// Returns the reading of `chunk` in which as many lines with a sign are context as its header asks for, and which the
/// file has.
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

/// Returns the readings with the counts of the header in which some lines with a sign are lines of the file.
fn flipped(file: &Lines<'_>, chunk: &Chunk<'_>, reading: &Reading) -> Vec<Reading> {
    let (old, new) = reading.counts();
    let Some(wanted) = chunk.header.counts.filter(|&wanted| wanted != (old, new)) else { return Vec::new() };
    let (Some(plus), Some(minus)) = (wanted.0.checked_sub(old), wanted.1.checked_sub(new)) else { return Vec::new() };
    let known: HashSet<&[u8]> = (0..file.all.len()).map(|index| file.content(index)).collect();
    let signed = |kind: LineKind| -> Vec<usize> {
        let is_known = |line: &ReadLine| line.kind == kind && known.contains(&*with_sign(line));
        (0..reading.lines.len()).filter(|&index| is_known(&reading.lines[index])).collect()
    };
    let mut all = vec![Vec::new()];
    for (kind, count) in [(LineKind::Insertion, plus), (LineKind::Deletion, minus)] {
        let choices = choices(&signed(kind), count);
        if all.len() * choices.len() > MOST_READINGS {
            return Vec::new();
        }
        all = all.iter().flat_map(|one| choices.iter().map(|more| [&one[..], more].concat())).collect();
    }
    let flip = |indexes: Vec<usize>| {
        let mut reading = reading.clone();
        for index in indexes {
            let line = &mut reading.lines[index];
            (line.text, line.raw, line.kind) = (with_sign(line), None, LineKind::Context);
        }
        reading.rows.push(Row::Markers);
        reading
    };
    all.into_iter().map(flip).collect()
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
    let mut at = start;
    for line in &reading.lines {
        match line.kind {
            LineKind::Insertion if at < file.all.len() && file.content(at) == with_sign(line) => return true,
            LineKind::Insertion => {}
            LineKind::Context | LineKind::Deletion => at += 1,
        }
    }
    false
}
