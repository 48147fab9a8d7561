//! Signals: handlers that request an interruption or turn a signal into an I/O error.
//!
//! All state is global, because a process has one set of signal handlers.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, Once};
use std::{io, process};

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
/// The signals that were ignored when the process started, for example by `nohup`. They stay ignored.
static IGNORED: LazyLock<u64> = LazyLock::new(ignored_signals);

/// The handle that the signal handlers raise.
static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::new);
static IS_OVER_LIMIT: AtomicBool = AtomicBool::new(false);
#[cfg(feature = "review")]
static IS_CONTINUED: AtomicBool = AtomicBool::new(false);
/// Whether a signal of the keyboard ends the process. Cleared while a child process, such as a pager,
/// uses these signals, and as soon as the command handles signals.
static KEYBOARD_ENDS_PROCESS: AtomicBool = AtomicBool::new(true);
/// Whether a signal only raises the handle, because the command reads the handle, restores what it
/// has changed, and reports the signal.
static COMMAND_HANDLES_SIGNALS: AtomicBool = AtomicBool::new(false);
/// Whether a thread handles signals that the command does not handle.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);
/// Whether a signal ends the process by its default action: if none of the two flags above is set.
static USES_DEFAULT_ACTION: AtomicBool = AtomicBool::new(true);
/// Set by the first signal after [`end_at_second_signal`].
static ENDS_AT_NEXT_SIGNAL: AtomicBool = AtomicBool::new(false);
/// Held while [`COMMAND_HANDLES_SIGNALS`] or [`IS_WATCHED`] changes, and while a thread ends the
/// process. No transaction can therefore start after a thread has decided to end the process.
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

/// Installs the handlers as [`install_interrupt`] does, but the signals raise the handle only after
/// the start of the first transaction. Before, they end the process, unless a thread handles them.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
pub(super) fn install_transaction_interrupt() -> io::Result<Interrupt> {
    register_handlers()?;
    Ok(interrupt().with_transaction_observer(leave_signals_to_command))
}

/// From now on, a signal raises the handle and does not end the process.
fn leave_signals_to_command() {
    KEYBOARD_ENDS_PROCESS.store(false, Ordering::SeqCst);
    set_flag(&COMMAND_HANDLES_SIGNALS, true);
}

/// Sets one of the two flags from which [`USES_DEFAULT_ACTION`] follows.
fn set_flag(flag: &AtomicBool, value: bool) {
    let _guard = lock_unpoisoned(&LOCK);
    flag.store(value, Ordering::SeqCst);
    let is_handled = [&COMMAND_HANDLES_SIGNALS, &IS_WATCHED]
        .iter()
        .any(|flag| flag.load(Ordering::SeqCst));
    USES_DEFAULT_ACTION.store(!is_handled, Ordering::SeqCst);
}

/// Returns the handle that the signal handlers raise.
pub(super) fn interrupt() -> Interrupt {
    INTERRUPT.clone()
}

/// Installs the handlers for a thread that reads [`unhandled_signal`]. Until [`stop_watching`], no
/// signal ends the process by itself.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
pub(super) fn start_watching() -> io::Result<()> {
    set_flag(&IS_WATCHED, true);
    register_handlers().inspect_err(|_| stop_watching())
}

/// Lets a signal end the process again, unless the command handles signals.
pub(super) fn stop_watching() {
    set_flag(&IS_WATCHED, false);
}

/// Returns whether a signal only raises the handle, for the rest of the command.
pub(super) fn are_left_to_command() -> bool {
    COMMAND_HANDLES_SIGNALS.load(Ordering::SeqCst)
}

/// Lets the second signal from now on end the process, so that output to a pipe that nobody reads
/// cannot block the process for ever. The first signal keeps its action, so the output is complete.
pub(super) fn end_at_second_signal() {
    /// With two pairs of handlers, the first signal would end the process.
    static ONCE: Once = Once::new();
    if USES_DEFAULT_ACTION.load(Ordering::SeqCst) {
        return;
    }
    ONCE.call_once(|| {
        for number in numbers(|name| INTERRUPT_SIGNALS.contains(&name)) {
            // Without these handlers, the process can be blocked, but the output is complete.
            let _ = register_conditional_default(number, &ENDS_AT_NEXT_SIGNAL)
                .and_then(|_| register(number, &ENDS_AT_NEXT_SIGNAL));
        }
    });
}

