//! The values that pass from step to step: each contains the result of the steps before it.
//!
//! | step | value |
//! | --- | --- |
//! | parse the patches | [`Parsed`] |
//! | select files and hunks | [`Selected`] |
//! | compute the resulting tree | [`Resolved`] |
//! | commit | [`Committed`] |
//! | report | [`Report`] |

use std::sync::Arc;

use super::Outcome;
use super::denied::name_refusal;
use super::problems::{failed, name_index, not_approved, say_listed, unrestored};
use super::request::Indexed;
use crate::diagnostics::Findings;
use crate::path::RelPath;
use crate::plan::{LeftOut, Name, Operation, Plan};
use crate::policy::Policy;
use crate::preflight::{FileWhitespace, Problem, Resolution, Severity, code};
use crate::report::{self, CommandReport, HistoryReport, IndexReport, Parts, Report};
use crate::threads::{self, MANY};
use crate::transaction::history::IndexChange;
use crate::transaction::{Failure, KeptFile, Links, Receipt, Recovered};

/// The properties of a command that its report contains.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Command {
    pub(super) name: &'static str,
    /// The outcome if there is no problem.
    pub(super) success: report::Outcome,
    pub(super) policy: Arc<Policy>,
    /// Whether the report contains digests and the `plan_id`.
    pub(super) is_described: bool,
    /// Whether the report can omit files that change just as the patches say.
    pub(super) is_brief: bool,
    /// Whether the report lists every failure.
    pub(super) is_complete: bool,
    /// Whether `changed` is about the result that was computed and not written.
    pub(super) is_dry: bool,
    /// Whether the patches are those of a saved plan.
    pub(super) is_saved: bool,
    /// What becomes of the other names of files.
    pub(super) links: Links,
}

impl Command {
    /// Returns a command without options, under the built-in policy.
    pub(super) fn of(name: &'static str, success: report::Outcome) -> Self {
        Self {
            name,
            success,
            policy: Arc::default(),
            is_described: false,
            is_brief: false,
            is_complete: false,
            is_dry: false,
            is_saved: false,
            links: Links::default(),
        }
    }
}

/// Patches before their names are resolved.
pub(super) struct Parsed {
    pub(super) plan: Plan<Name>,
    /// The problem of the first patch that cannot be read. No patch after it is read.
    pub(super) problem: Option<Problem>,
}

/// The operations that are applied.
#[derive(Default)]
pub(super) struct Selected {
    pub(super) plan: Plan,
    /// Whether every patch was read, so that the plan can be resolved.
    pub(super) is_read: bool,
    pub(super) left_out: Vec<LeftOut>,
    /// The files that filters left out, each with the name that it would have come from.
    pub(super) skipped: Vec<(Option<RelPath>, RelPath)>,
    /// The problems so far, in order.
    pub(super) problems: Vec<Problem>,
}

/// The resulting tree.
#[derive(Default)]
pub(super) struct Resolved {
    pub(super) selected: Selected,
    pub(super) resolution: Option<Resolution>,
    /// The white-space errors of a plan that is compared with no file, by the index of the operation.
    pub(super) described_whitespace: Vec<(usize, FileWhitespace)>,
    pub(super) index_report: Option<IndexReport>,
    pub(super) index_changes: Vec<IndexChange>,
    /// The findings of language servers.
    pub(super) findings: Option<Findings>,
}

/// The change in the tree, or the reason why there is none.
#[derive(Default)]
pub(super) struct Committed {
    pub(super) resolved: Resolved,
    pub(super) receipt: Option<Receipt>,
    /// The interrupted changes that were recovered before this one began.
    pub(super) recovered: Vec<Recovered>,
    /// What the rollback could not restore: the paths, and the displaced files.
    pub(super) unrestored: (Vec<RelPath>, Vec<KeptFile>),
    pub(super) signal: Option<i32>,
    pub(super) answers: Answers,
    pub(super) history: Option<HistoryReport>,
    /// The plan that the command is about if it resolves none.
    pub(super) plan_id: Option<String>,
    /// The time until which a plan is kept, in seconds since 1970.
    pub(super) saved_until: Option<u64>,
}

/// The results of the commands of the user.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) before: Option<CommandReport>,
    pub(super) verify: Option<CommandReport>,
    pub(super) after: Option<CommandReport>,
}

impl Answers {
    /// Puts them into `report`.
    fn tell(&self, report: &mut Report) {
        (report.before, report.verify, report.after) = (self.before.clone(), self.verify.clone(), self.after.clone());
    }
}

fn has_error(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.severity == Severity::Error)
}

impl Selected {
    /// Returns the stage of a command that found only `problem`.
    pub(super) fn refused(problem: Problem) -> Self {
        Self { problems: vec![problem], ..Self::default() }
    }

    pub(super) fn is_refused(&self) -> bool {
        has_error(&self.problems)
    }

    pub(super) fn fail(&mut self, failure: &Failure) {
        let mut problems = failed(failure);
        if let (Failure::Workspace(error), [problem]) = (failure, &mut problems[..]) {
            name_refusal(problem, error, &self.plan);
        }
        self.problems.extend(problems);
    }
}

impl Resolved {
    pub(super) fn is_refused(&self) -> bool {
        self.selected.is_refused()
    }

