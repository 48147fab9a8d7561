//! One command on its way through the stages.

use std::mem;
use std::sync::Arc;

use super::commands::Answers;
use super::denied::name_refusal;
use super::diagnose::{Noted, Waiting};
use super::govern::{governed, reached};
use super::link_files::LinkFiles;
use super::problems::{failed, foreign, half_made, name_index, not_approved, say_listed, unrestored};
use super::{Commands, Indexed, Outcome, Request};
use crate::change::{Dropped, Sink};
use crate::diagnostics::{self, Findings, Place};
use crate::path::RelPath;
use crate::plan::{self, LeftOut, Operation, Plan};
use crate::policy::Policy;
use crate::preflight::{self, FileWhitespace, Problem, Resolution, code};
use crate::progress::Progress;
use crate::report::{self, HistoryReport, IndexReport, Parts, Report};
use crate::threads::{self, MANY};
use crate::transaction::history::IndexChange;
use crate::transaction::{self, Failure, Interrupt, KeptFile, Links, Receipt, Recovered};
use crate::workspace::Workspace;

/// One command on its way through the stages.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Run {
    pub(super) command: &'static str,
    /// How it ends if nothing speaks against it.
    pub(super) success: report::Outcome,
    /// What may be done.
    pub(super) policy: Arc<Policy>,
    pub(super) plan: Plan,
    pub(super) resolution: Option<Resolution>,
    pub(super) problems: Vec<Problem>,
    /// The errors in white space of a plan that is compared with no file, by the index of the operation.
    pub(super) described_whitespace: Vec<(usize, FileWhitespace)>,
    pub(super) receipt: Option<Receipt>,
    pub(super) recovered: Vec<Recovered>,
    /// What its own rollback could not put back: the paths, and the displaced files.
    pub(super) unrestored: (Vec<RelPath>, Vec<KeptFile>),
    pub(super) signal: Option<i32>,
    pub(super) is_described: bool,
    /// Whether the report may leave out files of which nothing has to be said.
    pub(super) is_brief: bool,
    /// Whether the report lists every failure.
    pub(super) is_complete: bool,
    pub(super) is_dry: bool,
    /// What becomes of the other names of files.
    pub(super) links: Links,
    /// What the commands of the user said.
    pub(super) answers: Answers,
    /// What was repaired in each patch.
    pub(super) repairs: Vec<Vec<plan::Repair>>,
    pub(super) left_out: Vec<LeftOut>,
    /// What the filters left out.
    pub(super) skipped: Vec<(Option<RelPath>, RelPath)>,
    /// Whether the patches are those of a saved plan.
    pub(super) is_saved: bool,
    /// Until when a plan is kept, in seconds since 1970.
    pub(super) saved_until: Option<u64>,
    /// The plan that the command is about, where it looks at none.
    pub(super) plan_id: Option<String>,
    /// What language servers are asked, and what they said.
    pub(super) diagnostics: Option<diagnostics::Options>,
    pub(super) findings: Option<Findings>,
    /// What of git's index is changed.
    pub(super) indexed: Option<Indexed>,
    pub(super) index_report: Option<IndexReport>,
    pub(super) index_changes: Vec<IndexChange>,
    /// Whether the change can be undone later.
    pub(super) history: Option<HistoryReport>,
    /// Whom it tells how far it is.
    pub(super) progress: Progress,
}

impl Run {
    pub(super) fn new(command: &'static str, success: report::Outcome) -> Self {
        Self {
            command,
            success,
            policy: Arc::default(),
            plan: Plan { inputs: Vec::new(), operations: Vec::new() },
            resolution: None,
            problems: Vec::new(),
            described_whitespace: Vec::new(),
            receipt: None,
            recovered: Vec::new(),
            unrestored: (Vec::new(), Vec::new()),
            signal: None,
            is_described: false,
            is_brief: false,
            is_complete: false,
            is_dry: false,
            links: Links::default(),
            answers: Answers::default(),
            repairs: Vec::new(),
            left_out: Vec::new(),
            skipped: Vec::new(),
            is_saved: false,
            saved_until: None,
            plan_id: None,
            diagnostics: None,
            findings: None,
            indexed: None,
            index_report: None,
            index_changes: Vec::new(),
            history: None,
            progress: Progress::default(),
        }
    }

