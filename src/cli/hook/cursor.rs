//! Cursor: its events, its file tools and its configuration.
//!
//! Source: <https://cursor.com/docs/hooks>, read in September 2026. The page names the kinds of
//! tools but not the arguments of those for files. The hook therefore accepts the usual names of the
//! path, and judges a write only by policy. Cursor takes a hook without output for one without an
//! opinion, unless its entry has `failClosed`.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::action::{Action, Change};
use super::call::{Call, ToolCall, input_error, parse_input};
use super::harness::{Answer, Configuration, Event, Harness, Stage, named_event};
use super::search::grep_action;
use crate::cli::EarlyExit;

/// Cursor.
pub(super) const CURSOR: Harness = Harness {
    name: "cursor",
    title: "Cursor",
    project_variable: None,
    events: &[
        Event {
            name: "preToolUse",
            stage: Stage::Before,
            answer: permission,
            tools: Some("Write|Delete|Read|Grep"),
        },
        Event {
            name: "beforeReadFile",
            stage: Stage::Before,
            answer: read_permission,
            tools: Some(""),
        },
        Event {
            name: "beforeShellExecution",
            stage: Stage::Before,
            answer: shell_permission,
            tools: None,
        },
        Event {
            name: "afterFileEdit",
            stage: Stage::After,
            answer: no_answer,
            tools: Some(""),
        },
    ],
    event_name: named_event,
    parse,
    configuration: Configuration {
        file: ".cursor/hooks.json",
        version: Some(1),
        entry: command_entry,
        note: None,
    },
};

/// Returns the output before a tool runs. Cursor accepts `ask` but runs the tool without a question.
fn permission(_: &str, answer: Answer, reason: &str) -> Option<Value> {
    match answer {
        Answer::Allow => Some(json!({"permission": "allow"})),
        Answer::Ask | Answer::Defer => None,
        Answer::Deny => Some(denial(reason)),
    }
}

/// Returns the output before a file is read, which has no message for the agent.
fn read_permission(_: &str, answer: Answer, reason: &str) -> Option<Value> {
    (answer == Answer::Deny).then(|| json!({"permission": "deny", "user_message": reason}))
}

/// Returns the output before a command of a shell runs.
fn shell_permission(event: &str, answer: Answer, reason: &str) -> Option<Value> {
    if answer != Answer::Ask {
        return permission(event, answer, reason);
    }
    let mut question = denial(reason);
    question["permission"] = "ask".into();
    Some(question)
}

fn denial(reason: &str) -> Value {
    json!({"permission": "deny", "user_message": reason, "agent_message": reason})
}

/// Returns no output: Cursor reads none after an edit.
fn no_answer(_: &str, _: Answer, _: &str) -> Option<Value> {
    None
}

fn command_entry(command: &str, tools: &str) -> Value {
    let mut entry = json!({"command": command});
    if !tools.is_empty() {
        entry["matcher"] = tools.into();
    }
    entry
}

/// The fields of all events.
#[derive(Deserialize)]
struct CursorInput {
    #[serde(default)]
    workspace_roots: Vec<PathBuf>,
    /// Empty in some calls.
    #[serde(default)]
    cwd: PathBuf,
    #[serde(default)]
    tool_name: Option<String>,
    #[serde(default)]
    tool_input: Value,
}

/// A file, under each name that a tool can use for it.
#[derive(Deserialize)]
struct FileInput {
    #[serde(alias = "path", alias = "target_file")]
    file_path: PathBuf,
}

fn parse(event: &Event, input: &Value) -> Result<Call, EarlyExit> {
    let fields: CursorInput = parse_input(input)?;
    let project = fields.workspace_roots.first().cloned();
    let cwd = [Some(fields.cwd), project]
        .into_iter()
        .flatten()
        .find(|directory| !directory.as_os_str().is_empty())
        .ok_or_else(|| input_error("missing field `workspace_roots`"))?;
    let call = |tool_name, tool_input| ToolCall {
        cwd,
        tool_name,
        tool_input,
        permission_mode: None,
    };
    let (call, action) = if event.name == "preToolUse" {
        let tool_name = fields
            .tool_name
            .ok_or_else(|| input_error("missing field `tool_name`"))?;
        let call = call(tool_name, fields.tool_input);
        let action = tool_action(&call)?;
        (call, action)
    } else {
        let call = call(event.name.to_owned(), input.clone());
        let action = event_action(&call)?;
        (call, action)
    };
    let in_root = |file: &Path| {
        let mut roots = fields.workspace_roots.iter();
        roots.find(|root| file.starts_with(root)).cloned()
    };
    let project = action.path().and_then(in_root);
    Ok(Call {
        project: project.or_else(|| fields.workspace_roots.first().cloned()),
        ..call.with_action(action)
    })
}

/// Returns the action of a tool.
fn tool_action(call: &ToolCall) -> Result<Action, EarlyExit> {
    match call.tool_name.as_str() {
        "Write" => Ok(Action::Change(file(call)?, Change::Unknown)),
        "Delete" => Ok(Action::Delete(file(call)?)),
        "Read" => Ok(Action::view(file(call)?)),
        "Grep" => grep_action(call),
        _ => Ok(Action::None),
    }
}

/// Returns the action of an event for one file.
fn event_action(call: &ToolCall) -> Result<Action, EarlyExit> {
    match call.tool_name.as_str() {
        "beforeReadFile" => Ok(Action::Read(file(call)?)),
        "afterFileEdit" => Ok(Action::Change(file(call)?, Change::Unknown)),
        _ => Ok(Action::None),
    }
}

fn file(call: &ToolCall) -> Result<PathBuf, EarlyExit> {
    Ok(call.absolute_path(call.arguments::<FileInput>()?.file_path))
}
