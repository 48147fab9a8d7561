//! Recovers a transaction with several members after a panic of the process that holds their locks.

use super::group::{LockedRoot, PendingGroup, finish_group, own_record};
use super::{Failure, Options};
use crate::transaction::group::GroupRecord;
use crate::transaction::state::StateDirectory;
use crate::workspace::Workspace;

/// Brings all members of the transaction `id` to the decision of the coordinator, and then releases
/// their locks. `members` are the locked members in the order of `record`.
///
/// # Errors
///
/// Returns an error if a member cannot be recovered. The next command in any of the roots then
/// recovers all of them.
pub(in crate::transaction) fn recover_locked(
    members: Vec<(&dyn Workspace, StateDirectory)>,
    (id, record): (&str, GroupRecord),
    options: Options,
) -> Result<(), Failure> {
    let mut locked = Vec::with_capacity(members.len());
    let mut found = Ok(());
    for (position, (workspace, state)) in members.into_iter().enumerate() {
        // A panic can leave handles of directories that the change moved.
        workspace.close_cached_handles();
        let own = state
            .scratch(id)
            .and_then(|scratch| own_record(workspace, scratch, &record));
        let own = own.unwrap_or_else(|failure| {
            found = Err(failure);
            None
        });
        locked.push(LockedRoot {
            position,
            workspace,
            states: vec![(workspace, state)],
            is_current: true,
            found: own,
        });
    }
    let pending = PendingGroup {
        id: id.to_owned(),
        record,
    };
    // If one member cannot be examined, none is changed.
    let recovered = found.and_then(|()| finish_group(&mut locked, &pending, options));
    for LockedRoot { states, .. } in locked {
        for (workspace, state) in states {
            // The directory can stay until the next command, so git must ignore it.
            match &recovered {
                Ok(_) => drop(state.close(workspace)),
                Err(_) => state.write_gitignore(workspace),
            }
        }
    }
    recovered.map(drop)
}
