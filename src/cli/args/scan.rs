//! Scans a command line that clap rejects for its command and its report format. A value of an
//! option is neither of them.

use std::ffi::OsString;
use std::iter;

use clap::{Arg, CommandFactory};

use super::global::output_formats;
use super::{COMMANDS, Cli};

/// Returns the index of the first command name in `arguments`. The first argument is the name of
/// the program.
pub(super) fn command_index(arguments: &[OsString]) -> Option<usize> {
    let cli = Cli::command();
    let options: Vec<_> = cli.get_arguments().collect();
    word_indices(&options, arguments).find(|&index| find_command(&arguments[index]).is_some())
}

/// Returns the first command name in `arguments`, or the name of the program.
pub(in crate::cli) fn command_among(arguments: &[OsString]) -> &'static str {
    command_index(arguments)
        .and_then(|index| find_command(&arguments[index]))
        .unwrap_or("wpatch")
}

/// Returns the first valid report format in `arguments`.
pub(in crate::cli) fn format_among(arguments: &[OsString]) -> Option<String> {
    let cli = Cli::command();
    let mut options: Vec<_> = cli.get_arguments().collect();
    let command = cli.find_subcommand(command_among(arguments));
    // `notebook` and `policy` have commands of their own.
    let commands = command.into_iter().flat_map(clap::Command::get_subcommands);
    options.extend(
        command
            .into_iter()
            .chain(commands)
            .flat_map(clap::Command::get_arguments),
    );
    word_indices(&options, arguments).find_map(|index| {
        let format = match arguments[index].to_str()? {
            "--json" => "json",
            "--output" => arguments.get(index + 1)?.to_str()?,
            word => word.strip_prefix("--output=")?,
        };
        output_formats()
            .contains(&format)
            .then(|| format.to_owned())
    })
}

fn find_command(word: &OsString) -> Option<&'static str> {
    COMMANDS.iter().copied().find(|name| word == name)
}

/// Returns the indices of the arguments before `--`, except the values of `options`.
fn word_indices(options: &[&Arg], arguments: &[OsString]) -> impl Iterator<Item = usize> {
    let mut next = 1;
    iter::from_fn(move || {
        let index = next;
        let word = arguments.get(index).filter(|word| *word != "--")?;
        next += 1 + usize::from(takes_next(options, &word.to_string_lossy()));
        Some(index)
    })
}

/// Returns whether the next argument is the value of the option, or group of short options, `word`.
fn takes_next(options: &[&Arg], word: &str) -> bool {
    let takes_value = |option: &Arg| {
        let needs_one = option
            .get_num_args()
            .is_none_or(|range| range.min_values() > 0);
        option.get_action().takes_values() && needs_one && !option.is_require_equals_set()
    };
    if let Some(name) = word.strip_prefix("--") {
        let is_named = |option: &Arg| {
            let aliases = option.get_all_aliases().unwrap_or_default();
            option.get_long() == Some(name) || aliases.contains(&name)
        };
        return options
            .iter()
            .any(|option| is_named(option) && takes_value(option));
    }
    let is_value_option = |letter: char| {
        let mut named = options
            .iter()
            .filter(|option| option.get_short() == Some(letter));
        named.any(|option| takes_value(option))
    };
    // In a group, the first option with a value takes the rest of the argument as its value.
    let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
    letters.find(|&letter| is_value_option(letter)).is_some() && letters.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(words: &str) -> (&'static str, Option<String>) {
        let words: Vec<_> = words.split(' ').map(OsString::from).collect();
        (command_among(&words), format_among(&words))
    }

    #[test]
    fn values_of_options_are_neither_commands_nor_formats() {
        for (words, command, format) in [
            (
                "wpatch --root check apply --bogus --json",
                "apply",
                Some("json"),
            ),
            (
                "wpatch -d check apply --bogus --output sarif",
                "apply",
                Some("sarif"),
            ),
            ("wpatch -qd check apply --bogus", "apply", None),
            ("wpatch -dx check --bogus", "check", None),
            ("wpatch --root=x edit f --old --json --bogus", "edit", None),
            (
                "wpatch edit f --old x --bogus --output=json",
                "edit",
                Some("json"),
            ),
            (
                "wpatch notebook replace n --source --json --bogus",
                "notebook",
                None,
            ),
            (
                "wpatch apply --diagnostics --json --bogus",
                "apply",
                Some("json"),
            ),
            ("wpatch --bogus -- apply --json", "wpatch", None),
        ] {
            let expected = (command, format.map(str::to_owned));
            assert_eq!(scanned(words), expected, "{words}");
        }
    }
}
