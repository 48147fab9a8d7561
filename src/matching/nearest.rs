//! Explains hunks that match nowhere: detects already applied hunks and finds the closest match.
//!
//! One pass over the file serves all failed hunks. Each line of the file that also occurs in a
//! failed hunk votes for the place that it implies for the hunk. The number of votes of frequent
//! lines is limited, which bounds the work.

use crate::lines::ladder::{EXACT, INDENT};
use crate::lines::{Comparison, LineOffsets, RunHash, RunIndex, RunOccurrences};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::iter;
use std::ops::Range;

use super::difference::{count_matching_lines, first_difference};
use super::occupied::to_signed;
use super::pattern::Pattern;
use super::{ClosestMatch, Mismatch, MismatchKind, Placement, Placements, clip};
use crate::interrupt::Interrupt;
use crate::plan::{Direction, Hunk, LineKind};

/// The maximum number of votes in total, and for each line of a hunk.
const MAX_VOTES: usize = 1 << 19;
const MAX_VOTES_PER_LINE: usize = 64;
/// The maximum number of lines of a hunk that can receive votes.
const MAX_VOTING_LINES: usize = 256;
/// The number of places of a hunk that are compared line by line.
const COMPARED_PLACES: usize = 4;
/// The maximum number of places on each side of the stated line that are compared line by line,
/// and the number of lines that they can have together on one side.
const MAX_AROUND_STATED: usize = 32;
const COMPARED_LINES: usize = 1 << 12;
/// The maximum number of lines shown of the closest match.
const SHOWN_LINES: usize = 5;
/// The maximum number of lines shown before and after it.
const SHOWN_CONTEXT: usize = 2;

/// Lines are hashed without leading and trailing white space.
const LOOSE: Comparison = Comparison::loose(INDENT);

/// Completes the mismatches in `placements`. The first `most` of them get lines and the closest
/// match.
///
/// `index` is the file in which the hunks were searched for. Earlier hunks have turned `original`
/// into it.
pub(super) fn explain_mismatches(
    (original, index): (&LineOffsets<'_>, &LineOffsets<'_>),
    (text, hunks): (&[u8], &[Hunk]),
    direction: Direction,
    (placements, most): (&mut Placements, usize),
    interrupt: &Interrupt,
) {
    let misfits: Vec<_> = hunks
        .iter()
        .zip(placements.iter())
        .enumerate()
        .filter(|(_, (_, place))| place.is_err())
        .collect();
    if misfits.is_empty() {
        return;
    }
    let is_changed = !std::ptr::eq(original, index);
    let added = to_signed(index.count()) - to_signed(original.count());
    let gained = line_gains(hunks, direction, placements);
    let misfits: Vec<_> = misfits
        .iter()
        .map(|&(nth, (hunk, _))| FailedHunk::new(nth, hunk, text, direction, gained[nth]))
        .collect();
    let runs = run_index(index, &misfits, interrupt);
    let vote_counts = count_votes(&runs, &misfits[..misfits.len().min(most)]);
    let mut runs = if is_changed {
        run_index(original, &misfits, interrupt)
    } else {
        runs
    };
    let votes = vote_counts.into_iter().map(Some).chain(iter::repeat(None));
    for (misfit, votes) in misfits.iter().zip(votes) {
        if interrupt.is_raised() {
            return;
        }
        let Err(mismatch) = &mut placements[misfit.nth] else {
            continue;
        };
        if votes.is_some() {
            let lines = misfit.pattern.lines().iter().copied();
            mismatch.expected = lines.take(4).map(clip).collect();
        }
        if mismatch.kind == MismatchKind::NotFound
            && let Some(line) = misfit.find_applied(original, added, &mut runs)
        {
            mismatch.kind = MismatchKind::AlreadyApplied { line };
        }
        let is_lost = matches!(
            mismatch.kind,
            MismatchKind::NotFound | MismatchKind::HeadingNotFound { .. }
        );
        if let Some(votes) = votes.filter(|_| is_lost && misfit.pattern.count() > 0) {
            mismatch.nearest = misfit.nearest(index, &votes);
        }
    }
}

