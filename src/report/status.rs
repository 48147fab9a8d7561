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
    /// The file is changed completely.
    Ok,
    /// Hunks were rejected. The rest is done.
    Partial,
    /// The file has its final state already.
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
            None if outcome.is_done => Self::NoChange,
            None => Self::Ok,
        }
    }
}

impl fmt::Display for FileStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What became of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HunkStatus {
    /// It fits at its stated place, all its context with it.
    Clean,
    /// It fits at another place.
    Offset,
    /// It fits with lines of context left out.
    Fuzzy,
    /// It was not looked for.
    Unplaced,
    /// It fits nowhere.
    NotFound,
    /// It fits in several places and nothing decides.
    Ambiguous,
    /// It fits only where another hunk is placed.
    Overlap,
    /// Its result already stands there.
    AlreadyApplied,
    /// It was merged with what became of its lines.
    Merged,
    /// It changes lines that the file has otherwise; both stand there, between markers.
    Conflict,
    /// What it asks for is larger than a file may be.
    TooLarge,
    /// It fills an empty file, and there is something in this one.
    Exists,
}

impl HunkStatus {
    /// Returns whether the hunk has a place in the file.
    #[must_use]
    pub fn is_placed(self) -> bool {
        matches!(self, Self::Clean | Self::Offset | Self::Fuzzy)
    }
}
