//! The disk backend of systems that are not supported yet: opening a root always fails.

use std::io;
use std::path::Path;

use crate::path::RelPath;
use crate::text::Bytes;
use crate::workspace::{Directory, ErrorKind, Result, Stat, Workspace, WorkspaceError};

/// A root on a system that is not supported yet. It has no values.
#[derive(Debug)]
#[non_exhaustive]
pub enum Disk {}

impl Disk {
    /// Fails.
    ///
    /// # Errors
    ///
    /// Always returns [`ErrorKind::Unsupported`].
    pub fn open(root: &Path) -> Result<Self> {
        Err(WorkspaceError {
            verb: "open",
            path: root.display().to_string(),
            kind: ErrorKind::Unsupported,
            source: io::Error::new(
                io::ErrorKind::Unsupported,
                "this operating system is not supported",
            ),
        })
    }

    /// Does nothing, because no value exists.
    #[must_use]
    pub fn with_external_history(self, _: &Path, _: &Path) -> Self {
        self
    }
}

impl Workspace for Disk {
    fn stat(&self, _: &RelPath) -> Result<Option<Stat>> {
        match *self {}
    }

    fn read(&self, _: &RelPath, _: u64) -> Result<(Bytes, Stat)> {
        match *self {}
    }

    fn read_link(&self, _: &RelPath) -> Result<Vec<u8>> {
        match *self {}
    }

    fn list(&self, _: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        match *self {}
    }

    fn user(&self) -> u32 {
        match *self {}
    }

    fn identity(&self) -> Result<String> {
        match *self {}
    }
}
