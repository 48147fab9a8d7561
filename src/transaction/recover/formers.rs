//! Finishes what transactions left where the state directory was before.

use super::left::transactions;
use super::{Failure, Options, Recovered, examine, leftovers};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::transaction::place::{Lifetime, Place, beside, find_to_read, of_user};
use crate::transaction::state::State;
use crate::workspace::{Stat, Workspace, top};

/// Returns where the state of a root, which is at `place` now, was before: next to a root that is
/// now in a work tree of git, or in the directory of this user while another user had the usual
/// one.
pub(super) fn formers<'w>(
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
pub(super) fn finish_formers(
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
pub(super) fn has_work(workspace: &dyn Workspace, directory: &RelPath) -> Result<bool, Failure> {
    Ok(match find_to_read(workspace, directory)? {
        None => false,
        // A history that stays there is nobody's business any more.
        Some(Lifetime::Stays) => {
            !transactions(workspace, directory, &workspace.list(Some(directory))?)?.is_empty()
        }
        Some(_) => true,
    })
}