    /// Begins a command on patches: under the policy that is in force, with what the request says of looking at the tree.
    ///
    /// # Errors
    ///
    /// Returns the outcome of a policy that cannot be used.
    pub(super) fn begin(
        command: &'static str,
        success: report::Outcome,
        request: &mut Request,
        workspace: &dyn Workspace,
    ) -> Result<(Self, preflight::Options), Box<Outcome>> {
        let (mut options, commit) = (request.preflight(), &request.commit);
        let mut run =
            Self::admitted((command, success), &mut options, commit.approve.as_deref(), &commit.commands, workspace)?;
        request.context.policy = options.policy;
        (request.look.describe, request.look.diff) = (options.describe, options.diff);
        let options = run.asked(request);
        Ok((run, options))
    }

    /// Begins a command that may change the tree, under the policy that is in force. An approval binds to digests, so they
    /// have to be worked out; one of a plan that was rejected is none.
    ///
    /// # Errors
    ///
    /// Returns the outcome of a policy that cannot be used.
    pub(super) fn admitted(
        (command, success): (&'static str, report::Outcome),
        options: &mut preflight::Options,
        approve: Option<&str>,
        commands: &Commands,
        workspace: &dyn Workspace,
    ) -> Result<Self, Box<Outcome>> {
        options.policy = preflight::with_other_names(governed(command, &options.policy, workspace)?, workspace);
        *options = commands.described(mem::take(options));
        options.describe |= approve.is_some();
        let mut run = Self::new(command, success);
        run.is_described = options.describe;
        run.policy = Arc::clone(&options.policy);
        run.progress = options.progress.clone();
        run.admit(approve, workspace);
        Ok(run)
    }

    /// Takes note of what `request` asks for, and returns how the tree is looked at.
    pub(super) fn asked(&mut self, request: &Request) -> preflight::Options {
        self.diagnostics.clone_from(&request.look.diagnostics);
        self.links = request.transaction().links;
        self.indexed = request.indexed();
        self.is_saved = request.patches().is_some_and(|patches| patches.is_saved);
        // GNU patch reports every hunk.
        self.is_complete = request.decide.gnu.as_gnu;
        // What the commands of the user get has all files.
        self.is_brief = request.look.is_brief && request.commit.commands.is_empty();
        request.preflight()
    }

    pub(super) fn is_refused(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == preflight::Severity::Error)
    }

    pub(super) fn resolved(&mut self, mut resolution: Resolution, approve: Option<&str>) {
        if self.problems.is_empty() {
            self.problems = mem::take(&mut resolution.problems);
        } else {
            self.problems.append(&mut resolution.problems);
        }
        if resolution.is_partial() {
            self.success = self.success.partial();
        }
        self.resolution = Some(resolution);
        if approve.is_some_and(|approved| !self.is_refused() && self.report().plan_id.as_deref() != Some(approved)) {
            self.problems.push(not_approved());
        }
    }

    /// Says whether the tree is what the next command is going to find.
    fn examine(&mut self, workspace: &dyn Workspace) {
        match transaction::examine(workspace) {
            Ok(true) => self.problems.push(half_made()),
            Ok(false) => {}
            Err(failure @ Failure::Foreign { .. }) => {
                self.problems.push(foreign(&failure, preflight::Severity::Warning));
            }
            Err(failure) => self.fail(&failure),
        }
    }

    /// Works out what would become of the tree.
    pub(super) fn look(
        &mut self,
        workspace: &dyn Workspace,
        options: &preflight::Options,
        approve: Option<&str>,
        interrupt: &Interrupt,
    ) {
        self.examine(workspace);
        let looked = self.resolve(workspace, options, &Dropped, approve, interrupt).and_then(|waiting| {
            let judged = waiting.as_ref().map_or(Ok(()), |waiting| waiting.ask(Place::Memory, interrupt));
            self.diagnosed(waiting);
            judged
        });
        if let Err(failure) = looked {
            self.end(failure, interrupt);
        }
    }

