//! Hunks that are merged with what became of the lines that they were made for, as `patch --merge` does it: without these
//! lines, by what a hunk has of them.
//!
//! A hunk whose old lines are all there goes there. One that fits nowhere goes to the place where most of them are with the
//! fewest changes, by the search and the bounds of GNU patch's `locate_merge`; what the file and the hunk both changed there
//! is a conflict, unless they did the same.

mod sides;

use std::collections::HashMap;
use std::ops::Range;

use super::index::LineIndex;
use super::ladder::{EXACT, LADDER, WHITESPACE};
use super::merge::{Conflict, ConflictStyle, end_line, put_marker};
use super::script::{Pair, beginning, script};
use super::windows::Comparison;
use super::{MOST_CANDIDATES, Placement, Rules};
use crate::plan::{Direction, Hunk};
use sides::{At, Numbers, Parted, Sides};

/// Most lines that are compared for places; the best one until then counts.
const MOST_STEPS: usize = 50_000_000;

/// A file that hunks were merged into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedFile {
    /// The file; conflicts stand in it between markers.
    pub bytes: Vec<u8>,
    /// What became of each hunk.
    pub hunks: Vec<MergedHunk>,
    /// The conflicts, in the order of the file.
    pub conflicts: Vec<Conflict>,
}

/// What became of a hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedHunk {
    /// Its place, if all its old lines are there.
    pub placement: Option<Placement>,
    /// What it comes to: lines of the file afterwards, counted from 0.
    pub lines: Range<usize>,
    /// Its changes, in the order of the file.
    pub parts: Vec<MergedPart>,
}

/// What became of a change in a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedPart {
    /// What was done.
    pub kind: Merging,
    /// The lines of the file afterwards, counted from 0, with all markers; none where lines went.
    pub lines: Range<usize>,
}

/// The things that can become of a change in a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// It was made.
    Merged,
    /// The file has it already.
    AlreadyApplied,
    /// The file has another one there.
    Conflict,
}

/// Merges `hunks` with what became of the lines that they were made for. Of `rules` counts whether blanks do.
#[must_use]
pub fn merge_hunks(
    preimage: &[u8],
    (text, hunks): (&[u8], &[Hunk]),
    direction: Direction,
    rules: &Rules,
    style: ConflictStyle,
) -> MergedFile {
    let index = LineIndex::new(preimage);
    let comparison = Comparison::strict(if rules.ignore_whitespace { WHITESPACE } else { EXACT });
    let mut numbers = Numbers { comparison, known: HashMap::new() };
    let lines: Vec<_> = index.lines_from(0).collect();
    let mut merger = Merger {
        numbers: lines.iter().map(|line| numbers.number(line)).collect(),
        newline: if lines.first().is_some_and(|line| line.ends_with(b"\r\n")) { b"\r\n".as_slice() } else { b"\n" },
        lines,
        index: &index,
        rung: LADDER[comparison.rung].name,
        style,
        carried: 0,
        frozen: 0,
        steps: MOST_STEPS,
        written: 0,
        out: Vec::with_capacity(preimage.len()),
        conflicts: Vec::new(),
    };
    let hunks = hunks.iter().map(|hunk| merger.merge(&Sides::new(hunk, text, direction, &mut numbers))).collect();
    merger.copy_to(merger.lines.len());
    MergedFile { bytes: merger.out, hunks, conflicts: merger.conflicts }
}

/// A file on its way from what it was to what it becomes.
struct Merger<'m> {
    lines: Vec<&'m [u8]>,
    numbers: Vec<u32>,
    newline: &'static [u8],
    index: &'m LineIndex<'m>,
    rung: &'static str,
    style: ConflictStyle,
    /// How far from its stated place the last hunk was that has one.
    carried: isize,
    /// The lines of the file that are done.
    frozen: usize,
    /// How many lines may still be compared.
    steps: usize,
    /// How many lines are written.
    written: usize,
    out: Vec<u8>,
    conflicts: Vec<Conflict>,
}

