//! What a transaction did to git's index: names and objects, so that it can be taken back entry by
//! entry.

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::transaction::escape;

/// What a transaction did to git's index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexRecord {
    /// Whether no file of the work tree went with it.
    pub is_cached: bool,
    /// What became of each entry, by name.
    pub entries: Vec<IndexChange>,
}

/// What became of one entry. Entries are as git writes them: `100644 ID`, with the name of its mark
/// behind it if it has one (`intended`: the file is only going to be added; `assumed`, `skipped`:
/// as git-update-index(1) has it); of a conflict `100644 ID STAGE`, with commas between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexChange {
    /// The name.
    #[serde(with = "escape")]
    pub path: RelPath,
    /// What it had.
    pub before: Option<String>,
    /// What it got.
    pub after: Option<String>,
}
