//! Calls: as a harness describes them, and as the hook judges them.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::action::Action;
use super::decision::Decision;
use crate::cli::EarlyExit;
use crate::engine::home;
use crate::engine::options::code;

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
/// The next step for a model that wants to change a file in plan mode.
const WAIT_TO_WRITE: &str =
    "describe the change in the plan, and make it after the user leaves plan mode";
/// The next step for a model that wants to read a file in plan mode.
const WAIT_TO_READ: &str = "plan without this file, and read it after the user leaves plan mode";

/// A call of a tool as a harness describes it. Further fields are ignored.
#[derive(Deserialize)]
pub(super) struct ToolCall {
    /// The current directory of the agent.
    pub(super) cwd: PathBuf,
    /// The name of the tool.
    pub(super) tool_name: String,
    /// The arguments of the tool.
    #[serde(default)]
    pub(super) tool_input: Value,
    /// The permission mode of the agent. Some harnesses and older versions do not send it.
    #[serde(default)]
    pub(super) permission_mode: Option<Value>,
}

/// A call as the hook judges it, independent of the harness.
pub(super) struct Call {
    /// The current directory of the agent.
    pub(super) cwd: PathBuf,
    /// The directory of the project, if the call names it.
    pub(super) project: Option<PathBuf>,
    /// The permission mode of the agent.
    pub(super) mode: Option<Value>,
    /// The effect of the call on files.
    pub(super) action: Action,
}

impl ToolCall {
    /// Parses the input of a hook with the field names of Claude Code, which Codex, Gemini CLI and
    /// Cursor share.
    ///
    /// # Errors
    ///
    /// Returns an error if a field is missing or has a wrong type.
    pub(super) fn parse(input: &Value) -> Result<Self, EarlyExit> {
        parse_input(input)
    }

    /// Parses the arguments of the tool.
    ///
    /// # Errors
    ///
    /// Returns an error if an argument is missing or has a wrong type.
    pub(super) fn arguments<T: DeserializeOwned>(&self) -> Result<T, EarlyExit> {
        serde_json::from_value(self.tool_input.clone()).map_err(|error| {
            EarlyExit::new(
                &code::USAGE,
                format!("invalid input of {}: {error}", self.tool_name),
            )
        })
    }

    /// Returns the absolute path of a file name in a call. As the tools of Claude Code do, this
    /// removes JavaScript white space from both ends, expands `~`, and resolves other names against
    /// the agent's current directory.
    pub(super) fn absolute_path(&self, file: PathBuf) -> PathBuf {
        let file = file
            .to_str()
            .map(|name| PathBuf::from(name.trim_matches(is_javascript_space)))
            .unwrap_or(file);
        match (file.strip_prefix("~"), home()) {
            (Ok(below), Some(home)) => home.join(below),
            _ => self.cwd.join(file),
        }
    }

    /// Returns the call with its effect on files.
    pub(super) fn with_action(self, action: Action) -> Call {
        Call {
            cwd: self.cwd,
            project: None,
            mode: self.permission_mode,
            action,
        }
    }
}

impl Call {
    /// Returns the decision for the permission mode of the call. In plan mode, nothing is allowed,
    /// and a question becomes a refusal because the user could answer yes.
    pub(super) fn decide_for_mode(&self, decision: Decision) -> Decision {
        match decision {
            Decision::Allow if !self.is_in_writing_mode() => Decision::None,
            Decision::Ask(reason) if self.mode() == Some(PLAN_MODE) => {
                let help = if self.action.only_reads() {
                    WAIT_TO_READ
                } else {
                    WAIT_TO_WRITE
                };
                Decision::Deny(format!("{reason}\nhelp: {help}"))
            }
            decision => decision,
        }
    }

    fn mode(&self) -> Option<&str> {
        self.mode.as_ref().and_then(Value::as_str)
    }

    /// Returns whether the agent may change files. A missing mode means the default mode.
    fn is_in_writing_mode(&self) -> bool {
        self.mode.is_none()
            || self
                .mode()
                .is_some_and(|mode| WRITING_MODES.contains(&mode))
    }
}

/// Parses the input of a hook.
///
/// # Errors
///
/// Returns an error if a field is missing or has a wrong type.
pub(super) fn parse_input<T: DeserializeOwned>(input: &Value) -> Result<T, EarlyExit> {
    serde_json::from_value(input.clone()).map_err(|error| input_error(&error.to_string()))
}

/// Returns the error for an input that is not the description of a call.
pub(super) fn input_error(what: &str) -> EarlyExit {
    EarlyExit::new(&code::USAGE, format!("invalid hook input: {what}"))
}

/// Returns whether `c` is white space in JavaScript, in which the tools of Claude Code are written.
/// See `\s` in ECMAScript (ECMA-262, `CharacterClassEscape`).
pub(super) fn is_javascript_space(c: char) -> bool {
    c.is_whitespace() && c != '\u{85}' || c == '\u{feff}'
}
