//! The commands and options that a program can use, and the command line of a call.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::LazyLock;

use clap::{Arg, ArgAction, CommandFactory};

use super::{Call, CallError, DocumentKind, Root};
use crate::cli::args::Cli;

/// The commands that a program can call. `notebook` and `policy` have commands of their own.
pub const COMMANDS: [&[&str]; 25] = [
    &["abort"],
    &["append"],
    &["apply"],
    &["begin"],
    &["check"],
    &["commit"],
    &["convert"],
    &["diff"],
    &["edit"],
    &["gc"],
    &["init"],
    &["list"],
    &["log"],
    &["notebook", "delete"],
    &["notebook", "insert"],
    &["notebook", "replace"],
    &["policy", "explain"],
    &["read"],
    &["recover"],
    &["redo"],
    &["refresh"],
    &["reject"],
    &["show"],
    &["undo"],
    &["write"],
];

/// The options that select the form of the output, the root, another kind of command, or an input
/// that is an argument of the call.
const EXCLUDED_OPTIONS: [&str; 22] = [
    "batch",
    "color",
    "content-file",
    "help",
    "html",
    "input",
    "jobs",
    "json",
    "no-pager",
    "nul",
    "numstat",
    "output",
    "quiet",
    "root",
    "shard",
    "side-by-side",
    "source-file",
    "stat",
    "summary",
    "unified",
    "verbose",
    "version",
];

/// The options that need a directory on disk.
const DIRECTORY_OPTIONS: [&str; 15] = [
    "after",
    "base",
    "before",
    "build-fake-ancestor",
    "cached",
    "diagnostics",
    "from-tree",
    "git-dir",
    "git-paths",
    "index",
    "intent-to-add",
    "recursive",
    "sign-with",
    "verify",
    "verify-timeout",
];

/// An option of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOption {
    /// The long name, such as `max-file`. An option with only a short name has a name here that
    /// describes it, such as `strip` for `-p`.
    pub name: String,
    /// The word that precedes the value on the command line: `--max-file=` or `-p`.
    word: String,
    /// The kind of value.
    pub kind: OptionKind,
    /// The values that the option accepts. Empty if they are not a fixed list.
    pub choices: Vec<String>,
    /// The description.
    pub help: String,
}

/// The kind of value that an option has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// True or false.
    Flag,
    /// A number that is not negative.
    Number,
    /// One text.
    Text,
    /// Several texts.
    List,
    /// True, or one text.
    FlagOrText,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Whether the option is given.
    Flag(bool),
    /// One value. Numbers are written in decimal.
    Text(OsString),
    /// Several values, in order.
    List(Vec<OsString>),
}

/// The options of each command, by the names of the command and the option.
static OPTIONS: LazyLock<BTreeMap<&[&str], BTreeMap<String, CallOption>>> = LazyLock::new(|| {
    let mut cli = Cli::command();
    cli.build();
    let of_command = |words: &'static [&'static str]| {
        let found = words
            .iter()
            .try_fold(&cli, |command, word| command.find_subcommand(word));
        let arguments = found.into_iter().flat_map(clap::Command::get_arguments);
        let options = arguments
            .filter(|argument| !argument.is_positional() && !argument.is_hide_set())
            .map(call_option)
            .filter(|option| !EXCLUDED_OPTIONS.contains(&&*option.name))
            .map(|option| (option.name.clone(), option));
        (words, options.collect())
    };
    COMMANDS.into_iter().map(of_command).collect()
});

/// Returns the options of a row of [`COMMANDS`], sorted by name.
pub fn options_of(command: &'static [&'static str]) -> impl Iterator<Item = &'static CallOption> {
    OPTIONS
        .get(command)
        .into_iter()
        .flat_map(|options| options.values())
}

fn call_option(argument: &Arg) -> CallOption {
    let takes_value = argument.get_action().takes_values();
    let is_number = [
        TypeId::of::<u8>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<std::num::NonZero<usize>>(),
    ]
    .iter()
    .any(|id| argument.get_value_parser().type_id() == *id);
    let is_optional = argument
        .get_num_args()
        .is_some_and(|range| range.min_values() == 0 && range.max_values() > 0);
    let kind = match argument.get_action() {
        _ if !takes_value => OptionKind::Flag,
        ArgAction::Append => OptionKind::List,
        _ if is_optional => OptionKind::FlagOrText,
        _ if is_number => OptionKind::Number,
        _ => OptionKind::Text,
    };
    let (name, word) = match (argument.get_long(), argument.get_short()) {
        // `in` is a keyword of most languages.
        (Some("in"), _) => ("session", "--in=".to_owned()),
        (Some(long), _) if takes_value => (long, format!("--{long}=")),
        (Some(long), _) => (long, format!("--{long}")),
        (None, letter) => (
            argument.get_id().as_str(),
            format!("-{}", letter.unwrap_or_default()),
        ),
    };
    let choices = argument.get_possible_values();
    CallOption {
        name: name.to_owned(),
        word,
        kind,
        choices: choices
            .iter()
            .filter(|_| takes_value)
            .map(|choice| choice.get_name().to_owned())
            .collect(),
        help: argument
            .get_help()
            .map_or_else(String::new, ToString::to_string),
    }
}

