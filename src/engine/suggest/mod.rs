//! Suggests how to fix a patch that does not apply: other names for its files, another order of the
//! patches, or the option for a patch that is already applied.
//!
//! The input is a command that failed. The results are the help texts of its problems. Every
//! suggestion was tried: the changed request is read and resolved against the tree, and nothing is
//! written. A trial ends at the first hunk that does not match, without a search for the closest
//! match. Counts limit all work. Read `names.rs` first.

mod alike;
#[cfg(any(feature = "cli", feature = "html"))]
mod approval;
mod budget;
mod candidates;
mod command;
mod names;
mod order;

use super::stages::{Committed, Selected};
use super::steps::read_strict;
use super::task::CommandRun;
use super::{Decide, Patches, Series, SuggestionMode, UpdateScope};
use crate::change::DiscardSink;
use crate::matching::{MatchRules, MismatchDetail};
use crate::plan::Plan;
use crate::preflight::{self, Problem, ProblemCode, Resolution, Severity, WhitespaceAction, code};
use crate::progress::Progress;
use crate::text::Bytes;
use crate::workspace::Workspace;

use alike::explain_missing;
pub(super) use alike::explain_missing_file;
#[cfg(feature = "cli")]
pub(crate) use approval::local_approval;
#[cfg(feature = "html")]
pub(super) use approval::{PortableDecision, portable_approval, portable_decision};
use budget::Budget;

/// The limit on the total size of patches for which suggestions are tried, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The limit on the number of operations, and on the number of problems, of such patches.
const MAX_OPERATIONS: usize = 1024;

/// The problems that wrong names, a wrong order or an already applied patch can cause.
const FIXABLE_CODES: [ProblemCode; 13] = [
    code::MISSING,
    code::EXISTS,
    code::NOT_A_FILE,
    code::NOT_A_DIRECTORY,
    code::WRONG_TYPE,
    code::NOT_EMPTIED,
    code::WRONG_BLOB,
    code::NOT_FOUND,
    code::AMBIGUOUS,
    code::OVERLAP,
    code::ALREADY_APPLIED,
    code::TEXT_NOT_FOUND,
    code::NAME_STRIPPED,
];

/// The form of the patches of a request.
pub(super) struct SeriesInfo {
    series: Option<Series>,
    count: usize,
}

impl SeriesInfo {
    pub(super) fn of(patches: &Patches) -> Self {
        Self {
            series: patches.series.clone(),
            count: patches.texts.len(),
        }
    }
}

/// A command, with everything that a trial needs.
struct TrialContext<'a> {
    task: &'a CommandRun<'a>,
    series_info: &'a SeriesInfo,
    selected: &'a Selected,
    options: preflight::Options,
    workspace: &'a dyn Workspace,
    budget: Budget,
}

/// Adds suggestions to the problems of a patch that does not apply.
pub(super) fn suggest(
    task: &CommandRun<'_>,
    origin: &SeriesInfo,
    options: &preflight::Options,
    done: &mut Committed,
) {
    if done.resolved.index_report.is_some() {
        suggest_adding(task.workspace, done.problems());
    }
    if !may_suggest(task) || !is_worth_trying(done) {
        return;
    }
    let mut options = preflight::Options {
        rules: MatchRules {
            detail: MismatchDetail::Nothing,
            ..options.rules.clone()
        },
        describe: false,
        diff: false,
        full_diff: false,
        reject: false,
        guards: Vec::new(),
        three_way: None,
        merge_hunks: None,
        progress: Progress::default(),
        ..options.clone()
    };
    // A trial only shows whether the patch applies, so whitespace errors do not matter.
    options.whitespace.action = WhitespaceAction::NoWarn;
    let (workspace, selected) = (task.workspace, &mut done.resolved.selected);
    let budget = Budget::of(&selected.plan.operations, workspace);
    let trials = TrialContext {
        task,
        series_info: origin,
        selected,
        options,
        workspace,
        budget,
    };
    if let Some(advice) = names::suggest(&trials).or_else(|| order::suggest(&trials)) {
        advice.add_to(&mut selected.problems);
    }
    for problem in &mut selected.problems {
        explain_missing(problem, workspace, &task.command.policy);
    }
}

/// Returns whether the request allows other names or another order of the patches.
fn may_suggest(task: &CommandRun<'_>) -> bool {
    let decide = &task.request.decide;
    task.request.look.hints != SuggestionMode::None
        && !task.command.is_saved
        && !decide.lenient
        && decide.only.is_none()
        && decide.expect_hash.is_none()
        && decide.index != Some(UpdateScope::Cached)
}

