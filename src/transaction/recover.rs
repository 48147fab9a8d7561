//! Recovery: completes or rolls back the interrupted transactions of dead processes.
//!
//! Every writing command calls `open`, which returns the locked state directory and the
//! transactions that it recovered. `wpatch recover` calls [`recover`]. If one journal cannot be
//! trusted, nothing is changed. Read `recover/transaction.rs` for one transaction, and
//! `recover/group.rs` for one with several members: it needs the locks of all of them, so the lock
//! that found it is released first.

mod adopt;
mod former_directories;
mod former_transactions;
mod group;
mod leftover_state;
mod locked_group;
mod transaction;
mod unfinished;

use std::sync::Mutex;

use super::audit::AuditState;
use super::group::{MemberPlace, find_places};
use super::state::StateDirectory;
use super::state_location::locate_state;
use super::wait::{LockWaitResult, wait_for_lock};
use super::{
    Failure, Interrupt, JournalAdoption, Options, RecoveredTransaction, RecoveryOutcome, history,
    other_users,
};
use crate::path::RelPath;
use crate::workspace::{Workspace, top};
use former_transactions::recover_former_directories;
use group::{PendingGroup, find_group, recover_group};
use leftover_state::has_open_journal;

pub(super) use leftover_state::find_transactions;
pub(super) use locked_group::recover_locked;
pub(super) use transaction::{finish_recovered, locate_kept_files, recover_one};
pub use unfinished::has_unfinished_changes;

/// Recovers the interrupted transactions and returns them. Without a state directory it does
/// nothing.
///
/// # Errors
///
/// Returns [`Failure::Incomplete`] if the disk prevents a rollback, and [`Failure::Locked`] if
/// another process holds the lock. Returns [`Failure::State`] if a journal cannot be trusted; in
/// that case nothing was changed.
pub fn recover(
    workspace: &dyn Workspace,
    options: Options,
) -> Result<Vec<RecoveredTransaction>, Failure> {
    recover_with_interrupt(workspace, options, Interrupt::never())
}

/// Recovers the interrupted transactions as [`recover`] does. `interrupt` ends the wait for the
/// lock.
///
/// # Errors
///
/// Returns the errors of [`recover`], and [`Failure::Interrupted`] after a signal.
pub fn recover_with_interrupt(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<Vec<RecoveredTransaction>, Failure> {
    let mut all = Vec::new();
    for MemberPlace {
        workspace, roots, ..
    } in find_places(workspace)?
    {
        let recovered = recover_place(workspace, options, interrupt);
        let recovered = recovered.map_err(|failure| roots.failure_to_caller(failure))?;
        let recovered = recovered.into_iter();
        all.extend(recovered.map(|one| match roots.name() {
            Some(_) => roots.recovered_to_caller(one),
            None => one,
        }));
    }
    Ok(all)
}

/// Recovers the interrupted transactions of one work tree.
fn recover_place(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<Vec<RecoveredTransaction>, Failure> {
    let (state, mut recovered) = open_existing(workspace, options, interrupt)?;
    let workspace = top(workspace)?;
    let known: Vec<_> = recovered
        .iter()
        .map(|recovered| recovered.id.clone())
        .collect();
    let kept = history::find_kept_transactions(workspace)?
        .into_iter()
        .filter(|kept| !known.contains(&kept.id));
    recovered.extend(kept);
    // The next command removes the rest.
    let _ = state.map(|state| state.close(workspace));
    Ok(recovered)
}

/// The locked state directory of one member.
pub(super) struct LockedMember<'w> {
    /// The workspace of the top.
    pub(super) workspace: &'w dyn Workspace,
    pub(super) state: StateDirectory,
}

/// The result of an attempt to open a state directory.
enum OpenResult<T> {
    Ready(T),
    /// An interrupted transaction with several members must be recovered first.
    Group(PendingGroup),
}

/// Opens the state directories of `places` in their order, as [`open`] does.
pub(super) fn open_all<'w>(
    places: &[MemberPlace<'w>],
    options: Options,
    interrupt: &Interrupt,
) -> Result<(Vec<LockedMember<'w>>, Vec<RecoveredTransaction>), Failure> {
    let (mut recovered, mut resolved) = (Vec::new(), Vec::new());
    'attempt: loop {
        let mut locked: Vec<LockedMember<'w>> = Vec::with_capacity(places.len());
        for place in places {
            let mut others = Vec::new();
            let opened = open_once(
                place.workspace,
                options,
                interrupt,
                (&mut others, &resolved),
            );
            let others = others.into_iter();
            recovered.extend(others.map(|one| place.roots.recovered_to_caller(one)));
            let pending = match opened {
                Ok(OpenResult::Ready(state)) => {
                    let workspace = top(place.workspace)?;
                    locked.push(LockedMember { workspace, state });
                    continue;
                }
                Ok(OpenResult::Group(pending)) => Ok(pending),
                Err(failure) => Err(place.roots.failure_to_caller(failure)),
            };
            for LockedMember { workspace, state } in locked {
                // The next command removes the rest.
                let _ = state.close(workspace);
            }
            let pending = pending?;
            let others = recover_group(top(place.workspace)?, &pending, (options, interrupt))?;
            recovered.extend(others);
            resolved.push(pending.id);
            continue 'attempt;
        }
        return Ok((locked, recovered));
    }
}

