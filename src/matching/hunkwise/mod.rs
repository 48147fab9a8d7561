//! Merges hunks into a changed file, like `patch --merge`. Only the hunks show the original lines.
//!
//! If all old lines of a hunk occur in the file, the hunk is placed there. Otherwise it is placed
//! where most of its old lines occur with the fewest changes. This is the observed behaviour of GNU
//! patch (`tests/it/gnu/merging.rs` runs both). Lines that both the file and the hunk changed there
//! are a conflict, unless both changes are the same.

mod places;
mod sides;

use crate::lines::ladder::{EXACT, WHITESPACE};
use crate::lines::{Comparison, LineNumbering, LineOffsets};
use std::ops::Range;

use super::numbered::FilePatch;
use super::{MatchRules, Placement};
use crate::lines::{
    Conflict, ConflictStyle, SequencePair, TouchingEdits, common_ends, end_line, group_touching,
    put_marker, shortest_edits,
};
use crate::plan::{Direction, Hunk};
use places::HunkwiseSearch;
use sides::HunkSides;

/// The result of merging hunks into a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedFile {
    /// The new file. Conflicts are enclosed in markers.
    pub bytes: Vec<u8>,
    /// The result for each hunk.
    pub hunks: Vec<MergedHunk>,
    /// The conflicts, in file order.
    pub conflicts: Vec<Conflict>,
}

/// The result for one hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedHunk {
    /// The placement of the hunk, if all its old lines matched.
    pub placement: Option<Placement>,
    /// The lines of the new file that the hunk produced, counted from 0.
    pub lines: Range<usize>,
    /// The changes of the hunk, in file order.
    pub parts: Vec<MergedPart>,
}

/// The result for one change of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedPart {
    /// The outcome of the merge.
    pub kind: MergeResult,
    /// The lines of the new file, counted from 0, including markers. Empty if the change only
    /// deletes.
    pub lines: Range<usize>,
}

/// The outcomes of merging one change of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeResult {
    /// The change was applied.
    Merged,
    /// The file already contains the change.
    AlreadyApplied,
    /// The file contains a different change there.
    Conflict,
}

/// Merges `hunks` into `file`. Uses only `ignore_whitespace` and `interrupt` of `rules`.
#[must_use]
pub fn merge_hunks(
    file: &LineOffsets<'_>,
    (text, hunks): (&[u8], &[Hunk]),
    direction: Direction,
    rules: &MatchRules,
    style: ConflictStyle,
) -> MergedFile {
    let comparison = Comparison::strict(if rules.ignore_whitespace {
        WHITESPACE
    } else {
        EXACT
    });
    let mut numbering = LineNumbering::with_capacity(0);
    let mut number = |line| numbering.number(comparison.key(line));
    let sides: Vec<_> = hunks
        .iter()
        .map(|hunk| HunkSides::new(hunk, text, direction, &mut number))
        .collect();
    let numbers = file
        .lines_from(0)
        .map(|line| numbering.find_number(&comparison.key(line)))
        .collect();
    let has_returns = file
        .lines_from(0)
        .next()
        .is_some_and(|line| line.ends_with(b"\r\n"));
    let mut merger = Merger {
        index: file,
        search: HunkwiseSearch::new(
            file,
            FilePatch {
                text,
                hunks,
                direction,
                rules,
            },
            comparison,
            numbers,
        ),
        newline: if has_returns { b"\r\n" } else { b"\n" },
        style,
        frozen: 0,
        written: 0,
        out: Vec::with_capacity(file.text().len()),
        conflicts: Vec::new(),
    };
    let hunks = sides.iter().map(|sides| merger.merge(sides)).collect();
    merger.copy_to(file.count());
    MergedFile {
        bytes: merger.out,
        hunks,
        conflicts: merger.conflicts,
    }
}

/// The state of a merge.
struct Merger<'m> {
    index: &'m LineOffsets<'m>,
    search: HunkwiseSearch<'m>,
    newline: &'static [u8],
    style: ConflictStyle,
    /// The number of file lines that are already processed.
    frozen: usize,
    /// The number of written lines.
    written: usize,
    out: Vec<u8>,
    conflicts: Vec<Conflict>,
}

