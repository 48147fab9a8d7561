//! Handles of open directories.

use std::sync::Arc;
use std::time::Duration;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use rustix::io::{Errno, retry_on_intr};

use super::sys_error::{SysError, SysResult};
use crate::workspace::ErrorKind;

/// An open directory, which can be an `O_PATH` handle.
pub(super) type DirectoryHandle = Arc<OwnedFd>;

/// How long a handle is cached. This limits how long verbs write to a directory that another
/// process has moved away.
pub(super) const MAX_AGE: Duration = Duration::from_secs(1);

/// Opens the directory `name` in `above`. Fails if it is a link.
pub(super) fn open_directory(above: impl AsFd, name: &[u8], access: OFlags) -> SysResult<OwnedFd> {
    let flags = access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    retry_on_intr(|| openat(&above, name, flags, Mode::empty())).map_err(|errno| match errno {
        Errno::NOTDIR | Errno::LOOP if is_link(&above, name) => {
            SysError::new(ErrorKind::ThroughLink, Errno::LOOP)
        }
        errno => errno.into(),
    })
}

fn is_link(above: impl AsFd, name: &[u8]) -> bool {
    statat(above, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}
