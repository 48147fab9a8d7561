//! The lock between processes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, FlockOperation, OFlags, flock, fstat, statat};
use rustix::io::{Errno, retry_on_intr};

use super::attributes::set_bits;
use super::contents::{not_regular, open_regular};
use super::fault::{Attempt, Trouble};
use super::handle::open_directory;
use super::stat::stat_of;
use crate::mode::FileKind;
use crate::workspace::{Fault, Stat};

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Permission bits of the file.
const PRIVATE: u32 = 0o600;

/// What came of one look at the lock.
pub(super) enum Look {
    /// It is ours.
    Held(OwnedFd),
    /// Somebody else has it.
    Busy,
    /// It was removed, or another put in its place, before the lock was ours: it locks nothing.
    Gone,
}

/// Opens the file `name`, making it if needed, and tries to lock it.
pub(super) fn try_lock(directory: impl AsFd, name: &[u8]) -> Attempt<Look> {
    let file = open_regular(&directory, name, OFlags::RDWR | OFlags::CREATE)?;
    let ours = stat_of(&fstat(&file)?);
    if ours.kind != FileKind::Regular {
        return Err(not_regular());
    }
    if ours.permissions & PRIVATE != PRIVATE {
        // The umask took it away, and then the next process could not open it.
        set_bits(&file, PRIVATE)?;
    }
    claim(file, &ours, &directory, name)
}

/// Opens the directory `name` and tries to lock it.
pub(super) fn try_lock_dir(above: impl AsFd, name: &[u8]) -> Attempt<Look> {
    let opened = open_directory(&above, name, OFlags::RDONLY)?;
    let ours = stat_of(&fstat(&opened)?);
    claim(opened, &ours, &above, name).map_err(|trouble| {
        match Errno::from_io_error(&trouble.source) {
            Some(errno @ (Errno::BADF | Errno::NOTSUP | Errno::NOLCK)) => {
                Trouble::new(Fault::Unsupported, errno)
            }
            _ => trouble,
        }
    })
}

/// Locks what was opened as `name`, and looks whether it still is that.
fn claim(opened: OwnedFd, ours: &Stat, above: impl AsFd, name: &[u8]) -> Attempt<Look> {
    match retry_on_intr(|| flock(&opened, FlockOperation::NonBlockingLockExclusive)) {
        Err(Errno::WOULDBLOCK) => return Ok(Look::Busy),
        result => result?,
    }
    match statat(&above, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) if (found.st_dev, found.st_ino) == (ours.device, ours.inode) => {
            Ok(Look::Held(opened))
        }
        Ok(_) | Err(Errno::NOENT) => Ok(Look::Gone),
        Err(errno) => Err(errno.into()),
    }
}

/// Calls `look` with growing pauses until it finds the lock free, or `patience` is over.
pub(super) fn wait(
    patience: Duration,
    mut look: impl FnMut() -> Attempt<Look>,
) -> Attempt<Option<OwnedFd>> {
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        if let Look::Held(file) = look()? {
            return Ok(Some(file));
        }
        let left = patience.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        sleep(pause.min(left));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
