//! Reads the hunks of a written diff.

use crate::plan::LineRange;
use crate::syntax::hunks::ranges;
use crate::text::lines;

/// One hunk of a diff that this crate wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffHunk<'a> {
    /// The lines of the old file.
    pub old: LineRange,
    /// The lines of the new file.
    pub new: LineRange,
    /// The section heading.
    pub section: &'a [u8],
    /// The lines with their markers, without LF.
    pub lines: Vec<&'a [u8]>,
}

/// Returns the numbers of lines of the old and of the new file in the hunk with the header `line`, or
/// `None` if the line is no hunk header.
#[cfg(feature = "cli")]
pub(crate) fn hunk_line_counts(line: &[u8]) -> Option<(usize, usize)> {
    ranges(line).map(|(old, new, _)| (old.count, new.count))
}

/// Returns the hunks of a diff that this crate wrote. The diff can be truncated.
#[must_use]
pub fn hunks(diff: &[u8]) -> Vec<DiffHunk<'_>> {
    let mut hunks: Vec<DiffHunk<'_>> = Vec::new();
    for (_, line) in lines(diff) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        match (line.first(), hunks.last_mut()) {
            (Some(b'@'), _) => {
                hunks.extend(ranges(line).map(|(old, new, section)| DiffHunk {
                    old,
                    new,
                    section,
                    lines: Vec::new(),
                }));
            }
            (Some(b' ' | b'-' | b'+' | b'\\'), Some(hunk)) => hunk.lines.push(line),
            _ => {}
        }
    }
    hunks
}
