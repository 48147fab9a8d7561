//! The files that rejected hunks are written to, and what hangs together where something is left out.

use std::collections::HashSet;
use std::sync::Arc;

use super::Worker;
use crate::digest::Sha256;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::plan::Operation;
use crate::policy::Access;
use crate::preflight::findings::Findings;
use crate::preflight::modes::git_mode;
use crate::preflight::overlay::{Node, Seen};
use crate::preflight::{RejectTo, checks, code, reject};
use crate::workspace::WorkspaceError;

impl Worker<'_> {
    /// Puts the rejected hunks of the operation into the file for them; of several operations one behind the other. What was there
    /// before gives way, as in git. Returns whether that may be.
    pub(super) fn put_rejects(
        &mut self,
        operation: &Operation,
        findings: &mut Findings,
    ) -> Result<bool, WorkspaceError> {
        let Some(rejects) = &mut findings.outcome.rejects else { return Ok(true) };
        let (Some(path), text) = (rejects.path.clone(), std::mem::take(&mut rejects.text)) else { return Ok(true) };
        if matches!(self.options.reject_to, RejectTo::File(_)) && self.plan.names(&path) {
            findings.error(&code::USAGE, "the rejected hunks cannot be written to a file of the patch").path =
                Some(path);
            return Ok(false);
        }
        let seen = self.overlay.current(&path, operation.step)?;
        let known = match &seen {
            Seen::Nothing => None,
            Seen::Node(node) if node.kind != FileKind::Directory => Some(node),
            _ => {
                findings.error(&code::NOT_A_FILE, "the rejected hunks cannot be written there").path = Some(path);
                return Ok(false);
            }
        };
        let access = if known.is_some() { Access::Modify } else { Access::Create };
        if reject::is_refused(&path, access, self.options, findings) {
            return Ok(false);
        }
        let lost =
            known.filter(|_| !self.rejects.contains_key(&path)).map(|node| (git_mode(node), Sha256::of(&node.bytes)));
        let all = self.rejects.entry(path.clone()).or_default();
        all.extend_from_slice(&text);
        let like = known.filter(|node| node.kind == FileKind::Regular);
        let node = Node {
            kind: FileKind::Regular,
            permissions: like.map_or(Permissions::New { executable: false }, |node| node.permissions),
            bytes: Arc::new(all.clone()),
            like: like.and_then(|node| node.like.clone()),
            origin: None,
            restored: None,
        };
        if !checks::is_possible(&node, self.options.max_made(), findings) {
            return Ok(false);
        }
        if let Some(rejects) = findings.outcome.rejects.as_mut().filter(|_| self.options.describe) {
            rejects.sha256 = Some(Sha256::of(&node.bytes));
            rejects.replaced = lost;
        }
        self.overlay.put(&path, operation.step, node)?;
        Ok(true)
    }

    /// Refuses all where something stays that another operation counts on to be gone.
    pub(in crate::preflight) fn hold_together(&self, all: &mut [(usize, Findings)]) {
        if !self.options.reject {
            return;
        }
        let is_left = |findings: &Findings| findings.is_failed() && !findings.refuses();
        let left: HashSet<&RelPath> = all
            .iter()
            .filter(|(_, findings)| is_left(findings))
            .filter_map(|(index, _)| self.plan.operations[*index].leaves())
            .collect();
        for (index, findings) in all.iter_mut().filter(|(_, findings)| !findings.is_failed()) {
            let operation = &self.plan.operations[*index];
            if operation.arrives() && left.contains(&operation.path) {
                findings.error(&code::EXISTS, "the file that is there was to go, and cannot");
            }
        }
    }
}
