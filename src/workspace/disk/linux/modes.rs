//! Whether a file system keeps permission bits.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, fstat, openat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::contents::make_file;
use super::stat::stat_of;
use crate::mutex::locked;
use crate::workspace::{PROBE, Probe};

/// Bits that no file system shows unless they were set: a mask of a mount gives the group all or
/// nothing to execute.
const UNUSUAL: u32 = 0o640;

/// The answers, by device.
#[derive(Debug, Default)]
pub(super) struct Modes(Mutex<HashMap<u64, bool>>);

impl Modes {
    /// Returns whether the file system of `directory` keeps permission bits.
    ///
    /// # Security
    ///
    /// Only the file that is made here is looked at, by its handle: files that other users put
    /// there say nothing.
    pub(super) fn are_kept_in(&self, directory: &OwnedFd, probe: Probe) -> bool {
        let Ok(device) = fstat(directory).map(|found| stat_of(&found).device) else {
            return true;
        };
        if let Some(&known) = locked(&self.0).get(&device) {
            return known;
        }
        if probe == Probe::Never {
            return true;
        }
        let answer = match (probe, unnamed(directory)) {
            (_, Some(answer)) => answer,
            (Probe::Named, None) => named(directory),
            // Nothing is written only to look: the answer counts for now.
            (_, None) => return false,
        };
        locked(&self.0).insert(device, answer);
        answer
    }
}

/// Tries with a file that has no name; `None` if the file system has no such files.
fn unnamed(directory: &OwnedFd) -> Option<bool> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match retry_on_intr(|| openat(directory, ".", flags, Mode::from_raw_mode(0o600))) {
        Ok(file) => Some(takes_bits(file)),
        // See open(2); a kernel without the flag takes it for O_DIRECTORY.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOSYS | Errno::INVAL) => None,
        Err(_) => Some(true),
    }
}

/// Tries with a file that has a name. Where none can be made, nothing is said against the bits that
/// are seen.
fn named(directory: &OwnedFd) -> bool {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!(
        "{PROBE}{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let Ok(file) = make_file(directory, name.as_bytes()) else {
        return true;
    };
    let answer = takes_bits(file);
    let _ = unlinkat(directory, name.as_bytes(), AtFlags::empty());
    answer
}

/// Returns whether `file`, which was just made, has the bits that are set.
fn takes_bits(file: impl AsFd) -> bool {
    // A file that belongs to the owner of the mount, and not to its maker, refuses.
    let _ = retry_on_intr(|| fchmod(&file, Mode::from_raw_mode(UNUSUAL)));
    fstat(&file).map_or(true, |found| stat_of(&found).permissions == UNUSUAL)
}