impl Merger<'_> {
    fn merge(&mut self, sides: &Sides<'_>) -> MergedHunk {
        let placement = self.find(sides).map(|line| self.placement(sides, line));
        let lines = match &placement {
            Some(placement) => placement.lines.clone(),
            None => self.find_roughly(sides),
        };
        let pair = Pair { old: &sides.old.numbers, new: &self.numbers[lines.clone()] };
        let parted = Parted { sides, script: script(&pair), start: lines.start };
        self.copy_to(lines.start);
        let first = self.written;
        let mut parts = Vec::new();
        let mut at = At { old: 0, new: 0, file: lines.start };
        loop {
            let from = at;
            let is_merged = if parted.is_deletion(at) || parted.is_insertion(at) {
                parted.pass_change(&mut at) && {
                    parts.push(self.put_change(sides, from, at));
                    true
                }
            } else if !parted.is_context(at) {
                break;
            } else if parted.is_lost(at) {
                parted.pass_lost(&mut at)
            } else {
                parted.pass_own(&mut at);
                parted.pass_context(&mut at);
                self.copy_to(at.file);
                true
            };
            if !is_merged {
                parted.pass_conflict(&mut at);
                parts.push(self.put_conflict(sides, from, at));
            }
        }
        MergedHunk { placement, lines: first..self.written, parts }
    }

    /// Writes the lines of the file up to `line`.
    fn copy_to(&mut self, line: usize) {
        for line in self.frozen..line {
            let bytes = self.lines[line];
            self.put(bytes);
        }
        self.frozen = self.frozen.max(line);
    }

    fn put(&mut self, line: &[u8]) {
        end_line(&mut self.out, self.newline);
        self.out.extend_from_slice(line);
        self.written += 1;
    }

    fn put_all(&mut self, lines: &[&[u8]]) {
        for line in lines {
            self.put(line);
        }
    }

    fn put_change(&mut self, sides: &Sides<'_>, from: At, to: At) -> MergedPart {
        let first = self.written;
        self.frozen = to.file;
        self.put_all(&sides.new.lines[from.new..to.new]);
        MergedPart { kind: Merging::Merged, lines: first..self.written }
    }

    /// Writes what the file and the hunk changed differently; where they did the same, that is the file's.
    fn put_conflict(&mut self, sides: &Sides<'_>, from: At, to: At) -> MergedPart {
        let (ours, theirs) = (&self.numbers[from.file..to.file], &sides.new.numbers[from.new..to.new]);
        let same = |pairs: &mut dyn Iterator<Item = (&u32, &u32)>| pairs.take_while(|(a, b)| a == b).count();
        if ours == theirs {
            let first = self.written;
            self.copy_to(to.file);
            return MergedPart { kind: Merging::AlreadyApplied, lines: first..self.written };
        }
        let (prefix, suffix) = if self.style == ConflictStyle::Sides {
            let prefix = same(&mut ours.iter().zip(theirs));
            (prefix, same(&mut ours[prefix..].iter().rev().zip(theirs[prefix..].iter().rev())))
        } else {
            (0, 0)
        };
        let (ours, theirs) = (from.file + prefix..to.file - suffix, from.new + prefix..to.new - suffix);
        self.copy_to(ours.start);
        let first = self.written;
        self.mark(b'<');
        self.copy_to(ours.end);
        if self.style != ConflictStyle::Sides {
            self.mark(b'|');
            self.put_all(&sides.old.lines[from.old..to.old]);
        }
        self.mark(b'=');
        self.put_all(&sides.new.lines[theirs.clone()]);
        self.mark(b'>');
        let lines = first..self.written;
        self.copy_to(to.file);
        let [base, theirs] = [(sides.stated, from.old..to.old), (sides.stated_new, theirs)]
            .map(|(stated, lines)| stated.saturating_add(lines.start)..stated.saturating_add(lines.end));
        self.conflicts.push(Conflict { base, ours, theirs });
        MergedPart { kind: Merging::Conflict, lines }
    }

    fn mark(&mut self, sign: u8) {
        end_line(&mut self.out, self.newline);
        put_marker(&mut self.out, sign, "", self.newline);
        self.written += 1;
    }

    /// Finds all old lines of a hunk, nearest to where they are expected.
    fn find(&mut self, sides: &Sides<'_>) -> Option<usize> {
        let last = self.lines.len().checked_sub(sides.old.count())?;
        let expected = self.expected(sides);
        let line = if sides.old.count() == 0 {
            usize::try_from(expected).unwrap_or(0).clamp(self.frozen, last.max(self.frozen))
        } else if sides.leading < sides.trailing && sides.stated == 0 {
            Some(0).filter(|&line| self.is_at(sides, line))?
        } else if sides.trailing < sides.leading {
            Some(last).filter(|&line| self.is_at(sides, line))?
        } else {
            around(expected, self.frozen..last + 1).find(|&line| self.is_at(sides, line))?
        };
        self.carried += line.cast_signed() - expected;
        Some(line)
    }

    /// Returns the line where a hunk is expected, counted from 0.
    fn expected(&self, sides: &Sides<'_>) -> isize {
        isize::try_from(sides.stated).unwrap_or(isize::MAX / 4).saturating_add(self.carried)
    }

    fn is_at(&mut self, sides: &Sides<'_>, line: usize) -> bool {
        let wanted = &sides.old.numbers;
        let found = self.numbers[line..].iter().zip(wanted).take_while(|(found, wanted)| found == wanted).count();
        self.steps = self.steps.saturating_sub(found + 1);
        line >= self.frozen && self.steps > 0 && found == wanted.len()
    }

    fn placement(&mut self, sides: &Sides<'_>, line: usize) -> Placement {
        let offset = self.carried;
        let lines = line..line + sides.old.count();
        let mut candidates = Vec::new();
        if offset != 0 && !lines.is_empty() {
            let places = self.frozen..self.lines.len() + 1 - sides.old.count();
            candidates.extend(places.filter(|&line| self.is_at(sides, line)).take(MOST_CANDIDATES));
        }
        Placement {
            bytes: self.index.bytes(lines.clone()),
            lines,
            offset,
            left_out: (0, 0),
            rung: self.rung,
            candidates,
            beyond: 0,
        }
    }

    /// Finds the lines of the file that are most like the old lines of a hunk; none behind where they are expected, if
    /// nothing is like them.
    ///
    /// Each line of context may be another one, and of two places with as many lines the nearer one counts. Where a hunk has
    /// less context on one side, it is at that end of the file. Of lines that another hunk took, some are looked at and none is
    /// taken again.
    fn find_roughly(&mut self, sides: &Sides<'_>) -> Range<usize> {
        let (end, expected) = (self.lines.len(), self.expected(sides));
        let context = sides.old.context();
        let mut best = usize::try_from(expected).unwrap_or(0).min(end);
        if context == 0 {
            return best.max(self.frozen)..best.max(self.frozen);
        }
        let (mut best_count, mut least, mut most) = (0, sides.old.count() - context, 2 * context);
        let furthest = (end + context).saturating_sub(sides.old.count());
        let is_first = sides.leading < sides.trailing && sides.stated == 0;
        let places = self.frozen.min(best)..if is_first { furthest.min(best) } else { furthest } + 1;
        for line in around(expected, places) {
            let pair = Pair { old: &sides.old.numbers, new: &self.numbers[line..] };
            let wanted = if sides.trailing < sides.leading { end - line } else { least };
            if let Some((count, changes)) = beginning(&pair, line + 1, wanted..=most, &mut self.steps)
                && count > best_count
            {
                (best, best_count, least) = (line, count, count);
                let Some(fewer) = changes.checked_sub(1) else { break };
                most = fewer;
            }
        }
        best.max(self.frozen)..(best + best_count).max(self.frozen)
    }
}

