//! git's index in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// The changes of git's index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct IndexReport {
    /// `index`; `cached` if no file of the work tree changes; `intent_to_add` if only new files are
    /// recorded.
    pub reach: &'static str,
    /// The index file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The changed entries, sorted by name.
    pub entries: Vec<IndexEntryReport>,
}

impl IndexReport {
    /// Returns whether the patch is applied to the content of the index instead of the work tree.
    #[must_use]
    pub fn decides(&self) -> bool {
        self.reach != "intent_to_add"
    }
}

/// The change of one index entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct IndexEntryReport {
    /// The path.
    pub path: String,
    /// The version before the change.
    pub before: Option<IndexVersion>,
    /// The version after the change; null if the entry is removed or in conflict.
    pub after: Option<IndexVersion>,
    /// The versions of an entry in conflict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<IndexStage>,
}

/// One version of an entry in conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct IndexStage {
    /// The stage: 1 for the common ancestor, 2 for ours, 3 for theirs.
    pub stage: u8,
    /// The version.
    #[serde(flatten)]
    pub version: IndexVersion,
}

/// The object of an index entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct IndexVersion {
    /// The mode in git's notation.
    pub mode: String,
    /// The object name of the blob, or of the commit of a submodule.
    pub id: String,
}
