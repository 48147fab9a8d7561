//! The commit hook: a check that runs before the commit record.

use super::{Failure, Interrupt};

/// A check of the new state of the tree, which can reject the change.
///
/// It runs when every file is in place and durable, before the commit record and with the lock
/// held. If the process is killed before it returns, the next command rolls back. Other changes
/// through a transaction wait for it.
///
/// If the check itself changes a file of the change, a rollback does not restore that file, and
/// [`Failure::Incomplete`] contains it. If the check accepts the change, the file stays as it is,
/// and [`Receipt::altered`](super::Receipt::altered) contains it.
pub trait CommitHook: Sync {
    /// Checks the new state of the tree.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::Rejected`] to reject the change, after which the hook has the reason.
    /// Returns [`Failure::Interrupted`] if `interrupt` is raised, or another error if the check
    /// could not run. After each error the change is rolled back.
    fn check(&self, interrupt: &Interrupt) -> Result<(), Failure>;
}
