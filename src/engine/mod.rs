//! The order of the stages: a function for each verb of the program.
//!
//! | verb | here |
//! | --- | --- |
//! | `show --html` | [`exhibit`] with a [`Request`] |
//! | `check --save`, `apply --plan`, `reject` | [`save`], [`planned`], [`reject`], [`withdraw`] |
//! | `check`, `apply`, `apply --stat` | [`check`], [`apply`], [`describe`] with a [`Request`] |
//! | `edit` | [`change`] with [`Change::edit`], [`Change::edit_all`], [`Change::edit_range`], [`Change::insert_after`], [`Change::insert_before`], [`Change::edits`], [`Change::edit_list`] |
//! | `write`, `append` | [`change`] with [`Change::write`], [`Change::overwrite`], [`Change::append`], [`Change::append_lines`] |
//! | `notebook` | [`change`] with [`Change::notebook`] |
//! | `read`, `list`, `diff` | [`read`], [`list`], [`diff`] with a [`ReadRequest`], a [`ListRequest`], a [`DiffRequest`] |
//! | `show` of a patch | [`preview`] with a [`Request`] |
//! | `log`, `show` of a change | [`log`], [`show`] |
//! | `undo`, `redo` | [`undo`] with an [`UndoRequest`] |
//! | `recover`, `init`, `gc` | [`recover`], [`init`], [`gc`] |
//! | `mcp` | [`tool`], which takes the call of a model as JSON |
//!
//! What is asked for is a plain struct: take the one that `of`, or a function of its verb, returns, and say what is to be
//! other than usual. What comes of it is an [`Outcome`] with the [`Report`] that the program prints as JSON. What only
//! looks returns what it found, or the outcome that says why not.

mod approval;
mod change;
mod commands;
mod describe;
mod diagnose;
mod follow;
mod govern;
mod lenient;
mod log;
mod look;
pub mod options;
mod page;
mod preview;
mod problems;
mod recall;
mod request;
mod tool;
mod undo;

use std::path::Path;
use std::sync::Arc;

use crate::change::{Dropped, Sink};
use crate::diagnostics::{self, Findings, Place};
use crate::plan::{self, Input, LeftOut, Plan, Selected};
use crate::policy::{Policy, Verdict};
use crate::preflight::{self, Problem, Resolution, code};
use crate::report::{self, Parts, Report};
use crate::syntax;
use crate::transaction::history::Label;
use crate::transaction::{self, Failure, Interrupt, Links, Receipt, Recovered, SingleChange, Transaction};
use crate::workspace::{Workspace, WorkspaceError};

pub use crate::workspace::disk::Disk;
pub use crate::workspace::objects::{Objects, Repository};

pub use approval::{planned, reject, save, withdraw};
pub use change::{Change, Parents, change};
pub use commands::{AT_WORK, Commands, is_within};
pub use describe::describe;
pub use govern::{UnusablePolicy, policy_layer, unusable};
pub use lenient::Lenience;
pub use log::{gc, init, log, recover, show};
pub use look::{DiffRequest, ListRequest, Order, ReadRequest, View, Window, diff, list, read};
pub use page::{Exhibition, exhibit};
pub use preview::{Preview, preview};
pub use request::Request;
pub use tool::{Effect, TOOLS, Tool, ToolAnswer, ToolOptions, below, root_names, tool};
pub use undo::{Target, UndoRequest, undo};

use commands::Answers;
use diagnose::{Noted, Waiting};
use govern::governed;
use problems::{altered, broken, failed, half_made, not_approved, rejected, skipped, unapproved, unchosen, unswept};

/// What came of it.
#[derive(Clone, Debug)]
#[must_use]
pub struct Outcome {
    /// What the caller reads.
    pub report: Report,
    /// The patch texts, for excerpts.
    pub inputs: Vec<Input>,
    /// Every problem, with its place.
    pub problems: Vec<Problem>,
}

