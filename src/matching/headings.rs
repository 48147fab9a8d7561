//! Places hunks that name the headings above them, by the rules of Codex. Unlike there, a hunk that
//! matches equally well in several places is an error.
//!
//! Each hunk is placed after the previous one. A heading matches the first suitable line after the
//! previous hunk. A hunk without a heading must match in exactly one place. Alternatively, the
//! patch must contain one such hunk for each of the places.

use crate::lines::ladder::{EXACT, INDENT, PUNCT};
use crate::lines::{Comparison, LADDER, LineOffsets, RunHash, RunIndex, RunOccurrences, Rung};
use std::cell::OnceCell;
use std::collections::HashMap;

use super::occupied::OccupiedLines;
use super::reindent::Reindent;
use super::search::list_candidates;
use super::{MatchRules, Mismatch, MismatchDetail, MismatchKind, Placement, Placements};
use crate::interrupt::Interrupt;
use crate::plan::{Anchor, Direction, Hunk, HunkLine, LineKind};

/// Places each hunk after the previous one.
pub(super) fn place(
    index: &LineOffsets<'_>,
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    rules: &MatchRules,
) -> Placements {
    let chunks: Vec<_> = hunks
        .iter()
        .map(|hunk| CodexHunk::new(hunk, text, direction))
        .collect();
    let duplicates = DuplicateHunks {
        chunks: &chunks,
        places: OnceCell::new(),
    };
    let ladder = (0..=PUNCT).map(|_| None).collect();
    let mut placer = Placer {
        index,
        chunks: &chunks,
        run_indexes: ladder,
        occupied: OccupiedLines::default(),
        cursor: 0,
        interrupt: &rules.interrupt,
    };
    let mut has_ended = false;
    let outcomes = chunks.iter().enumerate().map(|(at, chunk)| {
        // After an interrupt, all remaining hunks are reported as not found.
        if has_ended || rules.interrupt.is_raised() {
            return Err(Mismatch::without_match());
        }
        let outcome = placer.place(chunk, || duplicates.count_from(at));
        has_ended = outcome.is_err() && rules.detail == MismatchDetail::Nothing;
        outcome.map_err(Mismatch::of_kind)
    });
    outcomes.collect()
}

/// Groups the chunks that have the same old lines and no other anchor.
struct DuplicateHunks<'a> {
    chunks: &'a [CodexHunk<'a>],
    /// The indexes of these chunks in patch order, by their old lines. Computed only when some
    /// lines have several places, which is rare.
    places: OnceCell<HashMap<&'a [&'a [u8]], Vec<usize>>>,
}

impl DuplicateHunks<'_> {
    /// Returns the number of chunks from `at` on that have the same old lines as the chunk at `at`.
    /// Returns 0 if that chunk has a heading or an end-of-file anchor.
    fn count_from(&self, at: usize) -> usize {
        if !self.chunks[at].is_bare() {
            return 0;
        }
        let places = self.places.get_or_init(|| {
            let mut places: HashMap<_, Vec<_>> = HashMap::new();
            for (at, chunk) in self
                .chunks
                .iter()
                .enumerate()
                .filter(|(_, chunk)| chunk.is_bare())
            {
                places.entry(&chunk.old[..]).or_default().push(at);
            }
            places
        });
        let all = places.get(&self.chunks[at].old[..]);
        all.map_or(0, |all| {
            all.len() - all.partition_point(|&other| other < at)
        })
    }
}

/// A hunk as Codex reads it.
struct CodexHunk<'a> {
    headings: Vec<&'a [u8]>,
    is_at_end: bool,
    lines: Vec<HunkLine<'a>>,
    old: Vec<&'a [u8]>,
}

impl<'a> CodexHunk<'a> {
    fn new(hunk: &Hunk, text: &'a [u8], direction: Direction) -> Self {
        let (headings, is_at_end) = match &hunk.anchor {
            Anchor::Line | Anchor::Bare => (Vec::new(), false),
            Anchor::Headings { headings, at_end } => (
                headings.iter().map(|span| span.slice(text)).collect(),
                *at_end,
            ),
        };
        let lines: Vec<_> = hunk.lines(text, direction).collect();
        let old = lines
            .iter()
            .filter(|line| line.is_in_preimage())
            .map(|line| line.text)
            .collect();
        Self {
            headings,
            is_at_end,
            lines,
            old,
        }
    }

