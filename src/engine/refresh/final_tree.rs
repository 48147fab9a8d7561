//! The tree after all patches.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, Plan};
use crate::preflight::{ContentPair, FileOutcome};
use crate::text::Bytes;

/// The mode and the content of a file; `None` if there is no file.
type PathContent = Option<(Option<FileMode>, Arc<Bytes>)>;

/// The files that the patches change, with their states after the last patch. A file that has its
/// old state again is missing.
pub(super) type FinalTree = BTreeMap<RelPath, PathContent>;

/// Returns whether the whole operation was skipped, because the tree already has its result. Such
/// an operation has no contents.
pub(super) fn is_skipped(outcome: &FileOutcome, contents: &ContentPair) -> bool {
    outcome.is_already_applied && contents == &[None, None]
}

/// Returns the result of all operations of `plan`.
pub(super) fn final_tree(
    plan: &Plan,
    outcomes: &[FileOutcome],
    contents: &[ContentPair],
) -> FinalTree {
    // The first and the last state of each file.
    let mut states: BTreeMap<RelPath, (PathContent, PathContent)> = BTreeMap::new();
    let mut put = |path: &RelPath, before: &PathContent, after: PathContent| {
        let first = || (before.clone(), None);
        states.entry(path.clone()).or_insert_with(first).1 = after;
    };
    for ((operation, outcome), pair) in plan.operations.iter().zip(outcomes).zip(contents) {
        if is_skipped(outcome, pair) {
            continue;
        }
        let state = |side: usize, mode| pair[side].clone().map(|content| (mode, content));
        let (before, after) = (state(0, outcome.modes.0), state(1, outcome.modes.1));
        match (operation.action, &operation.from) {
            (Action::Rename, Some(from)) => {
                put(from, &before, None);
                put(&operation.path, &None, after);
            }
            (Action::Copy, _) => put(&operation.path, &None, after),
            (Action::Delete | Action::RemoveCopy, _) => put(&operation.path, &before, None),
            _ => put(&operation.path, &before, after),
        }
    }
    let changed = states
        .into_iter()
        .filter(|(_, (first, last))| first != last);
    changed.map(|(path, (_, last))| (path, last)).collect()
}
