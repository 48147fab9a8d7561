//! Finds the place of a run that is nearest to a line and free of other hunks.

use super::MOST_CANDIDATES;
use super::occupied::OccupiedLines;
use crate::lines::RunOccurrences;

/// The maximum number of occupied ranges that are skipped while candidates are listed.
const MOST_STEPS: usize = 1000;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SearchResult {
    /// The nearest line.
    pub(super) line: Option<usize>,
    /// Some of the lines where the run also matches, in order, including the nearest one. At most
    /// [`MOST_CANDIDATES`].
    pub(super) candidates: Vec<usize>,
    /// Whether the run also matches where another hunk is placed.
    pub(super) is_blocked: bool,
}

/// Finds the place nearest to the line `stated` of the file after the placed hunks. Of two equally
/// near places, the later one is returned.
pub(super) fn nearest(
    places: &impl RunOccurrences,
    covered: &OccupiedLines,
    stated: isize,
) -> SearchResult {
    let mut found = SearchResult::default();
    let start = covered.original(stated);
    let ahead = first(places, covered, start, &mut found.is_blocked, usize::MAX);
    let distance = ahead.map(|line| (covered.running(line) - stated).unsigned_abs());
    // The backward search must find a place that is strictly nearer.
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

/// Lists places around `line`, itself a place, and not before `floor`. Later places have priority
/// over earlier ones.
pub(super) fn candidates(
    places: &impl RunOccurrences,
    covered: &OccupiedLines,
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
    // Earlier places fill the remaining slots.
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

/// Returns the first free place at or after `from`.
fn first(
    places: &impl RunOccurrences,
    covered: &OccupiedLines,
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

/// Returns the last free place before `before`.
fn last(
    places: &impl RunOccurrences,
    covered: &OccupiedLines,
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
        // A run that starts earlier but reaches into the occupied lines is not free either.
        before = (taken.start + 1).saturating_sub(places.count()).min(line);
    }
    None
}
