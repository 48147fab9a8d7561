//! Signals as wishes to stop, and as errors.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::engine::options::Interrupt;

/// Returns what SIGINT, SIGTERM and SIGHUP ask from now on.
///
/// SIGXFSZ, which a write over the limit of file sizes raises, is caught as well: the write then fails like any
/// other. SIGPIPE needs nothing, since Rust's runtime ignores it.
///
/// # Errors
///
/// Returns the error of the system if it gives no handler.
pub(super) fn watch() -> io::Result<Interrupt> {
    let interrupt = Interrupt::new();
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        flag::register_usize(signal, interrupt.flag(), signal.unsigned_abs() as usize)?;
    }
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(interrupt)
}
