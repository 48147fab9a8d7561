//! Files that are written as a whole in a report, as the hunks of their diff.

use super::applied::AppliedLines;
use super::hunk::HunkReport;
use super::words::text;
use crate::plan::Operation;
use crate::syntax::write::{DiffHunk, hunks};

/// Returns the hunks of `diff`, the diff of the file `id`. If the diff is truncated, so is its last
/// hunk.
pub(super) fn reports(id: &str, operation: &Operation, diff: &[u8]) -> Vec<HunkReport> {
    let report = |(index, hunk): (usize, DiffHunk<'_>)| {
        let applied = AppliedLines {
            old_start: hunk.old.start,
            old_lines: hunk.old.count,
            new_start: hunk.new.start,
            new_lines: hunk.new.count,
            lines: hunk.lines.into_iter().map(text).collect(),
        };
        HunkReport::without_text(id, index, operation, applied)
    };
    hunks(diff).into_iter().enumerate().map(report).collect()
}
