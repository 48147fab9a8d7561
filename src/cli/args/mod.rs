//! The command line, typed. Options that git has mean what they mean there.

mod check;
mod command;
mod git;
mod global;
mod history;
mod index;
mod look;
mod merge;
mod negated;
mod patch;
mod usual;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser};

pub(super) use check::{BatchOptions, CheckOptions, TreeOptions};
pub(super) use command::{COMMANDS, Command};
pub(super) use git::GitOptions;
pub(super) use global::{Durability, Global, When, digest, duration};
pub(super) use history::{BackOptions, RejectOptions, UndoOptions};
pub(super) use index::{FilterOptions, IndexOptions};
pub(super) use look::LookOptions;
pub(super) use merge::{MergeOptions, conflict_style};
pub(super) use patch::{ApplyOptions, PatchOptions};
pub(super) use usual::UsualOptions;

use global::outputs;

/// Applies a patch to a tree of files as a whole, or not at all.
///
/// Reads unified, git, context and normal diffs, Codex envelopes, SEARCH/REPLACE blocks, hashline
/// edits and JSON documents of changes. After any error the tree is as it was.
///
/// Exit codes: 0 done, or would be done; 1 the patch does not apply; 2 usage, or a broken patch; 3
/// refused by policy or safety; 4 disk or system failed, everything was put back; 5 putting back
/// could not be finished, run `wpatch recover`; 6 another process holds the lock; 128+n signal n,
/// everything was put back.
#[derive(Debug, Parser)]
#[command(name = "wpatch", version, args_override_self = true)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// Reads the command line.
///
/// # Errors
///
/// Returns clap's error: a mistake, or a wish for help or version.
pub(super) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let command = arguments.get(1).and_then(|name| name.to_str());
    let parsed = match command {
        Some("apply") => quickly(&arguments[1..], Command::Apply),
        Some("check") => quickly(&arguments[1..], Command::Check),
        _ => None,
    };
    let mut cli = parsed.map_or_else(
        || whole(arguments).or_else(|error| as_git(arguments, error)),
        Ok,
    )?;
    if cli.global.output.as_deref() == Some("json") {
        (cli.global.json, cli.global.output) = (true, None);
    }
    Ok(cli)
}

/// Reads the command line of the command `arguments[0]`. clap takes longer to build the parser of
/// every command and option than a small patch takes, so it builds one for a few options first.
/// Help and mistakes are left to the whole parser.
fn quickly<T: Args + From<UsualOptions>>(
    arguments: &[OsString],
    command: fn(T) -> Command,
) -> Option<Cli> {
    usual(arguments, command).or_else(|| alone(arguments, command))
}

/// Reads a command line with the usual options only.
fn usual<T: From<UsualOptions>>(arguments: &[OsString], command: fn(T) -> Command) -> Option<Cli> {
    alone(arguments, |options: UsualOptions| command(options.into()))
}

/// Reads a command line with any options of its command.
fn alone<T: Args>(arguments: &[OsString], command: impl FnOnce(T) -> Command) -> Option<Cli> {
    let parser = T::augment_args(Global::augment_args(clap::Command::new("wpatch")));
    // It is never taken apart again: the process does one thing, and that would take as long as a
    // tenth of a tiny patch.
    let parser = Box::leak(Box::new(
        parser.args_override_self(true).disable_help_flag(true),
    ));
    let mut matches = parser.try_get_matches_from_mut(arguments).ok()?;
    let global = Global::from_arg_matches_mut(&mut matches).ok()?;
    let filters = filters(&matches);
    let mut command = command(T::from_arg_matches_mut(&mut matches).ok()?);
    command.set_filters(filters);
    Some(Cli { global, command })
}

/// Reads any command line.
fn whole(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = Cli::command().try_get_matches_from(arguments)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let Some(("apply" | "check" | "show", matches)) = matches.subcommand() {
        cli.command.set_filters(filters(matches));
    }
    Ok(cli)
}

