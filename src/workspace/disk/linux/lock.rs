//! Locks between processes, based on flock(2).

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, FlockOperation, OFlags, flock, fstat, statat};
use rustix::io::{Errno, retry_on_intr};

use super::attributes::set_bits;
use super::contents::{not_regular_error, open_regular};
use super::handle::open_directory;
use super::stat::stat_of;
use super::sys_error::{SysError, SysResult};
use crate::mode::FileKind;
use crate::workspace::{ErrorKind, Stat};

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// Permission bits of the lock file.
const PRIVATE: u32 = 0o600;

/// The result of one attempt to lock.
pub(super) enum LockAttempt {
    /// This process holds the lock.
    Held(OwnedFd),
    /// Another process holds the lock.
    Busy,
    /// The file was removed or replaced before it was locked. The lock has no effect.
    Gone,
}

/// Opens the file `name`, creates it if needed, and tries to lock it.
pub(super) fn try_lock(directory: impl AsFd, name: &[u8]) -> SysResult<LockAttempt> {
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
pub(super) fn try_lock_dir(above: impl AsFd, name: &[u8]) -> SysResult<LockAttempt> {
    let opened = open_directory(&above, name, OFlags::RDONLY)?;
    let ours = stat_of(&fstat(&opened)?);
    lock_opened(opened, &ours, &above, name).map_err(|trouble| {
        match Errno::from_io_error(&trouble.source) {
            // The errors of file systems that can lock only files open for writing, or nothing at
            // all.
            Some(errno @ (Errno::BADF | Errno::NOTSUP | Errno::NOLCK)) => {
                SysError::new(ErrorKind::Unsupported, errno)
            }
            _ => trouble,
        }
    })
}

/// Locks the file opened as `name`, and checks that the name still refers to it.
fn lock_opened(
    opened: OwnedFd,
    ours: &Stat,
    above: impl AsFd,
    name: &[u8],
) -> SysResult<LockAttempt> {
    match retry_on_intr(|| flock(&opened, FlockOperation::NonBlockingLockExclusive)) {
        Err(Errno::WOULDBLOCK) => return Ok(LockAttempt::Busy),
        result => result?,
    }
    // flock(2) locks the inode, not the name. The holder may have removed the file before it
    // unlocked it.
    match statat(&above, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) if (found.st_dev, found.st_ino) == (ours.device, ours.inode) => {
            Ok(LockAttempt::Held(opened))
        }
        Ok(_) | Err(Errno::NOENT) => Ok(LockAttempt::Gone),
        Err(errno) => Err(errno.into()),
    }
}

/// Calls `look` with growing pauses until it acquires the lock or `patience` has elapsed.
pub(super) fn wait(
    timeout: Duration,
    mut look: impl FnMut() -> SysResult<LockAttempt>,
) -> SysResult<Option<OwnedFd>> {
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        if let LockAttempt::Held(file) = look()? {
            return Ok(Some(file));
        }
        let left = timeout.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        sleep(pause.min(left));
        pause = (pause * 2).min(MAX_PAUSE);
    }
}
