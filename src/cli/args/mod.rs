//! The command line as types. Options of `git apply` have their meaning in git.
//!
//! `parse` returns a `Cli`: the global options and one command. For `apply` and `check` it first
//! tries smaller parsers, which are faster than the complete one. Read `command` for the
//! commands, `global` for the options of every command, and `patch` for the options of `apply`,
//! `check` and `show`.

mod basic;
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
#[cfg(feature = "review")]
mod review;
mod scan;
mod session;

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Mutex;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches, Parser};

use basic::parse_common_options;

pub(super) use basic::{BasicOptions, grammars};
pub(super) use check::{BatchOptions, CheckOptions, TreeOptions};
pub(super) use command::{COMMANDS, Command, page_names};
pub(super) use git::GitOptions;
pub(super) use global::{ColorMode, Durability, Global, NamedRoot, digest, duration, line_range};
pub(super) use history::{LogOptions, RecoverOptions, RejectOptions, RevertOptions, UndoOptions};
pub(super) use index::{FilterOptions, IndexOptions};
pub(super) use look::ReportOptions;
pub(super) use merge::{MergeOptions, parse_conflict_style};
pub(super) use patch::{ApplyOptions, PatchOptions};
#[cfg(feature = "review")]
pub(super) use review::ReviewOptions;
pub(super) use scan::{command_among, format_among};
pub(super) use session::{BeginOptions, CommitOptions, SessionOption};

/// Applies patches to a tree of files: completely or not at all.
///
/// Reads unified, git, context and normal diffs, Codex envelopes, SEARCH/REPLACE blocks, hashline
/// edits and JSON change documents. After any error, the tree is unchanged.
///
/// Exit codes: 0 success; 1 the patch does not apply; 2 usage error or malformed patch; 3 refused
/// by policy or a safety check; 4 I/O or system error, rolled back; 5 the rollback is incomplete,
/// run `wpatch recover`; 6 another process holds the lock; 128+n signal n, rolled back.
#[derive(Clone, Debug, Parser)]
#[command(name = "wpatch", version, args_override_self = true)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// Parses the command line.
///
/// # Errors
///
/// Returns clap's error: a mistake, or a request for help or the version.
pub(super) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let command = arguments.get(1).and_then(|name| name.to_str());
    let parsed = match command {
        Some("apply") => parse_fast(&arguments[1..], Command::Apply),
        Some("check") => parse_fast(&arguments[1..], Command::Check),
        _ => None,
    };
    let mut cli = parsed.map_or_else(
        || parse_complete(arguments).or_else(|error| parse_git_spelling(arguments, error)),
        Ok,
    )?;
    if cli.global.output.as_deref() == Some("json") {
        (cli.global.json, cli.global.output) = (true, None);
    }
    Ok(cli)
}

/// Parses the command line of the command `arguments[0]`. Returns `None` for help and for mistakes,
/// which need the complete parser.
///
/// Building clap's parser for all commands and options takes longer than applying a small patch.
/// This function therefore tries a parser for a few options first, and then one for the options of
/// the command.
fn parse_fast<T: Args + From<BasicOptions> + 'static>(
    arguments: &[OsString],
    command: fn(T) -> Command,
) -> Option<Cli> {
    parse_basic(arguments, command).or_else(|| parse_one_command(arguments, command))
}

/// Parses a command line that contains only common options.
fn parse_basic<T: From<BasicOptions>>(
    arguments: &[OsString],
    command: fn(T) -> Command,
) -> Option<Cli> {
    let (global, basic) = parse_common_options(&arguments[1..])?;
    let command = command(basic.into());
    Some(Cli { global, command })
}

/// Parses a command line with any options of its command.
fn parse_one_command<T: Args + 'static>(
    arguments: &[OsString],
    command: impl FnOnce(T) -> Command,
) -> Option<Cli> {
    let build = || {
        let parser = T::augment_args(Global::augment_args(clap::Command::new("wpatch")));
        // `-h` is an unknown argument here, so the complete parser prints the help.
        parser.args_override_self(true).disable_help_flag(true)
    };
    let mut matches = parse_matches::<T>(build, arguments).ok()?;
    let global = Global::from_arg_matches_mut(&mut matches).ok()?;
    let filters = read_filters(&matches);
    let mut command = command(T::from_arg_matches_mut(&mut matches).ok()?);
    command.set_filters(filters);
    Some(Cli { global, command })
}

