//! The commands.

use std::path::Path;

use clap::Subcommand;
use clap_complete::Shell;

use super::{ApplyOptions, BackOptions, CheckOptions, RejectOptions, UndoOptions};
use crate::cli::explain::PolicyCommand;
use crate::cli::hook::Agent;
use crate::cli::look::{DiffOptions, ListOptions, ReadOptions};
use crate::cli::mcp::McpOptions;
use crate::cli::notebook::NotebookCommand;
use crate::cli::show::ShowOptions;
use crate::cli::verbs::{AppendOptions, EditOptions, WriteOptions};

/// The names of the commands.
pub(in crate::cli) const COMMANDS: [&str; 24] = [
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

/// What to do.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Command {
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
    /// Files that somebody else changed since stop it. The history is kept in a work tree of git,
    /// where `wpatch init` made a place for it, and else in `$XDG_STATE_HOME/wpatch` if that is
    /// set.
    Undo(UndoOptions),
    /// Take the last undo back
    Redo(BackOptions),
    /// List the changes that can be taken back, the newest first
    Log,
    /// Show what patches would change in the files as they are now, or what a change of the history
    /// did, as a git diff
    ///
    /// A PATCH that is no file, and the name of a change in the history or its beginning, means
    /// that change.
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
    /// Its tools are `view`, `str_replace`, `insert` and `create` with the arguments of Anthropic's
    /// text editor tool, `apply_patch` and `check_patch`. It ends with its input.
    Mcp(McpOptions),
    /// Answer an agent that asks before it uses a tool: its hook for the event `PreToolUse`
    ///
    /// Reads the call from standard input and checks it as `check` does. Writes no file. Prints
    /// `deny` for a call that policy denies or that does not apply, and `ask` for a call that
    /// policy asks about. Prints nothing for any other call, so that the agent's own permissions
    /// decide. Blocks a call that it cannot read: exit code 2.
    Hook {
        /// The agent that calls the hook
        agent: Agent,
        /// Print `allow` for each change that applies and that no rule asks about: the agent then
        /// asks no question
        ///
        /// Without this option, only a rule with the verdict `allow` in the user's configuration or
        /// in a file of --policy does so. The hook never allows a call in plan mode.
        #[arg(long)]
        allow: bool,
    },
}

impl Command {
    /// Returns the name of a command that prints documents of its own, or none.
    pub(in crate::cli) fn without_report(&self) -> Option<&'static str> {
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

    /// Returns the one file or directory that it is about, of commands that may be about one
    /// outside of the root.
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

    /// Returns the name in reports of a command that is about one file.
    pub(in crate::cli) fn name(&self) -> &'static str {
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
    pub(super) fn set_filters(&mut self, filters: Vec<(bool, String)>) {
        match self {
            Self::Apply(ApplyOptions { patch, .. }) | Self::Check(CheckOptions { patch, .. }) => {
                patch.filters = filters;
            }
            Self::Show(show) => show.patch.filters = filters,
            _ => {}
        }
    }
}

fn grammars() -> Vec<&'static str> {
    crate::engine::options::SYNTAXES
        .iter()
        .map(|syntax| syntax.name())
        .collect()
}

fn schemas() -> Vec<&'static str> {
    crate::report::SCHEMAS
        .iter()
        .map(|schema| schema.name)
        .collect()
}
