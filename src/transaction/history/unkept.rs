//! Whether the next change becomes an entry of the history.

use super::attic;
use crate::transaction::Failure;
use crate::transaction::place::{Found, find_to_read, place};
use crate::workspace::{Workspace, top};

/// Returns why a change of `workspace` is in no history; `None` if it is in one. Takes no lock.
///
/// # Errors
///
/// Returns [`Failure::State`] if the state directory cannot be trusted, and the errors of the disk.
pub fn unkept(workspace: &dyn Workspace) -> Result<Option<String>, Failure> {
    let workspace = top(workspace)?;
    let place = place(workspace)?;
    let stays = match find_to_read(workspace, &place.directory)? {
        _ if place.directory.parent().is_some() => true,
        Found::Directory(lifetime) => !lifetime.passes(),
        Found::Nothing | Found::Single => false,
    };
    if stays || attic::place(workspace).is_some() {
        return Ok(None);
    }
    Ok(Some(reason(workspace, place.unusable.as_deref())))
}

/// Returns why no history is kept where git's directory is `unusable`, or there is none.
pub(in crate::transaction) fn reason(workspace: &dyn Workspace, unusable: Option<&str>) -> String {
    let reason = match unusable {
        Some(why) => why,
        None if workspace.attic().is_some() => "there is no place for a history that is the user's own alone",
        None => "the root is in no git work tree and has no .wpatch directory, and XDG_STATE_HOME is not set",
    };
    reason.to_owned()
}
