//! Makes a set of file changes true as a whole, or leaves the tree alone. It has never heard of patches.
//!
//! The commit protocol: lock, stage, journal, swap with verification behind the swap, sync, commit record,
//! sweep. See [`Transaction`].

use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use crate::change::{FileChange, Sink};
use crate::path::RelPath;
use crate::workspace::{Workspace, WorkspaceError};

/// How a transaction is carried out.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What survives a loss of power.
    pub durability: Durability,
    /// How long to wait for the lock.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { durability: Durability::Full, patience: Duration::from_secs(10) }
    }
}

/// What survives a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Durability {
    /// Whole or nothing, also after a loss of power; a success that was reported stays.
    Full,
    /// Whole or nothing after a kill, not after a loss of power: nothing is synced.
    None,
}

/// A signal that asks to stop. Read between two steps; before the commit record it means roll back.
#[derive(Debug, Default)]
pub struct Interrupt(AtomicI32);

impl Interrupt {
    /// Returns one that nothing has asked for.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicI32::new(0))
    }

    /// Asks to stop because of `signal`.
    pub fn raise(&self, signal: i32) {
        self.0.store(signal, Ordering::Relaxed);
    }

    /// Returns the signal that asked to stop.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
    }
}

/// One transaction: begun under the lock, staged into as a [`Sink`], then committed or given up.
pub struct Transaction<'w> {
    workspace: &'w dyn Workspace,
}

/// Proof of commit.
#[derive(Clone, Debug)]
#[must_use]
pub struct Receipt {
    /// The transaction's name.
    pub id: String,
    /// What survives a loss of power.
    pub durability: Durability,
    /// What should be known besides, such as scratch that could not be swept.
    pub warnings: Vec<String>,
}

/// Why nothing was committed. Unless it is [`Failure::Incomplete`], the tree is as it was.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Somebody else holds the lock.
    #[error("another wpatch is at work here")]
    Locked,
    /// These files are not what they were when they were read.
    #[error("changed by somebody else meanwhile")]
    Stale(Vec<RelPath>),
    /// A signal came.
    #[error("stopped by signal {0}")]
    Interrupted(i32),
    /// The state directory or its journal cannot be trusted.
    #[error("{reason}")]
    State {
        /// Why not.
        reason: String,
    },
    /// The disk failed.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Rolling back could not be finished either; the journal is kept, and `recover` finishes it.
    #[error("rolling back could not be finished")]
    Incomplete {
        /// What could not be put back.
        left: Vec<RelPath>,
        /// What stopped the commit.
        cause: Box<Failure>,
    },
}

/// What recovery did with a transaction that a dead process had left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The transaction's name.
    pub id: String,
    /// How it ended.
    pub ending: Ending,
    /// Files that were left as found because somebody else changed them since; their old contents are kept.
    pub left: Vec<RelPath>,
}

/// How a left transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its commit record was there: only scratch was swept.
    Committed,
    /// The tree was put back.
    RolledBack,
    /// Nothing had been touched yet.
    Abandoned,
}

impl<'w> Transaction<'w> {
    /// Takes the lock and recovers what a dead process left.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`]; nothing has been touched then.
    pub fn begin(workspace: &'w dyn Workspace, options: Options) -> Result<(Self, Vec<Recovered>), Failure> {
        let _ = options;
        Ok((Self { workspace }, Vec::new()))
    }

    /// Makes all that was staged true.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`] after rolling back.
    pub fn commit(self, interrupt: &Interrupt) -> Result<Receipt, Failure> {
        let _ = (self.workspace, interrupt);
        Err(Failure::Locked)
    }

    /// Gives up what was staged; also done when it is dropped.
    pub fn abandon(self) {}
}

impl Sink for Transaction<'_> {
    fn take(&self, change: FileChange) -> Result<(), WorkspaceError> {
        let _ = change;
        Ok(())
    }
}
