//! The command line, typed. Options that git has mean what they mean there.

mod check;
mod history;
mod patch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(super) use check::{BatchOptions, CheckOptions, TreeOptions};
pub(super) use history::{BackOptions, RejectOptions, UndoOptions};
pub(super) use patch::{ApplyOptions, PatchOptions};

use super::explain::PolicyCommand;
use super::hook::Agent;
use super::look::{DiffOptions, ListOptions, ReadOptions};
use super::mcp::McpOptions;
use super::notebook::NotebookCommand;
use super::show::ShowOptions;
use super::verbs::{AppendOptions, EditOptions, WriteOptions};

/// The names of the commands.
pub(super) const COMMANDS: [&str; 24] = [
    "apply",
    "check",
    "reject",
    "edit",
    "write",
    "append",
    "notebook",
    "recover",
    "undo",
    "redo",
    "log",
    "show",
    "init",
    "gc",
    "grammar",
    "schema",
    "completions",
    "man",
    "read",
    "list",
    "diff",
    "policy",
    "mcp",
    "hook",
];

/// Applies a patch to a tree of files as a whole, or not at all.
///
/// Reads unified diffs, git diffs, Codex envelopes, SEARCH/REPLACE blocks, hashline edits and JSON documents of changes.
/// After any error the tree is as it was.
///
/// Exit codes: 0 done, or would be done; 1 the patch does not apply; 2 usage, or a broken patch; 3 refused by policy
/// or safety; 4 disk or system failed, everything was put back; 5 putting back could not be finished, run `wpatch
/// recover`; 6 somebody else holds the lock; 128+n signal n, everything was put back.
#[derive(Debug, Parser)]
#[command(name = "wpatch", version, args_override_self = true)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The options of every command.
///
/// None has a default for the parser, which would spend a tenth of a tiny patch's time on filling them all in.
#[derive(Clone, Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(next_help_heading = "Options of every command")]
pub(super) struct Global {
    /// Directory that is patched [default: .]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
    /// File with rules on what may be done; of several, and of `wpatch.toml` in the root, the strictest answer counts
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) policy: Vec<PathBuf>,
    /// Whether the root is a directory that a grant opens.
    #[arg(skip)]
    pub(super) is_elsewhere: bool,
    /// Print one JSON document, whatever happens
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Print the report in this format, whatever happens; of json, the same as --json
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "json", value_parser = outputs())]
    pub(super) output: Option<String>,
    /// When to use colours [default: auto]
    #[arg(long, global = true, value_name = "WHEN", value_enum)]
    pub(super) color: Option<When>,
    /// Say what is done
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    /// Say nothing
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// What survives a loss of power [default: full]
    #[arg(long, global = true, value_name = "HOW", value_enum)]
    pub(super) durability: Option<Durability>,
    /// How long to wait for the lock, as in 10s or 500ms [default: 10s]
    #[arg(long, global = true, value_name = "TIME", value_parser = duration)]
    pub(super) lock_timeout: Option<Duration>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// On a terminal, unless `NO_COLOR` or `CLICOLOR=0` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What survives a loss of power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Durability {
    /// The change, once success is reported
    #[default]
    Full,
    /// Nothing is promised; quick
    None,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Apply patches, all of them or nothing
    Apply(ApplyOptions),
    /// Say what apply would do, and write nothing
    Check(CheckOptions),
    /// Refuse a plan, so that nobody's approval of it counts; the log shows it
    Reject(RejectOptions),
    /// Replace a text in a file, or put lines into it
    Edit(Box<EditOptions>),
    /// Write a file as a whole
    Write(Box<WriteOptions>),
    /// Put a text at the end of a file
    Append(Box<AppendOptions>),
    /// Change one cell of a Jupyter notebook, and no other byte of it
    Notebook {
        #[command(subcommand)]
        command: Box<NotebookCommand>,
    },
    /// Put right what a process left that died while it changed the tree
    Recover,
    /// Take changes back, all of them or nothing
    ///
    /// Files that somebody else changed since stop it. The history is kept in a work tree of git, where `wpatch init`
    /// made a place for it, and else in `$XDG_STATE_HOME/wpatch` if that is set.
    Undo(UndoOptions),
    /// Take the last undo back
    Redo(BackOptions),
    /// List the changes that can be taken back, the newest first
    Log,
    /// Show what patches would change in the files as they are now, or what a change of the history did, as a git diff
    ///
    /// A PATCH that is no file, and the name of a change in the history or its beginning, means that change.
    Show(Box<ShowOptions>),
    /// Make a place for the history in a directory that is no work tree of git
    Init,
    /// Remove what the history has over its limits: 100 entries, 30 days, 512 MiB
    Gc {
        /// Remove all of it
        #[arg(long)]
        all: bool,
    },
    /// Print the formal grammar of a patch format
    Grammar {
        /// Name of the format
        #[arg(value_parser = grammars())]
        name: String,
    },
    /// Print the JSON Schema of what is printed as JSON, or the names of all
    Schema {
        /// Name of the schema
        #[arg(value_parser = schemas())]
        name: Option<String>,
    },
    /// Print the completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, in roff
    Man {
        /// A command; without it the page of the program
        #[arg(value_parser = COMMANDS)]
        command: Option<String>,
    },
    /// Print a file, or a part of it
    Read(Box<ReadOptions>),
    /// List a directory
    List(Box<ListOptions>),
    /// Compare two files; exit code 0 if they are the same, 1 if not, 2 if there is trouble
    Diff(Box<DiffOptions>),
    /// Say what may be done, and which rules of policy say so
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Serve a model that edits files: a Model Context Protocol server on standard input and output
    ///
    /// Its tools are `view`, `str_replace`, `insert` and `create` with the arguments of Anthropic's text editor tool,
    /// `apply_patch` and `check_patch`. It ends with its input.
    Mcp(McpOptions),
    /// Answer an agent that asks before it uses a tool: its hook for the event `PreToolUse`
    ///
    /// Reads the call from standard input, works out what it would do, writes nothing, and prints the decision: `deny` for
    /// what policy denies, leaves the root or does not fit, `ask` for what policy asks about. What cannot be understood
    /// is blocked: exit code 2.
    Hook {
        /// Who asks
        agent: Agent,
    },
}

