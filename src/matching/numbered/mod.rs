//! Places hunks with line numbers by the rules of git.
//!
//! The search follows `find_pos` and `apply_one_fragment` in git's `apply.c`, including its order
//! and its end conditions. There are three differences:
//!
//! - A hunk whose last old line has no terminator matches only at the end of the file.
//! - A hunk with insertions only and no context is placed at its stated line or not at all. git
//!   places it at the end of the file.
//! - If context lines are ignored (`-C`), the stated line refers to the remaining lines.

mod beyond;
mod exact;
mod hunk_search;
mod patch;
mod rungs;
#[cfg(test)]
mod tests;

use crate::lines::ladder::{EXACT, FIXED, PUNCT, TRAILING, WHITESPACE};
use crate::lines::{Comparison, LADDER, LineOffsets, RunHash, RunIndex, RunOccurrences};
use std::collections::HashMap;
use std::ops::Range;

use super::context_level::{ContextLevel, levels, range_start};
use super::distinctive::is_recognisable;
use super::occupied::{OccupiedLines, to_signed};
use super::pattern::Pattern;
use super::search::{BlockedRanges, SearchResult, list_candidates, nearest};
use super::{Mismatch, MismatchDetail, MismatchKind, Placement, Placements};
use crate::plan::{Anchor, Hunk, HunkLine};
use hunk_search::HunkSearch;
use patch::comparison;

pub(super) use patch::FilePatch;

/// The number of substring searches over the whole file before its lines are hashed.
const FEW_SEARCHES: usize = 2;

/// The number of hunks from which on lines are hashed for the first search. If one of so many hunks
/// has an offset, the later ones usually have one too.
const MANY_HUNKS: usize = 1000;

/// Places each hunk where its old lines match, nearest to the stated line.
///
/// Earlier hunks have turned the file of `original` into the file of `index`.
pub(super) fn place(
    original: &LineOffsets<'_>,
    index: &LineOffsets<'_>,
    patch: FilePatch<'_>,
) -> Placements {
    let FilePatch {
        text,
        hunks,
        direction,
        rules,
    } = patch;
    let mut placer = Placer {
        index,
        patch,
        occupied: OccupiedLines::default(),
        last_lookup: (0, 0),
        previous_offset: 0,
        after_last_change: 0,
        searches_left: if hunks.len() < MANY_HUNKS {
            FEW_SEARCHES
        } else {
            0
        },
        exact_index: None,
        loose_indexes: HashMap::new(),
        blocked: HashMap::new(),
    };
    let mut pattern = Pattern::default();
    // The stated line in `original` that was looked up last, and its offset.
    let mut near = (0, 0);
    let mut has_ended = false;
    let outcomes = hunks.iter().map(|hunk| {
        if has_ended || rules.interrupt.is_raised() {
            return Err(Mismatch::without_match());
        }
        pattern.fill(hunk, text, direction);
        let levels = levels(&pattern, hunk, direction, rules);
        let outcome = placer.place(hunk, &pattern, &levels);
        has_ended = outcome.is_err() && rules.detail == MismatchDetail::Nothing;
        let mut placement = outcome.map_err(Mismatch::of_kind)?;
        placement.already_at = find_applied(original, &mut near, patch, (hunk, &placement));
        match placement.already_at {
            Some(line) if rules.skips_applied && is_recognisable(hunk, text, direction) => {
                Err(Mismatch::of_kind(MismatchKind::AlreadyApplied { line }))
            }
            _ => Ok(placement),
        }
    });
    outcomes.collect()
}

/// Returns the stated line of a hunk that was placed elsewhere, if the postimage of the hunk is at
/// the stated line of `original`: the patch may already be applied. git applies such a hunk. GNU
/// patch asks the user only if the first hunk of a patch fails, so this returns `None` for its
/// rules. `near` is a line of `original` and its offset; it becomes the stated line.
fn find_applied(
    original: &LineOffsets<'_>,
    near: &mut (usize, usize),
    patch: FilePatch<'_>,
    (hunk, placement): (&Hunk, &Placement),
) -> Option<usize> {
    if placement.offset == 0 || placement.candidates.len() > 1 || patch.rules.is_gnu {
        return None;
    }
    let range = hunk.postimage_range(patch.direction);
    let stated = range.start.checked_sub(1).filter(|_| range.count > 0)?;
    let lines = hunk.lines(patch.text, patch.direction);
    let postimage = lines
        .filter(HunkLine::is_in_postimage)
        .map(|line| line.text);
    *near = (stated, original.offset_from(*near, stated));
    let is_there = Comparison::strict(EXACT).is_at(original, *near, postimage);
    Some(stated).filter(|line| is_there && !placement.lines.contains(line))
}

