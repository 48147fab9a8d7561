//! Reads the entries of the history of one work tree.

use super::{HistoryEntry, PlanRejection, history_directories, list_entries};
use crate::transaction::Failure;
use crate::transaction::journal::Journal;
use crate::workspace::{ErrorKind, Workspace};

/// Returns the entries of the work tree with the top `workspace`, newest first.
pub(super) fn entries_of(workspace: &dyn Workspace) -> Result<Vec<HistoryEntry>, Failure> {
    let mut places = Vec::new();
    // Entries move from the external history to the state directory. Reading in this order cannot
    // miss one.
    for home in history_directories(workspace)?.iter().rev() {
        places.splice(0..0, list_entries(workspace, home)?);
    }
    // Newest first. An entry that was copied and is in both is read from the state directory.
    places.sort_by(|a, b| b.scratch.id.cmp(&a.scratch.id));
    places.dedup_by(|a, b| a.scratch.id == b.scratch.id);
    let mut found = Vec::with_capacity(places.len());
    for place in places {
        let read = Journal::read_committed(workspace, &place.scratch)
            .and_then(|journal| place.entry(workspace, journal));
        let read = match read {
            Err(Failure::Workspace(error)) if error.kind == ErrorKind::Missing => {
                Journal::read_rolled_back(workspace, &place.scratch)
                    .and_then(|journal| place.aborted_entry(workspace, journal))
            }
            read => read,
        };
        let read = match read {
            Err(Failure::Workspace(error)) if error.kind == ErrorKind::Missing => {
                PlanRejection::read(workspace, &place.scratch)
                    .map(|rejection| place.rejected_entry(rejection))
            }
            read => read,
        };
        match read {
            Ok(entry) => found.push(entry),
            // wpatch creates only directories with this name.
            Err(Failure::Workspace(error))
                if matches!(error.kind, ErrorKind::NotDirectory | ErrorKind::ThroughLink) => {}
            // An entry that is being removed was renamed first.
            Err(Failure::Workspace(error))
                if error.kind == ErrorKind::Missing && !place.is_present(workspace)? => {}
            Err(Failure::Workspace(error)) if error.kind != ErrorKind::Missing => {
                return Err(error.into());
            }
            Err(_) => found.push(place.damaged_entry()),
        }
    }
    Ok(found)
}
