//! The report of a signal that arrives before a command has written anything.
//!
//! Until the first transaction, no state has to be restored. The process can therefore end in the
//! middle of any step, for example while it parses a large patch. After that, the engine reads the
//! interrupt and returns the report.

use std::process;
use std::time::Duration;

use super::args::Global;
use super::background::{Background, WorkEnd};
use super::output::{Output, Verbosity};
use super::{EarlyExit, print_outcome, signals};

/// The time between two checks for a signal.
const TICK: Duration = Duration::from_millis(25);
/// The time that the engine has to end by itself and to stop the programs that it has started.
const GRACE: Duration = Duration::from_millis(50);

/// Reports a signal until the result is dropped or the first transaction starts. Returns `None` if
/// the command prints no report or if the process belongs to another program.
pub(super) fn start(global: &Global) -> Option<Background> {
    if !global.has_report() || global.caller.is_library() {
        return None;
    }
    let reported = global.clone();
    let thread = signals::install_report_handlers()
        .ok()
        .and_then(|()| Background::start(move |end| watch(end, &reported)).if_running());
    if thread.is_none() {
        // A signal then ends the process without a report.
        signals::remove_report_handlers();
    }
    thread
}

fn watch(end: &WorkEnd, global: &Global) {
    loop {
        let is_over = end.wait(TICK);
        if signals::unhandled_signal().is_some() {
            end.wait(GRACE);
            signals::end_unless_handled(|signal| report(signal, global));
        }
        if is_over {
            return signals::remove_report_handlers();
        }
    }
}

/// Prints the report and ends the process.
fn report(signal: i32, global: &Global) {
    let outcome = EarlyExit::from_signal(signal).into_outcome(global.command);
    let code = print_outcome(&outcome, &Output::of(global, Verbosity::Normal));
    process::exit(i32::from(code));
}
