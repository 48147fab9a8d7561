//! A harness: a program that runs a model and asks a hook about its tool calls.
//!
//! The row of a harness states how an input becomes a [`Call`], how an answer is printed, and how
//! the hook is registered. [`super::judge`] makes the decision for all harnesses.

use std::env;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::call::Call;
use crate::cli::EarlyExit;
use crate::cli::args::Global;

/// A harness.
#[derive(Debug)]
pub(in crate::cli) struct Harness {
    /// The name on the command line.
    pub(super) name: &'static str,
    /// The name of the program.
    pub(super) title: &'static str,
    /// The environment variable with the directory of the project.
    pub(super) project_variable: Option<&'static str>,
    /// The events that the hook answers. It ignores all other events.
    pub(super) events: &'static [Event],
    /// Returns the name of the event of an input.
    pub(super) event_name: fn(&Value) -> Option<&str>,
    /// Returns the call that an input describes.
    pub(super) parse: fn(&Event, &Value) -> Result<Call, EarlyExit>,
    /// The file that registers the hook.
    pub(super) configuration: Configuration,
}

/// An event about which a harness asks a hook.
#[derive(Debug)]
pub(super) struct Event {
    /// The name in the input.
    pub(super) name: &'static str,
    /// The time of the event.
    pub(super) stage: Stage,
    /// Returns the output of the hook. Returns `None` if the harness does not support this answer.
    pub(super) answer: fn(&str, Answer, &str) -> Option<Value>,
    /// The tools for which `hook install` registers the hook, as a pattern of the harness. `None`:
    /// the hook is not registered for this event. Empty: for all tools.
    pub(super) tools: Option<&'static str>,
}

/// The file with which a harness learns of hooks.
#[derive(Debug)]
pub(super) struct Configuration {
    /// The path below the directory of the project.
    pub(super) file: &'static str,
    /// The value of the field `version`, if the file needs one.
    pub(super) version: Option<u64>,
    /// Returns the entry of an event, from the command of the hook and the pattern of the tools.
    pub(super) entry: fn(&str, &str) -> Value,
    /// The next step for the user.
    pub(super) note: Option<&'static str>,
}

/// The time of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Before the tool runs.
    Before,
    /// When the harness is about to ask the user.
    Prompt,
    /// After the tool ran.
    After,
}

/// An answer to a harness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The call runs without a question.
    Allow,
    /// The user is asked.
    Ask,
    /// The program that started the harness decides later.
    Defer,
    /// The call does not run.
    Deny,
}

impl Harness {
    /// Returns whether an event of the harness has the answer `defer`.
    pub(super) fn can_defer(&self) -> bool {
        let is_supported = |event: &Event| (event.answer)(event.name, Answer::Defer, "").is_some();
        self.events.iter().any(is_supported)
    }

    /// Returns the options with the root of `call`: `--root`, the directory of the project, or the
    /// current directory of the agent.
    pub(super) fn with_root(&self, call: &Call, global: &Global) -> Global {
        let stated = || {
            let project = env::var_os(self.project_variable?)?;
            (!project.is_empty()).then(|| PathBuf::from(project))
        };
        let root = global
            .root
            .clone()
            .or_else(stated)
            .or_else(|| call.project.clone())
            .unwrap_or_else(|| call.cwd.clone());
        Global {
            root: Some(root),
            ..global.clone()
        }
    }
}

/// Returns the event in the field `hook_event_name`.
pub(super) fn named_event(input: &Value) -> Option<&str> {
    input["hook_event_name"].as_str()
}

/// Returns the entry of a hook in the format of Claude Code: a group of tools and its commands.
pub(super) fn group_entry(command: &str, tools: &str) -> Value {
    json!({"matcher": tools, "hooks": [{"type": "command", "command": command}]})
}
