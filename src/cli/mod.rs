//! The command-line program: arguments, standard streams, signals and exit codes.
//!
//! This is the only module that prints. `run` receives the words of the command line and returns
//! the exit code of the process. Each command converts its arguments to a `Request`, passes the
//! request to `engine`, and prints the `Outcome` as a report.
//!
//! Invariants: a command that cannot start returns an `EarlyExit`, which becomes a report like any
//! other failure. The report decides the exit code. If the program is called `patch` or
//! `apply_patch`, `gnu` or `apply_patch` replaces the command line of `wpatch`.
//!
//! Read `args` first (the command line), then `patch` (`apply` and `check`), `request` and
//! `output`.

mod apply_patch;
mod args;
mod arguments;
mod attribution;
mod batch;
mod caller;
mod commands;
mod config;
mod convert;
mod diagnostic;
mod diff;
mod document;
mod early_exit;
mod edit_commands;
mod explain;
mod file_options;
mod files;
mod git;
mod gnu;
mod gnu_options;
mod guards;
mod history;
mod hook;
mod index;
mod input;
pub mod library_call;
mod line_reader;
mod links;
mod manual;
mod match_mode;
#[cfg(feature = "mcp")]
mod mcp;
mod merge;
mod named_roots;
mod notebook;
mod opened_directory;
mod output;
mod pager;
mod patch;
mod path_names;
mod policy;
mod progress;
mod read_commands;
mod refresh;
mod request;
#[cfg(feature = "review")]
mod review;
mod root;
mod roots;
mod run;
mod schemas;
mod series;
mod servers;
mod session;
mod show;
mod signals;
mod symbols;
mod tree;
mod user_program;
mod watcher;
mod whitespace;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use args::{Cli, Command, Global};
use caller::Caller;
use early_exit::{EarlyExit, system_message};
use output::{Output, Verbosity};
use root::{open, open_to_change, with_root};

use crate::engine::options::code;
use crate::engine::{self, Outcome, Request, UndoTarget};

/// Runs the command in `arguments` and returns its exit code. The first argument is the name of the
/// program.
#[must_use]
pub fn run(arguments: &[OsString]) -> ExitCode {
    if let Some(code) = engine::run_helper(arguments) {
        return code;
    }
    if apply_patch::is_called(arguments) {
        return apply_patch::run(&arguments[1..]);
    }
    if gnu::is_called(arguments) {
        return gnu::run(arguments);
    }
    // clap returns the texts of `--help` and `--version` as errors, too.
    match args::parse(arguments) {
        Ok(mut cli) => {
            cli.global.arguments = arguments.to_vec();
            dispatch(cli)
        }
        Err(error) if error.use_stderr() => report_misuse(&error, arguments, &Caller::Process),
        Err(help) => output::print(help.render().to_string().as_bytes()),
    }
}

fn dispatch(
    Cli {
        mut global,
        mut command,
    }: Cli,
) -> ExitCode {
    global.session = command.take_session();
    // A policy rule can grant access to the directory of an absolute path. This directory then
    // becomes the root.
    let prepared = check_output_option(&command, &global)
        .and_then(|()| roots::choose_roots(&mut global, &command))
        .and_then(|()| policy::choose_root(&mut global, command.file()));
    if let Err(stop) = prepared {
        return refuse(stop, command.name(), &global);
    }
    run_command(command, global)
}

fn run_command(command: Command, global: Global) -> ExitCode {
    match command {
        Command::Apply(options) => patch::apply(options, &global),
        Command::Check(options) if options.batch.batch => batch::run(options, global),
        Command::Check(options) => patch::check(options, &global),
        #[cfg(feature = "review")]
        Command::Review(options) => review::review(*options, global),
        Command::Reject(options) => history::reject(&options, &global),
        Command::Begin(options) => session::begin(&options, &global),
        Command::Commit(options) => session::commit(*options, &global),
        Command::Abort { id } => session::abort(&id, &global),
        Command::Edit(options) => edit_file("edit", &global, |global| {
            edit_commands::build_edit(&options, global)
        }),
        Command::Write(options) => edit_file("write", &global, |global| {
            edit_commands::build_write(*options, global)
        }),
        Command::Append(options) => edit_file("append", &global, |global| {
            edit_commands::build_append(*options, global)
        }),
        Command::Notebook { command } => edit_file("notebook", &global, |global| {
            notebook::build_request(*command, global)
        }),
        Command::Run(options) => run::run(*options, &global),
        Command::Recover(options) => history::recover(&options, &global),
        Command::Undo(options) => history::undo(options, &global),
        Command::Redo(options) => history::revert(UndoTarget::Undo, &options, &global),
        Command::Log(options) => history::log(&options, &global),
        Command::Show(options) => show::show(*options, &global),
        Command::Convert(options) => convert::convert(*options, &global),
        Command::Refresh(options) => refresh::refresh(&options, &global),
        Command::Init => history::init(&global),
        Command::Gc { all } => history::gc(all, &global),
        Command::Grammar { name } => document::print_grammar(&name),
        Command::Schema { name } => document::print_schema(name.as_deref()),
        Command::Completions { shell } => document::print_completions(shell),
        Command::Man { list: true, .. } => manual::print_names(),
        Command::Man { markdown: true, .. } => manual::print_reference(),
        Command::Man { page, .. } => manual::print_page(page.as_deref()),
        Command::Read(options) => read_commands::read(*options, &global),
        Command::List(options) => match options.file_with_symbols() {
            Some(file) => symbols::list(file, options.max, &global),
            None => read_commands::list(*options, &global),
        },
        Command::Diff(options) => diff::diff(*options, &global),
        Command::Policy { command } => explain::explain(command, &global),
        #[cfg(feature = "mcp")]
        Command::Mcp(options) => mcp::serve(&options, &global),
        Command::Hook(options) => hook::run(&options, &global),
    }
}

