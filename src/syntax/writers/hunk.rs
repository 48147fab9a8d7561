//! Hunks to be written.

use crate::plan::{LineKind, LineRange};
use crate::text::without_bom;

/// One hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchHunk<'a> {
    /// The lines of the old file.
    pub old: LineRange,
    /// The lines of the new file.
    pub new: LineRange,
    /// The section heading.
    pub section: &'a [u8],
    /// The lines with their terminators.
    pub lines: Vec<(LineKind, &'a [u8])>,
    /// Whether the last line of the hunk is known to be the last line of the file.
    pub is_at_end: bool,
}

impl<'a> PatchHunk<'a> {
    /// Returns the hunk without the byte order mark of the first line of the file. In formats for
    /// models, the mark is not part of the text.
    pub(super) fn without_mark(&self) -> Self {
        let mut hunk = self.clone();
        for (range, left_out) in [
            (self.old, LineKind::Insertion),
            (self.new, LineKind::Deletion),
        ] {
            let mut lines = hunk.lines.iter_mut().filter(|(kind, _)| *kind != left_out);
            if range.start <= 1
                && let Some((_, line)) = lines.next()
            {
                *line = without_bom(line);
            }
        }
        hunk
    }

    /// Returns the lines of the old file.
    pub(super) fn old_lines(&self) -> impl Iterator<Item = &'a [u8]> {
        self.lines_except(LineKind::Insertion)
    }

    /// Returns the lines of the new file.
    pub(super) fn new_lines(&self) -> impl Iterator<Item = &'a [u8]> {
        self.lines_except(LineKind::Deletion)
    }

    fn lines_except(&self, kind: LineKind) -> impl Iterator<Item = &'a [u8]> {
        let lines = self.lines.iter().filter(move |(found, _)| *found != kind);
        lines.map(|(_, line)| *line)
    }

    /// Returns the runs of deletions and insertions between context lines.
    pub(super) fn runs(&self) -> Vec<ChangedRun<'a>> {
        let mut runs: Vec<ChangedRun<'a>> = Vec::new();
        let (mut old_start, mut new_start, mut is_open) = (0, 0, false);
        for &(kind, line) in &self.lines {
            if kind != LineKind::Context && !is_open {
                runs.push(ChangedRun {
                    old_start,
                    new_start,
                    old: Vec::new(),
                    new: Vec::new(),
                });
            }
            is_open = kind != LineKind::Context;
            old_start += usize::from(kind != LineKind::Insertion);
            new_start += usize::from(kind != LineKind::Deletion);
            match (runs.last_mut(), kind) {
                (Some(run), LineKind::Deletion) => run.old.push(line),
                (Some(run), LineKind::Insertion) => run.new.push(line),
                _ => {}
            }
        }
        runs
    }
}

/// Consecutive deleted and inserted lines.
pub(super) struct ChangedRun<'a> {
    /// The numbers of old and of new lines before the run in its hunk.
    pub(super) old_start: usize,
    pub(super) new_start: usize,
    pub(super) old: Vec<&'a [u8]>,
    pub(super) new: Vec<&'a [u8]>,
}
