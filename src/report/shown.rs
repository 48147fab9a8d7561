//! The hunks of the patch at each hunk of the diff that a page or a terminal shows.
//!
//! The patch can have more or less context than the diff, and one hunk of the patch can change
//! lines of several hunks of the diff.

use super::{FileReport, HunkReport};
use crate::syntax::write::DiffHunk;

/// Returns the hunks of the patch for each hunk of `diff`, in the order of the file.
///
/// A hunk belongs to the hunk of the diff with which it has the most lines in common. A hunk that
/// was not applied belongs to the first one.
pub(super) fn hunks_of_patch<'f>(
    file: &'f FileReport,
    diff: &[DiffHunk<'_>],
) -> Vec<Vec<&'f HunkReport>> {
    let mut found = vec![Vec::new(); diff.len()];
    let mut hunks: Vec<_> = file.hunks.iter().collect();
    hunks.sort_by_key(|hunk| lines(hunk));
    let mut first = 0;
    for hunk in hunks {
        let (start, end) = lines(hunk);
        while first + 1 < diff.len() && end_of(&diff[first]) <= start {
            first += 1;
        }
        let near = diff.iter().enumerate().skip(first);
        let near = near.take_while(|(_, shown)| shown.old.start < end);
        let common = |shown: &DiffHunk<'_>| {
            end_of(shown)
                .min(end)
                .saturating_sub(shown.old.start.max(start))
        };
        // `max_by_key` returns the last of several, so the order is reversed.
        let most = near.max_by_key(|&(index, shown)| (common(shown), std::cmp::Reverse(index)));
        let index = most.map_or(first, |(index, _)| index);
        if let Some(hunks) = found.get_mut(index) {
            hunks.push(hunk);
        }
    }
    found
}

/// Returns the first line of the file that the hunk covers and the line after the last one; 0 and 0
/// if the hunk was not applied.
fn lines(hunk: &HunkReport) -> (usize, usize) {
    hunk.applied.as_ref().map_or((0, 0), |applied| {
        (
            applied.old_start,
            applied.old_start + applied.old_lines.max(1),
        )
    })
}

fn end_of(shown: &DiffHunk<'_>) -> usize {
    shown.old.start + shown.old.count.max(1)
}
