//! Gemini CLI: its events, its file tools and its configuration.
//!
//! Sources: `docs/hooks/reference.md`, `docs/reference/tools.md` and `docs/tools/file-system.md` of
//! <https://github.com/google-gemini/gemini-cli>, read for version 0.56.0 (August 2026).

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use super::action::{Action, Change, TextEdit};
use super::call::{Call, ToolCall};
use super::harness::{Answer, Configuration, Event, Harness, Stage, group_entry, named_event};
use crate::cli::EarlyExit;
use crate::engine::SearchTarget;

/// The limit on the number of patterns in one call. Each pattern searches the whole tree.
const MAX_PATTERNS: usize = 64;

/// Gemini CLI.
pub(super) const GEMINI: Harness = Harness {
    name: "gemini",
    title: "Gemini CLI",
    project_variable: Some("GEMINI_PROJECT_DIR"),
    events: &[Event {
        name: "BeforeTool",
        stage: Stage::Before,
        answer: denial,
        tools: Some(
            "replace|write_file|read_file|read_many_files|glob|grep_search|search_file_content|list_directory",
        ),
    }],
    event_name: named_event,
    parse,
    configuration: Configuration {
        file: ".gemini/settings.json",
        version: None,
        entry: named_entry,
        note: None,
    },
};

/// Returns the output that forbids a call. An `allow` of Gemini CLI has no effect, and its
/// documentation names no `ask`.
fn denial(_: &str, answer: Answer, reason: &str) -> Option<Value> {
    (answer == Answer::Deny).then(|| json!({"decision": "deny", "reason": reason}))
}

/// Returns an entry with the name that Gemini CLI shows for the hook.
fn named_entry(command: &str, tools: &str) -> Value {
    let mut entry = group_entry(command, tools);
    entry["hooks"][0]["name"] = "wpatch".into();
    entry
}

#[derive(Deserialize)]
struct ReplaceInput {
    file_path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    allow_multiple: bool,
}

#[derive(Deserialize)]
struct WriteInput {
    file_path: String,
    content: String,
}

#[derive(Deserialize)]
struct ReadInput {
    file_path: String,
}

#[derive(Deserialize)]
struct ReadManyInput {
    include: Vec<String>,
}

/// The input of a tool for a directory. One page of the documentation calls the directory
/// `dir_path`, another one `path`.
#[derive(Deserialize)]
struct DirectoryInput {
    #[serde(default, alias = "path")]
    dir_path: Option<String>,
    #[serde(default)]
    pattern: String,
    #[serde(default, alias = "include")]
    include_pattern: Option<String>,
}

fn parse(_: &Event, input: &Value) -> Result<Call, EarlyExit> {
    let call = ToolCall::parse(input)?;
    let action = action(&call)?;
    Ok(call.with_action(action))
}

fn action(call: &ToolCall) -> Result<Action, EarlyExit> {
    Ok(match call.tool_name.as_str() {
        "replace" => {
            let input: ReplaceInput = call.arguments()?;
            let edit = TextEdit {
                old_string: input.old_string,
                new_string: input.new_string,
                replace_all: input.allow_multiple,
            };
            with_path(call, &input.file_path, |file| {
                Action::Change(file, Change::Edit(edit))
            })
        }
        "write_file" => {
            let WriteInput { file_path, content } = call.arguments()?;
            with_path(call, &file_path, |file| {
                Action::Change(file, Change::Write(content))
            })
        }
        "read_file" => {
            let ReadInput { file_path } = call.arguments()?;
            with_path(call, &file_path, Action::Read)
        }
        "read_many_files" => {
            let ReadManyInput { include } = call.arguments()?;
            if include.len() > MAX_PATTERNS {
                return Ok(Action::Unclear(format!(
                    "the call has more than {MAX_PATTERNS} patterns; split them into several calls"
                )));
            }
            let reads = include.iter().map(|pattern| read_action(call, pattern));
            Action::All(reads.collect())
        }
        "list_directory" => {
            let input: DirectoryInput = call.arguments()?;
            with_path(call, &input.dir_path.unwrap_or_default(), Action::List)
        }
        "glob" => {
            let input: DirectoryInput = call.arguments()?;
            with_path(call, &input.dir_path.unwrap_or_default(), |directory| {
                Action::Glob {
                    directory,
                    pattern: input.pattern,
                    target: SearchTarget::Names,
                }
            })
        }
        "grep_search" | "search_file_content" => {
            let input: DirectoryInput = call.arguments()?;
            with_path(call, &input.dir_path.unwrap_or_default(), |path| {
                // `judge` splits globs at white space, so a glob with white space counts as none.
                let glob = input.include_pattern.unwrap_or_default();
                let is_plain = !glob.contains(char::is_whitespace) && !glob.starts_with('!');
                let glob = if is_plain { glob } else { String::new() };
                Action::Grep { path, glob }
            })
        }
        _ => Action::None,
    })
}

/// Returns the action on the files that match `pattern`, whose contents are read.
fn read_action(call: &ToolCall, pattern: &str) -> Action {
    if pattern.contains(['*', '?', '[', '{', '!', '(', '\\']) {
        return Action::Glob {
            directory: call.cwd.clone(),
            pattern: pattern.to_owned(),
            target: SearchTarget::Contents,
        };
    }
    // The name can lead to a directory.
    with_path(call, pattern, |path| Action::Grep {
        path,
        glob: String::new(),
    })
}

/// Returns the action on the file `name`. Gemini CLI removes NUL bytes from a name. It removes a
/// leading `@` from a name that does not exist, except if a directory has the name of the first
/// component.
fn with_path(call: &ToolCall, name: &str, action: impl FnOnce(PathBuf) -> Action) -> Action {
    let path = call.cwd.join(name.replace('\0', ""));
    if name.trim_start_matches('\0').starts_with('@') && fs_err::symlink_metadata(&path).is_err() {
        let why = "a name that begins with `@` can mean several files; use an absolute path";
        return Action::Unclear(why.to_owned());
    }
    action(path)
}
