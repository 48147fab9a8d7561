//! The steps of every change: resolve, stage, commit. Read [`CommandRun::run`] first.

use super::commands::Verification;
use super::diagnose::{Noted, Waiting, diagnose};
use super::govern::reached;
use super::index::{check_index, index_record, stage_index};
use super::link_files::LinkFiles;
use super::problems::{altered, foreign, half_made, unswept};
use super::request::Reach;
use super::stages::{Committed, Resolved, Selected};
use super::task::{CommandMode, CommandRun};
use crate::change::{Dropped, Sink};
use crate::diagnostics::Place;
use crate::preflight::{self, Severity};
use crate::progress::Phase;
use crate::report::HistoryReport;
use crate::transaction::history::{self, Label};
use crate::transaction::{self, Failure, Transaction};

impl<'a> CommandRun<'a> {
    /// Checks or applies the change, unless the plan cannot be resolved.
    pub(super) fn run(
        &self,
        selected: Selected,
        options: &preflight::Options,
        mode: CommandMode,
    ) -> Committed {
        match (selected.is_resolvable, mode) {
            (false, _) => selected.into(),
            (true, CommandMode::Check) => self.check(selected, options),
            (true, CommandMode::Apply) => self.apply(selected, options),
        }
    }

    /// Computes the resulting tree and writes nothing.
    fn check(&self, selected: Selected, options: &preflight::Options) -> Committed {
        let mut done = Committed::from(selected);
        // `check` takes no lock. Another process that changes the tree only causes a warning.
        match transaction::examine(self.workspace) {
            Ok(true) => done.problems().push(half_made()),
            Ok(false) => {}
            Err(failure @ Failure::Foreign { .. }) => {
                done.problems().push(foreign(&failure, Severity::Warning));
            }
            Err(failure) => done.fail(&failure, self.indexed.as_ref()),
        }
        let result = self
            .resolve(options, &Dropped, &mut done.resolved)
            .and_then(|servers| {
                let verdict = servers.as_ref().map_or(Ok(()), |servers| {
                    servers.ask(Place::Memory, self.interrupt())
                });
                Waiting::finish(servers, &mut done.resolved);
                verdict
            });
        if let Err(failure) = result {
            self.end(failure, &mut done);
        }
        done
    }

    /// Applies the change unless there is a problem.
    fn apply(&self, selected: Selected, options: &preflight::Options) -> Committed {
        let mut done = Committed::from(selected);
        // A change that policy refuses takes no lock. If only the index changes, the policy for the
        // work tree does not matter.
        let is_cached = self
            .indexed
            .as_ref()
            .is_some_and(|indexed| indexed.reach == Reach::Cached);
        let is_held = !is_cached
            && preflight::needs_approval(&done.resolved.selected.plan, self.workspace, options);
        let result = match (done.is_refused() || is_held, self.indexed.is_some()) {
            (false, _) => self.stage_and_commit(options, &mut done),
            (true, true) => self
                .resolve(options, &Dropped, &mut done.resolved)
                .map(drop),
            (true, false) => preflight::resolve(
                &done.resolved.selected.plan,
                self.workspace,
                options,
                &Dropped,
            )
            .map(|resolution| done.resolved.add(resolution, &self.command, self.approve()))
            .map_err(Failure::Workspace),
        };
        if let Err(failure) = result {
            self.end(failure, &mut done);
        }
        self.note_history(&mut done);
        self.run_after(&mut done);
        done
    }

    /// Adds to `done` whether a history is kept, so that the change can be undone. If there was no
    /// change, adds whether a history would be kept.
    pub(super) fn note_history(&self, done: &mut Committed) {
        let unkept = match &done.result.receipt {
            Some(receipt) => Ok(receipt.unkept.clone()),
            None => history::unkept(self.workspace),
        };
        done.result.history = unkept.ok().map(HistoryReport::of);
    }

