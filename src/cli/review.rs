//! `review`: shows a patch in a terminal, and applies the part that the reviewer accepts.
//!
//! Input: patches, a saved plan or the change of an edit session. The result is one transaction, a
//! saved plan or a rejection, and the decisions in the report. Invariant: without edits of hunks, the
//! accepted part is the part that `apply --only` selects with the list in the decisions.
//!
//! Read `choices` first (the decisions as data), then `state` (the actions on them). `screen` and
//! `prompts` are the two displays. `source` calls the engine for them.

mod action;
mod choices;
mod editor;
mod prompts;
mod question;
mod result;
mod reviewed;
mod screen;
mod source;
mod state;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;

use super::args::{Global, PatchOptions, ReviewOptions};
use super::early_exit::system_message;
use super::output::{Output, Verbosity};
use super::policy::load_policy;
use super::root::{open_to_change, with_root};
use super::show::choose_symbols;
use super::{CommandMode, EarlyExit, finish, request, watcher};
use crate::engine::options::{Interrupt, Problem, Workspace, code};
use crate::engine::{self, ApprovalMethod, HAS_TERMINAL_NAME, Outcome, Request};
use crate::report::ReviewResult;
use editor::Editor;
use prompts::Prompts;
use question::ReviewEnd;
use screen::TerminalOutput;
use source::{PatchOrigin, ReviewSource};
use state::ReviewState;

/// Reviews a patch, and prints the outcome.
pub(super) fn review(options: ReviewOptions, mut global: Global) -> ExitCode {
    let usual = Verbosity::Verbose;
    let outcome = run(options, &mut global).unwrap_or_else(|stop| stop.into_outcome("review"));
    finish(&outcome, &Output::of(&global, usual))
}

fn run(mut options: ReviewOptions, global: &mut Global) -> Result<Outcome, EarlyExit> {
    let display = Display::find(&options, global)?;
    check_options(&options.patch)?;
    options.patch.add_gnu_options(options.gnu);
    let session = global
        .session
        .take_if(|_| options.patch.basic.patches.is_empty());
    if session.is_some() {
        use_top_of_work_tree(global)?;
    }
    let workspace = open_to_change(global)?;
    let mut request = match &session {
        Some(id) => session_request(options.patch, (id, &*workspace), global)?,
        None => patch_request(options.patch, &*workspace, global)?,
    };
    request.commit.commands = options.commands.commands(global);
    request.commit.attribution = options.attribution.attribution(global);
    request.commit.attribution.approval = Some(ApprovalMethod::Review);
    let origin = session.map_or(PatchOrigin::Patches, PatchOrigin::Session);
    let source = ReviewSource::new(request, &*workspace, origin);
    let outcome = match ReviewState::new(source) {
        // The patch is malformed, or changes nothing.
        Ok(state) if state.choices().units().is_empty() => state.source().check(None),
        Ok(mut state) => review_until_done(&mut state, display, global)?,
        Err(outcome) => *outcome,
    };
    let mut outcome = with_root(outcome, global);
    outcome.report.command = "review";
    Ok(outcome)
}

/// Returns an error for an option that has no meaning in a review.
fn check_options(patch: &PatchOptions) -> Result<(), EarlyExit> {
    let given = [
        (patch.approve.is_some(), "--approve"),
        (patch.approve_part.is_some(), "--approve-part"),
        (patch.git.reject, "--reject"),
        (patch.merge.merge_hunks.is_some(), "--merge"),
        (patch.merge.conflict.is_some(), "--conflict"),
        (
            patch.is_apply_disabled(),
            "--stat and other options that turn applying off",
        ),
    ];
    match given.iter().find(|(is_given, _)| *is_given) {
        Some((_, name)) => Err(EarlyExit::usage(&format!(
            "`review` does not support {name}"
        ))),
        None => Ok(()),
    }
}

/// Makes the top of the work tree the root, because the change of a session names files from there.
fn use_top_of_work_tree(global: &mut Global) -> Result<(), EarlyExit> {
    let workspace = open_to_change(global)?;
    if let Some(top) = engine::history_root(&*workspace) {
        global.root = Some(top.to_owned());
    }
    Ok(())
}

/// Returns the request for the change of the session `id`.
fn session_request(
    patch: PatchOptions,
    (id, workspace): (&str, &dyn Workspace),
    global: &Global,
) -> Result<Request, EarlyExit> {
    let policy = load_policy(global)?;
    let session = engine::open_session(workspace, id).map_err(first_problem)?;
    let difference = engine::diff_session(&session, &policy, usize::MAX).map_err(first_problem)?;
    let request = request::build_request(patch, CommandMode::Apply, global)?;
    Ok(Request {
        what: Request::of(difference.diff).what,
        ..request
    })
}

/// Returns the request for the patches, or for the saved plan that the only operand names.
fn patch_request(
    patch: PatchOptions,
    workspace: &dyn Workspace,
    global: &Global,
) -> Result<Request, EarlyExit> {
    let Some(id) = plan_name(&patch) else {
        return request::read_request(patch, CommandMode::Apply, global);
    };
    let usual = request::build_request(patch, CommandMode::Apply, global)?;
    engine::load_plan(usual, workspace, &id).map_err(first_problem)
}

/// Returns the only operand if it has the form of a `plan_id` or of its first digits, and no file has
/// this name.
fn plan_name(patch: &PatchOptions) -> Option<String> {
    let [only] = &*patch.basic.patches else {
        return None;
    };
    let name = only.to_str()?;
    let digits = name.strip_prefix("sha256:").unwrap_or(name);
    let is_plan = (8..=64).contains(&digits.len())
        && digits
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && Path::new(name).symlink_metadata().is_err();
    is_plan.then(|| name.to_owned())
}