/// Returns the postimages in the file of hunks that match elsewhere or nowhere. The lines of a
/// postimage are free of other hunks. For a hunk that matches elsewhere, its postimage is nearer to
/// the stated line.
pub(super) fn find_postimages(
    (original, current): (&LineOffsets<'_>, &LineOffsets<'_>),
    (text, hunks): (&[u8], &[Hunk]),
    direction: Direction,
    placements: &Placements,
    interrupt: &Interrupt,
) -> Vec<Postimage> {
    let added = to_signed(current.count()) - to_signed(original.count());
    let gained = line_gains(hunks, direction, placements);
    let is_doubtful = |place: &Result<Placement, Box<Mismatch>>| match place {
        // With several candidates the text repeats itself, so a postimage can be there by chance.
        Ok(placement) => placement.offset != 0 && placement.candidates.len() < 2,
        Err(mismatch) => mismatch.kind == MismatchKind::NotFound,
    };
    let doubtful: Vec<_> = (0..hunks.len())
        .filter(|&nth| is_doubtful(&placements[nth]))
        .map(|nth| FailedHunk::new(nth, &hunks[nth], text, direction, gained[nth]))
        .collect();
    if doubtful.is_empty() {
        return Vec::new();
    }
    let mut occupied: Vec<_> = placements.iter().flatten().map(|it| &it.lines).collect();
    occupied.sort_unstable_by_key(|lines| lines.start);
    let mut runs = run_index(original, &doubtful, interrupt);
    let find = |hunk: &FailedHunk<'_>| {
        let line = hunk.find_applied(original, added, &mut runs)?;
        let lines = line..line + hunk.postimage.count();
        let before = occupied.partition_point(|other| other.start < lines.end);
        let is_free = before == 0 || occupied[before - 1].end <= lines.start;
        let distance = line.abs_diff(hunk.stated?.saturating_add_signed(-added));
        let is_nearer = match &placements[hunk.nth] {
            Ok(placement) => distance < placement.offset.unsigned_abs(),
            Err(_) => true,
        };
        (is_free && is_nearer).then_some(Postimage {
            hunk: hunk.nth,
            lines,
        })
    };
    doubtful.iter().filter_map(find).collect()
}

/// The place where the postimage of a hunk already is.
pub(super) struct Postimage {
    /// The index of the hunk.
    pub(super) hunk: usize,
    /// The lines of the file, counted from 0.
    pub(super) lines: Range<usize>,
}

/// Returns a run index of a file that expects the postimages of the failed hunks.
fn run_index<'i>(
    index: &'i LineOffsets<'i>,
    misfits: &[FailedHunk<'_>],
    interrupt: &'i Interrupt,
) -> RunIndex<'i> {
    let postimages = || misfits.iter().map(|misfit| misfit.postimage.lines());
    let asked = postimages().map(<[_]>::len).sum();
    let expected = postimages().map(|lines| RunHash::new(LOOSE, lines));
    RunIndex::new(index, LOOSE, (asked, expected), interrupt)
}

/// Returns for each hunk the number of lines that the placed hunks before it add.
fn line_gains(hunks: &[Hunk], direction: Direction, placements: &Placements) -> Vec<isize> {
    let mut sum = 0;
    let gains = hunks.iter().zip(placements).map(|(hunk, place)| {
        let before = sum;
        if place.is_ok() {
            let (old, new) = (
                hunk.preimage_range(direction).count,
                hunk.postimage_range(direction).count,
            );
            sum += to_signed(new) - to_signed(old);
        }
        before
    });
    gains.collect()
}

/// A hunk that does not match.
struct FailedHunk<'p> {
    nth: usize,
    pattern: Pattern<'p>,
    postimage: Pattern<'p>,
    /// The stated line, if the hunk states one.
    stated: Option<usize>,
    comparison: Comparison,
    /// Whether the hunk inserts at least one non-blank line. Other postimages can occur by chance.
    is_recognisable: bool,
}

impl<'p> FailedHunk<'p> {
    fn new(nth: usize, hunk: &Hunk, text: &'p [u8], direction: Direction, gained: isize) -> Self {
        let is_numbered = hunk.anchor.is_numbered();
        let stated = super::context_level::range_start(hunk.postimage_range(direction))
            .saturating_add_signed(-gained);
        let mut lines = hunk.lines(text, direction);
        Self {
            nth,
            pattern: Pattern::new(hunk, text, direction),
            postimage: Pattern::postimage(hunk, text, direction),
            stated: is_numbered.then_some(stated),
            comparison: if is_numbered {
                Comparison::strict(EXACT)
            } else {
                Comparison::loose(EXACT)
            },
            is_recognisable: lines
                .any(|line| line.kind == LineKind::Insertion && !line.content().is_empty()),
        }
    }

    /// Returns the line at which the postimage already is.
    ///
    /// The stated line has priority. Otherwise the postimage must occur exactly once and be
    /// recognisable. `added` is the number of lines that earlier hunks have added to `index`.
    fn find_applied(
        &self,
        index: &LineOffsets<'_>,
        added: isize,
        runs: &mut RunIndex<'_>,
    ) -> Option<usize> {
        let (comparison, wanted) = (self.comparison, self.postimage.lines());
        let is_at = |line: usize| {
            line + wanted.len() <= index.count()
                && comparison.is_at(index, (line, index.offset(line)), wanted.iter().copied())
        };
        if wanted.is_empty() {
            return None;
        }
        let stated = self
            .stated
            .map(|stated| stated.saturating_add_signed(-added));
        // The rest of a deletion at the end of the file must be the end of the file.
        let is_allowed = |line: usize| {
            self.is_recognisable
                || self.postimage.trailing > 0
                || line + wanted.len() == index.count()
        };
        if let Some(stated) = stated.filter(|&stated| is_at(stated) && is_allowed(stated)) {
            return Some(stated);
        }
        let places = runs.matches(wanted);
        let line = places
            .next(0)
            .filter(|_| self.is_recognisable && places.count_from(0) == 1)?;
        // `runs` ignores indentation, so the match must be checked exactly.
        is_at(line).then_some(line)
    }

