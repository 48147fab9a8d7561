//! The process of a language server.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use super::server_error::ServerError;
use super::wire::Wire;
use crate::process::{self, ProcessGroup, StderrReader};

/// The process of a language server.
///
/// Dropping this value kills the whole process group, even if the server itself has exited.
pub(super) struct ServerProcess {
    group: ProcessGroup,
    /// The standard error output.
    stderr: StderrReader,
}

impl ServerProcess {
    /// Starts `command` in `root`. The first item is the program.
    ///
    /// # Security
    ///
    /// The program is looked up in `PATH`, but never in `root`. Only an absolute path can name a
    /// program below `root`.
    ///
    /// # Errors
    ///
    /// Returns [`ServerError::Start`] if the program cannot be started.
    pub(super) fn start(command: &[String], root: &Path) -> Result<(Self, Wire), ServerError> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| ServerError::Start(io::ErrorKind::NotFound.into()))?;
        let mut command = process::find_command(program.as_ref(), &[root.to_owned()])
            .map_err(ServerError::Start)?;
        command.args(arguments).current_dir(root);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = ProcessGroup::start(&mut command).map_err(ServerError::Start)?;
        let child = group.child();
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err(ServerError::Start(io::ErrorKind::BrokenPipe.into()));
        };
        let complaints = StderrReader::of(errors).map_err(ServerError::Start)?;
        let wire = Wire::new(output, input).map_err(ServerError::Start)?;
        Ok((
            Self {
                group,
                stderr: complaints,
            },
            wire,
        ))
    }

    /// Returns the reason on standard error, and waits for it until `until`.
    pub(super) fn failure_reason(&self, until: Instant) -> Option<String> {
        self.stderr.reason(until)
    }

    /// Waits for the exit of the server, but not longer than `until`.
    pub(super) fn wait(&mut self, until: Instant) {
        let patience = until.saturating_duration_since(Instant::now());
        process::wait(patience, || !matches!(self.group.has_ended(), Ok(false)));
    }
}
