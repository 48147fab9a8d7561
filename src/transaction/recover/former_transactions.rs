//! Recovers transactions in previous state directories.

use super::former_directories::{former_directories, has_unfinished_work};
use super::unfinished::check_journals;
use super::{
    Failure, Interrupt, OpenResult, Options, RecoveredTransaction, adopt_if_enabled, lock_existing,
    recover_all,
};
use crate::transaction::state_location::StateLocation;
use crate::workspace::Workspace;

/// Recovers the transactions in the previous state directories.
pub(super) fn recover_former_directories(
    workspace: &dyn Workspace,
    place: &StateLocation,
    (options, interrupt): (Options, &Interrupt),
    resolved: &[String],
) -> Result<OpenResult<Vec<RecoveredTransaction>>, Failure> {
    let mut recovered = Vec::new();
    for (former, directory) in former_directories(workspace, place)? {
        if !has_unfinished_work(former, &directory)? {
            continue;
        }
        // If any journal cannot be trusted, nothing may be changed.
        check_journals(workspace, options.journals)?;
        if let Some(state) = lock_existing(former, &directory, options, interrupt)? {
            adopt_if_enabled(former, &state, options)?;
            let others = recover_all(former, &state, options, resolved)?;
            // The next command removes the rest.
            let _ = state.close(former);
            match others {
                OpenResult::Ready(others) => recovered.extend(others),
                OpenResult::Group(pending) => return Ok(OpenResult::Group(pending)),
            }
        }
    }
    Ok(OpenResult::Ready(recovered))
}