/// Opens the directory `root` of the disk.
///
/// # Errors
///
/// Returns an error if it is no directory that can be opened.
///
/// # Examples
///
/// ```no_run
/// use std::path::Path;
///
/// use wpatch::engine::{self, Change};
/// use wpatch::transaction::Interrupt;
///
/// let workspace = engine::open(Path::new("/srv/project"))?;
/// let outcome = engine::change(Change::edit("a.txt", "one", "two"), &workspace, &Interrupt::new());
/// assert!(outcome.report.ok, "{:?}", outcome.report.error);
/// # Ok::<(), wpatch::workspace::WorkspaceError>(())
/// ```
pub fn open(root: &Path) -> Result<Disk, WorkspaceError> {
    Disk::open(root)
}

/// Opens the directory `root` of the disk, and lets the history be kept in `above/wpatch` where there is no place for
/// it below the root. `above` need not be there yet; nothing is kept in it if it is below the root itself.
///
/// # Errors
///
/// Returns an error as [`open`] does.
pub fn open_with_attic(root: &Path, above: &Path) -> Result<Disk, WorkspaceError> {
    Ok(Disk::open(root)?.with_attic(root, above))
}

/// Opens the tree of `revision`, any name that git knows, in the repository `git_dir`, for [`check`], [`read`] and whatever
/// else only looks. There need be no checkout.
///
/// Of many trees of one repository, open a [`Repository`] once: it keeps what it read, and the git that reads.
///
/// # Security
///
/// git runs nothing that the repository names and fetches nothing; whose repository it is it does not ask.
///
/// # Errors
///
/// Returns an error of the kind [`Fault::Missing`](crate::workspace::Fault::Missing) if there is no such revision, and of
/// another one if the repository or git itself cannot be read.
///
/// # Examples
///
/// ```no_run
/// use std::path::Path;
///
/// use wpatch::engine::{self, Request};
///
/// let tree = engine::open_tree(Path::new("/srv/project/.git"), "main")?;
/// let report = engine::check(Request::of("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n"), &tree).report;
/// println!("{}", report.ok);
/// # Ok::<(), wpatch::workspace::WorkspaceError>(())
/// ```
pub fn open_tree(git_dir: &Path, revision: &str) -> Result<Objects, WorkspaceError> {
    Repository::at(git_dir).tree(revision.as_bytes())
}

/// Says what [`apply`] would do, taking no lock and writing nothing, not even a time stamp.
///
/// The report names the change, for [`Request::approve`], if it is asked to describe.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"a")?, Entry::file("one\ntwo\n"))]);
/// let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-three\n+3\n";
/// let report = engine::check(Request::of(patch), &workspace).report;
/// let error = report.error.unwrap();
/// assert_eq!((error.kind, report.exit_code), ("not_found", 1));
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn check(mut request: Request, workspace: &dyn Workspace) -> Outcome {
    match governed("check", &request.preflight.policy, workspace) {
        Ok(policy) => request.preflight.policy = policy,
        Err(outcome) => return *outcome,
    }
    let mut run = Run::new("check", report::Outcome::WouldApply);
    let approve = request.approve.clone();
    let options = run.described(&request);
    run.admit(approve.as_deref(), workspace);
    if run.read_for(request, workspace) {
        // A signal that comes now ends the process at once.
        run.look(workspace, &options, approve.as_deref(), &Interrupt::new());
    }
    run.finish()
}

/// Makes the whole change, or leaves the tree as it was and says why.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::Interrupt;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let path = RelPath::new(b"a")?;
/// let workspace = Memory::with_files([(path.clone(), Entry::file("one\ntwo\n"))]);
/// let patch = "*** Begin Patch\n*** Update File: a\n@@\n-two\n+2\n*** End Patch\n";
/// let request = Request { format: "codex".to_owned(), ..Request::of(patch) };
/// assert!(engine::apply(request, &workspace, &Interrupt::new()).report.changed);
/// assert_eq!(workspace.files()[&path].contents, b"one\n2\n");
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn apply(mut request: Request, workspace: &dyn Workspace, interrupt: &Interrupt) -> Outcome {
    match governed("apply", &request.preflight.policy, workspace) {
        Ok(policy) => request.preflight.policy = policy,
        Err(outcome) => return *outcome,
    }
    let mut run = Run::new("apply", report::Outcome::Applied);
    let approve = request.approve.clone();
    let options = run.described(&request);
    let (transaction, commands) = (request.transaction, request.commands.clone());
    run.admit(approve.as_deref(), workspace);
    if let Some(misuse) = commands.misuse() {
        run.problems.push(Problem::new(&code::USAGE, misuse));
    } else if run.read_for(request, workspace) {
        run.make(workspace, &options, transaction, approve.as_deref(), &commands, interrupt);
        run.settle(approve.as_deref(), workspace);
    }
    run.finish()
}

