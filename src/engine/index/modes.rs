//! Reports modes in git's index that differ from the patch.

use crate::plan::{Operation, Plan};
use crate::preflight::{Problem, Severity, code};
use crate::workspace::index::IndexTree;

/// Returns a warning, in git's words, for each file whose mode in the index differs from the mode
/// in the patch. The mode in the index is kept.
pub(super) fn mode_warnings(plan: &Plan, staged: &IndexTree) -> Vec<Problem> {
    let problem = |(index, operation): (usize, &Operation)| {
        let path = operation.from.as_ref().unwrap_or(&operation.path);
        let (expected, found) = (operation.old_mode?, staged.entry(path)?.mode);
        let message = format!("has type {found}, expected {expected}");
        let warning = Problem {
            severity: Severity::Warning,
            ..Problem::new(&code::OTHER_MODE, message)
        };
        let is_other = expected != found && expected.kind() == found.kind();
        is_other.then(|| Problem {
            operation: Some(index),
            path: Some(path.clone()),
            ..warning
        })
    };
    // A later step finds the result of an earlier one, not the index.
    plan.operations
        .iter()
        .enumerate()
        .filter(|(_, operation)| operation.step == 0)
        .filter_map(problem)
        .collect()
}