    /// Returns whether the old lines are the only anchor.
    fn is_bare(&self) -> bool {
        self.headings.is_empty() && !self.is_at_end
    }

    /// Returns the old lines without a final blank context line, if there is one. The patch may
    /// contain that line only to separate its parts.
    fn without_last_blank(&self) -> Option<&[&'a [u8]]> {
        let last = self.lines.iter().rfind(|line| line.is_in_preimage())?;
        let is_blank =
            last.kind == LineKind::Context && last.content().is_empty() && self.old.len() > 1;
        is_blank.then(|| &self.old[..self.old.len() - 1])
    }

    fn insertions(&self) -> impl Iterator<Item = &[u8]> {
        self.lines
            .iter()
            .filter(|line| line.kind == LineKind::Insertion)
            .map(HunkLine::content)
    }

    fn added_lines(&self) -> isize {
        self.lines
            .iter()
            .map(|line| isize::from(line.is_in_postimage()) - isize::from(line.is_in_preimage()))
            .sum()
    }
}

struct Placer<'a> {
    index: &'a LineOffsets<'a>,
    chunks: &'a [CodexHunk<'a>],
    /// The index of the file for each rung, created on first use.
    run_indexes: Vec<Option<RunIndex<'a>>>,
    occupied: OccupiedLines,
    /// The first line at which the next heading or hunk can be.
    cursor: usize,
    interrupt: &'a Interrupt,
}

/// A matching line, the rung of the match, and the equally good lines.
struct LineMatch {
    line: usize,
    rung: usize,
    candidates: Vec<usize>,
}

impl<'a> Placer<'a> {
    /// Places one chunk. `alike` returns how many chunks, from this one on, have the same old
    /// lines.
    fn place(
        &mut self,
        chunk: &CodexHunk<'a>,
        alike: impl Fn() -> usize,
    ) -> Result<Placement, MismatchKind> {
        for heading in &chunk.headings {
            self.cursor = 1 + self.find_heading(heading)?;
        }
        if chunk.old.is_empty() {
            // Insertions without old lines are placed below the last heading, or else at the end of
            // the file.
            let has_place = !chunk.headings.is_empty() && !chunk.is_at_end;
            let line = if has_place {
                self.cursor
            } else {
                self.index.count()
            };
            return Ok(self.accept(
                chunk,
                LineMatch {
                    line,
                    rung: 0,
                    candidates: Vec::new(),
                },
                0,
            ));
        }
        // All old lines are tried first, so a blank line that is in the file stays part of the
        // match.
        let (fit, count) = match self.find_match(chunk, &chunk.old, &alike)? {
            Some(fit) => (Some(fit), chunk.old.len()),
            None => match chunk.without_last_blank() {
                Some(old) => (self.find_match(chunk, old, &alike)?, old.len()),
                None => (None, 0),
            },
        };
        let fit = fit.ok_or_else(|| self.explain_mismatch(chunk))?;
        // The hunk matched without looking at its indentation. If an insertion's indentation cannot
        // be derived, the hunk has no safe placement.
        if fit.rung >= INDENT {
            let old = chunk.lines.iter().filter(|line| line.is_in_preimage());
            let old: Vec<_> = old.take(count).copied().collect();
            let indent = Reindent::of_hunk(&old, self.index.lines_from(fit.line));
            if !chunk
                .insertions()
                .all(|line| indent.convert(line).is_some())
            {
                return Err(MismatchKind::NotFound);
            }
        }
        self.cursor = fit.line + count;
        Ok(self.accept(chunk, fit, count))
    }

    /// Returns the reason why a chunk has no place after the cursor.
    fn explain_mismatch(&mut self, chunk: &CodexHunk<'a>) -> MismatchKind {
        let line = self.run_index(EXACT).matches(&chunk.old).next(0);
        let taken =
            line.and_then(|line| self.occupied.find_overlap(&(line..line + chunk.old.len())));
        if taken.is_some() {
            MismatchKind::Overlap
        } else {
            MismatchKind::NotFound
        }
    }

