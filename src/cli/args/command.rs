//! The commands.

use std::path::Path;

use clap::Subcommand;
use clap_complete::Shell;

#[cfg(feature = "review")]
use super::ReviewOptions;
use super::basic::grammars;
use super::{
    ApplyOptions, BeginOptions, CheckOptions, CommitOptions, LogOptions, RecoverOptions,
    RejectOptions, RevertOptions, UndoOptions,
};
use crate::cli::convert::ConvertOptions;
use crate::cli::diff::DiffOptions;
use crate::cli::edit_commands::{AppendOptions, EditOptions, WriteOptions};
use crate::cli::explain::PolicyCommand;
use crate::cli::hook::HookOptions;
#[cfg(feature = "mcp")]
use crate::cli::mcp::McpOptions;
use crate::cli::notebook::NotebookCommand;
use crate::cli::read_commands::{ListOptions, ReadOptions};
use crate::cli::refresh::RefreshOptions;
use crate::cli::run::RunOptions;
use crate::cli::show::ShowOptions;

/// The names of all commands, in the order of [`Command`].
pub(in crate::cli) const COMMANDS: &[&str] = &[
    "apply",
    "check",
    #[cfg(feature = "review")]
    "review",
    "reject",
    "begin",
    "commit",
    "abort",
    "edit",
    "write",
    "append",
    "notebook",
    "run",
    "recover",
    "undo",
    "redo",
    "log",
    "show",
    "convert",
    "refresh",
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
    #[cfg(feature = "mcp")]
    "mcp",
    "hook",
];

