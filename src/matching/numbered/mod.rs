//! Hunks that name their lines: the rules of git.
//!
//! The order of the search and what ends it are those of `find_pos` and `apply_one_fragment` in git's apply.c.
//! Three things are different: a hunk whose last old line has no terminator fits only at the end of the file;
//! lines that only insert, without any context, go to their stated place or nowhere (git puts them at the end of the
//! file); and with fewer lines of context (`-C`) the stated place is that of the lines that are left.

mod beyond;
mod patch;
mod quest;

use std::collections::HashMap;

use super::covered::{Covered, signed};
use super::hashes::Comparison;
use super::index::LineIndex;
use super::ladder::{EOF, EXACT, FIXED, LADDER, PUNCT, TRAILING, WHITESPACE};
use super::level::{Level, levels, stated};
use super::pattern::Pattern;
use super::search::{Found, Needle, Places, candidates, is_at, nearest};
use super::windows::Windows;
use super::{Detail, Mismatch, MismatchKind, Placement, Placements, Rules};
use crate::plan::{Anchor, Direction, Hunk};
use patch::{comparison, loose_rungs};
use quest::Quest;

pub(super) use patch::Patch;

/// How often the file is searched from end to end before its lines are hashed once and for all.
const FEW_SEARCHES: usize = 2;

/// Where one of so many hunks or more is off its place, those behind it mostly are: lines are hashed at once.
const MANY: usize = 1000;

/// Places each hunk where its lines are, nearest to the stated line first.
pub(super) fn place(
    index: &LineIndex<'_>,
    text: &[u8],
    hunks: &[Hunk],
    direction: Direction,
    rules: &Rules,
) -> Placements {
    let patch = Patch { text, hunks, direction, rules };
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
        if has_ended || (rules.is_stopped)() {
            return Err(Mismatch::not_found());
        }
        pattern.fill(hunk, text, direction);
        let levels = levels(&pattern, hunk, direction, rules);
        let outcome = placer.place(&pattern, placer.stated(hunk), &levels);
        has_ended = outcome.is_err() && rules.detail == Detail::Nothing;
        outcome.map_err(Mismatch::unexplained)
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
    exact: Option<Windows<'a>>,
    /// One for each rung that was tried.
    loose: HashMap<usize, Windows<'a>>,
}

/// Where lines may stand in a file.
enum Field {
    Anywhere,
    Only(usize),
    Nowhere,
}

