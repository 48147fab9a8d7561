//! Signals as wishes to stop, and as errors.

use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::flag::{register, register_conditional_default, register_usize};
use signal_hook::low_level::{emulate_default_handler, signal_name};

use crate::engine::options::Interrupt;

/// The signals that ask to stop. By name, because not every system has all of them.
const WISHES: [&str; 3] = ["SIGHUP", "SIGINT", "SIGTERM"];
/// The signal of a write over the limit of file sizes: with any handler, the write fails like any
/// other.
const LIMIT: &str = "SIGXFSZ";
/// Numbers of the signals of POSIX are below it on every system.
const END: i32 = 32;

/// A process has one set of handlers.
static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::new);
static IS_OVER_LIMIT: AtomicBool = AtomicBool::new(false);
/// Whether the run looks for the signals that ask to stop.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);
/// Whether nothing is in the making, so that a signal may end the process at once.
static IS_IDLE: AtomicBool = AtomicBool::new(false);

/// Returns what SIGINT, SIGTERM and SIGHUP ask from now on.
///
/// The handlers store a number and need no thread. SIGPIPE needs nothing, since Rust's runtime
/// ignores it.
///
/// # Errors
///
/// Returns the error of the system if it takes no handler.
pub(super) fn watch() -> io::Result<Interrupt> {
    IS_WATCHED.store(true, Ordering::SeqCst);
    note()?;
    Ok(interrupt())
}

/// Returns the signal that asked to stop, if one was noted.
pub(super) fn wish() -> Option<i32> {
    INTERRUPT.signal()
}

/// Returns the handle that a noted signal raises.
pub(super) fn interrupt() -> Interrupt {
    INTERRUPT.clone()
}

/// Notes the signals from now on, which end the process no more.
///
/// # Errors
///
/// Returns the error of the system if it takes no handler.
pub(super) fn note() -> io::Result<()> {
    for (number, name) in (1..END).filter_map(|number| Some((number, signal_name(number)?))) {
        if WISHES.contains(&name) {
            register_usize(
                number,
                INTERRUPT.flag(),
                usize::try_from(number).unwrap_or_default(),
            )?;
        } else if name == LIMIT {
            register(number, &IS_OVER_LIMIT)?;
        }
    }
    Ok(())
}

/// Returns the signal that was noted and that nobody heeds: it has to end the process.
pub(super) fn unheeded() -> Option<i32> {
    INTERRUPT
        .signal()
        .filter(|_| !IS_WATCHED.load(Ordering::SeqCst))
}

/// Ends the process as `signal` does that nobody notes.
pub(super) fn end_by(signal: i32) {
    // It fails for no signal that can be noted.
    let _ = emulate_default_handler(signal);
}

/// Returns what the signals ask that come while [`at_work`]; at any other time they end the
/// process.
///
/// # Errors
///
/// Returns the error of the system if it takes no handler.
pub(super) fn watch_work() -> io::Result<Interrupt> {
    IS_IDLE.store(true, Ordering::SeqCst);
    for number in
        (1..END).filter(|&number| signal_name(number).is_some_and(|name| WISHES.contains(&name)))
    {
        register_conditional_default(number, &IS_IDLE)?;
    }
    watch()
}

/// Does what no signal may break off.
pub(super) fn at_work<T>(work: impl FnOnce() -> T) -> T {
    IS_IDLE.store(false, Ordering::SeqCst);
    let done = work();
    IS_IDLE.store(true, Ordering::SeqCst);
    done
}
