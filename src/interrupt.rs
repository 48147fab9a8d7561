//! The handle that cancels a request: a handler of signals can raise it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The handle for requests that no signal cancels.
pub(crate) static NEVER: Interrupt = Interrupt::new();

/// A signal that asks to stop. It is read between two steps; before the commit record it means roll back.
#[derive(Debug, Default)]
pub struct Interrupt(AtomicUsize);

impl Interrupt {
    /// Returns one that nothing has asked for.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Asks to stop because of `signal`.
    pub fn raise(&self, signal: i32) {
        self.0.store(usize::try_from(signal).unwrap_or_default(), Ordering::Relaxed);
    }

    /// Returns the signal that asked to stop.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        i32::try_from(self.0.load(Ordering::Relaxed)).ok().filter(|&signal| signal != 0)
    }

    /// Returns where the number of the signal stands, 0 for none: a handler of signals may do no more than store
    /// a number.
    #[must_use]
    pub fn flag(&self) -> &AtomicUsize {
        &self.0
    }
}