struct Placer<'a> {
    index: &'a LineOffsets<'a>,
    patch: FilePatch<'a>,
    occupied: OccupiedLines,
    /// The line whose byte offset was computed last, and this offset.
    last_lookup: (usize, usize),
    /// The offset of the previous hunk under the rules of GNU patch and quilt, otherwise 0.
    previous_offset: isize,
    /// The first line after the last change of the previous hunk.
    after_last_change: usize,
    /// The number of substring searches that are left.
    searches_left: usize,
    exact_index: Option<RunIndex<'a>>,
    /// One index for each rung that was tried.
    loose_indexes: HashMap<usize, RunIndex<'a>>,
    /// The blocked ranges of each run, by rung and run.
    blocked: HashMap<(usize, RunHash), BlockedRanges>,
}

/// The lines at which a match is allowed.
enum SearchRange {
    Anywhere,
    Only(usize),
    Nowhere,
}

impl Placer<'_> {
    /// Returns the stated line of a hunk, in the file after the placed hunks.
    ///
    /// git uses the new line number of the header. GNU patch, whose hunks keep their order, uses
    /// the old one. Normal diffs also use the old one.
    fn stated_line(&self, hunk: &Hunk) -> isize {
        let direction = self.patch.direction;
        let old = || range_start(hunk.preimage_range(direction));
        match (self.patch.rules.is_gnu, &hunk.anchor) {
            (true, _) => to_signed(old()).saturating_add(self.occupied.added_lines()),
            (false, Anchor::Bare) => self.occupied.to_current_line(old()),
            (false, _) => to_signed(range_start(hunk.postimage_range(direction))),
        }
    }

    fn place(
        &mut self,
        hunk: &Hunk,
        pattern: &Pattern<'_>,
        levels: &[ContextLevel],
    ) -> Result<Placement, MismatchKind> {
        let stated = self.stated_line(hunk);
        let mut is_blocked = false;
        for level in levels {
            // Ignored leading context moves the stated line down.
            self.occupied.floor = self.first_allowed_line(pattern, level);
            let stated = stated
                .saturating_add(to_signed(level.lines.start))
                .saturating_add(self.previous_offset);
            let hunk_search = HunkSearch {
                hunk,
                pattern,
                level,
                stated,
            };
            let (found, rung) = self.find(&hunk_search);
            is_blocked |= found.is_blocked;
            if let Some(line) = found.line {
                return self.accept(&hunk_search, line, rung, found.candidates);
            }
            if let Some(placement) = self.find_beyond(&hunk_search) {
                return Ok(placement);
            }
        }
        Err(if is_blocked {
            MismatchKind::Overlap
        } else {
            MismatchKind::NotFound
        })
    }

    /// Returns the first line at which a hunk can be placed.
    ///
    /// Only GNU patch has such a limit, because its hunks keep their order. The more leading
    /// context is ignored, the further the change must be after the previous one.
    /// `tests/it/gnu/beside.rs` compares this with GNU patch.
    fn first_allowed_line(&self, pattern: &Pattern<'_>, level: &ContextLevel) -> usize {
        let left_out = level.lines.start;
        if !self.patch.rules.is_gnu {
            return 0;
        }
        left_out + (self.after_last_change + left_out).saturating_sub(pattern.leading)
    }

    /// Returns the byte offset of a line. It is counted from the previous line that was looked up,
    /// which is near if the hunks are in order.
    fn offset(&mut self, line: usize) -> usize {
        self.last_lookup = (line, self.index.offset_from(self.last_lookup, line));
        self.last_lookup.1
    }

    /// Returns the lines at which a match is allowed. If terminators count, old lines without a
    /// final terminator match only at the end of the file.
    fn search_range(&self, hunk_search: &HunkSearch<'_>, rung: usize) -> SearchRange {
        let is_open = rung == EXACT
            && hunk_search
                .last()
                .is_some_and(|line| !line.ends_with(b"\n"));
        let Some(last) = self.index.count().checked_sub(hunk_search.count()) else {
            return SearchRange::Nowhere;
        };
        match (
            hunk_search.level.is_at_start,
            hunk_search.level.is_at_end || is_open,
        ) {
            // Lines at both ends of the file must be the whole file.
            (true, true) if last > 0 => SearchRange::Nowhere,
            (true, _) => SearchRange::Only(0),
            (false, true) => SearchRange::Only(last),
            (false, false) => SearchRange::Anywhere,
        }
    }

    /// Returns a match at `line` if the lines match there, their position in the file is allowed,
    /// and no other hunk occupies them.
    fn check(&self, hunk_search: &HunkSearch<'_>, line: usize, is_there: bool) -> SearchResult {
        let running = self.occupied.to_current_line(line);
        let end = self.occupied.to_current_line(self.index.count());
        // As in git, a hunk at the start of the file is placed there regardless of the new line
        // number in its header.
        let is_elsewhere = !hunk_search.level.is_at_start && running != hunk_search.stated;
        let is_disallowed = line < self.occupied.floor
            || (hunk_search.level.is_at_start && running != 0)
            || (hunk_search.level.is_at_end && running + to_signed(hunk_search.count()) != end)
            || (hunk_search.count() == 0 && (is_elsewhere || line > self.index.count()));
        if is_disallowed || !is_there {
            return SearchResult::default();
        }
        match self
            .occupied
            .find_overlap(&(line..line + hunk_search.count()))
        {
            Some(_) => SearchResult {
                is_blocked: true,
                ..SearchResult::default()
            },
            None => SearchResult {
                line: Some(line),
                candidates: Vec::new(),
                is_blocked: false,
            },
        }
    }

    fn find_nearest(
        &self,
        places: &impl RunOccurrences,
        stated: isize,
        blocked: &mut BlockedRanges,
    ) -> SearchResult {
        let mut found = nearest(places, &self.occupied, stated, blocked);
        found.candidates = found.line.map_or_else(Vec::new, |line| {
            list_candidates(places, &self.occupied, line, 0)
        });
        found
    }

    /// Creates the placement. Fails if the match is ambiguous and the rules require a unique match.
    fn accept(
        &mut self,
        hunk_search: &HunkSearch<'_>,
        line: usize,
        rung: usize,
        candidates: Vec<usize>,
    ) -> Result<Placement, MismatchKind> {
        let offset =
            self.occupied.to_current_line(line) - hunk_search.stated + self.previous_offset;
        // Ignored context and looser rungs always need a unique match. `WHITESPACE`, `FIXED` and
        // `unique` need it only for a hunk with an offset.
        let wants_one = hunk_search.level.is_fuzzy
            || (TRAILING..=PUNCT).contains(&rung)
            || (offset != 0 && (self.patch.rules.unique || matches!(rung, WHITESPACE | FIXED)));
        let name = LADDER[rung].name;
        let left_out = (
            hunk_search.level.lines.start,
            hunk_search.pattern.count() - hunk_search.level.lines.end,
        );
        if wants_one && candidates.len() > 1 {
            return Err(MismatchKind::Ambiguous {
                lines: candidates,
                rung: name,
                ignored_context: left_out,
            });
        }
        if !self.can_indent(hunk_search, line, rung) {
            return Err(MismatchKind::NotFound);
        }
        let lines = line..line + hunk_search.count();
        let bytes = self.matched_bytes(hunk_search, &lines, rung);
        self.occupied
            .occupy(lines.clone(), hunk_search.pattern.added_lines);
        let carries_offset = self.patch.rules.is_gnu || self.patch.rules.as_quilt;
        self.previous_offset = if carries_offset { offset } else { 0 };
        let context = hunk_search.pattern.trailing.saturating_sub(left_out.1);
        self.after_last_change = lines.end - context.min(hunk_search.count());
        Ok(Placement {
            bytes,
            lines,
            offset,
            ignored_context: left_out,
            rung: name,
            candidates: match offset {
                0 => Vec::new(),
                _ if candidates.is_empty() => vec![line],
                _ => candidates,
            },
            missing_blank_lines: 0,
            already_at: None,
        })
    }

    /// Returns the byte range of a match at `lines`.
    fn matched_bytes(
        &mut self,
        hunk_search: &HunkSearch<'_>,
        lines: &Range<usize>,
        rung: usize,
    ) -> Range<usize> {
        let start = match &self.exact_index {
            Some(index) if rung == EXACT => index.offset(lines.start),
            _ => self.offset(lines.start),
        };
        // An exact match has the same length in the file, so its end needs no lookup.
        let end = match rung {
            EXACT => {
                let lengths = hunk_search.lines().iter().map(|line| line.len());
                start + lengths.sum::<usize>()
            }
            _ => self.offset(lines.end),
        };
        start..end
    }
}