/// The command and its options.
#[derive(Clone, Debug, Subcommand)]
pub(in crate::cli) enum Command {
    /// Apply patches: all of them or none
    Apply(ApplyOptions),
    /// Check whether patches apply, without changing any file
    Check(CheckOptions),
    /// Review a patch in the terminal, and apply the accepted part: all of it or nothing
    ///
    /// PATCH can be the `plan_id` of a saved plan, or at least its first eight hex digits. An
    /// existing file of the same name has precedence. Without PATCH, --in reviews the change of the
    /// edit session. `?` lists the keys. Exits with 3 if the reviewer applies and saves nothing.
    #[cfg(feature = "review")]
    Review(Box<ReviewOptions>),
    /// Reject a plan so that it can no longer be approved
    ///
    /// The log contains the rejection.
    Reject(RejectOptions),
    /// Begin an edit session, and print its identifier
    ///
    /// `edit`, `write`, `append`, `notebook` and `apply` with --in change the session and not the
    /// files. `read`, `list`, `diff`, `show` and `check` with --in see its changes. A session is
    /// kept with the history, survives a crash, and is removed by `gc` after 30 days.
    Begin(BeginOptions),
    /// Commit an edit session: all of its changes or none
    ///
    /// A file that another program has changed since the session changed it is refused.
    Commit(Box<CommitOptions>),
    /// Remove an edit session with all its changes
    Abort {
        /// The identifier of the session, or its beginning
        id: String,
    },
    /// Replace text in a file, or insert lines
    Edit(Box<EditOptions>),
    /// Write a whole file
    Write(Box<WriteOptions>),
    /// Append text to a file
    Append(Box<AppendOptions>),
    /// Change one cell of a Jupyter notebook, and no other byte
    Notebook {
        #[command(subcommand)]
        command: Box<NotebookCommand>,
    },
    /// Run a command, and apply its changes to the tree: all of them or none
    ///
    /// On Linux, CMD runs on an overlay of the root. Its changes become a plan that is checked,
    /// approved, applied and undone like a patch. If CMD fails, its changes are discarded. CMD
    /// cannot write to other directories, except for private temporary directories. When CMD ends,
    /// all its child processes are killed.
    Run(Box<RunOptions>),
    /// Recover from an interrupted run
    Recover(RecoverOptions),
    /// Undo changes: all of them or none
    ///
    /// If a file was changed since, the command fails. wpatch keeps the history in git work trees
    /// and in directories that `wpatch init` prepared. For other directories it keeps the history
    /// in `$XDG_STATE_HOME/wpatch` if this variable is set.
    Undo(UndoOptions),
    /// Undo the last undo
    Redo(RevertOptions),
    /// List the open edit sessions and the changes that can be undone, newest first
    Log(LogOptions),
    /// Show as a git diff what patches would change, or what a change in the history did
    ///
    /// PATCH can be the identifier of a change in the history, or the beginning of one. An existing
    /// file of the same name has precedence.
    Show(Box<ShowOptions>),
    /// Write patches in another format, with the same effect
    ///
    /// The result has the same `plan_id`. Conversions between `unified`, `git` and `context` need
    /// no files. All others check the patch against the files below the root.
    Convert(Box<ConvertOptions>),
    /// Rewrite patches so that they apply to the current tree without fuzz and offsets
    ///
    /// Each patch applies to the result of the patches before it. A change that the tree already
    /// has is removed from its patch. A patch without any other change is deleted, with its line in
    /// the series file. If a hunk has a conflict, no file changes.
    Refresh(Box<RefreshOptions>),
    /// Create a state directory for the history, outside git work trees
    Init,
    /// Remove history entries and edit sessions over the limits: 100 entries, 30 days, 512 MiB
    Gc {
        /// Remove all entries and edit sessions
        #[arg(long)]
        all: bool,
    },
    /// Print the formal grammar of a patch format
    Grammar {
        /// Name of the format
        #[arg(value_parser = grammars())]
        name: String,
    },
    /// Print the JSON Schema of a JSON output, or list the schemas
    Schema {
        /// Name of the schema [default: list all names]
        #[arg(value_parser = crate::cli::schemas::NAMES)]
        name: Option<String>,
    },
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a manual page in roff
    Man {
        /// Name of the command or page [default: wpatch]
        #[arg(value_parser = parse_page_name)]
        page: Option<String>,
        /// List the names of all pages
        #[arg(long, conflicts_with = "page")]
        list: bool,
        /// Print the reference of all commands and options as Markdown
        #[arg(long, conflicts_with_all = ["page", "list"])]
        markdown: bool,
    },
    /// Print a file, or a part of it
    Read(Box<ReadOptions>),
    /// List a directory
    List(Box<ListOptions>),
    /// Compare two files; exit with 0 if they are equal, 1 if they differ, 2 on trouble
    Diff(Box<DiffOptions>),
    /// Explain what policy allows, and which rules decide
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Serve file tools to a model over the Model Context Protocol (MCP)
    ///
    /// The server uses standard input and output, and exits at the end of its input. Its tools are
    /// `view`, `str_replace`, `insert` and `create` with the arguments of Anthropic's text editor
    /// tool, `edit`, `notebook`, `apply_patch`, `check_patch`, `list`, `session`, `log` and `undo`.
    /// If no --root is given and the client has roots, the first one is the root.
    #[cfg(feature = "mcp")]
    Mcp(McpOptions),
    /// Decide on a tool call, as the hook of an agent, or register this hook
    ///
    /// Reads the call from standard input, checks it as `check` does, and writes no file. Prints
    /// `deny` for a call that policy denies or that does not apply. Prints `ask` for a call that
    /// needs approval, or `deny` if the agent has no question. Prints nothing for any other call,
    /// so that the agent's own permissions decide. Exits with 2 for a malformed call, which blocks
    /// the call.
    Hook(HookOptions),
}