    /// Works out what becomes of the tree, and asks language servers about the one that is if it fits.
    pub(super) fn resolve<'w>(
        &mut self,
        workspace: &'w dyn Workspace,
        options: &preflight::Options,
        sink: &dyn Sink,
        approve: Option<&str>,
        interrupt: &Interrupt,
    ) -> Result<Option<Waiting<'w>>, Failure> {
        let link_files = LinkFiles(sink);
        let sink: &dyn Sink = if options.links_are_files { &link_files } else { sink };
        if self.links == Links::Kept {
            self.problems.extend(reached(&self.plan, &self.policy, workspace));
        }
        if let Some(indexed) = self.indexed.clone() {
            self.look_staged(&indexed, workspace, options, approve)?;
            return Ok(None);
        }
        let Some(asked) = self.diagnostics.clone() else {
            let resolution = preflight::resolve(&self.plan, workspace, options, sink)?;
            self.resolved(resolution, approve);
            return Ok(None);
        };
        let noted = Noted::new(&asked, sink);
        let resolution = preflight::resolve(&self.plan, workspace, options, &noted)?;
        self.resolved(resolution, approve);
        if self.is_refused() { Ok(None) } else { self.diagnose(noted, workspace, interrupt) }
    }

    /// Says why it ends. Who waits for git, or searches a file, stops when a signal comes.
    pub(super) fn end(&mut self, failure: Failure, interrupt: &Interrupt) {
        let failure = match (failure, interrupt.signal()) {
            (Failure::Workspace(_), Some(signal)) => Failure::Interrupted(signal),
            (failure, _) => failure,
        };
        self.fail(&failure);
    }

    /// Reports that `signal` ended a search after the problems were found, unless files changed.
    pub(super) fn end_search(&mut self, signal: i32) {
        if self.signal.is_none() && self.receipt.is_none() {
            self.fail(&Failure::Interrupted(signal));
        }
    }

    /// Notes what was recovered before the command began, and warns about what could not be put back.
    pub(super) fn note_recovered(&mut self, recovered: Vec<Recovered>) {
        self.problems.extend(recovered.iter().filter_map(|one| unrestored(one, preflight::Severity::Warning)));
        self.recovered = recovered;
    }

    pub(super) fn fail(&mut self, failure: &Failure) {
        let mut problems = failed(failure);
        if let (Failure::Workspace(error), [problem]) = (failure, &mut problems[..]) {
            name_refusal(problem, error, &self.plan);
        }
        let problems = problems.into_iter();
        self.problems.extend(match &self.indexed {
            Some(indexed) => problems.map(|problem| indexed.named(problem)).collect::<Vec<_>>(),
            None => problems.collect(),
        });
        match failure {
            Failure::Interrupted(signal) => self.signal = Some(*signal),
            Failure::Incomplete { left, kept, .. } => self.unrestored = (left.clone(), kept.clone()),
            _ => {}
        }
    }

    pub(super) fn report(&self) -> Report {
        let is_reduced = self.problems.iter().any(|problem| problem.severity == preflight::Severity::Reject);
        let has_rest = self.resolution.as_ref().is_some_and(|resolution| resolution.changes > 0);
        self.report_as(match (is_reduced, has_rest) {
            (false, _) => self.success,
            (true, true) => self.success.partial(),
            (true, false) => report::Outcome::DoesNotApply,
        })
    }

    /// Returns the report as it is if nothing speaks against `success`.
    pub(super) fn report_as(&self, success: report::Outcome) -> Report {
        let mut report = report::build(&Parts {
            inputs: &self.plan.inputs,
            plan: Some(&self.plan),
            policy: Some(&self.policy),
            resolution: self.resolution.as_ref(),
            is_described: self.is_described,
            is_brief: self.is_brief,
            is_complete: self.is_complete,
            is_dry: self.is_dry,
            links: self.links,
            left_out: &self.left_out,
            plan_id: self.plan_id.as_deref(),
            saved_until: self.saved_until,
            findings: self.findings.as_ref(),
            index: self.index_report.as_ref(),
            problems: &self.problems,
            described_whitespace: &self.described_whitespace,
            signal: self.signal,
            receipt: self.receipt.as_ref(),
            recovered: &self.recovered,
            unrestored: (&self.unrestored.0, &self.unrestored.1),
            history: self.history.as_ref(),
            ..Parts::new(self.command, success)
        });
        self.answers.tell(&mut report);
        report.skipped.clone_from(&self.skipped);
        report
    }

    pub(super) fn finish(self) -> Outcome {
        self.finish_with_operations().0
    }

    pub(super) fn finish_with_operations(mut self) -> (Outcome, Vec<Operation>) {
        // What was checked did fit: the tree moved.
        let is_told = self.problems.iter().any(|problem| problem.code == &code::NOT_APPROVED);
        if self.is_saved && !is_told && self.report().outcome == report::Outcome::DoesNotApply {
            self.problems.insert(0, not_approved());
        }
        let is_indexed = self.index_report.as_ref().is_some_and(IndexReport::decides);
        for problem in &mut self.problems {
            if is_indexed && *problem.code == code::MISSING && !problem.facts.is_untracked {
                name_index(problem);
            }
            say_listed(problem, &self.plan.inputs);
        }
        let report = self.report();
        if let Some(resolution) = self.resolution.take().filter(|resolution| resolution.files.len() >= MANY) {
            threads::leave(move || drop(resolution));
        }
        (Outcome { report, inputs: self.plan.inputs, problems: self.problems }, self.plan.operations)
    }
}
