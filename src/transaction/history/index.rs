//! The changes of git's index in a transaction: names and object IDs, so that an undo can restore
//! each entry.

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::transaction::escape;

/// The changes of git's index in a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexRecord {
    /// Whether the transaction changed only the index and no file of the work tree.
    pub is_cached: bool,
    /// The changed index entries, sorted by name.
    pub entries: Vec<IndexChange>,
}

/// The change of one index entry.
///
/// An entry is written like in git: `100644 ID`. A flag follows it: `intended` for an intent-to-add
/// entry, and `assumed` or `skipped` as in git-update-index(1). The entries of a conflict are
/// `100644 ID STAGE`, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexChange {
    /// The path of the entry.
    #[serde(with = "escape")]
    pub path: RelPath,
    /// The old entry.
    pub before: Option<String>,
    /// The new entry.
    pub after: Option<String>,
}
