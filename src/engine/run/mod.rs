//! `run`: runs a command on an overlay of the root, and commits what it changed like a patch.
//!
//! [`run_command`] is the whole flow: record the tree (`snapshot.rs`), run the command in a
//! [`Sandbox`], derive the change from the overlay (`collect.rs`, `moves.rs`), and pass it on as a
//! [`TreeChange`]. The command never writes to the tree itself, so a kill at any step leaves the
//! tree unchanged, and the overlay disappears with the processes.
//!
//! With [`RunCommand::observe_max_copied`], `observe.rs` runs the command on the tree itself.

mod collect;
mod compare;
mod moves;
mod observe;
mod scan;
mod snapshot;
mod tree_copy;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::commands::exit_message;
use super::failure::failure_outcome;
use super::request::{Request, TargetFile, TreeChange, UpdateScope};
use super::task::CommandMode;
use super::tree_change::{CommandEffects, run_with_effects};
use super::{Outcome, close_approval_gate, refused_outcome};
use crate::preflight::{Problem, code};
use crate::process::sandbox::{Sandbox, SandboxCommand, SandboxError};
use crate::process::{CommandOutput, ExitReason};
use crate::report::CommandReport;
use crate::transaction::{Failure, Interrupt};
use crate::workspace::Workspace;
use crate::workspace::disk::Disk;

pub(crate) use crate::process::sandbox::{OutputStream, SandboxLimits};
use collect::{Collected, GitIndexUse};
use snapshot::Snapshot;

/// The name of the command in reports.
const NAME: &str = "run";
/// The default limits of a command.
const LIMITS: SandboxLimits = SandboxLimits {
    time: Duration::from_secs(10 * 60),
    processes: 1000,
    bytes: 1 << 30,
};

/// A command to run, on an overlay of the root or on the tree itself.
#[derive(Clone, Debug)]
pub(crate) struct RunCommand {
    /// The absolute path of the root, without links.
    pub(crate) root: PathBuf,
    /// The program and its arguments.
    pub(crate) words: Vec<OsString>,
    /// The stream that receives the standard output of the command.
    pub(crate) stdout: OutputStream,
    /// The limits of the command.
    pub(crate) limits: SandboxLimits,
    /// The maximum size of the old contents in bytes, if the command runs on the tree itself. Only
    /// the time limit applies then.
    pub(crate) observe_max_copied: Option<u64>,
}

impl RunCommand {
    /// Returns a command with the default limits.
    pub(crate) fn new(root: PathBuf, words: Vec<OsString>) -> Self {
        Self {
            root,
            words,
            stdout: OutputStream::Stdout,
            limits: LIMITS,
            observe_max_copied: None,
        }
    }

