//! One operation on the overlay: what it finds, what it asks, what it leaves.

mod conclusion;
mod describe;
mod edited;
mod found;
mod rejects;
mod submodule;

use std::collections::{HashMap, HashSet};

use super::checks::{self};
use super::codes::{Code, code};
use super::converted::Converter;
use super::directories::Directories;
use super::findings::Findings;
use super::gallery::Moment;
use super::growth::Growth;
use super::guards::Watched;
use super::overlay::{Node, Overlay};
use super::spelling::Spelling;
use super::{Options, Side, done, lines, reject};
use crate::change::FileChange;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::{Action, Edit, Operation, Plan};
use crate::text::Contents;
use crate::workspace::{Workspace, WorkspaceError};
use rejects::RejectFile;

/// Does the operations of one group.
pub(super) struct Worker<'a> {
    plan: &'a Plan,
    options: &'a Options,
    overlay: Overlay<'a>,
    /// The files that go away in a step, wherever in it.
    going: HashSet<(usize, &'a RelPath)>,
    /// The files that go away in a part, and the last operation that takes each of them away.
    leaving: HashMap<(usize, &'a RelPath), usize>,
    /// The files that a failed operation touched, and how it failed.
    failed: HashMap<&'a RelPath, &'static Code>,
    /// What was written so far to the files of rejected hunks.
    rejects: HashMap<RelPath, RejectFile>,
    /// The files that the operations are about, where hunks may be rejected.
    named: HashSet<&'a RelPath>,
    /// The copies that were undone in this step.
    uncopied: Vec<Uncopied<'a>>,
    growth: Growth,
    watched: Watched<'a>,
    numbered: lines::Numbered,
    /// The contents that were described last.
    described: Option<(Contents, Box<Side>)>,
}

/// A copy that was undone, and what it would have to be a copy of.
struct Uncopied<'a> {
    index: usize,
    from: &'a RelPath,
    bytes: Contents,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        members: &[usize],
        (workspace, directories): (&'a dyn Workspace, &'a Directories),
        options: &'a Options,
    ) -> Self {
        let operations = || members.iter().map(|&index| &plan.operations[index]);
        let going = operations()
            .filter_map(|operation| Some((operation.step, operation.leaves()?)))
            .collect();
        let leaves = |&index: &usize| {
            Some((
                (
                    plan.operations[index].part,
                    plan.operations[index].leaves()?,
                ),
                index,
            ))
        };
        // No operation of the group comes before the first.
        let leaving = members.iter().skip(1).filter_map(leaves).collect();
        let named = operations()
            .filter(|_| options.reject)
            .flat_map(|operation| operation.from.iter().chain([&operation.path]));
        let named = named.collect();
        let spelling =
            Spelling::of(operations(), &directories.folding).in_plan(plan, &directories.emptied);
        // With `--cached` what is rejected goes elsewhere than what fits.
        let directories = (!options.reject).then_some(directories);
        let overlay =
            Overlay::new(workspace, directories, options.max_read()).with_spelling(spelling);
        Self {
            plan,
            options,
            overlay,
            going,
            leaving,
            failed: options
                .unfit
                .iter()
                .map(|(path, code)| (path, *code))
                .collect(),
            rejects: HashMap::new(),
            named,
            uncopied: Vec::new(),
            growth: Growth::default(),
            watched: Watched::default(),
            numbered: lines::Numbered::new(),
            described: None,
        }
    }

    pub(super) fn into_changes(self) -> Vec<FileChange> {
        self.overlay.into_changes()
    }

    /// Does the operation at `index`.
    pub(super) fn resolve(&mut self, index: usize) -> Result<Findings, WorkspaceError> {
        let operation = &self.plan.operations[index];
        let mut findings = Findings::default();
        let paths = || std::iter::once(&operation.path).chain(&operation.from);
        paths().try_for_each(|path| self.fill_rejects(path))?;
        if let Some(&code) = paths().find_map(|path| self.failed.get(path)) {
            findings.outcome.failed = Some(code);
        } else if operation.is_submodule() || self.moves_submodule(operation)? {
            self.submodule(index, &mut findings)?;
        } else {
            self.file(index, &mut findings)?;
        }
        if self.options.reject {
            reject::soften(&mut findings);
        }
        if let Some(code) = findings.outcome.failed {
            self.failed.extend(paths().map(|path| (path, code)));
        }
        Ok(findings)
    }

    fn file(&mut self, index: usize, findings: &mut Findings) -> Result<(), WorkspaceError> {
        let operation = &self.plan.operations[index];
        if !self.is_as_guarded(operation, findings)? {
            return Ok(());
        }
        if self.options.idempotent {
            let converter = Converter::new(self.plan, operation, self.options);
            let tree = (&mut self.overlay, &self.options.rules, converter);
            if done::is_file_done(operation, self.plan.text(operation), tree, findings)? {
                return Ok(());
            }
        }
        let rival = self.rival(operation)?;
        let before = match operation.action {
            Action::Create => rival.clone(),
            Action::Modify if operation.may_fill() && self.is_missing(operation)? => None,
            _ => match self.source(operation, findings)? {
                Some(node) => Some(node),
                None => return Ok(()),
            },
        };
        if rival.is_none()
            && (operation.arrives() || before.is_none())
            && !self.has_room(index, findings)?
        {
            return Ok(());
        }
        let replaced = self.replaced(operation)?;
        self.describe_replaced(operation, before.as_ref(), replaced.as_ref(), findings);
        // What gives way to a merge leaves nothing.
        let replaced =
            replaced.filter(|node| node.kind == FileKind::Regular && self.options.overwrite);
        let known = before.as_ref().or(replaced.as_ref());
        self.describe_before(known, findings);
        self.exhibit(Moment::Before, known, findings);
        findings.outcome.hardlinks = self
            .overlay
            .links(operation.from.as_ref().unwrap_or(&operation.path));
        if !checks::is_expected(operation, known, findings) {
            return Ok(());
        }
        let after = match &operation.edit {
            Edit::Restore(restore) => self.restored(operation, restore, findings)?,
            _ => self.edited(index, before.as_ref(), replaced.as_ref(), findings)?,
        };
        match after {
            Some(after) => self.put_result(index, (before.as_ref(), known), after, findings),
            None => Ok(()),
        }
    }

    /// Checks and describes what the operation at `index` makes of `before`, and leaves it in the
    /// overlay. `known` is the file that was at its path.
    fn put_result(
        &mut self,
        index: usize,
        (before, known): (Option<&Node>, Option<&Node>),
        after: Node,
        findings: &mut Findings,
    ) -> Result<(), WorkspaceError> {
        let operation = &self.plan.operations[index];
        if !self.allows_content(operation, &after, findings) {
            return Ok(());
        }
        self.describe_after(operation, known, &after, findings);
        let is_gone = matches!(operation.action, Action::Delete | Action::Uncopy);
        self.exhibit(Moment::After, (!is_gone).then_some(&after), findings);
        // Renames read what was there when the step began: of two from one file the second is a
        // copy.
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
        self.leave(index, after, findings)
    }

    /// Returns whether policy allows the operation to write the content of `after`.
    fn allows_content(&self, operation: &Operation, after: &Node, findings: &mut Findings) -> bool {
        let is_refused = self.options.policy.refuses_binary() && brings_binary(operation, after);
        if is_refused {
            let reason = "policy refuses binary data";
            findings.error(&code::BINARY_DENIED, reason).facts.reason = Some(reason.to_owned());
        }
        !is_refused
    }

    /// Leaves the overlay as the operation at `index` does.
    fn leave(
        &mut self,
        index: usize,
        after: Node,
        findings: &mut Findings,
    ) -> Result<(), WorkspaceError> {
        let operation = &self.plan.operations[index];
        match operation.action {
            Action::Delete => {
                checks::emptied(operation, &after.bytes, findings);
                if findings.is_failed() {
                    return Ok(());
                }
                self.overlay.take_away(&operation.path, operation.step)
            }
            Action::Uncopy => {
                self.uncopied
                    .extend(operation.from.as_ref().map(|from| Uncopied {
                        index,
                        from,
                        bytes: after.bytes,
                    }));
                self.overlay.take_away(&operation.path, operation.step)
            }
            Action::Rename => {
                self.overlay.put(&operation.path, operation.step, after)?;
                match &operation.from {
                    Some(from) if *from != operation.path => {
                        self.overlay.take_away(from, operation.step)
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

/// Returns whether the operation writes binary data; what only moves or gets another mode is not
/// written. git looks at the beginning of a file alone: who refuses binary data means all of it.
fn brings_binary(operation: &Operation, after: &Node) -> bool {
    let is_written = match operation.action {
        Action::Delete | Action::Uncopy => false,
        Action::Copy => true,
        Action::Create | Action::Modify | Action::Rename => !matches!(operation.edit, Edit::Keep),
    };
    is_written
        && (matches!(operation.edit, Edit::Binary(_)) || memchr::memchr(0, &after.bytes).is_some())
}
