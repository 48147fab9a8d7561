//! Commands on systems for which nobody has written them yet.

use std::io;
use std::process::{Child, Command};

use super::{Errand, Ran};

/// A process with everything that it starts. There is none on this system.
#[derive(Debug)]
pub struct Group(std::convert::Infallible);

impl Group {
    /// Starts `command`.
    ///
    /// # Errors
    ///
    /// Always returns [`io::ErrorKind::Unsupported`].
    pub fn start(_command: &mut Command) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns whether the process itself has ended.
    ///
    /// # Errors
    ///
    /// None: there is no process.
    pub fn has_ended(&self) -> io::Result<bool> {
        match self.0 {}
    }

    /// Returns the process itself.
    pub fn child(&mut self) -> &mut Child {
        match self.0 {}
    }
}

pub(super) fn converse(_errand: &Errand<'_>, _is_stopped: &dyn Fn() -> bool) -> io::Result<Ran> {
    Err(io::ErrorKind::Unsupported.into())
}
