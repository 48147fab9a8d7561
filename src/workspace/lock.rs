//! A lock that is held until it is dropped.

use std::fmt;

/// A lock that is held until it is dropped.
#[must_use]
pub struct Lock(Box<dyn std::any::Any + Send>);

impl Lock {
    /// Wraps a value whose drop releases the lock.
    pub fn new(guard: impl Send + 'static) -> Self {
        Self(Box::new(guard))
    }
}

impl fmt::Debug for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = &self.0;
        f.write_str("Lock")
    }
}
