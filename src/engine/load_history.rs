//! Finds earlier versions of files, for line numbers that refer to such a version (`--relocate`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::request::Decide;
use super::stages::Selected;
use crate::digest::Digest;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::Edit;
use crate::text::Bytes;
use crate::text::tag::HashlineTag;
use crate::transaction::history::{HistoryEntry, OldContentLocation, Version, entries};
use crate::workspace::{Workspace, path_relative_to, top};

/// The path of a displaced file in the history, and the version that it contains.
pub(super) type StoredVersion<'e> = (&'e RelPath, Version);

/// Adds earlier versions of their files to sections with numbered lines. Adds only versions with
/// the tag of the section.
pub(super) fn load_history(decide: &Decide, workspace: &dyn Workspace, selected: &mut Selected) {
    let operations = &mut selected.plan.operations;
    if !decide.relocate
        || !operations
            .iter()
            .any(|operation| matches!(operation.edit, Edit::Lines(_)))
    {
        return;
    }
    let (all, tree) = match entries(workspace).and_then(|all| Ok((all, top(workspace)?))) {
        Ok(found) => found,
        Err(failure) => return selected.add_failure(&failure),
    };
    let kept = old_versions(&all, workspace);
    for operation in operations {
        let path = operation.from.as_ref().unwrap_or(&operation.path);
        if let (Edit::Lines(changes), Some(kept)) = (&mut operation.edit, kept.get(path)) {
            let earlier = kept
                .iter()
                .filter_map(|kept| read_version(tree, *kept, decide.max_file));
            changes.earlier = earlier
                .filter(|bytes| changes.tag == HashlineTag::of(bytes))
                .map(Arc::new)
                .collect();
        }
    }
}

/// Returns the old versions of each file below the root of `workspace`, without duplicates. Only
/// regular files that the history keeps are included.
pub(super) fn old_versions<'e>(
    all: &'e [HistoryEntry],
    workspace: &dyn Workspace,
) -> HashMap<RelPath, Vec<StoredVersion<'e>>> {
    let (mut kept, mut known) = (HashMap::<_, Vec<_>>::new(), HashSet::new());
    let tree = workspace.work_tree().ok().flatten();
    let from_root = |path: &RelPath| match tree {
        Some(tree) => path_relative_to(path, tree.prefix),
        None => Some(path.clone()),
    };
    for file in all.iter().flat_map(|entry| &entry.files) {
        if let (OldContentLocation::Kept(place), Some(version)) = (&file.old_content, file.before)
            && version.kind == FileKind::Regular
            && known.insert((&file.path, version.digest))
            && let Some(path) = from_root(&file.path)
        {
            kept.entry(path).or_default().push((place, version));
        }
    }
    kept
}

/// Reads a version in the history of the work tree with the top `workspace`. Returns `None` if the
/// file is missing or was overwritten.
pub(super) fn read_version(
    workspace: &dyn Workspace,
    (place, version): StoredVersion<'_>,
    max_size: u64,
) -> Option<Bytes> {
    let (bytes, _) = workspace.read(place, max_size).ok()?;
    (Digest::of(&bytes) == version.digest).then_some(bytes)
}
