//! git's indent heuristic: selects the position of a change that could also be a few lines further
//! up or down.
//!
//! The constants come from `xdiff/xdiffi.c` in git.

use std::cmp::Ordering;
use std::ops::Range;

/// Deeper indentation counts as this many columns.
const MAX_INDENT: i32 = 200;
/// After this many blank lines, the next line counts as not indented.
const MAX_BLANKS: i32 = 20;
/// Positions further up than this are not considered.
const MAX_SLIDING: usize = 100;
const INDENT_WEIGHT: i32 = 60;

/// The score of a position. The smaller score is better.
#[derive(Clone, Copy)]
struct Score {
    indent: i32,
    penalty: i32,
}

/// The lines around a position between two lines. An indentation of `None` means a blank line or no
/// line.
struct SplitContext {
    is_end_of_file: bool,
    indent: Option<i32>,
    before: Option<i32>,
    blanks_before: i32,
    after: Option<i32>,
    blanks_after: i32,
}

/// Returns the end of the best position of a run of changed lines. `run` is its last possible
/// position. `first_end` is the end of its first possible position.
pub(super) fn best_end(lines: &[&[u8]], run: Range<usize>, first_end: usize) -> usize {
    // git also moves a run up by at most its own length plus one line.
    let first = first_end
        .max(run.start.saturating_sub(1))
        .max(run.end.saturating_sub(MAX_SLIDING));
    let at = |end: usize| score(lines, end).plus(score(lines, end - run.len()));
    let (mut best, mut best_score) = (first, at(first));
    for end in first + 1..=run.end {
        let score = at(end);
        // Of two equally good positions, the lower one is used.
        if score.compare(best_score) <= 0 {
            (best, best_score) = (end, score);
        }
    }
    best
}

/// Returns the score of a change that begins or ends before the line `position`.
fn score(lines: &[&[u8]], position: usize) -> Score {
    let indent = |line: &&[u8]| indent(line);
    let (before, blanks_before) = nearest(lines[..position].iter().rev().map(indent));
    let (after, blanks_after) = nearest(lines.iter().skip(position + 1).map(indent));
    let line = lines.get(position);
    SplitContext {
        is_end_of_file: line.is_none(),
        indent: line.and_then(indent),
        before,
        blanks_before,
        after,
        blanks_after,
    }
    .score()
}

/// Returns the indentation of the first line that is not blank, and the number of blank lines
/// before it.
fn nearest(indents: impl Iterator<Item = Option<i32>>) -> (Option<i32>, i32) {
    let mut blanks = 0;
    for indent in indents {
        if indent.is_some() {
            return (indent, blanks);
        }
        blanks += 1;
        if blanks == MAX_BLANKS {
            return (Some(0), blanks);
        }
    }
    (None, blanks)
}

/// Returns the width of the indentation in columns, or `None` for a blank line.
fn indent(line: &[u8]) -> Option<i32> {
    let mut columns = 0;
    for byte in line {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 8 - columns % 8,
            b'\n' | b'\r' => {}
            _ => return Some(columns),
        }
        if columns >= MAX_INDENT {
            return Some(MAX_INDENT);
        }
    }
    None
}

impl SplitContext {
    /// Returns the score. The numbers are the weights and penalties in `xdiffi.c`
    /// (`score_add_split`).
    fn score(&self) -> Score {
        let blanks_after = if self.indent.is_none() {
            1 + self.blanks_after
        } else {
            0
        };
        let blanks = self.blanks_before + blanks_after;
        let mut penalty = i32::from(self.before.is_none() && self.blanks_before == 0);
        penalty += if self.is_end_of_file { 21 } else { 0 };
        penalty += -30 * blanks + 6 * blanks_after;
        let indent = self.indent.or(self.after);
        if let (Some(indent), Some(before)) = (indent, self.before) {
            let is_deeper_after = self.after.is_some_and(|after| after > indent);
            penalty += match (indent.cmp(&before), blanks != 0) {
                (Ordering::Equal, _) => 0,
                (Ordering::Greater, true) => 10,
                (Ordering::Greater, false) => -4,
                (Ordering::Less, true) => 17,
                (Ordering::Less, false) => 23 + i32::from(is_deeper_after),
            };
        }
        Score {
            indent: indent.unwrap_or(-1),
            penalty,
        }
    }
}

impl Score {
    fn plus(self, other: Self) -> Self {
        Self {
            indent: self.indent + other.indent,
            penalty: self.penalty + other.penalty,
        }
    }

    /// Returns a negative number if `self` is better than `other`, and a positive number if it is
    /// worse.
    fn compare(self, other: Self) -> i32 {
        let by_indent = match self.indent.cmp(&other.indent) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        };
        INDENT_WEIGHT * by_indent + self.penalty - other.penalty
    }
}
