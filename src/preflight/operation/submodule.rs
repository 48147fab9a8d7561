//! Operations on submodules. In a work tree, a submodule is a directory.

use super::GroupExecutor;
use crate::mode::{FileKind, FileMode, Permissions};
use crate::plan::{Action, Edit, Operation};
use crate::preflight::edit;
use crate::preflight::findings::Findings;
use crate::preflight::overlay::{Node, PathState};
use crate::text::Contents;
use crate::workspace::WorkspaceError;

impl GroupExecutor<'_> {
    /// Performs the operation at `index`: creates an empty directory for a new submodule, and
    /// removes the directory of a deleted submodule if it is empty. Another commit of a submodule
    /// does not change its directory.
    pub(super) fn resolve_submodule(
        &mut self,
        index: usize,
        findings: &mut Findings,
    ) -> Result<(), WorkspaceError> {
        let operation = &self.plan.operations[index];
        let is_moved = operation.from.is_some();
        let mode = |mode: Option<FileMode>| mode.or(is_moved.then_some(FileMode::Submodule));
        findings.outcome.modes = (mode(operation.old_mode), mode(operation.new_mode));
        (findings.outcome.added, findings.outcome.removed) =
            edit::count_changes(operation, self.plan.text(operation));
        let leaves = operation.removed_path().filter(|_| {
            operation
                .old_mode
                .is_none_or(|mode| mode == FileMode::Submodule)
        });
        if let Some(path) = leaves {
            let is_directory = matches!(self.overlay.current(path, operation.step)?, PathState::Node(node) if node.kind == FileKind::Directory);
            if is_directory && self.overlay.list(path)?.is_empty() {
                self.overlay.remove(path, operation.step)?;
            }
        }
        if !operation.has_new_path() {
            return Ok(());
        }
        match self.overlay.current(&operation.path, operation.step)? {
            PathState::Node(node) if node.kind == FileKind::Directory => {
                self.overlay.put(&operation.path, operation.step, node)
            }
            _ if self.can_create(index, findings)? => {
                let node = Node {
                    kind: FileKind::Directory,
                    permissions: Permissions::New { executable: true },
                    bytes: Contents::default(),
                    in_repository: None,
                    like: None,
                    origin: None,
                    restored: None,
                };
                self.overlay.put(&operation.path, operation.step, node)
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the operation renames a submodule. git writes no mode if the commit stays
    /// the same. The tree then decides: the directory is empty, or it contains `.git` as a
    /// checked-out submodule does.
    pub(super) fn is_submodule_move(
        &mut self,
        operation: &Operation,
    ) -> Result<bool, WorkspaceError> {
        let says_no_more = matches!(operation.edit, Edit::Keep)
            && operation.old_mode.or(operation.new_mode).is_none();
        let source = if operation.action == Action::RemoveCopy {
            Some(&operation.path)
        } else {
            operation.from.as_ref()
        };
        let Some(source) = source.filter(|_| says_no_more) else {
            return Ok(false);
        };
        if !matches!(self.overlay.base(source, operation.step)?, PathState::Node(node) if node.kind == FileKind::Directory)
        {
            return Ok(false);
        }
        let inside = self.overlay.list(source)?;
        Ok(inside.is_empty() || inside.iter().any(|path| path.name() == b".git"))
    }
}
