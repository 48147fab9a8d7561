//! Divides the operations of a series into steps, one for each patch.

use std::collections::HashMap;

use super::{Action, Direction, Operation};
use crate::path::RelPath;

/// Numbers the steps of `operations`, which are in execution order.
///
/// Some borders between patches are explicit in the input, for example the messages of a mailbox.
/// For concatenated patches, a file that occurs again reveals a border, if one diff of two trees
/// cannot contain it a second time. After such a border is found, the function searches for all of
/// them. git sorts the files of a diff by name, so a new patch starts where the order breaks.
pub(super) fn number_steps(operations: &mut [Operation]) {
    let explicit_steps: Vec<usize> = operations.iter().map(|operation| operation.step).collect();
    operations
        .iter_mut()
        .zip(&explicit_steps)
        .for_each(|(operation, &part)| operation.part = part);
    let has_hidden_borders = assign_steps(operations, &explicit_steps, |_, _| false);
    if has_hidden_borders {
        assign_steps(operations, &explicit_steps, |before, operation| {
            !is_in_order(before, operation)
        });
    }
}

/// The effect of a step on a file.
#[derive(Clone, Copy, PartialEq)]
enum StepEffect {
    Created,
    Modified,
    Deleted,
}

/// Assigns a step to each operation. `told` contains the explicit step of each operation, and
/// `is_border` returns whether a step ends between two operations. Returns whether a file occurs
/// again between two explicit borders.
fn assign_steps(
    operations: &mut [Operation],
    explicit_steps: &[usize],
    is_border: impl Fn(&Operation, &Operation) -> bool,
) -> bool {
    let mut steps = Vec::with_capacity(operations.len());
    let mut touched: HashMap<&[u8], StepEffect> = HashMap::with_capacity(operations.len());
    let (mut step, mut has_hidden) = (0, false);
    for (index, operation) in operations.iter().enumerate() {
        let is_repeated = record_files(operation, &mut touched);
        let is_explicit_border = index > 0 && explicit_steps[index - 1] != explicit_steps[index];
        has_hidden |= is_repeated && !is_explicit_border;
        if is_repeated
            || is_explicit_border
            || (index > 0 && is_border(&operations[index - 1], operation))
        {
            step += 1;
            // `HashMap::clear` would take time proportional to the capacity of the map at every
            // border.
            touched = HashMap::new();
            record_files(operation, &mut touched);
        }
        steps.push(step);
    }
    for (operation, step) in operations.iter_mut().zip(steps) {
        operation.step = step;
    }
    has_hidden
}

/// Records the files of an operation. Returns whether a file occurs again in a way that one diff of
/// two trees cannot contain.
fn record_files<'o>(operation: &'o Operation, touched: &mut HashMap<&'o [u8], StepEffect>) -> bool {
    // One diff can rename `a` to `b` and `b` to `a`, because both sources are in the old tree. It
    // cannot modify a file and also rename it away.
    let mut is_moved_again = false;
    if let (Action::Rename, Some(from)) = (operation.action, &operation.from) {
        is_moved_again = *touched
            .entry(from.as_bytes())
            .or_insert(StepEffect::Deleted)
            == StepEffect::Modified;
    }
    let mark = match operation.action {
        Action::Create | Action::Rename | Action::Copy => StepEffect::Created,
        Action::Modify => StepEffect::Modified,
        Action::Delete | Action::RemoveCopy => StepEffect::Deleted,
    };
    // After a deletion, the same diff can only create the file again, with another type.
    let is_changed_again = match touched.insert(operation.path.as_bytes(), mark) {
        Some(StepEffect::Deleted) => !is_creation(operation),
        Some(StepEffect::Created | StepEffect::Modified) => true,
        None => false,
    };
    is_moved_again || is_changed_again
}

fn is_creation(operation: &Operation) -> bool {
    matches!(
        operation.action,
        Action::Create | Action::Rename | Action::Copy
    )
}

/// Returns whether git can write `operation` directly after `before` in one diff. A change of the
/// file type is a deletion and a creation with the same name.
fn is_in_order(before: &Operation, operation: &Operation) -> bool {
    let is_change_of_type = before.action == Action::Delete && operation.action == Action::Create;
    let (first, second) = (sort_name(before), sort_name(operation));
    match operation.direction {
        _ if first == second => is_change_of_type,
        Direction::Forward => first < second,
        Direction::Reverse => first > second,
    }
}

/// Returns the name on the `+++` line of the patch. git sorts a renamed file by this name.
fn sort_name(operation: &Operation) -> &RelPath {
    match (operation.direction, operation.action, &operation.from) {
        (Direction::Reverse, Action::Rename, Some(from)) => from,
        _ => &operation.path,
    }
}