/// Returns the command line of `call`.
pub(super) fn command_line(call: &Call) -> Result<Vec<OsString>, CallError> {
    let command = call.command.join(" ");
    let mut line: Vec<OsString> = vec!["wpatch".into()];
    line.extend(call.command.iter().map(OsString::from));
    line.push(match call.document {
        DocumentKind::Json => "--json".into(),
        DocumentKind::Html => "--html".into(),
    });
    let root = match &call.root {
        Root::Directory(root) => Some(root.as_path()),
        Root::Opened(directory) => Some(directory.path()),
        Root::Tree(_) => None,
    };
    line.extend(root.map(|root| joined("--root=", root.as_os_str())));
    for (name, value) in &call.options {
        let option = OPTIONS
            .get(call.command)
            .and_then(|options| options.get(name));
        let option = option.ok_or_else(|| CallError::UnknownOption {
            command: command.clone(),
            name: name.clone(),
        })?;
        // `log --verify` is a flag and runs no command.
        let is_verification = name == "verify" && option.kind == OptionKind::Flag;
        let needs_directory = DIRECTORY_OPTIONS.contains(&&**name) && !is_verification;
        if matches!(call.root, Root::Tree(_)) && needs_directory {
            return Err(CallError::NeedsDirectory { name: name.clone() });
        }
        add_option(option, value, &mut line)?;
    }
    if !call.operands.is_empty() {
        line.push("--".into());
        line.extend(call.operands.iter().cloned());
    }
    Ok(line)
}

fn add_option(
    option: &CallOption,
    value: &Value,
    line: &mut Vec<OsString>,
) -> Result<(), CallError> {
    use OptionKind::{Flag, FlagOrText, List, Number, Text};
    match (option.kind, value) {
        (_, Value::Flag(false)) => {}
        (Flag | FlagOrText, Value::Flag(true)) => {
            line.push(option.word.trim_end_matches('=').into());
        }
        (Number | Text | List | FlagOrText, Value::Text(value)) => {
            line.push(joined(&option.word, value));
        }
        (List, Value::List(values)) => {
            line.extend(values.iter().map(|value| joined(&option.word, value)));
        }
        (kind, _) => {
            return Err(CallError::WrongKind {
                name: option.name.clone(),
                expected: match kind {
                    Flag => "true or false",
                    Number => "a number",
                    Text => "one value",
                    List => "a list of values",
                    FlagOrText => "true, false or one value",
                },
            });
        }
    }
    Ok(())
}

fn joined(word: &str, value: &std::ffi::OsStr) -> OsString {
    let mut joined = OsString::from(word);
    joined.push(value);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_name_only_commands_and_options_that_exist() {
        let mut cli = Cli::command();
        cli.build();
        let mut names = Vec::new();
        for words in COMMANDS {
            let command = words
                .iter()
                .try_fold(&cli, |command, word| command.find_subcommand(word));
            let command = command.unwrap_or_else(|| panic!("{words:?}"));
            names.extend(command.get_arguments().map(call_option));
        }
        for listed in EXCLUDED_OPTIONS.iter().chain(&DIRECTORY_OPTIONS) {
            let exists = names.iter().any(|option| option.name == *listed);
            // clap adds `version` to the program alone.
            assert!(exists || *listed == "version", "{listed}");
        }
    }

    fn call(options: Vec<(&str, Value)>) -> Call {
        let named = |(name, value): (&str, _)| (name.to_owned(), value);
        Call {
            command: &["apply"],
            operands: vec!["-p".into()],
            options: options.into_iter().map(named).collect(),
            input: Vec::new().into(),
            root: Root::Directory("x".into()),
            document: DocumentKind::Json,
            interrupt: crate::engine::options::Interrupt::new(),
        }
    }

    #[test]
    fn a_call_has_one_command_line() {
        let call = call(vec![
            ("strip", Value::Text("0".into())),
            ("lenient", Value::Flag(true)),
            ("unique", Value::Flag(false)),
            ("exclude", Value::List(vec!["-a".into(), "b c".into()])),
            ("diagnostics", Value::Flag(true)),
        ]);
        let line = command_line(&call).unwrap();
        let words: Vec<_> = line.iter().map(|word| word.to_string_lossy()).collect();
        let expected = "wpatch|apply|--json|--root=x|-p0|--lenient|--exclude=-a|--exclude=b c|--diagnostics|--|-p";
        assert_eq!(words.join("|"), expected);
    }

    #[test]
    fn options_of_other_commands_and_kinds_are_refused() {
        let text = || Value::Text("x".into());
        for (name, value, message) in [
            ("bogus", Value::Flag(true), "apply has no option bogus"),
            ("json", Value::Flag(true), "apply has no option json"),
            (
                "strip",
                Value::Flag(true),
                "the option strip needs a number",
            ),
            ("lenient", text(), "the option lenient needs true or false"),
            (
                "exclude",
                Value::Flag(true),
                "the option exclude needs a list of values",
            ),
        ] {
            let error = command_line(&call(vec![(name, value)])).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
