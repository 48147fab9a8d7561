//! Hunks that name the headings above them: the rules of Codex, with no guess between equal places.
//!
//! Hunks go down the file, each behind the one before. A heading is found like any other line, the
//! first behind the hunk before; without one, a hunk has to have one place only, or the hunk has to
//! come again for each of its places.

use crate::lines::ladder::{EXACT, INDENT, PUNCT};
use crate::lines::{Comparison, LADDER, LineIndex, Places, RunHash, RunIndex, Rung};
use std::cell::OnceCell;
use std::collections::HashMap;

use super::covered::Covered;
use super::reindent::Reindent;
use super::search::candidates;
use super::{Detail, Mismatch, MismatchKind, Placement, Placements, Rules};
use crate::interrupt::Interrupt;
use crate::plan::{Anchor, Direction, Hunk, HunkLine, LineKind};

/// Places each hunk behind the one before it.
pub(super) fn place(
    index: &LineIndex<'_>,
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    rules: &Rules,
) -> Placements {
    let chunks: Vec<_> = hunks
        .iter()
        .map(|hunk| Chunk::new(hunk, text, direction))
        .collect();
    let alike = Alike {
        chunks: &chunks,
        places: OnceCell::new(),
    };
    let ladder = (0..=PUNCT).map(|_| None).collect();
    let mut placer = Placer {
        index,
        chunks: &chunks,
        ladder,
        covered: Covered::default(),
        cursor: 0,
        interrupt: &rules.interrupt,
    };
    let mut has_ended = false;
    let outcomes = chunks.iter().enumerate().map(|(at, chunk)| {
        if has_ended || rules.interrupt.is_raised() {
            return Err(Mismatch::not_found());
        }
        let outcome = placer.place(chunk, || alike.count_from(at));
        has_ended = outcome.is_err() && rules.detail == Detail::Nothing;
        outcome.map_err(Mismatch::unexplained)
    });
    outcomes.collect()
}

/// Chunks that have nothing but the same old lines to say where they belong.
struct Alike<'a> {
    chunks: &'a [Chunk<'a>],
    /// Their indexes, in order, by those lines: worked out when lines have several places, as few
    /// have.
    places: OnceCell<HashMap<&'a [&'a [u8]], Vec<usize>>>,
}

impl Alike<'_> {
    /// Returns how many from `at` on, which is one of them, are like it; 0 if it is none.
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
struct Chunk<'a> {
    headings: Vec<&'a [u8]>,
    is_at_end: bool,
    lines: Vec<HunkLine<'a>>,
    old: Vec<&'a [u8]>,
}

impl<'a> Chunk<'a> {
    fn new(hunk: &Hunk, text: &'a [u8], direction: Direction) -> Self {
        let (headings, is_at_end) = match &hunk.anchor {
            Anchor::Line | Anchor::Bare => (Vec::new(), false),
            Anchor::Headings { headings, at_end } => {
                (headings.iter().map(|span| span.of(text)).collect(), *at_end)
            }
        };
        let lines: Vec<_> = hunk.lines(text, direction).collect();
        let old = lines
            .iter()
            .filter(|line| line.is_old())
            .map(|line| line.text)
            .collect();
        Self {
            headings,
            is_at_end,
            lines,
            old,
        }
    }

    /// Whether nothing but its old lines says where it belongs.
    fn is_bare(&self) -> bool {
        self.headings.is_empty() && !self.is_at_end
    }

    /// The old lines without a blank line of context at their end, if there is one: the patch may
    /// only have it to set its parts apart.
    fn without_last_blank(&self) -> Option<&[&'a [u8]]> {
        let last = self.lines.iter().rfind(|line| line.is_old())?;
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

    fn change(&self) -> isize {
        self.lines
            .iter()
            .map(|line| isize::from(line.is_new()) - isize::from(line.is_old()))
            .sum()
    }
}

struct Placer<'a> {
    index: &'a LineIndex<'a>,
    chunks: &'a [Chunk<'a>],
    /// The file as each rung of the ladder sees it, as far as it was needed.
    ladder: Vec<Option<RunIndex<'a>>>,
    covered: Covered,
    /// The first line that the next heading or hunk may have.
    cursor: usize,
    interrupt: &'a Interrupt,
}

/// A place, the rung that found it, and the places that are as good.
struct Fit {
    line: usize,
    rung: usize,
    candidates: Vec<usize>,
}

