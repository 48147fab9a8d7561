//! Operations that do not come from a patch, and the states of files that they require.

use super::{Action, Direction, Edit, Operation};
use crate::digest::Digest;
use crate::mode::{FileKind, FileMode};
use crate::text::Span;

/// The required state of the path of an operation. In any other state, another program has changed
/// the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Precondition {
    /// No file and no symbolic link. A directory is allowed.
    Absent,
    /// This file or symbolic link.
    Contents(ExpectedFile),
    /// Any state. The operation may replace any existing file.
    Any,
}

/// The file or symbolic link that must be at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedFile {
    /// Regular file or symbolic link.
    pub kind: FileKind,
    /// Digest of the content, or of the target of a symbolic link.
    pub digest: Digest,
    /// The permission bits of a regular file (0o7777); `None` to accept any.
    pub permissions: Option<u32>,
}

impl<P> Operation<P> {
    /// Returns an operation without conditions that changes nothing, for a plan that does not come
    /// from a patch.
    #[must_use]
    pub fn new(action: Action, path: P) -> Self {
        Self {
            action,
            path,
            from: None,
            edit: Edit::Keep,
            old_mode: None,
            new_mode: None,
            blobs: None,
            expected: None,
            input: 0,
            number: 0,
            left_out: Box::default(),
            span: Span::default(),
            step: 0,
            part: 0,
            direction: Direction::Forward,
            distinguishes_missing: true,
            guard: None,
            permissions: None,
            preamble: None,
        }
    }
}

/// Returns the operations that put the file of `result` at its path. `existing` is the type of the
/// file that the guard of `result` requires there, if any. A file of another type is deleted first.
#[must_use]
pub fn put_file(result: Operation, existing: Option<FileKind>) -> Vec<Operation> {
    let kind = result.new_mode.map(FileMode::kind);
    match existing {
        Some(existing) if Some(existing) == kind => vec![Operation {
            action: Action::Modify,
            old_mode: result.new_mode,
            ..result
        }],
        None => vec![Operation {
            action: Action::Create,
            ..result
        }],
        Some(existing) => {
            let removal = Operation {
                input: result.input,
                number: result.number,
                step: result.step,
                part: result.part,
                old_mode: Some(FileMode::of(existing, None)),
                guard: result.guard.clone(),
                ..Operation::new(Action::Delete, result.path.clone())
            };
            // The deletion checks the guard. The creation follows it and finds no file.
            let guard = Some(Box::new(Precondition::Any));
            vec![
                removal,
                Operation {
                    action: Action::Create,
                    guard,
                    ..result
                },
            ]
        }
    }
}