/// Creates the state directory of the work tree if necessary, locks it, and recovers interrupted
/// transactions.
pub(super) fn open(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<(StateDirectory, Vec<RecoveredTransaction>), Failure> {
    let (mut recovered, mut resolved) = (Vec::new(), Vec::new());
    loop {
        let opened = open_once(workspace, options, interrupt, (&mut recovered, &resolved))?;
        match opened {
            OpenResult::Ready(state) => return Ok((state, recovered)),
            OpenResult::Group(pending) => {
                let others = recover_group(top(workspace)?, &pending, (options, interrupt))?;
                recovered.extend(others);
                resolved.push(pending.id);
            }
        }
    }
}

/// Opens the state directory once. Appends recovered transactions to `recovered`. The groups
/// `resolved` were recovered already.
fn open_once(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    (recovered, resolved): (&mut Vec<RecoveredTransaction>, &[String]),
) -> Result<OpenResult<StateDirectory>, Failure> {
    let opened = wait_for_lock(interrupt, options.lock_timeout, |patience| {
        let options = Options {
            lock_timeout: patience,
            ..options
        };
        try_open(workspace, options, interrupt, (recovered, resolved))
    });
    let opened = opened.map_err(|failure| other_users::explain_lock(workspace, failure))?;
    let OpenResult::Ready(mut state) = opened else {
        return Ok(opened);
    };
    let workspace = top(workspace)?;
    match recover_all(workspace, &state, options, resolved) {
        Ok(OpenResult::Ready(others)) => {
            open_audit(workspace, &mut state, (&others, options));
            recovered.extend(others);
            // An earlier command has already reported these kept files.
            recovered.retain(|recovered| recovered.ending != RecoveryOutcome::Kept);
            Ok(OpenResult::Ready(state))
        }
        ended => {
            // The next command removes the rest.
            let _ = state.close(workspace);
            match ended? {
                OpenResult::Group(pending) => Ok(OpenResult::Group(pending)),
                OpenResult::Ready(_) => unreachable!("BUG: the first arm matches it"),
            }
        }
    }
}

/// Makes one attempt to open the state directory. Appends recovered transactions to `recovered`.
fn try_open(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    (recovered, resolved): (&mut Vec<RecoveredTransaction>, &[String]),
) -> Result<LockWaitResult<OpenResult<StateDirectory>>, Failure> {
    let top = top(workspace)?;
    let place = match other_users::await_commands(top, options.lock_timeout)? {
        LockWaitResult::Done(place) => place,
        LockWaitResult::Held => return Ok(LockWaitResult::Held),
        LockWaitResult::Retry => return Ok(LockWaitResult::Retry),
    };
    let mut open = || {
        let former = recover_former_directories(workspace, &place, (options, interrupt), resolved)?;
        match former {
            OpenResult::Ready(others) => recovered.extend(others),
            OpenResult::Group(pending) => return Ok(OpenResult::Group(pending)),
        }
        let theirs = other_users::lock_others(top, &place, (options.lock_timeout, interrupt))?;
        // With the lock held, an unfinished change of another user is not in progress but
        // interrupted.
        other_users::has_running_command(top, &place)?;
        let mut state = StateDirectory::open(top, &place, options, interrupt)?;
        state.other_user_locks = theirs.into_iter().map(Mutex::new).collect();
        Ok(OpenResult::Ready(state))
    };
    let opened = open();
    match opened {
        Ok(OpenResult::Ready(mut state)) => {
            state.unusable = place.unusable;
            Ok(LockWaitResult::Done(OpenResult::Ready(state)))
        }
        Ok(pending) => Ok(LockWaitResult::Done(pending)),
        Err(Failure::Locked) => Ok(LockWaitResult::Held),
        Err(failure) => other_users::retry_if_replaced(top, &place.directory, failure)
            .map(|()| LockWaitResult::Held),
    }
}

/// Locks the state directory only if it exists, and recovers interrupted transactions.
pub(super) fn open_existing(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<(Option<StateDirectory>, Vec<RecoveredTransaction>), Failure> {
    let (mut recovered, mut resolved) = (Vec::new(), Vec::new());
    loop {
        let once = open_existing_once(workspace, options, interrupt, (&mut recovered, &resolved))?;
        match once {
            OpenResult::Ready(state) => return Ok((state, recovered)),
            OpenResult::Group(pending) => {
                let others = recover_group(top(workspace)?, &pending, (options, interrupt))?;
                recovered.extend(others);
                resolved.push(pending.id);
            }
        }
    }
}

/// Opens the existing state directory once. Appends recovered transactions to `recovered`.
fn open_existing_once(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    (recovered, resolved): (&mut Vec<RecoveredTransaction>, &[String]),
) -> Result<OpenResult<Option<StateDirectory>>, Failure> {
    let place = locate_state(top(workspace)?)?;
    match recover_former_directories(workspace, &place, (options, interrupt), resolved)? {
        OpenResult::Ready(others) => recovered.extend(others),
        OpenResult::Group(pending) => return Ok(OpenResult::Group(pending)),
    }
    let workspace = top(workspace)?;
    other_users::has_running_command(workspace, &place)?;
    let mut state = lock_existing(workspace, &place.directory, options, interrupt)?;
    if let Some(state) = &mut state {
        adopt_if_enabled(workspace, state, options)?;
        match recover_all(workspace, state, options, resolved)? {
            OpenResult::Ready(others) => {
                open_audit(workspace, state, (&others, options));
                recovered.extend(others);
            }
            OpenResult::Group(pending) => return Ok(OpenResult::Group(pending)),
        }
    }
    Ok(OpenResult::Ready(state))
}

/// Assigns the interrupted transactions of `state` to this root, if the option is set.
fn adopt_if_enabled(
    workspace: &dyn Workspace,
    state: &StateDirectory,
    options: Options,
) -> Result<(), Failure> {
    match options.journals {
        JournalAdoption::Refuse => Ok(()),
        JournalAdoption::Adopt => {
            adopt::adopt_transactions(workspace, &state.directory, options.durability)
        }
    }
}

/// Locks the state directory `directory` if it exists. A signal ends the wait for the lock.
fn lock_existing(
    workspace: &dyn Workspace,
    directory: &RelPath,
    options: Options,
    interrupt: &Interrupt,
) -> Result<Option<StateDirectory>, Failure> {
    wait_for_lock(
        interrupt,
        options.lock_timeout,
        |patience| match StateDirectory::open_existing(workspace, directory, patience) {
            Err(Failure::Locked) => Ok(LockWaitResult::Held),
            opened => opened.map(LockWaitResult::Done),
        },
    )
}

/// Moves the external history into the state directory if that is permanent.
fn import_external_history(workspace: &dyn Workspace, state: &StateDirectory, options: Options) {
    if !state.is_temporary() {
        history::import_external_history(workspace, &state.directory, options.durability);
    }
}

/// Imports the external history, and then opens the audit file and completes it. `recovered` are the
/// transactions that this command recovered.
fn open_audit(
    workspace: &dyn Workspace,
    state: &mut StateDirectory,
    (recovered, options): (&[RecoveredTransaction], Options),
) {
    import_external_history(workspace, state, options);
    let is_pending = |one: &&RecoveredTransaction| one.ending == RecoveryOutcome::HistoryPending;
    let committed: Vec<_> = recovered
        .iter()
        .filter(is_pending)
        .filter_map(|one| state.scratch(&one.id).ok())
        .collect();
    let ids: Vec<_> = recovered.iter().map(|one| &*one.id).collect();
    let home = state.history().cloned();
    let recovered = (&committed[..], &ids[..]);
    state.audit = AuditState::open(workspace, home.as_ref(), recovered, options.durability);
}

/// Recovers every transaction in the state directory in the order of their names, which is the
/// order of time. If one cannot be trusted, it recovers none.
fn recover_all(
    workspace: &dyn Workspace,
    state: &StateDirectory,
    options: Options,
    resolved: &[String],
) -> Result<OpenResult<Vec<RecoveredTransaction>>, Failure> {
    let names = workspace.list(Some(&state.directory))?;
    let left = find_transactions(workspace, &state.directory, &names)?;
    has_open_journal(workspace, &left, JournalAdoption::Refuse)?;
    if let Some(pending) = find_group(workspace, &left, resolved)? {
        return Ok(OpenResult::Group(pending));
    }
    history::remove_dead_entries(workspace, &state.directory, (&names, None))?;
    state.sweep_probes(workspace, &names)?;
    if let Some(home) = state.history().filter(|&home| *home != state.directory) {
        // An external history that cannot be read now does not prevent the command.
        let _ = history::list_names(workspace, home)
            .and_then(|names| history::remove_dead_entries(workspace, home, (&names, None)));
    }
    let mut recovered = Vec::new();
    for scratch in left {
        recovered.extend(recover_one(workspace, state, &scratch, options)?);
    }
    Ok(OpenResult::Ready(recovered))
}
