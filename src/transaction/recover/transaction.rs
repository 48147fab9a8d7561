//! Recovers one transaction of a dead process.

use super::left::Left;
use crate::transaction::failure::{gone, no_history};
use crate::transaction::history::{self, OldPlaces};
use crate::transaction::journal::Journal;
use crate::transaction::rollback::Rollback;
use crate::transaction::scratch::Scratch;
use crate::transaction::state::State;
use crate::transaction::sweep::{is_kept, sweep};
use crate::transaction::{Durability, Ending, Failure, KeptFile, Options, Recovered, annex, kept};
use crate::workspace::{Fault, Workspace};

/// Recovers one transaction; `None` if nothing is left of it.
pub(in crate::transaction) fn one(
    workspace: &dyn Workspace,
    state: &State,
    scratch: &Scratch,
    options: Options,
) -> Result<Option<Recovered>, Failure> {
    let names = scratch.names(workspace)?;
    let mut recovered = match Left::of(scratch, &names) {
        Left::Kept => return recorded(workspace, scratch, Ending::Kept).map(Some),
        // Its scratch files are gone, and how it ended with them.
        Left::Scratch if names.is_empty() => {
            gone(scratch.remove(workspace))?;
            return Ok(None);
        }
        Left::Done => ended(scratch, Ending::Committed),
        // The process that rolled it back may have died before it could report them.
        Left::Undone => recorded(workspace, scratch, Ending::RolledBack)?,
        Left::Journal => roll_back(workspace, scratch, &names, options.durability)?,
        Left::Scratch => ended(scratch, Ending::Abandoned),
    };
    match clear(workspace, state, scratch, options.durability) {
        Err(_)
            if recovered.ending == Ending::Committed
                && scratch.names(workspace)?.iter().any(|name| name == b"done") =>
        {
            recovered.ending = Ending::Waiting;
        }
        // What cannot be swept now goes with the next command.
        _ => {}
    }
    if !recovered.kept.is_empty() {
        recovered.kept = relocated(workspace, state, scratch, recovered.kept);
    }
    Ok(Some(recovered))
}

/// Returns the report of a transaction of which no displaced file is left.
fn ended(scratch: &Scratch, ending: Ending) -> Recovered {
    Recovered {
        id: scratch.id.clone(),
        ending,
        left: Vec::new(),
        kept: Vec::new(),
    }
}

/// Returns the report of a transaction with the displaced files that its record names.
fn recorded(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    ending: Ending,
) -> Result<Recovered, Failure> {
    let kept = kept::of_record(workspace, scratch)?;
    Ok(Recovered {
        left: kept.iter().filter_map(|kept| kept.path.clone()).collect(),
        kept,
        ..ended(scratch, ending)
    })
}

/// Rolls back the transaction of `scratch`, whose files have `names`.
fn roll_back(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    names: &[Vec<u8>],
    durability: Durability,
) -> Result<Recovered, Failure> {
    let journal = Journal::read(workspace, scratch)?;
    let is_open = names.iter().any(|name| annex::is_note(name)) && annex::open(workspace, scratch)?;
    annex::accompany(&journal.changes, is_open)?;
    let undone = Rollback::new(workspace, scratch, &journal, durability).run();
    let (left, kept) = undone.finished()?;
    Ok(Recovered {
        left,
        kept,
        ..ended(scratch, Ending::RolledBack)
    })
}

/// Returns where the files `kept` are after the transaction of `scratch` may have become an entry
/// of the history.
pub(in crate::transaction) fn relocated(
    workspace: &dyn Workspace,
    state: &State,
    scratch: &Scratch,
    kept: Vec<KeptFile>,
) -> Vec<KeptFile> {
    let moved = state
        .history()
        .map(|home| history::kept_of(workspace, home, &scratch.id));
    moved
        .and_then(Result::ok)
        .filter(|moved| !moved.is_empty())
        .unwrap_or(kept)
}

/// Sweeps, or makes an entry of the history, but only when the record is durable: a process that
/// died behind its renaming may not have come to that, and a journal that comes back without its
/// files could not be undone.
pub(in crate::transaction) fn clear(
    workspace: &dyn Workspace,
    state: &State,
    scratch: &Scratch,
    durability: Durability,
) -> Result<(), Failure> {
    if durability == Durability::Full {
        workspace.sync(Some(&scratch.directory))?;
    }
    let journal = match Journal::record(workspace, scratch) {
        Ok(journal) => journal,
        // There is no record, or one that says nothing.
        Err(Failure::State { .. }) => return sweep(workspace, scratch),
        Err(Failure::Workspace(error)) if error.fault == Fault::Missing => {
            // Outside of the tree only files stay that can be put back.
            let has_kept = scratch
                .own_names(workspace)?
                .iter()
                .any(|name| is_kept(name));
            let is_told = !scratch.is_lodged() && (has_kept || !state.passes());
            return match state.history().filter(|_| is_told) {
                Some(home) => history::note_aborted(workspace, home, scratch, durability),
                None => sweep(workspace, scratch),
            };
        }
        Err(failure) => return Err(failure),
    };
    let home = match state.history() {
        Some(home) if !scratch.is_lodged() => home,
        _ if journal.undoes.is_empty() => return sweep(workspace, scratch),
        _ => return Err(no_history()),
    };
    match history::keep(
        workspace,
        home,
        (scratch, &journal),
        OldPlaces::Unknown,
        durability,
    ) {
        // The tree is somebody's own, and nothing is to stay in it, but what an undo took out of
        // it.
        Err(_) if state.passes() && journal.undoes.is_empty() => sweep(workspace, scratch),
        Err(failure) => Err(failure),
        Ok(()) => history::drain(workspace, home, &journal.undoes),
    }
}
