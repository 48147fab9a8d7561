//! `hook`: decides on a tool call of an agent before the agent runs it.
//!
//! The input is the call as JSON on standard input. The output is a decision as JSON on standard
//! output. [`harnesses`] has one row for each supported program: how an input becomes a call, and
//! how a decision is printed. [`judge`] makes the decision for all of them; read it first. The hook
//! writes no file.
//!
//! The hook never grants more than its user configured. It prints nothing unless the call is
//! refused, policy asks, or the user allows the change by a rule or by `--allow`. Printing `allow`
//! in other cases would skip the prompt of the harness.
//!
//! A malformed call is blocked: the exit code is 2, and standard error contains the reason. All
//! harnesses treat this exit code as a refusal. Most of them let the call run after any other
//! failure of a hook. A policy that cannot be used denies everything.

mod action;
mod call;
mod claude;
mod codex;
mod control_links;
mod decision;
mod harness;
mod harnesses;
mod judge;
mod place;
mod rules;
mod search;
mod shell;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::args::Global;
use super::{EarlyExit, files, output};
use crate::engine::options::code;
use crate::report::{ProblemKind, refusal};
use call::input_error;
use decision::{Decision, DefaultDecision};
use harness::{Answer, Event, Harness};
use harnesses::harness_parser;

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
pub(super) struct HookOptions {
    /// The agent that calls the hook
    #[arg(value_parser = harness_parser())]
    agent: &'static Harness,
    /// Print `allow` for each change that applies and needs no approval
    ///
    /// The agent then asks no question. Without this option, the hook allows a change only if a
    /// rule with the verdict `allow` in the user's configuration or in a --policy file matches. The
    /// hook never allows a call in plan mode.
    #[arg(long)]
    allow: bool,
}

/// Decides on the call on standard input, and prints the decision.
pub(super) fn run(options: &HookOptions, global: &Global) -> ExitCode {
    let harness = options.agent;
    let (event, input) = match catch_panics(|| read_event(harness, global)) {
        Ok(Some(read)) => read,
        Ok(None) => return ExitCode::SUCCESS,
        Err(stop) => return print_failure(None, stop),
    };
    match catch_panics(|| decide((harness, event), &input, options, global)) {
        Ok(decision) => print_decision(event, decision),
        Err(stop) => print_failure(Some(event), stop),
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
        .ok_or_else(|| input_error("it names no event; expected an object with hook_event_name"))?;
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
    let default_decision = if options.allow {
        DefaultDecision::Allow
    } else {
        DefaultDecision::None
    };
    let rooted = harness.with_root(&call, global);
    let decision = judge::judge(&call, &default_decision, &rooted)?;
    Ok(call.decide_for_mode(decision))
}

/// Prints the decision in the format of the event. If the harness has no question, the model must
/// ask the user, and the call is denied.
fn print_decision(event: &Event, decision: Decision) -> ExitCode {
    let format = |answer, reason: &str| (event.answer)(event.name, answer, reason);
    let output = match decision {
        Decision::None => None,
        Decision::Allow => format(
            Answer::Allow,
            "wpatch: the change applies, and the user allows such changes",
        ),
        Decision::Ask(reason) => format(Answer::Ask, &reason).or_else(|| {
            let reason = format!("{reason}\nhelp: {ASK_THE_USER}");
            format(Answer::Deny, &reason)
        }),
        Decision::Deny(reason) | Decision::Outside(reason) => format(Answer::Deny, &reason),
    };
    output.map_or(ExitCode::SUCCESS, |output| {
        output::print(format!("{output}\n").as_bytes())
    })
}

/// Blocks the call because of an error. An invalid policy is a decision, if the event is known.
fn print_failure(event: Option<&Event>, stop: EarlyExit) -> ExitCode {
    let report = stop.into_outcome("hook").report.for_model();
    match (event, &report.error) {
        (Some(event), Some(error)) if error.kind == ProblemKind::Policy => {
            print_decision(event, Decision::Deny(refusal(&report)))
        }
        (_, error) => {
            output::print_to_stderr(
                error
                    .as_ref()
                    .map_or("the call could not be checked", |error| &error.message),
            );
            ExitCode::from(BLOCKED)
        }
    }
}
