//! Finds unfinished changes without a lock and without a write.

use super::former_directories::{former_directories, has_unfinished_work};
use super::leftover_state::{find_transactions, has_open_journal};
use crate::path::RelPath;
use crate::transaction::failure::is_unreachable;
use crate::transaction::group::find_places;
use crate::transaction::state_location::{is_state_directory, locate_state};
use crate::transaction::{Failure, JournalAdoption, other_users};
use crate::workspace::{Workspace, top};

/// Returns whether an unfinished change exists, by a running or a dead process. If so, the next
/// command may find a different tree. Changes nothing and takes no lock.
///
/// # Errors
///
/// Returns the errors of [`Transaction::begin`](crate::transaction::Transaction::begin): [`Failure::State`] for
/// a state directory or journal that cannot be trusted, and read errors.
pub fn has_unfinished_changes(workspace: &dyn Workspace) -> Result<bool, Failure> {
    let mut is_unfinished = false;
    for place in find_places(workspace)? {
        let checked = check_journals(place.workspace, JournalAdoption::Refuse);
        is_unfinished |= checked.map_err(|failure| place.roots.failure_to_caller(failure))?;
    }
    Ok(is_unfinished)
}

/// Returns whether an unfinished change exists, as [`has_unfinished_changes`] does. `adoption`
/// states whether a journal may name another root.
pub(super) fn check_journals(
    workspace: &dyn Workspace,
    adoption: JournalAdoption,
) -> Result<bool, Failure> {
    let mut is_unfinished = false;
    let place = locate_state(top(workspace)?)?;
    for (workspace, directory) in former_directories(workspace, &place)? {
        if !matches!(has_unfinished_work(workspace, &directory), Ok(false)) {
            is_unfinished |= has_unfinished_transaction(workspace, &directory, adoption)?;
        }
    }
    is_unfinished |= other_users::has_running_command(top(workspace)?, &place)?;
    let top = top(workspace)?;
    Ok(has_unfinished_transaction(top, &place.directory, adoption)? || is_unfinished)
}

/// Returns whether the state directory `directory` contains an unfinished change.
fn has_unfinished_transaction(
    workspace: &dyn Workspace,
    directory: &RelPath,
    adoption: JournalAdoption,
) -> Result<bool, Failure> {
    if !is_state_directory(workspace, directory)? {
        return Ok(false);
    }
    match workspace.list(Some(directory)) {
        Ok(names) => {
            let left = find_transactions(workspace, directory, &names)?;
            has_open_journal(workspace, &left, adoption)
        }
        // Another process has finished the change and removed the directory.
        Err(error) if is_unreachable(error.kind) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
