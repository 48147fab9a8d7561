//! GitHub Copilot (CLI and cloud agent): its events, its file tools and its configuration.
//!
//! Source: <https://docs.github.com/en/copilot/reference/hooks-reference>, at commit 05da5bc3 of
//! `github/docs`. The page names the tools but not their arguments. The arguments are those in the recorded sessions of
//! <https://github.com/github/copilot-sdk> (August 2026).

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use super::action::{Action, Change, TextEdit};
use super::call::{Call, ToolCall, parse_input};
use super::codex::{has_patch, patch_action};
use super::harness::{Answer, Configuration, Event, Harness, Stage, named_event};
use super::search::{glob_action, grep_action};
use crate::cli::EarlyExit;

/// GitHub Copilot.
pub(super) const COPILOT: Harness = Harness {
    name: "copilot",
    title: "GitHub Copilot",
    project_variable: None,
    // A hook of the event `PreToolUse` receives the names of VS Code.
    events: &[
        Event {
            name: "preToolUse",
            stage: Stage::Before,
            answer: permission_decision,
            tools: Some("create|edit|str_replace_editor|apply_patch|view|grep|rg|glob"),
        },
        Event {
            name: "PreToolUse",
            stage: Stage::Before,
            answer: permission_decision,
            tools: None,
        },
    ],
    event_name,
    parse,
    configuration: Configuration {
        file: ".github/hooks/wpatch.json",
        version: Some(1),
        entry: command_entry,
        note: None,
    },
};

/// Returns the output with a decision before a tool runs.
fn permission_decision(_: &str, answer: Answer, reason: &str) -> Option<Value> {
    let decision = match answer {
        Answer::Allow => "allow",
        Answer::Ask => "ask",
        Answer::Deny => "deny",
        Answer::Defer => return None,
    };
    Some(json!({"permissionDecision": decision, "permissionDecisionReason": reason}))
}

fn command_entry(command: &str, tools: &str) -> Value {
    json!({"type": "command", "matcher": tools, "bash": command, "powershell": command})
}

/// Returns the name of the event. An input with names in camel case does not contain it, so the
/// other fields identify the event. The name is empty for an event without a tool.
fn event_name(input: &Value) -> Option<&str> {
    let has = |field: &str| input.get(field).is_some();
    named_event(input).or(if has("toolName") || has("toolArgs") {
        Some(match (has("toolResult"), has("error")) {
            (true, _) => "postToolUse",
            (_, true) => "postToolUseFailure",
            _ => "preToolUse",
        })
    } else {
        has("sessionId").then_some("")
    })
}

/// A call with the names of either kind of event.
#[derive(Deserialize)]
struct CopilotCall {
    cwd: PathBuf,
    #[serde(alias = "toolName")]
    tool_name: String,
    #[serde(alias = "toolArgs", default)]
    tool_input: Value,
}

#[derive(Deserialize)]
struct FileInput {
    /// The command of `str_replace_editor`.
    command: Option<String>,
    #[serde(alias = "file_path")]
    path: PathBuf,
    #[serde(alias = "content")]
    file_text: Option<String>,
    #[serde(alias = "old_string")]
    old_str: Option<String>,
    #[serde(alias = "new_string")]
    new_str: Option<String>,
}

fn parse(_: &Event, input: &Value) -> Result<Call, EarlyExit> {
    let call: CopilotCall = parse_input(input)?;
    // The arguments are an object, or its JSON text.
    let text = call.tool_input.as_str();
    let parsed = text.and_then(|text| serde_json::from_str(text).ok());
    let call = ToolCall {
        cwd: call.cwd,
        tool_name: call.tool_name,
        tool_input: parsed.unwrap_or(call.tool_input),
        permission_mode: None,
    };
    let action = action(&call)?;
    Ok(call.with_action(action))
}

fn action(call: &ToolCall) -> Result<Action, EarlyExit> {
    match call.tool_name.as_str() {
        "apply_patch" => patch_action(call),
        // The name for VS Code of `apply_patch`, too.
        "Edit" if has_patch(&call.tool_input) => patch_action(&ToolCall {
            cwd: call.cwd.clone(),
            tool_name: "apply_patch".to_owned(),
            tool_input: call.tool_input.clone(),
            permission_mode: None,
        }),
        "create" | "Write" | "edit" | "str_replace_editor" | "Edit" | "view" | "Read" => {
            file_action(call)
        }
        "grep" | "rg" | "Grep" => grep_action(call),
        "glob" | "Glob" => glob_action(call),
        _ => Ok(Action::None),
    }
}

/// Returns the action of a tool for one file.
fn file_action(call: &ToolCall) -> Result<Action, EarlyExit> {
    let input: FileInput = call.arguments()?;
    let file = call.absolute_path(input.path);
    let kind = match (&*call.tool_name, input.command.as_deref()) {
        ("str_replace_editor", Some(command)) => command,
        (tool, _) => tool,
    };
    let change = match (kind, input.old_str) {
        ("view" | "Read", _) => return Ok(Action::view(file)),
        ("create", _) => Change::Create(input.file_text.unwrap_or_default()),
        ("edit" | "str_replace" | "Edit" | "str_replace_editor", Some(old)) if !old.is_empty() => {
            Change::Edit(TextEdit {
                old_string: old,
                new_string: input.new_str.unwrap_or_default(),
                replace_all: false,
            })
        }
        _ => Change::Unknown,
    };
    Ok(Action::Change(file, change))
}