/// Reads the command line.
///
/// # Errors
///
/// Returns clap's error: a mistake, or a wish for help or version.
pub(super) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let command = arguments.get(1).and_then(|name| name.to_str());
    let parsed = match command {
        Some("apply") => alone(&arguments[1..], Command::Apply),
        Some("check") => alone(&arguments[1..], Command::Check),
        _ => None,
    };
    let mut cli = parsed.map_or_else(|| whole(arguments), Ok)?;
    if cli.global.output.as_deref() == Some("json") {
        (cli.global.json, cli.global.output) = (true, None);
    }
    Ok(cli)
}

/// Reads a command line of which the command is known, `arguments[0]`. Building the parsers of all the others takes
/// longer than many a patch. What this one does not take, help and mistakes, is left to the whole parser.
fn alone<T: Args>(arguments: &[OsString], command: fn(T) -> Command) -> Option<Cli> {
    let parser = T::augment_args(Global::augment_args(clap::Command::new("wpatch")));
    let mut matches = parser.args_override_self(true).disable_help_flag(true).try_get_matches_from(arguments).ok()?;
    let filters = filters(&matches);
    let global = Global::from_arg_matches_mut(&mut matches).ok()?;
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

/// Returns the format that a command line asks for which cannot be understood.
pub(super) fn format_among(arguments: &[OsString]) -> Option<String> {
    let words: Vec<_> = arguments.iter().take_while(|word| *word != "--").filter_map(|word| word.to_str()).collect();
    let mut formats = words.iter().zip(words.iter().skip(1).chain([&""])).filter_map(|(&word, &next)| match word {
        "--json" => Some("json"),
        "--output" => Some(next),
        _ => word.strip_prefix("--output="),
    });
    formats.find(|name| outputs().contains(name)).map(str::to_owned)
}

impl Command {
    /// Returns the name of a command that prints documents of its own, or none.
    pub(super) fn without_report(&self) -> Option<&'static str> {
        match self {
            Self::Log => Some("log"),
            Self::Show { .. } => Some("show"),
            Self::Grammar { .. } => Some("grammar"),
            Self::Schema { .. } => Some("schema"),
            Self::Completions { .. } => Some("completions"),
            Self::Man { .. } => Some("man"),
            Self::Read(_) => Some("read"),
            Self::List(_) => Some("list"),
            Self::Diff(_) => Some("diff"),
            Self::Policy { .. } => Some("policy"),
            Self::Mcp(_) => Some("mcp"),
            Self::Hook { .. } => Some("hook"),
            _ => None,
        }
    }

    /// Returns the one file or directory that it is about, of commands that may be about one outside of the root.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::Edit(edit) => Some(edit.file()),
            Self::Write(write) => Some(write.file()),
            Self::Append(append) => Some(append.file()),
            Self::Notebook { command } => Some(command.file()),
            Self::Read(read) => Some(read.file()),
            Self::Policy { command } => Some(command.file()),
            Self::List(list) => list.directory(),
            _ => None,
        }
    }

    /// Returns the name in reports of a command that is about one file.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Edit(_) => "edit",
            Self::Write(_) => "write",
            Self::Append(_) => "append",
            Self::Notebook { .. } => "notebook",
            Self::Read(_) => "read",
            Self::Policy { .. } => "policy",
            _ => "list",
        }
    }

    /// Notes the filters, of commands that have any.
    fn set_filters(&mut self, filters: Vec<(bool, String)>) {
        match self {
            Self::Apply(ApplyOptions { patch, .. }) | Self::Check(CheckOptions { patch, .. }) => {
                patch.filters = filters;
            }
            Self::Show(show) => show.patch.filters = filters,
            _ => {}
        }
    }
}

