//! Finding a run of lines in a file: nearest first, and never where another hunk went.

use super::MOST_CANDIDATES;
use super::covered::Covered;
use crate::lines::Places;

/// Most runs of taken lines that are stepped over to list candidates.
const MOST_STEPS: usize = 1000;

/// What a search met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The nearest line.
    pub(super) line: Option<usize>,
    /// Some of the lines that fit as well, the nearest one among them, in order; at most
    /// [`MOST_CANDIDATES`].
    pub(super) candidates: Vec<usize>,
    /// Whether the lines are also where another hunk went.
    pub(super) is_blocked: bool,
}

/// Finds the place that is nearest to the line `stated` of the file as the hunks left it, the later
/// one of two.
pub(super) fn nearest(places: &impl Places, covered: &Covered, stated: isize) -> Found {
    let mut found = Found::default();
    let start = covered.original(stated);
    let ahead = first(places, covered, start, &mut found.is_blocked, usize::MAX);
    let distance = ahead.map(|line| (covered.running(line) - stated).unsigned_abs());
    let floor = distance.map_or(0, |distance| {
        covered.original(stated.saturating_sub_unsigned(distance))
    });
    let behind = last(
        places,
        covered,
        start,
        floor,
        &mut found.is_blocked,
        usize::MAX,
    )
    .filter(|&line| {
        distance.is_none_or(|distance| (stated - covered.running(line)).unsigned_abs() < distance)
    });
    found.line = behind.or(ahead);
    found
}

/// Lists places around `line`, which is one of them, and not before `floor`; those behind it in the
/// file first.
pub(super) fn candidates(
    places: &impl Places,
    covered: &Covered,
    line: usize,
    floor: usize,
) -> Vec<usize> {
    let mut lines = vec![line];
    let mut ignored = false;
    while lines.len() < MOST_CANDIDATES
        && let Some(line) = first(
            places,
            covered,
            lines[lines.len() - 1] + 1,
            &mut ignored,
            MOST_STEPS,
        )
    {
        lines.push(line);
    }
    let mut earliest = line;
    while lines.len() < MOST_CANDIDATES
        && let Some(line) = last(places, covered, earliest, floor, &mut ignored, MOST_STEPS)
    {
        earliest = line;
        lines.push(line);
    }
    lines.sort_unstable();
    lines
}

/// The first free place at or behind `from`.
fn first(
    places: &impl Places,
    covered: &Covered,
    from: usize,
    is_blocked: &mut bool,
    steps: usize,
) -> Option<usize> {
    let mut from = from.max(covered.floor);
    for _ in 0..steps {
        let line = places.next(from)?;
        let Some(taken) = covered.obstacle(&(line..line + places.count())) else {
            return Some(line);
        };
        *is_blocked = true;
        from = taken.end.max(line + 1);
    }
    None
}

/// The last free place before `before`.
fn last(
    places: &impl Places,
    covered: &Covered,
    before: usize,
    floor: usize,
    is_blocked: &mut bool,
    steps: usize,
) -> Option<usize> {
    let mut before = before;
    for _ in 0..steps {
        let line = places.previous(before, floor.max(covered.floor))?;
        let Some(taken) = covered.obstacle(&(line..line + places.count())) else {
            return Some(line);
        };
        *is_blocked = true;
        // What starts before the taken lines and reaches into them cannot stand there either.
        before = (taken.start + 1).saturating_sub(places.count()).min(line);
    }
    None
}
