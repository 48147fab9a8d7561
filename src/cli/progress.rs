//! How far a run is, on a terminal and nowhere else: a line that is there only while nothing else
//! is said.

use std::env;
use std::io::{self, IsTerminal};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::Global;
use super::signals;
use crate::engine::options::{Phase, Progress, ProgressState as State};
use crate::mutex::locked;

/// What takes no longer needs no line.
const DELAY: Duration = Duration::from_secs(1);
/// How often it is drawn.
const TICK: Duration = Duration::from_millis(100);

/// Runs `work`, and shows on the terminal of standard error what it tells of its progress. When it
/// is back the line is gone; until then nothing else may be printed.
pub(super) fn shown<T>(global: &Global, work: impl FnOnce(Progress) -> T) -> T {
    if !is_wanted(global) {
        return work(Progress::default());
    }
    let progress = Progress::followed();
    let _drawing = Drawing::begin(progress.clone(), ProgressDrawTarget::stderr(), DELAY);
    work(progress)
}

/// Says whether somebody looks at standard error who can see a line move.
fn is_wanted(global: &Global) -> bool {
    !global.quiet
        && io::stderr().is_terminal()
        && env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb")
        && env::var_os("CI").is_none_or(|value| value.is_empty())
}

/// A thread that draws. Dropped, it has wiped off what it drew.
struct Drawing {
    is_over: Arc<(Mutex<bool>, Condvar)>,
    /// `None` if there can be no more threads, and then nothing is drawn.
    thread: Option<JoinHandle<()>>,
}

impl Drawing {
    /// Draws on `target`, from `delay` on.
    fn begin(progress: Progress, target: ProgressDrawTarget, delay: Duration) -> Self {
        let is_over = Arc::default();
        let shared = Arc::clone(&is_over);
        let draw = move || {
            if !is_over_within(&shared, delay) {
                draw(&progress, target, &shared);
            }
        };
        Self {
            is_over,
            thread: thread::Builder::new().spawn(draw).ok(),
        }
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        let (is_over, changed) = &*self.is_over;
        *locked(is_over) = true;
        changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A line that could not be drawn is no reason to fail.
            let _ = thread.join();
        }
    }
}

/// Waits for `time`, or until it is over; says whether it is.
fn is_over_within((is_over, changed): &(Mutex<bool>, Condvar), time: Duration) -> bool {
    let held = locked(is_over);
    *changed
        .wait_timeout_while(held, time, |is_over| !*is_over)
        .unwrap_or_else(PoisonError::into_inner)
        .0
}

fn draw(progress: &Progress, target: ProgressDrawTarget, is_over: &(Mutex<bool>, Condvar)) {
    // A process that a signal ends at once would leave the line behind.
    let is_noted = signals::note().is_ok();
    let line = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        line.set_style(style.tick_chars("|/-\\ "));
    }
    loop {
        if let Some(words) = words(progress.state()) {
            line.set_message(words);
            line.tick();
        }
        if is_over_within(is_over, TICK) {
            return line.finish_and_clear();
        }
        if let Some(signal) = signals::unheeded().filter(|_| is_noted) {
            line.finish_and_clear();
            signals::end_by(signal);
        }
    }
}

/// Returns what is said of `state`. There are no names in it, so that there is nothing to escape.
fn words(state: State) -> Option<String> {
    let State { phase, done, total } = state;
    let what = match phase {
        Phase::Beginning => return None,
        Phase::Reading => "reading the patch",
        Phase::Waiting => "waiting for the lock",
        Phase::Looking => "looking at files",
        Phase::Swapping => "putting files in place",
        Phase::Syncing => "syncing",
        Phase::RollingBack => "putting everything back",
        Phase::Sweeping => "clearing up",
        Phase::Before => "running --before",
        Phase::Verifying => "running --verify",
        Phase::After => "running --after",
        Phase::Asking => "asking language servers",
        Phase::Jobs => return Some(format!("checking, {done} jobs done")),
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

    use indicatif::TermLike;

    use super::*;

    /// A terminal that notes what it is to do.
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
            // Nobody listens any more when it ends.
            let _ = self.flushed.send(());
            Ok(())
        }
    }

    #[test]
    fn the_line_says_how_far_it_is_and_goes() {
        let (target, written, flushed) = Recorder::target();
        let progress = Progress::followed();
        progress.enter(Phase::Looking, 400);
        progress.step(3);
        let drawing = Drawing::begin(progress, target, Duration::ZERO);
        flushed.recv().unwrap();
        assert!(
            written.lock().unwrap().contains(" looking at files 3/400"),
            "{written:?}"
        );
        drop(drawing);
        let written = written.lock().unwrap();
        let (_, last) = written.rsplit_once("<clear>").unwrap();
        assert!(!last.contains("looking"), "{written}");
    }

    #[test]
    fn what_is_over_before_the_delay_is_not_shown() {
        let (target, written, _flushed) = Recorder::target();
        let progress = Progress::followed();
        progress.enter(Phase::Reading, 0);
        drop(Drawing::begin(progress, target, Duration::from_secs(3600)));
        assert_eq!(*written.lock().unwrap(), "");
    }

    #[test]
    fn only_what_can_be_counted_has_numbers() {
        let said = |phase, done, total| words(State { phase, done, total }).unwrap_or_default();
        assert_eq!(said(Phase::Beginning, 0, 0), "");
        assert_eq!(said(Phase::Syncing, 0, 0), "syncing");
        assert_eq!(said(Phase::Swapping, 1, 2), "putting files in place 1/2");
        assert_eq!(said(Phase::Jobs, 7, 0), "checking, 7 jobs done");
    }
}
