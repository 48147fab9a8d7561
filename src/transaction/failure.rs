//! Why a transaction did not happen.

use crate::path::RelPath;
use crate::workspace::{Fault, Result as Done, WorkspaceError};

/// Why nothing was committed. Unless it is [`Failure::Incomplete`], the tree is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// Somebody else holds the lock.
    #[error("another wpatch is at work here")]
    Locked,
    /// A command of another user runs here, or was killed.
    #[error("{directory}: a command of another user (uid {owner}) runs here, or was killed")]
    LockedByUser {
        /// The directory or file that the command made.
        directory: String,
        /// The user.
        owner: u32,
    },
    /// Somebody else has git's lock of the index, which is this file.
    #[error("another git process seems to be at work here: {0} exists")]
    IndexLocked(String),
    /// These files are not what they were when they were read.
    #[error("changed by another process meanwhile")]
    Stale(Vec<RelPath>),
    /// A [`Trial`](super::Trial) sent it back, and knows why.
    #[error("sent back after a trial")]
    Rejected,
    /// A signal came.
    #[error("stopped by signal {0}")]
    Interrupted(i32),
    /// The state directory or its journal cannot be trusted.
    #[error("{reason}")]
    State {
        /// Why not.
        reason: String,
    },
    /// The state directory belongs to another user, of whom a change may be half made.
    #[error("{directory}: belongs to another user (uid {owner})")]
    Foreign {
        /// The directory.
        directory: String,
        /// The user.
        owner: u32,
    },
    /// A command that a [`Trial`](super::Trial) asks could not be run.
    #[error("cannot run the command: {reason}")]
    Command {
        /// Why not.
        reason: String,
    },
    /// The disk failed.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Rolling back could not be finished either.
    ///
    /// Either the disk refuses it; then the journal stays, and `recover` finishes it. Or somebody
    /// else's work is in the way, which stays as it is for good.
    #[error("rolling back could not be finished")]
    Incomplete {
        /// What somebody else's work keeps from being put back.
        left: Vec<RelPath>,
        /// The displaced files that belong there.
        kept: Vec<KeptFile>,
        /// What the disk refuses.
        refused: Option<Box<Failure>>,
        /// What stopped the commit; `None` in recovery.
        cause: Option<Box<Failure>>,
    },
}

/// A displaced file that a rollback could not put back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptFile {
    /// The path that it belongs to; `None` if no record names it any more.
    pub path: Option<RelPath>,
    /// Where it is now: a path below the root, or an absolute path outside of it.
    pub copy: Vec<u8>,
}

impl Failure {
    /// Names the file at `path`, for which the disk may have named a scratch file.
    pub(super) fn about(self, path: &RelPath) -> Self {
        match self {
            Self::Workspace(error) => Self::Workspace(WorkspaceError {
                path: path.to_string(),
                ..error
            }),
            failure => failure,
        }
    }
}

/// There is no history where what an undo displaces could be kept.
pub(super) fn no_history() -> Failure {
    Failure::State {
        reason: "the history cannot be reached; try again".to_owned(),
    }
}

/// Takes what is not there as removed.
pub(super) fn gone(removed: Done<()>) -> Done<()> {
    match removed {
        Err(error) if is_unreachable(error.fault) => Ok(()),
        removed => removed,
    }
}

/// Returns whether the path has no file of this transaction: another process can have put a file
/// there or above it.
pub(super) fn is_unreachable(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::Missing | Fault::NotDirectory | Fault::NotRegular | Fault::ThroughLink
    )
}
