//! Codex: its events, its configuration, and its tools that accept a patch.
//!
//! Source: <https://developers.openai.com/codex/hooks>, read for version 0.134.0 (May 2026) and again
//! in July 2026.

use serde_json::Value;

use super::action::Action;
use super::call::{Call, ToolCall};
use super::claude::{permission_decision, permission_request};
use super::harness::{Answer, Configuration, Event, Harness, Stage, group_entry, named_event};
use super::{MAX_NAME, shell};
use crate::cli::EarlyExit;
use crate::engine::options::code;

/// Codex.
pub(super) const CODEX: Harness = Harness {
    name: "codex",
    title: "Codex",
    project_variable: None,
    events: &[
        Event {
            name: "PreToolUse",
            stage: Stage::Before,
            answer: denial,
            tools: Some(TOOLS),
        },
        Event {
            name: "PermissionRequest",
            stage: Stage::Prompt,
            answer: permission_request,
            tools: Some(TOOLS),
        },
    ],
    event_name: named_event,
    parse,
    configuration: Configuration {
        file: ".codex/hooks.json",
        version: None,
        entry: group_entry,
        note: Some("Codex runs the hook after you trust it: enter /hooks in Codex"),
    },
};

/// The tools for which the hook is registered.
const TOOLS: &str = "apply_patch|Bash";
/// The names of the tool, also as a program in scripts.
const NAMES: [&str; 2] = ["apply_patch", "applypatch"];
/// The option with which Codex runs itself as the tool.
const SELF_RUN_OPTION: &str = "codex-run-as-apply-patch";
const BEGIN: &str = "*** Begin Patch";
/// The input fields whose text is a command or the input of one.
const COMMAND_FIELDS: [&str; 7] = [
    "command", "cmd", "script", "chars", "input", "patch", "argv",
];

/// The shells whose quoting [`shell`] parses.
const SHELLS: [&str; 5] = ["bash", "dash", "ksh", "sh", "zsh"];

/// Returns the output before a tool runs. Codex supports neither `allow` nor `ask`: it would report
/// an error and run the tool.
fn denial(event: &str, answer: Answer, reason: &str) -> Option<Value> {
    (answer == Answer::Deny)
        .then(|| permission_decision(event, answer, reason))
        .flatten()
}

fn parse(_: &Event, input: &Value) -> Result<Call, EarlyExit> {
    let call = ToolCall::parse(input)?;
    let action = patch_action(&call)?;
    Ok(call.with_action(action))
}

/// Returns the patch that a call applies.
pub(super) fn patch_action(call: &ToolCall) -> Result<Action, EarlyExit> {
    let is_patch = NAMES.contains(&call.tool_name.as_str());
    let words = command_words(&call.tool_input);
    let script = match words.as_deref() {
        Some([script] | [_, "-lc" | "-c", script]) => parse_plain_call(script),
        _ => None,
    };
    let patch = |text: &str, directory: &str| {
        Ok(Action::Patch {
            text: text.to_owned(),
            directory: directory.to_owned(),
        })
    };
    match (words.as_deref(), script) {
        (Some([text]), _) if is_patch && text.trim_start().starts_with(BEGIN) => patch(text, ""),
        (Some([name, text]), _) if NAMES.contains(name) => patch(text, ""),
        (_, Some((directory, text))) => patch(text, directory),
        (Some([text]), None) if is_patch => patch(text, ""),
        // A patch in any other form cannot be separated from the other effects of the call.
        _ if can_hide_patch(call) => {
            let why = "the call can contain a patch that cannot be checked; call apply_patch with only the patch";
            Ok(Action::Unclear(why.to_owned()))
        }
        _ if is_patch => Err(input_error("expected the patch as one string")),
        _ => Ok(Action::None),
    }
}

/// Returns the words of the only command. Returns `None` if the input sets a working directory.
fn command_words(input: &Value) -> Option<Vec<&str>> {
    let named = ["command", "input", "patch"]
        .iter()
        .map(|key| &input[*key])
        .filter(|value| !value.is_null());
    let mut commands = named.chain(Some(input).filter(|input| input.is_string()));
    match (commands.next(), commands.next(), &input["workdir"]) {
        (Some(command), None, Value::Null) => words(command),
        _ => None,
    }
}

/// Returns whether the call may apply a patch that cannot be extracted. Either a command contains a
/// patch or the name of the tool, or the call contains both.
fn can_hide_patch(call: &ToolCall) -> bool {
    let has_name = |text: &str| NAMES.iter().any(|name| text.contains(name));
    let (input, is_server) = (&call.tool_input, call.tool_name.starts_with("mcp__"));
    let commands = COMMAND_FIELDS
        .iter()
        .map(|key| &input[*key])
        .chain(Some(input).filter(|input| input.is_string()));
    !is_server
        && !is_harmless(call)
        && commands
            .into_iter()
            .any(|command| has_text(command, &has_tool_name))
        || has_text(input, &|text| text.contains(BEGIN))
            && (has_name(&call.tool_name) || has_text(input, &has_name))
}

