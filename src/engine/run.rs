//! One command on its way through the stages.

use std::mem;
use std::sync::Arc;

use super::commands::Answers;
use super::diagnose::{Noted, Waiting};
use super::govern::{governed, reached};
use super::problems::{
    altered, broken, elsewhere, failed, half_made, not_approved, rejected, say_listed, skipped, unchosen, unswept,
};
use super::{Commands, Indexed, Outcome, Request};
use crate::change::{Dropped, Sink};
use crate::diagnostics::{self, Findings, Place};
use crate::plan::{self, LeftOut, Operation, Plan, Selected};
use crate::policy::Policy;
use crate::preflight::{self, Problem, Resolution, code};
use crate::progress::{Phase, Progress};
use crate::report::{self, IndexReport, Parts, Report};
use crate::syntax;
use crate::transaction::history::{IndexChange, Label};
use crate::transaction::{self, Failure, Interrupt, Links, Receipt, Recovered, SingleChange, Transaction};
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
    pub(super) receipt: Option<Receipt>,
    pub(super) recovered: Vec<Recovered>,
    pub(super) signal: Option<i32>,
    pub(super) is_described: bool,
    pub(super) is_dry: bool,
    /// What becomes of the other names of files.
    pub(super) links: Links,
    /// What the commands of the user said.
    pub(super) answers: Answers,
    /// What was repaired in each patch.
    pub(super) repairs: Vec<Vec<plan::Repair>>,
    pub(super) left_out: Vec<LeftOut>,
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
    /// Whom it tells how far it is.
    pub(super) progress: Progress,
}

