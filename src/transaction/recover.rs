//! Recovery: what the next command does with the transactions of dead processes.

use std::sync::Mutex;

use super::failure::no_history;
use super::failure::{gone, is_unreachable};
use super::history::OldPlaces;
use super::journal::Journal;
use super::place::{Lifetime, Place, beside, find_to_read, is_state, of_user, place};
use super::rollback::Rollback;
use super::scratch::Scratch;
use super::state::State;
use super::sweep::{is_kept, sweep};
use super::wait::{Waited, wait};
use super::{
    Durability, Ending, Failure, Interrupt, KeptFile, Options, Recovered, annex, history, kept,
    others,
};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::{Fault, Stat, Workspace, top};

/// Finishes what dead processes left, and says what it was. Without a state directory it does
/// nothing.
///
/// # Errors
///
/// Returns [`Failure::Incomplete`] if the disk still refuses to be put back, [`Failure::State`] if
/// a journal cannot be trusted (then nothing was touched), [`Failure::Locked`] if somebody is at
/// work.
pub fn recover(workspace: &dyn Workspace, options: Options) -> Result<Vec<Recovered>, Failure> {
    let (state, mut recovered) = open_existing(workspace, options)?;
    let workspace = top(workspace)?;
    let known: Vec<_> = recovered
        .iter()
        .map(|recovered| recovered.id.clone())
        .collect();
    let kept = history::kept(workspace)?
        .into_iter()
        .filter(|kept| !known.contains(&kept.id));
    recovered.extend(kept);
    // What cannot be removed now goes with the next command.
    let _ = state.map(|state| state.close(workspace));
    Ok(recovered)
}

/// Returns whether a change is half made, by a process that is at work or died: then the tree is
/// not what the next command finds. Touches nothing and waits for nobody.
///
/// # Errors
///
/// Returns what [`Transaction::begin`](super::Transaction::begin) would: [`Failure::State`] for a
/// state directory or a journal that cannot be trusted, and the errors of reading.
pub fn examine(workspace: &dyn Workspace) -> Result<bool, Failure> {
    let mut is_open = false;
    let place = place(top(workspace)?)?;
    for (workspace, directory) in formers(workspace, &place)? {
        if !matches!(has_work(workspace, &directory), Ok(false)) {
            is_open |= is_half_made(workspace, &directory)?;
        }
    }
    is_open |= others::examine(top(workspace)?, &place)?;
    Ok(is_half_made(top(workspace)?, &place.directory)? || is_open)
}