    /// Computes the resulting tree. If the patches apply, asks the language servers about the
    /// current tree.
    fn resolve(
        &self,
        options: &preflight::Options,
        sink: &dyn Sink,
        resolved: &mut Resolved,
    ) -> Result<Option<Waiting<'a>>, Failure> {
        let link_files = LinkFiles(sink);
        let sink: &dyn Sink = if options.links_are_files {
            &link_files
        } else {
            sink
        };
        let Selected { plan, problems, .. } = &mut resolved.selected;
        if self.command.links == transaction::Links::Kept {
            problems.extend(reached(plan, &self.command.policy, self.workspace));
        }
        if let Some(indexed) = &self.indexed {
            check_index(self, indexed, options, resolved)?;
            return Ok(None);
        }
        let Some(asked) = &self.request.look.diagnostics else {
            let resolution =
                preflight::resolve_shown(plan, self.workspace, options, sink, self.shown)?;
            resolved.add(resolution, &self.command, self.approve());
            return Ok(None);
        };
        let noted = Noted::new(asked, sink);
        let resolution =
            preflight::resolve_shown(plan, self.workspace, options, &noted, self.shown)?;
        resolved.add(resolution, &self.command, self.approve());
        if resolved.is_refused() {
            Ok(None)
        } else {
            diagnose(self, noted, resolved)
        }
    }

    fn stage_and_commit(
        &self,
        options: &preflight::Options,
        done: &mut Committed,
    ) -> Result<(), Failure> {
        self.progress().enter(Phase::Waiting, 0);
        let (transaction, recovered) =
            Transaction::begin(self.workspace, self.request.transaction(), self.interrupt())?;
        done.note_recovered(recovered);
        let transaction = transaction.expecting(done.resolved.selected.plan.operations.len());
        let waiting = match &self.indexed {
            Some(indexed) => {
                stage_index(self, indexed, options, &transaction, &mut done.resolved)?;
                None
            }
            None => self.resolve(options, &transaction, &mut done.resolved)?,
        };
        if done.is_refused() {
            transaction.abandon();
            return Ok(());
        }
        let index = index_record(&done.resolved);
        let label = Label {
            command: self.command.name.to_owned(),
            index,
            ..Label::default()
        };
        self.commit(transaction.labelled(label), waiting, done)?;
        if let Some(indexed) = self
            .indexed
            .as_ref()
            .filter(|_| done.result.receipt.is_some())
        {
            indexed.refresh();
        }
        Ok(())
    }

    /// Commits the change, unless a language server or a command of the user refuses it.
    pub(super) fn commit<'w>(
        &'w self,
        transaction: Transaction<'w>,
        waiting: Option<Waiting<'w>>,
        done: &mut Committed,
    ) -> Result<(), Failure> {
        if !self.run_before(done)? {
            transaction.abandon();
            return Ok(());
        }
        let verification = Verification::of(self, done)?;
        let mut transaction: Transaction<'_> = transaction.followed_by(self.progress().clone());
        // Commit hooks run in the order in which they are added: the language servers, then
        // `--verify`.
        if let Some(waiting) = &waiting {
            transaction = transaction.with_hook(waiting);
        }
        if let Some(verification) = &verification {
            transaction = transaction.with_hook(verification);
        }
        let committed = transaction.commit(self.interrupt());
        Waiting::finish(waiting, &mut done.resolved);
        if let Some(verification) = verification {
            verification.finish(done);
        }
        let receipt = committed?;
        done.problems().extend(receipt.altered.iter().map(altered));
        done.problems()
            .extend(receipt.warnings.iter().map(|warning| unswept(warning)));
        done.result.receipt = Some(receipt);
        Ok(())
    }

    /// Adds the problems of `failure`. After a signal, waits for git and searches fail with a
    /// workspace error. The signal is reported in its place.
    pub(super) fn end(&self, failure: Failure, done: &mut Committed) {
        let failure = match (failure, self.interrupt().signal()) {
            (Failure::Workspace(_), Some(signal)) => Failure::Interrupted(signal),
            (failure, _) => failure,
        };
        done.fail(&failure, self.indexed.as_ref());
    }
}
