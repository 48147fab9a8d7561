//! What a report says of git's index.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// What becomes of git's index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct IndexReport {
    /// `index`, `cached` if no file of the work tree changes, `intent_to_add` if new files are
    /// noted and nothing else.
    pub reach: &'static str,
    /// The file that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The entries that change, by name.
    pub entries: Vec<IndexEntryReport>,
}

impl IndexReport {
    /// Returns whether the patch is put to what the index holds, and not to the files of the work
    /// tree.
    #[must_use]
    pub fn decides(&self) -> bool {
        self.reach != "intent_to_add"
    }
}

/// What becomes of one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct IndexEntryReport {
    /// The name.
    pub path: String,
    /// What it had.
    pub before: Option<IndexVersion>,
    /// What it gets; null if it goes, or is in conflict then.
    pub after: Option<IndexVersion>,
    /// What it has of a conflict then (`--3way`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<IndexStage>,
}

/// A side of a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct IndexStage {
    /// 1 for what both sides come from, 2 for ours, 3 for theirs.
    pub stage: u8,
    /// What it is.
    #[serde(flatten)]
    pub version: IndexVersion,
}

/// What an entry names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct IndexVersion {
    /// The mode, as git writes it.
    pub mode: String,
    /// The blob, or the commit of a submodule.
    pub id: String,
}
