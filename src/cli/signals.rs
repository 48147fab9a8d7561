//! Signals: handlers that request an interruption or turn a signal into an I/O error.
//!
//! All state is global, because a process has one set of signal handlers.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};

use signal_hook::flag::{register, register_conditional_default, register_usize};
use signal_hook::low_level::{emulate_default_handler, signal_name};

use crate::engine::options::Interrupt;
use crate::mutex::lock_unpoisoned;

/// The signals that request an interruption. They are looked up by name, because some systems lack
/// some of them.
const INTERRUPT_SIGNALS: [&str; 3] = ["SIGHUP", "SIGINT", "SIGTERM"];
/// The signals of the keys that end the processes of a terminal.
const KEYBOARD_SIGNALS: [&str; 2] = ["SIGINT", "SIGQUIT"];
/// The signal for a write over the file size limit. With any handler installed, the write fails
/// with `EFBIG` instead; see setrlimit(2).
const FILE_SIZE_SIGNAL: &str = "SIGXFSZ";
/// An upper bound of the numbers of POSIX signals on every system.
const SIGNALS_END: i32 = 32;

/// The handle that the signal handlers raise.
static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::new);
static IS_OVER_LIMIT: AtomicBool = AtomicBool::new(false);
#[cfg(feature = "review")]
static IS_CONTINUED: AtomicBool = AtomicBool::new(false);
/// Whether no child process receives the signals of the keyboard, so that they end the process.
static HAS_NO_CHILD: AtomicBool = AtomicBool::new(true);
/// Whether a signal must only raise the handle, because the command can have written files.
static HAS_INTERRUPT_READER: AtomicBool = AtomicBool::new(false);
/// Whether a thread that displays the progress ends the process after a signal.
static HAS_DISPLAY: AtomicBool = AtomicBool::new(false);
/// Whether a thread prints the report of a signal and ends the process.
static HAS_REPORTER: AtomicBool = AtomicBool::new(false);
/// Whether a signal ends the process at once.
static IS_IDLE: AtomicBool = AtomicBool::new(false);
/// Held while these flags are set, and while a thread ends the process.
static LOCK: Mutex<()> = Mutex::new(());

/// Installs the handlers and returns the handle that SIGINT, SIGTERM and SIGHUP raise.
///
/// The handlers only store a number and need no thread. SIGPIPE needs no handler, because Rust's
/// runtime ignores it.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
pub(super) fn install_interrupt() -> io::Result<Interrupt> {
    leave_signals_to_command();
    register_handlers()?;
    Ok(interrupt())
}

/// Installs the handlers as [`install_interrupt`] does, but a signal before the first transaction
/// ends the process at once.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
pub(super) fn install_transaction_interrupt() -> io::Result<Interrupt> {
    update_idle(|| ());
    register_handlers()?;
    Ok(interrupt().with_transaction_observer(leave_signals_to_command))
}

/// From now on, a signal raises the handle and does not end the process.
fn leave_signals_to_command() {
    // [`ignore_keyboard_signals`] leaves handlers that end the process while this is set.
    HAS_NO_CHILD.store(false, Ordering::SeqCst);
    update_idle(|| HAS_INTERRUPT_READER.store(true, Ordering::SeqCst));
}

/// Runs `change`, which sets flags, and computes [`IS_IDLE`] from them.
fn update_idle(change: impl FnOnce()) {
    let _guard = lock_unpoisoned(&LOCK);
    change();
    let is_handled = [&HAS_INTERRUPT_READER, &HAS_DISPLAY, &HAS_REPORTER]
        .iter()
        .any(|flag| flag.load(Ordering::SeqCst));
    IS_IDLE.store(!is_handled, Ordering::SeqCst);
}

/// Returns the handle that the signal handlers raise.
pub(super) fn interrupt() -> Interrupt {
    INTERRUPT.clone()
}

/// Installs the handlers for the display of the progress. Until [`restore_default_actions`], these
/// signals do not end the process by themselves.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
pub(super) fn install_progress_handlers() -> io::Result<()> {
    update_idle(|| HAS_DISPLAY.store(true, Ordering::SeqCst));
    register_handlers()
}

/// Installs the handlers for a thread that reports signals. Until [`remove_report_handlers`], these
/// signals do not end the process by themselves.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
pub(super) fn install_report_handlers() -> io::Result<()> {
    update_idle(|| HAS_REPORTER.store(true, Ordering::SeqCst));
    register_handlers()
}

/// Lets the signals of [`install_report_handlers`] end the process again, unless they only raise the
/// handle.
pub(super) fn remove_report_handlers() {
    update_idle(|| HAS_REPORTER.store(false, Ordering::SeqCst));
}

/// Returns whether a thread reports signals.
pub(super) fn are_reported() -> bool {
    HAS_REPORTER.load(Ordering::SeqCst)
}

