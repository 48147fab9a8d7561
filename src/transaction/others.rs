//! The state of another user on the same work tree: git's directory belongs to that user, and so does what is in it.
//!
//! wpatch does not trust this state and does not change it. wpatch takes its lock, and refuses to write while a change in it
//! is interrupted.

use std::time::Duration;

use super::place::Place;
use super::scratch::{Scratch, join};
use super::sweep::is_unreachable;
use super::{Failure, Interrupt};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::{Fault, Lock, Stat, Workspace};

/// Time to wait for the lock between two checks for signals.
const LOOK: Duration = Duration::from_millis(100);

/// Returns the state directory of the user that git's directory belongs to, and its owner.
///
/// `None` if this user's own state directory is usable, or if the other one is missing or unreadable. Only `.git/wpatch` is
/// examined.
pub(super) fn find(workspace: &dyn Workspace, place: &Place) -> Result<Option<(RelPath, Stat)>, Failure> {
    if place.unusable.is_none() {
        return Ok(None);
    }
    let directory = RelPath::new(b".git/wpatch").expect("BUG: a plain name is no path");
    match workspace.stat(&directory) {
        Err(error) if error.fault == Fault::Denied || is_unreachable(error.fault) => Ok(None),
        found => Ok(found?.filter(|stat| stat.kind == FileKind::Directory).map(|stat| (directory, stat))),
    }
}

/// Returns an error if a change of another user is interrupted. A state directory that cannot be read is ignored.
pub(super) fn examine(workspace: &dyn Workspace, place: &Place) -> Result<(), Failure> {
    let Some((directory, stat)) = find(workspace, place)? else { return Ok(()) };
    let names = match workspace.list(Some(&directory)) {
        Err(error) if error.fault == Fault::Denied || is_unreachable(error.fault) => return Ok(()),
        names => names?,
    };
    for scratch in Scratch::among(&directory, &names)? {
        // A journal that cannot be examined is ignored, like the rest of the directory.
        let journal = workspace.stat(&scratch.file("journal")?);
        if journal.is_ok_and(|journal| journal.is_some()) {
            return Err(Failure::Foreign { directory: directory.to_string(), owner: stat.uid });
        }
    }
    Ok(())
}

/// Takes the lock of the other user, if there is one that can be opened.
pub(super) fn lock(
    workspace: &dyn Workspace,
    place: &Place,
    (patience, interrupt): (Duration, &Interrupt),
) -> Result<Option<Lock>, Failure> {
    let Some((directory, owner)) = find(workspace, place)? else { return Ok(None) };
    let lock = join(&directory, "lock")?;
    // It is not created: a lock file of this user would block the other user.
    let is_theirs = |stat: Stat| {
        stat.kind == FileKind::Regular && stat.uid == owner.uid && stat.links == 1 && stat.permissions & 0o600 == 0o600
    };
    if !workspace.stat(&lock).is_ok_and(|stat| stat.is_some_and(is_theirs)) {
        return Ok(None);
    }
    let mut left = patience;
    loop {
        if let Some(signal) = interrupt.signal() {
            return Err(Failure::Interrupted(signal));
        }
        match workspace.lock(&lock, left.min(LOOK)) {
            Err(error) if error.fault == Fault::Denied || is_unreachable(error.fault) => return Ok(None),
            Ok(None) if left.is_zero() => return Err(Failure::Locked),
            Ok(None) => left = left.saturating_sub(LOOK),
            locked => return Ok(locked?),
        }
    }
}
