//! The progress line on a terminal. It is visible only while nothing else is printed.

use std::env;
use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::Global;
use super::background::{Background, WorkEnd};
use super::{signal_report, signals};
use crate::engine::options::{Phase, Progress, ProgressState};

/// The time after which the line appears. Shorter commands show no line.
const DELAY: Duration = Duration::from_secs(1);
/// The time between two updates of the line.
const TICK: Duration = Duration::from_millis(100);

/// Runs `work` and shows its progress on standard error. The line is removed before this function
/// returns. If the command prints a report, a signal before the first transaction is reported.
/// `work` must not print.
pub(super) fn show_progress<T>(global: &Global, work: impl FnOnce(Progress) -> T) -> T {
    let _reporting = signal_report::start(global);
    if !is_wanted(global) {
        return work(Progress::default());
    }
    let progress = Progress::with_state();
    let _drawing = start(progress.clone(), ProgressDrawTarget::stderr(), DELAY);
    work(progress)
}

/// Returns whether standard error is a terminal that can redraw a line, outside CI.
fn is_wanted(global: &Global) -> bool {
    !global.quiet
        && io::stderr().is_terminal()
        && env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb")
        && env::var_os("CI").is_none_or(|value| value.is_empty())
}

/// Draws the line on `target` after `delay`. Dropping the result removes the line.
fn start(progress: Progress, target: ProgressDrawTarget, delay: Duration) -> Background {
    Background::start(move |end| {
        if !end.wait(delay) {
            draw(&progress, target, end);
        }
    })
}

fn draw(progress: &Progress, target: ProgressDrawTarget, end: &WorkEnd) {
    // The default action of a signal would leave the line on the terminal, so catch the signals.
    // Without handlers, a signal still ends the process.
    let _ = signals::install_progress_handlers();
    let line = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        line.set_style(style.tick_chars("|/-\\ "));
    }
    loop {
        if let Some(words) = describe_state(progress.state()) {
            line.set_message(words);
            line.tick();
        }
        if end.wait(TICK) || signals::unhandled_signal().is_some() {
            line.finish_and_clear();
            // From here on, a signal ends the process. One that arrived before must not be lost.
            signals::restore_default_actions();
            if !signals::are_reported() {
                signals::end_unless_handled(signals::end_process);
            }
            return;
        }
    }
}

/// Returns the text for `state`. It contains no file names, so nothing needs escaping.
pub(super) fn describe_state(state: ProgressState) -> Option<String> {
    let ProgressState { phase, done, total } = state;
    let what = match phase {
        Phase::NotStarted => return None,
        Phase::Reading => "reading the patch",
        Phase::Waiting => "waiting for the lock",
        Phase::Resolving => "reading files",
        Phase::Swapping => "putting files in place",
        Phase::Syncing => "syncing",
        Phase::RollingBack => "rolling back",
        Phase::Sweeping => "cleaning up",
        Phase::RunningBefore => "running --before",
        Phase::Verifying => "running --verify",
        Phase::RunningAfter => "running --after",
        Phase::WaitingForServers => "asking language servers",
        Phase::RunningJobs => return Some(format!("checking, {done} jobs done")),
    };
    Some(if total > 0 {
        format!("{what} {}/{total}", done.min(total))
    } else {
        what.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal that records its output.
    #[derive(Debug)]
    struct Recorder {
        written: Arc<Mutex<String>>,
        flushed: Sender<()>,
    }

    impl Recorder {
        fn target() -> (ProgressDrawTarget, Arc<Mutex<String>>, Receiver<()>) {
            let (flushed, receiver) = channel();
            let written: Arc<Mutex<String>> = Arc::default();
            let recorder = Self {
                written: Arc::clone(&written),
                flushed,
            };
            (
                ProgressDrawTarget::term_like(Box::new(recorder)),
                written,
                receiver,
            )
        }

        fn note(&self, text: &str) {
            self.written.lock().unwrap().push_str(text);
        }
    }

    impl TermLike for Recorder {
        fn width(&self) -> u16 {
            30
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.note(text);
            self.note("\n");
            Ok(())
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.note(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            self.note("<clear>");
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            // The test may have dropped the receiver.
            let _ = self.flushed.send(());
            Ok(())
        }
    }

    #[test]
    fn the_line_says_how_far_it_is_and_goes() {
        let (target, written, flushed) = Recorder::target();
        let progress = Progress::with_state();
        progress.enter(Phase::Resolving, 400);
        progress.step(3);
        let drawing = start(progress, target, Duration::ZERO);
        flushed.recv().unwrap();
        assert!(
            written.lock().unwrap().contains(" reading files 3/400"),
            "{written:?}"
        );
        drop(drawing);
        let written = written.lock().unwrap();
        let (_, last) = written.rsplit_once("<clear>").unwrap();
        assert!(!last.contains("reading"), "{written}");
    }

    #[test]
    fn what_is_over_before_the_delay_is_not_shown() {
        let (target, written, _flushed) = Recorder::target();
        let progress = Progress::with_state();
        progress.enter(Phase::Reading, 0);
        drop(start(progress, target, Duration::from_secs(3600)));
        assert_eq!(*written.lock().unwrap(), "");
    }

    #[test]
    fn only_what_can_be_counted_has_numbers() {
        let said = |phase, done, total| {
            describe_state(ProgressState { phase, done, total }).unwrap_or_default()
        };
        assert_eq!(said(Phase::NotStarted, 0, 0), "");
        assert_eq!(said(Phase::Syncing, 0, 0), "syncing");
        assert_eq!(said(Phase::Swapping, 1, 2), "putting files in place 1/2");
        assert_eq!(said(Phase::RunningJobs, 7, 0), "checking, 7 jobs done");
    }
}
