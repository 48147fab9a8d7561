//! What stands for the disk on systems that have no implementation yet: nothing can be opened.

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::mode::Permissions;
use crate::path::RelPath;
use crate::workspace::{
    Directory, Fault, Like, Lock, Privacy, Rename, Result, Stat, Timestamp, Workspace, WorkspaceError,
};

/// A directory of a system that is not supported yet; there is no value of it.
#[derive(Debug)]
pub enum Disk {}

impl Disk {
    /// Refuses.
    ///
    /// # Errors
    ///
    /// Always returns [`Fault::Unsupported`].
    pub fn open(root: &Path) -> Result<Self> {
        Err(WorkspaceError {
            verb: "open",
            path: root.display().to_string(),
            fault: Fault::Unsupported,
            source: io::Error::new(io::ErrorKind::Unsupported, "this system is not supported yet"),
        })
    }

    /// Lets the history be kept outside of the root.
    #[must_use]
    pub fn with_attic(self, _: &Path, _: &Path) -> Self {
        self
    }
}

impl Workspace for Disk {
    fn stat(&self, _: &RelPath) -> Result<Option<Stat>> {
        match *self {}
    }

    fn read(&self, _: &RelPath, _: u64) -> Result<(Vec<u8>, Stat)> {
        match *self {}
    }

    fn read_link(&self, _: &RelPath) -> Result<Vec<u8>> {
        match *self {}
    }

    fn list(&self, _: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        match *self {}
    }

    fn create(&self, _: &RelPath, _: &[u8], _: Permissions, _: Option<Like<'_>>) -> Result<()> {
        match *self {}
    }

    fn append(&self, _: &RelPath, _: &[u8]) -> Result<()> {
        match *self {}
    }

    fn overwrite(&self, _: &RelPath, _: &[u8], _: &Stat) -> Result<()> {
        match *self {}
    }

    fn symlink(&self, _: &[u8], _: &RelPath, _: Option<&RelPath>) -> Result<()> {
        match *self {}
    }

    fn link(&self, _: &RelPath, _: &RelPath) -> Result<()> {
        match *self {}
    }

    fn rename(&self, _: &RelPath, _: &RelPath, _: Rename) -> Result<()> {
        match *self {}
    }

    fn remove(&self, _: &RelPath) -> Result<()> {
        match *self {}
    }

    fn make_dir(&self, _: &RelPath, _: Privacy) -> Result<()> {
        match *self {}
    }

    fn remove_dir(&self, _: &RelPath) -> Result<()> {
        match *self {}
    }

    fn set_permissions(&self, _: &RelPath, _: Permissions) -> Result<()> {
        match *self {}
    }

    fn restore_dir(&self, _: &RelPath, _: u32, _: (u32, u32)) -> Result<()> {
        match *self {}
    }

    fn sync(&self, _: Directory<'_>) -> Result<()> {
        match *self {}
    }

    fn sync_all(&self) -> Result<()> {
        match *self {}
    }

    fn lock(&self, _: &RelPath, _: Duration) -> Result<Option<Lock>> {
        match *self {}
    }

    fn lock_dir(&self, _: &RelPath, _: Duration) -> Result<Option<Lock>> {
        match *self {}
    }

    fn now(&self) -> Timestamp {
        match *self {}
    }

    fn user(&self) -> u32 {
        match *self {}
    }

    fn identity(&self) -> Result<String> {
        match *self {}
    }
}
