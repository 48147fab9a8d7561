//! Commands on the state directory itself: create one that stays, and remove what is over the
//! limits of the history.

use super::history::{attic_home, bring_down, prune_all, prune_others};
use super::place::may_stay;
use super::{Failure, Interrupt, Options, Recovered, recover};
use crate::workspace::{Workspace, top};

/// Creates a state directory that stays, moves the history of this root there from the attic, and
/// recovers interrupted transactions.
///
/// # Errors
///
/// Returns [`Failure`] if it cannot be created, locked or trusted.
pub fn init(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<Vec<Recovered>, Failure> {
    may_stay(top(workspace)?)?;
    let (mut state, recovered) = recover::open(workspace, options, interrupt)?;
    let workspace = top(workspace)?;
    state.stay(workspace, options)?;
    bring_down(workspace, &state.directory, options.durability);
    Ok(recovered)
}

/// Recovers interrupted transactions, removes the entries and saved plans that are over the limits
/// of `options`, and returns their number. Without a history and a state directory it does nothing.
///
/// # Errors
///
/// Returns [`Failure`] as [`recover`](super::recover()) does.
pub fn collect(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<(Vec<Recovered>, usize), Failure> {
    let below = workspace;
    let workspace = top(below)?;
    prune_others(workspace);
    let (state, recovered) = match attic_home(workspace) {
        // A command that removes a part of the history of this root holds the lock of the root.
        Some(_) => recover::open(below, options, interrupt)
            .map(|(state, recovered)| (Some(state), recovered))?,
        None => recover::open_existing(below, options)?,
    };
    let Some(state) = state else {
        return Ok((recovered, 0));
    };
    let pruned = state
        .history()
        .map_or(Ok(0), |home| prune_all(workspace, home, options.history));
    // The next command removes the rest.
    let _ = state.close(workspace);
    Ok((recovered, pruned?))
}
