//! Files that are written as a whole in a report: the hunks of their diff.

use super::applied::AppliedLines;
use super::hunk::HunkReport;
use super::words::text;
use crate::plan::Operation;
use crate::syntax::write::{DiffHunk, hunks};

/// Reports the hunks of `diff`, that of the file `id`. Where it was cut, so is the last of them.
pub(super) fn reports(id: &str, operation: &Operation, diff: &[u8]) -> Vec<HunkReport> {
    let report = |(index, hunk): (usize, DiffHunk<'_>)| {
        let applied = AppliedLines {
            old_start: hunk.old.start,
            old_lines: hunk.old.count,
            new_start: hunk.new.start,
            new_lines: hunk.new.count,
            lines: hunk.lines.into_iter().map(text).collect(),
        };
        HunkReport::unstated(id, index, operation, applied)
    };
    hunks(diff).into_iter().enumerate().map(report).collect()
}
