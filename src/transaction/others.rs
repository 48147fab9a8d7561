//! The state of other users on the same work tree: in git's directory of another user, and in state directories that they
//! made.
//!
//! wpatch does not trust this state and does not change it. wpatch takes its lock, and refuses to write while a change in it
//! is interrupted.

use std::time::Duration;

use super::place::{Place, shown};
use super::scratch::{Scratch, join};
use super::sweep::is_unreachable;
use super::wait::{Waited, wait};
use super::{Failure, Interrupt};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::{Fault, Lock, PASSING, Stat, Workspace};

/// Returns an error if a change of another user is interrupted. A state directory that stays and cannot be read is ignored.
pub(super) fn examine(workspace: &dyn Workspace, place: &Place) -> Result<(), Failure> {
    for (directory, stat) in &place.others {
        let foreign = || Failure::Foreign { directory: shown(workspace, directory), owner: stat.uid };
        let names = match workspace.list(Some(directory)) {
            // It was made for one command, which runs or died.
            Err(error) if error.fault == Fault::Denied && stat.permissions & PASSING != 0 => return Err(foreign()),
            Err(error) if error.fault == Fault::Denied || is_unreachable(error.fault) => continue,
            names => names?,
        };
        for scratch in Scratch::among(directory, &names)? {
            // A journal that cannot be examined is ignored, like the rest of the directory.
            let journal = workspace.stat(&scratch.file("journal")?);
            if journal.is_ok_and(|journal| journal.is_some()) {
                return Err(foreign());
            }
        }
    }
    Ok(())
}

/// Takes the locks of the other users, as far as they can be opened.
pub(super) fn lock(
    workspace: &dyn Workspace,
    place: &Place,
    (patience, interrupt): (Duration, &Interrupt),
) -> Result<Vec<Lock>, Failure> {
    let mut locks = Vec::new();
    for (directory, stat) in &place.others {
        let locked = wait(interrupt, patience, |patience| lock_one(workspace, (directory, stat), patience))?;
        locks.extend(locked);
    }
    Ok(locks)
}

/// Takes the lock of one of them; `None` if there is none that can be opened.
fn lock_one(
    workspace: &dyn Workspace,
    (directory, owner): (&RelPath, &Stat),
    patience: Duration,
) -> Result<Waited<Option<Lock>>, Failure> {
    let lock = join(directory, "lock")?;
    // It is not created: a lock file of this user would block the other user.
    let is_theirs = |stat: Stat| {
        stat.kind == FileKind::Regular && stat.uid == owner.uid && stat.links == 1 && stat.permissions & 0o600 == 0o600
    };
    let locked = if owner.permissions & PASSING != 0 {
        workspace.lock_dir(directory, patience)
    } else if workspace.stat(&lock).is_ok_and(|stat| stat.is_some_and(is_theirs)) {
        workspace.lock(&lock, patience)
    } else {
        return Ok(Waited::Done(None));
    };
    match locked {
        Err(error) if error.fault == Fault::Denied || is_unreachable(error.fault) => Ok(Waited::Done(None)),
        locked => Ok(locked?.map_or(Waited::Held, |lock| Waited::Done(Some(lock)))),
    }
}
