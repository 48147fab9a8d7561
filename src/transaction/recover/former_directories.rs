//! Recovers transactions in previous locations of the state directory.

use super::leftover_state::find_transactions;
use super::{
    Failure, Interrupt, Options, RecoveredTransaction, adopt_if_enabled, check_journals,
    lock_existing, recover_all,
};
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

/// Recovers the transactions in the previous state directories.
pub(super) fn recover_former_directories(
    workspace: &dyn Workspace,
    place: &StateLocation,
    options: Options,
    interrupt: &Interrupt,
) -> Result<Vec<RecoveredTransaction>, Failure> {
    let mut recovered = Vec::new();
    for (former, directory) in former_directories(workspace, place)? {
        if !has_unfinished_work(former, &directory)? {
            continue;
        }
        // If any journal cannot be trusted, nothing may be changed.
        check_journals(workspace, options.journals)?;
        if let Some(state) = lock_existing(former, &directory, options, interrupt)? {
            adopt_if_enabled(former, &state, options)?;
            recovered.extend(recover_all(former, &state, options)?);
            // The next command removes the rest.
            let _ = state.close(former);
        }
    }
    Ok(recovered)
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