fn register_handlers() -> io::Result<()> {
    for (number, name) in (1..SIGNALS_END).filter_map(|number| Some((number, signal_name(number)?)))
    {
        if INTERRUPT_SIGNALS.contains(&name) {
            // The handlers of a signal run in this order: an idle process ends before it stores
            // the number.
            register_conditional_default(number, &IS_IDLE)?;
            register_usize(
                number,
                INTERRUPT.flag(),
                usize::try_from(number).unwrap_or_default(),
            )?;
        } else if name == FILE_SIZE_SIGNAL {
            register(number, &IS_OVER_LIMIT)?;
        }
    }
    Ok(())
}

/// Installs the handlers for a full-screen display, which must restore the terminal before the process
/// ends. SIGQUIT requests an interruption, too, and [`was_continued`] notices SIGCONT.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
#[cfg(feature = "review")]
pub(super) fn install_display_signals() -> io::Result<()> {
    for (number, name) in (1..SIGNALS_END).filter_map(|number| Some((number, signal_name(number)?)))
    {
        if name == "SIGQUIT" {
            let value = usize::try_from(number).unwrap_or_default();
            register_usize(number, INTERRUPT.flag(), value)?;
        } else if name == "SIGCONT" {
            register(number, &IS_CONTINUED)?;
        }
    }
    Ok(())
}

/// Returns whether the process was stopped and continued since the last call.
#[cfg(feature = "review")]
pub(super) fn was_continued() -> bool {
    IS_CONTINUED.swap(false, Ordering::SeqCst)
}

/// Lets the signals of [`install_progress_handlers`] end the process again, unless they only raise
/// the handle.
pub(super) fn restore_default_actions() {
    update_idle(|| HAS_DISPLAY.store(false, Ordering::SeqCst));
}

/// Installs handlers that ignore the signals of the keyboard until [`restore_keyboard_signals`].
///
/// The terminal also sends these signals to the child process, which can use them without ending.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
pub(super) fn ignore_keyboard_signals() -> io::Result<()> {
    HAS_NO_CHILD.store(false, Ordering::SeqCst);
    for number in (1..SIGNALS_END).filter(|&number| is_of_keyboard(number)) {
        register_conditional_default(number, &HAS_NO_CHILD)?;
    }
    Ok(())
}

/// Lets the signals of the keyboard end the process again, after the child process has ended. If the
/// command reads the interrupt, they raise it again.
pub(super) fn restore_keyboard_signals() {
    for number in (1..SIGNALS_END).filter(|&number| is_of_keyboard(number)) {
        // The signal was for the child process.
        let number = usize::try_from(number).unwrap_or_default();
        let flag = INTERRUPT.flag();
        let _ = flag.compare_exchange(number, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
    if !HAS_INTERRUPT_READER.load(Ordering::SeqCst) {
        HAS_NO_CHILD.store(true, Ordering::SeqCst);
    }
}

fn is_of_keyboard(number: i32) -> bool {
    signal_name(number).is_some_and(|name| KEYBOARD_SIGNALS.contains(&name))
}

/// Returns the received signal if the command does not read the interrupt. The caller must then call
/// [`end_unless_handled`].
pub(super) fn unhandled_signal() -> Option<i32> {
    INTERRUPT
        .signal()
        .filter(|_| !HAS_INTERRUPT_READER.load(Ordering::SeqCst))
}

/// Calls `end`, which must end the process, if a signal was received that the command does not read.
/// Until `end` returns, no transaction can start.
pub(super) fn end_unless_handled(end: impl FnOnce(i32)) {
    let _guard = lock_unpoisoned(&LOCK);
    if let Some(signal) = unhandled_signal() {
        end(signal);
    }
}

/// Ends the process with the default action of `signal`.
pub(super) fn end_process(signal: i32) {
    // This fails only for signals that have no handler here.
    let _ = emulate_default_handler(signal);
}

/// Installs handlers that raise the handle during [`defer_signals`]. At any other time the signals
/// end the process.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
#[cfg(feature = "mcp")]
pub(super) fn install_deferred_interrupt() -> io::Result<Interrupt> {
    let interrupt = install_interrupt()?;
    IS_IDLE.store(true, Ordering::SeqCst);
    Ok(interrupt)
}

/// Runs `work`. A signal does not end the process before `work` returns; it raises the handle.
/// Several threads can call this function at the same time.
#[cfg(feature = "mcp")]
pub(super) fn defer_signals<T>(work: impl FnOnce() -> T) -> T {
    /// The number of threads that run `work`.
    static RUNNING: Mutex<usize> = Mutex::new(0);
    let count = |change: fn(usize) -> usize| {
        let mut running = lock_unpoisoned(&RUNNING);
        *running = change(*running);
        IS_IDLE.store(*running == 0, Ordering::SeqCst);
    };
    count(|running| running + 1);
    let done = work();
    count(|running| running - 1);
    done
}
