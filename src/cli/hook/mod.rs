//! The answer to an agent that asks before it uses a tool. The call is checked as `check` does it,
//! no file is written, and a decision is printed.
//!
//! The hook never grants more than its user configured. It prints nothing unless policy has a
//! reason to ask or to deny, or the user allows the change by a rule or by `--allow`: `allow` would
//! skip the agent's own prompt.
//!
//! A call that cannot be read is blocked: the exit code is 2 and standard error has the reason,
//! which both agents take for a refusal. Any other failure of a hook would let the call through. A
//! policy that cannot be used denies everything.

mod alias;
mod claude;
mod codex;
mod place;
mod search;
mod shell;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueEnum;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::args::Global;
use super::policy::policy as policy_of;
use super::root::{open, rooted};
use super::{Stop, files, output};
use crate::engine::options::{Held, Policy, code};
use crate::engine::{self, Outcome, Request};
use crate::report::{FileReport, ProblemKind, Report, Verdict, refusal};
use crate::text::printable;

/// Largest call that is read, in bytes.
const MAX_CALL: u64 = 64 << 20;
/// Longest pattern of a search, in bytes. The time to compile and to match a pattern grows with its
/// length.
const MAX_PATTERN: usize = 1024;
/// Longest name of a file or directory, in bytes: no Linux system call accepts a longer one.
const MAX_NAME: usize = 4096;
/// Most edits of one call. Each of them searches the whole file.
const MAX_EDITS: usize = 1000;
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
    /// How the agent treats its own permissions; older versions do not state it.
    #[serde(default)]
    permission_mode: Option<Value>,
}

/// Whether the user of the hook allows what no rule speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// The agent decides.
    IsNoDecision,
    /// The call is allowed (`--allow`).
    Allows,
    /// The user is asked, also with `--allow`, since the file has another name: why.
    Asks(String),
}

impl Silence {
    /// Returns what holds for `file`, an absolute name without links.
    fn about(&self, file: &Path, global: &Global) -> Result<Self, Stop> {
        let why = match self {
            Self::Allows => alias::why_asked(file, global)?,
            Self::IsNoDecision => alias::why_linked(file, global)?,
            Self::Asks(_) => None,
        };
        Ok(why.map_or_else(|| self.clone(), Self::Asks))
    }
}

impl From<bool> for Silence {
    fn from(allow: bool) -> Self {
        if allow {
            Self::Allows
        } else {
            Self::IsNoDecision
        }
    }
}

/// The modes of Claude Code and Codex in which an agent may change files, see "Permission modes" in
/// the documentation of Claude Code. A mode that is not listed may be one that forbids changes: no
/// call is allowed there.
const WRITING_MODES: [&str; 5] = [
    "default",
    "acceptEdits",
    "auto",
    "dontAsk",
    "bypassPermissions",
];
/// The mode in which an agent only makes plans.
const PLAN_MODE: &str = "plan";

/// The answer to a call.
enum Decision {
    /// None: the agent's own permissions decide.
    None,
    /// The user allowed it.
    Allow,
    /// The user has to be asked: why.
    Ask(String),
    /// It must not be done, or cannot.
    Deny(String),
    /// The file is outside of the root, where it cannot be checked: why.
    Outside(String),
}

impl Decision {
    /// Returns the stricter one of two decisions; `other` is what rules say, which is no decision
    /// if none matches.
    fn or_stricter(self, other: Self) -> Self {
        let rank = |decision: &Self| match decision {
            Self::Allow | Self::None => 1,
            Self::Ask(_) => 2,
            Self::Deny(_) | Self::Outside(_) => 3,
        };
        if rank(&other) > rank(&self) {
            other
        } else {
            self
        }
    }

