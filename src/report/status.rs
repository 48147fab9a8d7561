//! The status of a file and the status of a hunk.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::preflight::{FileOutcome, ProblemKind};

/// The status of a file in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileStatus {
    /// All changes of the file apply.
    Ok,
    /// Some hunks were rejected. The rest applies.
    Partial,
    /// The change is already applied.
    NoChange,
    /// The kind of the first problem of the file.
    #[serde(untagged)]
    Failed(ProblemKind),
}

impl FileStatus {
    pub(super) fn of(outcome: &FileOutcome) -> Self {
        match outcome.failed.map(|code| code.kind) {
            Some(ProblemKind::NoChange) => Self::NoChange,
            Some(kind) => Self::Failed(kind),
            None if outcome.rejects.is_some() => Self::Partial,
            None if outcome.is_already_applied => Self::NoChange,
            None => Self::Ok,
        }
    }
}

impl fmt::Display for FileStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The status of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HunkStatus {
    /// The hunk applies at its stated line with all of its context.
    Clean,
    /// The hunk applies at another line.
    Offset,
    /// The hunk applies with some context lines ignored.
    Fuzzy,
    /// The hunk was not searched for.
    Unplaced,
    /// The hunk matches nowhere.
    NotFound,
    /// The hunk matches at several lines and cannot be placed uniquely.
    Ambiguous,
    /// The hunk matches only where another hunk is placed.
    Overlap,
    /// The postimage is already in the file.
    AlreadyApplied,
    /// The hunk was merged with other changes of the same lines.
    Merged,
    /// The file has other changes of the same lines. Conflict markers separate the two versions.
    Conflict,
    /// The result would exceed the size limit.
    TooLarge,
    /// The hunk requires an empty file, but the file is not empty.
    Exists,
    /// The place cannot be determined, for example because the file cannot be parsed.
    Unsupported,
}

impl HunkStatus {
    /// Returns whether the hunk has a placement.
    #[must_use]
    pub fn is_placed(self) -> bool {
        matches!(self, Self::Clean | Self::Offset | Self::Fuzzy)
    }
}
