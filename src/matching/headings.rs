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
mod tests {
    use super::super::testing::codex;
    use super::*;

    fn kinds(file: &str, chunks: &[(&[&str], &str)]) -> Vec<Result<usize, MismatchKind>> {
        let section = codex(chunks);
        let index = LineIndex::new(file.as_bytes());
        let placements = place(
            &index,
            &section.text,
            &section.hunks,
            Direction::Forward,
            &Rules::default(),
        );
        placements
            .into_iter()
            .map(|place| {
                place
                    .map(|place| place.lines.start)
                    .map_err(|error| error.kind)
            })
            .collect()
    }

    #[test]
    fn an_exact_place_further_down_beats_a_loose_one() {
        assert_eq!(kinds("  a\nx\na\n", &[(&[], "-a\n+A\n")]), [Ok(2)]);
    }

    #[test]
    fn of_equal_places_none_is_taken() {
        let expected = MismatchKind::Ambiguous {
            lines: vec![0, 2],
            rung: "exact",
        };
        assert_eq!(kinds("x\ny\nx\n", &[(&[], "-x\n+X\n")]), [Err(expected)]);
    }

    #[test]
    fn repeated_lines_are_taken_in_order_if_each_has_its_hunk() {
        assert_eq!(
            kinds("k\nx\nm\nx\n", &[(&[], "-x\n+1\n"), (&[], "-x\n+2\n")]),
            [Ok(1), Ok(3)]
        );
        let changes: [(&[&str], _); 3] =
            ["-x\n+1\n", "-x\n+2\n", "-x\n+3\n"].map(|change| (&[][..], change));
        assert_eq!(kinds("k\nx\nm\nx\nx\n", &changes), [Ok(1), Ok(3), Ok(4)]);
    }

    #[test]
    fn headings_narrow_one_after_the_other() {
        let file = "class A:\n  def run():\n    1\nclass B:\n  def run():\n    1\n";
        assert_eq!(
            kinds(file, &[(&["class B:", "def run():"], "-    1\n+    2\n")]),
            [Ok(5)]
        );
        let missing = MismatchKind::HeadingNotFound {
            heading: b"class C:".to_vec(),
            above: None,
        };
        assert_eq!(kinds(file, &[(&["class C:"], "-    1\n")]), [Err(missing)]);
        let above = MismatchKind::HeadingNotFound {
            heading: b"class A:".to_vec(),
            above: Some(0),
        };
        let changes: [(&[&str], &str); 2] =
            [(&["class B:"], "-    1\n"), (&["class A:"], "-    1\n")];
        assert_eq!(kinds(file, &changes), [Ok(5), Err(above)]);
    }

    #[test]
    fn an_addition_goes_below_its_heading_or_to_the_end() {
        assert_eq!(
            kinds("a\nb\n", &[(&["a"], "+x\n"), (&[], "+y\n"), (&[], "-b\n")]),
            [Ok(1), Ok(2), Ok(1)]
        );
    }

    #[test]
    fn a_blank_line_that_sets_chunks_apart_is_dropped() {
        assert_eq!(
            kinds("a\nb\nc\n", &[(&[], "-a\n+A\n\n"), (&[], "-c\n+C\n\n")]),
            [Ok(0), Ok(2)]
        );
    }

    #[test]
    fn the_mark_does_not_hide_the_first_line() {
        assert_eq!(kinds("\u{feff}a\nb\n", &[(&[], "-a\n+A\n")]), [Ok(0)]);
    }

    #[test]
    fn what_a_hunk_took_is_gone() {
        let chunks: [(&[&str], &str); 2] = [(&[], "-a\n-b\n+AB\n"), (&[], "-b\n-c\n+BC\n")];
        assert_eq!(
            kinds("a\nb\nc\n", &chunks),
            [Ok(0), Err(MismatchKind::Overlap)]
        );
    }

    #[test]
    fn the_end_of_the_file_is_the_only_place_of_a_hunk_that_names_it() {
        let mut section = codex(&[(&[], "-a\n+A\n")]);
        section.hunks[0].anchor = Anchor::Headings {
            headings: Box::default(),
            at_end: true,
        };
        let placed = |file: &[u8]| {
            let placements = place(
                &LineIndex::new(file),
                &section.text,
                &section.hunks,
                Direction::Forward,
                &Rules::default(),
            );
            placements
                .into_iter()
                .next()
                .unwrap()
                .map(|place| place.lines)
                .map_err(|error| error.kind)
        };
        assert_eq!(placed(b"a\nx\na\n"), Ok(2..3));
        assert_eq!(placed(b"a\nx\n"), Err(MismatchKind::NotFound));
    }

    #[test]
    fn a_hunk_is_refused_where_its_depth_cannot_be_known() {
        let file = "def f():\n\tx\n";
        assert_eq!(
            kinds(file, &[(&[], " def f():\n     x\n+        y\n")]),
            [Err(MismatchKind::NotFound)]
        );
    }
}
