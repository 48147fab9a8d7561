//! The attic: where the histories of all roots are that have no place for one.

use super::keep::rename;
use super::prune::{Limits, prune};
use super::{Failure, places};
use crate::path::RelPath;
use crate::transaction::place::find;
use crate::transaction::sweep::gone;
use crate::workspace::{Fault, Privacy, Workspace};

/// Returns where the history of this root is in the attic, if it is there and nobody else can have put anything in.
pub(super) fn home(workspace: &dyn Workspace) -> Option<RelPath> {
    let home = workspace.attic()?;
    let is_believed = |path: &RelPath| find(workspace, path).is_ok_and(|found| found.is_directory());
    let is_home = home.parent().iter().chain([&home]).all(is_believed);
    is_home.then_some(home)
}

/// Makes the directories above an entry in `home`, if that is in the attic. What nobody comes to any more goes for it.
pub(super) fn furnish(workspace: &dyn Workspace, home: &RelPath) -> Result<(), Failure> {
    if workspace.attic().as_ref() != Some(home) {
        return Ok(());
    }
    let mut is_new = false;
    for path in home.parent().iter().chain([home]) {
        match workspace.make_dir(path, Privacy::Private) {
            Err(error) if error.fault == Fault::Exists => {}
            made => {
                made?;
                is_new = true;
            }
        }
        find(workspace, path)?;
    }
    if is_new {
        // What cannot be removed now goes another time.
        let _ = air(workspace, home);
    }
    Ok(())
}

/// Removes what is too old from the histories of the other roots in the attic: no command may ever come to them again.
/// Returns how many entries that were.
pub(super) fn air(workspace: &dyn Workspace, home: &RelPath) -> Result<usize, Failure> {
    let Some(attic) = home.parent() else { return Ok(0) };
    let limits = Limits { entries: usize::MAX, bytes: u64::MAX, ..Limits::default() };
    let mut pruned = 0;
    for name in workspace.list(Some(&attic))? {
        let Ok(other) = attic.join(&name) else { continue };
        if other == *home || !find(workspace, &other).is_ok_and(|found| found.is_directory()) {
            continue;
        }
        pruned += prune(workspace, &other, limits)?;
        match gone(workspace.remove_dir(&other)) {
            Err(error) if error.fault == Fault::NotEmpty => {}
            removed => removed?,
        }
    }
    Ok(pruned)
}

/// Brings the entries from the attic to the state directory `state`.
pub(super) fn bring_down(workspace: &dyn Workspace, state: &RelPath) -> Result<(), Failure> {
    let Some(home) = home(workspace) else { return Ok(()) };
    for place in places(workspace, &home)? {
        rename(workspace, state, &place.scratch, place.bytes)?;
    }
    Ok(())
}
