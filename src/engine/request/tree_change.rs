//! The request to bring files into new states: the result of an edit session or of a command.

use std::sync::Arc;

use crate::digest::Digest;
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, Edit, ExpectedFile, Input, Operation, Plan, Precondition, put_file};
use crate::text::Bytes;

/// Files with their new states. A file that is not in its state before the change is `stale`.
///
/// A directory that the change leaves empty is removed, as for a patch. A directory cannot be the
/// new state of a path.
#[derive(Clone, Debug)]
pub struct TreeChange {
    /// The name of the command in the report.
    pub command: &'static str,
    /// The files, each path at most once.
    pub files: Vec<TargetFile>,
}

/// A file before and after the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFile {
    /// The path after the change. For a deletion, the path of the deleted file.
    pub path: RelPath,
    /// The path from which the file moves, if it moves. `before` is the file at this path. No file
    /// may exist at `path`, unless another item deletes or moves it.
    pub from: Option<RelPath>,
    /// The file before the change; `None` if no file exists.
    pub before: Option<ExpectedFile>,
    /// The file after the change; `None` to delete it.
    pub after: Option<TargetState>,
}

/// The new state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetState {
    /// The type of the file, and whether it is executable. It must not be [`FileMode::Submodule`].
    pub mode: FileMode,
    /// The permission bits of a regular file (0o7777). Without them, an existing file keeps its
    /// bits except for the execute bits, and a new file gets the usual bits.
    pub permissions: Option<u32>,
    /// The content, or the target of a symbolic link; `None` to keep the content.
    pub content: Option<Arc<Bytes>>,
}

impl TreeChange {
    /// Returns the plan of the change. Files that do not change have no operation.
    pub(in crate::engine) fn into_plan(self) -> Plan {
        let input = Input {
            name: self.command.to_owned(),
            sections: self.files.len(),
            ..Input::default()
        };
        let mut operations: Vec<_> = self
            .files
            .into_iter()
            .flat_map(TargetFile::into_operations)
            .collect();
        for (number, operation) in operations.iter_mut().enumerate() {
            operation.number = number;
        }
        Plan {
            inputs: vec![input],
            operations,
        }
    }
}

impl TargetFile {
    fn into_operations(self) -> Vec<Operation> {
        let guard = self
            .before
            .map_or(Precondition::Absent, Precondition::Contents);
        let old_mode = self
            .before
            .map(|before| FileMode::of(before.kind, before.permissions));
        let plain = Operation {
            guard: Some(Box::new(guard)),
            old_mode,
            ..Operation::new(Action::Delete, self.path)
        };
        let Some(after) = self.after else {
            return Vec::from_iter(self.before.map(|_| plain));
        };
        let result = Operation {
            edit: edit_of(&after, self.before),
            new_mode: Some(after.mode),
            permissions: after.permissions,
            ..plain
        };
        let is_kept = matches!(result.edit, Edit::Keep);
        match (self.from, self.before) {
            (Some(from), Some(_)) if from != result.path => vec![Operation {
                action: Action::Rename,
                from: Some(from),
                ..result
            }],
            (_, Some(before)) if is_kept && !is_mode_changed(before, &after) => Vec::new(),
            (_, before) => {
                let mut operations = put_file(result, before.map(|before| before.kind));
                if let [only] = &mut operations[..] {
                    only.old_mode = old_mode;
                }
                operations
            }
        }
    }
}

/// Returns the change of the content from `before` to `after`.
fn edit_of(after: &TargetState, before: Option<ExpectedFile>) -> Edit {
    let is_same = |content: &Bytes| {
        before.is_some_and(|before| {
            before.kind == after.mode.kind() && before.digest == Digest::of(content)
        })
    };
    match &after.content {
        Some(content) if !is_same(content) => Edit::Whole(Arc::clone(content)),
        _ => Edit::Keep,
    }
}

fn is_mode_changed(before: ExpectedFile, after: &TargetState) -> bool {
    let is_other_mode =
        before.permissions.is_some() && FileMode::of(before.kind, before.permissions) != after.mode;
    is_other_mode
        || before.kind != after.mode.kind()
        || after.permissions.is_some() && after.permissions != before.permissions
}
