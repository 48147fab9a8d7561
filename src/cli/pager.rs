//! The pager: shows long output on a terminal page by page, as git does.
//!
//! [`print_paged`] chooses the pager, starts it before the first byte, and waits for its end.

use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::{Child, Command, Stdio};

use super::args::Global;
use super::signals;
use super::user_program::user_command;
use crate::engine::{DEFAULT_PAGER, Git};
use crate::path::os_str;

/// The options of `less` and `lv` for a user who sets none; see `PAGER_ENV` in git's Makefile.
const OPTIONS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];
/// The exit codes of a shell, and of `env`, that cannot start a command. A pager that shows the
/// output and then ends with one of them makes wpatch print the output again, which is better than
/// to print none.
const START_FAILURES: [i32; 2] = [126, 127];

/// Runs `print` with a writer to the pager, or to standard output if no pager is wanted or can be
/// started. Returns after the pager has ended.
///
/// # Errors
///
/// Returns the error of `print`. If the pager ends before it has read everything, this is
/// [`io::ErrorKind::BrokenPipe`].
pub(super) fn print_paged(
    global: &Global,
    print: impl Fn(&mut (dyn Write + 'static)) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(command) = pager_command(global) {
        let mut out = BufWriter::new(Pager::Pending(command));
        let printed = print(&mut out).and_then(|()| out.flush());
        let (pager, _) = out.into_parts();
        if pager.end() == PagerStatus::Normal {
            return printed;
        }
    }
    // If the pager did not start, `print` runs again and writes to standard output.
    global.caller.print(print)
}

/// Returns the command of the pager, or `None` if no pager is wanted.
fn pager_command(global: &Global) -> Option<Command> {
    if global.no_pager || global.caller.is_library() || !io::stdout().is_terminal() {
        return None;
    }
    let git = Git::for_directory(global.root());
    let chosen = choose_pager(&git)?;
    if chosen.is_empty() || chosen == "cat" {
        return None;
    }
    let mut command = user_command(&git, &chosen)?;
    for (name, value) in OPTIONS {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    command.stdin(Stdio::piped());
    Some(command)
}

/// Returns the pager that the user chose, or the default one. The first variable that is set
/// counts, even if it is empty.
fn choose_pager(git: &Git) -> Option<OsString> {
    // A repository that was received as an archive can name any program in its configuration.
    let configured = || Some(os_str(git.user_config("core.pager").ok()??)?.to_owned());
    let is_capable = env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb");
    env::var_os("WPATCH_PAGER")
        .or_else(|| env::var_os("GIT_PAGER"))
        .or_else(configured)
        .or_else(|| env::var_os("PAGER"))
        .or_else(|| DEFAULT_PAGER.filter(|_| is_capable).map(OsString::from))
}

/// A writer to a pager.
enum Pager {
    /// Nothing was written yet.
    Pending(Command),
    /// The pager runs.
    Running(Child),
    /// The pager cannot be started. All output is discarded.
    Unusable,
}

/// The end of a pager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PagerStatus {
    /// The pager showed the output, or there was no output.
    Normal,
    /// The pager showed nothing, because it could not be started.
    NotStarted,
}

impl Pager {
    /// Starts the pager. From then on, SIGINT does not end this process: the terminal sends it to
    /// the pager too, which can use it to stop a search.
    fn start(&mut self) {
        if let Self::Pending(command) = self {
            // The pager can receive a signal as soon as it runs. Without the handlers, SIGINT ends
            // this process before the pager.
            let _ = signals::ignore_keyboard_signals();
            let started = command.spawn();
            if started.is_err() {
                signals::restore_keyboard_signals();
            }
            *self = started.map_or(Self::Unusable, Self::Running);
        }
    }

    /// Closes the input of the pager, and waits for its end.
    fn end(self) -> PagerStatus {
        match self {
            Self::Pending(_) => PagerStatus::Normal,
            Self::Unusable => PagerStatus::NotStarted,
            Self::Running(mut child) => {
                drop(child.stdin.take());
                let code = child.wait().ok().and_then(|status| status.code());
                signals::restore_keyboard_signals();
                if code.is_some_and(|code| START_FAILURES.contains(&code)) {
                    PagerStatus::NotStarted
                } else {
                    PagerStatus::Normal
                }
            }
        }
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.start();
        match self {
            Self::Running(child) => child
                .stdin
                .as_mut()
                .map_or(Ok(bytes.len()), |input| input.write(bytes)),
            Self::Pending(_) | Self::Unusable => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
