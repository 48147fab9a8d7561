//! Locks between processes, based on flock(2).

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, FlockOperation, OFlags, flock, fstat, statat};
use rustix::io::{Errno, retry_on_intr};

use super::files::{not_regular_error, open_regular, set_bits};
use super::handle::open_directory;
use super::stat::stat_of;
use crate::mode::FileKind;
use crate::workspace::disk::calls::{LockAttempt, SysError, SysResult};
use crate::workspace::{ErrorKind, Stat};

/// Permission bits of the lock file.
const PRIVATE: u32 = 0o600;

/// Opens the file `name`, creates it if needed, and tries to lock it.
pub(in crate::workspace::disk) fn try_lock(
    directory: impl AsFd,
    name: &[u8],
) -> SysResult<LockAttempt<OwnedFd>> {
    let file = open_regular(&directory, name, OFlags::RDWR | OFlags::CREATE)?;
    let ours = stat_of(&fstat(&file)?);
    if ours.kind != FileKind::Regular {
        return Err(not_regular_error());
    }
    if ours.permissions & PRIVATE != PRIVATE {
        // The umask removed these bits. Without them, the next process could not open the file.
        set_bits(&file, PRIVATE)?;
    }
    lock_opened(file, &ours, &directory, name)
}

/// Opens the directory `name` and tries to lock it.
pub(in crate::workspace::disk) fn try_lock_directory(
    above: impl AsFd,
    name: &[u8],
) -> SysResult<LockAttempt<OwnedFd>> {
    let opened = open_directory(&above, name, OFlags::RDONLY)?;
    let ours = stat_of(&fstat(&opened)?);
    lock_opened(opened, &ours, &above, name).map_err(|error| {
        match Errno::from_io_error(&error.source) {
            // The errors of file systems that can lock only files open for writing, or nothing at
            // all.
            Some(errno @ (Errno::BADF | Errno::NOTSUP | Errno::NOLCK)) => {
                SysError::new(ErrorKind::Unsupported, errno)
            }
            _ => error,
        }
    })
}

/// Locks the file opened as `name`, and checks that the name still refers to it.
fn lock_opened(
    opened: OwnedFd,
    ours: &Stat,
    above: impl AsFd,
    name: &[u8],
) -> SysResult<LockAttempt<OwnedFd>> {
    match retry_on_intr(|| flock(&opened, FlockOperation::NonBlockingLockExclusive)) {
        Err(Errno::WOULDBLOCK) => return Ok(LockAttempt::Busy),
        result => result?,
    }
    // flock(2) locks the inode, not the name. The holder may have removed the file before it
    // unlocked it.
    match statat(&above, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) if is_same_file(&stat_of(&found), ours) => Ok(LockAttempt::Held(opened)),
        Ok(_) | Err(Errno::NOENT) => Ok(LockAttempt::Gone),
        Err(errno) => Err(errno.into()),
    }
}

fn is_same_file(a: &Stat, b: &Stat) -> bool {
    (a.device, a.inode) == (b.device, b.inode)
}
