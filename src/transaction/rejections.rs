//! Rejections of plans. Each is a history entry, so that the log shows it.

use super::checksummed::to_checksummed;
use super::failure::is_unreachable;
use super::history::{
    PlanRejection, PruneExemption, entry_name, history_directories, list_entries, prune,
};
use super::saved_plans::{self, SaveResult};
use super::{Failure, Interrupt, Options};
use crate::workspace::{Workspace, top};

/// Saves `rejection` as a history entry. Returns `None` if no history can be kept.
///
/// # Errors
///
/// Returns [`Failure`] like [`saved_plans::save`].
pub fn save(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    rejection: &PlanRejection,
) -> Result<Option<SaveResult>, Failure> {
    let text = to_checksummed(rejection)?;
    let tree = top(workspace)?;
    saved_plans::create_history_directory(
        workspace,
        options,
        interrupt,
        (PlanRejection::FILE, &text, &|id| entry_name(id, 0)),
        |home, _| prune(tree, home, (options.history, PruneExemption::Newest)).map(drop),
    )
}

/// Returns the newest rejection of the change `plan`. Takes no lock.
///
/// # Errors
///
/// Returns [`Failure`] like [`entries`](super::history::entries).
pub fn find(workspace: &dyn Workspace, plan: &str) -> Result<Option<PlanRejection>, Failure> {
    let workspace = top(workspace)?;
    for home in history_directories(workspace)? {
        for place in list_entries(workspace, &home)?.iter().rev() {
            match PlanRejection::read(workspace, &place.scratch) {
                Ok(rejection) if rejection.plan == plan => return Ok(Some(rejection)),
                Ok(_) | Err(Failure::State { .. }) => {}
                Err(Failure::Workspace(error)) if is_unreachable(error.kind) => {}
                Err(failure) => return Err(failure),
            }
        }
    }
    Ok(None)
}

/// Removes all rejections of the change `plan` and returns their number.
///
/// # Errors
///
/// Returns [`Failure`] like [`entries`](super::history::entries).
pub fn remove(workspace: &dyn Workspace, plan: &str) -> Result<usize, Failure> {
    let workspace = top(workspace)?;
    let mut count = 0;
    for home in history_directories(workspace)? {
        for place in list_entries(workspace, &home)? {
            if PlanRejection::read(workspace, &place.scratch)
                .is_ok_and(|rejection| rejection.plan == plan)
            {
                place.remove(workspace, &home)?;
                count += 1;
            }
        }
    }
    Ok(count)
}
