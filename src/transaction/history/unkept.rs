//! Determines whether the next change will be in the history.

use super::external_history;
use crate::transaction::Failure;
use crate::transaction::state_location::{find_lifetime_without_probe, locate_state};
use crate::transaction::unkept::NoHistoryReason;
use crate::workspace::{Workspace, top};

/// Returns the reason why a change of `workspace` is not in the history, or `None` if it is. Takes
/// no lock.
///
/// # Errors
///
/// Returns [`Failure::State`] if the state directory cannot be trusted, and the errors of the disk.
pub fn no_history_reason(workspace: &dyn Workspace) -> Result<Option<NoHistoryReason>, Failure> {
    let Some(roots) = workspace.roots() else {
        return reason_of_root(workspace);
    };
    for root in roots.roots() {
        if let Some(reason) = reason_of_root(&*root.workspace)? {
            return Ok(Some(reason));
        }
    }
    Ok(None)
}

fn reason_of_root(workspace: &dyn Workspace) -> Result<Option<NoHistoryReason>, Failure> {
    let workspace = top(workspace)?;
    let place = locate_state(workspace)?;
    let stays = match find_lifetime_without_probe(workspace, &place.directory)? {
        _ if place.directory.parent().is_some() => true,
        Some(lifetime) => !lifetime.is_temporary(),
        None => false,
    };
    if stays || external_history::external_directory(workspace).is_some() {
        return Ok(None);
    }
    Ok(Some(explain_no_history(workspace, place.unusable.as_ref())))
}

/// Returns the reason why no history is kept. `unusable` is the reason why the git directory cannot
/// be used.
pub(in crate::transaction) fn explain_no_history(
    workspace: &dyn Workspace,
    unusable: Option<&NoHistoryReason>,
) -> NoHistoryReason {
    let reason = match unusable {
        Some(why) => return why.clone(),
        None if workspace.external_history().is_some() => {
            "the directory of XDG_STATE_HOME must be writable only by this user"
        }
        None if workspace.has_unusable_history() => {
            "XDG_STATE_HOME must be an absolute path without `..`; its directory `wpatch` must not contain the root or be inside the root"
        }
        None => {
            "the root is not in a git work tree, has no .wpatch directory, and XDG_STATE_HOME is not set"
        }
    };
    NoHistoryReason::new(reason.to_owned())
}
