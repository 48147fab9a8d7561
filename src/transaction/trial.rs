//! What has the last word: asked when everything is in place, before it counts.

use super::{Failure, Interrupt};

/// Somebody who looks at the tree as it is going to be, and may send it back.
///
/// It is asked when every file is in its place and durable, before the commit record and under the
/// lock: until it answers, a kill means that the next command puts everything back. Whatever
/// changes the tree through a transaction waits for it.
///
/// A file of the change that it changes itself is not put back, as one that anybody else changes
/// meanwhile: it stays as it was left, and [`Failure::Incomplete`] names it. If it is content all
/// the same, the change stays with that file as it is, and
/// [`Receipt::altered`](super::Receipt::altered) names it.
pub trait Trial: Sync {
    /// Returns whether the change may stay.
    ///
    /// # Errors
    ///
    /// [`Failure::Rejected`] if it may not, after which the trial knows why;
    /// [`Failure::Interrupted`] if `interrupt` asked to stop meanwhile; or why nobody could tell.
    /// Everything is put back then.
    fn judge(&self, interrupt: &Interrupt) -> Result<(), Failure>;
}
