//! Which mode a new file gets, and how git writes it.

use super::overlay::Node;
use crate::mode::{FileKind, FileMode, Permissions, with_execution};
use crate::plan::{Action, Operation};

/// Returns the file whose mode, owner and attributes the new one keeps.
pub(super) fn kept<'n>(
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

pub(super) fn permissions(
    operation: &Operation,
    before: Option<&Node>,
    replaced: Option<&Node>,
) -> Permissions {
    let wanted = changed(operation).map(|mode| mode == FileMode::Executable);
    let new = |like: Option<&Node>| Permissions::New {
        executable: wanted.unwrap_or(like.is_some_and(is_executable)),
    };
    let kept = kept(operation, before, replaced);
    kept.map_or_else(|| new(before), |node| executable(node.permissions, wanted))
}

/// Returns the mode that the operation gives to the file. One that it has before and after, as an
/// `index` line says it, is none: a file that has another one by now keeps it.
fn changed(operation: &Operation) -> Option<FileMode> {
    operation
        .new_mode
        .filter(|mode| operation.old_mode != Some(*mode))
}

/// Returns whether the file has the kind and the execute bit that the operation names, if it names
/// any.
pub(super) fn is_as_wanted(operation: &Operation, node: &Node) -> bool {
    let is_kind = operation
        .new_mode
        .is_none_or(|mode| mode.kind() == git_mode(node).kind());
    is_kind && changed(operation).is_none_or(|mode| mode == git_mode(node))
}

/// Changes the execute bits only where they say something else than `wanted`.
fn executable(permissions: Permissions, wanted: Option<bool>) -> Permissions {
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

pub(super) fn git_mode(node: &Node) -> FileMode {
    match node.kind {
        FileKind::Symlink => FileMode::Symlink,
        FileKind::Directory => FileMode::Submodule,
        FileKind::Regular | FileKind::Special if is_executable(node) => FileMode::Executable,
        FileKind::Regular | FileKind::Special => FileMode::Regular,
    }
}
