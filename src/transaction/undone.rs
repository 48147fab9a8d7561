//! What came of rolling back.

use super::{Failure, KeptFile};
use crate::path::RelPath;

/// What came of it.
pub(super) struct Undone {
    /// Files that stay as somebody else left them.
    pub(super) left: Vec<RelPath>,
    /// The displaced files that belong there.
    pub(super) kept: Vec<KeptFile>,
    /// Why the journal has to stay; the tree is not back.
    pub(super) trouble: Option<Failure>,
}

impl Undone {
    /// Returns the files that stay as somebody else left them, and the displaced files that belong
    /// there, if everything else is back.
    pub(super) fn finished(self) -> Result<(Vec<RelPath>, Vec<KeptFile>), Failure> {
        match self.trouble {
            None => Ok((self.left, self.kept)),
            trouble => {
                let refused = trouble.map(Box::new);
                Err(Failure::Incomplete {
                    left: self.left,
                    kept: self.kept,
                    refused,
                    cause: None,
                })
            }
        }
    }

    /// Returns how the commit failed that it was for, which `cause` had stopped.
    pub(super) fn aborted(self, cause: Failure) -> Aborted {
        let Self {
            left,
            kept,
            trouble,
        } = self;
        let keeps_journal = trouble.is_some();
        if left.is_empty() && !keeps_journal {
            return cause.into();
        }
        let (refused, cause) = (trouble.map(Box::new), Some(Box::new(cause)));
        Aborted {
            failure: Failure::Incomplete {
                left,
                kept,
                refused,
                cause,
            },
            keeps_journal,
        }
    }
}

/// How a commit failed.
pub(super) struct Aborted {
    pub(super) failure: Failure,
    /// Whether the journal has to stay, because something could not be put back.
    pub(super) keeps_journal: bool,
}

impl From<Failure> for Aborted {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            keeps_journal: false,
        }
    }
}
