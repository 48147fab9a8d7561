//! What was rejected of a patch, in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::hunk::hunk_id;
use super::side::Replaced;
use super::words::text;
use crate::preflight::Rejects;

/// Hunks that were written to a file of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RejectsReport {
    /// The file that has them; left out where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Their names, as in `f1h2`; of many, the first.
    pub hunks: Vec<String>,
    /// The number of all; `omitted` of the file counts those that are not named.
    #[serde(skip)]
    pub count: usize,
    /// Digest of what it holds in the end, with the hunks of other operations; left out if nobody
    /// asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What was there before, and is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<Replaced>,
}

impl RejectsReport {
    /// Reports the hunks of the file `id` that are in `rejects`, and names at most `most` of them.
    pub(super) fn of(id: &str, rejects: &Rejects, most: usize) -> Self {
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
            replaces: rejects.replaced.map(Replaced::of),
        }
    }
}
