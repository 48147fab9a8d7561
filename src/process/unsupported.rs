//! Stubs for systems without process support.

use std::io;
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::time::{Duration, Instant};

use super::{CommandOutput, ExitReason, ShellCommand, Timeout};
use crate::interrupt::Interrupt;

/// The terminal from which a user's keys arrive.
#[cfg(feature = "review")]
pub(crate) struct TerminalInput;

#[cfg(feature = "review")]
#[allow(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape on other systems"
)]
impl TerminalInput {
    /// Returns the terminal of the process.
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self)
    }

    /// Returns `None`: a program cannot leave other settings here.
    pub(crate) fn settings(&self) -> Option<TerminalSettings> {
        None
    }

    /// Does nothing, because there are no settings.
    pub(crate) fn restore(&self, _settings: &TerminalSettings) {}

    /// Returns at once, because this system cannot wait for keys here.
    pub(crate) fn wait(&self, _timeout: Duration) -> super::InputState {
        super::InputState::Unknown
    }
}

/// The settings of a terminal. This system has none.
#[cfg(feature = "review")]
pub(crate) struct TerminalSettings;

/// Does nothing: this system cannot stop a job.
#[cfg(feature = "review")]
pub(crate) fn suspend_job() {}

/// A process without a process group. Dropping it kills the process.
#[derive(Debug)]
pub struct ProcessGroup(Child);

impl ProcessGroup {
    /// Starts `command`.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the command cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        command.spawn().map(Self)
    }

    /// Returns whether the process itself has ended.
    ///
    /// # Errors
    ///
    /// Returns the error of waiting for it.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.0.try_wait()?.is_some())
    }

    /// Kills the process: this system cannot ask it to end.
    pub fn terminate(&mut self) {
        let _ = self.0.kill();
    }

    /// Kills the process and returns its exit status.
    ///
    /// # Errors
    ///
    /// Returns the error of waiting for it.
    pub fn kill(&mut self) -> io::Result<Option<ExitStatus>> {
        let _ = self.0.kill();
        self.0.wait().map(Some)
    }

    /// Returns the process itself.
    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns `None`, because this system has no user IDs.
pub(super) fn user() -> Option<u32> {
    None
}

/// Returns how a command with this exit status ended.
pub(super) fn exit_reason(status: Option<ExitStatus>) -> io::Result<ExitReason> {
    let code = status.and_then(|status| status.code());
    code.map(ExitReason::Exited)
        .ok_or_else(|| io::Error::other("the exit status of the command is unknown"))
}

/// Checks the limits once. The read that follows has no time limit on this system.
pub(super) fn wait_for_bytes(_pipe: &ChildStdout, timeout: &Timeout) -> io::Result<()> {
    timeout.check(Instant::now())
}

/// Fails on this system.
pub(super) fn run_with_io(
    _errand: &ShellCommand<'_>,
    _interrupt: &Interrupt,
) -> io::Result<CommandOutput> {
    Err(io::ErrorKind::Unsupported.into())
}
