//! The files for rejected hunks, and the checks of operations that depend on a skipped operation.

use std::collections::{HashMap, HashSet};

use super::GroupExecutor;
use crate::digest::Sha256;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::plan::Operation;
use crate::policy::Access;
use crate::preflight::findings::Findings;
use crate::preflight::modes::git_mode;
use crate::preflight::overlay::{Node, PathState};
use crate::preflight::{RejectTo, checks, code, reject};
use crate::text::{Contents, is_same_name};
use crate::workspace::WorkspaceError;

/// A file for rejected hunks.
#[derive(Default)]
pub(super) struct RejectFile {
    /// The text that was written to the file so far.
    text: Vec<u8>,
    /// The step of the last operation that wrote to the file.
    step: usize,
    /// Whether the overlay contains the whole text. The overlay is updated on demand, not after
    /// each operation.
    is_filled: bool,
}

impl GroupExecutor<'_> {
    /// Appends the rejected hunks of the operation to their file. As in git, the file replaces an
    /// existing one. Returns whether this is allowed.
    pub(super) fn put_rejects(
        &mut self,
        operation: &Operation,
        findings: &mut Findings,
    ) -> Result<bool, WorkspaceError> {
        let Some(rejects) = &mut findings.outcome.rejects else {
            return Ok(true);
        };
        let (Some(path), text) = (rejects.path.clone(), std::mem::take(&mut rejects.text)) else {
            return Ok(true);
        };
        let Some(seen) = self.reject_target(operation, &path, findings)? else {
            return Ok(false);
        };
        let known = match &seen {
            PathState::Node(node) => Some(node),
            _ => None,
        };
        let lost = known
            .filter(|_| !self.rejects.contains_key(&path))
            .map(|node| (git_mode(node), Sha256::of(&node.bytes)));
        let file = self.rejects.entry(path.clone()).or_default();
        file.text.extend_from_slice(&text);
        (file.step, file.is_filled) = (operation.step, false);
        if !checks::is_within_limit(file.text.len(), self.options.max_write(), findings) {
            return Ok(false);
        }
        if let Some(rejects) = findings
            .outcome
            .rejects
            .as_mut()
            .filter(|_| self.options.needs_digests())
        {
            rejects.replaced = lost;
        }
        // The text follows on demand. Storing it here would copy it again after each operation.
        self.overlay
            .put(&path, operation.step, empty_reject_file(known))?;
        Ok(true)
    }

    /// Returns the entry at `path` before the rejected hunks of the operation are written there: a
    /// file, a link or nothing. Returns `None` if they may not be written there.
    fn reject_target(
        &mut self,
        operation: &Operation,
        path: &RelPath,
        findings: &mut Findings,
    ) -> Result<Option<PathState>, WorkspaceError> {
        let is_named = self.named.contains(path);
        if is_named && matches!(self.options.reject_to, RejectTo::File(_)) {
            findings
                .error(
                    &code::USAGE,
                    "the rejected hunks cannot be written to a file that the patch changes",
                )
                .path = Some(path.clone());
            return Ok(None);
        }
        // An operation that moves the file reads its content at the start of the step. The overlay
        // must then contain the text of the earlier steps.
        if is_named
            && self
                .rejects
                .get(path)
                .is_some_and(|file| file.step != operation.step)
        {
            self.store_rejects(path)?;
        }
        let seen = self.overlay.current(path, operation.step)?;
        let access = match &seen {
            PathState::Nothing => Access::Create,
            PathState::Node(node) if node.kind != FileKind::Directory => Access::Modify,
            _ => {
                findings
                    .error(
                        &code::NOT_A_FILE,
                        "the rejected hunks cannot be written to this path",
                    )
                    .path = Some(path.clone());
                return Ok(None);
            }
        };
        let is_refused = reject::is_refused(path, access, self.options, findings);
        Ok((!is_refused).then_some(seen))
    }

    /// Stores the text so far in the overlay, if `path` is a file for rejected hunks.
    pub(super) fn store_rejects(&mut self, path: &RelPath) -> Result<(), WorkspaceError> {
        let Some(file) = self.rejects.get_mut(path).filter(|file| !file.is_filled) else {
            return Ok(());
        };
        file.is_filled = true;
        if let PathState::Node(node) = self.overlay.current(path, file.step)? {
            self.overlay.put(
                path,
                file.step,
                Node {
                    bytes: file.text.clone().into(),
                    in_repository: None,
                    ..node
                },
            )?;
        }
        Ok(())
    }

    /// Stores the text of all files for rejected hunks in the overlay, after all operations. Adds
    /// their digests to the findings.
    pub(in crate::preflight) fn store_all_rejects(
        &mut self,
        all: &mut [(usize, Findings)],
    ) -> Result<(), WorkspaceError> {
        let paths: Vec<_> = self.rejects.keys().cloned().collect();
        paths.iter().try_for_each(|path| self.store_rejects(path))?;
        if self.options.needs_digests() {
            let digests = self
                .rejects
                .iter()
                .map(|(path, file)| (path, Sha256::of(&file.text)));
            let digests: HashMap<_, _> = digests.collect();
            for rejects in all
                .iter_mut()
                .filter_map(|(_, findings)| findings.outcome.rejects.as_mut())
            {
                rejects.sha256 = rejects
                    .path
                    .as_ref()
                    .and_then(|path| digests.get(path).copied());
            }
        }
        Ok(())
    }

    /// Refuses an operation whose path is occupied, because a skipped operation should have removed
    /// the existing file.
    pub(in crate::preflight) fn check_dependent_rejects(&self, all: &mut [(usize, Findings)]) {
        if !self.options.reject {
            return;
        }
        // Only a skipped operation has failed without refusing the plan.
        let is_left = |findings: &Findings| findings.is_failed() && !findings.has_error();
        let left: HashSet<&RelPath> = all
            .iter()
            .filter(|(_, findings)| is_left(findings))
            .filter_map(|(index, _)| self.plan.operations[*index].removed_path())
            .collect();
        for (index, findings) in all.iter_mut().filter(|(_, findings)| !findings.is_failed()) {
            let operation = &self.plan.operations[*index];
            let is_respelled = || {
                let is_one =
                    |left: &&RelPath| is_same_name(left.as_bytes(), operation.path.as_bytes());
                self.overlay.is_respelled(&operation.path) && left.iter().any(is_one)
            };
            if operation.has_new_path() && (left.contains(&operation.path) || is_respelled()) {
                findings.error(
                    &code::EXISTS,
                    "the patch deletes the existing file, but the deletion does not apply",
                );
            }
        }
    }
}

/// Returns an empty file for rejected hunks with the attributes of `known`, which it replaces.
fn empty_reject_file(known: Option<&Node>) -> Node {
    let like = known.filter(|node| node.kind == FileKind::Regular);
    Node {
        kind: FileKind::Regular,
        permissions: like.map_or(Permissions::New { executable: false }, |node| {
            node.permissions
        }),
        bytes: Contents::default(),
        in_repository: None,
        like: like.and_then(|node| node.like.clone()),
        origin: None,
        restored: None,
    }
}
