//! The values that pass from step to step. Each step consumes the value of the step before it.
//!
//! | step | value |
//! | --- | --- |
//! | parse the patches | [`Parsed`] |
//! | select files and hunks | [`Selected`] |
//! | compute the resulting tree | [`Resolved`] |
//! | commit | [`Committed`] |
//! | report | [`Report`] |

use super::Outcome;
use super::denied::explain_refusal;
use super::problems::{
    add_series_position, commit_problems, not_approved_problem, remove_unchanged, rollback_problem,
    set_index_message,
};
use super::request::IndexTarget;
use crate::change::{DiscardSink, Sink};
use crate::plan::{Name, Operation, Plan};
use crate::preflight::{FileWhitespace, Problem, Resolution, Severity, code};
use crate::report::{self, IndexReport, Report};
use crate::transaction::{CommitHook, Failure, Interrupt, RecoveredTransaction, Transaction};

pub(super) use crate::report::{Command, CommitResult, Resolved, Selected};

/// The receiver of the new tree.
pub(super) struct StagingTarget<'s> {
    /// Receives each changed file.
    pub(super) sink: &'s dyn Sink,
    /// The transaction, if the change is applied.
    pub(super) transaction: Option<&'s Transaction<'s>>,
}

impl StagingTarget<'_> {
    /// The receiver of a change that is only checked.
    pub(super) const DISCARD: Self = StagingTarget {
        sink: &DiscardSink,
        transaction: None,
    };
}

/// A check of the new tree that can refuse the change.
pub(super) trait TreeCheck: CommitHook {
    /// Checks a change that is not written.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`CommitHook::check`].
    fn check_unwritten(&self, interrupt: &Interrupt) -> Result<(), Failure>;

    /// Adds the result of the check to `done`.
    fn finish(self: Box<Self>, done: &mut Committed);
}

/// The parsed patches, before names are resolved.
pub(super) struct Parsed {
    pub(super) plan: Plan<Name>,
    /// The problem of the first patch that cannot be parsed. Later patches are not parsed.
    pub(super) problem: Option<Problem>,
}

/// The committed change, or the reason why nothing was committed.
#[derive(Default)]
pub(super) struct Committed {
    pub(super) resolved: Resolved,
    pub(super) result: CommitResult,
}

fn has_error(problems: &[Problem]) -> bool {
    problems
        .iter()
        .any(|problem| problem.severity == Severity::Error)
}

impl Selected {
    /// Returns a selection without operations. `problem` is its only problem.
    pub(super) fn of_problem(problem: Problem) -> Self {
        Self {
            problems: vec![problem],
            ..Self::default()
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        has_error(&self.problems)
    }

    /// Adds the problems of `failure`.
    pub(super) fn add_failure(&mut self, failure: &Failure) {
        let mut problems = commit_problems(failure);
        if let (Failure::Workspace(error), [problem]) = (failure, &mut problems[..]) {
            explain_refusal(problem, error, &self.plan);
        }
        self.problems.extend(problems);
    }
}

impl Resolved {
    pub(super) fn is_refused(&self) -> bool {
        self.selected.is_refused()
    }

    /// Adds `resolution`. If `approve` names another plan, adds a problem that refuses the change.
    pub(super) fn add_resolution(
        &mut self,
        mut resolution: Resolution,
        command: &Command,
        approve: Option<&str>,
    ) {
        self.selected.problems.append(&mut resolution.problems);
        // The `plan_id` covers the digests of the files, so it is known only after the resolution.
        self.resolution = Some(resolution);
        if let Some(approved) = approve.filter(|_| !self.is_refused())
            && report::build(
                command,
                self,
                &CommitResult::default(),
                self.success(command),
            )
            .plan_id
            .as_deref()
                != Some(approved)
        {
            self.selected.problems.push(not_approved_problem());
        }
    }

    /// Checks the lines of the patches as [`Resolution::find_deferred_whitespace`] does.
    pub(super) fn find_deferred_whitespace(
        &self,
        interrupt: &Interrupt,
    ) -> Vec<(usize, FileWhitespace)> {
        let plan = &self.selected.plan;
        let resolution = self.resolution.as_ref();
        resolution.map_or_else(Vec::new, |resolution| {
            resolution.find_deferred_whitespace(plan, interrupt)
        })
    }

    /// Adds the errors `found` and their problems.
    pub(super) fn add_deferred_whitespace(&mut self, found: Vec<(usize, FileWhitespace)>) {
        if let Some(resolution) = &mut self.resolution {
            resolution.add_deferred_whitespace(&self.selected.plan, found);
            self.selected.problems.append(&mut resolution.problems);
        }
    }

