//! The terminal of the process.

use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::process::{CONTROLLING_TERMINAL, InputState};

/// The terminal from which a user's keys arrive.
pub(crate) struct TerminalInput {
    /// The controlling terminal, if standard input is not a terminal.
    file: Option<fs_err::File>,
}

impl TerminalInput {
    /// Returns standard input if it is a terminal, else the controlling terminal.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the process has no terminal.
    pub(crate) fn open() -> io::Result<Self> {
        let file = if io::stdin().is_terminal() {
            None
        } else {
            Some(fs_err::File::open(CONTROLLING_TERMINAL)?)
        };
        Ok(Self { file })
    }

    fn descriptor<'s>(&'s self, stdin: &'s io::Stdin) -> BorrowedFd<'s> {
        match &self.file {
            Some(file) => file.as_fd(),
            None => stdin.as_fd(),
        }
    }

    /// Returns the settings of the terminal, such as whether it echoes keys.
    pub(crate) fn settings(&self) -> Option<TerminalSettings> {
        tcgetattr(self.descriptor(&io::stdin()))
            .ok()
            .map(TerminalSettings)
    }

    /// Restores the settings. Another program can have left other ones.
    pub(crate) fn restore(&self, settings: &TerminalSettings) {
        // The terminal may be gone, so errors are expected here.
        let _ = tcsetattr(
            self.descriptor(&io::stdin()),
            OptionalActions::Now,
            &settings.0,
        );
    }

    /// Waits for input, at most for `timeout`. A signal also ends the wait.
    pub(crate) fn wait(&self, timeout: Duration) -> InputState {
        let stdin = io::stdin();
        let terminal = self.descriptor(&stdin);
        let mut watched = [PollFd::from_borrowed_fd(terminal, PollFlags::IN)];
        let timeout = Timespec::try_from(timeout).ok();
        match poll(&mut watched, timeout.as_ref()) {
            Ok(0) => InputState::Idle,
            Ok(_) => {
                let events = watched[0].revents();
                if events.intersects(PollFlags::HUP | PollFlags::ERR) {
                    InputState::Closed
                } else if events.contains(PollFlags::NVAL) {
                    // Some systems cannot poll devices.
                    InputState::Unknown
                } else {
                    InputState::Ready
                }
            }
            Err(Errno::INTR) => InputState::Ready,
            Err(_) => InputState::Unknown,
        }
    }
}

/// The settings of a terminal.
pub(crate) struct TerminalSettings(Termios);

/// Stops the processes of this job until the shell continues them, as Ctrl-Z does on a terminal.
pub(crate) fn suspend_job() {
    // It fails only if the process may not signal its own group.
    let _ = kill_current_process_group(Signal::TSTP);
}