/// Reads the command line of `apply` or `check` once more, with options as git's option parser
/// accepts them.
fn as_git(arguments: &[OsString], error: clap::Error) -> Result<Cli, clap::Error> {
    let takes = arguments
        .get(1)
        .is_some_and(|command| command == "apply" || command == "check");
    if !takes || error.kind() != ErrorKind::UnknownArgument {
        return Err(error);
    }
    let known = negated::spelled_out(&arguments[2..]);
    let known = known.map(|known| [&arguments[..2], &known].concat());
    known.and_then(|known| whole(&known).ok()).ok_or(error)
}

/// Returns the format that a command line asks for which cannot be understood.
pub(super) fn format_among(arguments: &[OsString]) -> Option<String> {
    let words: Vec<_> = arguments
        .iter()
        .take_while(|word| *word != "--")
        .filter_map(|word| word.to_str())
        .collect();
    let mut formats = words
        .iter()
        .zip(words.iter().skip(1).chain([&""]))
        .filter_map(|(&word, &next)| match word {
            "--json" => Some("json"),
            "--output" => Some(next),
            _ => word.strip_prefix("--output="),
        });
    formats
        .find(|name| outputs().contains(name))
        .map(str::to_owned)
}

/// Returns both kinds of filter in the order of the command line, which decides between them.
fn filters(matches: &ArgMatches) -> Vec<(bool, String)> {
    let given = |id: &str, takes: bool| {
        if matches.try_contains_id(id).is_err() {
            return Vec::new();
        }
        let places = matches.indices_of(id).into_iter().flatten();
        let patterns = matches.get_many::<String>(id).into_iter().flatten();
        places
            .zip(patterns)
            .map(move |(place, pattern)| (place, takes, pattern.clone()))
            .collect::<Vec<_>>()
    };
    let mut filters = [given("include", true), given("exclude", false)].concat();
    filters.sort_by_key(|&(place, ..)| place);
    filters
        .into_iter()
        .map(|(_, takes, pattern)| (takes, pattern))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Cli {
        parse(&arguments.iter().map(OsString::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
        let named: Vec<_> = Cli::command()
            .get_subcommands()
            .map(|command| command.get_name().to_owned())
            .collect();
        assert_eq!(named, COMMANDS);
    }

    #[test]
    fn all_parsers_read_the_same() {
        // The first lines have usual options only.
        const USUAL: usize = 5;
        let lines: [&[&str]; 10] = [
            &["apply"],
            &[
                "check",
                "-R",
                "-p2",
                "--durability",
                "none",
                "--json",
                "-d",
                "x",
                "--format=git",
                "-v",
                "b",
                "-p",
                "3",
            ],
            &[
                "check",
                "--json",
                "-q",
                "a",
                "--root=x=y",
                "-",
                "-v",
                "--reverse",
                "b=c",
                "-p+2",
            ],
            &[
                "apply",
                "-v",
                "--quiet",
                "--durability=full",
                "--root=d",
                "--format",
                "auto",
                "--durability=none",
            ],
            &[
                "check",
                "-Rp2",
                "--durability",
                "none",
                "--json",
                "-d",
                "x",
                "--format=git",
                "--",
                "-v",
                "b",
            ],
            &[
                "apply",
                "-Rp2",
                "-p3",
                "--include",
                "x",
                "--color",
                "never",
                "--",
                "-v",
            ],
            &[
                "check",
                "--exclude=a",
                "--include",
                "b",
                "-C1",
                "--durability=none",
                "--lock-timeout",
                "1m",
            ],
            &["check", "--from-tree", "main", "--git-dir=x.git", "a"],
            &[
                "check",
                "--batch",
                "--shard",
                "2/3",
                "--jobs=4",
                "--deterministic",
            ],
            &[
                "apply",
                "--approve",
                "x",
                "--format",
                "git",
                "--max-patch",
                "7",
                "--stat",
                "--apply",
                "-z",
            ],
        ];
        for (number, line) in lines.into_iter().enumerate() {
            let arguments: Vec<_> = ["wpatch"].iter().chain(line).map(OsString::from).collect();
            let read = |usual: Option<Cli>, alone: Option<Cli>| {
                let whole = whole(&arguments).ok().map(|cli| format!("{cli:?}"));
                assert_eq!(alone.map(|cli| format!("{cli:?}")), whole, "{line:?}");
                assert_eq!(usual.is_some(), number < USUAL, "{line:?}");
                assert!(
                    usual.is_none_or(|cli| Some(format!("{cli:?}")) == whole),
                    "{line:?}"
                );
            };
            match line[0] {
                "apply" => read(
                    usual(&arguments[1..], Command::Apply),
                    alone(&arguments[1..], Command::Apply),
                ),
                _ => read(
                    usual(&arguments[1..], Command::Check),
                    alone(&arguments[1..], Command::Check),
                ),
            }
        }
        for wrong in [
            "-h",
            "--help",
            "-V",
            "--version",
            "--no-such",
            "-vq",
            "help",
            "--fuzz=x",
            "-p-1",
            "--format=x",
            "--json=x",
            "-px",
            "-p",
            "",
            "--root=",
            "--durability=x",
            "--root",
        ] {
            let arguments: Vec<_> = ["wpatch", "apply", wrong]
                .iter()
                .map(OsString::from)
                .collect();
            let (is_taken, is_right) = (
                quickly(&arguments[1..], Command::Apply).is_some(),
                whole(&arguments).is_ok(),
            );
            assert_eq!(is_taken, is_right, "{wrong}");
        }
    }

    #[test]
    fn filters_keep_their_order() {
        let cli = parsed(&[
            "wpatch",
            "check",
            "--exclude=a",
            "--include",
            "b",
            "--exclude=c",
        ]);
        let Command::Check(CheckOptions { patch, .. }) = cli.command else {
            panic!("check")
        };
        assert_eq!(
            patch.filters,
            [
                (false, "a".to_owned()),
                (true, "b".to_owned()),
                (false, "c".to_owned())
            ]
        );
    }

    #[test]
    fn numbers_may_be_glued_to_their_letters() {
        let cli = parsed(&["wpatch", "apply", "-p0", "-C3", "-Rz", "x"]);
        let Command::Apply(ApplyOptions { patch, .. }) = cli.command else {
            panic!("apply")
        };
        assert_eq!(
            (
                patch.usual.strip,
                patch.context,
                patch.usual.reverse,
                patch.look.nul
            ),
            (Some(0), Some(3), true, true)
        );
    }

    #[test]
    fn of_an_option_given_twice_the_last_counts() {
        let cli = parsed(&["wpatch", "apply", "--json", "-p1", "--json", "-p2", "x"]);
        let Command::Apply(ApplyOptions { patch, .. }) = cli.command else {
            panic!("apply")
        };
        assert_eq!((cli.global.json, patch.usual.strip), (true, Some(2)));
    }

    #[test]
    fn a_saved_plan_has_decided_every_option_that_can_change_its_result() {
        let refuses = |option: &str| {
            let line = ["wpatch", "apply", "--plan", "12345678", option].map(OsString::from);
            parse(&line).err().map(|error| error.kind()) == Some(ErrorKind::ArgumentConflict)
        };
        let decided = [
            "-p1",
            "-R",
            "--only=1",
            "--in-place",
            "--index",
            "--3way",
            "--backup",
            "--guard=syntax",
            "p.diff",
        ];
        assert_eq!(decided.map(refuses), [true; 9]);
        let others = [
            "--with-diff",
            "--stat",
            "--brief",
            "--allow-filter=x",
            "--verify=make",
            "--json",
        ];
        assert_eq!(others.map(refuses), [false; 6]);
    }
}