impl Placer<'_> {
    /// Returns where a hunk is said to be, in the file as the hunks so far left it: its new lines say it to git, its old ones
    /// to GNU patch, whose hunks keep their order, and in normal diffs.
    fn stated(&self, hunk: &Hunk) -> isize {
        let direction = self.patch.direction;
        let old = || stated(hunk.preimage_range(direction));
        match (self.patch.rules.as_gnu, &hunk.anchor) {
            (true, _) => signed(old()).saturating_add(self.covered.change()),
            (false, Anchor::Bare) => self.covered.running(old()),
            (false, _) => signed(stated(hunk.postimage_range(direction))),
        }
    }

    fn place(&mut self, pattern: &Pattern<'_>, stated: isize, levels: &[Level]) -> Result<Placement, MismatchKind> {
        let mut is_blocked = false;
        for level in levels {
            self.covered.floor = self.floor(pattern, level);
            let stated = stated.saturating_add(signed(level.lines.start)).saturating_add(self.carried);
            let quest = Quest { pattern, level, stated };
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
        Err(if is_blocked { MismatchKind::Overlap } else { MismatchKind::NotFound })
    }

    /// Returns the first line where a hunk may be. For GNU patch hunks keep their order, and the more context of one is left
    /// out, the further its change has to be behind the one before: seen beside it, as in `tests/it/gnu/beside.rs`.
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
                let is_there = at_stated.line.is_some_and(|line| self.covered.running(line) == quest.stated);
                // With context left out the stated place is one of several guesses.
                if (is_there && !quest.level.is_fuzzy) || quest.last().is_none() {
                    at_stated
                } else {
                    self.search(quest)
                }
            }
        }
    }

    /// Takes `line` for the place if the lines are there byte for byte, and if they may be.
    fn check_exactly(&mut self, quest: &Quest<'_>, line: usize) -> Found {
        let is_there = is_at(self.index, self.offset(line), quest.lines());
        self.check(quest, line, is_there)
    }

    /// Returns where a line starts: counted from the line before that was asked for, which is near where hunks are in order.
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
        let mut windows = known.unwrap_or_else(|| self.patch.windows(self.index, comparison));
        let places = windows.places(quest.lines());
        let found = match field {
            Field::Nowhere => Found::default(),
            Field::Only(line) => self.check(quest, line, places.is_at(line)),
            Field::Anywhere => self.around(&places, quest.stated),
        };
        self.loose.insert(rung, windows);
        found
    }

    /// Returns where the lines may stand; lines without a last terminator, where that counts, only at the end.
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

    /// Takes `line` for the place if the lines are there, if it is still at the end of the file where it has to be
    /// one, and if no hunk went there.
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
            Some(_) => Found { is_blocked: true, ..Found::default() },
            None => Found { line: Some(line), candidates: Vec::new(), is_blocked: false },
        }
    }

    /// Searches all of the file, byte for byte.
    fn search(&mut self, quest: &Quest<'_>) -> Found {
        if let Some(left) = self.searches.checked_sub(1) {
            self.searches = left;
            let anchored = [b"\n", &quest.lines().concat()[..]].concat();
            return self.around(&Needle::new(self.index, &anchored, quest.count()), quest.stated);
        }
        let comparison = Comparison::strict(EXACT);
        let mut windows = self.exact.take().unwrap_or_else(|| self.patch.windows(self.index, comparison));
        let found = self.around(&windows.places(quest.lines()), quest.stated);
        self.exact = Some(windows);
        found
    }

    fn around(&self, places: &impl Places, stated: isize) -> Found {
        let mut found = nearest(places, &self.covered, stated);
        found.candidates = found.line.map_or_else(Vec::new, |line| candidates(places, &self.covered, line, 0));
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
            return Err(MismatchKind::Ambiguous { lines: candidates, rung: name });
        }
        let lines = line..line + quest.count();
        let start = match &self.exact {
            Some(windows) if rung == EXACT => windows.offset(lines.start),
            _ => self.offset(lines.start),
        };
        let end = match rung {
            EXACT => start + quest.lines().iter().map(|line| line.len()).sum::<usize>(),
            _ => self.offset(lines.end),
        };
        self.covered.take(lines.clone(), quest.pattern.change);
        self.carried = if self.patch.rules.as_gnu { offset } else { 0 };
        let context = quest.pattern.trailing.saturating_sub(quest.pattern.count() - quest.level.lines.end);
        self.frozen = lines.end - context.min(quest.count());
        Ok(Placement {
            bytes: start..end,
            lines,
            offset,
            left_out: (quest.level.lines.start, quest.pattern.count() - quest.level.lines.end),
            rung: name,
            candidates: match offset {
                0 => Vec::new(),
                _ if candidates.is_empty() => vec![line],
                _ => candidates,
            },
            beyond: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Section;
    use super::super::{MOST_CANDIDATES, place};
    use super::*;

    fn placed(file: &str, bodies: &[(&str, usize)], rules: &Rules) -> Vec<Result<Placement, MismatchKind>> {
        let mut section = Section::default();
        for &(body, line) in bodies {
            section.push(body, line, line);
        }
        let placements = place(file.as_bytes(), &section.text, &section.hunks, Direction::Forward, rules);
        placements.into_iter().map(|place| place.map_err(|mismatch| mismatch.kind)).collect()
    }

    fn at(line: usize, count: usize, offset: isize, candidates: &[usize]) -> Placement {
        let (lines, candidates) = (line..line + count, candidates.to_vec());
        let bytes = 2 * line..2 * (line + count);
        Placement { bytes, lines, offset, left_out: (0, 0), rung: "exact", candidates, beyond: 0 }
    }

    const BODY: &str = " a\n-b\n+x\n c\n";

    #[test]
    fn the_stated_place_wins_and_then_the_nearest() {
        let file = "0\na\nb\nc\n0\n0\na\nb\nc\n0\n";
        let rules = Rules::default();
        assert_eq!(placed(file, &[(BODY, 7)], &rules), [Ok(at(6, 3, 0, &[]))]);
        assert_eq!(placed(file, &[(BODY, 3)], &rules), [Ok(at(1, 3, -1, &[1, 6]))]);
        assert_eq!(placed(file, &[(BODY, 5)], &rules), [Ok(at(6, 3, 2, &[1, 6]))]);
        let unique = Rules { unique: true, ..rules };
        let ambiguous = MismatchKind::Ambiguous { lines: vec![1, 6], rung: "exact" };
        assert_eq!(placed(file, &[(BODY, 3)], &unique), [Err(ambiguous)]);
        assert_eq!(placed(file, &[(BODY, 7)], &unique), [Ok(at(6, 3, 0, &[]))]);
    }

    #[test]
    fn the_old_lines_say_the_place_to_gnu_patch_and_in_normal_diffs() {
        let mut section = Section::default();
        section.push("-a\n+x\n+y\n", 4, 1);
        section.push("-c\n+z\n", 7, 3);
        let offsets = |section: &Section, rules: &Rules| {
            let placements = place(b"a\nb\nc\nd\n", &section.text, &section.hunks, Direction::Forward, rules);
            placements.into_iter().map(|place| place.unwrap().offset).collect::<Vec<_>>()
        };
        assert_eq!(offsets(&section, &Rules { zero_context: true, ..Rules::default() }), [0, 1]);
        assert_eq!(offsets(&section, &Rules { as_gnu: true, ..Rules::default() }), [-3, -4]);
        section.hunks.iter_mut().for_each(|hunk| hunk.anchor = Anchor::Bare);
        assert_eq!(offsets(&section, &Rules::default()), [-3, -4]);
        // What another hunk made behind a place does not move it.
        let mut section = Section::default();
        section.push("+x\n+y\n", 3, 4);
        section.push("-a\n+z\n", 1, 1);
        section.hunks.iter_mut().for_each(|hunk| hunk.anchor = Anchor::Bare);
        let places = place(b"a\nb\na\na\n", &section.text, &section.hunks, Direction::Forward, &Rules::default());
        assert_eq!(places[1].as_ref().unwrap().lines, 0..1);
    }

    #[test]
    fn many_hunks_are_placed_as_few() {
        let bodies: Vec<_> = (0..MANY).map(|nth| (format!(" {nth}\n-b\n+x\n c\n"), 3 * nth + 1)).collect();
        let bodies: Vec<_> = bodies.iter().map(|(body, line)| (body.as_str(), *line)).collect();
        let lines: Vec<_> = (0..MANY).map(|nth| format!("{nth}\nb\nc\n")).collect();
        let file = format!("0\nb\nc\n{}", lines.concat());
        let many = placed(&file, &bodies, &Rules::default());
        assert_eq!(many[..MANY - 1], placed(&file, &bodies[..MANY - 1], &Rules::default()));
        let place = many[MANY - 1].as_ref().unwrap();
        assert_eq!(
            (&place.lines, place.offset, &place.candidates[..]),
            (&(3 * MANY..3 * MANY + 3), 3, &[3 * MANY][..])
        );
    }

    #[test]
    fn candidates_are_few() {
        let file = format!("0\n{}", "a\nb\nc\n".repeat(50));
        let found = placed(&file, &[(BODY, 4)], &Rules::default()).remove(0).unwrap();
        assert_eq!((found.lines, found.candidates.len()), (4..7, MOST_CANDIDATES));
    }

    #[test]
    fn a_line_belongs_to_one_hunk() {
        let found = placed("0\na\nb\nc\n0\n", &[(BODY, 2), (BODY, 2)], &Rules::default());
        assert_eq!(found, [Ok(at(1, 3, 0, &[])), Err(MismatchKind::Overlap)]);
    }

    #[test]
    fn an_insertion_without_context_stands_where_it_says_or_nowhere() {
        let mut section = Section::default();
        section.push("+x\n", 1, 2);
        let placed =
            |file: &[u8], rules| place(file, &section.text, &section.hunks, Direction::Forward, &rules).remove(0);
        let zero = Rules { zero_context: true, ..Rules::default() };
        assert_eq!(placed(b"a\nb\n", zero.clone()), Ok(at(1, 0, 0, &[])));
        assert_eq!(placed(b"a\nb\n", Rules::default()).map_err(|error| error.kind), Err(MismatchKind::NotFound));
        assert_eq!(placed(b"a\n", zero.clone()), Ok(at(1, 0, 0, &[])));
        assert_eq!(placed(b"", zero).map_err(|error| error.kind), Err(MismatchKind::NotFound));
    }

    #[test]
    fn fuzz_and_blanks_need_one_place() {
        let file = "0\n1\nb\nc\n2\n3\n4\nb\nc\n5\n";
        let fuzzy = Rules { fuzz: 1, ..Rules::default() };
        let ambiguous = |lines: &[usize], rung| [Err(MismatchKind::Ambiguous { lines: lines.to_vec(), rung })];
        assert_eq!(placed(file, &[(" a\n-b\n-c\n+x\n d\n", 4)], &fuzzy), ambiguous(&[2, 7], "exact"));
        assert_eq!(placed(file, &[(" a\n-b\n-c\n+x\n d\n", 7)], &fuzzy), ambiguous(&[2, 7], "exact"));
        let there = Placement { left_out: (1, 1), ..at(2, 2, 0, &[]) };
        assert_eq!(placed("0\n1\nb\nc\n2\n", &[(" a\n-b\n-c\n+x\n d\n", 2)], &fuzzy), [Ok(there)]);
        let blanks = Rules { ignore_whitespace: true, ..Rules::default() };
        let file = "0\n\ta\n b\n0\n\ta\n b\n0\n";
        assert_eq!(placed(file, &[("   a\n-\tb\n 0\n", 3)], &blanks), ambiguous(&[1, 4], "whitespace"));
        let line = placed(file, &[("   a\n-\tb\n 0\n", 2)], &blanks).remove(0).unwrap();
        assert_eq!((line.lines, line.offset, line.rung), (1..4, 0, "whitespace"));
    }

    #[test]
    fn equal_lines_without_end_are_searched_in_no_time() {
        let file = "}\n".repeat(40_000);
        let bodies: Vec<_> =
            (0..400).map(|nth| (format!(" }}\n }}\n-}}\n+{{\n }}\n never{nth}\n"), 1 + nth * 100)).collect();
        let bodies: Vec<_> = bodies.iter().map(|(body, line)| (body.as_str(), *line)).collect();
        let rules = Rules { fuzz: 3, ..Rules::default() };
        let found = placed(&file, &bodies, &rules);
        assert_eq!(found.len(), 400);
        let body = format!("{} never\n", " }\n".repeat(5000)) + "-x\n";
        assert_eq!(placed(&file, &[(&body, 20_000)], &rules), [Err(MismatchKind::NotFound)]);
    }
}
