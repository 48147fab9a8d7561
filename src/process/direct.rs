//! Runs a command in a directory, with the standard streams of this process.

use std::io::{self, IsTerminal};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::sandbox::{OutputStream, SandboxCommand, SandboxError};
use super::{ExitReason, GRACE, ProcessGroup, exit_reason, wait};
use crate::interrupt::Interrupt;

/// A command that was started.
#[derive(Debug)]
pub(crate) struct StartedCommand {
    /// How it ended, or the error because of which this is unknown.
    pub(crate) reason: io::Result<ExitReason>,
    /// The elapsed time.
    pub(crate) time: Duration,
}

/// Runs `command` in its directory without a sandbox. Waits until it ends, its time limit is over,
/// or `interrupt` is raised. Then kills the rest of its process group.
///
/// The output is not captured. A terminal is not passed on as standard input: a process outside the
/// foreground group of its terminal stops when it reads from it; see termios(3).
///
/// # Errors
///
/// Returns the reason if the command cannot be started.
pub(crate) fn run(
    command: &SandboxCommand<'_>,
    interrupt: &Interrupt,
) -> Result<StartedCommand, SandboxError> {
    let start = Instant::now();
    let [program, arguments @ ..] = command.words else {
        return Err(SandboxError::NotStarted("no program is named".to_owned()));
    };
    let mut process = Command::new(program);
    process.args(arguments).current_dir(command.root);
    let variables = command.environment.iter();
    process.envs(variables.map(|(name, value)| (name, value)));
    if io::stdin().is_terminal() {
        process.stdin(Stdio::null());
    }
    if command.stdout == OutputStream::Stderr {
        process.stdout(io::stderr());
    }
    let mut group = ProcessGroup::start(&mut process).map_err(|error| {
        SandboxError::NotStarted(format!("{}: {error}", program.to_string_lossy()))
    })?;
    let reason = wait_until_end(&mut group, &|| {
        if interrupt.is_raised() {
            Some(ExitReason::Stopped)
        } else {
            (start.elapsed() >= command.limits.time).then_some(ExitReason::TimedOut)
        }
    });
    Ok(StartedCommand {
        reason,
        time: start.elapsed(),
    })
}

/// Waits until the command ends, and kills the rest of its group. Asks the command to end if
/// `reason_to_end` returns a reason.
fn wait_until_end(
    group: &mut ProcessGroup,
    reason_to_end: &dyn Fn() -> Option<ExitReason>,
) -> io::Result<ExitReason> {
    let mut requested: Option<(ExitReason, Instant)> = None;
    let mut result = Ok(());
    wait(Duration::MAX, || {
        match group.has_ended() {
            Ok(false) => {}
            Ok(true) => return true,
            Err(error) => {
                result = Err(error);
                return true;
            }
        }
        if let Some((_, since)) = requested {
            return since.elapsed() >= GRACE;
        }
        requested = reason_to_end().map(|reason| (reason, Instant::now()));
        if requested.is_some() {
            group.terminate();
        }
        false
    });
    let status = group.kill();
    result?;
    match requested {
        Some((reason, _)) => Ok(reason),
        None => exit_reason(status?),
    }
}