impl<'a> Placer<'a> {
    /// Places one chunk; `alike` says how many chunks from this one on have the same old lines.
    fn place(
        &mut self,
        chunk: &Chunk<'a>,
        alike: impl Fn() -> usize,
    ) -> Result<Placement, MismatchKind> {
        for heading in &chunk.headings {
            self.cursor = 1 + self.heading(heading)?;
        }
        if chunk.old.is_empty() {
            let has_place = !chunk.headings.is_empty() && !chunk.is_at_end;
            let line = if has_place {
                self.cursor
            } else {
                self.index.count()
            };
            return Ok(self.settle(
                chunk,
                Fit {
                    line,
                    rung: 0,
                    candidates: Vec::new(),
                },
                0,
            ));
        }
        let (fit, count) = match self.fit(chunk, &chunk.old, &alike)? {
            Some(fit) => (Some(fit), chunk.old.len()),
            None => match chunk.without_last_blank() {
                Some(old) => (self.fit(chunk, old, &alike)?, old.len()),
                None => (None, 0),
            },
        };
        let fit = fit.ok_or_else(|| self.refusal(chunk))?;
        if fit.rung >= INDENT {
            let indent = Reindent::new(&chunk.old[..count], self.index.lines_from(fit.line));
            if !chunk.insertions().all(|line| indent.apply(line).is_some()) {
                return Err(MismatchKind::NotFound);
            }
        }
        self.cursor = fit.line + count;
        Ok(self.settle(chunk, fit, count))
    }

    /// Says why a chunk has no place behind the cursor.
    fn refusal(&mut self, chunk: &Chunk<'a>) -> MismatchKind {
        let line = self.run_index(EXACT).places(&chunk.old).next(0);
        let taken = line.and_then(|line| self.covered.obstacle(&(line..line + chunk.old.len())));
        if taken.is_some() {
            MismatchKind::Overlap
        } else {
            MismatchKind::NotFound
        }
    }

    fn heading(&mut self, heading: &'a [u8]) -> Result<usize, MismatchKind> {
        let (cursor, wanted) = (self.cursor, [heading]);
        let mut find =
            |from| (0..=PUNCT).find_map(|rung| self.run_index(rung).places(&wanted).next(from));
        find(cursor).ok_or_else(|| MismatchKind::HeadingNotFound {
            heading: heading.to_vec(),
            above: find(0),
        })
    }

    /// Finds lines on the first rung that has them.
    fn fit(
        &mut self,
        chunk: &Chunk<'a>,
        old: &[&'a [u8]],
        alike: impl Fn() -> usize,
    ) -> Result<Option<Fit>, MismatchKind> {
        let last = self
            .index
            .count()
            .checked_sub(old.len())
            .filter(|&last| last >= self.cursor);
        let Some(last) = last else { return Ok(None) };
        let (cursor, no_cover) = (self.cursor, Covered::default());
        for (rung, Rung { name, .. }) in LADDER.iter().enumerate().take(PUNCT + 1) {
            let places = self.run_index(rung).places(old);
            if chunk.is_at_end {
                if places.is_at(last) {
                    return Ok(Some(Fit {
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
            let number = places.count_from(cursor);
            if number <= 1 || number == alike() {
                return Ok(Some(Fit {
                    line,
                    rung,
                    candidates: Vec::new(),
                }));
            }
            let lines = candidates(&places, &no_cover, line, cursor);
            if chunk.headings.is_empty() && lines.len() > 1 {
                return Err(MismatchKind::Ambiguous { lines, rung: name });
            }
            return Ok(Some(Fit {
                line,
                rung,
                candidates: lines,
            }));
        }
        Ok(None)
    }

    fn run_index(&mut self, rung: usize) -> &mut RunIndex<'a> {
        let (index, chunks, interrupt) = (self.index, self.chunks, self.interrupt);
        self.ladder[rung].get_or_insert_with(|| {
            let comparison = Comparison::loose(rung);
            let hash = |lines: &[&[u8]]| RunHash::new(comparison, lines);
            let headings = chunks
                .iter()
                .flat_map(|chunk| chunk.headings.iter().map(|&heading| hash(&[heading])));
            let blocks = chunks
                .iter()
                .flat_map(|chunk| [Some(&chunk.old[..]), chunk.without_last_blank()]);
            let expected = headings.chain(blocks.flatten().map(hash));
            RunIndex::new(index, comparison, expected, interrupt)
        })
    }

    fn settle(&mut self, chunk: &Chunk<'a>, fit: Fit, count: usize) -> Placement {
        let lines = fit.line..fit.line + count;
        self.covered.take(lines.clone(), chunk.change());
        let runs = self.ladder[fit.rung].as_ref();
        let start = runs.map_or_else(
            || self.index.offset(lines.start),
            |runs| runs.offset(lines.start),
        );
        let bytes = start..self.index.offset_from((lines.start, start), lines.end);
        let left_out = (0, chunk.old.len() - count);
        Placement {
            left_out,
            candidates: fit.candidates,
            ..Placement::new(bytes, lines, fit.rung)
        }
    }
}

#[cfg(test)]
mod tests;
