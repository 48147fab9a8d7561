//! Hunks that name their lines: the rules of git.
//!
//! The order of the search and what ends it are those of `find_pos` and `apply_one_fragment` in git's apply.c.
//! Three things are different: a hunk whose last old line has no terminator fits only at the end of the file;
//! lines that only insert, without any context, go to their stated place or nowhere (git puts them at the end of the
//! file); and with fewer lines of context (`-C`) the stated place is that of the lines that are left.

use super::covered::{Covered, signed};
use super::index::LineIndex;
use super::ladder::{EXACT, LADDER};
use super::level::{Level, levels, stated};
use super::pattern::Pattern;
use super::search::{Found, Needle, candidates, is_at, nearest};
use super::{Mismatch, MismatchKind, Placement, Placements, Rules};
use crate::plan::{Direction, Hunk};

/// Places each hunk where its lines are, nearest to the stated line first.
pub(super) fn place(
    index: &LineIndex<'_>,
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    rules: &Rules,
) -> Placements {
    let mut placer = Placer { index, rules, covered: Covered::default() };
    let outcomes = hunks.iter().map(|hunk| {
        let pattern = Pattern::new(hunk, text, direction);
        let levels = levels(&pattern, hunk.preimage_range(direction), rules);
        placer.place(&pattern, signed(stated(hunk.postimage_range(direction))), &levels)
    });
    outcomes.map(|outcome| outcome.map_err(unexplained)).collect()
}

fn unexplained(kind: MismatchKind) -> Box<Mismatch> {
    Box::new(Mismatch { kind, expected: Vec::new(), nearest: None })
}

struct Placer<'a> {
    index: &'a LineIndex<'a>,
    rules: &'a Rules,
    covered: Covered,
}

impl Placer<'_> {
    fn place(&mut self, pattern: &Pattern, stated: isize, levels: &[Level]) -> Result<Placement, MismatchKind> {
        let mut is_blocked = false;
        for level in levels {
            let start = stated.saturating_add(signed(level.lines.start));
            let found = self.find(pattern, level, start);
            is_blocked |= found.is_blocked;
            if let Some(line) = found.line {
                let offset = self.covered.running(line) - start;
                return self.settle(pattern, level, line, offset, found.candidates);
            }
        }
        Err(if is_blocked { MismatchKind::Overlap } else { MismatchKind::NotFound })
    }

    fn find(&self, pattern: &Pattern, level: &Level, stated: isize) -> Found {
        let lines = level.lines.clone();
        if lines.len() > self.index.count() || !pattern.is_whole(&lines) {
            return Found::default();
        }
        let last = self.index.count() - lines.len();
        let wanted = pattern.bytes(lines.clone());
        let is_last = level.is_at_end || !(wanted.is_empty() || wanted.ends_with(b"\n"));
        match (level.is_at_start, is_last) {
            (true, true) if last > 0 => Found::default(),
            (true, _) => self.only(pattern, level, 0, stated),
            (_, true) => self.only(pattern, level, last, stated),
            _ => self.around(pattern, level, stated),
        }
    }

    /// Looks at the only line where the hunk may stand.
    fn only(&self, pattern: &Pattern, level: &Level, line: usize, stated: isize) -> Found {
        let running = self.covered.running(line);
        let end = self.covered.running(self.index.count());
        let is_astray = (level.is_at_start && running != 0)
            || (level.is_at_end && running + signed(level.lines.len()) != end)
            || (level.lines.is_empty() && running != stated);
        if is_astray || !is_at(self.index, line, pattern.bytes(level.lines.clone())) {
            return Found::default();
        }
        match self.covered.obstacle(&(line..line + level.lines.len())) {
            Some(_) => Found { is_blocked: true, ..Found::default() },
            None => Found { line: Some(line), candidates: vec![line], is_blocked: false },
        }
    }

    fn around(&self, pattern: &Pattern, level: &Level, stated: isize) -> Found {
        let start = self.covered.original(stated);
        let at_stated = self.only(pattern, level, start.min(self.index.count() - level.lines.len()), stated);
        if level.lines.is_empty() || at_stated.line.is_some_and(|line| self.covered.running(line) == stated) {
            return at_stated;
        }
        let mut anchored = vec![b'\n'];
        anchored.extend_from_slice(pattern.bytes(level.lines.clone()));
        let needle = Needle::new(self.index, &anchored, level.lines.len());
        let mut found = nearest(&needle, &self.covered, stated);
        found.candidates = found.line.map_or_else(Vec::new, |line| candidates(&needle, &self.covered, line, 0));
        found
    }

    /// Takes the lines, unless another place is as good and the rules want only one.
    fn settle(
        &mut self,
        pattern: &Pattern,
        level: &Level,
        line: usize,
        offset: isize,
        candidates: Vec<usize>,
    ) -> Result<Placement, MismatchKind> {
        let rung = LADDER[EXACT].name;
        if offset != 0 && candidates.len() > 1 && (self.rules.unique || level.is_fuzzy) {
            return Err(MismatchKind::Ambiguous { lines: candidates, rung });
        }
        let lines = line..line + level.lines.len();
        self.covered.take(lines.clone(), pattern.change);
        Ok(Placement {
            bytes: self.index.bytes(lines.clone()),
            lines,
            offset,
            left_out: (level.lines.start, pattern.count() - level.lines.end),
            rung,
            candidates: if offset == 0 { Vec::new() } else { candidates },
        })
    }
}
