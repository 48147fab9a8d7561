//! Finds previous locations of the state directory.

use super::Failure;
use super::leftover_state::find_transactions;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::transaction::state_location::{
    Lifetime, StateLocation, find_lifetime_without_probe, state_directory, user_state_directory,
};
use crate::workspace::{Stat, Workspace, top};

/// Returns the previous state directories of a root whose state is now at `place`. The state was
/// next to the root before the root was in a git work tree. It was in this user's own directory
/// while another user owned the usual one.
pub(super) fn former_directories<'w>(
    workspace: &'w dyn Workspace,
    place: &StateLocation,
) -> Result<Vec<(&'w dyn Workspace, RelPath)>, Failure> {
    // A directory of another user is ignored. `place` has checked the owners at the top, but not
    // below it.
    let is_own = |stat: Stat| stat.kind != FileKind::Directory || stat.uid == workspace.user();
    let below = match workspace.work_tree()? {
        Some(_) if workspace.stat(&state_directory())?.is_none_or(is_own) => {
            Some((workspace, state_directory()))
        }
        _ => None,
    };
    let top = top(workspace)?;
    let above = place.former.clone().map(|former| (top, former));
    let of_user = Some(user_state_directory(workspace))
        .filter(|own| *own != place.directory)
        .map(|own| (top, own));
    Ok(below.into_iter().chain(above).chain(of_user).collect())
}

/// Returns whether a previous state directory contains unfinished work.
pub(super) fn has_unfinished_work(
    workspace: &dyn Workspace,
    directory: &RelPath,
) -> Result<bool, Failure> {
    Ok(match find_lifetime_without_probe(workspace, directory)? {
        None => false,
        // A permanent directory may still contain an old history, which is ignored.
        Some(Lifetime::Permanent) => {
            !find_transactions(workspace, directory, &workspace.list(Some(directory))?)?.is_empty()
        }
        Some(_) => true,
    })
}
