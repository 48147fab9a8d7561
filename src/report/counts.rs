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
    /// File sections.
    pub files: usize,
    /// Hunks.
    pub hunks: usize,
    /// New files.
    pub creates: usize,
    /// Files with other contents under the same name.
    pub modifies: usize,
    /// Files that go.
    pub deletes: usize,
    /// Renamed files.
    pub renames: usize,
    /// Copied files.
    pub copies: usize,
    /// Files whose mode changes, whatever else does.
    pub mode_changes: usize,
    /// Files that are changed by bytes.
    pub binary: usize,
    /// Hunks that fit off their stated place.
    pub hunks_offset: usize,
    /// Hunks that fit with lines of context left out.
    pub hunks_fuzzy: usize,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
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

    /// Counts the hunks of a file that fit off their stated place, or with lines of context left
    /// out.
    pub(super) fn count_moved(&mut self, operation: &Operation, outcome: &FileOutcome) {
        let placements = outcome
            .placements
            .iter()
            .enumerate()
            .filter(|(index, _)| operation.takes(*index));
        for placement in placements.filter_map(|(_, placed)| placed.as_ref().ok()) {
            self.hunks_offset += usize::from(placement.offset != 0);
            self.hunks_fuzzy += usize::from(placement.left_out != (0, 0));
        }
    }

    /// Counts a file without its hunks and its mode; `lines` are added and removed.
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
