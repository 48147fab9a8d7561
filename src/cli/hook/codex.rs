//! The tools of Codex that take a patch.

use std::path::Path;

use serde_json::Value;

use super::{Call, Decision, of_patch};
use crate::cli::args::Global;
use crate::cli::{Stop, names_of};
use crate::engine::options::{Selection, code};
use crate::engine::{self, Request};

/// What the tool is called, also in scripts.
const NAMES: [&str; 2] = ["apply_patch", "applypatch"];
const BEGIN: &str = "*** Begin Patch";

/// Decides on a call. The root is the one of the command line, or where the agent is.
pub(super) fn decide(call: &Call, global: &Global) -> Result<Decision, Stop> {
    let root = global.root.clone().unwrap_or_else(|| call.cwd.clone());
    let global = &Global { root: Some(root), ..global.clone() };
    let is_patch = NAMES.contains(&call.tool_name.as_str());
    let words = understood(&call.tool_input);
    let script = match words.as_deref() {
        Some([script] | [_, "-lc" | "-c", script]) => heredoc(script),
        _ => None,
    };
    match (words.as_deref(), script) {
        (Some([patch]), _) if is_patch && patch.trim_start().starts_with(BEGIN) => checked(patch, "", call, global),
        (Some([name, patch]), _) if NAMES.contains(name) => checked(patch, "", call, global),
        (_, Some((directory, patch))) => checked(patch, directory, call, global),
        (Some([text]), None) if is_patch => checked(text, "", call, global),
        // A patch that comes in another way cannot be told from what else the call does.
        _ if is_hidden(call) => {
            let why =
                "the patch cannot be checked, since other commands surround it: call apply_patch with the patch alone";
            Ok(Decision::Deny(why.to_owned()))
        }
        _ if is_patch => Err(unknown("its input is not one text")),
        _ => Ok(Decision::None),
    }
}

/// Returns the words of a command, if there is one and nothing that says where it runs.
fn understood(input: &Value) -> Option<Vec<&str>> {
    let named = ["command", "input", "patch"].iter().map(|key| &input[*key]).filter(|value| !value.is_null());
    let mut commands = named.chain(Some(input).filter(|input| input.is_string()));
    match (commands.next(), commands.next(), &input["workdir"]) {
        (Some(command), None, Value::Null) => words(command),
        _ => None,
    }
}

/// Returns whether there is a patch somewhere in the call, and the name of the tool.
fn is_hidden(call: &Call) -> bool {
    let has_name = |text: &str| NAMES.iter().any(|name| text.contains(name));
    let input = &call.tool_input;
    has_text(input, &|text| text.contains(BEGIN)) && (has_name(&call.tool_name) || has_text(input, &has_name))
}

/// Returns whether some text in `value` is like that.
fn has_text(value: &Value, is_like: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_like(text),
        Value::Array(values) => values.iter().any(|value| has_text(value, is_like)),
        Value::Object(values) => values.values().any(|value| has_text(value, is_like)),
        _ => false,
    }
}

fn unknown(what: &str) -> Stop {
    Stop::new(&code::USAGE, format!("invalid input of apply_patch: {what}"))
}

fn words(command: &Value) -> Option<Vec<&str>> {
    match command {
        Value::String(text) => Some(vec![text]),
        Value::Array(words) => words.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// Decides on a patch whose names begin at `directory`, seen from where the agent is.
fn checked(patch: &str, directory: &str, call: &Call, global: &Global) -> Result<Decision, Stop> {
    let roots = names_of(global.root());
    let below = engine::below(&roots, &call.cwd.join(Path::new(directory)));
    let selection = Selection {
        roots: engine::root_names(&roots),
        directory: if below == b"." { Vec::new() } else { below },
        ..Selection::default()
    };
    of_patch(Request { format: "codex".to_owned(), selection, ..Request::of(patch) }, global)
}

/// Returns directory and patch of a script that does nothing but `apply_patch` with a heredoc, perhaps behind one `cd`.
fn heredoc(script: &str) -> Option<(&str, &str)> {
    let script = script.trim();
    let (directory, call) = match script.strip_prefix("cd ") {
        Some(rest) => {
            let (directory, call) = rest.split_once("&&")?;
            (unquoted(directory.trim())?, call.trim_start())
        }
        None => ("", script),
    };
    let rest = NAMES.iter().find_map(|name| call.strip_prefix(name))?;
    let (mark, body) = rest.trim_start_matches(' ').strip_prefix("<<")?.split_once('\n')?;
    let mark = unquoted(mark.trim())?;
    let body = body.strip_suffix(mark)?;
    // Nothing may come behind the first line that ends it.
    let is_alone = (body.is_empty() || body.ends_with('\n')) && body.lines().all(|line| line != mark);
    is_alone.then_some((directory, body))
}

/// Returns a word of a shell without its quotes, if that is all there is to it.
fn unquoted(word: &str) -> Option<&str> {
    let quoted = |quote| word.strip_prefix(quote).and_then(|word| word.strip_suffix(quote));
    let (inner, is_quoted) = match quoted('\'').or_else(|| quoted('"')) {
        Some(inner) => (inner, true),
        None => (word, false),
    };
    let is_plain = |c: char| c.is_alphanumeric() || "_-./".contains(c) || is_quoted && c == ' ';
    (!inner.is_empty() && inner.chars().all(is_plain)).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_heredoc_alone_is_a_patch() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n";
        let takes = |script: &str| heredoc(script).map(|(directory, patch)| (directory.to_owned(), patch.to_owned()));
        for mark in ["EOF", "'EOF'", "\"EOF\"", " 'EOF'"] {
            let script = format!("apply_patch <<{mark}\n{patch}EOF\n");
            assert_eq!(takes(&script), Some((String::new(), patch.to_owned())), "{script}");
        }
        let below = format!("cd 'a dir' && applypatch <<'X'\n{patch}X");
        assert_eq!(takes(&below), Some(("a dir".to_owned(), patch.to_owned())));
        let others = [
            format!("apply_patch <<'EOF'\n{patch}EOF\nrm -r x"),
            format!("apply_patch <<'EOF'; rm x\n{patch}EOF"),
            format!("cd a && cd b && apply_patch <<'EOF'\n{patch}EOF"),
            format!("cd $(x) && apply_patch <<'EOF'\n{patch}EOF"),
            format!("apply_patch <<'EOF'\n{patch}EOF\nEOF"),
            format!("echo; apply_patch <<'EOF'\n{patch}EOF"),
        ];
        for script in others {
            assert_eq!(takes(&script), None, "{script}");
        }
    }
}
