//! The mode of a new file, and its representation in git.

use super::overlay::Node;
use crate::mode::{FileKind, FileMode, Permissions, with_execution};
use crate::plan::{Action, Operation};

/// Returns the file whose mode, owner and attributes the result keeps.
pub(super) fn attribute_source<'n>(
    operation: &Operation,
    before: Option<&'n Node>,
    replaced: Option<&'n Node>,
) -> Option<&'n Node> {
    if operation.action == Action::Copy {
        replaced
    } else {
        replaced.or(before)
    }
}

/// Returns the permissions of the result. An existing file keeps its permission bits, except for
/// the execute bits that the patch sets or clears.
pub(super) fn permissions(
    operation: &Operation,
    before: Option<&Node>,
    replaced: Option<&Node>,
) -> Permissions {
    let wanted = mode_to_set(operation).map(|mode| mode == FileMode::Executable);
    let new = |like: Option<&Node>| Permissions::New {
        executable: wanted.unwrap_or(like.is_some_and(is_executable)),
    };
    let kept = attribute_source(operation, before, replaced);
    kept.map_or_else(
        || new(before),
        |node| set_execution(node.permissions, wanted),
    )
}

/// Returns the mode that the operation sets. An `index` line states the same mode for both sides.
/// Such a mode is not a change, so a file whose mode has changed since keeps its mode.
fn mode_to_set(operation: &Operation) -> Option<FileMode> {
    operation
        .new_mode
        .filter(|mode| operation.old_mode != Some(*mode))
}

/// Returns whether the file has the type and the execute bit that the operation states, if it
/// states any.
pub(super) fn has_stated_mode(operation: &Operation, node: &Node) -> bool {
    let is_kind = operation
        .new_mode
        .is_none_or(|mode| mode.kind() == git_mode(node).kind());
    is_kind && mode_to_set(operation).is_none_or(|mode| mode == git_mode(node))
}

/// Returns `permissions` with the execute bits that `wanted` states, if any. The bits change only
/// if the bit of the owner differs, because git looks at this bit only.
fn set_execution(permissions: Permissions, wanted: Option<bool>) -> Permissions {
    match (permissions, wanted) {
        (Permissions::Exact(bits), Some(wanted)) if (bits & 0o100 != 0) != wanted => {
            Permissions::Exact(with_execution(bits, wanted))
        }
        (Permissions::New { .. }, Some(executable)) => Permissions::New { executable },
        _ => permissions,
    }
}

fn is_executable(node: &Node) -> bool {
    match node.permissions {
        Permissions::Exact(bits) => bits & 0o100 != 0,
        Permissions::New { executable } => executable,
    }
}

/// Returns the mode that git has for the file. The only directories in a diff are submodules.
pub(super) fn git_mode(node: &Node) -> FileMode {
    match node.kind {
        FileKind::Symlink => FileMode::Symlink,
        FileKind::Directory => FileMode::Submodule,
        FileKind::Regular | FileKind::Special if is_executable(node) => FileMode::Executable,
        FileKind::Regular | FileKind::Special => FileMode::Regular,
    }
}
