//! The existing files that an operation depends on: its preimage, obstacles at its path, and the
//! file that it replaces.

use super::GroupExecutor;
use crate::digest::Digest;
use crate::mode::{FileKind, FileMode, Permissions};
use crate::path::RelPath;
use crate::plan::{Action, Edit, ExpectedFile, Operation, Precondition, Restore};
use crate::preflight::checks::{self, CreationCheck};
use crate::preflight::codes::code;
use crate::preflight::findings::Findings;
use crate::preflight::overlay::{Node, PathState};
use crate::syntax::{Syntax, find_syntax};
use crate::workspace::WorkspaceError;

impl GroupExecutor<'_> {
    /// Returns whether the existing file satisfies the guard of the operation, and reports it if
    /// not. Plans that do not come from a patch have guards.
    pub(super) fn is_precondition_met(
        &mut self,
        operation: &Operation,
        findings: &mut Findings,
    ) -> Result<bool, WorkspaceError> {
        let Some(&guard) = operation.guard.as_deref() else {
            return Ok(true);
        };
        let path = operation.from.as_ref().unwrap_or(&operation.path);
        let seen = self.overlay.base(path, operation.step)?;
        let is_right = match guard {
            Precondition::Any => true,
            // A directory must be empty or become empty. A later check of the new file verifies it.
            Precondition::Absent => match &seen {
                PathState::Node(node) => node.kind == FileKind::Directory,
                // The undone change may have created a link above the path. The plan then removes
                // the link. Other checks report a link that stays.
                seen => matches!(
                    seen,
                    PathState::Nothing | PathState::BelowFile(_) | PathState::ThroughLink(_)
                ),
            },
            Precondition::Contents(file) => {
                matches!(&seen, PathState::Node(node) if is_expected(node, file))
            }
        };
        if !is_right {
            checks::report_unmet(path, &seen, self.options.unmet_precondition, findings);
        }
        Ok(is_right)
    }

    /// Returns the old file from the history. If the history no longer contains the file unchanged,
    /// reports a conflict.
    pub(super) fn find_restored(
        &self,
        operation: &Operation,
        restore: &Restore,
        findings: &mut Findings,
    ) -> Result<Option<Node>, WorkspaceError> {
        match self.overlay.load_from_history(&restore.from)? {
            Some(node)
                if node.kind == restore.kind && Digest::of(&node.bytes) == restore.digest =>
            {
                let permissions = operation
                    .permissions
                    .map_or(node.permissions, Permissions::Exact);
                Ok(Some(Node {
                    permissions,
                    ..node
                }))
            }
            found => {
                let why = if found.is_some() {
                    "was modified"
                } else {
                    "is missing"
                };
                let message = format!("the previous version of the file in the history {why}");
                findings.error(&code::CONFLICT, message).path = Some(operation.path.clone());
                Ok(None)
            }
        }
    }

    /// Returns the existing file or link that the operation replaces with a created, renamed or
    /// copied file. The existing mode and owner are kept unless the patch states a mode.
    pub(super) fn find_replaced(
        &mut self,
        operation: &Operation,
    ) -> Result<Option<Node>, WorkspaceError> {
        if !operation.has_new_path()
            || operation.from.as_ref() == Some(&operation.path)
            || !self.may_replace(operation)?
        {
            return Ok(None);
        }
        Ok(
            match self.overlay.current(&operation.path, operation.step)? {
                PathState::Node(node) if node.kind != FileKind::Directory => Some(node),
                _ => None,
            },
        )
    }

    /// Returns whether the operation may replace an existing file that the plan does not remove.
    fn may_replace(&self, operation: &Operation) -> Result<bool, WorkspaceError> {
        match &self.options.three_way {
            _ if self.options.overwrite => Ok(true),
            Some(three_way) => three_way.can_replace_target(operation, self.options.max_read()),
            None => Ok(false),
        }
    }

    /// Returns the existing file or link at the path of a create operation, if both can be merged.
    pub(super) fn find_merge_target(
        &mut self,
        operation: &Operation,
    ) -> Result<Option<Node>, WorkspaceError> {
        let (path, step) = (&operation.path, operation.step);
        let may_merge = self.options.three_way.is_some() && !self.options.overwrite;
        let kind = operation.new_mode.map_or(FileKind::Regular, FileMode::kind);
        let may_merge = may_merge && matches!(kind, FileKind::Regular | FileKind::Symlink);
        if !may_merge
            || operation.action != Action::Create
            || self.removed_in_step.contains(&(step, path))
        {
            return Ok(None);
        }
        Ok(match self.overlay.current(path, step)? {
            PathState::Node(node) if node.kind == kind => Some(node),
            _ => None,
        })
    }

    pub(super) fn is_missing(&mut self, operation: &Operation) -> Result<bool, WorkspaceError> {
        Ok(matches!(
            self.overlay.current(&operation.path, operation.step)?,
            PathState::Nothing | PathState::BelowFile(_)
        ))
    }

    /// Returns the preimage of the operation, if it has the required type.
    pub(super) fn find_preimage(
        &mut self,
        operation: &Operation,
        findings: &mut Findings,
    ) -> Result<Option<Node>, WorkspaceError> {
        let (path, step) = (
            operation.from.as_ref().unwrap_or(&operation.path),
            operation.step,
        );
        // git reads the source of a rename or copy as it was before the patch. The other operations
        // also see the earlier operations of the same patch.
        let seen = match operation.action {
            Action::Create | Action::Modify | Action::Delete | Action::RemoveCopy => {
                self.overlay.current(&operation.path, step)?
            }
            Action::Rename | Action::Copy => match self.overlay.base(path, step)? {
                node @ PathState::Node(_) => node,
                _ => self.overlay.current(path, step)?,
            },
        };
        let path = if operation.action == Action::RemoveCopy {
            &operation.path
        } else {
            path
        };
        let Some(node) = checks::require_file(path, seen, findings) else {
            return Ok(None);
        };
        let is_right = checks::is_right_type(operation, path, &node, &self.overlay, findings)?;
        Ok(is_right.then_some(node))
    }

    /// Returns whether a file can be created at the path of the operation at `index`, and reports
    /// the obstacle if not. Later operations of the same patch may remove the entries above or
    /// below the path, because git removes files before it writes files (`write_out_results` in
    /// git's apply.c).
    pub(super) fn can_create(
        &mut self,
        index: usize,
        findings: &mut Findings,
    ) -> Result<bool, WorkspaceError> {
        let operation = &self.plan.operations[index];
        let path = &operation.path;
        let seen = self.overlay.current(path, operation.step)?;
        let going = &self.removed_in_step;
        let overlay = &self.overlay;
        let is_going = |path: &RelPath| {
            overlay.is_gone(path) || going.contains(&(operation.step, overlay.stored_name(path)))
        };
        let leaves_later = |path: &RelPath| {
            self.last_removals
                .get(&(operation.part, path))
                .is_some_and(|&last| last > index)
        };
        let gives_way = |path: &RelPath| is_going(path) || leaves_later(path);
        let room = CreationCheck {
            overlay,
            is_removed: &gives_way,
        };
        match &seen {
            PathState::Nothing => Ok(room.is_free_above(path, findings)),
            PathState::ThroughLink(at) | PathState::BelowFile(at) if gives_way(at) => {
                Ok(room.is_free_above(path, findings))
            }
            PathState::Node(node) if node.kind == FileKind::Directory => {
                if !self.can_replace_directory(operation) && overlay.is_empty_directory(path)? {
                    checks::refuse_kind(path, node.kind, FileKind::Regular, findings);
                    return Ok(false);
                }
                room.is_emptied(path, findings)
            }
            PathState::Node(_) | PathState::TooLarge { .. } => {
                let is_itself = operation.from.as_ref() == Some(path);
                let may = is_itself
                    || is_going(path)
                    || is_backup(operation)
                    || self.may_replace(operation)?;
                if !may {
                    checks::report_existing(operation, &seen, self.plan.text(operation), findings);
                    self.add_stored_name(path, findings);
                }
                Ok(may && (is_itself || checks::require_file(path, seen, findings).is_some()))
            }
            PathState::ThroughLink(_) | PathState::BelowFile(_) | PathState::Special => {
                checks::refuse_blocked(path, &seen, findings);
                Ok(false)
            }
        }
    }
}

