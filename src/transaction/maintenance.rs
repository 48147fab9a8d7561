//! Commands on the state directory: create a permanent one, and remove entries above the limits.

use super::history::{
    attic_home, import_external_history, prune_all, prune_others, prune_plans, prune_sessions,
};
use super::state_location::check_can_be_permanent;
use super::{Failure, Interrupt, Options, RecoveredTransaction, recover};
use crate::workspace::{Workspace, top};

/// Creates a permanent state directory, moves the external history of this root into it, and
/// recovers interrupted transactions.
///
/// # Errors
///
/// Returns [`Failure`] if the directory cannot be created, locked or trusted.
pub fn init(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<Vec<RecoveredTransaction>, Failure> {
    check_can_be_permanent(top(workspace)?)?;
    let (mut state, recovered) = recover::open(workspace, options, interrupt)?;
    let workspace = top(workspace)?;
    state.make_permanent(workspace, options)?;
    import_external_history(workspace, &state.directory, options.durability);
    Ok(recovered)
}

/// What [`collect_garbage`] removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectedGarbage {
    /// The number of history entries and saved plans.
    pub entries: usize,
    /// The number of edit sessions.
    pub sessions: usize,
}

/// Recovers interrupted transactions and removes the entries and saved plans that exceed the limits
/// of `options`, and the edit sessions that exceed its age. Also returns their numbers. Does nothing
/// without a history and a state directory.
///
/// # Errors
///
/// Returns [`Failure`] like [`recover`](super::recover()).
pub fn collect_garbage(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<(Vec<RecoveredTransaction>, CollectedGarbage), Failure> {
    let below = workspace;
    let workspace = top(below)?;
    prune_others(workspace);
    let (state, recovered) = match attic_home(workspace) {
        // The lock of the root is necessary, because another command can remove entries from the
        // same history.
        Some(_) => recover::open(below, options, interrupt)
            .map(|(state, recovered)| (Some(state), recovered))?,
        None => recover::open_existing(below, options, interrupt)?,
    };
    let Some(state) = state else {
        return Ok((recovered, CollectedGarbage::default()));
    };
    let prune = |home| -> Result<_, Failure> {
        Ok(CollectedGarbage {
            entries: match state.audit.obstacle() {
                None => prune_all(workspace, home, options.history)?,
                Some(_) => prune_plans(workspace, home, options.history)?,
            },
            sessions: prune_sessions(workspace, home, options.history)?,
        })
    };
    let pruned = state
        .history()
        .map_or_else(|| Ok(CollectedGarbage::default()), prune);
    // The next command removes the rest.
    let _ = state.close(workspace);
    Ok((recovered, pruned?))
}