impl Merger<'_> {
    fn merge(&mut self, sides: &HunkSides<'_>) -> MergedHunk {
        let (placement, lines) = self.search.find(sides, self.frozen);
        let changes = shortest_edits(&SequencePair {
            old: &sides.old.numbers,
            new: &self.search.numbers[lines.clone()],
        });
        self.copy_to(lines.start);
        let (first, mut end) = (self.written, lines.end);
        let mut parts = Vec::new();
        for TouchingEdits {
            ours: mine,
            theirs: other,
            mut at,
        } in group_touching(&changes, &sides.edits)
        {
            at.ours = at.ours.start + lines.start..at.ours.end + lines.start;
            if !other.is_empty() {
                self.copy_to(at.ours.start);
                parts.push(if mine.is_empty() {
                    self.write_change(sides, at)
                } else {
                    self.write_conflict(sides, at)
                });
            } else if at.base.end == sides.old.count() {
                // Lines of the file after the last line of the hunk are not part of it.
                end = at.ours.start;
            }
        }
        self.copy_to(end);
        MergedHunk {
            placement,
            lines: first..self.written,
            parts,
        }
    }

    /// Writes the lines of the file up to `line`.
    fn copy_to(&mut self, line: usize) {
        if line > self.frozen {
            let lines = self.frozen..line;
            self.written += lines.len();
            end_line(&mut self.out, self.newline);
            self.out
                .extend_from_slice(&self.index.text()[self.index.bytes(lines)]);
            self.frozen = line;
        }
    }

    fn write_line(&mut self, line: &[u8]) {
        end_line(&mut self.out, self.newline);
        self.out.extend_from_slice(line);
        self.written += 1;
    }

    fn write_lines(&mut self, lines: &[&[u8]]) {
        for line in lines {
            self.write_line(line);
        }
    }

    fn write_change(&mut self, sides: &HunkSides<'_>, at: Conflict) -> MergedPart {
        let first = self.written;
        self.frozen = at.ours.end;
        self.write_lines(&sides.new.lines[at.theirs]);
        MergedPart {
            kind: MergeResult::Merged,
            lines: first..self.written,
        }
    }

    /// Writes a conflict between the file and the hunk. If both made the same change, keeps the
    /// lines of the file.
    fn write_conflict(&mut self, sides: &HunkSides<'_>, at: Conflict) -> MergedPart {
        let (ours, theirs) = (
            &self.search.numbers[at.ours.clone()],
            &sides.new.numbers[at.theirs.clone()],
        );
        if ours == theirs {
            let first = self.written;
            self.copy_to(at.ours.end);
            return MergedPart {
                kind: MergeResult::AlreadyApplied,
                lines: first..self.written,
            };
        }
        let (prefix, suffix) = if self.style == ConflictStyle::Sides {
            common_ends(ours, theirs, |ours, theirs| ours == theirs)
        } else {
            (0, 0)
        };
        let (ours, theirs) = (
            at.ours.start + prefix..at.ours.end - suffix,
            at.theirs.start + prefix..at.theirs.end - suffix,
        );
        self.copy_to(ours.start);
        let first = self.written;
        self.write_marker(b'<');
        self.copy_to(ours.end);
        if self.style != ConflictStyle::Sides {
            self.write_marker(b'|');
            self.write_lines(&sides.old.lines[at.base.clone()]);
        }
        self.write_marker(b'=');
        self.write_lines(&sides.new.lines[theirs.clone()]);
        self.write_marker(b'>');
        let lines = first..self.written;
        self.copy_to(at.ours.end);
        let [base, theirs] =
            [(sides.stated, at.base), (sides.stated_new, theirs)].map(|(stated, lines)| {
                stated.saturating_add(lines.start)..stated.saturating_add(lines.end)
            });
        self.conflicts.push(Conflict { base, ours, theirs });
        MergedPart {
            kind: MergeResult::Conflict,
            lines,
        }
    }

    fn write_marker(&mut self, sign: u8) {
        end_line(&mut self.out, self.newline);
        put_marker(&mut self.out, sign, "", self.newline);
        self.written += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Section;
    use super::*;

    /// The outcome and lines of each change in a hunk.
    type PartResults = Vec<(MergeResult, Range<usize>)>;

    fn merged(
        file: &str,
        bodies: &[(&str, usize)],
        style: ConflictStyle,
    ) -> (String, Vec<PartResults>) {
        let lines = |text: &str| text.replace(' ', "\n");
        let mut section = Section::default();
        for &(body, line) in bodies {
            section.push(body, line, line);
        }
        let hunks = (&section.text[..], &section.hunks[..]);
        let found = merge_hunks(
            &LineOffsets::new(lines(file).as_bytes()),
            hunks,
            Direction::Forward,
            &MatchRules::default(),
            style,
        );
        let parts = |hunk: MergedHunk| {
            hunk.parts
                .into_iter()
                .map(|part| (part.kind, part.lines))
                .collect()
        };
        let hunks = found.hunks.into_iter().map(parts).collect();
        (
            String::from_utf8(found.bytes).unwrap().replace('\n', " "),
            hunks,
        )
    }

    const HUNK: &str = " 1\n 2\n-3\n+c\n 4\n 5\n";

    #[test]
    fn what_the_file_has_not_touched_is_merged() {
        let found = merged("1 2 3 4 five ", &[(HUNK, 1)], ConflictStyle::Sides);
        assert_eq!(
            found,
            (
                "1 2 c 4 five ".to_owned(),
                vec![vec![(MergeResult::Merged, 2..3)]]
            )
        );
        let found = merged("0 1 2 3 4 5 ", &[(HUNK, 1)], ConflictStyle::Sides);
        assert_eq!(
            found,
            (
                "0 1 2 c 4 5 ".to_owned(),
                vec![vec![(MergeResult::Merged, 3..4)]]
            )
        );
    }

    #[test]
    fn what_the_file_has_already_stays() {
        let found = merged("1 2 c 4 5 ", &[(HUNK, 1)], ConflictStyle::Sides);
        assert_eq!(
            found,
            (
                "1 2 c 4 5 ".to_owned(),
                vec![vec![(MergeResult::AlreadyApplied, 2..3)]]
            )
        );
    }

    #[test]
    fn what_the_file_has_otherwise_is_a_conflict() {
        let conflict = |lines| vec![vec![(MergeResult::Conflict, lines)]];
        let found = merged("1 2 x 4 5 ", &[(HUNK, 1)], ConflictStyle::Sides);
        assert_eq!(
            found,
            (
                "1 2 <<<<<<< x ======= c >>>>>>> 4 5 ".to_owned(),
                conflict(2..7)
            )
        );
        let found = merged("1 2 x 4 5 ", &[(HUNK, 1)], ConflictStyle::Base);
        assert_eq!(
            found,
            (
                "1 2 <<<<<<< x ||||||| 3 ======= c >>>>>>> 4 5 ".to_owned(),
                conflict(2..9)
            )
        );
        let found = merged("a b ", &[(HUNK, 9)], ConflictStyle::Sides);
        assert_eq!(
            found,
            (
                "a <<<<<<< b ======= 1 2 c 4 5 >>>>>>> ".to_owned(),
                conflict(1..10)
            )
        );
    }

    #[test]
    fn a_hunk_that_fits_is_found_whatever_another_one_costs() {
        let lines: Vec<_> = (1..=2000).map(|number| format!("{number}\n")).collect();
        let file = lines.concat();
        let unknown = (0..100)
            .map(|number| format!(" no {number}\n"))
            .collect::<Vec<_>>()
            .concat();
        let mut section = Section::default();
        section.push(&format!("{unknown}-a\n+b\n{unknown}"), 1, 1);
        section.push(" 1900\n-1901\n+x\n 1902\n", 1500, 1500);
        let hunks = (&section.text[..], &section.hunks[..]);
        let rules = MatchRules::default();
        let found = merge_hunks(
            &LineOffsets::new(file.as_bytes()),
            hunks,
            Direction::Forward,
            &rules,
            ConflictStyle::Sides,
        );
        assert_eq!(found.hunks[0].placement, None);
        let placement = found.hunks[1].placement.as_ref().unwrap();
        assert_eq!(
            (placement.lines.clone(), placement.offset),
            (1899..1902, 400)
        );
    }
}