/// Returns the outcome of what `problem` keeps from beginning.
fn refused(command: &'static str, problem: Problem) -> Box<Outcome> {
    let mut run = Run::new(command, report::Outcome::Described);
    run.problems.push(problem);
    Box::new(run.finish())
}

/// One command on its way through the stages.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Run {
    command: &'static str,
    /// How it ends if nothing speaks against it.
    success: report::Outcome,
    /// What may be done.
    policy: Arc<Policy>,
    plan: Plan,
    resolution: Option<Resolution>,
    problems: Vec<Problem>,
    receipt: Option<Receipt>,
    recovered: Vec<Recovered>,
    signal: Option<i32>,
    is_described: bool,
    is_dry: bool,
    /// Whether the tree is to be changed now.
    is_making: bool,
    /// What becomes of the other names of files.
    links: Links,
    /// What the commands of the user said.
    answers: Answers,
    /// What was repaired in each patch.
    repairs: Vec<Vec<plan::Repair>>,
    left_out: Vec<LeftOut>,
    /// Whether the patches are those of a saved plan.
    is_saved: bool,
    /// Until when a plan is kept, in seconds since 1970.
    saved_until: Option<u64>,
    /// The plan that the command is about, where it looks at none.
    plan_id: Option<String>,
    /// What language servers are asked, and what they said.
    diagnostics: Option<diagnostics::Options>,
    findings: Option<Findings>,
}

