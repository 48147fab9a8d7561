//! `hook`: decides on a tool call of an agent, and registers itself with the agent.
//!
//! The input is the call as JSON on standard input. The output is a decision as JSON on standard
//! output. [`harnesses`] has one row for each supported program: how an input becomes a call, and
//! how a decision is printed. [`judge`] makes the decision for all of them; read it first. The hook
//! writes no file. [`install`] writes the configuration of a harness.
//!
//! The hook never grants more than its user configured. It prints nothing unless the call is
//! refused, policy asks, or the user allows the change by a rule or by `--allow`. Printing `allow`
//! in other cases would skip the prompt of the harness.
//!
//! A malformed call is blocked: the exit code is 2, and standard error contains the reason. All
//! harnesses treat this exit code as a refusal before a tool runs. Most of them let the call run
//! after any other failure of a hook. A policy that cannot be used denies everything.

mod action;
mod call;
mod claude;
mod codex;
mod control_links;
mod copilot;
mod cursor;
mod decision;
mod gemini;
mod harness;
mod harnesses;
mod install;
mod judge;
mod place;
mod rules;
mod search;
mod shell;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::args::Global;
use super::{EarlyExit, files, output};
use crate::engine::options::code;
use crate::report::{ProblemKind, refusal};
use call::input_error;
use decision::{Decision, DefaultDecision};
use harness::{Answer, Event, Harness, Stage};
use harnesses::harness_parser;
use install::InstallOptions;

/// The limit on the size of a call, in bytes.
const MAX_CALL: u64 = 64 << 20;
/// The limit on the length of a search pattern, in bytes. The time to compile and match a pattern
/// grows with its length.
const MAX_PATTERN: usize = 1024;
/// The limit on the length of a path, in bytes. Linux system calls accept no longer path
/// (`PATH_MAX`).
const MAX_NAME: usize = 4096;
/// The limit on the number of edits in one call. Each edit searches the whole file.
const MAX_EDITS: usize = 1000;
/// The exit code with which a hook blocks the call. Standard error contains the reason.
const BLOCKED: u8 = 2;
/// The next step for a model whose harness cannot ask the user.
const ASK_THE_USER: &str = "ask the user to make this change, and do not try to bypass the rule";

/// The options of `hook`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct HookOptions {
    /// The agent that calls the hook
    #[arg(required = true, value_parser = harness_parser())]
    agent: Option<&'static Harness>,
    /// Print `allow` for each change that applies and needs no approval
    ///
    /// The agent then asks no question. Without this option, the hook allows a change only if a
    /// rule with the verdict `allow` in the user's configuration or in a --policy file matches. The
    /// hook never allows a call in plan mode. Codex and Gemini CLI have no `allow` before a tool
    /// runs.
    #[arg(long)]
    allow: bool,
    /// Print `defer` instead of `ask`, for a program that runs `claude -p`
    ///
    /// Claude Code then ends, and the program can ask the user and resume the session. Do not use
    /// this option in interactive sessions: they ignore `defer`, and the call runs.
    #[arg(long)]
    defer: bool,
    #[command(subcommand)]
    command: Option<HookCommand>,
}

/// The subcommands of `hook`.
#[derive(Clone, Debug, Subcommand)]
enum HookCommand {
    /// Register the hook with an agent, in the configuration of the project
    ///
    /// Adds the hook to the configuration file below the root, and changes nothing else in it. The
    /// change is one transaction, which `wpatch undo` reverts. If the file contains the hook, it is
    /// not changed.
    Install(InstallOptions),
}

impl HookOptions {
    /// Returns whether the command can print a report.
    pub(super) fn has_report(&self) -> bool {
        matches!(&self.command, Some(HookCommand::Install(options)) if options.has_report())
    }
}

/// Runs `hook`: registers the hook, or decides on the call on standard input.
pub(super) fn run(options: &HookOptions, global: &Global) -> ExitCode {
    match (&options.command, options.agent) {
        (Some(HookCommand::Install(options)), _) => install::run(options, global),
        (None, Some(harness)) => answer(harness, options, global),
        // The parser requires one of the two.
        (None, None) => print_failure(None, EarlyExit::usage("the name of the agent is missing")),
    }
}

/// Decides on the call on standard input, and prints the decision.
fn answer(harness: &Harness, options: &HookOptions, global: &Global) -> ExitCode {
    if options.defer && !harness.can_defer() {
        let message = format!("--defer: {} has no answer `defer`", harness.title);
        return print_failure(None, EarlyExit::usage(&message));
    }
    let (event, input) = match catch_panics(|| read_event(harness, global)) {
        Ok(Some(read)) => read,
        Ok(None) => return ExitCode::SUCCESS,
        Err(stop) => return print_failure(None, stop),
    };
    match catch_panics(|| decide((harness, event), &input, options, global)) {
        Ok(decision) => print_decision(event, decision, options.question()),
        Err(stop) => print_failure(Some(event), stop),
    }
}

