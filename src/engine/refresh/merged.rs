//! Finds patches whose changes the tree has, although later patches have changed the same lines.
//!
//! A new version of a project often contains a whole stack of patches. The result of the first one is
//! then not in the tree, because the second one has changed it. The patches are therefore reversed
//! from the last to the first.

use super::checked::Checked;
use super::texts::subset;
use crate::engine::request::{Decide, Patches, Request};
use crate::matching::has_distinctive_result;
use crate::plan::{Direction, Operation};
use crate::report::{PatchStatus, RefreshReport};
use crate::workspace::Workspace;

/// The maximum number of patches that are reversed. Each of them is tried on top of all that were
/// found before it.
const MAX_REVERSED: usize = 200;

/// Returns the indexes of the patches that the tree contains, in order. Only patches that do not
/// apply, or of which the tree has a part, are tried.
pub(super) fn find_merged(
    patches: &Patches,
    report: &RefreshReport,
    request: &Request,
    tree: &dyn Workspace,
) -> Vec<usize> {
    let is_candidate = |index: &usize| {
        let status = report.patches[*index].status;
        !matches!(status, PatchStatus::Unchanged | PatchStatus::Rewritten)
    };
    let candidates: Vec<usize> = (0..patches.texts.len()).filter(is_candidate).collect();
    let mut found: Vec<usize> = Vec::new();
    if candidates.len() > MAX_REVERSED {
        return found;
    }
    for index in candidates.into_iter().rev() {
        let mut trial = vec![index];
        trial.extend(&found);
        if is_reversible(subset(patches, &trial), request, tree) {
            found = trial;
        }
    }
    found
}

/// Returns whether `patches` apply to the tree in reverse, from the last to the first.
fn is_reversible(patches: Patches, request: &Request, tree: &dyn Workspace) -> bool {
    let decide = Decide {
        fuzz: 0,
        idempotent: false,
        reverse: !request.decide.reverse,
        ..request.decide.clone()
    };
    let Ok(checked) = Checked::of(patches, request, &decide, tree) else {
        return false;
    };
    let plan = checked.plan();
    let is_certain = |operation: &Operation| {
        let forward = operation.direction.combine(Direction::Reverse);
        operation
            .hunks()
            .all(|hunk| has_distinctive_result(hunk, plan.text(operation), forward))
    };
    !checked.done.is_refused() && plan.operations.iter().all(is_certain)
}
