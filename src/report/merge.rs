//! How a patch was merged with what became of its file, in a report.

use std::ops::Range;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::status::HunkStatus;
use crate::matching::{Conflict, MergeResult, MergedPart};
use crate::preflight::{BaseKind, Merge};

/// How a patch was merged with what became of its file since it was made (`--3way`, `--merge`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct MergeReport {
    /// Where the contents came from that it was made for: `objects` of the repository, `history` of
    /// changes made here, `given` by `--base`, `nothing` if the patch makes the file; of `hunks`
    /// that were merged one by one (`--merge`) they are all that is known.
    pub base: &'static str,
    /// Whether the conflicts are written into the file, between markers.
    pub marked: bool,
    /// The lines that both sides changed, and that nothing decided; of binary contents all.
    /// `omitted` of the file counts those that are not listed.
    pub conflicts: Vec<ConflictReport>,
}

/// Lines that both sides changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ConflictReport {
    /// The lines in the contents that the patch was made for.
    pub base: MergedLines,
    /// The lines in the file as it was.
    pub ours: MergedLines,
    /// The lines in what the patch makes of the contents that it was made for.
    pub theirs: MergedLines,
}

/// A run of lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct MergedLines {
    /// The first line, counted from 1; the one that they would stand before if there are none.
    pub start: usize,
    /// How many there are.
    pub count: usize,
}

impl MergeReport {
    /// Reports `merge` with at most `most` of its conflicts.
    pub(super) fn of(merge: &Merge, most: usize) -> Self {
        let base = match merge.base {
            BaseKind::Objects => "objects",
            BaseKind::History => "history",
            BaseKind::Given => "given",
            BaseKind::Nothing => "nothing",
            BaseKind::Hunks => "hunks",
        };
        let conflict = |conflict: &Conflict| ConflictReport {
            base: lines(&conflict.base),
            ours: lines(&conflict.ours),
            theirs: lines(&conflict.theirs),
        };
        let marked = merge.is_marked && !merge.is_binary;
        Self {
            base,
            marked,
            conflicts: merge.conflicts.iter().take(most).map(conflict).collect(),
        }
    }
}

/// What became of one change in a hunk that was merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct MergedChange {
    /// `merged`, `already_applied`, or `conflict`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: HunkStatus,
    /// The lines of the file afterwards, with the markers of a conflict.
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
            lines: lines(&part.lines),
        }
    }
}

fn lines(range: &Range<usize>) -> MergedLines {
    MergedLines {
        start: range.start + 1,
        count: range.len(),
    }
}
