//! `hook`: decides on a tool call of an agent before the agent runs it.
//!
//! The input is the call as JSON on standard input. The output is a decision as JSON on standard
//! output. [`decide`] passes the call to [`claude`] or [`codex`], which run `check` on the change;
//! read it first. The hook writes no file.
//!
//! The hook never grants more than its user configured. It prints nothing unless the call is
//! refused, policy asks, or the user allows the change by a rule or by `--allow`. Printing `allow`
//! in other cases would skip the agent's own prompt.
//!
//! A malformed call is blocked: the exit code is 2, and standard error contains the reason. Both
//! agents treat this exit code as a refusal. Any other failure of a hook lets the call through. A
//! policy that cannot be used denies everything.

mod claude;
mod codex;
mod control_links;
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
use super::policy::load_policy as policy_of;
use super::root::{open, with_root};
use super::{EarlyExit, files, output};
use crate::engine::options::{ApprovalGate, Policy, code};
use crate::engine::{self, Outcome, Request};
use crate::report::{FileReport, ProblemKind, Report, Verdict, refusal};
use crate::text::printable;

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

/// The supported agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Agent {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
}

/// A call as both agents describe it. Further fields are ignored.
#[derive(Deserialize)]
struct Call {
    cwd: PathBuf,
    hook_event_name: String,
    tool_name: String,
    #[serde(default)]
    tool_input: Value,
    /// The permission mode of the agent. Older versions do not send it.
    #[serde(default)]
    permission_mode: Option<Value>,
}

/// The decision on a change without a matching rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DefaultDecision {
    /// The agent decides.
    None,
    /// The call is allowed (`--allow`).
    Allow,
    /// The user is asked even with `--allow`, because the file has another name. Contains the
    /// reason.
    Ask(String),
}

impl DefaultDecision {
    /// Returns the decision without a matching rule for `file`, an absolute path without links.
    fn for_file(&self, file: &Path, global: &Global) -> Result<Self, EarlyExit> {
        let why = match self {
            Self::Allow => control_links::ask_reason(file, global)?,
            Self::None => control_links::link_reason(file, global)?,
            Self::Ask(_) => None,
        };
        Ok(why.map_or_else(|| self.clone(), Self::Ask))
    }
}

impl From<bool> for DefaultDecision {
    fn from(allow: bool) -> Self {
        if allow { Self::Allow } else { Self::None }
    }
}

/// The permission modes of Claude Code and Codex in which an agent may change files; see
/// "Permission modes" in the documentation of Claude Code. Another mode may forbid changes, so no
/// call is allowed in it.
const WRITING_MODES: [&str; 5] = [
    "default",
    "acceptEdits",
    "auto",
    "dontAsk",
    "bypassPermissions",
];
/// The permission mode in which an agent only makes plans.
const PLAN_MODE: &str = "plan";

/// The decision on a call.
enum Decision {
    /// No decision: the agent's own permissions decide.
    None,
    /// The user has allowed the call.
    Allow,
    /// The user must be asked. Contains the reason.
    Ask(String),
    /// The call is forbidden or cannot succeed. Contains the reason.
    Deny(String),
    /// The file is outside the root and cannot be checked. Contains the reason.
    Outside(String),
}

impl Decision {
    /// Returns the stricter of two decisions, or `self` if both are equally strict. `other` is the
    /// decision of the rules, or no decision if no rule matches.
    fn stricter(self, other: Self) -> Self {
        // Claude Code gets no decision for `Outside`, so a rule about another path of the same file
        // must win over it.
        let rank = |decision: &Self| match decision {
            Self::Allow | Self::None => 1,
            Self::Outside(_) => 2,
            Self::Ask(_) => 3,
            Self::Deny(_) => 4,
        };
        if rank(&other) > rank(&self) {
            other
        } else {
            self
        }
    }

    /// Returns the decision for the permission mode of `call`. In plan mode, nothing is allowed,
    /// and a question becomes a refusal because the user could answer yes.
    fn for_mode(self, call: &Call) -> Self {
        match self {
            Self::Allow if !call.is_in_writing_mode() => Self::None,
            Self::Ask(reason) if call.mode() == Some(PLAN_MODE) => {
                let help = if READING_TOOLS.contains(&&*call.tool_name) {
                    WAIT_TO_READ
                } else {
                    WAIT_TO_WRITE
                };
                Self::Deny(format!("{reason}\nhelp: {help}"))
            }
            decision => decision,
        }
    }
}

