//! The progress line on a terminal. It is visible only while nothing else is printed.

use std::env;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::Global;
use crate::engine::options::{Phase, Progress, ProgressState};

/// Returns whether standard error is a terminal that can redraw a line, outside CI.
pub(super) fn is_line_wanted(global: &Global) -> bool {
    !global.quiet
        && io::stderr().is_terminal()
        && env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb")
        && env::var_os("CI").is_none_or(|value| value.is_empty())
}

/// A line that shows `progress`. Dropping it removes the line.
pub(super) struct Line {
    progress: Progress,
    bar: ProgressBar,
}

impl Line {
    /// Returns a line on standard error, which appears with the first update.
    pub(super) fn on_stderr(progress: Progress) -> Self {
        Self::on(ProgressDrawTarget::stderr(), progress)
    }

    fn on(target: ProgressDrawTarget, progress: Progress) -> Self {
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style.tick_chars("|/-\\ "));
        }
        Self { progress, bar }
    }

    /// Draws the current state.
    pub(super) fn update(&self) {
        if let Some(text) = describe_state(self.progress.state()) {
            self.bar.set_message(text);
            self.bar.tick();
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
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
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal that records its output.
    #[derive(Debug)]
    struct Recorder {
        written: Arc<Mutex<String>>,
    }

    impl Recorder {
        fn target() -> (ProgressDrawTarget, Arc<Mutex<String>>) {
            let written: Arc<Mutex<String>> = Arc::default();
            let recorder = Self {
                written: Arc::clone(&written),
            };
            (ProgressDrawTarget::term_like(Box::new(recorder)), written)
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
            Ok(())
        }
    }

    #[test]
    fn the_line_shows_the_count_and_is_removed() {
        let (target, written) = Recorder::target();
        let progress = Progress::with_state();
        progress.enter(Phase::Resolving, 400);
        progress.step(3);
        let line = Line::on(target, progress);
        line.update();
        assert!(
            written.lock().unwrap().contains(" reading files 3/400"),
            "{written:?}"
        );
        drop(line);
        let written = written.lock().unwrap();
        let (_, last) = written.rsplit_once("<clear>").unwrap();
        assert!(!last.contains("reading"), "{written}");
    }

    #[test]
    fn a_line_without_an_update_writes_nothing() {
        let (target, written) = Recorder::target();
        let progress = Progress::with_state();
        progress.enter(Phase::Reading, 0);
        drop(Line::on(target, progress));
        assert_eq!(*written.lock().unwrap(), "");
    }

    #[test]
    fn only_counted_phases_show_numbers() {
        let text = |phase, done, total| {
            describe_state(ProgressState { phase, done, total }).unwrap_or_default()
        };
        assert_eq!(text(Phase::NotStarted, 0, 0), "");
        assert_eq!(text(Phase::Syncing, 0, 0), "syncing");
        assert_eq!(text(Phase::Swapping, 1, 2), "putting files in place 1/2");
        assert_eq!(text(Phase::RunningJobs, 7, 0), "checking, 7 jobs done");
    }
}
