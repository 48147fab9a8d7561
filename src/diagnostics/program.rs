//! A language server as a program: started, and killed with all that it started.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use super::trouble::Trouble;
use super::wire::Wire;
use crate::process::{self, Complaints, Group};

/// A language server as a program.
///
/// Dropped, it is killed with the whole of its process group, whether it is still there or not.
pub(super) struct Program {
    group: Group,
    /// What it says besides the protocol.
    complaints: Complaints,
}

impl Program {
    /// Starts `command`, its program first, in `root`.
    ///
    /// # Security
    ///
    /// The program is looked for in the search path, never in `root`; only an absolute path may
    /// lead there.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be started.
    pub(super) fn start(command: &[String], root: &Path) -> Result<(Self, Wire), Trouble> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| Trouble::Start(io::ErrorKind::NotFound.into()))?;
        let mut command =
            process::command(program.as_ref(), &[root.to_owned()]).map_err(Trouble::Start)?;
        command.args(arguments).current_dir(root);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = Group::start(&mut command).map_err(Trouble::Start)?;
        let child = group.child();
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err(Trouble::Start(io::ErrorKind::BrokenPipe.into()));
        };
        let complaints = Complaints::of(errors).map_err(Trouble::Start)?;
        let wire = Wire::new(output, input).map_err(Trouble::Start)?;
        Ok((Self { group, complaints }, wire))
    }

    /// Returns the reason that it printed on standard error. Waits for it until `until`.
    pub(super) fn complaint(&self, until: Instant) -> Option<String> {
        self.complaints.reason(until)
    }

    /// Waits for its end; not longer than until `until`.
    pub(super) fn wait(&mut self, until: Instant) {
        let patience = until.saturating_duration_since(Instant::now());
        process::wait(patience, || !matches!(self.group.has_ended(), Ok(false)));
    }
}
