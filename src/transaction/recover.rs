//! Recovery: what the next command does with the transactions of dead processes.

use super::journal::Journal;
use super::rollback::Rollback;
use super::scratch::{Scratch, join};
use super::state::{State, is_there};
use super::sweep::{is_kept, sweep};
use super::{Durability, Ending, Failure, Options, Recovered};
use crate::workspace::Workspace;

/// Finishes what dead processes left, and says what it was. Without a state directory it does nothing.
///
/// # Errors
///
/// Returns [`Failure::Incomplete`] if the disk still refuses to be put back, [`Failure::State`] if a journal
/// cannot be trusted (then nothing was touched), [`Failure::Locked`] if somebody is at work.
pub fn recover(workspace: &dyn Workspace, options: Options) -> Result<Vec<Recovered>, Failure> {
    let Some(state) = State::open_existing(workspace, options.patience)? else { return Ok(Vec::new()) };
    let recovered = leftovers(workspace, &state, options)?;
    // What cannot be removed now goes with the next command.
    let _ = state.close(workspace);
    Ok(recovered)
}

/// Recovers every transaction in the state directory, in the order of their names, which is that of time.
pub(super) fn leftovers(workspace: &dyn Workspace, state: &State, options: Options) -> Result<Vec<Recovered>, Failure> {
    let mut recovered = Vec::new();
    if !is_there(workspace, &state.transactions)? {
        return Ok(recovered);
    }
    for name in workspace.list(Some(&state.transactions))? {
        let Ok(id) = std::str::from_utf8(&name) else { continue };
        if is_there(workspace, &join(&state.transactions, id)?)? {
            recovered.extend(one(workspace, &Scratch::new(&state.transactions, id)?, options)?);
        }
    }
    Ok(recovered)
}

fn one(workspace: &dyn Workspace, scratch: &Scratch, options: Options) -> Result<Option<Recovered>, Failure> {
    let names = workspace.list(Some(&scratch.directory))?;
    if !names.is_empty() && names.iter().all(|name| is_kept(name)) {
        return Ok(None);
    }
    let has = |record: &[u8]| names.iter().any(|name| name == record);
    let mut left = Vec::new();
    let ending = if has(b"done") {
        Ending::Committed
    } else if has(b"undone") {
        Ending::RolledBack
    } else if has(b"journal") {
        let journal = Journal::read(workspace, scratch)?;
        let undone = Rollback::new(workspace, scratch, &journal, options.durability).run();
        if let Some(cause) = undone.trouble {
            return Err(Failure::Incomplete { left: undone.left, cause: Box::new(cause) });
        }
        left = undone.left;
        Ending::RolledBack
    } else {
        Ending::Abandoned
    };
    // What cannot be swept now goes with the next command.
    let _ = clear(workspace, scratch, options.durability);
    Ok(Some(Recovered { id: scratch.id.clone(), ending, left }))
}

/// Sweeps, but only when the record is durable: a process that died behind its renaming may not have come to
/// that, and a journal that comes back without its files could not be undone.
fn clear(workspace: &dyn Workspace, scratch: &Scratch, durability: Durability) -> Result<(), Failure> {
    if durability == Durability::Full {
        workspace.sync(Some(&scratch.directory))?;
    }
    sweep(workspace, scratch)
}
