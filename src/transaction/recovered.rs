//! The report of recovery.

use super::KeptFile;
use crate::path::RelPath;

/// What recovery did with a transaction that a dead process had left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The transaction's name.
    pub id: String,
    /// How it ended.
    pub ending: Ending,
    /// Files that were left as found because somebody else changed them since, from the top of the
    /// work tree.
    pub left: Vec<RelPath>,
    /// The displaced files that could not be put back for that.
    pub kept: Vec<KeptFile>,
}

/// How a left transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// Its commit record was there: only scratch was swept.
    Committed,
    /// Its commit record was there, and what it displaced cannot be brought into the history now:
    /// it waits.
    Waiting,
    /// The tree was put back.
    RolledBack,
    /// Nothing had been touched yet.
    Abandoned,
    /// It was rolled back before, and files of it are still kept.
    Kept,
}
