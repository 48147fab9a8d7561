//! The stages of what is in conflict: the index has the three sides, and no entry.

use crate::mode::FileMode;
use crate::plan::Plan;
use crate::preflight::{MergeSides, Resolution};
use crate::workspace::WorkspaceError;
use crate::workspace::index::{Blobs, IndexEntry, Update};

/// Puts the sides of each file that has conflicts in it into `updates`, in the place of its entry.
pub(super) fn mark(
    plan: &Plan,
    resolution: &Resolution,
    blobs: &Blobs<'_>,
    updates: &mut Vec<Update>,
) -> Result<(), WorkspaceError> {
    for (operation, file) in plan.operations.iter().zip(&resolution.files) {
        let Some(MergeSides { base, ours, theirs }) = file.merge.as_ref().and_then(|merge| merge.sides.as_ref()) else {
            continue;
        };
        let path = &operation.path;
        updates.retain(|update| update.path != *path);
        let mode = file.modes.1.unwrap_or(FileMode::Regular);
        for (stage, side) in [(1, base.as_ref()), (2, Some(ours)), (3, Some(theirs))] {
            let Some(side) = side else { continue };
            let entry = Some(IndexEntry { mode, id: blobs.add(side)? });
            updates.push(Update { path: path.clone(), entry, stage });
        }
    }
    Ok(())
}
