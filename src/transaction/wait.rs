//! Waiting for a lock, which a signal ends.

use std::time::{Duration, Instant};

use super::{Failure, Interrupt};

/// Time to wait for a lock between two checks for signals.
const LOOK: Duration = Duration::from_millis(100);

/// Result of one attempt to take a lock.
pub(super) enum Waited<T> {
    Done(T),
    /// Another process holds it.
    Held,
    /// The attempt is repeated even if no time is left.
    Again,
}

/// Attempts to take a lock until that is done, or for `patience`. Each attempt gets the time for
/// which it may wait.
pub(super) fn wait<T>(
    interrupt: &Interrupt,
    patience: Duration,
    mut attempt: impl FnMut(Duration) -> Result<Waited<T>, Failure>,
) -> Result<T, Failure> {
    let start = Instant::now();
    loop {
        if let Some(signal) = interrupt.signal() {
            return Err(Failure::Interrupted(signal));
        }
        let left = patience.saturating_sub(start.elapsed());
        match attempt(left.min(LOOK))? {
            Waited::Done(done) => return Ok(done),
            Waited::Held if left.is_zero() => return Err(Failure::Locked),
            Waited::Held | Waited::Again => {}
        }
    }
}
