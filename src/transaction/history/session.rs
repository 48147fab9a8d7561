//! The directories of edit sessions in the history. `transaction/sessions` has their content.

use super::prune::oldest_id;
use super::{HistoryDirectory, list_names};
use crate::path::RelPath;
use crate::transaction::failure::ignore_missing;
use crate::transaction::scratch::{Scratch, join};
use crate::transaction::{Durability, Failure, HistoryLimits};
use crate::workspace::Workspace;

/// The prefix of the directory names of sessions.
const PREFIX: &str = "session-";
/// The name of the file that makes a directory a session.
pub(in crate::transaction) const SESSION_DOCUMENT: &str = "session";

/// Returns the name of the directory of a session.
pub(in crate::transaction) fn session_name(id: &str) -> String {
    format!("{PREFIX}{id}")
}

/// Returns the ID and the directory of each session in `home`.
pub(in crate::transaction) fn list_sessions(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<Vec<(String, RelPath)>, Failure> {
    let names = list_names(workspace, home)?;
    Ok(sessions_among(home, &names).collect())
}

/// Returns the ID and the directory of each session in `names`, the names in `home`.
pub(super) fn sessions_among(
    home: &RelPath,
    names: &[Vec<u8>],
) -> impl Iterator<Item = (String, RelPath)> {
    names.iter().filter_map(|name| {
        let name = std::str::from_utf8(name).ok()?;
        let id = name.strip_prefix(PREFIX)?;
        Some((id.to_owned(), join(home, name).ok()?))
    })
}

/// Removes the session `id` with the directory `directory`.
///
/// Without its document a directory is no session. The document is removed first, durably, so that
/// no power loss leaves a session without its contents.
pub(in crate::transaction) fn remove_session(
    workspace: &dyn Workspace,
    home: &RelPath,
    (id, directory): (&str, RelPath),
    durability: Durability,
) -> Result<(), Failure> {
    ignore_missing(workspace.remove(&join(&directory, SESSION_DOCUMENT)?))?;
    if durability == Durability::Full {
        ignore_missing(workspace.sync(Some(&directory)))?;
    }
    HistoryDirectory::new(Scratch::for_entry(directory, id)).remove(workspace, home)
}

/// Removes the sessions in `home` that are older than the limit, and returns their number. A limit
/// of zero removes all sessions.
pub(in crate::transaction) fn prune_sessions(
    workspace: &dyn Workspace,
    home: &RelPath,
    limits: HistoryLimits,
) -> Result<usize, Failure> {
    let oldest = oldest_id(workspace, limits);
    let mut removed = 0;
    for (id, directory) in list_sessions(workspace, home)? {
        let document = workspace.stat(&join(&directory, SESSION_DOCUMENT)?)?;
        if document.is_none() || id < oldest || limits.age.is_zero() {
            remove_session(workspace, home, (&id, directory), Durability::Full)?;
            removed += usize::from(document.is_some());
        }
    }
    Ok(removed)
}