/// Returns whether the input is one shell script in which the name of the tool is only an argument
/// of commands that read.
fn is_harmless(call: &ToolCall) -> bool {
    let input = &call.tool_input;
    let mut commands = COMMAND_FIELDS.iter().filter(|key| !input[**key].is_null());
    let (Some("command" | "cmd"), None) = (commands.next().copied(), commands.next()) else {
        return false;
    };
    let command = [&input["command"], &input["cmd"]]
        .into_iter()
        .find(|command| !command.is_null());
    let is_shell = |program: &str| SHELLS.contains(&program.rsplit('/').next().unwrap_or_default());
    let words = command.and_then(words).unwrap_or_default();
    let script = match &words[..] {
        [script] => script,
        [shell, "-lc" | "-c", script] if is_shell(shell) => script,
        _ => return false,
    };
    let is_for_shell = input["shell"].is_null() || input["shell"].as_str().is_some_and(is_shell);
    is_for_shell && !script.contains(BEGIN) && shell::is_read_only(script, &has_tool_name)
}

/// Returns whether `command` contains a patch, or the name of the tool as a word. Quotes and
/// escapes are removed first, as a shell does.
fn has_tool_name(command: &str) -> bool {
    let plain = command.replace("\\\n", "").replace(['\'', '"', '\\'], "");
    let is_part = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    let mut words = plain
        .split(|c| !is_part(c))
        .map(|word| word.rsplit('/').next().unwrap_or_default());
    plain.contains(BEGIN)
        || command.contains(BEGIN)
        || words
            .any(|word| NAMES.contains(&word) || word.trim_start_matches('-') == SELF_RUN_OPTION)
}

/// Returns whether `is_like` accepts any text in `value`.
fn has_text(value: &Value, is_like: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_like(text),
        Value::Array(values) => values.iter().any(|value| has_text(value, is_like)),
        Value::Object(values) => values.values().any(|value| has_text(value, is_like)),
        _ => false,
    }
}

fn input_error(what: &str) -> EarlyExit {
    EarlyExit::new(
        &code::USAGE,
        format!("invalid input of apply_patch: {what}"),
    )
}

/// Returns whether the input of a tool is a patch.
pub(super) fn has_patch(input: &Value) -> bool {
    has_text(input, &|text| text.trim_start().starts_with(BEGIN))
}

fn words(command: &Value) -> Option<Vec<&str>> {
    match command {
        Value::String(text) => Some(vec![text]),
        Value::Array(words) => words.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// Returns the directory and the patch of a script that only runs `apply_patch`, after at most one
/// `cd`. The patch must be a here-document or one quoted word. The directory is empty without a
/// `cd`.
fn parse_plain_call(script: &str) -> Option<(&str, &str)> {
    let script = script.trim();
    let (directory, call) = match script.strip_prefix("cd ") {
        Some(rest) => {
            let (directory, call) = rest.split_once("&&")?;
            // `cd -` changes to the previous directory.
            let directory =
                unquote_word(directory.trim()).filter(|directory| !directory.starts_with('-'))?;
            (directory, call.trim_start())
        }
        None => ("", script),
    };
    let rest = NAMES.iter().find_map(|name| call.strip_prefix(name))?;
    if let Some(patch) = rest
        .strip_prefix(' ')
        .and_then(|word| unquote_literal(word.trim_start_matches(' ')))
    {
        return Some((directory, patch));
    }
    let (mark, body) = rest
        .trim_start_matches(' ')
        .strip_prefix("<<")?
        .split_once('\n')?;
    let (quoted, mark) = (mark.trim(), unquote_word(mark.trim())?);
    let body = body.strip_suffix(mark)?;
    // The script must end with the first line that ends the here-document.
    let is_alone =
        (body.is_empty() || body.ends_with('\n')) && body.lines().all(|line| line != mark);
    // In a here-document with an unquoted delimiter, the shell expands commands and variables.
    let is_literal = quoted != mark || !body.contains(['$', '`', '\\']);
    (is_alone && is_literal).then_some((directory, body))
}

/// Returns the text of a quoted shell word, if the shell does not change it.
fn unquote_literal(word: &str) -> Option<&str> {
    let quoted = |quote| {
        word.strip_prefix(quote)
            .and_then(|word| word.strip_suffix(quote))
    };
    let single = quoted('\'').filter(|text| !text.contains('\''));
    single.or_else(|| quoted('"').filter(|text| !text.contains(['"', '$', '`', '\\', '!'])))
}

/// Returns a shell word without its quotes. Returns `None` if the shell could change it.
fn unquote_word(word: &str) -> Option<&str> {
    let quoted = |quote| {
        word.strip_prefix(quote)
            .and_then(|word| word.strip_suffix(quote))
    };
    let (inner, is_quoted) = match quoted('\'').or_else(|| quoted('"')) {
        Some(inner) => (inner, true),
        None => (word, false),
    };
    let is_plain = |c: char| c.is_alphanumeric() || "_-./".contains(c) || is_quoted && c == ' ';
    ((1..=MAX_NAME).contains(&inner.len()) && inner.chars().all(is_plain)).then_some(inner)
}

#[cfg(test)]
mod tests;