    /// Adds `resolution`, and refuses it if another plan than `approve` was approved.
    pub(super) fn add(&mut self, mut resolution: Resolution, command: &Command, approve: Option<&str>) {
        self.selected.problems.append(&mut resolution.problems);
        self.resolution = Some(resolution);
        if let Some(approved) = approve.filter(|_| !self.is_refused())
            && self.plan_id(command).as_deref() != Some(approved)
        {
            self.selected.problems.push(not_approved());
        }
    }

    fn plan_id(&self, command: &Command) -> Option<String> {
        report::build(&self.parts(command, self.success(command))).plan_id
    }

    /// Returns the outcome if there is no error.
    fn success(&self, command: &Command) -> report::Outcome {
        let resolution = self.resolution.as_ref();
        let is_reduced = self.selected.problems.iter().any(|problem| problem.severity == Severity::Reject);
        match (is_reduced, resolution) {
            (true, None) => report::Outcome::DoesNotApply,
            (true, Some(resolution)) if resolution.changes == 0 => report::Outcome::DoesNotApply,
            (true, _) => command.success.partial(),
            (false, Some(resolution)) if resolution.is_partial() => command.success.partial(),
            (false, _) => command.success,
        }
    }

    fn parts<'a>(&'a self, command: &'a Command, success: report::Outcome) -> Parts<'a> {
        let selected = &self.selected;
        Parts {
            inputs: &selected.plan.inputs,
            plan: Some(&selected.plan),
            policy: Some(&command.policy),
            resolution: self.resolution.as_ref(),
            is_described: command.is_described,
            is_brief: command.is_brief,
            is_complete: command.is_complete,
            is_dry: command.is_dry,
            links: command.links,
            left_out: &selected.left_out,
            findings: self.findings.as_ref(),
            index: self.index_report.as_ref(),
            problems: &selected.problems,
            described_whitespace: &self.described_whitespace,
            ..Parts::new(command.name, success)
        }
    }
}

impl From<Selected> for Committed {
    fn from(selected: Selected) -> Self {
        Self { resolved: Resolved { selected, ..Resolved::default() }, ..Self::default() }
    }
}

impl Committed {
    /// Returns the stage of a command that found only `problem`.
    pub(super) fn refused(problem: Problem) -> Self {
        Selected::refused(problem).into()
    }

    pub(super) fn problems(&mut self) -> &mut Vec<Problem> {
        &mut self.resolved.selected.problems
    }

    pub(super) fn is_refused(&self) -> bool {
        self.resolved.is_refused()
    }

    /// Adds the recovered changes, with a warning about each file that could not be restored.
    pub(super) fn note_recovered(&mut self, recovered: Vec<Recovered>) {
        self.problems().extend(recovered.iter().filter_map(|one| unrestored(one, Severity::Warning)));
        self.recovered = recovered;
    }

    /// Adds the problems of `failure`; those of an index get the name that it has for people.
    pub(super) fn fail(&mut self, failure: &Failure, indexed: Option<&Indexed>) {
        let known = self.problems().len();
        self.resolved.selected.fail(failure);
        if let Some(indexed) = indexed {
            let problems = self.problems().split_off(known);
            self.problems().extend(problems.into_iter().map(|problem| indexed.named(problem)));
        }
        match failure {
            Failure::Interrupted(signal) => self.signal = Some(*signal),
            Failure::Incomplete { left, kept, .. } => self.unrestored = (left.clone(), kept.clone()),
            _ => {}
        }
    }

    pub(super) fn report(&self, command: &Command) -> Report {
        self.report_as(command, self.resolved.success(command))
    }

    /// Returns the report whose outcome is `success` if there is no error.
    pub(super) fn report_as(&self, command: &Command, success: report::Outcome) -> Report {
        let mut report = report::build(&Parts {
            plan_id: self.plan_id.as_deref(),
            saved_until: self.saved_until,
            signal: self.signal,
            receipt: self.receipt.as_ref(),
            recovered: &self.recovered,
            unrestored: (&self.unrestored.0, &self.unrestored.1),
            history: self.history.as_ref(),
            ..self.resolved.parts(command, success)
        });
        self.answers.tell(&mut report);
        report.skipped.clone_from(&self.resolved.selected.skipped);
        report
    }

    pub(super) fn finish(self, command: &Command) -> Outcome {
        self.finish_with_operations(command).0
    }

    pub(super) fn finish_with_operations(mut self, command: &Command) -> (Outcome, Vec<Operation>) {
        // The patches applied when the plan was saved, so the tree has changed since.
        let is_told = self.problems().iter().any(|problem| problem.code == &code::NOT_APPROVED);
        if command.is_saved && !is_told && self.report(command).outcome == report::Outcome::DoesNotApply {
            self.problems().insert(0, not_approved());
        }
        let is_indexed = self.resolved.index_report.as_ref().is_some_and(IndexReport::decides);
        let Selected { plan, problems, .. } = &mut self.resolved.selected;
        for problem in problems {
            if is_indexed && *problem.code == code::MISSING && !problem.facts.is_untracked {
                name_index(problem);
            }
            say_listed(problem, &plan.inputs);
        }
        let report = self.report(command);
        let Resolved { selected: Selected { plan, problems, .. }, resolution, .. } = self.resolved;
        if let Some(resolution) = resolution.filter(|resolution| resolution.files.len() >= MANY) {
            threads::leave(move || drop(resolution));
        }
        (Outcome { report, inputs: plan.inputs, problems }, plan.operations)
    }
}
