//! Finds places that nearly match a hunk and are nearer to its stated line. The file may have
//! changed there, so that the hunk now matches only a copy of these lines elsewhere.

use super::RepairLog;
use super::chunk::{RawHunk, Reading};
use super::error::PlacementError;
use super::lines::FileLines;

/// The maximum number of preimage lines of a hunk for which such a place is searched.
const MAX_LINES: usize = 64;
/// The maximum distance between the stated line and the place, in lines.
const MAX_DISTANCE: usize = 32;
/// The maximum number of lines by which the place can be longer or shorter than the preimage.
const MAX_GROWTH: usize = 3;

/// Returns a place that nearly matches `reading` and is much nearer to the stated line than
/// `start`, the place that matches.
pub(super) fn second_match(
    file: &FileLines<'_>,
    chunk: &RawHunk<'_>,
    reading: &Reading,
    start: usize,
    log: &mut RepairLog,
) -> Result<Option<usize>, PlacementError> {
    let Some(stated) = chunk
        .header
        .stated
        .map(|stated| stated - 1)
        .filter(|&stated| stated != start)
    else {
        return Ok(None);
    };
    let old: Vec<&[u8]> = reading.old().map(|line| line.text.trim_ascii()).collect();
    // A short hunk nearly matches at many places.
    if !(3..=MAX_LINES).contains(&old.len())
        || old.iter().filter(|line| !line.is_empty()).count() < 3
    {
        return Ok(None);
    }
    // The place must be four times nearer, as in `nearest_to_stated`. A place that overlaps the
    // match is no second one.
    let away = (start.abs_diff(stated) / 4).min(MAX_DISTANCE);
    let is_apart = |at: usize| at + old.len() + MAX_GROWTH <= start || start + old.len() <= at;
    let near = (0..=away).flat_map(|away| [stated.saturating_sub(away), stated + away]);
    for at in near.filter(|&at| is_apart(at)) {
        log.spend(MAX_GROWTH)?;
        if is_near(file, &old, at, log)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Returns whether the file contains most of `old` at `at`, counted from the first and from the
/// last line.
fn is_near(
    file: &FileLines<'_>,
    old: &[&[u8]],
    at: usize,
    log: &mut RepairLog,
) -> Result<bool, PlacementError> {
    let line = |index: usize| (index < file.all.len()).then(|| file.content(index).trim_ascii());
    let head = old
        .iter()
        .enumerate()
        .take_while(|(index, old)| line(at + index) == Some(old))
        .count();
    log.spend(head + 1)?;
    // Changed lines in the middle are allowed, so the end can be up to `MAX_GROWTH` lines away.
    let upward = |end: usize| {
        let room = old.len() - head;
        old.iter()
            .rev()
            .zip((0..end).rev())
            .take(room)
            .take_while(|(old, index)| line(*index) == Some(old))
            .count()
    };
    let shortest = (at + old.len()).saturating_sub(MAX_GROWTH);
    let lengths: Vec<_> = (shortest..=at + old.len() + MAX_GROWTH)
        .map(upward)
        .collect();
    log.spend(lengths.iter().sum::<usize>() + lengths.len())?;
    // A quarter of the lines may differ, and always one.
    let most = old.len() - (old.len() / 4).max(1);
    Ok(head + lengths.into_iter().max().unwrap_or_default() >= most)
}
