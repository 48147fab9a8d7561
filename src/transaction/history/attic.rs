//! The attic: where the histories of all roots are that have no place for one.

use super::keep::rename;
use super::prune::{Spares, bury, oldest, prune};
use super::{Place, names, places, plans};
use crate::path::RelPath;
use crate::transaction::Failure;
use crate::transaction::place::find;
use crate::transaction::sweep::erase;
use crate::transaction::{Durability, Limits};
use crate::workspace::{Fault, Privacy, Workspace};

/// Returns where the history of this root is in the attic, or may be made; `None` if there is no attic, or if somebody
/// else may have put something into it.
pub(in crate::transaction) fn place(workspace: &dyn Workspace) -> Option<RelPath> {
    believed(workspace, |_| true)
}

/// Returns where the history of this root is in the attic, if it is there.
pub(super) fn home(workspace: &dyn Workspace) -> Option<RelPath> {
    believed(workspace, |is_there| is_there)
}

fn believed(workspace: &dyn Workspace, may_be: impl Fn(bool) -> bool) -> Option<RelPath> {
    let home = workspace.attic()?;
    let is_believed = |path: &RelPath| find(workspace, path).is_ok_and(|found| may_be(found.is_some()));
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
        air(workspace);
    }
    Ok(())
}

/// Removes what is too old from the histories of the other roots in the attic: no command may ever come to them again.
///
/// Those roots may be at work, and nobody waits for them: what is in the way stays.
pub(super) fn air(workspace: &dyn Workspace) {
    let Some((own, attic)) = workspace.attic().and_then(|own| Some((own.clone(), own.parent()?))) else { return };
    let limits = Limits { entries: usize::MAX, bytes: u64::MAX, ..Limits::default() };
    let oldest = oldest(workspace, limits);
    for name in names(workspace, &attic).unwrap_or_default() {
        let Ok(other) = attic.join(&name) else { continue };
        // A digest, and nothing of anybody else's.
        let is_root = name.len() == own.name().len() && name.iter().all(u8::is_ascii_hexdigit);
        if !is_root || other == own || !find(workspace, &other).is_ok_and(|found| found.is_some()) {
            continue;
        }
        let _ = prune(workspace, &other, (limits, Spares::Nothing));
        let _ = plans::prune(workspace, &other, limits);
        let _ = names(workspace, &other).and_then(|names| bury(workspace, &other, (&names, Some(&oldest))));
        let _ = workspace.remove_dir(&other);
    }
}

/// Brings the entries from the attic to the state directory `state`, which stays.
pub(in crate::transaction) fn bring_down(workspace: &dyn Workspace, state: &RelPath, durability: Durability) {
    let Some(home) = home(workspace) else { return };
    // What cannot be brought now is found where it is, and comes with the next command.
    let Ok(there) = places(workspace, state) else { return };
    let bring = |place: &Place| {
        if there.iter().any(|there| there.scratch.id == place.scratch.id) {
            // A process died when it had copied the files, and before it had removed them.
            return erase(workspace, &place.scratch);
        }
        rename(workspace, state, (&place.scratch, place.bytes), durability)
    };
    for place in places(workspace, &home).unwrap_or_default() {
        let _ = bring(&place);
    }
    plans::bring(workspace, (&home, state), durability);
}
