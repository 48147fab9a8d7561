//! Hunks that name their lines: the rules of git.
//!
//! The order of the search and what ends it are those of `find_pos` and `apply_one_fragment` in
//! git's apply.c. Three things are different: a hunk whose last old line has no terminator fits
//! only at the end of the file; lines that only insert, without any context, go to their stated
//! place or nowhere (git puts them at the end of the file); and with fewer lines of context (`-C`)
//! the stated place is that of the lines that are left.

mod beyond;
mod patch;
mod quest;
#[cfg(test)]
mod tests;

use crate::lines::ladder::{EOF, EXACT, FIXED, PUNCT, TRAILING, WHITESPACE};
use crate::lines::{Comparison, LADDER, LineIndex, Needle, Places, RunIndex, is_at};
use std::collections::HashMap;

use super::covered::{Covered, signed};
use super::level::{Level, levels, stated};
use super::pattern::Pattern;
use super::search::{Found, candidates, nearest};
use super::{Detail, Mismatch, MismatchKind, Placement, Placements, Rules};
use crate::plan::{Anchor, Direction, Hunk, HunkLine};
use patch::{comparison, loose_rungs};
use quest::Quest;

pub(super) use patch::Patch;

/// How often the file is searched from end to end before its lines are hashed once and for all.
const FEW_SEARCHES: usize = 2;

/// Where one of so many hunks or more is off its place, those behind it mostly are: lines are
/// hashed at once.
const MANY: usize = 1000;

/// Places each hunk where its lines are, nearest to the stated line first.
pub(super) fn place(
    index: &LineIndex<'_>,
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    rules: &Rules,
) -> Placements {
    let patch = Patch {
        text,
        hunks,
        direction,
        rules,
    };
    let mut placer = Placer {
        index,
        patch,
        covered: Covered::default(),
        near: (0, 0),
        carried: 0,
        frozen: 0,
        searches: if hunks.len() < MANY { FEW_SEARCHES } else { 0 },
        exact: None,
        loose: HashMap::new(),
    };
    let mut pattern = Pattern::default();
    let mut has_ended = false;
    let outcomes = hunks.iter().map(|hunk| {
        if has_ended || rules.interrupt.is_raised() {
            return Err(Mismatch::not_found());
        }
        pattern.fill(hunk, text, direction);
        let levels = levels(&pattern, hunk, direction, rules);
        let outcome = placer.place(&pattern, placer.stated(hunk), &levels);
        has_ended = outcome.is_err() && rules.detail == Detail::Nothing;
        let mut placement = outcome.map_err(Mismatch::unexplained)?;
        placement.already_at = placer.already_at(hunk, &placement);
        Ok(placement)
    });
    outcomes.collect()
}

struct Placer<'a> {
    index: &'a LineIndex<'a>,
    patch: Patch<'a>,
    covered: Covered,
    /// The line whose offset was asked for last, and this offset.
    near: (usize, usize),
    /// How far from their stated places hunks are looked for.
    carried: isize,
    /// The line of the file behind the last change of the hunk before.
    frozen: usize,
    /// How often the file may still be searched from end to end.
    searches: usize,
    exact: Option<RunIndex<'a>>,
    /// One for each rung that was tried.
    loose: HashMap<usize, RunIndex<'a>>,
}

/// Where lines may stand in a file.
enum Field {
    Anywhere,
    Only(usize),
    Nowhere,
}