/// Decides on the call on standard input, and prints the decision.
pub(super) fn run(agent: Agent, silence: &DefaultDecision, global: &Global) -> ExitCode {
    // The exit code of a panic would not block the call.
    let decided = catch_unwind(AssertUnwindSafe(|| decide(agent, silence, global)));
    match decided.unwrap_or_else(|_| {
        Err(EarlyExit::new(
            &code::IO,
            "internal error of wpatch; tell the user to report it".to_owned(),
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
                    output::print_to_stderr(
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

fn decide(
    agent: Agent,
    default_decision: &DefaultDecision,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    let text = files::read_contents(Path::new("-"), MAX_CALL, &global.caller)?;
    let call: Call = serde_json::from_slice(&text)
        .map_err(|error| EarlyExit::new(&code::USAGE, format!("invalid hook input: {error}")))?;
    if call.hook_event_name != "PreToolUse" {
        return Ok(Decision::None);
    }
    let decision = match agent {
        Agent::Claude => claude::decide(&call, default_decision, global),
        Agent::Codex => codex::decide(&call, global),
    };
    Ok(decision?.for_mode(&call))
}

/// Prints the decision in the agent's format. Codex supports neither `allow` nor `ask`, and would
/// let such a call through with a warning. For Codex, a question is therefore a refusal.
fn print(agent: Agent, decision: Decision) -> ExitCode {
    let (decision, reason) = match (decision, agent) {
        (Decision::None, _) | (Decision::Allow, Agent::Codex) => return ExitCode::SUCCESS,
        (Decision::Allow, Agent::Claude) => (
            "allow",
            "wpatch: the change applies, and the user allows such changes".to_owned(),
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

/// The tools of Claude Code that read files.
const READING_TOOLS: [&str; 5] = ["Read", "NotebookRead", "Grep", "Glob", "LS"];
/// The next step for a model that wants to change a file in plan mode.
const WAIT_TO_WRITE: &str =
    "describe the change in the plan, and make it after the user leaves plan mode";
/// The next step for a model that wants to read a file in plan mode.
const WAIT_TO_READ: &str = "plan without this file, and read it after the user leaves plan mode";
/// The next step for a model whose agent cannot ask the user.
const ASK_THE_USER: &str = "ask the user to make this change, and do not try to bypass the rule";

impl Call {
    fn mode(&self) -> Option<&str> {
        self.permission_mode.as_ref().and_then(Value::as_str)
    }

    /// Returns whether the agent may change files. A missing mode means the default mode.
    fn is_in_writing_mode(&self) -> bool {
        self.permission_mode.is_none()
            || self
                .mode()
                .is_some_and(|mode| WRITING_MODES.contains(&mode))
    }

    /// Parses the input of the tool.
    fn arguments<T: DeserializeOwned>(&self) -> Result<T, EarlyExit> {
        serde_json::from_value(self.tool_input.clone()).map_err(|error| {
            EarlyExit::new(
                &code::USAGE,
                format!("invalid input of {}: {error}", self.tool_name),
            )
        })
    }
}

/// Returns whether `c` is white space in JavaScript, in which the tools of Claude Code are written.
/// See `\s` in ECMAScript (ECMA-262, `CharacterClassEscape`).
fn is_javascript_space(c: char) -> bool {
    c.is_whitespace() && c != '\u{85}' || c == '\u{feff}'
}

/// Returns the policy for a model's actions below the root.
fn policy(global: &Global) -> Result<Arc<Policy>, EarlyExit> {
    Ok(Arc::new(Policy::clone(&*policy_of(global)?).for_model()))
}

/// Returns the decision on a change of one file.
fn check_edit(
    mut request: Request,
    default_decision: &DefaultDecision,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    (request.context.policy, request.context.approval_gate) =
        (policy(global)?, ApprovalGate::Reading);
    request.context.is_external_change = true;
    let outcome = engine::check(request, &*open(global)?);
    Ok(decide_outcome(outcome, default_decision, global))
}

/// Returns the decision on a patch. If policy asks before a file is read, the report contains no
/// `plan_id`. The `plan_id` is a digest that depends on the file, so a model could use it to test
/// guesses.
fn check_patch(mut request: Request, global: &Global) -> Result<Decision, EarlyExit> {
    request.context.policy = policy(global)?;
    request.context.is_external_change = true;
    // Without digests there is no `plan_id`.
    request.look.describe = true;
    request.context.approval_gate = ApprovalGate::Reading;
    let outcome = engine::check(request, &*open(global)?);
    let files = outcome.report.files.iter();
    let paths = files
        .flat_map(|file| file.from.iter().chain([&file.path]))
        .filter(|_| outcome.report.ok);
    let question = control_links::question_about(paths, global)?;
    let decision = decide_outcome(outcome, &DefaultDecision::None, global);
    Ok(decision.stricter(question.map_or(Decision::None, Decision::Ask)))
}

/// Returns the decision on reading a file. The tool reports a missing file itself.
fn check_read(path: &[u8], global: &Global) -> Result<Decision, EarlyExit> {
    Ok(decide_refusal(
        engine::may_read(path, &policy(global)?, &*open(global)?).err(),
    ))
}

/// Returns the decision of a rule that denies or asks.
fn decide_refusal(outcome: Option<Box<Outcome>>) -> Decision {
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

fn decide_outcome(
    outcome: Outcome,
    default_decision: &DefaultDecision,
    global: &Global,
) -> Decision {
    let outcome = with_root(outcome, global);
    let report = &outcome.report;
    match &report.error {
        Some(_) => decide_refusal(Some(Box::new(outcome))),
        None => match questions(report) {
            Some(why) => Decision::Ask(why),
            None if !report.ok => Decision::None,
            None if has_allow_rules(report) => Decision::Allow,
            None => match default_decision {
                DefaultDecision::None => Decision::None,
                DefaultDecision::Allow => Decision::Allow,
                DefaultDecision::Ask(why) => Decision::Ask(file_question(report, why)),
            },
        },
    }
}

/// Returns whether rules of the user allow every file that the change writes.
fn has_allow_rules(report: &Report) -> bool {
    let has_rule = |file: &FileReport| file.has_allow_rule;
    !report.files.is_empty() && report.files.iter().all(has_rule)
}

/// Returns the question about the file of `report`, with the reason `why`.
fn file_question(report: &Report, why: &str) -> String {
    question(
        report
            .files
            .first()
            .map_or(&b"."[..], |file| file.path.as_bytes()),
        Some(why),
    )
}

/// Returns the questions for the user, one per line.
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
    let reason = printable(reason.unwrap_or("a rule requires it").as_bytes()).to_string();
    format!("{}: policy requires approval: {reason}", printable(path))
}
