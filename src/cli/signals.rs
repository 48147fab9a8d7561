//! Signals: handlers that request an interruption or turn a signal into an I/O error.
//!
//! All state is global, because a process has one set of signal handlers.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, Once};
use std::{io, process};

use signal_hook::flag::{register, register_conditional_default, register_usize};
use signal_hook::low_level::{emulate_default_handler, signal_name};

use crate::engine::ignored_signals;
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
/// Whether the command reads the handle, restores what it has changed, and reports the signal.
static COMMAND_HANDLES_SIGNALS: AtomicBool = AtomicBool::new(false);
/// Whether a thread handles signals that the command does not handle.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);
/// Whether a child process, such as a pager, uses the signals of the keyboard.
static HAS_KEYBOARD_CHILD: AtomicBool = AtomicBool::new(false);
/// Whether a signal ends the process by its default action. Computed from the flags above.
static USES_DEFAULT_ACTION: AtomicBool = AtomicBool::new(true);
/// Whether a signal of the keyboard does this. Computed from the flags above.
static KEYBOARD_USES_DEFAULT_ACTION: AtomicBool = AtomicBool::new(true);
/// Set by the first signal after [`end_at_second_signal`].
static ENDS_AT_NEXT_SIGNAL: AtomicBool = AtomicBool::new(false);
/// Held while the flags change, and while a thread ends the process. No transaction can therefore
/// start after a thread has decided to end the process.
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
    register_handlers()?;
    leave_signals_to_command();
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
    change_flags(|| COMMAND_HANDLES_SIGNALS.store(true, Ordering::SeqCst));
}

/// Runs `change`, and computes the actions of the signals from the changed flags.
fn change_flags(change: impl FnOnce()) {
    let _guard = lock_unpoisoned(&LOCK);
    change();
    let is_set = |flag: &AtomicBool| flag.load(Ordering::SeqCst);
    let is_handled = is_set(&COMMAND_HANDLES_SIGNALS) || is_set(&IS_WATCHED);
    USES_DEFAULT_ACTION.store(!is_handled, Ordering::SeqCst);
    let is_of_child = is_set(&HAS_KEYBOARD_CHILD);
    KEYBOARD_USES_DEFAULT_ACTION.store(!is_handled && !is_of_child, Ordering::SeqCst);
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
    register_handlers()?;
    change_flags(|| IS_WATCHED.store(true, Ordering::SeqCst));
    Ok(())
}

/// Lets a signal end the process again, unless the command handles signals.
pub(super) fn stop_watching() {
    change_flags(|| IS_WATCHED.store(false, Ordering::SeqCst));
}

/// Returns whether the command handles signals. Commands that start to do so never stop.
pub(super) fn is_command_handling_signals() -> bool {
    COMMAND_HANDLES_SIGNALS.load(Ordering::SeqCst)
}

/// Lets the second signal from now on end the process. Call this before output: if its reader does
/// not read, the process is blocked, and no code reads the handle. The first signal does not end the
/// output, unless signals use their default action.
pub(super) fn end_at_second_signal() {
    /// With two pairs of handlers, the first signal would end the process.
    static ONCE: Once = Once::new();
    if USES_DEFAULT_ACTION.load(Ordering::SeqCst) {
        return;
    }
    ONCE.call_once(|| {
        for number in signal_numbers(|name| INTERRUPT_SIGNALS.contains(&name)) {
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
    for number in signal_numbers(|name| INTERRUPT_SIGNALS.contains(&name)) {
        // The handlers of a signal run in this order: the default action comes before the number is
        // stored.
        let action = if signal_name(number).is_some_and(|name| KEYBOARD_SIGNALS.contains(&name)) {
            &KEYBOARD_USES_DEFAULT_ACTION
        } else {
            &USES_DEFAULT_ACTION
        };
        register_conditional_default(number, action)?;
        register_usize(
            number,
            INTERRUPT.flag(),
            usize::try_from(number).unwrap_or_default(),
        )?;
    }
    for number in signal_numbers(|name| name == FILE_SIZE_SIGNAL) {
        register(number, &IS_OVER_LIMIT)?;
    }
    *are_installed = true;
    Ok(())
}

/// Returns the numbers of the signals whose names `is_wanted` accepts, without the signals that were
/// ignored when the process started.
fn signal_numbers(is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = i32> {
    (1..SIGNALS_END).filter(move |&number| {
        signal_name(number).is_some_and(&is_wanted) && *IGNORED & (1_u64 << (number - 1)) == 0
    })
}

/// Installs the handlers for a full-screen display, which must restore the terminal before the process
/// ends. SIGQUIT requests an interruption, too, and [`was_continued`] notices SIGCONT.
///
/// # Errors
///
/// Returns the system's error if a handler cannot be installed.
#[cfg(feature = "review")]
pub(super) fn install_display_signals() -> io::Result<()> {
    for number in signal_numbers(|name| name == "SIGQUIT") {
        let value = usize::try_from(number).unwrap_or_default();
        register_usize(number, INTERRUPT.flag(), value)?;
    }
    for number in signal_numbers(|name| name == "SIGCONT") {
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
    change_flags(|| HAS_KEYBOARD_CHILD.store(true, Ordering::SeqCst));
    for number in signal_numbers(|name| KEYBOARD_SIGNALS.contains(&name)) {
        register_conditional_default(number, &KEYBOARD_USES_DEFAULT_ACTION)?;
    }
    Ok(())
}

/// Lets the signals of the keyboard end the process again, after the child process has ended. If the
/// command handles signals, they raise the handle again.
pub(super) fn restore_keyboard_signals() {
    for number in signal_numbers(|name| KEYBOARD_SIGNALS.contains(&name)) {
        // The signal was for the child process.
        let number = usize::try_from(number).unwrap_or_default();
        let flag = INTERRUPT.flag();
        let _ = flag.compare_exchange(number, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
    change_flags(|| HAS_KEYBOARD_CHILD.store(false, Ordering::SeqCst));
}

/// Returns the received signal, unless the command handles signals. The caller must then call
/// [`end_unless_handled`].
pub(super) fn unhandled_signal() -> Option<i32> {
    INTERRUPT
        .signal()
        .filter(|_| !is_command_handling_signals())
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
    register_handlers()?;
    Ok(interrupt())
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
        change_flags(|| COMMAND_HANDLES_SIGNALS.store(*running > 0, Ordering::SeqCst));
    };
    count(|running| running + 1);
    let done = work();
    count(|running| running - 1);
    done
}
