//! Maps the parsed patch to operations on this tree: strip level, directory, filters, direction.

use super::strip_level::OutsideRoot;
use super::{
    Action, BlobIds, Direction, Edit, ExcludedItem, HunkSelectionError, InvalidOperation,
    InvalidOperationKind, Name, NameError, Operation, Plan, Selection, only, retarget, steps,
    strip_level,
};
use crate::path::{PathError, RelPath};

/// The result of the selection.
#[derive(Clone, Debug)]
pub struct Selected {
    /// The selected operations, in execution order.
    pub plan: Plan<RelPath>,
    /// The operations that cannot apply to any tree.
    pub rejections: Vec<InvalidOperation>,
    /// The files that were skipped, each with the source of its rename or copy.
    pub skipped: Vec<(Option<RelPath>, RelPath)>,
    /// The skipped files outside the root. The names are relative to the top of the repository.
    pub outside: Vec<RelPath>,
    /// The files and hunks that [`Selection::only`] leaves out, or the error in its list.
    pub left_out: Result<Vec<ExcludedItem>, HunkSelectionError>,
}

/// Strips the names, applies the filters, and reverses the plan if the direction is reverse.
#[must_use]
pub fn select(mut plan: Plan<Name>, selection: &Selection) -> Selected {
    // The names of the patch show its strip level, so the level is guessed before `--file` replaces
    // them.
    retarget::relax(&mut plan, selection);
    strip_level::guess_strip_level(&mut plan, selection);
    let retargeted = selection.file.as_ref().map_or(Ok(()), |file| {
        retarget::retarget(&mut plan, file, selection)
    });
    retarget::make_relative(&mut plan, selection);
    let mut selected = Selected {
        plan: Plan {
            inputs: plan.inputs,
            operations: Vec::with_capacity(plan.operations.len()),
        },
        rejections: Vec::new(),
        skipped: Vec::new(),
        outside: Vec::new(),
        left_out: Ok(Vec::new()),
    };
    if let Err(rejection) = retargeted {
        selected.rejections.push(rejection);
        return selected;
    }
    for operation in plan.operations {
        match select_operation(operation, selection) {
            Ok(operation) => selected.plan.operations.push(operation),
            Err(SkipReason::Skipped(from, path)) => selected.skipped.push((from, path)),
            Err(SkipReason::Outside(path)) => {
                selected.skipped.push((None, path.clone()));
                selected.outside.push(path);
            }
            Err(SkipReason::Rejected(rejection)) => selected.rejections.push(*rejection),
        }
    }
    if selection.direction == Direction::Reverse {
        selected.plan.operations.reverse();
    }
    steps::number_steps(&mut selected.plan.operations);
    // The numbers are assigned before `--only` removes operations, so they are the same with and
    // without it.
    for (number, operation) in selected.plan.operations.iter_mut().enumerate() {
        operation.number = number;
    }
    if let Some(only) = &selection.only {
        selected.left_out = only::keep_selected(&mut selected.plan, only);
    }
    // `--expect-hash` needs exactly one file after `--only`.
    let expected = selection.expected.map_or(Ok(()), |digest| {
        retarget::require_digest(&mut selected.plan.operations, digest)
    });
    selected.rejections.extend(expected.err());
    selected
}

/// The reasons to drop an operation.
enum SkipReason {
    /// A filter excludes the file. The fields are the source of a rename or copy, and the path.
    Skipped(Option<RelPath>, RelPath),
    /// The file is outside the root.
    Outside(RelPath),
    Rejected(Box<InvalidOperation>),
}

/// Resolves and filters one operation.
fn select_operation(
    operation: Operation<Name>,
    selection: &Selection,
) -> Result<Operation, SkipReason> {
    let (input, span) = (operation.input, operation.path.span());
    let rejected = |kind, name| {
        SkipReason::Rejected(Box::new(InvalidOperation {
            input,
            span,
            name,
            kind,
        }))
    };
    let name_base = strip_level::NameBase::of(&operation, selection);
    let operation =
        resolve_names(operation, selection).map_err(|(kind, name)| rejected(kind, name))?;
    if !selection.is_selected(&name_base.repository_path(&operation.path)) {
        return Err(SkipReason::Skipped(operation.from, operation.path));
    }
    name_base
        .make_relative(operation)
        .map_err(|left| match left {
            OutsideRoot::Outside(path) => SkipReason::Outside(path),
            OutsideRoot::SourceOutside(name) => {
                rejected(NameError::from(PathError::Outside).into(), Some(name))
            }
        })
}