/// Installs the handlers of all commands. A second call does nothing.
fn register_handlers() -> io::Result<()> {
    static ARE_INSTALLED: Mutex<bool> = Mutex::new(false);
    let mut are_installed = lock_unpoisoned(&ARE_INSTALLED);
    if *are_installed {
        return Ok(());
    }
    for number in numbers(|name| INTERRUPT_SIGNALS.contains(&name)) {
        // The handlers of a signal run in this order: the default action comes before the number is
        // stored.
        register_conditional_default(number, &USES_DEFAULT_ACTION)?;
        register_usize(
            number,
            INTERRUPT.flag(),
            usize::try_from(number).unwrap_or_default(),
        )?;
    }
    for number in numbers(|name| name == FILE_SIZE_SIGNAL) {
        register(number, &IS_OVER_LIMIT)?;
    }
    *are_installed = true;
    Ok(())
}

/// Returns the numbers of the signals whose names `is_wanted` accepts, without the signals that were
/// ignored when the process started.
fn numbers(is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = i32> {
    (1..SIGNALS_END).filter(move |&number| {
        signal_name(number).is_some_and(&is_wanted) && *IGNORED & (1_u64 << (number - 1)) == 0
    })
}

/// Returns the set of the ignored signals, with bit n - 1 for the signal n. Only Linux shows it to
/// code that is not unsafe, as `SigIgn`; see `proc_pid_status(5)`. Elsewhere, returns an empty set.
fn ignored_signals() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .unwrap_or_default()
}

/// Installs the handlers for a full-screen display, which must restore the terminal before the process
/// ends. SIGQUIT requests an interruption, too, and [`was_continued`] notices SIGCONT.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
#[cfg(feature = "review")]
pub(super) fn install_display_signals() -> io::Result<()> {
    for number in numbers(|name| name == "SIGQUIT") {
        let value = usize::try_from(number).unwrap_or_default();
        register_usize(number, INTERRUPT.flag(), value)?;
    }
    for number in numbers(|name| name == "SIGCONT") {
        register(number, &IS_CONTINUED)?;
    }
    Ok(())
}

/// Returns whether the process was stopped and continued since the last call.
#[cfg(feature = "review")]
pub(super) fn was_continued() -> bool {
    IS_CONTINUED.swap(false, Ordering::SeqCst)
}

/// Installs handlers that ignore the signals of the keyboard until [`restore_keyboard_signals`].
///
/// The terminal also sends these signals to the child process, which can use them without ending.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
pub(super) fn ignore_keyboard_signals() -> io::Result<()> {
    KEYBOARD_ENDS_PROCESS.store(false, Ordering::SeqCst);
    for number in numbers(|name| KEYBOARD_SIGNALS.contains(&name)) {
        register_conditional_default(number, &KEYBOARD_ENDS_PROCESS)?;
    }
    Ok(())
}

/// Lets the signals of the keyboard end the process again, after the child process has ended. If the
/// command handles signals, they raise the handle again.
pub(super) fn restore_keyboard_signals() {
    for number in numbers(|name| KEYBOARD_SIGNALS.contains(&name)) {
        // The signal was for the child process.
        let number = usize::try_from(number).unwrap_or_default();
        let flag = INTERRUPT.flag();
        let _ = flag.compare_exchange(number, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
    if !COMMAND_HANDLES_SIGNALS.load(Ordering::SeqCst) {
        KEYBOARD_ENDS_PROCESS.store(true, Ordering::SeqCst);
    }
}

/// Returns the received signal, unless the command handles signals. The caller must then call
/// [`end_unless_handled`].
pub(super) fn unhandled_signal() -> Option<i32> {
    INTERRUPT.signal().filter(|_| !are_left_to_command())
}

/// Calls `end` if a signal was received that the command does not handle. Until `end` has ended the
/// process, no transaction can start.
pub(super) fn end_unless_handled(end: impl FnOnce(i32) -> Infallible) {
    let _guard = lock_unpoisoned(&LOCK);
    if let Some(signal) = unhandled_signal() {
        end(signal);
    }
}

/// Ends the process with the default action of `signal`.
pub(super) fn end_process(signal: i32) -> Infallible {
    // This fails only for signals that have no handler here.
    let _ = emulate_default_handler(signal);
    process::exit(128 + signal)
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
    USES_DEFAULT_ACTION.store(true, Ordering::SeqCst);
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
        USES_DEFAULT_ACTION.store(*running == 0, Ordering::SeqCst);
    };
    count(|running| running + 1);
    let done = work();
    count(|running| running - 1);
    done
}
