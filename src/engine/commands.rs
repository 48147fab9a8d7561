//! Runs the commands of the user around a change: `--before`, `--verify` and `--after`.

use std::ffi::{OsStr, OsString};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::report;
use super::request::UserCommands;
use super::stages::{Committed, TreeCheck};
use super::task::CommandRun;
use crate::mutex::lock_unpoisoned;
use crate::preflight::{Problem, Severity, code};
use crate::process::{self, CommandOutput, ErrorTarget, ExitReason, ShellCommand};
use crate::progress::{Phase, Progress};
use crate::report::{CommandReport, print_json};
use crate::transaction::{CommitHook, Failure, Interrupt};
use crate::workspace::{Workspace, WorkspaceError, top};

/// The environment variable that identifies the running change to child processes. Its value is the
/// identity of the git work tree, or of the root outside git. For several roots, it contains the
/// identity of each, with a space between them.
pub const TRANSACTION_VARIABLE: &str = "WPATCH_TRANSACTION";

/// Returns whether a change of the work tree of `workspace` started this process. `at_work` is the
/// value of [`TRANSACTION_VARIABLE`].
///
/// Such a process must not change the tree itself: it would wait for the lock of the change, and
/// the change waits for the process.
pub fn is_inside_change(at_work: &OsStr, workspace: &dyn Workspace) -> bool {
    let Some(at_work) = at_work.to_str() else {
        return false;
    };
    let identities = identities(workspace).unwrap_or_default();
    at_work
        .split(' ')
        .any(|running| identities.iter().any(|identity| identity == running))
}

/// Returns the identities of the work trees that a change of `workspace` locks.
fn identities(workspace: &dyn Workspace) -> Result<Vec<String>, WorkspaceError> {
    let identity = |workspace: &dyn Workspace| top(workspace)?.identity();
    match workspace.roots() {
        Some(roots) => {
            let roots = roots.roots().iter();
            roots.map(|root| identity(&*root.workspace)).collect()
        }
        None => Ok(vec![identity(workspace)?]),
    }
}

/// One command of the user with its input and environment.
struct UserCommand<'a> {
    command: &'a OsStr,
    commands: &'a UserCommands,
    input: Vec<u8>,
    environment: Vec<(&'static str, OsString)>,
    phase: Phase,
    progress: Progress,
}

impl UserCommand<'_> {
    fn run(&self, interrupt: &Interrupt) -> Result<CommandOutput, Failure> {
        let Self {
            command,
            commands,
            input,
            environment,
            phase,
            progress,
        } = self;
        progress.enter(*phase, 0);
        let shell_command = ShellCommand {
            command,
            directory: &commands.directory,
            environment,
            input,
            limit: commands.limit,
            errors: ErrorTarget::Output,
        };
        let ran = process::run(&shell_command, interrupt);
        let ran = ran.map_err(|error| Failure::Command {
            reason: error.to_string(),
        })?;
        // A command that was stopped because of a signal has no result of its own.
        match (ran.reason, interrupt.signal()) {
            (ExitReason::Stopped, Some(signal)) => Err(Failure::Interrupted(signal)),
            _ => Ok(ran),
        }
    }
}

/// The commit hook that runs `--verify`.
pub(super) struct Verification<'a> {
    user_command: UserCommand<'a>,
    output: Mutex<Option<CommandOutput>>,
}

impl CommitHook for Verification<'_> {
    fn check(&self, interrupt: &Interrupt) -> Result<(), Failure> {
        let ran = self.user_command.run(interrupt)?;
        let has_passed = ran.reason == ExitReason::Exited(0);
        *lock_unpoisoned(&self.output) = Some(ran);
        if has_passed {
            Ok(())
        } else {
            Err(Failure::Rejected)
        }
    }
}

impl TreeCheck for Verification<'_> {
    /// `--verify` needs the changed files, so `check` does not run it.
    fn check_unwritten(&self, _: &Interrupt) -> Result<(), Failure> {
        Ok(())
    }

    fn finish(self: Box<Self>, done: &mut Committed) {
        let Verification {
            user_command: turn,
            output: ran,
        } = *self;
        let Some(ran) = ran.into_inner().unwrap_or_else(PoisonError::into_inner) else {
            return;
        };
        done.result.command_reports.verify =
            Some(CommandReport::of(turn.command.as_encoded_bytes(), &ran));
        if ran.reason != ExitReason::Exited(0) {
            let message = format!(
                "--verify rejected the change: {}",
                exit_message(&ran, turn.commands.limit)
            );
            done.problems().push(Problem::new(&code::VERIFY, message));
        }
    }
}