/// On which terms a change is made.
pub(super) struct Terms<'a> {
    /// How the tree is looked at.
    pub(super) options: &'a preflight::Options,
    /// How the change is committed.
    pub(super) transaction: transaction::Options,
    /// The `plan_id` that was approved.
    pub(super) approve: Option<&'a str>,
    /// The commands of the user around it.
    pub(super) commands: &'a Commands,
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
            receipt: None,
            recovered: Vec::new(),
            signal: None,
            is_described: false,
            is_dry: false,
            links: Links::default(),
            answers: Answers::default(),
            repairs: Vec::new(),
            left_out: Vec::new(),
            is_saved: false,
            saved_until: None,
            plan_id: None,
            diagnostics: None,
            findings: None,
            indexed: None,
            index_report: None,
            index_changes: Vec::new(),
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
        let (approve, preflight) = (request.approve.as_deref(), &mut request.preflight);
        let mut run = Self::admitted((command, success), preflight, approve, &request.commands, workspace)?;
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
        options.policy = governed(command, &options.policy, workspace)?;
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
        self.diagnostics.clone_from(&request.diagnostics);
        self.links = request.transaction.links;
        self.indexed.clone_from(&request.index);
        self.is_saved = request.is_saved;
        let mut options = request.preflight.clone();
        // Where git would take one of several places, nobody knows which one a model means.
        options.rules.unique |= request.lenience.is_some();
        options
    }

    /// Parses and selects; returns whether there is a plan to look at.
    pub(super) fn read(&mut self, mut request: Request) -> bool {
        let whole = self.parsed(&mut request);
        whole.map(|whole| self.select(whole, &request.selection)).is_some()
    }

    /// The same for a tree, by whose files names may be chosen.
    pub(super) fn read_as(&mut self, mut request: Request, workspace: &dyn Workspace) -> bool {
        let Some(mut whole) = self.parsed(&mut request) else { return false };
        request.habits.name(&mut whole, request.selection.direction, workspace);
        self.select(whole, &request.selection);
        self.take_habits(&request.habits);
        true
    }

    fn parsed(&mut self, request: &mut Request) -> Option<Plan<plan::Name>> {
        let among = syntax::chosen(&request.format);
        if among.is_empty() {
            self.problems.push(Problem::new(&code::USAGE, format!("unknown format {}", request.format)));
            return None;
        }
        let mut whole = Plan { inputs: Vec::new(), operations: Vec::new() };
        request.preflight.progress.enter(Phase::Reading, 0);
        let series = request.series.as_ref();
        let options = syntax::Options { allow_empty: series.is_some() || request.syntax.allow_empty, ..request.syntax };
        for (index, (name, bytes)) in mem::take(&mut request.patches).into_iter().enumerate() {
            let listed = series.and_then(|series| Some((series.name.as_str(), *series.entries.get(index)?)));
            match syntax::parse(&name, bytes, &among, options) {
                Ok(mut plan) => {
                    if let Some((name, listed)) = listed {
                        plan.read_as(name, listed);
                    }
                    whole.append(plan);
                }
                Err(error) => {
                    self.problems.push(broken(&error.error, whole.inputs.len()));
                    let listed = listed.map(|(name, listed)| (name.to_owned(), listed.line));
                    whole.inputs.push(plan::Input { listed, ..error.input });
                    self.plan.inputs = whole.inputs;
                    return None;
                }
            }
        }
        Some(whole)
    }

    /// Takes of `whole` what is meant.
    pub(super) fn select(&mut self, whole: Plan<plan::Name>, selection: &plan::Selection) {
        let is_empty = whole.operations.is_empty();
        let Selected { plan, rejections, skipped: filtered, outside, left_out } = plan::select(whole, selection);
        self.plan = plan;
        self.problems.extend(rejections.iter().map(|rejection| rejected(rejection, selection.level())));
        match left_out {
            Ok(left_out) => self.left_out = left_out,
            // Of a patch that names other files than it should, the numbers are not those that anybody saw.
            Err(_) if !rejections.is_empty() => {}
            Err(error) => self.problems.push(unchosen(&error)),
        }
        if !outside.is_empty() {
            self.problems.push(elsewhere(&outside));
        } else if self.plan.operations.is_empty() && rejections.is_empty() && !is_empty {
            self.problems.push(skipped(&filtered));
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == preflight::Severity::Error)
    }

    pub(super) fn resolved(&mut self, mut resolution: Resolution, approve: Option<&str>) {
        self.problems.append(&mut resolution.problems);
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
            self.fail(&failure);
        }
    }

    /// Works out what becomes of the tree, and asks language servers about the one that is if it fits.
    fn resolve<'w>(
        &mut self,
        workspace: &'w dyn Workspace,
        options: &preflight::Options,
        sink: &dyn Sink,
        approve: Option<&str>,
        interrupt: &Interrupt,
    ) -> Result<Option<Waiting<'w>>, Failure> {
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

    /// Makes the change, unless something speaks against it.
    pub(super) fn make(&mut self, terms: &Terms<'_>, workspace: &dyn Workspace, interrupt: &Interrupt) {
        let &Terms { options, approve, commands, .. } = terms;
        // Not even a lock is made for what policy refuses.
        let is_held = preflight::is_held(&self.plan, workspace, options);
        let result = if (self.is_refused() || is_held) && self.indexed.is_some() {
            self.resolve(workspace, options, &Dropped, approve, interrupt).map(drop)
        } else if self.is_refused() || is_held {
            preflight::resolve(&self.plan, workspace, options, &Dropped)
                .map(|resolution| self.resolved(resolution, approve))
                .map_err(Failure::Workspace)
        } else {
            self.commit(terms, workspace, interrupt)
        };
        if let Err(failure) = result {
            self.fail(&failure);
        }
        self.tell_after(commands, interrupt);
    }

    fn commit(&mut self, terms: &Terms<'_>, workspace: &dyn Workspace, interrupt: &Interrupt) -> Result<(), Failure> {
        let &Terms { options, transaction, approve, commands } = terms;
        if self.plan.is_single()
            && !options.reject
            && self.indexed.is_none()
            && commands.is_empty()
            && self.diagnostics.is_none()
            && let Some(single) = SingleChange::begin(workspace, transaction)
        {
            let known = self.problems.len();
            self.resolve(workspace, options, &single, approve, interrupt)?;
            if self.is_refused() {
                return Ok(());
            }
            if let Some(receipt) = single.commit(interrupt)? {
                self.committed(receipt);
                return Ok(());
            }
            self.problems.truncate(known);
        }
        self.progress.enter(Phase::Waiting, 0);
        let (transaction, recovered) = Transaction::begin(workspace, transaction, interrupt)?;
        self.recovered = recovered;
        let waiting = match self.indexed.clone() {
            Some(indexed) => {
                self.stage_index(&indexed, workspace, options, &transaction, approve)?;
                None
            }
            None => self.resolve(workspace, options, &transaction, approve, interrupt)?,
        };
        if self.is_refused() {
            transaction.abandon();
            return Ok(());
        }
        let label = Label { command: self.command.to_owned(), index: self.index_record(), ..Label::default() };
        self.conclude(transaction.labelled(label), waiting, workspace, commands, interrupt)?;
        if let Some(indexed) = self.indexed.as_ref().filter(|_| self.receipt.is_some()) {
            indexed.refresh();
        }
        Ok(())
    }

    /// Commits, unless a language server that is waiting, or a command of the user, says no.
    pub(super) fn conclude<'w>(
        &mut self,
        transaction: Transaction<'w>,
        waiting: Option<Waiting<'w>>,
        workspace: &'w dyn Workspace,
        commands: &Commands,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        if !self.ask_before(commands, workspace, interrupt)? {
            transaction.abandon();
            return Ok(());
        }
        let verification = self.verification(commands, workspace)?;
        let mut transaction: Transaction<'_> = transaction.followed_by(self.progress.clone());
        if let Some(waiting) = &waiting {
            transaction = transaction.tried_by(waiting);
        }
        if let Some(verification) = &verification {
            transaction = transaction.tried_by(verification);
        }
        let committed = transaction.commit(interrupt);
        self.diagnosed(waiting);
        if let Some(verification) = verification {
            self.verified(verification);
        }
        self.committed(committed?);
        Ok(())
    }

    fn committed(&mut self, receipt: Receipt) {
        self.problems.extend(receipt.altered.iter().map(altered));
        self.problems.extend(receipt.warnings.iter().map(|warning| unswept(warning)));
        self.receipt = Some(receipt);
    }

    pub(super) fn fail(&mut self, failure: &Failure) {
        let problems = failed(failure).into_iter();
        self.problems.extend(match &self.indexed {
            Some(indexed) => problems.map(|problem| indexed.named(problem)).collect::<Vec<_>>(),
            None => problems.collect(),
        });
        if let Failure::Interrupted(signal) = failure {
            self.signal = Some(*signal);
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
            is_dry: self.is_dry,
            links: self.links,
            left_out: &self.left_out,
            plan_id: self.plan_id.as_deref(),
            saved_until: self.saved_until,
            findings: self.findings.as_ref(),
            index: self.index_report.as_ref(),
            problems: &self.problems,
            signal: self.signal,
            receipt: self.receipt.as_ref(),
            recovered: &self.recovered,
            ..Parts::new(self.command, success)
        });
        self.answers.tell(&mut report);
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
        for problem in &mut self.problems {
            say_listed(problem, &self.plan.inputs);
        }
        let outcome = Outcome { report: self.report(), inputs: self.plan.inputs, problems: self.problems };
        (outcome, self.plan.operations)
    }
}
