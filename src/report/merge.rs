//! The result of a merge in a report.

use std::ops::Range;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::status::HunkStatus;
use crate::matching::{Conflict, MergeResult, MergedPart};
use crate::preflight::{BaseSource, MergeOutcome};

/// The result of a three-way merge of the patch with the current content, or of a merge per hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct MergeReport {
    /// The source of the merge base: `objects` of the repository, the `history` of wpatch, `given`
    /// by the caller, or `nothing` if the patch creates the file. `hunks` means that the hunks were
    /// merged one by one and their preimages are the base.
    pub base: &'static str,
    /// Whether the conflicts are written into the file with conflict markers.
    pub marked: bool,
    /// The conflicting lines. For binary content, the whole file. `omitted` of the file counts
    /// conflicts that are not listed.
    pub conflicts: Vec<ConflictReport>,
}

/// Lines that both sides changed differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ConflictReport {
    /// The lines in the merge base.
    pub base: MergedLines,
    /// The lines in the current file.
    pub ours: MergedLines,
    /// The lines in the postimage of the patch.
    pub theirs: MergedLines,
}

/// A range of lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct MergedLines {
    /// The first line, counted from 1. For an empty range, the line after it.
    pub start: usize,
    /// The number of lines.
    pub count: usize,
}

impl MergeReport {
    /// Returns the entry for `merge`, with at most `most` conflicts.
    pub(super) fn of(merge: &MergeOutcome, most: usize) -> Self {
        let base = match merge.base {
            BaseSource::Objects => "objects",
            BaseSource::History => "history",
            BaseSource::User => "given",
            BaseSource::Empty => "nothing",
            BaseSource::Hunks => "hunks",
        };
        let conflict = |conflict: &Conflict| ConflictReport {
            base: merged_lines(&conflict.base),
            ours: merged_lines(&conflict.ours),
            theirs: merged_lines(&conflict.theirs),
        };
        let marked = merge.is_marked && !merge.is_binary;
        Self {
            base,
            marked,
            conflicts: merge.conflicts.iter().take(most).map(conflict).collect(),
        }
    }
}

/// The result of one change in a merged hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct MergedChange {
    /// `merged`, `already_applied` or `conflict`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: HunkStatus,
    /// The lines of the file after the merge, including conflict markers.
    pub lines: MergedLines,
}

impl MergedChange {
    pub(super) fn of(part: &MergedPart) -> Self {
        let status = match part.kind {
            MergeResult::Merged => HunkStatus::Merged,
            MergeResult::AlreadyApplied => HunkStatus::AlreadyApplied,
            MergeResult::Conflict => HunkStatus::Conflict,
        };
        Self {
            status,
            lines: merged_lines(&part.lines),
        }
    }
}

fn merged_lines(range: &Range<usize>) -> MergedLines {
    MergedLines {
        start: range.start + 1,
        count: range.len(),
    }
}
