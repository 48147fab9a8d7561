//! The directory outside of the root that git keeps the index in.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::retry_on_intr;

use super::fault::Attempt;
use super::handle::Handle;
use crate::path::RelPath;
use crate::workspace::ANNEX;

/// The directory, if one was named.
#[derive(Debug, Default)]
pub(super) struct Annex(Mutex<Option<Named>>);

#[derive(Debug)]
struct Named {
    directory: PathBuf,
    opened: Option<Handle>,
}

impl Annex {
    /// Names it.
    pub(super) fn set(&self, directory: &Path) {
        *self.held() = Some(Named {
            directory: directory.to_owned(),
            opened: None,
        });
    }

    /// Returns what leads from it to `path`; `None` if that is not in there, or no directory was
    /// named.
    pub(super) fn rest<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let rest = inner(path)?;
        self.held().is_some().then_some(rest)
    }

    /// Returns where `path` is that is in there.
    pub(super) fn real(&self, path: &RelPath) -> Option<PathBuf> {
        let rest = inner(path.as_bytes())?;
        Some(
            self.held()
                .as_ref()?
                .directory
                .join(OsStr::from_bytes(rest)),
        )
    }

    /// Opens it.
    pub(super) fn open(&self) -> Attempt<Handle> {
        let mut held = self.held();
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

    fn held(&self) -> MutexGuard<'_, Option<Named>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn inner(path: &[u8]) -> Option<&[u8]> {
    match path.strip_prefix(ANNEX.as_bytes())? {
        [] => Some(b"."),
        [b'/', rest @ ..] => Some(rest),
        _ => None,
    }
}
