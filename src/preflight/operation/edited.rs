//! Computes the file that results from an operation.

use super::GroupExecutor;
use crate::mode::{FileKind, FileMode, Permissions};
use crate::plan::{Action, Edit, Operation};
use crate::preflight::bases::NoMergeReason;
use crate::preflight::converter::Converter;
use crate::preflight::edit_result::EditResult;
use crate::preflight::findings::Findings;
use crate::preflight::modes::{attribute_source, permissions};
use crate::preflight::overlay::Node;
use crate::preflight::three_way::{self, MergeAttempt};
use crate::preflight::{checks, edit, lines, replace};
use crate::text::Contents;
use crate::workspace::WorkspaceError;

impl GroupExecutor<'_> {
    /// Returns the result of the operation at `index` on `before`; `None` if it fails.
    pub(super) fn edit_node(
        &mut self,
        index: usize,
        before: Option<&Node>,
        replaced: Option<&Node>,
        findings: &mut Findings,
    ) -> Result<Option<Node>, WorkspaceError> {
        let operation = &self.plan.operations[index];
        let converter = Converter::new(self.plan, operation, self.options);
        let in_repository = before.map(|node| converter.preimage(node, findings));
        if matches!(in_repository, Some(None)) {
            return Ok(None);
        }
        let in_repository = in_repository.flatten();
        let preimage = in_repository
            .as_ref()
            .map(|node| node.bytes.clone())
            .unwrap_or_default();
        // Edits of numbered lines need `numbered`, the files from which lines are moved.
        let edited = if let Edit::Lines(changes) = &operation.edit {
            lines::postimage(
                operation,
                changes,
                preimage.whole(),
                &mut self.numbered,
                self.options,
                findings,
            )
        } else {
            let repaired = replace::repair_operation(index, operation, &preimage, self.options);
            let operation = repaired.as_ref().unwrap_or(operation);
            self.merge_or_edit(operation, in_repository.as_ref(), &preimage, findings)?
        };
        let Some(edited) = edited else {
            return Ok(None);
        };
        let node = edited_node(operation, (before, replaced), edited, preimage);
        let Some(node) = converter.postimage(node, before, findings) else {
            return Ok(None);
        };
        // The result of a deletion is not written, so no limit applies to it.
        let is_kept = matches!(operation.action, Action::Delete | Action::RemoveCopy);
        let unchanged = before.filter(|_| operation.action != Action::Copy);
        let is_storable = is_kept
            || checks::is_storable(&node, self.options.max_write(), findings)
                && checks::can_create(&node, unchanged, self.overlay.workspace, findings);
        Ok(is_storable.then_some(node))
    }

    /// Returns the result of the operation on `preimage`, by a three-way merge if one is requested.
    fn merge_or_edit(
        &self,
        operation: &Operation,
        before: Option<&Node>,
        preimage: &Contents,
        findings: &mut Findings,
    ) -> Result<Option<EditResult>, WorkspaceError> {
        let text = self.plan.text(operation);
        let attempt = three_way::attempt(operation, text, before, self.options, findings)?;
        let fallback = match attempt {
            MergeAttempt::Unmergeable => Some(NoMergeReason::Unmergeable),
            MergeAttempt::NoBase => Some(NoMergeReason::NoBase),
            MergeAttempt::Merged(_) | MergeAttempt::Refused | MergeAttempt::NotNeeded => None,
        };
        findings.outcome.no_merge_reason = fallback;
        Ok(match (attempt, before) {
            (MergeAttempt::Merged(bytes), _) => Some(EditResult::Changed(bytes.into())),
            (MergeAttempt::Refused, _) => None,
            (_, Some(rival)) if operation.action == Action::Create => {
                three_way::refuse_unmergeable_file(operation, text, rival, findings);
                None
            }
            (MergeAttempt::NotNeeded | MergeAttempt::Unmergeable | MergeAttempt::NoBase, _) => {
                let edited = edit::postimage(operation, text, preimage, self.options, findings);
                if edited.is_none() && fallback == Some(NoMergeReason::NoBase) {
                    three_way::warn_missing_base(operation, self.options, findings);
                }
                edited
            }
        })
    }
}

/// Returns the file with the result `edited` of `preimage`. Its attributes are those of `before`,
/// or those of the file that it replaces.
fn edited_node(
    operation: &Operation,
    (before, replaced): (Option<&Node>, Option<&Node>),
    edited: EditResult,
    preimage: Contents,
) -> Node {
    let unchanged = before.filter(|_| matches!(edited, EditResult::Same));
    Node {
        kind: operation.new_mode.map_or(
            before.map_or(FileKind::Regular, |node| node.kind),
            FileMode::kind,
        ),
        permissions: operation.permissions.map_or_else(
            || permissions(operation, before, replaced),
            Permissions::Exact,
        ),
        bytes: match edited {
            EditResult::Changed(bytes) => bytes,
            EditResult::Same => preimage,
        },
        in_repository: None,
        like: attribute_source(operation, before, replaced).and_then(|node| node.like.clone()),
        origin: unchanged.and_then(|node| node.origin.clone()),
        restored: unchanged.and_then(|node| node.restored.clone()),
    }
}