    /// Returns the variables that the command finds in its environment.
    fn environment(&self) -> [(&'static str, OsString); 2] {
        [
            ("WPATCH_ROOT", self.root.clone().into_os_string()),
            ("WPATCH_COMMAND", NAME.into()),
        ]
    }

    /// Returns the command as one text, for messages.
    fn text(&self) -> Vec<u8> {
        let words = self.words.iter().map(|word| word.as_encoded_bytes());
        words.collect::<Vec<_>>().join(&b' ')
    }
}

/// Runs `command`, and applies its changes with the options of `request`.
pub(crate) fn run_command(
    command: &RunCommand,
    mut request: Request,
    workspace: &dyn Workspace,
    interrupt: &Interrupt,
) -> Outcome {
    if let Some(max_copied) = command.observe_max_copied {
        return observe::observe_command(command, max_copied, request, (workspace, interrupt));
    }
    close_approval_gate(&mut request, workspace);
    run_in_mode(command, request, workspace, (CommandMode::Apply, interrupt))
}

/// Runs `command`, and reports the changes that [`run_command`] would apply.
pub(crate) fn check_command(
    command: &RunCommand,
    request: Request,
    workspace: &dyn Workspace,
    interrupt: &Interrupt,
) -> Outcome {
    run_in_mode(command, request, workspace, (CommandMode::Check, interrupt))
}

fn run_in_mode(
    command: &RunCommand,
    mut request: Request,
    workspace: &dyn Workspace,
    (mode, interrupt): (CommandMode, &Interrupt),
) -> Outcome {
    request.context.interrupt = interrupt.clone();
    let found = Snapshot::take(workspace, interrupt)
        .and_then(|snapshot| find_changes(command, &request, workspace, &snapshot));
    let (files, effects) = match found {
        Ok(Ok(found)) => found,
        Ok(Err(problem)) => return *refused_outcome(NAME, *problem),
        Err(failure) => return *failure_outcome(NAME, &failure),
    };
    let change = TreeChange {
        command: NAME,
        files,
    };
    run_with_effects(change, effects, request, (mode, workspace))
}

/// The files with their new states, and the other effects of the command.
type Found = (Vec<TargetFile>, CommandEffects);

/// Runs the command, and returns its changes. Returns a problem if it cannot run.
fn find_changes(
    command: &RunCommand,
    request: &Request,
    workspace: &dyn Workspace,
    snapshot: &Snapshot,
) -> Result<Result<Found, Box<Problem>>, Failure> {
    let interrupt = &request.context.interrupt;
    let mut environment = command.environment().to_vec();
    // Without this, `git status` would write git's index.
    environment.push(("GIT_OPTIONAL_LOCKS", "0".into()));
    let sandboxed = SandboxCommand {
        root: &command.root,
        words: &command.words,
        environment: &environment,
        stdout: command.stdout,
        limits: command.limits,
    };
    let sandbox = match Sandbox::run(&sandboxed, interrupt) {
        Ok(sandbox) => sandbox,
        Err(error) => return Ok(Err(Box::new(start_problem(&error)))),
    };
    if let (ExitReason::Stopped, Some(signal)) = (sandbox.reason, interrupt.signal()) {
        return Err(Failure::Interrupted(signal));
    }
    let ran = CommandOutput {
        reason: sandbox.reason,
        output: Vec::new(),
        is_cut: false,
        time: sandbox.time,
    };
    let mut effects = CommandEffects {
        report: Some(CommandReport::of(&command.text(), &ran)),
        problems: Vec::new(),
    };
    if ran.reason != ExitReason::Exited(0) {
        effects.problems.push(exit_problem(&ran, command.limits));
        return Ok(Ok((Vec::new(), effects)));
    }
    let has_index = request
        .index_target()
        .is_some_and(|target| target.scope == UpdateScope::Both);
    let collected = Collected::of(
        (&Disk::open(&sandbox.upper)?, &Disk::open(&sandbox.merged)?),
        (workspace, snapshot),
        request.decide.max_file,
        if has_index {
            GitIndexUse::Update
        } else {
            GitIndexUse::Refuse
        },
    )?;
    effects.problems.extend(collected.problems);
    Ok(Ok((moves::join_moves(&collected.files), effects)))
}

/// Returns the problem of a command that cannot run.
fn start_problem(error: &SandboxError) -> Problem {
    let (code, help) = match error {
        SandboxError::Unsupported(_) => (
            &code::NO_OVERLAY,
            Some("use `--observe`, which needs no overlay and only records the changes"),
        ),
        SandboxError::NotStarted(_) => (&code::RUN, None),
        SandboxError::Io(_) => (&code::IO, None),
    };
    Problem {
        help: help.map(str::to_owned),
        ..Problem::new(code, error.to_string())
    }
}

/// Returns the problem of a command that did not succeed.
fn exit_problem(ran: &CommandOutput, limits: SandboxLimits) -> Problem {
    let help = match ran.reason {
        ExitReason::TimedOut => "its changes were discarded; set a higher limit with --timeout",
        ExitReason::TooManyProcesses => {
            "its changes were discarded; set a higher limit with --max-processes"
        }
        ExitReason::TooManyBytes => {
            "its changes were discarded; set a higher limit with --max-written"
        }
        _ => "its changes were discarded; fix the cause that the command reports and try again",
    };
    let message = match ran.reason {
        ExitReason::TooManyProcesses => format!(
            "the command was killed: it had more than {} processes",
            limits.processes
        ),
        ExitReason::TooManyBytes => format!(
            "the command was killed: its files in the root or in a temporary directory had more \
             than {} bytes",
            limits.bytes
        ),
        _ => format!("the command failed: {}", exit_message(ran, limits.time)),
    };
    Problem {
        help: Some(help.to_owned()),
        ..Problem::new(&code::RUN, message)
    }
}
