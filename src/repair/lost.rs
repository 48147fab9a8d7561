//! Restores context lines that begin with a sign in the file and lost their leading space in the
//! patch. In the patch, `+ x` can be an insertion or such context.
//!
//! In `@@ -1,4 +1,4 @@`, ` a`, `+ x`, ` b`, `-c`, `+C` the header counts one preimage line more
//! than the hunk has as written. The counts are right if the file contains `+ x` and the line is
//! context.

use super::chunk::{RawHunk, Reading, ReadingLine};
use super::error::PlacementError;
use super::lines::FileLines;
use super::{RepairKind, RepairLog};
use crate::plan::LineKind;

/// The maximum number of readings that are tried for one hunk.
const MAX_READINGS: usize = 256;

/// The cost of copying one line of a reading, in steps.
const COPY: usize = 4;

/// Returns the reading of `chunk` in which some lines with a sign are context, if the file contains
/// its preimage. The number of these lines follows from the counts of the header. Without counts,
/// such a reading is tried only if the file contains no other reading.
///
/// # Errors
///
/// Returns [`PlacementError::DoubtfulSign`] if the file contains several of these readings.
pub(super) fn restore_signs(
    file: &FileLines<'_>,
    chunk: &RawHunk<'_>,
    readings: &[Reading],
    log: &mut RepairLog,
) -> Result<Option<Reading>, PlacementError> {
    let mut found: Option<Reading> = None;
    if chunk.header.counts.is_none() {
        // A hunk that the file contains as it is written needs no restored lines.
        for reading in readings {
            if !file
                .find_runs(&reading.old().collect::<Vec<_>>(), 0, log)?
                .is_empty()
            {
                return Ok(None);
            }
        }
    }
    for reading in readings
        .iter()
        .filter(|reading| !reading.repairs.iter().any(|row| has_changed_lines(*row)))
    {
        for indexes in find_context_sets(file, chunk, reading, log)? {
            log.spend(reading.lines.len() * COPY)?;
            let Some(reading) = read_as_context(reading, &indexes) else {
                continue;
            };
            let old: Vec<_> = reading.old().collect();
            // Only the strictest rung: a lost space and a loose match together prove nothing.
            if file.find_runs(&old, 0, log)?.is_empty() {
                continue;
            }
            match &found {
                None => found = Some(reading),
                Some(other) if other.lines == reading.lines => {}
                Some(_) => return Err(PlacementError::DoubtfulSign(chunk.line)),
            }
        }
    }
    Ok(found)
}

/// Returns whether the repair `row` has already changed the lines of a reading.
fn has_changed_lines(row: RepairKind) -> bool {
    matches!(row, RepairKind::LineNumbers | RepairKind::Escaped)
}

/// Returns `reading` with the lines `indexes` as context that includes the sign; `None` if the
/// result changes nothing.
fn read_as_context(reading: &Reading, indexes: &[usize]) -> Option<Reading> {
    let mut reading = reading.clone();
    for &index in indexes {
        let line = &mut reading.lines[index];
        (line.text, line.raw, line.kind) = (with_sign(line), None, LineKind::Context);
    }
    reading.repairs.push(RepairKind::Markers);
    reading
        .lines
        .iter()
        .any(|line| line.kind != LineKind::Context)
        .then_some(reading)
}

/// Returns the sets of lines that can be context. The candidates are lines that the file contains
/// with their sign. A set has as many lines as the header counts more than `reading`. Returns no
/// set if there are too many.
///
/// Without counts, only insertions are candidates, because a deletion can be a line of the file
/// that lost its sign.
fn find_context_sets(
    file: &FileLines<'_>,
    chunk: &RawHunk<'_>,
    reading: &Reading,
    log: &mut RepairLog,
) -> Result<Vec<Vec<usize>>, PlacementError> {
    if chunk.is_text {
        return Ok(Vec::new());
    }
    let signed = |kind: LineKind, log: &mut RepairLog| {
        let of_kind = (0..reading.lines.len()).filter(|&index| reading.lines[index].kind == kind);
        let known = of_kind.map(|index| {
            Ok(file
                .has(&with_sign(&reading.lines[index]), log)?
                .then_some(index))
        });
        known
            .filter_map(Result::transpose)
            .collect::<Result<Vec<_>, PlacementError>>()
    };
    let found = reading.counts();
    // Without counts, each set of insertions is tried, so few candidates are allowed.
    let Some(wanted) = chunk.header.counts else {
        let signed = signed(LineKind::Insertion, log)?;
        let mut all = Vec::new();
        // `n` candidates have 2^n sets. `min` keeps the shift in range.
        for count in (1..=signed.len()).filter(|_| 1_usize << signed.len().min(20) <= MAX_READINGS)
        {
            all.extend(combinations(&signed, count, log)?);
        }
        return Ok(all);
    };
    // As context, an insertion is one preimage line more, and a deletion one postimage line more.
    let (Some(plus), Some(minus)) = (wanted.0.checked_sub(found.0), wanted.1.checked_sub(found.1))
    else {
        return Ok(Vec::new());
    };
    if (plus, minus) == (0, 0) {
        return Ok(Vec::new());
    }
    let plus = combinations(&signed(LineKind::Insertion, log)?, plus, log)?;
    let minus = combinations(&signed(LineKind::Deletion, log)?, minus, log)?;
    let both = |one: &Vec<usize>| {
        minus
            .iter()
            .map(|more| [&one[..], more].concat())
            .collect::<Vec<_>>()
    };
    Ok(if plus.len() * minus.len() <= MAX_READINGS {
        plus.iter().flat_map(both).collect()
    } else {
        Vec::new()
    })
}

/// Returns all choices of `count` of `items`, or none if there are too many.
fn combinations(
    items: &[usize],
    count: usize,
    log: &mut RepairLog,
) -> Result<Vec<Vec<usize>>, PlacementError> {
    if count == items.len() {
        return Ok(vec![items.to_vec()]);
    }
    // There are at least as many choices as items.
    if count > 0 && items.len() > MAX_READINGS {
        return Ok(Vec::new());
    }
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for (index, &item) in items.iter().enumerate().filter(|_| count > 0) {
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
        if next.len() > MAX_READINGS {
            return Ok(Vec::new());
        }
        log.spend(next.len())?;
        all = next;
    }
    all.retain(|choice| choice.len() == count);
    Ok(all)
}

fn with_sign(line: &ReadingLine) -> Vec<u8> {
    let sign: &[u8] = if line.kind == LineKind::Deletion {
        b"-"
    } else {
        b"+"
    };
    [sign, &line.text].concat()
}

/// Returns whether an insertion of `reading`, placed at `start`, can also be context. The file
/// contains the line with its sign there, and the counts of the header do not decide.
pub(super) fn is_sign_doubtful(
    file: &FileLines<'_>,
    chunk: &RawHunk<'_>,
    reading: &Reading,
    start: usize,
) -> bool {
    if chunk.is_text || chunk.header.counts == Some(reading.counts()) {
        return false;
    }
    let is_known =
        |line: &ReadingLine, at: usize| at < file.all.len() && file.content(at) == with_sign(line);
    // The first insertions can also be the lines above the place.
    let mut lead = reading
        .lines
        .iter()
        .take_while(|line| line.kind == LineKind::Insertion);
    if start
        .checked_sub(1)
        .is_some_and(|above| lead.any(|line| is_known(line, above)))
    {
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
