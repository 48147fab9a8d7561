//! What a report says of git's index.

use schemars::JsonSchema;
use serde::Serialize;

/// What becomes of git's index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexReport {
    /// `index`, `cached` if no file of the work tree changes, `intent_to_add` if new files are noted and nothing else.
    pub reach: &'static str,
    /// The file that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The entries that change, by name.
    pub entries: Vec<IndexEntryReport>,
}

/// What becomes of one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexEntryReport {
    /// The name.
    pub path: String,
    /// What it had.
    pub before: Option<IndexVersion>,
    /// What it gets; null if it goes.
    pub after: Option<IndexVersion>,
}

/// What an entry names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexVersion {
    /// The mode, as git writes it.
    pub mode: String,
    /// The blob, or the commit of a submodule.
    pub id: String,
}