/// Parses `arguments` with the parser for `T`, which `build` returns.
///
/// The parser is kept: building one takes longer than using it, and dropping it would add a tenth
/// of the time of a small patch.
fn parse_matches<T: 'static>(
    build: impl FnOnce() -> clap::Command,
    arguments: &[OsString],
) -> Result<ArgMatches, clap::Error> {
    /// The parsers that no thread uses.
    static PARSERS: Mutex<BTreeMap<TypeId, Vec<clap::Command>>> = Mutex::new(BTreeMap::new());
    let key = TypeId::of::<T>();
    // In a child process, a thread that fork(2) has not copied can hold the lock for ever.
    let parsers = || PARSERS.try_lock().ok();
    let kept = parsers().and_then(|mut all| all.get_mut(&key)?.pop());
    let mut parser = kept.unwrap_or_else(build);
    let matches = parser.try_get_matches_from_mut(arguments);
    if let Some(mut all) = parsers() {
        all.entry(key).or_default().push(parser);
    }
    matches
}

/// Parses any command line with the complete parser.
fn parse_complete(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = parse_matches::<Cli>(Cli::command, arguments)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let Some(("apply" | "check" | "convert" | "diff" | "review" | "show", matches)) =
        matches.subcommand()
    {
        cli.command.set_filters(read_filters(matches));
        if let Command::Show(show) = &mut cli.command
            && show.find_change_id().is_some()
        {
            show.patch_option = find_patch_option(matches);
        }
    }
    Ok(cli)
}

/// Returns the first given option of `show` that has a meaning only for a patch.
fn find_patch_option(matches: &ArgMatches) -> Option<String> {
    let cli = Cli::command();
    let is_given = |option: &&Arg| {
        let source = matches.value_source(option.get_id().as_str());
        source == Some(ValueSource::CommandLine) && option.get_id() != "html"
    };
    let mut given = cli
        .find_subcommand("show")?
        .get_arguments()
        .filter(is_given);
    given.find_map(|option| match (option.get_long(), option.get_short()) {
        (Some(name), _) => Some(format!("--{name}")),
        (None, letter) => letter.map(|letter| format!("-{letter}")),
    })
}

/// Parses the command line of `apply` or `check` again, with the spellings that git's option parser
/// accepts. Returns `error` if this fails, too.
fn parse_git_spelling(arguments: &[OsString], error: clap::Error) -> Result<Cli, clap::Error> {
    if error.kind() != ErrorKind::UnknownArgument {
        return Err(error);
    }
    let Some(command) = scan::command_index(arguments)
        .filter(|&index| arguments[index] == "apply" || arguments[index] == "check")
    else {
        return Err(error);
    };
    let (head, options) = arguments.split_at(command + 1);
    let known = negated::expand_arguments(options);
    let known = known.map(|known| [head, &known].concat());
    known
        .and_then(|known| parse_complete(&known).ok())
        .ok_or(error)
}

/// Returns the values of `--include` (`true`) and `--exclude` (`false`) in the order of the command
/// line. The first match decides.
fn read_filters(matches: &ArgMatches) -> Vec<(bool, String)> {
    let given = |id: &str, takes: bool| {
        let places = matches.indices_of(id).into_iter().flatten();
        let patterns = matches.get_many::<String>(id).into_iter().flatten();
        places
            .zip(patterns)
            .map(move |(place, pattern)| (place, takes, pattern.clone()))
            .collect::<Vec<_>>()
    };
    // clap stores the values of each option separately. The indices restore the common order.
    let mut filters = [given("include", true), given("exclude", false)].concat();
    filters.sort_unstable_by_key(|&(place, ..)| place);
    filters
        .into_iter()
        .map(|(_, takes, pattern)| (takes, pattern))
        .collect()
}

#[cfg(test)]
mod tests;
