//! The rejected hunks of a file in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::hunk::hunk_id;
use super::side::OverwrittenFile;
use super::words::text;
use crate::preflight::RejectedHunks;

/// The rejected hunks of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RejectsReport {
    /// The reject file; absent if no file was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The identifiers of the hunks, for example `f1h2`. The number of listed hunks is limited.
    pub hunks: Vec<String>,
    /// The number of all rejected hunks. `omitted` of the file counts hunks that are not listed.
    #[serde(skip)]
    pub count: usize,
    /// The SHA-256 digest of the reject file, including hunks of other operations. Absent if it was
    /// not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The existing file that the reject file overwrites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<OverwrittenFile>,
}

impl RejectsReport {
    /// Returns the entry for `rejects` of the file `id`, with at most `most` hunks.
    pub(super) fn of(id: &str, rejects: &RejectedHunks, most: usize) -> Self {
        let hunks = rejects
            .hunks
            .iter()
            .take(most)
            .map(|&hunk| hunk_id(id, hunk))
            .collect();
        Self {
            path: rejects.path.as_ref().map(|path| text(path.as_bytes())),
            hunks,
            count: rejects.hunks.len(),
            sha256: rejects.sha256.map(|digest| digest.to_string()),
            replaces: rejects.replaced.map(OverwrittenFile::of),
        }
    }
}