    fn find_heading(&mut self, heading: &'a [u8]) -> Result<usize, MismatchKind> {
        let (cursor, wanted) = (self.cursor, [heading]);
        let mut find =
            |from| (0..=PUNCT).find_map(|rung| self.run_index(rung).matches(&wanted).next(from));
        // A heading before the cursor is only reported, because hunks never move backwards.
        find(cursor).ok_or_else(|| MismatchKind::HeadingNotFound {
            heading: heading.to_vec(),
            above: find(0),
        })
    }

    /// Finds the old lines on the first rung that matches.
    fn find_match(
        &mut self,
        chunk: &CodexHunk<'a>,
        old: &[&'a [u8]],
        alike: impl Fn() -> usize,
    ) -> Result<Option<LineMatch>, MismatchKind> {
        let last = self
            .index
            .count()
            .checked_sub(old.len())
            .filter(|&last| last >= self.cursor);
        let Some(last) = last else { return Ok(None) };
        let (cursor, no_cover) = (self.cursor, OccupiedLines::default());
        for (rung, Rung { name, .. }) in LADDER.iter().enumerate().take(PUNCT + 1) {
            let places = self.run_index(rung).matches(old);
            if chunk.is_at_end {
                if places.is_at(last) {
                    return Ok(Some(LineMatch {
                        line: last,
                        rung,
                        candidates: Vec::new(),
                    }));
                }
                continue;
            }
            let Some(line) = places.next(cursor) else {
                continue;
            };
            // Several equal places are acceptable if each remaining place has its own chunk.
            let number = places.count_from(cursor);
            if number <= 1 || number == alike() {
                return Ok(Some(LineMatch {
                    line,
                    rung,
                    candidates: Vec::new(),
                }));
            }
            // No hunk occupies lines after the cursor, so none must be excluded here.
            let lines = list_candidates(&places, &no_cover, line, cursor);
            if chunk.headings.is_empty() && lines.len() > 1 {
                return Err(MismatchKind::Ambiguous {
                    lines,
                    rung: name,
                    ignored_context: (0, 0),
                });
            }
            return Ok(Some(LineMatch {
                line,
                rung,
                candidates: lines,
            }));
        }
        Ok(None)
    }

    fn run_index(&mut self, rung: usize) -> &mut RunIndex<'a> {
        let (index, chunks, interrupt) = (self.index, self.chunks, self.interrupt);
        self.run_indexes[rung].get_or_insert_with(|| {
            let comparison = Comparison::loose(rung);
            // All runs of the patch are declared in advance, so one pass per length locates them.
            let hash = |lines: &[&[u8]]| RunHash::new(comparison, lines);
            let headings = chunks
                .iter()
                .flat_map(|chunk| chunk.headings.iter().map(|&heading| hash(&[heading])));
            let blocks = chunks
                .iter()
                .flat_map(|chunk| [Some(&chunk.old[..]), chunk.without_last_blank()]);
            let expected = headings.chain(blocks.flatten().map(hash));
            let asked = chunks.iter().map(|chunk| chunk.old.len()).sum();
            RunIndex::new(index, comparison, (asked, expected), interrupt)
        })
    }

    fn accept(&mut self, chunk: &CodexHunk<'a>, fit: LineMatch, count: usize) -> Placement {
        let lines = fit.line..fit.line + count;
        self.occupied.occupy(lines.clone(), chunk.added_lines());
        let runs = self.run_indexes[fit.rung].as_ref();
        let start = runs.map_or_else(
            || self.index.offset(lines.start),
            |runs| runs.offset(lines.start),
        );
        let bytes = start..self.index.offset_from((lines.start, start), lines.end);
        let left_out = (0, chunk.old.len() - count);
        Placement {
            ignored_context: left_out,
            candidates: fit.candidates,
            ..Placement::new(bytes, lines, fit.rung)
        }
    }
}

#[cfg(test)]
mod tests;
