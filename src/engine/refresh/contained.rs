//! Finds patches whose changes the tree has, although later patches have changed the same lines.
//!
//! A new version of a project often contains a whole stack of patches. The result of the first one
//! is then not in the tree, because the second one has changed it. The patches are therefore
//! reversed from the last to the first.

use super::checked::Checked;
use super::texts::subset;
use crate::engine::request::{Decide, Patches, Request};
use crate::matching::{has_distinctive_result, has_known_candidates};
use crate::plan::Direction;
use crate::preflight::FileOutcome;
use crate::report::{PatchStatus, RefreshReport};
use crate::workspace::Workspace;

/// The maximum number of patches to reverse, and their maximum size in bytes. If there are more,
/// none is tried, because each of them is tried on top of all that were found before it.
const MAX_REVERSED: usize = 200;
const MAX_SIZE: usize = 16 << 20;

/// Returns the indexes of the patches that the tree contains, in order. Only patches that do not
/// apply, or of which the tree has a part, are tried.
pub(super) fn find_contained(
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
    let size: usize = candidates
        .iter()
        .map(|&index| patches.texts[index].1.len())
        .sum();
    if candidates.len() > MAX_REVERSED || size > MAX_SIZE {
        return found;
    }
    for index in candidates.into_iter().rev() {
        if request.context.interrupt.is_raised() {
            break;
        }
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
    let is_certain = |(index, outcome, _): (usize, &FileOutcome, _)| {
        let operation = &plan.operations[index];
        let places: Vec<usize> = (outcome.placements.iter().flatten())
            .map(|placement| placement.lines.start)
            .collect();
        // The plan is reversed, and the results are those of the direction before.
        let direction = operation.direction.combine(Direction::Reverse);
        let is_distinctive = |hunk| has_distinctive_result(hunk, plan.text(operation), direction);
        let mut placements = outcome.placements.iter().flatten();
        operation.hunks().all(is_distinctive)
            && placements.all(|placement| has_known_candidates(placement, &places))
    };
    !checked.done.is_refused() && checked.operations().all(is_certain)
}
