//! Performs the operations of one group on the overlay.
//!
//! [`GroupExecutor::resolve`] performs one operation: `found` reads the preimage and checks the
//! path, `edited` computes the postimage, `describe` records both for the report, and this file
//! stores the result in the overlay. `final_checks` checks each step and the whole group at the end.
//! `submodule.rs` performs operations on submodules, and `rejects.rs` writes rejected hunks.

mod describe;
mod edited;
mod final_checks;
mod preconditions;
mod rejects;
mod submodule;

use std::collections::{HashMap, HashSet};

use super::checks::{self};
use super::codes::{ProblemCode, code};
use super::converter::Converter;
use super::directories::DirectoryCache;
use super::expansion_limit::ExpansionLimit;
use super::findings::Findings;
use super::guards::GuardedFiles;
use super::image_previews::ImageSide;
use super::overlay::{Node, Overlay};
use super::spelling::NameSpellings;
use super::{ContentProperties, Options, already_applied, lines, reject};
use crate::change::FileChange;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::{Action, Edit, Operation, Plan};
use crate::text::Contents;
use crate::workspace::{Workspace, WorkspaceError};
use rejects::RejectFile;

/// Performs the operations of one group.
pub(super) struct GroupExecutor<'a> {
    plan: &'a Plan,
    options: &'a Options,
    overlay: Overlay<'a>,
    /// The files that each step removes, by step and path. The order within the step is irrelevant.
    removed_in_step: HashSet<(usize, &'a RelPath)>,
    /// The files that each part of the plan removes, with the index of the last operation that
    /// removes each.
    last_removals: HashMap<(usize, &'a RelPath), usize>,
    /// The files of failed operations, with the code of the failure. A later operation on such a
    /// file also fails, without a problem of its own.
    failed: HashMap<&'a RelPath, &'static ProblemCode>,
    /// The rejected hunks that were written so far, by file.
    rejects: HashMap<RelPath, RejectFile>,
    /// The files that the operations name. Empty without `--reject`.
    named: HashSet<&'a RelPath>,
    /// The copies that were undone in the current step.
    reverted_copies: Vec<RevertedCopy<'a>>,
    growth: ExpansionLimit,
    watched: GuardedFiles<'a>,
    numbered: lines::NumberedFiles,
    /// The content that was described last, with its description.
    described: Option<(Contents, Box<ContentProperties>)>,
}

/// A copy that was undone, and the content that its source must have.
struct RevertedCopy<'a> {
    index: usize,
    from: &'a RelPath,
    bytes: Contents,
}