impl Placer<'_> {
    /// Returns where a hunk is said to be, in the file as the hunks so far left it: its new lines
    /// say it to git, its old ones to GNU patch, whose hunks keep their order, and in normal diffs.
    fn stated(&self, hunk: &Hunk) -> isize {
        let direction = self.patch.direction;
        let old = || stated(hunk.preimage_range(direction));
        match (self.patch.rules.as_gnu, &hunk.anchor) {
            (true, _) => signed(old()).saturating_add(self.covered.change()),
            (false, Anchor::Bare) => self.covered.running(old()),
            (false, _) => signed(stated(hunk.postimage_range(direction))),
        }
    }

    fn place(
        &mut self,
        pattern: &Pattern<'_>,
        stated: isize,
        levels: &[Level],
    ) -> Result<Placement, MismatchKind> {
        let mut is_blocked = false;
        for level in levels {
            self.covered.floor = self.floor(pattern, level);
            let stated = stated
                .saturating_add(signed(level.lines.start))
                .saturating_add(self.carried);
            let quest = Quest {
                pattern,
                level,
                stated,
            };
            let mut rung = EXACT;
            let mut found = self.find_exactly(&quest);
            is_blocked |= found.is_blocked;
            for looser in loose_rungs(self.patch.rules) {
                if found.line.is_some() || quest.count() == 0 {
                    break;
                }
                rung = looser;
                found = self.find_loosely(&quest, rung);
                is_blocked |= found.is_blocked;
            }
            if let Some(line) = found.line {
                return self.settle(&quest, line, rung, found.candidates);
            }
            if let Some(placement) = self.find_beyond(&quest) {
                return Ok(placement);
            }
        }
        Err(if is_blocked {
            MismatchKind::Overlap
        } else {
            MismatchKind::NotFound
        })
    }

    /// Returns the first line where a hunk may be. For GNU patch hunks keep their order, and the
    /// more context of one is left out, the further its change has to be behind the one before:
    /// seen beside it, as in `tests/it/gnu/beside.rs`.
    fn floor(&self, pattern: &Pattern<'_>, level: &Level) -> usize {
        let left_out = level.lines.start;
        if !self.patch.rules.as_gnu {
            return 0;
        }
        left_out + (self.frozen + left_out).saturating_sub(pattern.leading)
    }

    fn find_exactly(&mut self, quest: &Quest<'_>) -> Found {
        if !quest.is_whole() {
            return Found::default();
        }
        match self.field(quest, EXACT) {
            Field::Nowhere => Found::default(),
            Field::Only(line) => self.check_exactly(quest, line),
            Field::Anywhere => {
                let at_stated = self.check_exactly(quest, self.covered.original(quest.stated));
                let is_there = at_stated
                    .line
                    .is_some_and(|line| self.covered.running(line) == quest.stated);
                // With context left out the stated place is one of several guesses.
                if (is_there && !quest.level.is_fuzzy) || quest.last().is_none() {
                    at_stated
                } else {
                    self.search(quest)
                }
            }
        }
    }

    /// Returns the stated line if the result of `hunk` is there, although the hunk fits in one other
    /// place: its patch may be applied already. git applies such a hunk. GNU patch asks about such a
    /// patch only if its first hunk fails.
    fn already_at(&mut self, hunk: &Hunk, placement: &Placement) -> Option<usize> {
        let Patch {
            text,
            direction,
            rules,
            ..
        } = self.patch;
        if placement.offset == 0 || placement.candidates.len() > 1 || rules.as_gnu {
            return None;
        }
        let range = hunk.postimage_range(direction);
        let stated = range.start.checked_sub(1).filter(|_| range.count > 0)?;
        let mut rest = &self.index.text()[self.offset(stated)..];
        for line in hunk.lines(text, direction).filter(HunkLine::is_new) {
            rest = rest.strip_prefix(line.text)?;
        }
        Some(stated).filter(|line| !placement.lines.contains(line))
    }

    /// Takes `line` for the place if the lines are there byte for byte, and if they may be.
    fn check_exactly(&mut self, quest: &Quest<'_>, line: usize) -> Found {
        let is_there = is_at(self.index, self.offset(line), quest.lines());
        self.check(quest, line, is_there)
    }

    /// Returns where a line starts: counted from the line before that was asked for, which is near
    /// where hunks are in order.
    fn offset(&mut self, line: usize) -> usize {
        self.near = (line, self.index.offset_from(self.near, line));
        self.near.1
    }

    fn find_loosely(&mut self, quest: &Quest<'_>, rung: usize) -> Found {
        if rung == EOF && !quest.last().is_some_and(|line| line.ends_with(b"\n")) {
            return Found::default();
        }
        let field = self.field(quest, rung);
        let comparison = comparison(rung, self.patch.rules);
        let known = self.loose.remove(&rung);
        let mut index = known.unwrap_or_else(|| self.patch.run_index(self.index, comparison));
        let places = index.places(quest.lines());
        let found = match field {
            Field::Nowhere => Found::default(),
            Field::Only(line) => self.check(quest, line, places.is_at(line)),
            Field::Anywhere => self.around(&places, quest.stated),
        };
        self.loose.insert(rung, index);
        found
    }

    /// Returns where the lines may stand; lines without a last terminator, where that counts, only
    /// at the end.
    fn field(&self, quest: &Quest<'_>, rung: usize) -> Field {
        let is_open = rung == EXACT && quest.last().is_some_and(|line| !line.ends_with(b"\n"));
        let Some(last) = self.index.count().checked_sub(quest.count()) else {
            return Field::Nowhere;
        };
        match (quest.level.is_at_start, quest.level.is_at_end || is_open) {
            (true, true) if last > 0 => Field::Nowhere,
            (true, _) => Field::Only(0),
            (false, true) => Field::Only(last),
            (false, false) => Field::Anywhere,
        }
    }

    /// Takes `line` for the place if the lines are there, if it is still at the end of the file
    /// where it has to be one, and if no hunk went there.
    fn check(&self, quest: &Quest<'_>, line: usize, is_there: bool) -> Found {
        let running = self.covered.running(line);
        let end = self.covered.running(self.index.count());
        // As in git, the start of the file is meant whatever the new side of the header says.
        let is_elsewhere = !quest.level.is_at_start && running != quest.stated;
        let is_astray = line < self.covered.floor
            || (quest.level.is_at_start && running != 0)
            || (quest.level.is_at_end && running + signed(quest.count()) != end)
            || (quest.count() == 0 && (is_elsewhere || line > self.index.count()));
        if is_astray || !is_there {
            return Found::default();
        }
        match self.covered.obstacle(&(line..line + quest.count())) {
            Some(_) => Found {
                is_blocked: true,
                ..Found::default()
            },
            None => Found {
                line: Some(line),
                candidates: Vec::new(),
                is_blocked: false,
            },
        }
    }

    /// Searches all of the file, byte for byte.
    fn search(&mut self, quest: &Quest<'_>) -> Found {
        if let Some(left) = self.searches.checked_sub(1) {
            self.searches = left;
            let anchored = [b"\n", &quest.lines().concat()[..]].concat();
            return self.around(
                &Needle::new(self.index, &anchored, quest.count()),
                quest.stated,
            );
        }
        let comparison = Comparison::strict(EXACT);
        let mut index = self
            .exact
            .take()
            .unwrap_or_else(|| self.patch.run_index(self.index, comparison));
        let found = self.around(&index.places(quest.lines()), quest.stated);
        self.exact = Some(index);
        found
    }

    fn around(&self, places: &impl Places, stated: isize) -> Found {
        let mut found = nearest(places, &self.covered, stated);
        found.candidates = found
            .line
            .map_or_else(Vec::new, |line| candidates(places, &self.covered, line, 0));
        found
    }

    /// Takes the lines, unless another place is as good and the rules want only one.
    fn settle(
        &mut self,
        quest: &Quest<'_>,
        line: usize,
        rung: usize,
        candidates: Vec<usize>,
    ) -> Result<Placement, MismatchKind> {
        let offset = self.covered.running(line) - quest.stated + self.carried;
        let wants_one = quest.level.is_fuzzy
            || (TRAILING..=PUNCT).contains(&rung)
            || (offset != 0 && (self.patch.rules.unique || matches!(rung, WHITESPACE | FIXED)));
        let name = LADDER[rung].name;
        if wants_one && candidates.len() > 1 {
            return Err(MismatchKind::Ambiguous {
                lines: candidates,
                rung: name,
            });
        }
        let lines = line..line + quest.count();
        let start = match &self.exact {
            Some(index) if rung == EXACT => index.offset(lines.start),
            _ => self.offset(lines.start),
        };
        let end = match rung {
            EXACT => start + quest.lines().iter().map(|line| line.len()).sum::<usize>(),
            _ => self.offset(lines.end),
        };
        self.covered.take(lines.clone(), quest.pattern.change);
        self.carried = if self.patch.rules.as_gnu { offset } else { 0 };
        let context = quest
            .pattern
            .trailing
            .saturating_sub(quest.pattern.count() - quest.level.lines.end);
        self.frozen = lines.end - context.min(quest.count());
        Ok(Placement {
            bytes: start..end,
            lines,
            offset,
            left_out: (
                quest.level.lines.start,
                quest.pattern.count() - quest.level.lines.end,
            ),
            rung: name,
            candidates: match offset {
                0 => Vec::new(),
                _ if candidates.is_empty() => vec![line],
                _ => candidates,
            },
            beyond: 0,
            already_at: None,
        })
    }
}