impl Command {
    /// Returns the name of the command, as the command line and reports contain it.
    pub(in crate::cli) fn name(&self) -> &'static str {
        match self {
            Self::Apply(_) => "apply",
            Self::Check(_) => "check",
            #[cfg(feature = "review")]
            Self::Review(_) => "review",
            Self::Reject(_) => "reject",
            Self::Begin(_) => "begin",
            Self::Commit(_) => "commit",
            Self::Abort { .. } => "abort",
            Self::Edit(_) => "edit",
            Self::Write(_) => "write",
            Self::Append(_) => "append",
            Self::Notebook { .. } => "notebook",
            Self::Run(_) => "run",
            Self::Recover(_) => "recover",
            Self::Undo(_) => "undo",
            Self::Redo(_) => "redo",
            Self::Log(_) => "log",
            Self::Show(_) => "show",
            Self::Convert(_) => "convert",
            Self::Refresh(_) => "refresh",
            Self::Init => "init",
            Self::Gc { .. } => "gc",
            Self::Grammar { .. } => "grammar",
            Self::Schema { .. } => "schema",
            Self::Completions { .. } => "completions",
            Self::Man { .. } => "man",
            Self::Read(_) => "read",
            Self::List(_) => "list",
            Self::Diff(_) => "diff",
            Self::Policy { .. } => "policy",
            #[cfg(feature = "mcp")]
            Self::Mcp(_) => "mcp",
            Self::Hook(_) => "hook",
        }
    }

    /// Returns whether the command can print a report, which `--output` selects.
    pub(in crate::cli) fn has_report(&self) -> bool {
        #[cfg(feature = "mcp")]
        if matches!(self, Self::Mcp(_)) {
            return false;
        }
        if let Self::Hook(hook) = self {
            return hook.has_report();
        }
        !matches!(
            self,
            Self::Log(_)
                | Self::Show(_)
                | Self::Convert(_)
                | Self::Grammar { .. }
                | Self::Schema { .. }
                | Self::Completions { .. }
                | Self::Man { .. }
                | Self::Read(_)
                | Self::List(_)
                | Self::Diff(_)
                | Self::Policy { .. }
        )
    }

    /// Takes the edit session in which the command works.
    pub(in crate::cli) fn take_session(&mut self) -> Option<String> {
        let option = match self {
            Self::Apply(options) => &mut options.patch.session,
            Self::Check(options) => &mut options.patch.session,
            #[cfg(feature = "review")]
            Self::Review(options) => &mut options.patch.session,
            Self::Show(options) => &mut options.patch.session,
            Self::Convert(options) => &mut options.patch.session,
            Self::Edit(options) => &mut options.common.session,
            Self::Write(options) => &mut options.common.session,
            Self::Append(options) => &mut options.common.session,
            Self::Notebook { command } => command.session(),
            Self::Read(options) => &mut options.session,
            Self::List(options) => &mut options.session,
            Self::Diff(options) => &mut options.session,
            _ => return None,
        };
        option.session.take()
    }

    /// Returns the file or directory of the command, if the command can use one outside the root.
    pub(in crate::cli) fn file(&self) -> Option<&Path> {
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

    /// Sets the filters of a command that reads a patch.
    pub(super) fn set_filters(&mut self, filters: Vec<(bool, String)>) {
        match self {
            Self::Apply(ApplyOptions { patch, .. }) | Self::Check(CheckOptions { patch, .. }) => {
                patch.filters = filters;
            }
            Self::Show(show) => show.patch.filters = filters,
            Self::Convert(convert) => convert.patch.filters = filters,
            Self::Diff(diff) => diff.set_filters(filters),
            #[cfg(feature = "review")]
            Self::Review(review) => review.patch.filters = filters,
            _ => {}
        }
    }
}

/// Returns the names of all manual pages: of the program, of its name as a git command, and of each
/// command.
pub(in crate::cli) fn page_names() -> impl Iterator<Item = String> {
    let commands = COMMANDS.iter().map(|name| format!("wpatch-{name}"));
    ["wpatch", "git-wpatch"]
        .map(String::from)
        .into_iter()
        .chain(commands)
}

/// Parses the name of a manual page or of a command.
fn parse_page_name(text: &str) -> Result<String, String> {
    let is_known = COMMANDS.contains(&text) || page_names().any(|page| page == text);
    let error = || "no such page; `wpatch man --list` prints the names".to_owned();
    is_known.then(|| text.to_owned()).ok_or_else(error)
}
