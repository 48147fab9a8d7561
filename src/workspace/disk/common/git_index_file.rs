//! The directory outside the root that contains git's index file.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use super::join;
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::workspace::disk::calls::{Access, SysError, SysResult};
use crate::workspace::disk::system::{self, DirectoryHandle};
use crate::workspace::{ErrorKind, GIT_INDEX_DIRECTORY_NAME};

/// The directory, if the caller has set one.
#[derive(Debug, Default)]
pub(super) struct GitIndexFile(Mutex<Option<IndexDirectory>>);

#[derive(Debug)]
struct IndexDirectory {
    directory: PathBuf,
    opened: Option<DirectoryHandle>,
}

impl GitIndexFile {
    /// Sets the directory. It is opened on first use.
    pub(super) fn set(&self, directory: PathBuf) {
        *self.lock() = Some(IndexDirectory {
            directory,
            opened: None,
        });
    }

    /// Returns `path` relative to the directory. Returns `None` if `path` is not in it, or if no
    /// directory is set.
    pub(super) fn relative_path<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let rest = inner(path)?;
        self.lock().is_some().then_some(rest)
    }

    /// Returns the absolute path of `path`. Returns `None` if `path` is not in the directory, or if
    /// no directory is set.
    pub(super) fn absolute_path(&self, path: &RelPath) -> Option<PathBuf> {
        let rest = inner(path.as_bytes())?;
        Some(join(&self.lock().as_ref()?.directory, rest))
    }

    /// Opens the directory, or returns the handle that was opened before.
    pub(super) fn open(&self) -> SysResult<DirectoryHandle> {
        let mut held = self.lock();
        let Some(named) = held.as_mut() else {
            return Err(SysError::new(ErrorKind::Missing, io::ErrorKind::NotFound));
        };
        if let Some(handle) = &named.opened {
            return Ok(Arc::clone(handle));
        }
        let handle = Arc::new(system::open_directory_at(
            &named.directory,
            Access::Resolve,
        )?);
        named.opened = Some(Arc::clone(&handle));
        Ok(handle)
    }

    fn lock(&self) -> MutexGuard<'_, Option<IndexDirectory>> {
        lock_unpoisoned(&self.0)
    }
}

fn inner(path: &[u8]) -> Option<&[u8]> {
    match path.strip_prefix(GIT_INDEX_DIRECTORY_NAME.as_bytes())? {
        [] => Some(b"."),
        [b'/', rest @ ..] => Some(rest),
        _ => None,
    }
}
