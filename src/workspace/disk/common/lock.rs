//! Waits for locks between processes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::workspace::disk::calls::{LockAttempt, SysResult};
use crate::workspace::disk::system::Handle;

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// Calls `look` with growing pauses until it acquires the lock or `timeout` has elapsed.
pub(super) fn wait(
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
