//! The answer to an agent that asks before it uses a tool: what the call would do to the tree is worked out as `check` does
//! it, nothing is written, and a decision is printed.
//!
//! Whatever cannot be understood is blocked: the exit code is 2 and standard error says why, which both agents take for a
//! refusal. Any other failure of a hook would let the call through.

mod claude;
mod codex;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::args::Global;
use super::{Stop, document, input, open, output, rooted};
use crate::engine::options::code;
use crate::engine::{self, Change, Outcome, Request};
use crate::report::{Report, refusal};
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
    /// Somebody has to be asked.
    Ask(String),
    /// It must not be done, or cannot.
    Deny(String),
}

/// Answers the call on standard input.
pub(super) fn answer(agent: Agent, global: &Global) -> ExitCode {
    match decide(agent, global) {
        Ok(decision) => print(agent, decision),
        Err(stop) => {
            output::complain(&stop.message);
            ExitCode::from(BLOCKED)
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
        (Decision::Ask(reason), Agent::Claude) => ("ask", reason),
        (Decision::Ask(reason), Agent::Codex) => {
            ("deny", format!("{reason}\nsomebody has to approve this change: ask for it, and do not work around"))
        }
        (Decision::Deny(reason), _) => ("deny", reason),
    };
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }});
    document::print(format!("{answer}\n").as_bytes())
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
    let workspace = open(global)?;
    let change = Change { is_dry: true, ..change };
    Ok(of_outcome(engine::change(change, &workspace, &engine::options::Interrupt::new()), global))
}

/// Returns what is to be said of a patch.
fn of_patch(request: Request, global: &Global) -> Result<Decision, Stop> {
    let workspace = open(global)?;
    Ok(of_outcome(engine::check(request, &workspace), global))
}

fn of_outcome(outcome: Outcome, global: &Global) -> Decision {
    let report = rooted(outcome, global).report;
    match &report.error {
        Some(error) if error.kind == "approval_required" => Decision::Ask(refusal(&report)),
        Some(_) => Decision::Deny(refusal(&report)),
        None => questions(&report).map_or(Decision::Allow, Decision::Ask),
    }
}

/// Returns why somebody has to be asked.
fn questions(report: &Report) -> Option<String> {
    let asked = report.files.iter().filter(|file| file.verdict == "ask");
    let lines: Vec<_> = asked
        .map(|file| {
            let reason = file.reason.as_deref().unwrap_or("policy asks for an approval");
            format!("{}: {}", file.path, printable(reason.as_bytes()))
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