impl GroupExecutor<'_> {
    /// Returns whether the file of the operation may replace an empty directory. `git apply`
    /// removes the directory if a patch creates a file there; GNU patch refuses the file.
    fn can_replace_directory(&self, operation: &Operation) -> bool {
        let formats = &self.plan.inputs[operation.input].formats;
        let is_read_by_git = formats
            .iter()
            .all(|name| find_syntax(name).is_some_and(Syntax::is_read_by_git));
        let is_of_git = !formats.is_empty() && is_read_by_git && !self.options.rules.is_gnu;
        operation.guard.is_some() || is_of_git
    }

    /// Adds the spelling on disk of `path` to the last problem, if the spelling differs.
    fn add_stored_name(&self, path: &RelPath, findings: &mut Findings) {
        let stored = self.overlay.stored_name(path);
        if let Some(problem) = findings.problems.last_mut().filter(|_| stored != path) {
            problem.message = format!("{}; its name on disk is {stored}", problem.message);
        }
    }
}

/// Returns whether the operation writes a backup, which replaces an earlier one.
fn is_backup(operation: &Operation) -> bool {
    let is_written = match operation.action {
        Action::Copy => true,
        Action::Create => matches!(operation.edit, Edit::Keep),
        _ => false,
    };
    is_written && operation.guard.as_deref() == Some(&Precondition::Any)
}

fn is_expected(node: &Node, file: ExpectedFile) -> bool {
    node.kind == file.kind
        && Digest::of(&node.bytes) == file.digest
        && file
            .permissions
            .is_none_or(|bits| node.permissions == Permissions::Exact(bits))
}