impl HookOptions {
    /// Returns the answer for a call about which policy asks.
    fn question(&self) -> Answer {
        if self.defer {
            Answer::Defer
        } else {
            Answer::Ask
        }
    }

    fn default_decision(&self) -> DefaultDecision {
        if self.allow {
            DefaultDecision::Allow
        } else {
            DefaultDecision::None
        }
    }
}

/// Runs `step`. A panic becomes an error, because the exit code of a panic would not block the
/// call.
fn catch_panics<T>(step: impl FnOnce() -> Result<T, EarlyExit>) -> Result<T, EarlyExit> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
        Err(EarlyExit::new(
            &code::IO,
            "internal error of wpatch; tell the user to report it".to_owned(),
        ))
    })
}

/// Reads the input and returns it with its event. Returns `None` for an event that the hook does
/// not answer.
fn read_event(
    harness: &Harness,
    global: &Global,
) -> Result<Option<(&'static Event, Value)>, EarlyExit> {
    let text = files::read_contents(Path::new("-"), MAX_CALL, &global.caller)?;
    let input: Value =
        serde_json::from_slice(&text).map_err(|error| input_error(&error.to_string()))?;
    let name = (harness.event_name)(&input)
        .ok_or_else(|| input_error("missing field `hook_event_name`"))?;
    let event = harness.events.iter().find(|event| event.name == name);
    Ok(event.map(|event| (event, input)))
}

fn decide(
    (harness, event): (&Harness, &Event),
    input: &Value,
    options: &HookOptions,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    let call = (harness.parse)(event, input)?;
    let rooted = harness.with_root(&call, global);
    if event.stage == Stage::After {
        return judge::judge_result(&call.action, &rooted);
    }
    let silence = options.default_decision();
    let decision = judge::judge(&call.action, &call.cwd, &silence, &rooted)?;
    Ok(call.decide_for_mode(decision))
}

/// Prints the decision in the format of the event. `question` is the answer for a decision that the
/// user must be asked. If the harness has no question, the model must ask, and the call is denied.
fn print_decision(event: &Event, decision: Decision, question: Answer) -> ExitCode {
    let format = |answer, reason: &str| (event.answer)(event.name, answer, reason);
    let deny = |reason: &str| {
        let printed = format(Answer::Deny, reason).map(|output| print_json(&output));
        printed.unwrap_or_else(|| print_and_block(reason))
    };
    match decision {
        Decision::None => ExitCode::SUCCESS,
        Decision::Allow => {
            let reason = "wpatch: the change applies, and the user allows such changes";
            format(Answer::Allow, reason).map_or(ExitCode::SUCCESS, |output| print_json(&output))
        }
        // The harness asks anyway.
        Decision::Ask(_) if event.stage == Stage::Prompt => ExitCode::SUCCESS,
        Decision::Ask(reason) => match format(question, &reason) {
            Some(output) => print_json(&output),
            None => deny(&format!("{reason}\nhelp: {ASK_THE_USER}")),
        },
        Decision::Deny(reason) | Decision::Outside(reason) => deny(&reason),
    }
}

/// Blocks the call because of an error. An invalid policy is a decision, if the event is known. So
/// is any error of an event for which the exit code of a hook has no effect.
fn print_failure(event: Option<&Event>, stop: EarlyExit) -> ExitCode {
    let report = stop.into_outcome("hook").report.for_model();
    let message = report
        .error
        .as_ref()
        .map_or("the call could not be checked", |error| &error.message);
    let is_policy = |kind: &ProblemKind| *kind == ProblemKind::Policy;
    let reason = if report
        .error
        .as_ref()
        .map(|error| &error.kind)
        .is_some_and(is_policy)
    {
        refusal(&report)
    } else if event.is_some_and(|event| event.stage == Stage::Prompt) {
        message.to_owned()
    } else {
        return print_and_block(message);
    };
    event.map_or_else(
        || print_and_block(message),
        |event| print_decision(event, Decision::Deny(reason), Answer::Ask),
    )
}

/// Prints a decision. A decision that cannot be printed blocks the call, because it can be a refusal.
fn print_json(output: &Value) -> ExitCode {
    match output::print(format!("{output}\n").as_bytes()) {
        ExitCode::SUCCESS => ExitCode::SUCCESS,
        _ => ExitCode::from(BLOCKED),
    }
}

/// Prints the reason on standard error, and returns the exit code that blocks the call.
fn print_and_block(reason: &str) -> ExitCode {
    reason.lines().for_each(output::print_to_stderr);
    ExitCode::from(BLOCKED)
}
