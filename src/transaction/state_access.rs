//! Checks that a transaction can use the state directory, without a write.

use super::Failure;
use super::group::find_places;
use super::scratch::join;
use super::state_location::{LOCK, display_path, locate_state};
use crate::workspace::{Directory, ErrorKind, Workspace, WorkspaceError, top};

/// Checks that this user can create the state directory of `workspace`, or can use the existing one.
///
/// # Errors
///
/// Returns the error that [`Transaction::begin`](super::Transaction::begin) would return, if the
/// system would refuse to write there.
pub fn check_state_access(workspace: &dyn Workspace) -> Result<(), Failure> {
    find_places(workspace)?.iter().try_for_each(|place| {
        let checked = check_access(place.workspace);
        checked.map_err(|failure| place.roots.failure_to_caller(failure))
    })
}

fn check_access(workspace: &dyn Workspace) -> Result<(), Failure> {
    let workspace = top(workspace)?;
    let directory = locate_state(workspace)?.directory;
    let (refused, verb, path) = if matches!(workspace.stat(&directory), Ok(None)) {
        let above = directory.parent();
        (
            refusal(workspace, above.as_ref()),
            "create directory",
            directory,
        )
    } else {
        let lock = join(&directory, LOCK)?;
        (refusal(workspace, Some(&directory)), "lock", lock)
    };
    match refused {
        Some(error) => Err(WorkspaceError {
            verb,
            path: display_path(workspace, &path),
            ..error
        }
        .into()),
        None => Ok(()),
    }
}

/// Returns the error with which the system would refuse to create a file in `directory`.
fn refusal(workspace: &dyn Workspace, directory: Directory<'_>) -> Option<WorkspaceError> {
    let error = workspace.entry_rights(directory).err()?;
    (error.kind == ErrorKind::Denied).then_some(error)
}
