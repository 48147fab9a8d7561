//! Checks that the refreshed patches have the effect that the refresh promises.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::checked::Checked;
use crate::engine::request::{Decide, Patches, Request};
use crate::matching::Placement;
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, Plan};
use crate::preflight::{ContentPair, FileOutcome, Problem, code};
use crate::text::Bytes;
use crate::workspace::Workspace;

/// The mode and the content of a file; `None` if there is no file.
type FileState = Option<(Option<FileMode>, Arc<Bytes>)>;

/// The files that the patches change, with their states after the last patch. A file that has its
/// old state again is missing.
pub(super) type FinalTree = BTreeMap<RelPath, FileState>;

/// Returns the result of all operations of `plan`.
pub(super) fn final_tree(
    plan: &Plan,
    outcomes: &[FileOutcome],
    contents: &[ContentPair],
) -> FinalTree {
    // The first and the last state of each file.
    let mut states: BTreeMap<RelPath, (FileState, FileState)> = BTreeMap::new();
    let mut put = |path: &RelPath, before: &FileState, after: FileState| {
        let first = || (before.clone(), None);
        states.entry(path.clone()).or_insert_with(first).1 = after;
    };
    for ((operation, outcome), pair) in plan.operations.iter().zip(outcomes).zip(contents) {
        // An operation that was skipped has no contents.
        if outcome.is_already_applied && pair == &[None, None] {
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

/// Checks that `patches` apply to `tree` without fuzz and offsets, and give the tree `promised`.
///
/// # Errors
///
/// Returns the problem if they do not.
pub(super) fn verify(
    patches: Patches,
    request: &Request,
    tree: &dyn Workspace,
    promised: &FinalTree,
) -> Result<(), Box<Problem>> {
    let wrong = |name: Option<String>| {
        let name = name.map_or_else(String::new, |name| format!("{name}: "));
        let message = format!("{name}the rewritten patches would not have the same effect");
        Box::new(Problem::new(&code::NOT_REFRESHABLE, message))
    };
    let decide = Decide {
        fuzz: 0,
        idempotent: false,
        ..request.decide.clone()
    };
    let checked = Checked::of(patches, request, &decide, tree).map_err(|_| wrong(None))?;
    let is_exact = |outcome: &FileOutcome| {
        outcome
            .placements
            .iter()
            .all(|placed| placed.as_ref().is_ok_and(is_as_stated))
    };
    let outcomes = checked.outcomes().unwrap_or_default();
    if let Some(index) = outcomes.iter().position(|outcome| !is_exact(outcome)) {
        let plan = checked.plan();
        let input = plan.operations[index].input;
        return Err(wrong(Some(plan.inputs[input].name.clone())));
    }
    if checked.done.is_refused() || checked.final_tree() != *promised {
        return Err(wrong(None));
    }
    Ok(())
}

fn is_as_stated(placement: &Placement) -> bool {
    placement.offset == 0 && placement.ignored_context == (0, 0)
}
