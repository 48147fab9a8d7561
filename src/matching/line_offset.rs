//! Computes by how many lines the lines of a file have moved since an earlier version.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::lines::{Budget, Edit, LineTable, SlidePosition, diff};
use crate::plan::{LineEdit, LineTarget, NumberedLines};
use crate::text::without_bom;

/// Returns by how many lines the lines that `edits` name in `earlier` have moved in `present`.
///
/// Returns `None` if the lines moved by different numbers, if a line changed, or if `edits` name no
/// lines. A place at the end of the file must still be at the end.
///
/// An unchanged line counts only if its run of unchanged lines contains a line that occurs exactly
/// once in each version. Otherwise the diff could have matched a closing brace with any other one.
#[must_use]
pub fn line_offset(earlier: &[u8], present: &[u8], edits: &[LineEdit]) -> Option<isize> {
    let [old, new] = [earlier, present].map(|text| LineTable::from_text(without_bom(text)));
    let (old_count, new_count) = (old.lines.len(), new.lines.len());
    let runs = unchanged_runs(&old, &new);
    let mut shift = None;
    for edit in edits {
        let named = target_lines(edit.target, old_count)?;
        let behind = runs.partition_point(|run| run.old.start <= named.start);
        // All named lines must be in the same run of unchanged lines.
        let run = runs[..behind]
            .last()
            .filter(|run| named.end <= run.old.end)?;
        let is_at_end = run.old.end == old_count && run.new.end == new_count;
        if edit.target == LineTarget::End && !is_at_end {
            return None;
        }
        let by = run.new.start.cast_signed() - run.old.start.cast_signed();
        if *shift.get_or_insert(by) != by {
            return None;
        }
    }
    shift
}

/// Returns the lines of the earlier version that locate `target`, counted from 0. `count` is the
/// number of lines there. Returns `None` for a line number 0.
fn target_lines(target: LineTarget, count: usize) -> Option<Range<usize>> {
    let (first, last) = match target {
        LineTarget::Lines(NumberedLines { first, last }) => (first, last),
        LineTarget::Before(line)
        | LineTarget::After(line)
        | LineTarget::Construct(line)
        | LineTarget::AfterConstruct(line) => (line, line),
        LineTarget::End => (count, count),
    };
    Some(first.checked_sub(1)?..last)
}

/// A run of unchanged lines in both versions.
struct UnchangedRun {
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the runs of unchanged lines that contain a line which occurs once in each version, in
/// order.
fn unchanged_runs(old: &LineTable<'_>, new: &LineTable<'_>) -> Vec<UnchangedRun> {
    let single = unique_lines(&old.lines, &new.lines);
    let end = Edit {
        old: old.lines.len()..old.lines.len(),
        new: new.lines.len()..new.lines.len(),
    };
    let (mut runs, mut start) = (Vec::new(), (0, 0));
    for edit in diff(old, new, Budget::default(), SlidePosition::Last)
        .into_iter()
        .chain([end])
    {
        runs.push(UnchangedRun {
            old: start.0..edit.old.start,
            new: start.1..edit.new.start,
        });
        start = (edit.old.end, edit.new.end);
    }
    runs.retain(|run| {
        old.lines[run.old.clone()]
            .iter()
            .any(|line| single.contains(line))
    });
    runs
}

/// Returns the lines that occur exactly once in each version.
fn unique_lines<'a>(old: &[&'a [u8]], new: &[&'a [u8]]) -> HashSet<&'a [u8]> {
    let mut counts: HashMap<_, (usize, usize)> = HashMap::new();
    for line in old {
        counts.entry(*line).or_default().0 += 1;
    }
    for line in new {
        counts.entry(*line).or_default().1 += 1;
    }
    counts
        .into_iter()
        .filter(|(_, counts)| *counts == (1, 1))
        .map(|(line, _)| line)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::NewLines;
    use crate::text::Span;

    fn shifted(earlier: &str, present: &str, targets: &[LineTarget]) -> Option<isize> {
        let edit = |&target| LineEdit {
            target,
            new: NewLines::Nothing,
            expected: Vec::new(),
            span: Span::default(),
        };
        let edits: Vec<_> = targets.iter().map(edit).collect();
        line_offset(earlier.as_bytes(), present.as_bytes(), &edits)
    }

    fn at(first: usize, last: usize) -> LineTarget {
        LineTarget::Lines(NumberedLines { first, last })
    }

    const OLD: &str = "a\nb\nc\nd\ne\n";

    #[test]
    fn lines_that_moved_together_have_one_shift() {
        let (before, after) = (LineTarget::Before, LineTarget::After);
        assert_eq!(
            shifted(
                OLD,
                "x\ny\na\nb\nc\nd\ne\n",
                &[at(2, 3), before(1), after(5), LineTarget::End]
            ),
            Some(2)
        );
        assert_eq!(
            shifted(OLD, "c\nd\ne\n", &[at(3, 3), LineTarget::End]),
            Some(-2)
        );
        assert_eq!(
            shifted(OLD, "A\nb\nC\nd\ne\n", &[at(2, 2), at(4, 5)]),
            Some(0)
        );
        assert_eq!(shifted("\u{feff}a\nb\n", "x\na\nb\n", &[at(1, 2)]), Some(1));
    }

    #[test]
    fn lines_that_changed_or_moved_apart_have_none() {
        for (present, targets) in [
            ("a\nb\nx\nc\nd\ne\n", &[at(1, 1), at(4, 4)][..]),
            ("a\nb\nx\nc\nd\ne\n", &[at(2, 3)]),
            ("a\nb\nC\nd\ne\n", &[at(2, 4)]),
            ("a\nb\nc \nd\ne\n", &[at(3, 3)]),
            ("a\nb\nc\r\nd\ne\n", &[at(3, 3)]),
            ("a\nb\nc\nd\ne\nf\n", &[LineTarget::End]),
            ("a\nb\nc\nd\ne", &[LineTarget::End]),
            (OLD, &[at(5, 6)]),
            (OLD, &[LineTarget::Before(0)]),
            (OLD, &[]),
            ("", &[LineTarget::End]),
        ] {
            assert_eq!(
                shifted(OLD, present, targets),
                None,
                "{present:?} {targets:?}"
            );
        }
        assert_eq!(shifted("", "a\n", &[LineTarget::Before(1)]), None);
        assert_eq!(shifted("", "", &[LineTarget::End]), None);
    }

    #[test]
    fn a_line_like_others_is_told_by_its_neighbours() {
        let old = "fn a() {\n}\nfn b() {\n}\n";
        assert_eq!(shifted(old, "fn a() {\n}\n", &[at(4, 4)]), None);
        assert_eq!(shifted(old, "fn b() {\n}\n", &[at(4, 4)]), Some(-2));
        assert_eq!(shifted("x\nx\nx\n", "x\nx\nx\nx\n", &[at(2, 2)]), None);
    }
}