/// Resolves the names of an operation. An error includes the name that caused it.
fn resolve_names(
    operation: Operation<Name>,
    selection: &Selection,
) -> Result<Operation<RelPath>, (InvalidOperationKind, Option<Vec<u8>>)> {
    let resolve = |name: &Name| {
        let with_name = |error: NameError| {
            (
                error.into(),
                name.name_at_level(selection.strip_level())
                    .ok()
                    .map(<[u8]>::to_vec),
            )
        };
        name.resolve(selection.strip_level(), &selection.directory)
            .map_err(with_name)
    };
    let operation = Operation {
        action: operation.action,
        path: resolve(&operation.path)?,
        from: operation.from.as_ref().map(resolve).transpose()?,
        edit: operation.edit,
        old_mode: operation.old_mode,
        new_mode: operation.new_mode,
        blobs: operation.blobs,
        expected: operation.expected,
        input: operation.input,
        number: operation.number,
        left_out: operation.left_out,
        span: operation.span,
        step: operation.step,
        part: operation.part,
        direction: selection.direction.combine(operation.direction),
        distinguishes_missing: operation.distinguishes_missing,
        guard: operation.guard,
        permissions: operation.permissions,
        preamble: operation.preamble,
    };
    let operation = simplify_rename(operation);
    match operation.direction {
        Direction::Forward => Ok(operation),
        Direction::Reverse => reverse_operation(operation).map_err(|kind| (kind, None)),
    }
}

/// Turns a rename of a file to its own path into a modification.
fn simplify_rename(mut operation: Operation<RelPath>) -> Operation<RelPath> {
    if operation.action == Action::Rename && operation.from.as_ref() == Some(&operation.path) {
        (operation.action, operation.from) = (Action::Modify, None);
    }
    operation
}

/// Reverses an operation. The reverse of a copy deletes the copy. The reverse of a deletion
/// restores the file with its type and mode.
fn reverse_operation(
    mut operation: Operation<RelPath>,
) -> Result<Operation<RelPath>, InvalidOperationKind> {
    if !operation.edit.is_reversible() || operation.expected.is_some() {
        return Err(InvalidOperationKind::Irreversible);
    }
    operation.action = match operation.action {
        Action::Create => Action::Delete,
        Action::Delete if is_without_preimage(&operation) => {
            return Err(InvalidOperationKind::Irreversible);
        }
        Action::Delete => Action::Create,
        Action::Modify => Action::Modify,
        Action::Rename => {
            if let Some(from) = operation.from.as_mut() {
                std::mem::swap(from, &mut operation.path);
            }
            Action::Rename
        }
        Action::Copy => Action::RemoveCopy,
        Action::RemoveCopy => Action::Copy,
    };
    // If the patch states only the old mode, the mode does not change. It then holds for both
    // directions.
    if operation.new_mode.is_some() || operation.action == Action::Create {
        std::mem::swap(&mut operation.old_mode, &mut operation.new_mode);
    }
    if let Some(blobs) = &mut operation.blobs {
        let BlobIds { old, new } = &mut **blobs;
        std::mem::swap(old, new);
    }
    Ok(operation)
}

/// Returns whether a deletion states neither the content nor the mode of the deleted file.
fn is_without_preimage(operation: &Operation<RelPath>) -> bool {
    matches!(operation.edit, Edit::Keep) && operation.old_mode.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{NameCandidate, StripRule};
    use crate::text::Span;

    fn operation(action: Action, path: &str, from: Option<&str>) -> Operation<Name> {
        let name = |path: &str| {
            let bytes = path.as_bytes().to_vec();
            Name::Agreed(vec![NameCandidate {
                bytes,
                strip: StripRule::Literal,
                span: Span::default(),
            }])
        };
        Operation {
            from: from.map(name),
            ..Operation::new(action, name(path))
        }
    }

    fn steps(operations: Vec<Operation<Name>>) -> Vec<usize> {
        let plan = Plan {
            inputs: Vec::new(),
            operations,
        };
        select(plan, &Selection::default())
            .plan
            .operations
            .iter()
            .map(|operation| operation.step)
            .collect()
    }

    #[test]
    fn renames_that_cross_are_one_step() {
        let crossed = vec![
            operation(Action::Rename, "b", Some("a")),
            operation(Action::Rename, "a", Some("b")),
        ];
        assert_eq!(steps(crossed), [0, 0]);
    }

    #[test]
    fn a_file_that_comes_again_begins_a_step() {
        let twice = vec![
            operation(Action::Create, "a", None),
            operation(Action::Modify, "a", None),
            operation(Action::Rename, "b", Some("a")),
        ];
        assert_eq!(steps(twice), [0, 1, 2]);
    }

    #[test]
    fn a_change_of_type_is_one_step() {
        let retyped = vec![
            operation(Action::Delete, "a", None),
            operation(Action::Create, "a", None),
        ];
        assert_eq!(steps(retyped), [0, 0]);
    }

    #[test]
    fn a_deletion_without_contents_cannot_be_reversed() {
        let plan = Plan {
            inputs: Vec::new(),
            operations: vec![operation(Action::Delete, "a", None)],
        };
        let selection = Selection {
            direction: Direction::Reverse,
            ..Selection::default()
        };
        let kinds: Vec<_> = select(plan, &selection)
            .rejections
            .iter()
            .map(|rejection| rejection.kind)
            .collect();
        assert_eq!(kinds, [InvalidOperationKind::Irreversible]);
    }
}
