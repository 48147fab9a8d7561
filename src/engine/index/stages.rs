//! The index stages of files with conflicts: up to three sides replace the entry.

use std::collections::BTreeMap;

use crate::mode::FileMode;
use crate::plan::Plan;
use crate::preflight::{MergeSides, Resolution};
use crate::workspace::WorkspaceError;
use crate::workspace::index::{BlobCollector, IndexEntry, IndexUpdate};

/// Replaces the entry of each file with conflicts in `updates` by the sides of the merge.
pub(super) fn add_conflict_stages(
    plan: &Plan,
    resolution: &Resolution,
    blobs: &BlobCollector<'_>,
    updates: &mut Vec<IndexUpdate>,
) -> Result<(), WorkspaceError> {
    let marked = plan
        .operations
        .iter()
        .zip(&resolution.files)
        .filter_map(|(operation, file)| {
            let sides = file.merge.as_ref()?.sides.as_ref()?;
            Some((&operation.path, (file, sides)))
        });
    // If several operations change a file, the last one determines its content.
    let marked: BTreeMap<_, _> = marked.collect();
    updates.retain(|update| !marked.contains_key(&update.path));
    for (path, (file, MergeSides { base, ours, theirs })) in marked {
        let mode = file.modes.1.unwrap_or(FileMode::Regular);
        for (stage, side) in [(1, base.as_ref()), (2, Some(ours)), (3, Some(theirs))] {
            let Some(side) = side else { continue };
            let entry = Some(IndexEntry::new(mode, blobs.add(side)?));
            updates.push(IndexUpdate {
                path: path.clone(),
                entry,
                stage,
            });
        }
    }
    Ok(())
}
