//! The results of a rollback and of a failed commit.

use super::{Failure, KeptFile};
use crate::path::RelPath;

/// The result of a rollback.
pub(super) struct RollbackResult {
    /// The files that another process has changed, which were left unchanged.
    pub(super) left: Vec<RelPath>,
    /// The displaced files that belong to these paths.
    pub(super) kept: Vec<KeptFile>,
    /// The error that stopped the rollback. If it is set, the tree is not restored, and the journal
    /// must stay.
    pub(super) error: Option<Failure>,
}

impl RollbackResult {
    /// Returns the result for a tree that was not changed.
    pub(super) fn of_unchanged() -> Self {
        Self {
            left: Vec::new(),
            kept: Vec::new(),
            error: None,
        }
    }

    /// Returns the result of a rollback that `error` stopped before it changed anything.
    pub(super) fn of_error(error: Failure) -> Self {
        Self {
            left: Vec::new(),
            kept: Vec::new(),
            error: Some(error),
        }
    }

    /// Returns the files that were left unchanged and the displaced files for them.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::Incomplete`] if an error stopped the rollback.
    pub(super) fn into_result(self) -> Result<(Vec<RelPath>, Vec<KeptFile>), Failure> {
        match self.error {
            None => Ok((self.left, self.kept)),
            error => {
                let refused = error.map(Box::new);
                Err(Failure::Incomplete {
                    left: self.left,
                    kept: self.kept,
                    rollback_error: refused,
                    cause: None,
                })
            }
        }
    }

    /// Returns the failure of the commit that `cause` had stopped.
    pub(super) fn into_aborted(self, cause: Failure) -> FailedCommit {
        let Self { left, kept, error } = self;
        let keeps_journal = error.is_some();
        if left.is_empty() && !keeps_journal {
            return cause.into();
        }
        let (refused, cause) = (error.map(Box::new), Some(Box::new(cause)));
        FailedCommit {
            failure: Failure::Incomplete {
                left,
                kept,
                rollback_error: refused,
                cause,
            },
            keeps_journal,
        }
    }
}

/// A failed commit.
pub(super) struct FailedCommit {
    pub(super) failure: Failure,
    /// Whether the journal must stay, because a file could not be restored.
    pub(super) keeps_journal: bool,
}

impl From<Failure> for FailedCommit {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            keeps_journal: false,
        }
    }
}
