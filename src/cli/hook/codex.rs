//! The tools of Codex that accept a patch.

use std::path::Path;

use serde_json::Value;

use super::{Call, Decision, MAX_NAME, check_patch, shell};
use crate::cli::EarlyExit;
use crate::cli::args::Global;
use crate::cli::root::absolute_paths;
use crate::engine::options::code;
use crate::engine::{self, Request};

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

/// Decides on a call. The root is `--root`, or the current directory of the agent.
pub(super) fn decide(call: &Call, global: &Global) -> Result<Decision, EarlyExit> {
    let root = global.root.clone().unwrap_or_else(|| call.cwd.clone());
    let global = &Global {
        root: Some(root),
        ..global.clone()
    };
    let is_patch = NAMES.contains(&call.tool_name.as_str());
    let words = command_words(&call.tool_input);
    let script = match words.as_deref() {
        Some([script] | [_, "-lc" | "-c", script]) => parse_plain_call(script),
        _ => None,
    };
    match (words.as_deref(), script) {
        (Some([patch]), _) if is_patch && patch.trim_start().starts_with(BEGIN) => {
            decide_patch(patch, "", call, global)
        }
        (Some([name, patch]), _) if NAMES.contains(name) => decide_patch(patch, "", call, global),
        (_, Some((directory, patch))) => decide_patch(patch, directory, call, global),
        (Some([text]), None) if is_patch => decide_patch(text, "", call, global),
        // A patch in any other form cannot be separated from the other effects of the call.
        _ if can_hide_patch(call) => {
            let why = "the call can contain a patch that cannot be checked; call apply_patch with only the patch";
            Ok(Decision::Deny(why.to_owned()))
        }
        _ if is_patch => Err(input_error("expected the patch as one string")),
        _ => Ok(Decision::None),
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
fn can_hide_patch(call: &Call) -> bool {
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
fn is_harmless(call: &Call) -> bool {
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

fn words(command: &Value) -> Option<Vec<&str>> {
    match command {
        Value::String(text) => Some(vec![text]),
        Value::Array(words) => words.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// Decides on a patch. Its names are relative to `directory`, which is relative to the agent's
/// current directory.
fn decide_patch(
    patch: &str,
    directory: &str,
    call: &Call,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    let roots = absolute_paths(global.root());
    let below = engine::relative_to(&roots, &call.cwd.join(Path::new(directory)));
    let mut request = Request::of(patch);
    "codex".clone_into(&mut request.decide.format);
    request.decide.roots = engine::root_names(&roots);
    request.decide.directory = if below == b"." { Vec::new() } else { below };
    check_patch(request, global)
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
mod tests {
    use super::*;

    #[test]
    fn only_a_heredoc_or_a_word_alone_is_a_patch() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n";
        let takes = |script: &str| {
            parse_plain_call(script)
                .map(|(directory, patch)| (directory.to_owned(), patch.to_owned()))
        };
        for mark in ["EOF", "'EOF'", "\"EOF\"", " 'EOF'"] {
            let script = format!("apply_patch <<{mark}\n{patch}EOF\n");
            assert_eq!(
                takes(&script),
                Some((String::new(), patch.to_owned())),
                "{script}"
            );
        }
        let below = format!("cd 'a dir' && applypatch <<'X'\n{patch}X");
        assert_eq!(takes(&below), Some(("a dir".to_owned(), patch.to_owned())));
        for script in [
            format!("apply_patch '{patch}'"),
            format!("apply_patch  \"{patch}\"\n"),
        ] {
            assert_eq!(
                takes(&script),
                Some((String::new(), patch.to_owned())),
                "{script}"
            );
        }
        let others = [
            format!("apply_patch '{patch}' '{patch}'"),
            format!("apply_patch '{patch}'; rm 'x'"),
            format!("apply_patch'{patch}'"),
            format!("apply_patch \"{patch}$(x)\""),
            format!("apply_patch \"{patch}\\n\""),
            format!("apply_patch '{patch}"),
            format!("apply_patch <<'EOF'\n{patch}EOF\nrm -r x"),
            format!("apply_patch <<'EOF'; rm x\n{patch}EOF"),
            format!("cd a && cd b && apply_patch <<'EOF'\n{patch}EOF"),
            format!("cd $(x) && apply_patch <<'EOF'\n{patch}EOF"),
            format!("apply_patch <<'EOF'\n{patch}EOF\nEOF"),
            format!("echo; apply_patch <<'EOF'\n{patch}EOF"),
            format!("apply_patch <<EOF\n{}EOF", patch.replace("+x", "+$(rm x)")),
            format!("apply_patch <<EOF\n{}EOF", patch.replace("+x", "+`rm x`")),
            format!(
                "apply_patch <<EOF\n{}EOF",
                patch.replace("File: a", "File: ${G}hooks")
            ),
            format!("apply_patch <<EOF\n{}EOF", patch.replace("+x", "+\\x")),
            format!("cd - && apply_patch <<'EOF'\n{patch}EOF"),
        ];
        let code = patch.replace("+x", "+$x");
        assert_eq!(
            takes(&format!("apply_patch <<'EOF'\n{code}EOF")),
            Some((String::new(), code))
        );
        for script in others {
            assert_eq!(takes(&script), None, "{script}");
        }
    }

    #[test]
    fn the_tool_is_named_also_with_quotes_and_escapes() {
        for command in [
            "apply_patch < p",
            "ls; apply_patch < p",
            "true && apply\\_patch <<EOF\nx\nEOF",
            "apply\"\"_patch < p",
            "'apply'_pat\\\nch < p",
            "/usr/bin/applypatch < p",
            "p=apply_patch; $p < x",
            "$(apply_patch<p)",
            "grep -h '' p | apply_patch",
            "cat $(apply_patch<p)",
            "find . -exec apply_patch {} +",
            "codex --codex-run-as-apply-patch \"$(cat p)\"",
            "sh -c 'x' '*** Begin Patch'",
            "x '*** Begin'\" Patch\"",
        ] {
            assert!(has_tool_name(command), "{command}");
        }
        for command in [
            "ls",
            "cat src/apply_patch.rs",
            "cargo test apply_patch_works",
            "ls src/apply_patch/mod.rs",
        ] {
            assert!(!has_tool_name(command), "{command}");
        }
    }

    #[test]
    fn a_name_that_a_reading_command_receives_is_not_executed() {
        for command in [
            "rg -n apply_patch src",
            "grep -rn 'apply_patch(' src | head -5",
            "cd src && grep apply_patch a.rs 2>/dev/null; ls",
            "git commit -m 'fix apply_patch'",
            "git grep -n \"apply_patch\\(\" && git log --oneline -- apply_patch",
            "sed -n 1,5p apply_patch",
            "sed -n '1,$p' apply_patch",
            "which apply_patch || command -v apply_patch",
            "find . -name apply_patch >/dev/null",
            "cat apply_patch 2>&1 | wc -l",
            "wc < apply_patch",
        ] {
            assert!(
                has_tool_name(command) && shell::is_read_only(command, &has_tool_name),
                "{command}"
            );
        }
    }

    #[test]
    fn a_name_that_any_other_command_receives_can_be_executed() {
        for command in [
            "rg apply_patch; apply_patch < p",
            "rg x | apply_patch",
            "echo x & apply_'patch' < p",
            "ls\napply_patch < p",
            "ls # it's\napply_patch < p # it's",
            "echo 'a\\'' ; apply_patch < p ; echo '' '",
            "grep x \"$(apply_patch < p)\"",
            "cat <(apply_patch < p)",
            "cat <<E | sh\napply_patch < p\nE",
            "echo 'apply_patch < p' | sh",
            "echo apply_patch | xargs -I% sh -c % ",
            "echo apply_patch |& head | bash",
            "echo 'apply_patch < p' > x; sh x",
            "cat p > apply_patch &",
            "echo apply_patch &> x; sh x",
            "ls &> /dev/null apply_patch",
            "sh < apply_patch",
            "sh -c 'apply_patch < p'",
            "env apply_patch",
            "exec apply_patch",
            "x=apply_patch",
            "if apply_patch < p; then ls; fi",
            "alias ls=apply_patch; ls",
            "trap apply_patch EXIT",
            "rg --pre apply_patch x",
            "rg --pre=apply_patch x",
            "find . -exec apply_patch ;",
            "find . -execdir apply_patch +",
            "git grep -Oapply_patch x",
            "git grep -nOapply_patch x",
            "git grep --open-files=apply_patch x",
            "git log --format=apply_patch --output=x",
            "git -c core.pager=apply_patch log",
            "git apply_patch",
            "sed -n '1e apply_patch' x",
            "sed -n p -e '1e apply_patch' x",
            "sed 's/x/apply_patch/e' x",
            "command apply_patch",
            "printf -v 'a[$(apply_patch)]' x",
            "./grep apply_patch",
            "grep apply_patch 'x",
            "{ apply_patch; }",
            "(apply_patch)",
            "! apply_patch",
            "> /dev/null apply_patch",
            "cat apply_patch <> x",
        ] {
            assert!(!shell::is_read_only(command, &has_tool_name), "{command}");
        }
    }
}