/// Returns whether a change is half made whose state is in `directory`.
fn is_half_made(workspace: &dyn Workspace, directory: &RelPath) -> Result<bool, Failure> {
    if !is_state(workspace, directory)? {
        return Ok(false);
    }
    match workspace.list(Some(directory)) {
        Ok(names) => trust(workspace, &transactions(workspace, directory, &names)?),
        // Another process is done with it meanwhile.
        Err(error) if is_unreachable(error.fault) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Makes the state directory of the work tree if it is not there, locks it, and finishes what dead
/// processes left.
pub(super) fn open(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<(State, Vec<Recovered>), Failure> {
    let mut recovered = Vec::new();
    let state = wait(interrupt, options.patience, |patience| {
        attempt(
            workspace,
            Options {
                patience,
                ..options
            },
            interrupt,
            &mut recovered,
        )
    });
    let state = state.map_err(|failure| others::blocked(workspace, failure))?;
    let workspace = top(workspace)?;
    match leftovers(workspace, &state, options) {
        Ok(others) => {
            recovered.extend(others);
            // What is kept since an earlier command was reported by that.
            recovered.retain(|recovered| recovered.ending != Ending::Kept);
            bring_down(workspace, &state, options);
            Ok((state, recovered))
        }
        Err(failure) => {
            // What cannot be removed now goes with the next command.
            let _ = state.close(workspace);
            Err(failure)
        }
    }
}

/// Makes one attempt to open the state directory. `recovered` gets what it finishes.
fn attempt(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    recovered: &mut Vec<Recovered>,
) -> Result<Waited<State>, Failure> {
    let top = top(workspace)?;
    let place = match others::await_commands(top, options.patience)? {
        Waited::Done(place) => place,
        Waited::Held => return Ok(Waited::Held),
        Waited::Again => return Ok(Waited::Again),
    };
    let opened = finish_formers(workspace, &place, options).and_then(|others| {
        recovered.extend(others);
        let theirs = others::lock(top, &place, (options.patience, interrupt))?;
        others::examine(top, &place)?;
        let mut state = State::open(top, &place, options, interrupt)?;
        state.others = theirs.into_iter().map(Mutex::new).collect();
        Ok(state)
    });
    match opened {
        Ok(mut state) => {
            state.unusable = place.unusable;
            Ok(Waited::Done(state))
        }
        Err(Failure::Locked) => Ok(Waited::Held),
        Err(failure) => others::is_taken(top, &place.directory, failure).map(|()| Waited::Held),
    }
}

/// Does the same where a state directory is.
pub(super) fn open_existing(
    workspace: &dyn Workspace,
    options: Options,
) -> Result<(Option<State>, Vec<Recovered>), Failure> {
    let place = place(top(workspace)?)?;
    let mut recovered = finish_formers(workspace, &place, options)?;
    let workspace = top(workspace)?;
    others::examine(workspace, &place)?;
    let state = State::open_existing(workspace, &place.directory, options.patience)?;
    if let Some(state) = &state {
        recovered.extend(leftovers(workspace, state, options)?);
        bring_down(workspace, state, options);
    }
    Ok((state, recovered))
}

/// Brings what the attic has to where the history is from now on.
fn bring_down(workspace: &dyn Workspace, state: &State, options: Options) {
    if !state.passes() {
        history::bring_down(workspace, &state.directory, options.durability);
    }
}

/// Returns where the state of a root, which is at `place` now, was before: next to a root that is
/// now in a work tree of git, or in the directory of this user while another user had the usual
/// one.
fn formers<'w>(
    workspace: &'w dyn Workspace,
    place: &Place,
) -> Result<Vec<(&'w dyn Workspace, RelPath)>, Failure> {
    // One of another user is not this user's: only below the top has nobody looked at the owner
    // yet.
    let is_own = |stat: Stat| stat.kind != FileKind::Directory || stat.uid == workspace.user();
    let below = match workspace.work_tree()? {
        Some(_) if workspace.stat(&beside())?.is_none_or(is_own) => Some((workspace, beside())),
        _ => None,
    };
    let top = top(workspace)?;
    let above = place.former.clone().map(|former| (top, former));
    let of_user = Some(of_user(workspace))
        .filter(|own| *own != place.directory)
        .map(|own| (top, own));
    Ok(below.into_iter().chain(above).chain(of_user).collect())
}

/// Finishes what was left there.
fn finish_formers(
    workspace: &dyn Workspace,
    place: &Place,
    options: Options,
) -> Result<Vec<Recovered>, Failure> {
    let mut recovered = Vec::new();
    for (former, directory) in formers(workspace, place)? {
        if !has_work(former, &directory)? {
            continue;
        }
        // Nothing is done here if there is anything that cannot be trusted.
        examine(workspace)?;
        if let Some(state) = State::open_existing(former, &directory, options.patience)? {
            recovered.extend(leftovers(former, &state, options)?);
            // What cannot be removed now goes with the next command.
            let _ = state.close(former);
        }
    }
    Ok(recovered)
}

/// Returns whether there is anything to finish where the state was before.
fn has_work(workspace: &dyn Workspace, directory: &RelPath) -> Result<bool, Failure> {
    Ok(match find_to_read(workspace, directory)? {
        None => false,
        // A history that stays there is nobody's business any more.
        Some(Lifetime::Stays) => {
            !transactions(workspace, directory, &workspace.list(Some(directory))?)?.is_empty()
        }
        Some(_) => true,
    })
}

/// Refuses a journal that cannot be trusted, touching nothing; returns whether there is one that is
/// open.
fn trust(workspace: &dyn Workspace, left: &[Scratch]) -> Result<bool, Failure> {
    let mut is_open = false;
    for scratch in left {
        match scratch
            .names(workspace)
            .map(|names| Left::of(scratch, &names))
        {
            Ok(Left::Journal) => is_open |= is_there(Journal::read(workspace, scratch))?,
            // Another process is done with it meanwhile.
            Err(error) if !is_unreachable(error.fault) => return Err(error.into()),
            _ => {}
        }
    }
    Ok(is_open)
}

/// Returns whether a journal was read; `false` if it went away.
fn is_there(read: Result<Journal, Failure>) -> Result<bool, Failure> {
    match read {
        Err(Failure::Workspace(error)) if is_unreachable(error.fault) => Ok(false),
        read => read.map(|_| true),
    }
}

/// Recovers every transaction in the state directory, in the order of their names, which is that of
/// time; none if there is one that cannot be trusted.
fn leftovers(
    workspace: &dyn Workspace,
    state: &State,
    options: Options,
) -> Result<Vec<Recovered>, Failure> {
    let names = workspace.list(Some(&state.directory))?;
    let left = transactions(workspace, &state.directory, &names)?;
    trust(workspace, &left)?;
    history::bury(workspace, &state.directory, (&names, None))?;
    state.sweep_probes(workspace, &names)?;
    if let Some(home) = state.history().filter(|&home| *home != state.directory) {
        // An attic that cannot be read now does not keep anybody from working.
        let _ = history::names(workspace, home)
            .and_then(|names| history::bury(workspace, home, (&names, None)));
    }
    let mut recovered = Vec::new();
    for scratch in left {
        recovered.extend(one(workspace, state, &scratch, options)?);
    }
    Ok(recovered)
}

/// Returns the transactions among `names` of the state directory, of which each can be trusted or
/// is refused.
fn transactions(
    workspace: &dyn Workspace,
    directory: &RelPath,
    names: &[Vec<u8>],
) -> Result<Vec<Scratch>, Failure> {
    let mut found = Vec::new();
    for scratch in Scratch::among(directory, names)? {
        // wpatch makes no other file of this name.
        let is_directory = workspace
            .stat(&scratch.directory)?
            .is_some_and(|stat| stat.kind == FileKind::Directory);
        if is_directory && find_to_read(workspace, &scratch.directory)?.is_some() {
            found.push(scratch);
        }
    }
    Ok(found)
}

/// What a transaction has left, by the names of its scratch files.
enum Left {
    /// Old files that could not be put back, and at most the record that names them.
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
    /// A transaction without a directory of its own cannot become an entry of the history: its kept
    /// files stay where they are, with their record.
    fn of(scratch: &Scratch, names: &[Vec<u8>]) -> Self {
        let has = |record: &[u8]| names.iter().any(|name| name == record);
        let is_record = |name: &[u8]| name == b"undone" && scratch.is_lodged();
        let has_kept = names.iter().any(|name| is_kept(name));
        if has_kept && names.iter().all(|name| is_kept(name) || is_record(name)) {
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

/// Recovers one transaction; `None` if nothing is left of it.
pub(super) fn one(
    workspace: &dyn Workspace,
    state: &State,
    scratch: &Scratch,
    options: Options,
) -> Result<Option<Recovered>, Failure> {
    let (mut left, mut kept) = (Vec::new(), Vec::new());
    let names = scratch.names(workspace)?;
    let ending = match Left::of(scratch, &names) {
        Left::Kept => {
            let kept = kept::of_record(workspace, scratch)?;
            let left = kept.iter().filter_map(|kept| kept.path.clone()).collect();
            return Ok(Some(Recovered {
                id: scratch.id.clone(),
                ending: Ending::Kept,
                left,
                kept,
            }));
        }
        // Its scratch files are gone, and how it ended with them.
        Left::Scratch if names.is_empty() => {
            gone(scratch.remove(workspace))?;
            return Ok(None);
        }
        Left::Done => Ending::Committed,
        Left::Undone => {
            // The process that rolled it back may have died before it could report them.
            kept = kept::of_record(workspace, scratch)?;
            left = kept.iter().filter_map(|kept| kept.path.clone()).collect();
            Ending::RolledBack
        }
        Left::Journal => {
            let journal = Journal::read(workspace, scratch)?;
            let is_open =
                names.iter().any(|name| annex::is_note(name)) && annex::open(workspace, scratch)?;
            annex::accompany(&journal.changes, is_open)?;
            (left, kept) = Rollback::new(workspace, scratch, &journal, options.durability)
                .run()
                .finished()?;
            Ending::RolledBack
        }
        Left::Scratch => Ending::Abandoned,
    };
    let ending = match clear(workspace, state, scratch, options.durability) {
        Err(_)
            if ending == Ending::Committed
                && scratch.names(workspace)?.iter().any(|name| name == b"done") =>
        {
            Ending::Waiting
        }
        // What cannot be swept now goes with the next command.
        _ => ending,
    };
    if !kept.is_empty() {
        kept = relocated(workspace, state, scratch, kept);
    }
    Ok(Some(Recovered {
        id: scratch.id.clone(),
        ending,
        left,
        kept,
    }))
}

/// Returns where the files `kept` are after the transaction of `scratch` may have become an entry
/// of the history.
pub(super) fn relocated(
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
pub(super) fn clear(
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