/// Returns the lines of a range, nearest to `expected` first, of two the later one.
fn around(expected: isize, lines: Range<usize>) -> impl Iterator<Item = usize> {
    let start = usize::try_from(expected).unwrap_or(0).clamp(lines.start, lines.end.max(lines.start));
    let mut ahead = start..lines.end;
    let mut behind = lines.start..start;
    let distance = move |line: Option<usize>| line.map(|line| (line.cast_signed() - expected).unsigned_abs());
    std::iter::from_fn(move || {
        let [next, previous] = [distance(ahead.clone().next()), distance(behind.clone().next_back())];
        match (next, previous) {
            (Some(next), Some(previous)) if previous < next => behind.next_back(),
            (Some(_), _) => ahead.next(),
            (None, _) => behind.next_back(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::Section;
    use super::*;

    /// What became of the changes in a hunk.
    type Parts = Vec<(Merging, Range<usize>)>;

    fn merged(file: &str, bodies: &[(&str, usize)], style: ConflictStyle) -> (String, Vec<Parts>) {
        let lines = |text: &str| text.replace(' ', "\n");
        let mut section = Section::default();
        for &(body, line) in bodies {
            section.push(body, line, line);
        }
        let hunks = (&section.text[..], &section.hunks[..]);
        let found = merge_hunks(lines(file).as_bytes(), hunks, Direction::Forward, &Rules::default(), style);
        let parts = |hunk: MergedHunk| hunk.parts.into_iter().map(|part| (part.kind, part.lines)).collect();
        let hunks = found.hunks.into_iter().map(parts).collect();
        (String::from_utf8(found.bytes).unwrap().replace('\n', " "), hunks)
    }

    const HUNK: &str = " 1\n 2\n-3\n+c\n 4\n 5\n";

    #[test]
    fn what_the_file_has_not_touched_is_merged() {
        let found = merged("1 2 3 4 five ", &[(HUNK, 1)], ConflictStyle::Sides);
        assert_eq!(found, ("1 2 c 4 five ".to_owned(), vec![vec![(Merging::Merged, 2..3)]]));
        let found = merged("0 1 2 3 4 5 ", &[(HUNK, 1)], ConflictStyle::Sides);
        assert_eq!(found, ("0 1 2 c 4 5 ".to_owned(), vec![vec![(Merging::Merged, 3..4)]]));
    }

    #[test]
    fn what_the_file_has_already_stays() {
        let found = merged("1 2 c 4 5 ", &[(HUNK, 1)], ConflictStyle::Sides);
        assert_eq!(found, ("1 2 c 4 5 ".to_owned(), vec![vec![(Merging::AlreadyApplied, 2..3)]]));
    }

    #[test]
    fn what_the_file_has_otherwise_is_a_conflict() {
        let conflict = |lines| vec![vec![(Merging::Conflict, lines)]];
        let found = merged("1 2 x 4 5 ", &[(HUNK, 1)], ConflictStyle::Sides);
        assert_eq!(found, ("1 2 <<<<<<< x ======= c >>>>>>> 4 5 ".to_owned(), conflict(2..7)));
        let found = merged("1 2 x 4 5 ", &[(HUNK, 1)], ConflictStyle::Base);
        assert_eq!(found, ("1 2 <<<<<<< x ||||||| 3 ======= c >>>>>>> 4 5 ".to_owned(), conflict(2..9)));
        let found = merged("a b ", &[(HUNK, 9)], ConflictStyle::Sides);
        assert_eq!(found, ("a <<<<<<< b ======= 1 2 c 4 5 >>>>>>> ".to_owned(), conflict(1..10)));
    }

    #[test]
    fn lines_are_tried_from_the_nearest_on() {
        assert_eq!(around(2, 0..5).collect::<Vec<_>>(), [2, 3, 1, 4, 0]);
        assert_eq!(around(-3, 1..3).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(around(isize::MAX / 4, 1..3).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(around(2, 5..5).count(), 0);
    }
}
