//! The git tree that was compared with a patch.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// A git tree that was compared with the patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct TreeReport {
    /// The repository, or the directory in which git found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The revision, as the caller named it.
    pub revision: String,
    /// The commit of the revision; null if the revision names a tree.
    pub commit: Option<String>,
    /// The object name of the tree.
    pub id: String,
}