/// Rejects `--output` for a command without a report.
fn check_output_option(command: &Command, global: &Global) -> Result<(), EarlyExit> {
    let Some(format) = global.output.as_ref().filter(|_| !command.has_report()) else {
        return Ok(());
    };
    let name = command.name();
    let message = format!("{name} prints no report and does not support --output {format}");
    Err(EarlyExit::new(&code::USAGE, message))
}

/// The last step of a command that reads a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandMode {
    /// Changes the tree.
    Apply,
    /// Compares the patch with the tree and writes nothing.
    Check,
    /// Parses the patch and reads no file of the tree.
    Describe,
    /// As `Describe`, for `check --shape`.
    Shape,
    /// Compares the patch with the tree and prints the change as a diff.
    Show,
    /// Writes the patch in another format.
    Convert,
    /// Rewrites the patch for the tree.
    Refresh,
}

impl CommandMode {
    /// Returns the name of the command in reports.
    fn name(self) -> &'static str {
        match self {
            Self::Check | Self::Shape => "check",
            Self::Apply | Self::Describe => "apply",
            Self::Show => "show",
            Self::Convert => "convert",
            Self::Refresh => "refresh",
        }
    }
}

/// Reports that the command `name` cannot start, and returns the exit code.
fn refuse(stop: EarlyExit, name: &'static str, global: &Global) -> ExitCode {
    finish(
        &stop.into_outcome(name),
        &Output::of(global, Verbosity::Normal),
    )
}

/// Applies or checks the edit of one file that `build` reads, prints the report, and returns the exit
/// code.
fn edit_file(
    command: &'static str,
    global: &Global,
    build: impl FnOnce(&Global) -> Result<(CommandMode, Request), EarlyExit>,
) -> ExitCode {
    finish(
        &run_edit(command, global, build),
        &Output::of(global, Verbosity::Normal),
    )
}

/// Applies or checks the edit of one file that `build` reads.
fn run_edit(
    command: &'static str,
    global: &Global,
    build: impl FnOnce(&Global) -> Result<(CommandMode, Request), EarlyExit>,
) -> Outcome {
    let outcome = watcher::run(command, global, |progress| {
        let (mode, mut request) = build(global)?;
        request.look.progress = progress;
        let outcome = if mode == CommandMode::Check {
            engine::check(request, &*open(global)?)
        } else {
            let workspace = open_to_change(global)?;
            let interrupt = global.caller.catch_signals_in_transactions()?;
            engine::apply(request, &*workspace, &interrupt)
        };
        Ok(with_root(outcome, global))
    });
    outcome.unwrap_or_else(|stop: EarlyExit| stop.into_outcome(command))
}

/// Reports a malformed command line. If any argument asks for a format, the report has this format.
fn report_misuse(error: &clap::Error, arguments: &[OsString], caller: &Caller) -> ExitCode {
    // The first paragraph states the mistake. Tips and the usage follow it.
    let text = error.render().to_string();
    let words: Vec<_> = text
        .lines()
        .take_while(|line| !line.is_empty())
        .map(str::trim)
        .collect();
    let message = words.join(" ");
    let stop = EarlyExit::new(
        &code::USAGE,
        message
            .strip_prefix("error: ")
            .unwrap_or(&message)
            .to_owned(),
    );
    let output = match args::format_among(arguments) {
        Some(format) => Output::for_format(Some(format), caller.clone()),
        None if caller.is_library() => Output::for_format(None, caller.clone()),
        None => Output::usage(text),
    };
    finish(&stop.into_outcome(args::command_among(arguments)), &output)
}

/// Prints the outcome and returns its exit code; see [`print_report`].
fn finish(outcome: &Outcome, output: &Output) -> ExitCode {
    ExitCode::from(print_report(outcome, output))
}

/// Prints the outcome and returns its exit code.
///
/// Exit code 4 promises an unchanged tree. If the report cannot be printed, only the exit code of a
/// success without a change therefore becomes 4. A closed pipe does not change the exit code.
fn print_report(outcome: &Outcome, output: &Output) -> u8 {
    let report = &outcome.report;
    match output.print(outcome) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            output::print_to_stderr(&format!(
                "cannot write the report: {}",
                system_message(&error)
            ));
            if report.ok && !report.changed {
                4
            } else {
                report.exit_code
            }
        }
        _ => report.exit_code,
    }
}