/// Returns the check that runs `--verify`, if the request has this command.
pub(super) fn prepare_verification<'c>(
    task: &'c CommandRun<'_>,
    done: &Committed,
) -> Result<Option<Box<dyn TreeCheck + 'c>>, Failure> {
    let Some(command) = &task.commands().verify else {
        return Ok(None);
    };
    let turn = task.prepare_command(
        (command, Phase::Verifying),
        done,
        report::Outcome::Applied,
        true,
    )?;
    Ok(Some(Box::new(Verification {
        user_command: turn,
        output: Mutex::default(),
    })))
}

/// Runs `--before` and returns whether it allows the change.
pub(super) fn run_before(task: &CommandRun<'_>, done: &mut Committed) -> Result<bool, Failure> {
    let Some(command) = &task.commands().before else {
        return Ok(true);
    };
    let turn = task.prepare_command(
        (command, Phase::RunningBefore),
        done,
        report::Outcome::WouldApply,
        true,
    )?;
    let ran = turn.run(task.interrupt());
    // The command may have moved directories whose handles the workspace caches.
    task.workspace.close_cached_handles();
    let ran = ran?;
    done.result.command_reports.before = Some(CommandReport::of(command.as_encoded_bytes(), &ran));
    let is_allowed = ran.reason == ExitReason::Exited(0);
    if !is_allowed {
        let message = format!(
            "--before rejected the change: {}",
            exit_message(&ran, task.commands().limit)
        );
        let help = Some(
            "no file was changed; fix the cause that the command reports and try again".to_owned(),
        );
        done.problems().push(Problem {
            help,
            ..Problem::new(&code::BEFORE, message)
        });
    }
    Ok(is_allowed)
}

/// Runs `--after` if the change was committed. Its result does not change the outcome.
pub(super) fn run_after(task: &CommandRun<'_>, done: &mut Committed) {
    let Some(command) = task
        .commands()
        .after
        .as_ref()
        .filter(|_| done.result.receipt.is_some())
    else {
        return;
    };
    let turn = task.prepare_command(
        (command, Phase::RunningAfter),
        done,
        report::Outcome::Applied,
        false,
    );
    // The change is committed, so every failure is only a warning.
    let ran = turn.and_then(|turn| turn.run(task.interrupt()));
    let why = match &ran {
        Ok(ran) => {
            done.result.command_reports.after =
                Some(CommandReport::of(command.as_encoded_bytes(), ran));
            (ran.reason != ExitReason::Exited(0)).then(|| exit_message(ran, task.commands().limit))
        }
        Err(failure) => Some(failure.to_string()),
    };
    if let Some(why) = why {
        let problem = Problem::new(
            &code::AFTER,
            format!("--after failed: {why}; the change remains applied"),
        );
        done.problems().push(Problem {
            severity: Severity::Warning,
            ..problem
        });
    }
}

impl CommandRun<'_> {
    /// Prepares `command`. Its input is the report of the change as if it had ended with `success`.
    /// The environment contains [`TRANSACTION_VARIABLE`] if the change is not yet complete (`is_at_work`).
    fn prepare_command<'c>(
        &'c self,
        (command, phase): (&'c OsStr, Phase),
        done: &Committed,
        success: report::Outcome,
        is_at_work: bool,
    ) -> Result<UserCommand<'c>, Failure> {
        let commands = self.commands();
        let mut report = done.report_as(&self.command, success);
        report.root = Some(commands.directory.to_string_lossy().into_owned());
        let mut input = Vec::new();
        // `print_json` cannot fail here: all keys are strings, and a `Vec` accepts every write.
        let _ = print_json(&report, &mut input);
        let mut environment = vec![
            ("WPATCH_ROOT", commands.directory.clone().into_os_string()),
            ("WPATCH_COMMAND", self.command.name.into()),
            ("WPATCH_PLAN_ID", report.plan_id.unwrap_or_default().into()),
        ];
        if is_at_work {
            environment.push((
                TRANSACTION_VARIABLE,
                identities(self.workspace)?.join(" ").into(),
            ));
        }
        Ok(UserCommand {
            command,
            commands,
            input,
            environment,
            phase,
            progress: self.progress().clone(),
        })
    }
}

/// Returns how a command with the time limit `limit` ended.
pub(super) fn exit_message(ran: &CommandOutput, limit: Duration) -> String {
    match ran.reason {
        ExitReason::Exited(code) => format!("exit code {code}"),
        ExitReason::Signalled(signal) => format!("killed by signal {signal}"),
        ExitReason::TimedOut => format!("timed out after {} ms", limit.as_millis()),
        ExitReason::Stopped => "interrupted".to_owned(),
        ExitReason::TooManyProcesses => "too many processes".to_owned(),
        ExitReason::TooManyBytes => "too many written bytes".to_owned(),
    }
}
