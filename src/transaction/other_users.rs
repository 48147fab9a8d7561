//! The state of other users on the same work tree: in another user's git directory, and in state
//! directories that they created.
//!
//! wpatch does not trust or change this state. It takes the locks of the other users, and refuses
//! to write while one of their changes is unfinished.

use std::thread;
use std::time::Duration;

use super::failure::is_unreachable;
use super::scratch::{Scratch, join};
use super::state_location::{LOCK, StateLocation, display_path, locate_state, state_directory};
use super::wait::{LockWaitResult, wait_for_lock};
use super::{Failure, Interrupt};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::{ErrorKind, Lock, Result as Done, Stat, TEMPORARY, Workspace, top};

/// The time between two checks of a state directory that this user cannot lock.
const PAUSE: Duration = Duration::from_millis(10);

/// Returns the location of the state, unless another user's command is running in a temporary state
/// directory at the usual place. Returns [`LockWaitResult::Held`] in that case.
///
/// Returns [`LockWaitResult::Retry`] if the directory was removed or replaced, because the next
/// command of another user can then use the same place. The directory of a dead command stays.
pub(super) fn await_commands(
    workspace: &dyn Workspace,
    patience: Duration,
) -> Result<LockWaitResult<StateLocation>, Failure> {
    let place = locate_state(workspace)?;
    for (directory, stat) in place
        .others
        .iter()
        .filter(|(_, stat)| stat.permissions & TEMPORARY != 0)
    {
        match workspace.lock_dir(directory, patience) {
            Ok(None) => return Ok(LockWaitResult::Held),
            Ok(Some(_)) => {}
            Err(error) if error.kind == ErrorKind::Denied => thread::sleep(PAUSE.min(patience)),
            Err(error) if error.kind == ErrorKind::Unsupported || is_unreachable(error.kind) => {}
            Err(error) => return Err(error.into()),
        }
        match workspace.stat(directory)? {
            Some(now) if now.inode != stat.inode => return Ok(LockWaitResult::Retry),
            None => return Ok(LockWaitResult::Retry),
            Some(_) if is_unreadable_temporary(workspace, (directory, stat)) => {
                return Ok(LockWaitResult::Held);
            }
            Some(_) => {}
        }
    }
    Ok(LockWaitResult::Done(place))
}

/// Returns whether another user's command may be running in the state directory, which this user
/// cannot read.
fn is_unreadable_temporary(
    workspace: &dyn Workspace,
    (directory, stat): (&RelPath, &Stat),
) -> bool {
    let is_denied = |names: Done<_>| names.is_err_and(|error| error.kind == ErrorKind::Denied);
    stat.permissions & TEMPORARY != 0 && is_denied(workspace.list(Some(directory)))
}

/// Returns `Ok` if a command of another user created the state directory after this command had
/// located it. The caller then tries again. Otherwise returns `failure`.
pub(super) fn retry_if_replaced(
    workspace: &dyn Workspace,
    directory: &RelPath,
    failure: Failure,
) -> Result<(), Failure> {
    let is_there = |failure: &Failure| match failure {
        Failure::Foreign {
            directory: named, ..
        } => *named == display_path(workspace, directory),
        _ => false,
    };
    if !is_there(&failure) {
        return Err(failure);
    }
    match workspace.stat(directory)? {
        None => Ok(()),
        Some(stat) if stat.permissions & TEMPORARY != 0 => {
            thread::sleep(PAUSE);
            Ok(())
        }
        Some(_) => Err(failure),
    }
}

/// Replaces [`Failure::Locked`] with the command of another user that holds the lock, if there is
/// one.
pub(super) fn explain_lock(workspace: &dyn Workspace, failure: Failure) -> Failure {
    let Failure::Locked = failure else {
        return failure;
    };
    let Ok(workspace) = top(workspace) else {
        return failure;
    };
    let directory = state_directory();
    let is_at_work = |stat: &Stat| {
        let is_held = || {
            matches!(
                lock_other(workspace, (&directory, stat), Duration::ZERO),
                Ok(LockWaitResult::Held)
            )
        };
        stat.uid != workspace.user()
            && (is_unreadable_temporary(workspace, (&directory, stat)) || is_held())
    };
    match workspace.stat(&directory) {
        Ok(Some(stat)) if is_at_work(&stat) => Failure::LockedByUser {
            directory: display_path(workspace, &directory),
            owner: stat.uid,
        },
        _ => failure,
    }
}

/// Returns whether another user's command may be running in a state directory that this user cannot
/// read.
///
/// # Errors
///
/// Returns [`Failure::Foreign`] if another user's change is unfinished. A permanent state directory
/// that cannot be read is ignored.
pub(super) fn has_running_command(
    workspace: &dyn Workspace,
    place: &StateLocation,
) -> Result<bool, Failure> {
    let mut is_at_work = false;
    for (directory, stat) in &place.others {
        let foreign = || Failure::Foreign {
            directory: display_path(workspace, directory),
            owner: stat.uid,
        };
        let names = match workspace.list(Some(directory)) {
            Err(error) if error.kind == ErrorKind::Denied || is_unreachable(error.kind) => {
                is_at_work |= is_unreadable_temporary(workspace, (directory, stat));
                continue;
            }
            names => names?,
        };
        for scratch in Scratch::find_in(directory, &names)? {
            // A journal that cannot be examined is ignored, like the rest of the directory.
            let journal = workspace.stat(&scratch.file("journal")?);
            if journal.is_ok_and(|journal| journal.is_some()) {
                return Err(foreign());
            }
        }
    }
    Ok(is_at_work)
}

/// Takes the locks of the other users that can be opened.
pub(super) fn lock_others(
    workspace: &dyn Workspace,
    place: &StateLocation,
    (patience, interrupt): (Duration, &Interrupt),
) -> Result<Vec<Lock>, Failure> {
    let mut locks = Vec::new();
    for (directory, stat) in &place.others {
        let locked = wait_for_lock(interrupt, patience, |patience| {
            lock_other(workspace, (directory, stat), patience)
        })?;
        locks.extend(locked);
    }
    Ok(locks)
}

/// Takes the lock of one directory. Returns `None` if there is no lock that can be opened.
fn lock_other(
    workspace: &dyn Workspace,
    (directory, owner): (&RelPath, &Stat),
    patience: Duration,
) -> Result<LockWaitResult<Option<Lock>>, Failure> {
    let lock = join(directory, LOCK)?;
    // wpatch does not create the lock file, because a file of this user would block the other user.
    let is_theirs = |stat: Stat| {
        stat.kind == FileKind::Regular
            && stat.uid == owner.uid
            && stat.links == 1
            && stat.permissions & 0o600 == 0o600
    };
    let locked = if owner.permissions & TEMPORARY != 0 {
        workspace.lock_dir(directory, patience)
    } else if workspace
        .stat(&lock)
        .is_ok_and(|stat| stat.is_some_and(is_theirs))
    {
        workspace.lock(&lock, patience)
    } else {
        return Ok(LockWaitResult::Done(None));
    };
    match locked {
        Err(error)
            if matches!(error.kind, ErrorKind::Denied | ErrorKind::Unsupported)
                || is_unreachable(error.kind) =>
        {
            Ok(LockWaitResult::Done(None))
        }
        locked => Ok(locked?.map_or(LockWaitResult::Held, |lock| {
            LockWaitResult::Done(Some(lock))
        })),
    }
}
