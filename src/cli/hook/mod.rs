//! The answer to an agent that asks before it uses a tool: what the call would do to the tree is worked out as `check` does
//! it, nothing is written, and a decision is printed.
//!
//! Whatever cannot be understood is blocked: the exit code is 2 and standard error says why, which both agents take for a
//! refusal. Any other failure of a hook would let the call through. A policy that cannot be used denies everything.

mod claude;
mod codex;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::args::Global;
use super::policy::policy;
use super::{Stop, document, input, open, output, rooted};
use crate::engine::options::{Held, code};
use crate::engine::{self, Change, Outcome, Request};
use crate::report::{FileReport, Report, refusal};
use crate::text::printable;

/// Largest call that is read, in bytes.
const MAX_CALL: u64 = 64 << 20;
/// What an agent takes for a refusal that has its reason on standard error.
const BLOCKED: u8 = 2;

/// The agents that ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Agent {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
}

/// A call as both agents describe it on standard input; they say more.
#[derive(Deserialize)]
struct Call {
    cwd: PathBuf,
    hook_event_name: String,
    tool_name: String,
    #[serde(default)]
    tool_input: Value,
}

/// What is said of a call.
enum Decision {
    /// Nothing: it is none of our business.
    None,
    /// Nothing speaks against it.
    Allow,
    /// Somebody has to be asked: why, and about which plan.
    Ask(String, Option<String>),
    /// It must not be done, or cannot.
    Deny(String),
}

/// Answers the call on standard input.
pub(super) fn answer(agent: Agent, global: &Global) -> ExitCode {
    // The exit code of a panic blocks nothing.
    let decided = catch_unwind(AssertUnwindSafe(|| decide(agent, global)));
    match decided.unwrap_or_else(|_| Err(Stop::new(&code::IO, "wpatch has a mistake: please report it".to_owned()))) {
        Ok(decision) => print(agent, decision),
        Err(stop) => {
            let report = stop.into_outcome("hook").report;
            match &report.error {
                Some(error) if error.kind == "policy" => print(agent, Decision::Deny(refusal(&report))),
                error => {
                    output::complain(error.as_ref().map_or("it cannot be told why", |error| &error.message));
                    ExitCode::from(BLOCKED)
                }
            }
        }
    }
}

fn decide(agent: Agent, global: &Global) -> Result<Decision, Stop> {
    let text = input::contents(Path::new("-"), MAX_CALL)?;
    let call: Call = serde_json::from_slice(&text)
        .map_err(|error| Stop::new(&code::USAGE, format!("this is no call of a tool: {error}")))?;
    if call.hook_event_name != "PreToolUse" {
        return Ok(Decision::None);
    }
    match agent {
        Agent::Claude => claude::decide(&call, global),
        Agent::Codex => codex::decide(&call, global),
    }
}

/// Prints the decision in the form that the agent takes. Codex knows no leave and no question: it would let the call
/// through with a warning, so that a question is a refusal there.
fn print(agent: Agent, decision: Decision) -> ExitCode {
    let (decision, reason) = match (decision, agent) {
        (Decision::None, _) | (Decision::Allow, Agent::Codex) => return ExitCode::SUCCESS,
        (Decision::Allow, Agent::Claude) => ("allow", "wpatch: policy allows it, and it fits".to_owned()),
        (Decision::Ask(reason, _), Agent::Claude) => ("ask", reason),
        (Decision::Ask(reason, plan), Agent::Codex) => ("deny", format!("{reason}\n{}", approval(plan.as_deref()))),
        (Decision::Deny(reason), _) => ("deny", reason),
    };
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }});
    document::print(format!("{answer}\n").as_bytes())
}

/// Says how a change is made that somebody has to approve.
fn approval(plan: Option<&str>) -> String {
    let plan = plan.unwrap_or("PLAN_ID");
    format!(
        "help: nothing was changed, and no other way around is open: show the patch to the user, who makes the change with \
         `wpatch apply --format codex --approve {plan} PATCH_FILE`"
    )
}

impl Call {
    /// Reads what the tool is given.
    fn arguments<T: DeserializeOwned>(&self) -> Result<T, Stop> {
        serde_json::from_value(self.tool_input.clone()).map_err(|error| {
            Stop::new(&code::USAGE, format!("the input of {} cannot be understood: {error}", self.tool_name))
        })
    }
}

/// Returns what is to be said of a change of one file.
fn of_change(change: Change, global: &Global) -> Result<Decision, Stop> {
    let mut change = Change { is_dry: true, ..change };
    (change.preflight.policy, change.preflight.held) = (policy(global)?, Held::Reading);
    let outcome = engine::change(change, &open(global)?, &engine::options::Interrupt::new());
    Ok(of_outcome(outcome, global))
}

/// Returns what is to be said of a patch. The name of a plan tells whether a guess fits, and is a digest to guess against:
/// it is not told where somebody is asked before a file is read.
fn of_patch(mut request: Request, global: &Global) -> Result<Decision, Stop> {
    request.preflight.policy = policy(global)?;
    // Without digests the plan has no name.
    request.preflight.describe = true;
    request.preflight.held = Held::Reading;
    Ok(of_outcome(engine::check(request, &open(global)?), global))
}

/// Returns what is to be said of looking at a file. Whether it is there is for the tool to find out.
fn of_read(path: &[u8], global: &Global) -> Result<Decision, Stop> {
    let refused = engine::may_read(path, &policy(global)?, &open(global)?).err();
    Ok(refused.map_or(Decision::None, |outcome| of_outcome(*outcome, global)))
}

fn of_outcome(outcome: Outcome, global: &Global) -> Decision {
    let report = rooted(outcome, global).report;
    match &report.error {
        Some(error) if error.kind == "approval_required" => Decision::Ask(refusal(&report), None),
        Some(_) => Decision::Deny(refusal(&report)),
        None => questions(&report).map_or(Decision::Allow, |why| Decision::Ask(why, report.plan_id)),
    }
}

/// Returns why somebody has to be asked.
fn questions(report: &Report) -> Option<String> {
    let asked = report.files.iter().filter(|file| file.verdict == "ask");
    let why = |file: &FileReport| printable(file.reason.as_deref().unwrap_or("policy asks").as_bytes()).to_string();
    let lines: Vec<_> = asked
        .map(|file| format!("{}: somebody has to approve this: {}", printable(file.path.as_bytes()), why(file)))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
