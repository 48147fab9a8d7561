//! The counts over all files of a change.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{FileReport, FileType, HunkStatus, Op};
use crate::plan::Operation;
use crate::preflight::FileOutcome;

/// Counts over all files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Summary {
    /// The number of file sections.
    pub files: usize,
    /// The number of hunks.
    pub hunks: usize,
    /// The number of created files.
    pub creates: usize,
    /// The number of files with changed content and the same name.
    pub modifies: usize,
    /// The number of deleted files.
    pub deletes: usize,
    /// The number of renamed files.
    pub renames: usize,
    /// The number of copied files.
    pub copies: usize,
    /// The number of files whose mode changes, including files with other changes.
    pub mode_changes: usize,
    /// The number of files that are changed by bytes.
    pub binary: usize,
    /// The number of hunks that apply with an offset.
    pub hunks_offset: usize,
    /// The number of hunks that apply with some context lines ignored.
    pub hunks_fuzzy: usize,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

impl Summary {
    pub(super) fn count(&mut self, file: &FileReport) {
        self.count_file((file.op, file.file_type), (file.added, file.removed));
        self.mode_changes += usize::from(file.is_mode_change());
        for hunk in &file.hunks {
            self.hunks_offset += usize::from(hunk.offset.is_some_and(|offset| offset != 0));
            self.hunks_fuzzy += usize::from(hunk.status == HunkStatus::Fuzzy);
        }
        self.hunks_offset += file.omitted_moves.0;
        self.hunks_fuzzy += file.omitted_moves.1;
    }

    /// Counts the hunks of a file that apply with an offset or with fuzz.
    pub(super) fn count_moved(&mut self, operation: &Operation, outcome: &FileOutcome) {
        let placements = outcome
            .placements
            .iter()
            .enumerate()
            .filter(|(index, _)| operation.is_applied(*index));
        for placement in placements.filter_map(|(_, placed)| placed.as_ref().ok()) {
            self.hunks_offset += usize::from(placement.offset != 0);
            self.hunks_fuzzy += usize::from(placement.ignored_context != (0, 0));
        }
    }

    /// Counts a file without its hunks and its mode. `lines` are the numbers of added and removed
    /// lines.
    pub(super) fn count_file(&mut self, (op, file_type): (Op, FileType), lines: (usize, usize)) {
        self.files += 1;
        self.added += lines.0;
        self.removed += lines.1;
        self.binary += usize::from(file_type == FileType::Binary);
        match op {
            Op::Create => self.creates += 1,
            Op::Modify => self.modifies += 1,
            Op::Delete => self.deletes += 1,
            Op::Rename => self.renames += 1,
            Op::Copy => self.copies += 1,
            Op::Mode => {}
        }
    }
}
