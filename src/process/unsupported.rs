//! Commands on systems for which nobody has written them yet.

use std::io::{self, Read};
use std::process::{Child, ChildStdout, Command};
use std::time::Instant;

use super::{Errand, Patience, Ran};

/// A process with everything that it starts; on this system the process alone. Dropped, it is killed.
#[derive(Debug)]
pub struct Group(Child);

impl Group {
    /// Starts `command`.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if it cannot be started.
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

    /// Returns the process itself.
    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a process writes. On this system only what comes is looked at, and silence is waited for.
#[derive(Debug)]
pub(crate) struct Patient {
    pipe: ChildStdout,
    patience: Patience,
}

impl Patient {
    pub(crate) fn new(pipe: ChildStdout, patience: Patience) -> Self {
        Self { pipe, patience }
    }
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.patience.ask(Instant::now())?;
        self.pipe.read(buffer)
    }
}

pub(super) fn converse(_errand: &Errand<'_>, _is_stopped: &dyn Fn() -> bool) -> io::Result<Ran> {
    Err(io::ErrorKind::Unsupported.into())
}
