//! A held lock.

use std::fmt;

/// A held lock.
#[must_use]
pub struct Lock(Box<dyn std::any::Any + Send>);

impl Lock {
    /// Wraps what has to be dropped to give the lock back.
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