impl Run {
    fn new(command: &'static str, success: report::Outcome) -> Self {
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
            is_making: false,
            links: Links::default(),
            answers: Answers::default(),
            repairs: Vec::new(),
            left_out: Vec::new(),
            is_saved: false,
            saved_until: None,
            plan_id: None,
            diagnostics: None,
            findings: None,
        }
    }

    /// Returns how the tree is looked at. An approval binds to digests, so they have to be worked out.
    fn described(&mut self, request: &Request) -> preflight::Options {
        self.diagnostics.clone_from(&request.diagnostics);
        let options = request.commands.described(request.preflight.clone());
        self.is_described = options.describe || request.approve.is_some();
        self.links = request.transaction.links;
        self.is_saved = request.is_saved;
        self.policy = Arc::clone(&request.preflight.policy);
        let mut options = preflight::Options { describe: self.is_described, ..options };
        // Where git would take one of several places, nobody knows which one a model means.
        options.rules.unique |= request.lenience.is_some();
        options
    }

    /// Parses and selects; returns whether there is a plan to look at.
    fn read(&mut self, request: Request) -> bool {
        let among = syntax::chosen(&request.format);
        if among.is_empty() {
            self.problems.push(Problem::new(&code::USAGE, format!("unknown format {}", request.format)));
            return false;
        }
        let mut whole = Plan { inputs: Vec::new(), operations: Vec::new() };
        for (name, bytes) in request.patches {
            match syntax::parse(&name, bytes, &among, request.syntax) {
                Ok(plan) => whole.append(plan),
                Err(error) => {
                    self.problems.push(broken(&error.error, whole.inputs.len()));
                    whole.inputs.push(error.input);
                    self.plan.inputs = whole.inputs;
                    return false;
                }
            }
        }
        self.select(whole, &request.selection);
        true
    }

    /// Takes of `whole` what is meant.
    fn select(&mut self, whole: Plan<plan::Name>, selection: &plan::Selection) {
        let Selected { plan, rejections, skipped: filtered, left_out } = plan::select(whole, selection);
        self.plan = plan;
        self.problems.extend(rejections.iter().map(rejected));
        match left_out {
            Ok(left_out) => self.left_out = left_out,
            // Of a patch that names other files than it should, the numbers are not those that anybody saw.
            Err(_) if !rejections.is_empty() => {}
            Err(error) => self.problems.push(unchosen(&error)),
        }
        if self.plan.operations.is_empty() && rejections.is_empty() {
            self.problems.push(skipped(&filtered));
        }
    }

    fn is_refused(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == preflight::Severity::Error)
    }

    fn resolved(&mut self, mut resolution: Resolution, approve: Option<&str>) {
        self.problems.append(&mut resolution.problems);
        if self.is_making && approve.is_none() {
            self.problems.extend(unapproved(&resolution));
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
    fn look(
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
    fn resolve(
        &mut self,
        workspace: &dyn Workspace,
        options: &preflight::Options,
        sink: &dyn Sink,
        approve: Option<&str>,
        interrupt: &Interrupt,
    ) -> Result<Option<Waiting>, Failure> {
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
    fn make(
        &mut self,
        workspace: &dyn Workspace,
        options: &preflight::Options,
        transaction: transaction::Options,
        approve: Option<&str>,
        commands: &Commands,
        interrupt: &Interrupt,
    ) {
        // Not even a lock is made for what policy refuses.
        let verdict = preflight::verdict(&self.plan, workspace, &options.policy);
        let is_held = verdict == Verdict::Deny || verdict == Verdict::Ask && approve.is_none();
        self.is_making = true;
        let result = if self.is_refused() || is_held {
            preflight::resolve(&self.plan, workspace, options, &Dropped)
                .map(|resolution| self.resolved(resolution, approve))
                .map_err(Failure::Workspace)
        } else {
            self.commit(workspace, options, transaction, approve, commands, interrupt)
        };
        if let Err(failure) = result {
            self.fail(&failure);
        }
        self.tell_after(commands, interrupt);
    }

    fn commit(
        &mut self,
        workspace: &dyn Workspace,
        options: &preflight::Options,
        transaction: transaction::Options,
        approve: Option<&str>,
        commands: &Commands,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        if self.plan.is_single()
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
        let (transaction, recovered) = Transaction::begin(workspace, transaction, interrupt)?;
        self.recovered = recovered;
        let waiting = self.resolve(workspace, options, &transaction, approve, interrupt)?;
        if self.is_refused() {
            transaction.abandon();
            return Ok(());
        }
        let label = Label { command: self.command.to_owned(), ..Label::default() };
        self.conclude(transaction.labelled(label), waiting, workspace, commands, interrupt)
    }

    /// Commits, unless a language server that is waiting, or a command of the user, says no.
    fn conclude<'w>(
        &mut self,
        transaction: Transaction<'w>,
        waiting: Option<Waiting>,
        workspace: &'w dyn Workspace,
        commands: &Commands,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        if !self.ask_before(commands, workspace, interrupt)? {
            transaction.abandon();
            return Ok(());
        }
        let verification = self.verification(commands, workspace)?;
        let mut transaction: Transaction<'_> = transaction;
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

    fn fail(&mut self, failure: &Failure) {
        self.problems.extend(failed(failure));
        if let Failure::Interrupted(signal) = failure {
            self.signal = Some(*signal);
        }
    }

    fn report(&self) -> Report {
        self.report_as(self.success)
    }

    /// Returns the report as it is if nothing speaks against `success`.
    fn report_as(&self, success: report::Outcome) -> Report {
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
            problems: &self.problems,
            signal: self.signal,
            receipt: self.receipt.as_ref(),
            recovered: &self.recovered,
            ..Parts::new(self.command, success)
        });
        self.answers.tell(&mut report);
        report
    }

    fn finish(mut self) -> Outcome {
        // What was checked did fit: the tree moved.
        if self.is_saved && self.report().outcome == report::Outcome::DoesNotApply {
            self.problems.insert(0, not_approved());
        }
        Outcome { report: self.report(), inputs: self.plan.inputs, problems: self.problems }
    }
}