    /// Returns the decision that may be printed in the mode of `call`. Plan mode is for looking:
    /// nothing is allowed there, and a question whose answer could be yes is a refusal.
    fn in_mode_of(self, call: &Call) -> Self {
        match self {
            Self::Allow if !call.is_in_writing_mode() => Self::None,
            Self::Ask(reason) if call.mode() == Some(PLAN_MODE) => {
                Self::Deny(format!("{reason}\nhelp: {WAIT}"))
            }
            decision => decision,
        }
    }
}

/// Answers the call on standard input.
pub(super) fn answer(agent: Agent, silence: &Silence, global: &Global) -> ExitCode {
    // The exit code of a panic blocks nothing.
    let decided = catch_unwind(AssertUnwindSafe(|| decide(agent, silence, global)));
    match decided.unwrap_or_else(|_| {
        Err(Stop::new(
            &code::IO,
            "wpatch failed: tell the user to report it".to_owned(),
        ))
    }) {
        Ok(decision) => print(agent, decision),
        Err(stop) => {
            let report = stop.into_outcome("hook").report.for_model();
            match &report.error {
                Some(error) if error.kind == ProblemKind::Policy => {
                    print(agent, Decision::Deny(refusal(&report)))
                }
                error => {
                    output::complain(
                        error
                            .as_ref()
                            .map_or("the call could not be checked", |error| &error.message),
                    );
                    ExitCode::from(BLOCKED)
                }
            }
        }
    }
}

fn decide(agent: Agent, silence: &Silence, global: &Global) -> Result<Decision, Stop> {
    let text = files::contents(Path::new("-"), MAX_CALL)?;
    let call: Call = serde_json::from_slice(&text)
        .map_err(|error| Stop::new(&code::USAGE, format!("invalid hook input: {error}")))?;
    if call.hook_event_name != "PreToolUse" {
        return Ok(Decision::None);
    }
    let decision = match agent {
        Agent::Claude => claude::decide(&call, silence, global),
        Agent::Codex => codex::decide(&call, global),
    };
    Ok(decision?.in_mode_of(&call))
}

/// Prints the decision in the form that the agent takes. Codex knows no leave and no question: it
/// would let the call through with a warning, so that a question is a refusal there.
fn print(agent: Agent, decision: Decision) -> ExitCode {
    let (decision, reason) = match (decision, agent) {
        (Decision::None, _) | (Decision::Allow, Agent::Codex) => return ExitCode::SUCCESS,
        (Decision::Allow, Agent::Claude) => (
            "allow",
            "wpatch: the change applies, and its user allows it".to_owned(),
        ),
        (Decision::Ask(reason), Agent::Claude) => ("ask", reason),
        (Decision::Ask(reason), Agent::Codex) => {
            ("deny", format!("{reason}\nhelp: {ASK_THE_USER}"))
        }
        (Decision::Deny(reason) | Decision::Outside(reason), _) => ("deny", reason),
    };
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }});
    output::print(format!("{answer}\n").as_bytes())
}

/// The next step for a model in plan mode.
const WAIT: &str = "put the change into the plan, and make it after the user has left plan mode";
/// The next step for a model whose agent has no question for the user.
const ASK_THE_USER: &str = "ask the user to make this change, and try no other way around the rule";

impl Call {
    fn mode(&self) -> Option<&str> {
        self.permission_mode.as_ref().and_then(Value::as_str)
    }

    /// Returns whether the agent may change files now. Without a mode, it is the default one.
    fn is_in_writing_mode(&self) -> bool {
        self.permission_mode.is_none()
            || self
                .mode()
                .is_some_and(|mode| WRITING_MODES.contains(&mode))
    }

    /// Reads what the tool is given.
    fn arguments<T: DeserializeOwned>(&self) -> Result<T, Stop> {
        serde_json::from_value(self.tool_input.clone()).map_err(|error| {
            Stop::new(
                &code::USAGE,
                format!("invalid input of {}: {error}", self.tool_name),
            )
        })
    }
}

/// Returns the policy for what a model does below the root.
fn policy(global: &Global) -> Result<Arc<Policy>, Stop> {
    Ok(Arc::new(Policy::clone(&*policy_of(global)?).for_model()))
}

