//! Waits for a lock with a time limit. A signal ends the wait.

use std::time::{Duration, Instant};

use super::failure::check_interrupt;
use super::{Failure, Interrupt};

/// The time between two checks for signals.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The result of one attempt to take a lock.
pub(super) enum LockWaitResult<T> {
    /// The attempt succeeded.
    Done(T),
    /// Another process holds the lock.
    Held,
    /// The attempt must be repeated, even if the time is over.
    Retry,
}

/// Repeats `attempt` until it succeeds, but at most for `timeout`. Each attempt receives the time
/// that it may wait. Nothing is written without the lock, so the first attempt is the start of the
/// transaction.
pub(super) fn wait_for_lock<T>(
    interrupt: &Interrupt,
    timeout: Duration,
    mut attempt: impl FnMut(Duration) -> Result<LockWaitResult<T>, Failure>,
) -> Result<T, Failure> {
    interrupt.notify_transaction_start();
    let start = Instant::now();
    loop {
        check_interrupt(interrupt)?;
        let left = timeout.saturating_sub(start.elapsed());
        match attempt(left.min(SIGNAL_CHECK_INTERVAL))? {
            LockWaitResult::Done(done) => return Ok(done),
            LockWaitResult::Held if left.is_zero() => return Err(Failure::Locked),
            LockWaitResult::Held | LockWaitResult::Retry => {}
        }
    }
}
