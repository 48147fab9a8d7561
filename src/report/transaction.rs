//! What was committed or recovered, and whether it can be undone.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::words::text;
use crate::path::RelPath;
use crate::transaction::{Durability, Ending, KeptFile, Receipt, Recovered, Unkept};

/// What was committed or recovered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct TransactionReport {
    /// The transaction's name; null if nothing was committed.
    pub id: Option<String>,
    /// What a loss of power leaves: `full` for everything, `none` for no promise.
    pub durability: Option<&'static str>,
    /// What dead processes had left.
    pub recovered: Vec<RecoveredReport>,
    /// Files that the rollback of this command left as they are, because another process had
    /// changed them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// The previous versions of these files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptReport>,
}

impl TransactionReport {
    /// Reports the commit of `receipt`, the changes that were `recovered` before, and what a
    /// rollback could not restore; `None` if there is none of them.
    pub(super) fn of(
        receipt: Option<&Receipt>,
        recovered: &[Recovered],
        (left, kept): &(Vec<RelPath>, Vec<KeptFile>),
    ) -> Option<Self> {
        if receipt.is_none() && recovered.is_empty() && left.is_empty() {
            return None;
        }
        let durability = |receipt: &Receipt| match receipt.durability {
            Durability::Full => "full",
            Durability::None => "none",
        };
        Some(Self {
            id: receipt.map(|receipt| receipt.id.clone()),
            durability: receipt.map(durability),
            recovered: recovered.iter().map(RecoveredReport::of).collect(),
            left: left.iter().map(|path| text(path.as_bytes())).collect(),
            kept: kept.iter().map(KeptReport::of).collect(),
        })
    }
}

/// A file that a rollback could not put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct KeptReport {
    /// The path that it belongs to; null if no record names it any more.
    pub path: Option<String>,
    /// Where it is: a path below the root, or an absolute path. Move it to `path` to restore the
    /// file, or delete it.
    pub copy: String,
}

impl KeptReport {
    pub(super) fn of(KeptFile { path, copy }: &KeptFile) -> Self {
        Self {
            path: path.as_ref().map(|path| text(path.as_bytes())),
            copy: text(copy),
        }
    }
}

/// Whether changes are kept in a history, so that they can be undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct HistoryReport {
    /// Whether they are.
    pub kept: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The reason with what helps.
    #[serde(skip)]
    pub unkept: Option<Unkept>,
}

impl HistoryReport {
    /// Returns the report of a history that is not kept for the reason `unkept`, or is kept.
    #[must_use]
    pub fn of(unkept: Option<Unkept>) -> Self {
        Self {
            kept: unkept.is_none(),
            reason: unkept.as_ref().map(|unkept| unkept.reason.clone()),
            unkept,
        }
    }
}

/// A transaction that a dead process had left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RecoveredReport {
    /// The transaction's name.
    pub id: String,
    /// `committed`, `waiting` (committed, and what it displaced waits for the history),
    /// `rolled_back`, `abandoned`, or `kept` (rolled back by an earlier command, and files of it
    /// are still kept).
    pub ending: &'static str,
    /// Files left as found because another process changed them since.
    pub left: Vec<String>,
    /// The previous versions of these files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptReport>,
}

impl RecoveredReport {
    fn of(recovered: &Recovered) -> Self {
        Self {
            id: recovered.id.clone(),
            ending: match recovered.ending {
                Ending::Committed => "committed",
                Ending::Waiting => "waiting",
                Ending::RolledBack => "rolled_back",
                Ending::Abandoned => "abandoned",
                Ending::Kept => "kept",
            },
            left: recovered
                .left
                .iter()
                .map(|path| text(path.as_bytes()))
                .collect(),
            kept: recovered.kept.iter().map(KeptReport::of).collect(),
        }
    }
}
