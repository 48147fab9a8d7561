//! The steps of every change: resolve, stage, commit. Read [`CommandRun::run`] first.

use std::io;

use super::govern::hard_link_problems;
use super::index::index_record;
use super::link_files::LinkFileSink;
use super::problems::{
    altered_warning, changed_session_problem, foreign_state_problem, pruned_warning,
    read_only_root_warning, sweep_warning, unfinished_warning,
};
use super::request::UpdateScope;
use super::root_names::root_name_problems;
use super::stages::{Committed, Resolved, Selected, StagingTarget, TreeCheck};
use super::steps;
use super::task::{CommandMode, CommandRun};
use crate::preflight::{self, Severity};
use crate::progress::Phase;
use crate::report::HistoryReport;
use crate::threads;
use crate::transaction::history::{self, TransactionLabel};
use crate::transaction::{self, Failure, Interrupt, Transaction, sessions};

impl<'a> CommandRun<'a> {
    /// Checks or applies the change, unless the plan cannot be resolved.
    pub(super) fn run(
        &self,
        mut selected: Selected,
        options: &preflight::Options,
        mode: CommandMode,
    ) -> Committed {
        if selected.is_resolvable {
            let problems = root_name_problems(&selected.plan, self.workspace);
            selected.is_resolvable = problems.is_empty();
            selected.problems.extend(problems);
        }
        match (selected.is_resolvable, mode) {
            (false, _) => selected.into(),
            (true, CommandMode::Check) if options.checks_rights && self.has_read_only_root() => {
                self.check_read_only(selected, options)
            }
            (true, CommandMode::Check) => self.check(selected, options),
            (true, CommandMode::Apply) => self.apply(selected, options),
        }
    }

    /// Checks a change of a root on a read-only file system. If the system does not permit the
    /// change, the result states only whether the patch applies to the files: it may be meant for
    /// another mount of them.
    fn check_read_only(&self, selected: Selected, options: &preflight::Options) -> Committed {
        let permitted = self.check(selected.clone(), options);
        if !permitted.is_refused() {
            return permitted;
        }
        let mut options = options.clone();
        options.checks_rights = false;
        let mut done = self.check(selected, &options);
        if !done.is_refused() {
            done.problems().push(read_only_root_warning());
        }
        done
    }

    /// Returns whether the root is on a read-only file system.
    fn has_read_only_root(&self) -> bool {
        let refused = self.workspace.entry_rights(None).err();
        refused.is_some_and(|error| error.source.kind() == io::ErrorKind::ReadOnlyFilesystem)
    }

    /// Computes the resulting tree and writes nothing.
    fn check(&self, selected: Selected, options: &preflight::Options) -> Committed {
        let mut done = Committed::from(selected);
        // `check` takes no lock. Another process that changes the tree only causes a warning.
        match transaction::has_unfinished_changes(self.workspace) {
            Ok(true) => done.problems().push(unfinished_warning()),
            Ok(false) => {}
            Err(failure @ Failure::Foreign { .. }) => {
                done.problems()
                    .push(foreign_state_problem(&failure, Severity::Warning));
            }
            Err(failure) => done.add_failure(&failure, self.index_target.as_ref()),
        }
        let result = self
            .resolve_unless_rejected(options, &StagingTarget::DISCARD, &mut done.resolved)
            .and_then(|check| {
                let Some(check) = check else { return Ok(()) };
                let verdict = check.check_unwritten(self.interrupt());
                check.finish(&mut done);
                verdict
            })
            .and_then(|()| {
                if options.checks_rights && !done.is_refused() {
                    transaction::check_state_access(self.workspace)
                } else {
                    Ok(())
                }
            });
        if let Err(failure) = result {
            self.record_failure(failure, &mut done);
        }
        done
    }

    /// Applies the change unless there is a problem.
    fn apply(&self, selected: Selected, options: &preflight::Options) -> Committed {
        let mut done = Committed::from(selected);
        // A change that policy refuses takes no lock. If only the index changes, the policy for the
        // work tree does not matter.
        let is_cached = self
            .index_target
            .as_ref()
            .is_some_and(|indexed| indexed.scope == UpdateScope::Cached);
        let needs_approval = !is_cached
            && preflight::needs_approval(&done.resolved.selected.plan, self.workspace, options);
        let result = if done.is_refused() || needs_approval {
            self.resolve(options, &StagingTarget::DISCARD, &mut done.resolved)
                .map(drop)
        } else if let Some(tree) = self.workspace.layered() {
            self.change_session(tree, options, &mut done)
        } else {
            self.stage_and_commit(options, &mut done)
        };
        if let Err(failure) = result {
            self.record_failure(failure, &mut done);
        }
        // `commit` has checked the deferred lines, unless the change was refused before it.
        let found = done.resolved.find_deferred_whitespace(self.interrupt());
        done.resolved.add_deferred_whitespace(found);
        self.note_history(&mut done);
        steps::run_after_steps(self, &mut done);
        done
    }

    /// Adds to `done` whether a history is kept, so that the change can be undone. If there was no
    /// change, adds whether a history would be kept.
    pub(super) fn note_history(&self, done: &mut Committed) {
        let unkept = match &done.result.receipt {
            Some(receipt) => Ok(receipt.no_history.clone()),
            None => history::no_history_reason(self.workspace),
        };
        done.result.history = unkept.ok().map(HistoryReport::of);
    }

