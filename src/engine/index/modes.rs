//! Modes of git's index that a patch does not expect.

use crate::plan::{Operation, Plan};
use crate::preflight::{Problem, Severity, code};
use crate::workspace::index::Staged;

/// Warns, in git's words, of each file whose mode in the index is not the one that the patch was
/// made for. It stays.
pub(super) fn problems(plan: &Plan, staged: &Staged) -> Vec<Problem> {
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
    // What a later step finds is what an earlier one left.
    plan.operations
        .iter()
        .enumerate()
        .filter(|(_, operation)| operation.step == 0)
        .filter_map(problem)
        .collect()
}