#[allow(clippy::boxed_local, reason = "the type of the engine's errors")]
fn first_problem(mut outcome: Box<Outcome>) -> EarlyExit {
    if outcome.problems.is_empty() {
        return EarlyExit::new(&code::IO, "the change cannot be read".to_owned());
    }
    EarlyExit::from_problem(outcome.problems.swap_remove(0))
}

/// The way in which the review appears.
#[derive(Clone, Copy, Debug)]
enum Display {
    Screen(TerminalOutput),
    Prompts(TerminalOutput, ColorChoice),
}

impl Display {
    fn find(options: &ReviewOptions, global: &Global) -> Result<Self, EarlyExit> {
        let output = TerminalOutput::find().filter(|_| !global.caller.is_library());
        let Some(output) = output else {
            return Err(EarlyExit {
                help: Some(
                    "use `check --json` to read the change, and `apply --approve --only` to apply a \
                     part of it"
                        .to_owned(),
                ),
                ..EarlyExit::usage("`review` needs a terminal")
            });
        };
        let is_capable = !HAS_TERMINAL_NAME
            || env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb");
        Ok(match (options.prompts, is_capable) {
            (_, false) => Self::Prompts(output, ColorChoice::Never),
            (true, true) => Self::Prompts(output, output.color(global)),
            (false, true) => Self::Screen(output),
        })
    }

    fn is_screen(self) -> bool {
        matches!(self, Self::Screen(_))
    }

    fn run(
        self,
        state: &mut ReviewState<'_>,
        interrupt: &Interrupt,
        global: &Global,
    ) -> Result<ReviewEnd, EarlyExit> {
        let editor = Editor::of(global);
        let ended = match self {
            Self::Screen(output) => {
                let look = (output.color(global), choose_symbols());
                screen::run(state, output, look, (&editor, interrupt))
            }
            Self::Prompts(output, color) => {
                Prompts::new(output, color, editor).and_then(|mut prompts| prompts.run(state))
            }
        };
        ended.map_err(|error| {
            let message = format!("cannot use the terminal: {}", system_message(&error));
            EarlyExit::new(&code::IO, message)
        })
    }
}

/// Runs the review, and applies, saves or rejects the result. If a file changes after the
/// confirmation, the review on a screen continues.
fn review_until_done(
    state: &mut ReviewState<'_>,
    display: Display,
    global: &Global,
) -> Result<Outcome, EarlyExit> {
    loop {
        let interrupt = if display.is_screen() {
            global.caller.catch_signals()?
        } else {
            // The terminal sends signals as usual, and nothing needs to be restored.
            global.caller.interrupt()
        };
        let ending = display.run(state, &interrupt, global)?;
        let interrupt = global.caller.catch_signals()?;
        let (mut outcome, result) = finish_review(state, ending, &interrupt, global);
        if result == ReviewResult::Failed && display.is_screen() && state.refresh() {
            continue;
        }
        let mut decisions = result::decisions(state, result);
        if outcome.report.ok {
            decisions
                .accepted_plan_id
                .clone_from(&outcome.report.plan_id);
        }
        outcome.report.decisions = Some(Box::new(decisions));
        return Ok(outcome);
    }
}

/// Does what the reviewer has confirmed.
fn finish_review(
    state: &ReviewState<'_>,
    ending: ReviewEnd,
    interrupt: &Interrupt,
    global: &Global,
) -> (Outcome, ReviewResult) {
    let result_of = |outcome: Outcome, result: ReviewResult| {
        let result = if outcome.report.ok {
            result
        } else {
            ReviewResult::Failed
        };
        (outcome, result)
    };
    match ending {
        ReviewEnd::Apply { only, plan_id } => {
            let outcome = watcher::show_progress(global, |progress| {
                state.source().apply(only, &plan_id, (progress, interrupt))
            });
            result_of(outcome, ReviewResult::Applied)
        }
        ReviewEnd::Save { only, plan_id } => {
            let outcome = state.source().save(only, interrupt);
            let is_other = outcome.report.ok && outcome.report.plan_id.as_ref() != Some(&plan_id);
            if is_other {
                let message =
                    "a file changed before the plan was saved, so the saved plan is another one";
                let problem = Problem::new(&code::NOT_APPROVED, message);
                return (
                    engine::ended_outcome("review", problem, None),
                    ReviewResult::Failed,
                );
            }
            result_of(outcome, ReviewResult::Saved)
        }
        ReviewEnd::Reject => reject(state, interrupt),
        ReviewEnd::Quit => {
            let message = "the review ended without an approval, so nothing was applied";
            let problem = Problem::new(&code::APPROVAL_REQUIRED, message);
            (
                engine::ended_outcome("review", problem, None),
                ReviewResult::Ended,
            )
        }
        ReviewEnd::Signal(signal) => {
            let outcome = EarlyExit::from_signal(signal).into_outcome("review");
            (outcome, ReviewResult::Ended)
        }
    }
}

/// Rejects the plan. A patch that does not apply has no plan.
fn reject(state: &ReviewState<'_>, interrupt: &Interrupt) -> (Outcome, ReviewResult) {
    if let Some(plan_id) = state.plan_id() {
        let reasons = result::reasons(state);
        let outcome = state.source().reject(plan_id, reasons, interrupt);
        // Without a history, the rejection is not recorded.
        let is_unrecorded = |problem: &Problem| problem.code == &code::NO_PLACE;
        if !outcome.report.ok && !outcome.problems.iter().all(is_unrecorded) {
            return (outcome, ReviewResult::Failed);
        }
    }
    let problem = Problem::new(&code::REJECTED, "the reviewer rejected the patch");
    (
        engine::ended_outcome("review", problem, None),
        ReviewResult::Rejected,
    )
}