impl<'a> GroupExecutor<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        members: &[usize],
        (workspace, directories): (&'a dyn Workspace, &'a DirectoryCache),
        options: &'a Options,
    ) -> Self {
        let operations = || members.iter().map(|&index| &plan.operations[index]);
        let going = operations()
            .filter_map(|operation| Some((operation.step, operation.removed_path()?)))
            .collect();
        let leaves = |&index: &usize| {
            Some((
                (
                    plan.operations[index].part,
                    plan.operations[index].removed_path()?,
                ),
                index,
            ))
        };
        // No operation of the group precedes the first operation, so the first one is not needed.
        let leaving = members.iter().skip(1).filter_map(leaves).collect();
        let named = operations()
            .filter(|_| options.reject)
            .flat_map(|operation| operation.from.iter().chain([&operation.path]));
        let named = named.collect();
        let spelling = NameSpellings::of(operations(), &directories.folding)
            .with_plan(plan, &directories.emptied);
        // With `--cached`, files for rejected hunks are in another tree than the other files. The
        // cache of missing directories covers only one tree.
        let directories = (!options.reject).then_some(directories);
        let overlay = Overlay::new(workspace, directories, options.max_read())
            .with_spelling(spelling)
            .with_interrupt(&options.rules.interrupt);
        Self {
            plan,
            options,
            overlay,
            removed_in_step: going,
            last_removals: leaving,
            failed: options
                .failed_files
                .iter()
                .map(|(path, code)| (path, *code))
                .collect(),
            rejects: HashMap::new(),
            named,
            reverted_copies: Vec::new(),
            growth: ExpansionLimit::default(),
            watched: GuardedFiles::default(),
            numbered: lines::NumberedFiles::new(),
            described: None,
        }
    }

    pub(super) fn into_changes(self) -> Vec<FileChange> {
        self.overlay.into_changes()
    }

    /// Performs the operation at `index`.
    pub(super) fn resolve(&mut self, index: usize) -> Result<Findings, WorkspaceError> {
        let operation = &self.plan.operations[index];
        let mut findings = Findings::default();
        let paths = || std::iter::once(&operation.path).chain(&operation.from);
        paths().try_for_each(|path| self.store_rejects(path))?;
        if let Some(&code) = paths().find_map(|path| self.failed.get(path)) {
            findings.outcome.failed = Some(code);
        } else if operation.is_submodule() || self.is_submodule_move(operation)? {
            self.resolve_submodule(index, &mut findings)?;
        } else {
            self.resolve_file(index, &mut findings)?;
        }
        if self.options.reject {
            reject::downgrade_errors(&mut findings);
        }
        if let Some(code) = findings.outcome.failed {
            self.failed.extend(paths().map(|path| (path, code)));
        }
        Ok(findings)
    }

    fn resolve_file(
        &mut self,
        index: usize,
        findings: &mut Findings,
    ) -> Result<(), WorkspaceError> {
        let operation = &self.plan.operations[index];
        if !self.is_precondition_met(operation, findings)? {
            return Ok(());
        }
        if self.options.idempotent && self.is_already_applied(operation, findings)? {
            return Ok(());
        }
        // With `--3way`, the existing file is one side of the merge, and the file that the patch
        // creates is the other side.
        let rival = self.find_merge_target(operation)?;
        let before = match operation.action {
            Action::Create => rival.clone(),
            Action::Modify if operation.can_create_missing() && self.is_missing(operation)? => None,
            _ => match self.find_preimage(operation, findings)? {
                Some(node) => Some(node),
                None => return Ok(()),
            },
        };
        if rival.is_none()
            && (operation.has_new_path() || before.is_none())
            && !self.can_create(index, findings)?
        {
            return Ok(());
        }
        let replaced = self.find_replaced(operation)?;
        self.describe_replaced(operation, before.as_ref(), replaced.as_ref(), findings);
        // Only `--overwrite` preserves the attributes of a replaced file. A three-way merge does
        // not.
        let replaced =
            replaced.filter(|node| node.kind == FileKind::Regular && self.options.overwrite);
        let known = before.as_ref().or(replaced.as_ref());
        self.describe_before(known, findings);
        self.add_image(ImageSide::Before, known, findings);
        findings.outcome.hardlinks = self
            .overlay
            .links(operation.from.as_ref().unwrap_or(&operation.path));
        if !checks::is_expectation_met(operation, known, findings) {
            return Ok(());
        }
        let after = match &operation.edit {
            Edit::Restore(restore) => self.find_restored(operation, restore, findings)?,
            _ => self.edit_node(index, before.as_ref(), replaced.as_ref(), findings)?,
        };
        match after {
            Some(after) => self.put_result(index, (before.as_ref(), known), after, findings),
            None => Ok(()),
        }
    }

    /// Returns whether the files already have the result of the operation, and reports it if so.
    fn is_already_applied(
        &mut self,
        operation: &Operation,
        findings: &mut Findings,
    ) -> Result<bool, WorkspaceError> {
        let converter = Converter::new(self.plan, operation, self.options);
        let tree = (&mut self.overlay, &self.options.rules, converter);
        let text = self.plan.text(operation);
        already_applied::is_operation_applied(operation, text, tree, findings)
    }

    /// Checks and describes `after`, the result of the operation at `index`, and stores it in the
    /// overlay. `before` is the preimage. `known` is the preimage or, without one, the replaced
    /// file.
    fn put_result(
        &mut self,
        index: usize,
        (before, known): (Option<&Node>, Option<&Node>),
        after: Node,
        findings: &mut Findings,
    ) -> Result<(), WorkspaceError> {
        let operation = &self.plan.operations[index];
        if !self.is_content_allowed(operation, &after, findings) {
            return Ok(());
        }
        self.describe_after(operation, known, &after, findings);
        let is_gone = matches!(operation.action, Action::Delete | Action::RemoveCopy);
        self.add_image(ImageSide::After, (!is_gone).then_some(&after), findings);
        // Renames read the files as they were at the start of the step. The second rename of the
        // same file is therefore a copy.
        let is_gone = operation
            .from
            .as_ref()
            .is_some_and(|from| self.overlay.is_gone(from));
        let source = (before, is_gone || operation.action == Action::Copy);
        if !self
            .growth
            .allow(operation, source, &after, self.options.max_growth, findings)
        {
            return Ok(());
        }
        if !self.options.guards.is_empty() {
            self.watched
                .note((index, operation), known, &after, findings.outcome.encoding);
        }
        if !self.put_rejects(operation, findings)? {
            return Ok(());
        }
        self.record(index, after, findings)
    }

    /// Returns whether policy allows the operation to write the content of `after`.
    fn is_content_allowed(
        &self,
        operation: &Operation,
        after: &Node,
        findings: &mut Findings,
    ) -> bool {
        let is_refused =
            self.options.policy.refuses_binary() && is_writing_binary(operation, after);
        if is_refused {
            let reason = "policy denies binary data (`binary`)";
            findings.error(&code::BINARY_DENIED, reason).facts.reason = Some(reason.to_owned());
        }
        !is_refused
    }

    /// Stores the effect of the operation at `index` in the overlay.
    fn record(
        &mut self,
        index: usize,
        after: Node,
        findings: &mut Findings,
    ) -> Result<(), WorkspaceError> {
        let operation = &self.plan.operations[index];
        match operation.action {
            Action::Delete => {
                checks::check_emptied(operation, &after.bytes, findings);
                if findings.is_failed() {
                    return Ok(());
                }
                self.overlay.remove(&operation.path, operation.step)
            }
            Action::RemoveCopy => {
                self.reverted_copies
                    .extend(operation.from.as_ref().map(|from| RevertedCopy {
                        index,
                        from,
                        bytes: after.bytes,
                    }));
                self.overlay.remove(&operation.path, operation.step)
            }
            Action::Rename => {
                self.overlay.put(&operation.path, operation.step, after)?;
                match &operation.from {
                    Some(from) if *from != operation.path => {
                        self.overlay.remove(from, operation.step)
                    }
                    _ => Ok(()),
                }
            }
            Action::Create | Action::Copy | Action::Modify => {
                self.overlay.put(&operation.path, operation.step, after)
            }
        }
    }
}

/// Returns whether the operation writes binary data. A move or a mode change writes no data.
///
/// git checks only the beginning of a file for NUL bytes. This check covers the whole file, because
/// the policy applies to all of it.
fn is_writing_binary(operation: &Operation, after: &Node) -> bool {
    let is_written = match operation.action {
        Action::Delete | Action::RemoveCopy => false,
        Action::Copy => true,
        Action::Create | Action::Modify | Action::Rename => !matches!(operation.edit, Edit::Keep),
    };
    is_written
        && (matches!(operation.edit, Edit::Binary(_)) || memchr::memchr(0, &after.bytes).is_some())
}
