//! Waits for locks between processes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::Disk;
use crate::path::RelPath;
use crate::workspace::disk::calls::{LockAttempt, SysResult};
use crate::workspace::disk::system::Handle;
use crate::workspace::{Lock, Result};

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(50);

impl Disk {
    /// Tries to lock the file or directory `path` until this succeeds or `patience` has elapsed.
    pub(super) fn wait_for_lock(
        &self,
        path: &RelPath,
        patience: Duration,
        try_lock: impl Fn(&Handle, &[u8]) -> SysResult<LockAttempt<Handle>>,
    ) -> Result<Option<Lock>> {
        self.run_verb("lock", Some(path), || {
            let look = || {
                // Resolve the directory again each time: the process that holds the lock may remove
                // it when it finishes, and another process may create it again.
                self.close_handles();
                let (directory, name) = self.parents.parent_and_name(path)?;
                try_lock(&directory, name)
            };
            Ok(wait(patience, look)?.map(Lock::new))
        })
    }
}

/// Calls `look` with growing pauses until it acquires the lock or `timeout` has elapsed.
fn wait(
    timeout: Duration,
    mut look: impl FnMut() -> SysResult<LockAttempt<Handle>>,
) -> SysResult<Option<Handle>> {
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
