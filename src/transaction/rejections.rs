//! Rejections of plans. Each is a history entry, so that the log shows it.

use super::checksummed::seal;
use super::failure::is_unreachable;
use super::history::{PlanRejection, PruneExemption, entry_name, entry_places, homes, prune};
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
    let text = seal(rejection)?;
    let tree = top(workspace)?;
    saved_plans::put(
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
    for home in homes(workspace)? {
        for place in entry_places(workspace, &home)?.iter().rev() {
            match PlanRejection::read(workspace, &place.scratch) {
                Ok(rejection) if rejection.plan == plan => return Ok(Some(rejection)),
                Ok(_) | Err(Failure::State { .. }) => {}
                Err(Failure::Workspace(error)) if is_unreachable(error.fault) => {}
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
    for home in homes(workspace)? {
        for place in entry_places(workspace, &home)? {
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