/// Returns the decision on a change of one file.
fn of_edit(mut request: Request, silence: &Silence, global: &Global) -> Result<Decision, Stop> {
    (request.context.policy, request.context.held) = (policy(global)?, Held::Reading);
    let outcome = engine::check(request, &open(global)?);
    Ok(of_outcome(outcome, silence, global))
}

/// Returns the decision on a patch. The name of a plan tells whether a guess fits, and is a digest
/// to guess against: it is not told where somebody is asked before a file is read.
fn of_patch(mut request: Request, global: &Global) -> Result<Decision, Stop> {
    request.context.policy = policy(global)?;
    // Without digests the plan has no name.
    request.look.describe = true;
    request.context.held = Held::Reading;
    let outcome = engine::check(request, &open(global)?);
    let files = outcome.report.files.iter();
    let paths = files
        .flat_map(|file| file.from.iter().chain([&file.path]))
        .filter(|_| outcome.report.ok);
    let question = alias::question_about(paths, global)?;
    let decision = of_outcome(outcome, &Silence::IsNoDecision, global);
    Ok(decision.or_stricter(question.map_or(Decision::None, Decision::Ask)))
}

/// Returns the decision on reading a file. Whether the file exists is for the tool to find out.
fn of_read(path: &[u8], global: &Global) -> Result<Decision, Stop> {
    Ok(of_refused(
        engine::may_read(path, &policy(global)?, &open(global)?).err(),
    ))
}

/// Returns the decision of a rule, if one speaks against the call.
fn of_refused(outcome: Option<Box<Outcome>>) -> Decision {
    let Some(outcome) = outcome else {
        return Decision::None;
    };
    let report = outcome.report.for_model();
    match &report.error {
        Some(error) if error.kind == ProblemKind::ApprovalRequired => Decision::Ask(question(
            error.path.as_deref().unwrap_or(".").as_bytes(),
            error.details.reason.as_deref(),
        )),
        Some(error) if error.kind == ProblemKind::OutsideRoot => {
            Decision::Outside(refusal(&report))
        }
        _ => Decision::Deny(refusal(&report)),
    }
}

fn of_outcome(outcome: Outcome, silence: &Silence, global: &Global) -> Decision {
    let outcome = rooted(outcome, global);
    let report = &outcome.report;
    match &report.error {
        Some(_) => of_refused(Some(Box::new(outcome))),
        None => match questions(report) {
            Some(why) => Decision::Ask(why),
            None if !report.ok => Decision::None,
            None if has_allow_rules(report) => Decision::Allow,
            None => match silence {
                Silence::IsNoDecision => Decision::None,
                Silence::Allows => Decision::Allow,
                Silence::Asks(why) => Decision::Ask(unnamed(report, why)),
            },
        },
    }
}

/// Returns whether rules of the user allow everything that the change writes.
fn has_allow_rules(report: &Report) -> bool {
    let has_rule = |file: &FileReport| file.has_allow_rule;
    !report.files.is_empty() && report.files.iter().all(has_rule)
}

/// Returns the question about the file of `report`, of which `why` holds.
fn unnamed(report: &Report, why: &str) -> String {
    question(
        report
            .files
            .first()
            .map_or(&b"."[..], |file| file.path.as_bytes()),
        Some(why),
    )
}

/// Returns what the user is asked.
fn questions(report: &Report) -> Option<String> {
    let asked = report
        .files
        .iter()
        .filter(|file| file.verdict == Verdict::Ask);
    let lines: Vec<_> = asked
        .map(|file| question(file.path.as_bytes(), file.reason.as_deref()))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns the question about one file.
fn question(path: &[u8], reason: Option<&str>) -> String {
    let reason = printable(reason.unwrap_or("a rule asks").as_bytes()).to_string();
    format!("{}: policy asks for approval: {reason}", printable(path))
}
