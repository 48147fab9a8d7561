//! The command `run`: its options and its request.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::args::{FilterOptions, Global, IndexOptions, MergeOptions, duration};
use super::attribution::AttributionOptions;
use super::commands::CommandOptions;
use super::guards::GuardOptions;
use super::output::{Output, Verbosity};
use super::policy::load_policy;
use super::root::{canonical_root, open, open_to_change, with_root};
use super::{EarlyExit, finish, index, request, watcher};
use crate::engine::{
    Commit, Git, Look, Outcome, OutputStream, Request, RequestContext, RunCommand, check_command,
    run_command,
};

/// The default limit on the copies of `--observe`, in bytes.
const MAX_COPIED: u64 = 1 << 30;

/// The options of `run`.
#[derive(Clone, Debug, Args)]
pub(super) struct RunOptions {
    /// The program and its arguments; no shell reads them
    #[arg(value_name = "CMD", required = true, last = true)]
    words: Vec<OsString>,
    /// Run CMD and print what would change, but change nothing
    #[arg(long, visible_alias = "check")]
    dry_run: bool,
    /// Run CMD on the tree itself, on any system, and record its changes for undo
    ///
    /// Nothing can refuse the changes, and they stay if CMD fails. All files below the root are
    /// copied first.
    #[arg(long, conflicts_with_all = [
        "dry_run", "approve", "index", "max_processes", "max_written", "guards", "before", "verify",
    ])]
    observe: bool,
    /// Refuse any change with another `plan_id`, as printed by --dry-run --json
    #[arg(long, value_name = "ID")]
    approve: Option<String>,
    /// Also update git's index for the changed files
    ///
    /// Each file that CMD changes must match its index entry. Use this option for commands such as
    /// `git mv`.
    #[arg(long)]
    index: bool,
    /// Limit the run time of CMD, such as 60s or 5m [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Kill CMD if it has more than N processes at the same time [default: 1000]
    #[arg(long, value_name = "N")]
    max_processes: Option<NonZero<usize>>,
    /// Limit the bytes that CMD can write to the root, which are kept in memory [default: 1073741824]
    #[arg(long, value_name = "BYTES")]
    max_written: Option<NonZero<u64>>,
    /// Limit the bytes that --observe copies before CMD runs, and the bytes of all changed files [default: 1073741824]
    #[arg(long, value_name = "BYTES", requires = "observe")]
    max_copied: Option<u64>,
    /// Limit the size of each file that changes, in bytes [default: 536870912]
    #[arg(long, value_name = "BYTES")]
    max_file: Option<u64>,
    #[command(flatten)]
    guard: GuardOptions,
    #[command(flatten)]
    commands: CommandOptions,
    #[command(flatten)]
    attribution: AttributionOptions,
}

/// Runs the command, prints the report, and returns the exit code.
pub(super) fn run(options: RunOptions, global: &Global) -> ExitCode {
    let outcome = run_and_commit(options, global).unwrap_or_else(|stop| stop.into_outcome("run"));
    finish(&outcome, &Output::of(global, Verbosity::Normal))
}

fn run_and_commit(options: RunOptions, global: &Global) -> Result<Outcome, EarlyExit> {
    let mut request = build_request(&options, global)?;
    let workspace = if options.dry_run {
        open(global)?
    } else {
        open_to_change(global)?
    };
    let interrupt = global.caller.catch_signals()?;
    let (is_check, command) = build_command(options, global);
    let outcome = watcher::show_progress(global, |progress| {
        request.look.progress = progress;
        if is_check {
            check_command(&command, request, &*workspace, &interrupt)
        } else {
            run_command(&command, request, &*workspace, &interrupt)
        }
    });
    Ok(with_root(outcome, global))
}

/// Returns the command with its limits, and whether its changes are only checked.
fn build_command(options: RunOptions, global: &Global) -> (bool, RunCommand) {
    let mut command = RunCommand::new(PathBuf::from(canonical_root(global)), options.words);
    let limits = &mut command.limits;
    limits.time = options.timeout.unwrap_or(limits.time);
    limits.processes = options.max_processes.map_or(limits.processes, NonZero::get);
    limits.bytes = options.max_written.map_or(limits.bytes, NonZero::get);
    command.observe_max_copied =
        (options.observe).then(|| options.max_copied.unwrap_or(MAX_COPIED));
    // Standard output contains only the report.
    if global.has_report() {
        command.stdout = OutputStream::Stderr;
    }
    (options.dry_run, command)
}

fn build_request(options: &RunOptions, global: &Global) -> Result<Request, EarlyExit> {
    let index_options = IndexOptions {
        index: options.index,
        ..IndexOptions::default()
    };
    let indexed = index::into_options(
        &index_options,
        &FilterOptions::default(),
        &MergeOptions::default(),
        global,
    )?;
    let interrupt = global.caller.interrupt();
    let mut request = Request::of_all(Vec::new());
    request.decide.index = indexed.as_ref().map(|indexed| indexed.scope);
    request.decide.max_file = options.max_file.unwrap_or(request.decide.max_file);
    request.decide.guards = options.guard.selected_guards();
    request.look = Look {
        describe: global.has_digests(),
        diff: global.has_digests(),
        ..request.look
    };
    request.commit = Commit {
        approve: options.approve.clone(),
        approve_part: None,
        transaction: request::transaction_options(global),
        commands: options.commands.commands(global),
        attribution: options.attribution.attribution(global),
    };
    request.context = RequestContext {
        policy: load_policy(global)?,
        git: Some(Arc::new(
            Git::for_directory(global.root()).with_interrupt(&interrupt),
        )),
        index: indexed.map(|indexed| indexed.index),
        interrupt,
        ..RequestContext::default()
    };
    Ok(request)
}
