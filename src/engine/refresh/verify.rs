//! Checks that the refreshed patches have the effect that the refresh promises.

use super::checked::Checked;
use super::final_tree::FinalTree;
use crate::engine::request::{Decide, Patches, Request};
use crate::matching::Placement;
use crate::preflight::{FileOutcome, Problem, code};
use crate::workspace::Workspace;

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
        Box::new(Problem {
            help: Some("refresh this patch with quilt, and report a bug of wpatch".to_owned()),
            ..Problem::new(&code::NOT_REFRESHABLE, message)
        })
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
    let result = checked.final_tree();
    if checked.done.is_refused() || result != *promised {
        let mut paths = promised.keys().chain(result.keys());
        let path = paths.find(|path| promised.get(*path) != result.get(*path));
        let mut problem = wrong(None);
        problem.path = path.cloned();
        return Err(problem);
    }
    Ok(())
}

/// Returns whether the hunk is complete and at its stated line. Its line endings can differ from those
/// of the file, because a patch keeps its line endings.
fn is_as_stated(placement: &Placement) -> bool {
    placement.offset == 0 && placement.ignored_context == (0, 0)
}
