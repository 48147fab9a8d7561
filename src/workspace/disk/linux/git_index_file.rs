//! The directory outside the root that contains git's index file.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::retry_on_intr;

use super::handle::DirectoryHandle;
use super::sys_error::SysResult;
use crate::path::RelPath;
use crate::workspace::GIT_INDEX_DIRECTORY_NAME;

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
    pub(super) fn set(&self, directory: &Path) {
        *self.lock() = Some(IndexDirectory {
            directory: directory.to_owned(),
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
        Some(
            self.lock()
                .as_ref()?
                .directory
                .join(OsStr::from_bytes(rest)),
        )
    }

    /// Opens the directory, or returns the handle that was opened before.
    pub(super) fn open(&self) -> SysResult<DirectoryHandle> {
        let mut held = self.lock();
        let Some(named) = held.as_mut() else {
            return Err(rustix::io::Errno::NOENT.into());
        };
        if let Some(handle) = &named.opened {
            return Ok(Arc::clone(handle));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = Arc::new(retry_on_intr(|| {
            openat(CWD, &named.directory, flags, Mode::empty())
        })?);
        named.opened = Some(Arc::clone(&handle));
        Ok(handle)
    }

    fn lock(&self) -> MutexGuard<'_, Option<IndexDirectory>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn inner(path: &[u8]) -> Option<&[u8]> {
    match path.strip_prefix(GIT_INDEX_DIRECTORY_NAME.as_bytes())? {
        [] => Some(b"."),
        [b'/', rest @ ..] => Some(rest),
        _ => None,
    }
}
