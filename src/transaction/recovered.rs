//! The report of a recovery.

use super::KeptFile;
use crate::path::RelPath;

/// A recovered transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveredTransaction {
    /// The ID of the transaction.
    pub id: String,
    /// The result of the recovery.
    pub ending: RecoveryOutcome,
    /// Files that another process has changed, which are left unchanged. The paths start at the top
    /// of the work tree.
    pub left: Vec<RelPath>,
    /// The root, if the command has several or if the transaction belongs to another root.
    pub root: Option<String>,
    /// The displaced files that could not be restored for this reason.
    pub kept: Vec<KeptFile>,
}

/// The result of recovering a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecoveryOutcome {
    /// It was committed. Only the scratch files were removed.
    Committed,
    /// It was committed, but its displaced files cannot be moved to the history now.
    HistoryPending,
    /// It was rolled back.
    RolledBack,
    /// It had not changed the tree.
    Abandoned,
    /// It was rolled back earlier, and its kept files still exist.
    Kept,
}