/// Suggests `git add` for files that are in the work tree but not in the index.
fn suggest_adding(workspace: &dyn Workspace, problems: &mut [Problem]) {
    for problem in problems
        .iter_mut()
        .filter(|problem| *problem.code == code::MISSING)
    {
        let is_there = |path| workspace.stat(path).is_ok_and(|stat| stat.is_some());
        if problem.path.as_ref().is_some_and(is_there) && !problem.facts.is_untracked {
            let help =
                "run `git add` on the file first, or apply the patch without --index and --cached";
            problem.help = Some(help.to_owned());
        }
    }
}

/// Returns whether suggestions can help with every error.
fn is_worth_trying(done: &Committed) -> bool {
    let Selected { plan, problems, .. } = &done.resolved.selected;
    let is_error = |problem: &&Problem| problem.severity != Severity::Warning;
    let mut errors = problems.iter().filter(is_error).peekable();
    let size = plan.size();
    // If a part of the patch was applied, a trial would see another tree.
    (done.result.receipt.is_none()
        || done
            .resolved
            .resolution
            .as_ref()
            .is_some_and(|resolution| resolution.changes == 0))
        && errors.peek().is_some()
        && size <= MAX_BYTES
        && plan.operations.len().max(problems.len()) <= MAX_OPERATIONS
        && errors.all(|problem| FIXABLE_CODES.contains(problem.code))
}

/// The help for the problems of a patch.
pub(super) struct ProblemHelp {
    /// The problems that get this help; empty for all.
    codes: &'static [ProblemCode],
    /// For the user of the command line.
    help: String,
    /// For a model.
    next_step: String,
}

impl ProblemHelp {
    /// Replaces the general help of the problems.
    fn add_to(self, problems: &mut [Problem]) {
        let is_helped = |problem: &&mut Problem| {
            problem.severity != Severity::Warning
                && (self.codes.is_empty() || self.codes.contains(problem.code))
        };
        for (nth, problem) in problems.iter_mut().filter(is_helped).enumerate() {
            // The first problem has the help for all of them. Only missing files repeat it.
            let is_listed = *problem.code == code::MISSING && problem.operation.is_some();
            problem.help = (nth == 0 || is_listed).then(|| self.help.clone());
            problem.facts.is_helped_elsewhere = problem.help.is_none();
            problem.facts.advice = Some(self.next_step.clone());
        }
    }
}

impl TrialContext<'_> {
    /// Returns the command line with `difference`; `None` if the request has none.
    fn command(&self, difference: &command::CommandChange) -> Option<String> {
        match &self.task.request.look.hints {
            SuggestionMode::Command(arguments) => command::write_command(arguments, difference),
            SuggestionMode::None | SuggestionMode::Text => None,
        }
    }

    /// Returns the patches as they were read; `None` if the plan has parts of them as separate
    /// inputs.
    fn patches(&self) -> Option<Vec<(String, Bytes)>> {
        let inputs = &self.selected.plan.inputs;
        let copy = |bytes: &[u8]| Bytes::from(bytes.to_vec());
        (inputs.len() == self.series_info.count).then(|| {
            inputs
                .iter()
                .map(|input| (input.name.clone(), copy(input.original())))
                .collect()
        })
    }

    /// Reads the patches with other options; `None` if they cannot be read with these options.
    fn read(&self, mut decide: Decide, workspace: &dyn Workspace) -> Option<Plan> {
        if let Some(naming) = &mut decide.gnu.naming
            && decide.strip != self.task.request.decide.strip
        {
            naming.strip = decide.strip;
        }
        let patches = Patches {
            texts: self.patches()?,
            series: self.series_info.series.clone(),
            is_saved: false,
        };
        let progress = Progress::default();
        let selected = read_strict(patches, &decide, workspace, &progress);
        (selected.is_resolvable && !selected.is_refused()).then_some(selected.plan)
    }
}

/// Resolves `plan`; `None` if it does not apply.
fn resolve(
    plan: &Plan,
    options: &preflight::Options,
    workspace: &dyn Workspace,
) -> Option<Resolution> {
    let resolution = preflight::resolve(plan, workspace, options, &DiscardSink).ok()?;
    resolution.is_clean().then_some(resolution)
}
