//! Signals as wishes to stop, and as errors.

use std::io;
use std::sync::Arc;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::engine::options::Interrupt;

/// Returns what SIGINT, SIGTERM and SIGHUP ask from now on.
///
/// SIGXFSZ, which a write over the limit of file sizes raises, is caught as well: the write then fails like any
/// other. SIGPIPE needs nothing, since Rust's runtime ignores it.
///
/// # Errors
///
/// Returns the error of the system if it gives no handler or no thread.
pub(super) fn watch() -> io::Result<Arc<Interrupt>> {
    let interrupt = Arc::new(Interrupt::new());
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGXFSZ])?;
    let raised = Arc::clone(&interrupt);
    let watch = move || {
        for signal in signals.forever().filter(|&signal| signal != SIGXFSZ) {
            raised.raise(signal);
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(watch)?;
    Ok(interrupt)
}
