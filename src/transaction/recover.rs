//! Recovery: what the next command does with the transactions of dead processes.

use super::journal::Journal;
use super::rollback::Rollback;
use super::scratch::Scratch;
use super::state::{State, find, look};
use super::sweep::{is_kept, sweep};
use super::{Durability, Ending, Failure, Options, Recovered, history};
use crate::path::RelPath;
use crate::workspace::{Fault, Workspace};

/// Finishes what dead processes left, and says what it was. Without a state directory it does nothing.
///
/// # Errors
///
/// Returns [`Failure::Incomplete`] if the disk still refuses to be put back, [`Failure::State`] if a journal
/// cannot be trusted (then nothing was touched), [`Failure::Locked`] if somebody is at work.
pub fn recover(workspace: &dyn Workspace, options: Options) -> Result<Vec<Recovered>, Failure> {
    let (state, mut recovered) = State::open_existing(workspace, options.patience)?;
    let Some(state) = state else { return Ok(recovered) };
    recovered.extend(leftovers(workspace, &state, options)?);
    // What cannot be removed now goes with the next command.
    let _ = state.close(workspace);
    Ok(recovered)
}

/// Says what [`Transaction::begin`](super::Transaction::begin) would refuse because it cannot be trusted, touching
/// nothing and waiting for nobody.
///
/// # Errors
///
/// Returns [`Failure::State`] for a state directory or a journal that cannot be trusted, and the errors of reading.
pub fn examine(workspace: &dyn Workspace) -> Result<(), Failure> {
    let Some(directory) = look(workspace)? else { return Ok(()) };
    trust(workspace, &transactions(workspace, &directory)?)
}

/// Refuses a journal that cannot be trusted, touching nothing.
fn trust(workspace: &dyn Workspace, left: &[Scratch]) -> Result<(), Failure> {
    for scratch in left {
        match scratch.names(workspace).map(|names| Left::of(&names)) {
            Ok(Left::Journal) => readable(Journal::read(workspace, scratch))?,
            // Another process is done with it meanwhile.
            Err(error) if error.fault != Fault::Missing => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Takes a journal that went away as one that was read.
fn readable(read: Result<Journal, Failure>) -> Result<(), Failure> {
    match read {
        Err(Failure::Workspace(error)) if error.fault == Fault::Missing => Ok(()),
        read => read.map(drop),
    }
}

/// Recovers every transaction in the state directory, in the order of their names, which is that of time; none if there
/// is one that cannot be trusted.
pub(super) fn leftovers(workspace: &dyn Workspace, state: &State, options: Options) -> Result<Vec<Recovered>, Failure> {
    let left = transactions(workspace, &state.directory)?;
    trust(workspace, &left)?;
    let mut recovered = Vec::new();
    for scratch in left {
        recovered.extend(one(workspace, state, &scratch, options)?);
    }
    Ok(recovered)
}

/// Returns the transactions in the state directory, of which each can be trusted or is refused.
fn transactions(workspace: &dyn Workspace, directory: &RelPath) -> Result<Vec<Scratch>, Failure> {
    let mut found = Vec::new();
    for scratch in Scratch::among(directory, &workspace.list(Some(directory))?)? {
        if find(workspace, &scratch.directory)?.directory().is_some() {
            found.push(scratch);
        }
    }
    Ok(found)
}

/// What a transaction has left, by the names of its scratch files.
enum Left {
    /// Old files that could not be put back, and nothing else.
    Kept,
    /// Its commit record, and scratch.
    Done,
    /// The record that it was rolled back, and scratch.
    Undone,
    /// A journal that is open.
    Journal,
    /// Scratch alone.
    Scratch,
}

impl Left {
    fn of(names: &[Vec<u8>]) -> Self {
        let has = |record: &[u8]| names.iter().any(|name| name == record);
        if !names.is_empty() && names.iter().all(|name| is_kept(name)) {
            Self::Kept
        } else if has(b"done") {
            Self::Done
        } else if has(b"undone") {
            Self::Undone
        } else if has(b"journal") {
            Self::Journal
        } else {
            Self::Scratch
        }
    }
}

fn one(
    workspace: &dyn Workspace,
    state: &State,
    scratch: &Scratch,
    options: Options,
) -> Result<Option<Recovered>, Failure> {
    let mut left = Vec::new();
    let ending = match Left::of(&scratch.names(workspace)?) {
        Left::Kept => return Ok(None),
        Left::Done => Ending::Committed,
        Left::Undone => Ending::RolledBack,
        Left::Journal => {
            let journal = Journal::read(workspace, scratch)?;
            let undone = Rollback::new(workspace, scratch, &journal, options.durability).run();
            if let Some(cause) = undone.trouble {
                let (left, kept) = (undone.left, undone.kept);
                return Err(Failure::Incomplete { left, kept, cause: Box::new(cause) });
            }
            left = undone.left;
            Ending::RolledBack
        }
        Left::Scratch => Ending::Abandoned,
    };
    // What cannot be swept now goes with the next command.
    let _ = clear(workspace, state, scratch, options.durability);
    Ok(Some(Recovered { id: scratch.id.clone(), ending, left }))
}

/// Sweeps, or makes an entry of the history, but only when the record is durable: a process that died behind its renaming may not have come to
/// that, and a journal that comes back without its files could not be undone.
fn clear(workspace: &dyn Workspace, state: &State, scratch: &Scratch, durability: Durability) -> Result<(), Failure> {
    if durability == Durability::Full {
        workspace.sync(Some(&scratch.directory))?;
    }
    match Journal::record(workspace, scratch) {
        Ok(journal) if state.stays() => history::keep(workspace, state, scratch, &journal),
        _ => sweep(workspace, scratch),
    }
}
