//! The errors of a transaction.

use std::io;

use super::Interrupt;
use crate::path::RelPath;
use crate::workspace::disk::advice::owner_note;
use crate::workspace::{ErrorKind, Result as Done, WorkspaceError};

/// The reason why a transaction was not committed. Except for [`Failure::Incomplete`], the tree is
/// in its old state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// Another process holds the lock.
    #[error("another wpatch process is changing this tree")]
    Locked,
    /// A command of another user is running here, or was killed.
    #[error("{directory}: a command of another user{} is running or was killed", owner_note(*owner))]
    LockedByUser {
        /// The directory or file that the command created.
        directory: String,
        /// The user ID of that user.
        owner: u32,
    },
    /// Another process holds git's lock of the index, which is this file.
    #[error("another git process is changing the index: {0} exists")]
    IndexLocked(String),
    /// Another process has changed these files since they were read.
    #[error("another process changed the files while the patch was being applied")]
    Stale(Vec<RelPath>),
    /// A [`CommitHook`](super::CommitHook) rejected the change and has the reason.
    #[error("the change was rejected by a check")]
    Rejected,
    /// This signal cancelled the transaction.
    #[error("stopped by signal {0}")]
    Interrupted(i32),
    /// The state directory or its journal cannot be trusted.
    #[error("{reason}")]
    State {
        /// The reason.
        reason: String,
    },
    /// The journal names another directory or another machine. No file was changed.
    #[error("{journal}: the journal names another directory or machine")]
    OtherRoot {
        /// The path of the journal.
        journal: String,
    },
    /// A root of an interrupted change of several roots cannot be opened. No file was changed.
    #[error("{directory}: an interrupted change also concerns this root, {reason}")]
    MissingRoot {
        /// The location of the root.
        directory: String,
        /// The reason why it cannot be used.
        reason: String,
    },
    /// The state directory belongs to another user, who may have an unfinished change.
    #[error("{directory}: belongs to another user{}", owner_note(*owner))]
    Foreign {
        /// The state directory.
        directory: String,
        /// The user ID of its owner.
        owner: u32,
    },
    /// The command of a [`CommitHook`](super::CommitHook) could not be run.
    #[error("cannot run the command: {reason}")]
    Command {
        /// The reason.
        reason: String,
    },
    /// The command of `--sign-with` did not sign the audit record.
    #[error("--sign-with did not sign the audit record: {reason}")]
    Unsigned {
        /// The reason.
        reason: String,
    },
    /// The workspace returned an error.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The rollback could not be completed.
    ///
    /// After an error of the file system, the journal remains and `recover` completes the rollback.
    /// Files that another process has changed are left unchanged permanently.
    #[error("the rollback could not be completed")]
    Incomplete {
        /// The paths that could not be restored because another process has changed them.
        left: Vec<RelPath>,
        /// The displaced files that belong to these paths.
        kept: Vec<KeptFile>,
        /// The error that stopped the rollback.
        rollback_error: Option<Box<Failure>>,
        /// The error that stopped the commit, or `None` during recovery.
        cause: Option<Box<Failure>>,
    },
}

/// A displaced file that a rollback could not restore.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptFile {
    /// The path it belongs to, or `None` if no record contains the path.
    pub path: Option<RelPath>,
    /// Its current location: a path below the root, or an absolute path outside it.
    pub copy: Vec<u8>,
}

impl Failure {
    /// Replaces the path of a workspace error, which can be a scratch file, with `path`.
    pub(super) fn with_path(self, path: &RelPath) -> Self {
        match self {
            Self::Workspace(error) => Self::Workspace(WorkspaceError {
                path: path.to_string(),
                ..error
            }),
            failure => failure,
        }
    }

    /// Returns whether the file system or the quota of the user is full.
    pub(super) fn is_out_of_space(&self) -> bool {
        let is_full = |kind| {
            matches!(
                kind,
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            )
        };
        matches!(self, Self::Workspace(error) if is_full(error.source.kind()))
    }

    /// Returns whether another program has a file open.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self, Self::Workspace(error) if error.kind == ErrorKind::Busy)
    }
}

/// Returns the error for an undo without a history that could keep the displaced files.
pub(super) fn no_history() -> Failure {
    Failure::State {
        reason: "the history is not accessible; try again".to_owned(),
    }
}

/// Returns an error after a signal.
pub(super) fn check_interrupt(interrupt: &Interrupt) -> Result<(), Failure> {
    match interrupt.signal() {
        Some(signal) => Err(Failure::Interrupted(signal)),
        None => Ok(()),
    }
}

/// Treats a missing file as removed.
pub(super) fn ignore_missing(removed: Done<()>) -> Done<()> {
    match removed {
        Err(error) if is_unreachable(error.kind) => Ok(()),
        removed => removed,
    }
}

/// Returns whether `fault` means that no file of this transaction exists at the path. Another
/// process can have created a file there or above it.
pub(super) fn is_unreachable(fault: ErrorKind) -> bool {
    matches!(
        fault,
        ErrorKind::Missing
            | ErrorKind::NotDirectory
            | ErrorKind::NotRegular
            | ErrorKind::ThroughLink
    )
}
