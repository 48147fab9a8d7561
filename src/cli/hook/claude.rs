//! Claude Code: its events, its file tools and its configuration.
//!
//! Source: <https://code.claude.com/docs/en/hooks>, read for version 2.1.236 (August 2026).

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use super::MAX_EDITS;
use super::action::{Action, Change, TextEdit};
use super::call::{Call, ToolCall};
use super::harness::{Answer, Configuration, Event, Harness, Stage, group_entry, named_event};
use super::search::{glob_action, grep_action, list_action};
use crate::cli::EarlyExit;
use crate::engine::options::{CellEdit, CellKind, CellPosition};

/// Claude Code.
pub(super) const CLAUDE: Harness = Harness {
    name: "claude",
    title: "Claude Code",
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    events: &[
        Event {
            name: "PreToolUse",
            stage: Stage::Before,
            answer: permission_decision,
            tools: Some(TOOLS),
        },
        Event {
            name: "PermissionRequest",
            stage: Stage::Prompt,
            answer: permission_request,
            tools: Some(TOOLS),
        },
        Event {
            name: "PostToolUse",
            stage: Stage::After,
            answer: feedback,
            tools: Some("Edit|MultiEdit|Write|NotebookEdit"),
        },
    ],
    event_name: named_event,
    parse,
    configuration: Configuration {
        file: ".claude/settings.json",
        version: None,
        entry: group_entry,
        note: None,
    },
};

/// The tools for which the hook is registered.
const TOOLS: &str = "Edit|MultiEdit|Write|NotebookEdit|Read|NotebookRead|Grep|Glob|LS";

/// Returns the output with a decision before a tool runs.
#[allow(
    clippy::unnecessary_wraps,
    reason = "other harnesses do not support every answer"
)]
pub(super) fn permission_decision(event: &str, answer: Answer, reason: &str) -> Option<Value> {
    let decision = match answer {
        Answer::Allow => "allow",
        Answer::Ask => "ask",
        Answer::Defer => "defer",
        Answer::Deny => "deny",
    };
    Some(json!({"hookSpecificOutput": {
        "hookEventName": event,
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }}))
}

/// Returns the output when the harness is about to ask the user.
pub(super) fn permission_request(event: &str, answer: Answer, reason: &str) -> Option<Value> {
    let decision = match answer {
        Answer::Allow => json!({"behavior": "allow"}),
        Answer::Deny => json!({"behavior": "deny", "message": reason}),
        Answer::Ask | Answer::Defer => return None,
    };
    Some(json!({"hookSpecificOutput": {"hookEventName": event, "decision": decision}}))
}

/// Returns the output after a tool ran.
fn feedback(_: &str, answer: Answer, reason: &str) -> Option<Value> {
    (answer == Answer::Deny).then(|| json!({"decision": "block", "reason": reason}))
}

#[derive(Deserialize)]
struct EditInput {
    file_path: PathBuf,
    #[serde(flatten)]
    edit: TextEdit,
}

#[derive(Deserialize)]
struct MultiEditInput {
    file_path: PathBuf,
    edits: Vec<TextEdit>,
}

#[derive(Deserialize)]
struct WriteInput {
    file_path: PathBuf,
    content: String,
}

#[derive(Deserialize)]
struct ReadInput {
    file_path: PathBuf,
}

#[derive(Deserialize)]
struct NotebookReadInput {
    notebook_path: PathBuf,
}

#[derive(Deserialize)]
struct NotebookInput {
    notebook_path: PathBuf,
    cell_id: Option<String>,
    #[serde(default)]
    new_source: String,
    cell_type: Option<CellType>,
    #[serde(default)]
    edit_mode: CellEditMode,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CellType {
    Code,
    Markdown,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CellEditMode {
    #[default]
    Replace,
    Insert,
    Delete,
}

fn parse(_: &Event, input: &Value) -> Result<Call, EarlyExit> {
    let call = ToolCall::parse(input)?;
    let action = action(&call)?;
    Ok(call.with_action(action))
}

fn action(call: &ToolCall) -> Result<Action, EarlyExit> {
    let change = |file, change| Action::Change(call.absolute_path(file), change);
    Ok(match call.tool_name.as_str() {
        "Edit" => {
            let EditInput { file_path, edit } = call.arguments()?;
            change(file_path, Change::Edit(edit))
        }
        "MultiEdit" => {
            let MultiEditInput { file_path, edits } = call.arguments()?;
            if edits.len() > MAX_EDITS {
                return Ok(Action::Unclear(format!(
                    "the call has more than {MAX_EDITS} edits; split them into several calls"
                )));
            }
            change(file_path, Change::Sequence(edits))
        }
        "Write" => {
            let WriteInput { file_path, content } = call.arguments()?;
            change(file_path, Change::Write(content))
        }
        "NotebookEdit" => {
            let input: NotebookInput = call.arguments()?;
            change(input.notebook_path.clone(), Change::Cell(cell_edit(input)))
        }
        "Read" => Action::Read(call.absolute_path(call.arguments::<ReadInput>()?.file_path)),
        "NotebookRead" => {
            let NotebookReadInput { notebook_path } = call.arguments()?;
            Action::Read(call.absolute_path(notebook_path))
        }
        "Grep" => grep_action(call)?,
        "Glob" => glob_action(call)?,
        "LS" => list_action(call)?,
        _ => Action::None,
    })
}

fn cell_edit(input: NotebookInput) -> CellEdit {
    let kind = input.cell_type.map(|kind| match kind {
        CellType::Code => CellKind::Code,
        CellType::Markdown => CellKind::Markdown,
    });
    let (source, named) = (input.new_source, input.cell_id);
    match input.edit_mode {
        CellEditMode::Replace => CellEdit::Replace {
            cell: named.unwrap_or_default(),
            kind,
            source,
        },
        CellEditMode::Insert => {
            let place = named.map_or(CellPosition::Start, CellPosition::After);
            CellEdit::Insert {
                place,
                kind: kind.unwrap_or(CellKind::Code),
                source,
                id: None,
            }
        }
        CellEditMode::Delete => CellEdit::Delete {
            cell: named.unwrap_or_default(),
        },
    }
}
