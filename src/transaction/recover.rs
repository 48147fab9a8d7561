//! Recovery: completes or rolls back the interrupted transactions of dead processes.
//!
//! Every writing command calls `open`, which returns the locked state directory and the
//! transactions that it recovered. `wpatch recover` calls [`recover`]. If one journal cannot be
//! trusted, nothing is changed. Read `recover/transaction.rs` for one transaction.

mod adopt;
mod former_directories;
mod leftover_state;
mod transaction;

use std::sync::Mutex;

use super::audit::AuditState;
use super::failure::is_unreachable;
use super::state::StateDirectory;
use super::state_location::{is_state_directory, locate_state};
use super::wait::{LockWaitResult, wait_for_lock};
use super::{
    Failure, Interrupt, JournalAdoption, Options, RecoveredTransaction, RecoveryOutcome, history,
    other_users,
};
use crate::path::RelPath;
use crate::workspace::{Workspace, top};
use former_directories::{former_directories, has_unfinished_work, recover_former_directories};
use leftover_state::has_open_journal;

pub(super) use leftover_state::find_transactions;
pub(super) use transaction::{finish_recovered, locate_kept_files, recover_one};

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
    recover_with_interrupt(workspace, options, &Interrupt::new())
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

/// Returns whether an unfinished change exists, by a running or a dead process. If so, the next
/// command may find a different tree. Changes nothing and takes no lock.
///
/// # Errors
///
/// Returns the errors of [`Transaction::begin`](super::Transaction::begin): [`Failure::State`] for
/// a state directory or journal that cannot be trusted, and read errors.
pub fn has_unfinished_changes(workspace: &dyn Workspace) -> Result<bool, Failure> {
    check_journals(workspace, JournalAdoption::Refuse)
}

/// Returns whether an unfinished change exists, as [`has_unfinished_changes`] does. `adoption`
/// states whether a journal may name another root.
fn check_journals(workspace: &dyn Workspace, adoption: JournalAdoption) -> Result<bool, Failure> {
    let mut is_unfinished = false;
    let place = locate_state(top(workspace)?)?;
    for (workspace, directory) in former_directories(workspace, &place)? {
        if !matches!(has_unfinished_work(workspace, &directory), Ok(false)) {
            is_unfinished |= has_unfinished_transaction(workspace, &directory, adoption)?;
        }
    }
    is_unfinished |= other_users::has_running_command(top(workspace)?, &place)?;
    let top = top(workspace)?;
    Ok(has_unfinished_transaction(top, &place.directory, adoption)? || is_unfinished)
}

/// Returns whether the state directory `directory` contains an unfinished change.
fn has_unfinished_transaction(
    workspace: &dyn Workspace,
    directory: &RelPath,
    adoption: JournalAdoption,
) -> Result<bool, Failure> {
    if !is_state_directory(workspace, directory)? {
        return Ok(false);
    }
    match workspace.list(Some(directory)) {
        Ok(names) => {
            let left = find_transactions(workspace, directory, &names)?;
            has_open_journal(workspace, &left, adoption)
        }
        // Another process has finished the change and removed the directory.
        Err(error) if is_unreachable(error.kind) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Creates the state directory of the work tree if necessary, locks it, and recovers interrupted
/// transactions.
pub(super) fn open(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<(StateDirectory, Vec<RecoveredTransaction>), Failure> {
    let mut recovered = Vec::new();
    let state = wait_for_lock(interrupt, options.lock_timeout, |patience| {
        try_open(
            workspace,
            Options {
                lock_timeout: patience,
                ..options
            },
            interrupt,
            &mut recovered,
        )
    });
    let mut state = state.map_err(|failure| other_users::explain_lock(workspace, failure))?;
    let workspace = top(workspace)?;
    match recover_all(workspace, &state, options) {
        Ok(others) => {
            open_audit(workspace, &mut state, (&others, options));
            recovered.extend(others);
            // An earlier command has already reported these kept files.
            recovered.retain(|recovered| recovered.ending != RecoveryOutcome::Kept);
            Ok((state, recovered))
        }
        Err(failure) => {
            // The next command removes the rest.
            let _ = state.close(workspace);
            Err(failure)
        }
    }
}

/// Makes one attempt to open the state directory. Appends recovered transactions to `recovered`.
fn try_open(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    recovered: &mut Vec<RecoveredTransaction>,
) -> Result<LockWaitResult<StateDirectory>, Failure> {
    let top = top(workspace)?;
    let place = match other_users::await_commands(top, options.lock_timeout)? {
        LockWaitResult::Done(place) => place,
        LockWaitResult::Held => return Ok(LockWaitResult::Held),
        LockWaitResult::Retry => return Ok(LockWaitResult::Retry),
    };
    let opened =
        recover_former_directories(workspace, &place, options, interrupt).and_then(|others| {
            recovered.extend(others);
            let theirs = other_users::lock_others(top, &place, (options.lock_timeout, interrupt))?;
            // With the lock held, an unfinished change of another user is not in progress but
            // interrupted.
            other_users::has_running_command(top, &place)?;
            let mut state = StateDirectory::open(top, &place, options, interrupt)?;
            state.other_user_locks = theirs.into_iter().map(Mutex::new).collect();
            Ok(state)
        });
    match opened {
        Ok(mut state) => {
            state.unusable = place.unusable;
            Ok(LockWaitResult::Done(state))
        }
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
    let place = locate_state(top(workspace)?)?;
    let mut recovered = recover_former_directories(workspace, &place, options, interrupt)?;
    let workspace = top(workspace)?;
    other_users::has_running_command(workspace, &place)?;
    let mut state = lock_existing(workspace, &place.directory, options, interrupt)?;
    if let Some(state) = &mut state {
        adopt_if_enabled(workspace, state, options)?;
        let others = recover_all(workspace, state, options)?;
        open_audit(workspace, state, (&others, options));
        recovered.extend(others);
    }
    Ok((state, recovered))
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
) -> Result<Vec<RecoveredTransaction>, Failure> {
    let names = workspace.list(Some(&state.directory))?;
    let left = find_transactions(workspace, &state.directory, &names)?;
    has_open_journal(workspace, &left, JournalAdoption::Refuse)?;
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
    Ok(recovered)
}
