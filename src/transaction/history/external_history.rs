//! The external history: the histories of all roots without a permanent state directory.

use super::list_names;
use super::prune::{oldest_id, prune_all, remove_dead_entries};
use super::session::prune_sessions;
use crate::path::RelPath;
use crate::transaction::state_location::find_lifetime;
use crate::transaction::{Failure, HistoryLimits};
use crate::workspace::{DirectoryPermissions, ErrorKind, Workspace};

/// Returns the directory for the external history of this root, which need not exist. Returns
/// `None` if external history is not available, or if another user can have written to it.
pub(in crate::transaction) fn external_directory(workspace: &dyn Workspace) -> Option<RelPath> {
    find_trusted_directory(workspace, |_| true)
}

/// Returns the directory of the external history of this root if it exists.
pub(in crate::transaction) fn existing_external_directory(
    workspace: &dyn Workspace,
) -> Option<RelPath> {
    find_trusted_directory(workspace, |is_there| is_there)
}

fn find_trusted_directory(
    workspace: &dyn Workspace,
    is_accepted: impl Fn(bool) -> bool,
) -> Option<RelPath> {
    let home = workspace.external_history()?;
    let is_believed = |path: &RelPath| {
        find_lifetime(workspace, path).is_ok_and(|found| is_accepted(found.is_some()))
    };
    let is_home = home.parent().iter().chain([&home]).all(is_believed);
    is_home.then_some(home)
}

/// Creates the directories of the external history if `home` is one, and then prunes the histories
/// of other roots.
pub(in crate::transaction) fn create_external_directory(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<(), Failure> {
    if workspace.external_history().as_ref() != Some(home) {
        return Ok(());
    }
    let mut is_new = false;
    for path in home.parent().iter().chain([home]) {
        match workspace.make_dir(path, DirectoryPermissions::Private) {
            Err(error) if error.kind == ErrorKind::Exists => {}
            made => {
                made?;
                is_new = true;
            }
        }
        find_lifetime(workspace, path)?;
    }
    if is_new {
        prune_others(workspace);
    }
    Ok(())
}

/// Removes old entries from the external histories of other roots, because these roots may not
/// exist any more.
///
/// Takes no lock, because a command may be running in such a root. A directory that cannot be
/// removed stays.
pub(in crate::transaction) fn prune_others(workspace: &dyn Workspace) {
    let Some((own, histories)) = workspace
        .external_history()
        .and_then(|own| Some((own.clone(), own.parent()?)))
    else {
        return;
    };
    let limits = HistoryLimits {
        entries: usize::MAX,
        bytes: u64::MAX,
        ..HistoryLimits::default()
    };
    let oldest = oldest_id(workspace, limits);
    for name in list_names(workspace, &histories).unwrap_or_default() {
        let Ok(other) = histories.join(&name) else {
            continue;
        };
        // The name of a history is a digest. Other directories do not belong to wpatch.
        let is_root = name.len() == own.name().len() && name.iter().all(u8::is_ascii_hexdigit);
        if !is_root
            || other == own
            || !find_lifetime(workspace, &other).is_ok_and(|found| found.is_some())
        {
            continue;
        }
        // The audit file stays, so its directory stays too.
        let _ = prune_all(workspace, &other, limits);
        let _ = prune_sessions(workspace, &other, limits);
        let _ = list_names(workspace, &other)
            .and_then(|names| remove_dead_entries(workspace, &other, (&names, Some(&oldest))));
        let _ = workspace.remove_dir(&other);
    }
}
