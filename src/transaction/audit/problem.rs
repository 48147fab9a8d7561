//! The result of a verification, and the faults that it finds.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::chain::LineFields;

/// The result of the verification of one audit file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct AuditVerification {
    /// The path of the file.
    pub path: String,
    /// The number of lines.
    pub records: usize,
    /// The number of records with a signature.
    pub signed: usize,
    /// The number of repairs of the end of the file. A record with the event `repaired` describes
    /// each of them.
    pub repaired: usize,
    /// The number of the last record; null without records.
    pub seq: Option<u64>,
    /// The digest of the last line. A copy of it elsewhere proves later that no record was removed.
    pub digest: Option<String>,
    /// The first fault; null if the file is intact.
    pub problem: Option<AuditProblem>,
}

/// The first fault of an audit file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct AuditProblem {
    /// The kind of fault.
    pub kind: AuditProblemKind,
    /// The line of the file, counted from 1. For a missing record: the line at which it is missing.
    pub line: usize,
    /// The number of the record.
    pub seq: Option<u64>,
    /// The time in the record.
    pub time: Option<String>,
    /// The fault.
    pub message: String,
    /// The next step.
    pub help: String,
}

/// The kinds of faults in an audit file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditProblemKind {
    /// The record was changed.
    Changed,
    /// One or more records are missing.
    Dropped,
    /// The record does not belong to this place.
    Inserted,
    /// The record has another place.
    Reordered,
    /// The newest records are missing.
    Truncated,
    /// The last line is incomplete.
    Incomplete,
    /// The history entry differs from its record.
    Disagrees,
}

impl AuditProblem {
    /// Returns a problem of the line `index`, counted from 0, with the fields `fields`.
    pub(super) fn at(
        kind: AuditProblemKind,
        index: usize,
        fields: &LineFields,
        message: String,
    ) -> Self {
        Self {
            seq: Some(fields.seq),
            time: Some(fields.time.clone()),
            ..Self::of_line(kind, index, message)
        }
    }

    /// Returns a problem of the line `index`, which is not a record.
    pub(super) fn of_line(kind: AuditProblemKind, index: usize, message: String) -> Self {
        Self {
            kind,
            line: index + 1,
            seq: None,
            time: None,
            message,
            help: "compare the file with a backup; do not trust this record and the ones after it"
                .to_owned(),
        }
    }
}