    /// Returns the outcome of the command, provided that it has no error.
    fn success(&self, command: &Command) -> report::Outcome {
        let resolution = self.resolution.as_ref();
        let is_reduced = self
            .selected
            .problems
            .iter()
            .any(|problem| problem.severity == Severity::Reject);
        // With `--reject`, a patch is partial if at least one of its changes remains.
        match (is_reduced, resolution) {
            (true, None) => report::Outcome::DoesNotApply,
            (true, Some(resolution)) if resolution.changes == 0 => report::Outcome::DoesNotApply,
            (true, _) => command.success.to_partial(),
            (false, Some(resolution)) if resolution.is_partial() => command.success.to_partial(),
            (false, _) => command.success,
        }
    }
}

impl From<Selected> for Committed {
    fn from(selected: Selected) -> Self {
        Self {
            resolved: Resolved {
                selected,
                ..Resolved::default()
            },
            ..Self::default()
        }
    }
}

impl Committed {
    /// Returns the result of a command that did nothing. `problem` is its only problem.
    pub(super) fn of_problem(problem: Problem) -> Self {
        Selected::of_problem(problem).into()
    }

    pub(super) fn problems(&mut self) -> &mut Vec<Problem> {
        &mut self.resolved.selected.problems
    }

    pub(super) fn is_refused(&self) -> bool {
        self.resolved.is_refused()
    }

    /// Adds the changes that recovery rolled back, with a warning about each file that it did not
    /// restore.
    pub(super) fn note_recovered(&mut self, recovered: Vec<RecoveredTransaction>) {
        self.problems().extend(
            recovered
                .iter()
                .filter_map(|one| rollback_problem(one, Severity::Warning)),
        );
        self.result.recovered = recovered;
    }

    /// Adds the problems of `failure`. Problems about the index file use its displayed name.
    pub(super) fn add_failure(&mut self, failure: &Failure, indexed: Option<&IndexTarget>) {
        let known = self.problems().len();
        self.resolved.selected.add_failure(failure);
        if let Some(indexed) = indexed {
            let problems = self.problems().split_off(known);
            self.problems().extend(
                problems
                    .into_iter()
                    .map(|problem| indexed.with_file_path(problem)),
            );
        }
        match failure {
            Failure::Interrupted(signal) => self.result.signal = Some(*signal),
            Failure::Incomplete { left, kept, .. } => {
                self.problems().iter_mut().for_each(remove_unchanged);
                self.result.unrestored = (left.clone(), kept.clone());
            }
            _ => {}
        }
    }

    pub(super) fn report(&self, command: &Command) -> Report {
        let success = self.resolved.success(command);
        let is_partial = self.result.is_observed && success == report::Outcome::DoesNotApply;
        let success = if is_partial {
            command.success.to_partial()
        } else {
            success
        };
        self.report_as(command, success)
    }

    /// Returns the report. Its outcome is `success` unless there is an error.
    pub(super) fn report_as(&self, command: &Command, success: report::Outcome) -> Report {
        report::build(command, &self.resolved, &self.result, success)
    }

    pub(super) fn finish(self, command: &Command) -> Outcome {
        self.finish_with_operations(command).0
    }

    pub(super) fn finish_with_operations(mut self, command: &Command) -> (Outcome, Vec<Operation>) {
        // The patches applied when the plan was saved, so the tree has changed since then.
        let has_stale_problem = self
            .problems()
            .iter()
            .any(|problem| problem.code == &code::NOT_APPROVED);
        if command.is_saved
            && !has_stale_problem
            && self.report(command).outcome == report::Outcome::DoesNotApply
        {
            self.problems().insert(0, not_approved_problem());
        }
        let is_indexed = self
            .resolved
            .index_report
            .as_ref()
            .is_some_and(IndexReport::decides);
        let Selected { plan, problems, .. } = &mut self.resolved.selected;
        for problem in problems {
            if is_indexed && *problem.code == code::MISSING && !problem.facts.is_untracked {
                set_index_message(problem);
            }
            add_series_position(problem, &plan.inputs);
        }
        let report = self.report(command);
        let Selected {
            plan,
            problems,
            unusable_policy,
            ..
        } = self.resolved.selected;
        (
            Outcome {
                report,
                inputs: unusable_policy.map_or(plan.inputs, |text| vec![text]),
                problems,
            },
            plan.operations,
        )
    }
}
