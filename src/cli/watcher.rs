//! A thread that shows the progress of a command, and ends the process after a signal.
//!
//! Before the first transaction, no state has to be restored. A signal can therefore end the process
//! in the middle of any step, for example while a large patch is parsed. The first transaction starts
//! when the command first waits for the lock of the state directory. From then on, the engine reads
//! the interrupt and returns the report.

use std::convert::Infallible;
use std::process;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::args::Global;
use super::output::{Output, Verbosity};
use super::progress::{Line, is_line_wanted};
use super::{EarlyExit, print_report, signals};
use crate::engine::options::Progress;

/// The time between two checks for a signal.
const TICK: Duration = Duration::from_millis(25);
/// The number of ticks until the line appears: one second. Shorter commands show no line.
const TICKS_BEFORE_LINE: usize = 40;
/// The number of ticks between two updates of the line: 0.1 seconds.
const TICKS_PER_UPDATE: usize = 4;
/// The time after a signal in which the engine kills the git processes that it has started; the
/// function that waits for them reads the interrupt at least every 20 ms. The engine can be in a step
/// that does not read it, so its own report is not awaited. The sum of [`TICK`] and this time must be
/// less than the 0.2 seconds in docs/reference/exit-codes.md.
const CLEANUP_TIME: Duration = Duration::from_millis(50);

/// Runs `work` and shows its progress on standard error. If the command prints a report, a signal
/// before the first transaction ends the process with the report `interrupted`.
///
/// The line is removed before this function returns. `work` must not print, because another thread
/// can print the line and the report at any time.
pub(super) fn run<T>(
    command: &'static str,
    global: &Global,
    work: impl FnOnce(Progress) -> T,
) -> T {
    let is_reported = global.has_report() && !global.caller.is_library();
    run_watched(global, is_reported.then_some(command), work)
}

/// Does the same as [`run`] for a command that reports signals itself. `work` can print to standard
/// output, but not to standard error, where the line is.
pub(super) fn show_progress<T>(global: &Global, work: impl FnOnce(Progress) -> T) -> T {
    run_watched(global, None, work)
}

fn run_watched<T>(
    global: &Global,
    report: Option<&'static str>,
    work: impl FnOnce(Progress) -> T,
) -> T {
    let is_shown = is_line_wanted(global);
    if !is_shown && report.is_none() {
        return work(Progress::default());
    }
    let progress = if is_shown {
        Progress::with_state()
    } else {
        Progress::default()
    };
    let watcher = Watcher {
        line: is_shown.then(|| Line::on_stderr(progress.clone())),
        report: report.map(|command| (command, global)),
    };
    if report.is_some() {
        // Without handlers, a signal ends the process without a report.
        let _ = signals::start_watching();
    }
    thread::scope(|scope| {
        let (work_end, receiver) = mpsc::channel();
        let thread = thread::Builder::new().spawn_scoped(scope, move || watcher.watch(&receiver));
        if thread.is_err() {
            signals::stop_watching();
        }
        let done = work(progress);
        drop(work_end);
        // A panic of the thread does not fail the command.
        let _ = thread.map(thread::ScopedJoinHandle::join);
        done
    })
}

struct Watcher<'a> {
    line: Option<Line>,
    /// The name of the command in the report, and the options of the report. `None` if the command
    /// prints no report, or reports signals itself.
    report: Option<(&'static str, &'a Global)>,
}

impl Watcher<'_> {
    /// Watches until `work_end` is disconnected.
    fn watch(mut self, work_end: &Receiver<Infallible>) {
        for tick in 0.. {
            let is_over = is_over_after(TICK, work_end);
            if is_over {
                self.stop();
            } else if tick >= TICKS_BEFORE_LINE && tick % TICKS_PER_UPDATE == 0 {
                self.update_line();
            }
            if signals::unhandled_signal().is_some() {
                self.end_process(work_end);
            }
            if is_over || self.line.is_none() && signals::is_command_handling_signals() {
                return;
            }
        }
    }

    fn stop(&mut self) {
        self.line = None;
        // Without a report, a signal can cut off the output that follows, so restore the default
        // action. A report must be complete.
        if self.report.is_none() {
            signals::stop_watching();
        }
    }

    fn update_line(&self) {
        if let Some(line) = &self.line {
            // The default action of a signal would leave the line on the terminal. Without handlers,
            // a signal still ends the process.
            let _ = signals::start_watching();
            line.update();
        }
    }

    /// Ends the process after a signal, unless the first transaction has started in the meantime. The
    /// line of a rollback is then not shown.
    fn end_process(&mut self, work_end: &Receiver<Infallible>) {
        self.line = None;
        if self.report.is_some() {
            is_over_after(CLEANUP_TIME, work_end);
        }
        signals::end_unless_handled(|signal| match self.report {
            Some((command, global)) => report(signal, command, global),
            None => signals::end_process(signal),
        });
    }
}

/// Waits until `work_end` is disconnected, or for `time`. Returns whether it is disconnected.
fn is_over_after(time: Duration, work_end: &Receiver<Infallible>) -> bool {
    matches!(
        work_end.recv_timeout(time),
        Err(RecvTimeoutError::Disconnected)
    )
}

/// Prints the report of `signal` and ends the process.
fn report(signal: i32, command: &'static str, global: &Global) -> Infallible {
    let outcome = EarlyExit::from_signal(signal).into_outcome(command);
    let code = print_report(&outcome, &Output::of(global, Verbosity::Normal));
    process::exit(i32::from(code))
}
