//! Detects whether a file system stores permission bits.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, fchmod, fstat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::Current;
use super::errno::is_unsupported;
use super::files::{create_file, mode_of};
use super::stat::stat_of;
use super::system::System;
use crate::mutex::lock_unpoisoned;
use crate::workspace::{ModeProbe, PROBE_PREFIX};

/// The permission bits of the probe. A file system that does not store bits is unlikely to report
/// them.
const PROBE_BITS: u32 = 0o640;

/// The cached answers, by device.
#[derive(Debug, Default)]
pub(super) struct ModeSupportCache(Mutex<HashMap<u64, bool>>);

impl ModeSupportCache {
    /// Returns whether the file system of `directory` stores permission bits.
    ///
    /// # Security
    ///
    /// The test inspects only a file that it creates itself, through its handle. Files of other
    /// users have no influence.
    pub(super) fn can_store_modes(&self, directory: &OwnedFd, probe: ModeProbe) -> bool {
        let Ok(device) = fstat(directory).map(|found| stat_of(&found).device) else {
            return true;
        };
        if let Some(&known) = lock_unpoisoned(&self.0).get(&device) {
            return known;
        }
        if probe == ModeProbe::Never {
            return true;
        }
        let result = match (probe, test_unnamed(directory)) {
            (ModeProbe::Named, ProbeResult::Unsupported) => test_named(directory),
            (_, result) => result,
        };
        // Cache only facts about the file system: a later probe may be able to create a file.
        match result {
            ProbeResult::Stored(answer) => {
                lock_unpoisoned(&self.0).insert(device, answer);
                answer
            }
            // A file system that stores permission bits usually supports unnamed files. If the
            // system has none, this says nothing, and the bits count.
            ProbeResult::Unsupported => !Current::HAS_UNNAMED_FILES,
            ProbeResult::Failed => true,
        }
    }
}

/// The result of a test with a new file.
enum ProbeResult {
    /// Whether the file accepted permission bits.
    Stored(bool),
    /// The file system does not support unnamed files.
    Unsupported,
    /// The test failed, for example because this user cannot create a file.
    Failed,
}

/// Tests with an unnamed file.
fn test_unnamed(directory: &OwnedFd) -> ProbeResult {
    match Current::create_unnamed(directory) {
        Ok(file) => test_bits(file),
        // The errors that report missing support; see open(2). A kernel without `O_TMPFILE`
        // interprets it as `O_DIRECTORY` and returns EISDIR.
        Err(errno) if is_unsupported(errno) || [Errno::ISDIR, Errno::INVAL].contains(&errno) => {
            ProbeResult::Unsupported
        }
        Err(_) => ProbeResult::Failed,
    }
}

/// Tests with a named file.
fn test_named(directory: &OwnedFd) -> ProbeResult {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!(
        "{PROBE_PREFIX}{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let Ok(file) = create_file(directory, name.as_bytes()) else {
        return ProbeResult::Failed;
    };
    let result = test_bits(file);
    let _ = unlinkat(directory, name.as_bytes(), AtFlags::empty());
    result
}

/// Tests whether `file`, which was just created, accepts permission bits.
fn test_bits(file: impl AsFd) -> ProbeResult {
    match retry_on_intr(|| fchmod(&file, mode_of(PROBE_BITS))) {
        // The file belongs to the owner of the mount, or the file system has no bits.
        Ok(()) | Err(Errno::PERM | Errno::INVAL) => {}
        Err(errno) if is_unsupported(errno) => {}
        // An error of the disk says nothing about the file system.
        Err(_) => return ProbeResult::Failed,
    }
    fstat(&file).map_or(ProbeResult::Failed, |found| {
        ProbeResult::Stored(stat_of(&found).permissions == PROBE_BITS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_probe_is_not_cached() {
        let scratch = tempfile::tempdir().unwrap();
        let removed = scratch.path().join("removed");
        fs_err::create_dir(&removed).unwrap();
        let open = |path: &std::path::Path| OwnedFd::from(std::fs::File::open(path).unwrap());
        let (existing, deleted) = (open(scratch.path()), open(&removed));
        fs_err::remove_dir(&removed).unwrap();
        let cache = ModeSupportCache::default();
        assert!(cache.can_store_modes(&deleted, ModeProbe::Named));
        assert!(lock_unpoisoned(&cache.0).is_empty());
        assert!(cache.can_store_modes(&existing, ModeProbe::Named));
        assert_eq!(lock_unpoisoned(&cache.0).len(), 1);
    }
}