    /// Returns the place with the most matching lines.
    ///
    /// Of equal places, the one nearest to the stated line wins, then the first one. The order is
    /// total, so the report does not depend on the iteration order of the map.
    fn nearest(
        &self,
        index: &LineOffsets<'_>,
        votes: &HashMap<usize, usize>,
    ) -> Option<ClosestMatch> {
        let distance = |line: usize| self.stated.map_or(line, |stated| stated.abs_diff(line));
        let mut places: Vec<_> = votes.iter().map(|(&line, &votes)| (votes, line)).collect();
        places.sort_unstable_by_key(|&(votes, line)| (Reverse(votes), distance(line), line));
        let finalists = places
            .into_iter()
            .map(|(_, line)| line)
            .take(COMPARED_PLACES);
        // The lines around the stated line are compared even without votes: in a file that repeats
        // itself, the votes are spent on its beginning.
        let around = (COMPARED_LINES / self.pattern.count().max(1)).min(MAX_AROUND_STATED);
        let around = self.stated.into_iter().flat_map(|stated| {
            stated.saturating_sub(around)..stated.saturating_add(around + 1).min(index.count())
        });
        let scored = finalists.chain(around).map(|line| {
            (
                count_matching_lines(index, line, &self.pattern, self.comparison),
                line,
            )
        });
        let best = |&((exact, similar), line): &((usize, usize), usize)| {
            (similar, exact, Reverse(distance(line)), Reverse(line))
        };
        let ((matched, _), line) = scored.max_by_key(best)?;
        let difference = first_difference(index, line, &self.pattern, self.comparison);
        Some(ClosestMatch {
            matched,
            difference,
            ..ClosestMatch::at(index, line, self.pattern.count())
        })
    }
}

impl ClosestMatch {
    /// Returns a closest match at `line` for a hunk with `of` old lines, with no matched lines yet.
    pub(super) fn at(index: &LineOffsets<'_>, line: usize, of: usize) -> Self {
        let first = line.saturating_sub(SHOWN_CONTEXT);
        let mut lines = index.lines_from(first).map(clip);
        let lines_before = lines.by_ref().take(line - first).collect();
        let text = lines.by_ref().take(SHOWN_LINES.min(of)).collect();
        let lines_after = lines.take(SHOWN_CONTEXT).collect();
        Self {
            line,
            matched: 0,
            total: of,
            difference: None,
            text,
            lines_before,
            lines_after,
        }
    }
}

/// Counts the votes: for each hunk, the number of its lines that each place contains.
fn count_votes(runs: &RunIndex<'_>, misfits: &[FailedHunk<'_>]) -> Vec<HashMap<usize, usize>> {
    let mut voters: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    let mut number = 0;
    for (nth, misfit) in misfits.iter().enumerate() {
        for (line, text) in misfit
            .pattern
            .lines()
            .iter()
            .enumerate()
            .take(MAX_VOTING_LINES)
        {
            if !LOOSE.key(text).is_empty() {
                voters
                    .entry(LOOSE.hash(text))
                    .or_default()
                    .push((nth, line));
                number += 1;
            }
        }
    }
    // The total is also limited: the more lines vote, the fewer occurrences of each line count.
    let most = (MAX_VOTES / number.max(1)).clamp(1, MAX_VOTES_PER_LINE);
    let mut vote_counts = vec![HashMap::new(); misfits.len()];
    if voters.is_empty() {
        return vote_counts;
    }
    let mut seen: HashMap<u64, usize> = HashMap::new();
    let hashes: Vec<_> = voters.keys().copied().collect();
    for (line, hash) in runs.lines_with(&hashes) {
        let Some(wanted) = voters.get(&hash) else {
            continue;
        };
        let times = seen.entry(hash).or_default();
        // Only the first `most` occurrences of a line vote, so frequent lines cannot dominate the
        // work.
        *times += 1;
        if *times <= most {
            for &(nth, inside) in wanted.iter().take(MAX_VOTING_LINES) {
                *vote_counts[nth]
                    .entry(line.saturating_sub(inside))
                    .or_default() += 1;
            }
        }
    }
    vote_counts
}

#[cfg(test)]
mod tests;