    /// Computes the resulting tree. Returns the check of the new tree that an optional step needs.
    pub(super) fn resolve(
        &self,
        options: &preflight::Options,
        staging: &StagingTarget<'_>,
        resolved: &mut Resolved,
    ) -> Result<Option<Box<dyn TreeCheck + 'a>>, Failure> {
        let link_files = LinkFileSink(staging.sink);
        let staging = &StagingTarget {
            sink: if options.links_are_files {
                &link_files
            } else {
                staging.sink
            },
            ..*staging
        };
        let Selected { plan, problems, .. } = &mut resolved.selected;
        if self.command.hard_links == transaction::HardLinkMode::Kept {
            problems.extend(hard_link_problems(
                plan,
                &self.command.policy,
                self.workspace,
            ));
        }
        if let Some(check) = steps::resolve(self, options, staging, resolved) {
            return check;
        }
        let plan = &resolved.selected.plan;
        let resolution = preflight::resolve_with_previews(
            plan,
            self.workspace,
            options,
            staging.sink,
            self.preview_sinks,
        )?;
        resolved.add_resolution(resolution, &self.command, self.approve());
        Ok(None)
    }

    /// Computes the resulting tree as [`CommandRun::resolve`] does, and adds a problem if the change
    /// was rejected.
    fn resolve_unless_rejected(
        &self,
        options: &preflight::Options,
        staging: &StagingTarget<'_>,
        resolved: &mut Resolved,
    ) -> Result<Option<Box<dyn TreeCheck + 'a>>, Failure> {
        let rejections = self.rejections()?;
        // The `plan_id` needs the digests of all files.
        let options = &preflight::Options {
            digests: options.digests || !rejections.is_empty(),
            ..options.clone()
        };
        let check = self.resolve(options, staging, resolved)?;
        self.check_rejections(&rejections, resolved);
        Ok(check)
    }

    fn stage_and_commit(
        &self,
        options: &preflight::Options,
        done: &mut Committed,
    ) -> Result<(), Failure> {
        self.progress().enter(Phase::Waiting, 0);
        let (transaction, recovered) = Transaction::begin(
            self.workspace,
            self.request.transaction_options(),
            self.interrupt(),
        )?;
        done.note_recovered(recovered);
        if let Some((session, revision)) = &self.session
            && !sessions::has_revision(self.workspace, &session.id, *revision)?
        {
            done.problems().push(changed_session_problem());
            transaction.abandon();
            return Ok(());
        }
        let transaction = transaction.reserve_changes(done.resolved.selected.plan.operations.len());
        let options = &preflight::Options {
            // The audit record contains the `plan_id`, which needs the digests of all files.
            digests: options.digests || transaction.has_audit(),
            // Before the commit, only the commands of `--before` and `--verify` read the warnings.
            defers_whitespace: self.commands().is_empty(),
            ..options.clone()
        };
        let staging = StagingTarget {
            sink: &transaction,
            transaction: Some(&transaction),
        };
        let check = self.resolve_unless_rejected(options, &staging, &mut done.resolved)?;
        if done.is_refused() {
            transaction.abandon();
            return Ok(());
        }
        let label = TransactionLabel {
            command: self.command.name.to_owned(),
            index: index_record(&done.resolved),
            session: self.session.as_ref().map(|(session, _)| session.clone()),
            audit: self.audit_context(&transaction, &done.resolved),
            ..TransactionLabel::default()
        };
        self.commit(transaction.with_label(label), check, done)
    }

    /// Commits the change, unless a step or a check refuses it. `check` runs before the checks of
    /// the other steps.
    pub(super) fn commit<'w>(
        &'w self,
        transaction: Transaction<'w>,
        check: Option<Box<dyn TreeCheck + 'w>>,
        done: &mut Committed,
    ) -> Result<(), Failure> {
        if !steps::run_before_steps(self, done)? {
            transaction.abandon();
            return Ok(());
        }
        let mut checks = Vec::from_iter(check);
        checks.extend(steps::checks(self, done)?);
        let signer = self.signer();
        let mut transaction: Transaction<'_> = transaction
            .with_progress(self.progress())
            .with_signer(signer.as_ref().map(|signer| signer as _));
        for check in &checks {
            transaction = transaction.with_hook(&**check);
        }
        // The swap uses one thread. For a large patch, a second one searches for white space
        // errors meanwhile.
        let (committed, found) = threads::run_both(
            done.resolved.selected.plan.size(),
            || transaction.commit(self.interrupt()),
            || done.resolved.find_deferred_whitespace(self.interrupt()),
        );
        // A signal has ended the search, but not the commit.
        let found = if committed.is_ok() && self.interrupt().is_raised() {
            done.resolved.find_deferred_whitespace(Interrupt::never())
        } else {
            found
        };
        done.resolved.add_deferred_whitespace(found);
        // Every check adds its result, even if one of them refused the change.
        for check in checks {
            check.finish(done);
        }
        let receipt = committed?;
        // The change is committed. From here on, problems are only warnings.
        done.problems()
            .extend(receipt.altered.iter().map(altered_warning));
        done.problems().extend(
            receipt
                .warnings
                .iter()
                .map(|warning| sweep_warning(warning)),
        );
        done.problems().extend(pruned_warning(receipt.pruned));
        done.result.receipt = Some(receipt);
        Ok(())
    }

    /// Adds the problems of `failure`. A signal also ends a wait for git or a search, which then
    /// fails with a workspace error. The signal is reported in place of that error.
    pub(super) fn record_failure(&self, failure: Failure, done: &mut Committed) {
        let failure = match (failure, self.interrupt().signal()) {
            (Failure::Workspace(_), Some(signal)) => Failure::Interrupted(signal),
            (failure, _) => failure,
        };
        done.add_failure(&failure, self.index_target.as_ref());
    }
}
