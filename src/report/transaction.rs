//! The committed and recovered transactions, and whether the change can be undone.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::words::text;
use crate::path::RelPath;
use crate::transaction::{
    Durability, KeptFile, NoHistoryReason, Receipt, RecoveredTransaction, RecoveryOutcome,
};

/// The committed and recovered transactions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct TransactionReport {
    /// The identifier of the transaction; null if nothing was committed.
    pub id: Option<String>,
    /// The durability: `full` survives a power loss, `none` makes no promise.
    pub durability: Option<&'static str>,
    /// The interrupted transactions that the command recovered.
    pub recovered: Vec<RecoveredReport>,
    /// The files that the rollback of this command did not restore, because another process had
    /// changed them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// The previous versions of these files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptFileReport>,
}

impl TransactionReport {
    /// Returns the entry for the commit of `receipt`, the `recovered` transactions, and the files
    /// that a rollback could not restore. Returns `None` if there are none of these.
    pub(super) fn of(
        receipt: Option<&Receipt>,
        recovered: &[RecoveredTransaction],
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
            kept: kept.iter().map(KeptFileReport::of).collect(),
        })
    }
}

/// The previous version of a file that a rollback could not restore.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct KeptFileReport {
    /// The path of the file; null if no record names it.
    pub path: Option<String>,
    /// The location of the previous version: a path below the root, or an absolute path. Move it to
    /// `path` to restore the file, or delete it.
    pub copy: String,
}

impl KeptFileReport {
    pub(super) fn of(KeptFile { path, copy }: &KeptFile) -> Self {
        Self {
            path: path.as_ref().map(|path| text(path.as_bytes())),
            copy: text(copy),
        }
    }
}

/// Whether the history keeps changes so that they can be undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct HistoryReport {
    /// Whether the history keeps changes.
    pub kept: bool,
    /// The reason why it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The reason with the next step for the user.
    #[serde(skip)]
    pub unkept: Option<NoHistoryReason>,
}

impl HistoryReport {
    /// Returns the entry for a history that is not kept because of `unkept`, or that is kept.
    #[must_use]
    pub fn of(unkept: Option<NoHistoryReason>) -> Self {
        Self {
            kept: unkept.is_none(),
            reason: unkept.as_ref().map(|unkept| unkept.reason.clone()),
            unkept,
        }
    }
}

/// An interrupted transaction of a process that died.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RecoveredReport {
    /// The identifier of the transaction.
    pub id: String,
    /// `committed`; `waiting` (committed, but its displaced files are not in the history yet);
    /// `rolled_back`; `abandoned` (had not changed the tree); or `kept` (rolled back by an earlier
    /// command, but some of its files are still kept).
    pub ending: &'static str,
    /// The root of the transaction, if the command has several, or if it is another root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The files that were not restored because another process had changed them.
    pub left: Vec<String>,
    /// The previous versions of these files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptFileReport>,
}

impl RecoveredReport {
    fn of(recovered: &RecoveredTransaction) -> Self {
        Self {
            id: recovered.id.clone(),
            ending: match recovered.ending {
                RecoveryOutcome::Committed => "committed",
                RecoveryOutcome::HistoryPending => "waiting",
                RecoveryOutcome::RolledBack => "rolled_back",
                RecoveryOutcome::Abandoned => "abandoned",
                RecoveryOutcome::Kept => "kept",
            },
            root: recovered.root.clone(),
            left: recovered
                .left
                .iter()
                .map(|path| text(path.as_bytes()))
                .collect(),
            kept: recovered.kept.iter().map(KeptFileReport::of).collect(),
        }
    }
}