impl Global {
    /// Returns whether the report is to hold digests, and the name of the change.
    pub(super) fn is_described(&self) -> bool {
        self.json || self.shows_changes()
    }

    /// Returns whether the report is printed in a format that shows all that changes.
    pub(super) fn shows_changes(&self) -> bool {
        self.output.as_deref() == Some("acp")
    }

    /// Returns the directory that is patched.
    pub(super) fn root(&self) -> &Path {
        self.root.as_deref().unwrap_or(Path::new("."))
    }
}

/// Returns both kinds of filter in the order of the command line, which decides between them.
fn filters(matches: &ArgMatches) -> Vec<(bool, String)> {
    let given = |id: &str, takes: bool| {
        let places = matches.indices_of(id).into_iter().flatten();
        let patterns = matches.get_many::<String>(id).into_iter().flatten();
        places.zip(patterns).map(move |(place, pattern)| (place, takes, pattern.clone())).collect::<Vec<_>>()
    };
    let mut filters = [given("include", true), given("exclude", false)].concat();
    filters.sort_by_key(|&(place, ..)| place);
    filters.into_iter().map(|(_, takes, pattern)| (takes, pattern)).collect()
}

/// Reads a number with the unit `ms`, `s` or `m`; seconds without one.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let milliseconds = match unit {
        "ms" => 1,
        "" | "s" => 1000,
        "m" => 60_000,
        _ => return Err("expected a number and ms, s or m".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "expected a number and ms, s or m".to_owned())?;
    number.checked_mul(milliseconds).map(Duration::from_millis).ok_or_else(|| "too long".to_owned())
}

fn grammars() -> Vec<&'static str> {
    crate::engine::options::SYNTAXES.iter().map(|syntax| syntax.name()).collect()
}

fn outputs() -> Vec<&'static str> {
    crate::report::FORMATS.iter().map(|format| format.name()).collect()
}

fn schemas() -> Vec<&'static str> {
    crate::report::SCHEMAS.iter().map(|schema| schema.name).collect()
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
        let named: Vec<_> = Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
        assert_eq!(named, COMMANDS);
    }

    #[test]
    fn both_parsers_read_the_same() {
        let lines: [&[&str]; 7] = [
            &["apply"],
            &["check", "--json", "-q", "a", "--root=x", "b"],
            &["apply", "-Rp2", "-p3", "--include", "x", "--color", "never", "--", "-v"],
            &["check", "--exclude=a", "--include", "b", "-C1", "--durability=none", "--lock-timeout", "1m"],
            &["check", "--from-tree", "main", "--git-dir=x.git", "a"],
            &["check", "--batch", "--shard", "2/3", "--jobs=4", "--deterministic"],
            &["apply", "--approve", "x", "--format", "git", "--max-patch", "7", "--stat", "--apply", "-z"],
        ];
        for line in lines {
            let arguments: Vec<_> = ["wpatch"].iter().chain(line).map(OsString::from).collect();
            let alone = match line[0] {
                "apply" => alone(&arguments[1..], Command::Apply),
                _ => alone(&arguments[1..], Command::Check),
            };
            assert_eq!(format!("{:?}", alone.unwrap()), format!("{:?}", whole(&arguments).unwrap()), "{line:?}");
        }
        for wrong in ["-h", "--help", "-V", "--version", "--no-such", "-vq", "help", "--fuzz=x"] {
            let arguments: Vec<_> = ["wpatch", "apply", wrong].iter().map(OsString::from).collect();
            let (is_taken, is_right) = (alone(&arguments[1..], Command::Apply).is_some(), whole(&arguments).is_ok());
            assert_eq!(is_taken, is_right, "{wrong}");
        }
    }

    #[test]
    fn filters_keep_their_order() {
        let cli = parsed(&["wpatch", "check", "--exclude=a", "--include", "b", "--exclude=c"]);
        let Command::Check(CheckOptions { patch, .. }) = cli.command else { panic!("check") };
        assert_eq!(patch.filters, [(false, "a".to_owned()), (true, "b".to_owned()), (false, "c".to_owned())]);
    }

    #[test]
    fn numbers_may_be_glued_to_their_letters() {
        let cli = parsed(&["wpatch", "apply", "-p0", "-C3", "-Rz", "x"]);
        let Command::Apply(ApplyOptions { patch, .. }) = cli.command else { panic!("apply") };
        assert_eq!((patch.strip, patch.context, patch.reverse, patch.nul), (Some(0), Some(3), true, true));
    }

    #[test]
    fn of_an_option_given_twice_the_last_counts() {
        let cli = parsed(&["wpatch", "apply", "--json", "-p1", "--json", "-p2", "x"]);
        let Command::Apply(ApplyOptions { patch, .. }) = cli.command else { panic!("apply") };
        assert_eq!((cli.global.json, patch.strip), (true, Some(2)));
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert!(duration("-1s").is_err() && duration("1h").is_err() && duration("18446744073709551615m").is_err());
    }
}
