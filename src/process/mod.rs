//! Commands of the user: run in a process group of their own, fed, listened to, and ended when
//! their time is up.
//!
//! To add a system, write `process/<system>` with a `Group`, a `converse`, a `user` and a
//! `wait_for_bytes`, and choose it here.

mod home;
#[cfg(all(target_os = "linux", not(wpatch_no_disk)))]
mod linux;
mod search;
mod tail;
#[cfg(not(all(target_os = "linux", not(wpatch_no_disk))))]
mod unsupported;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;
use std::process::ChildStdout;
use std::thread;
use std::time::{Duration, Instant};

use crate::interrupt::Interrupt;

pub use home::{home, home_of};
pub(crate) use search::command;
pub(crate) use tail::Complaints;

#[cfg(all(target_os = "linux", not(wpatch_no_disk)))]
pub use linux::Group;
#[cfg(not(all(target_os = "linux", not(wpatch_no_disk))))]
pub use unsupported::Group;

#[cfg(all(target_os = "linux", not(wpatch_no_disk)))]
use linux::{converse, user, wait_for_bytes};
#[cfg(not(all(target_os = "linux", not(wpatch_no_disk))))]
use unsupported::{converse, user, wait_for_bytes};

/// Most bytes of the output that are kept: the last ones.
pub const MOST_OUTPUT: usize = 16 << 10;
/// How long a command that was asked to end may take for it before it is killed.
pub const GRACE: Duration = Duration::from_secs(2);

/// The longest pause of somebody who waits before looking again.
const LONGEST: Duration = Duration::from_millis(20);

/// How long a process may be silent that was asked something.
#[derive(Clone, Debug)]
pub struct Patience {
    /// The limit.
    pub limit: Duration,
    /// The handle that ends the wait; it is read every few milliseconds.
    pub interrupt: Interrupt,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            limit: Duration::from_secs(60),
            interrupt: Interrupt::new(),
        }
    }
}

impl Patience {
    /// Says whether to go on with waiting that began at `start`.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::TimedOut`] in either case: nobody should begin again.
    fn ask(&self, start: Instant) -> io::Result<()> {
        if let Some(signal) = self.interrupt.signal() {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("signal {signal} ended the wait"),
            ));
        }
        if start.elapsed() >= self.limit {
            let words = format!("it said nothing for {} ms", self.limit.as_millis());
            return Err(io::Error::new(io::ErrorKind::TimedOut, words));
        }
        Ok(())
    }

    /// Waits until `is_over`.
    ///
    /// # Errors
    ///
    /// Returns the error of `is_over`, and [`io::ErrorKind::TimedOut`] as [`Patience::ask`].
    pub(crate) fn wait(self, mut is_over: impl FnMut() -> io::Result<bool>) -> io::Result<()> {
        let start = Instant::now();
        let mut result = Ok(());
        wait(Duration::MAX, || match is_over() {
            Ok(false) => {
                result = self.ask(start);
                result.is_err()
            }
            other => {
                result = other.map(drop);
                true
            }
        });
        result
    }
}

/// What a process writes, read with patience.
#[derive(Debug)]
pub(crate) struct Patient {
    pipe: ChildStdout,
    patience: Patience,
}

impl Patient {
    pub(crate) fn new(pipe: ChildStdout, patience: Patience) -> Self {
        Self { pipe, patience }
    }
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait_for_bytes(&self.pipe, &self.patience)?;
        self.pipe.read(buffer)
    }
}

/// A command, and all that it gets.
#[derive(Clone, Copy, Debug)]
pub struct Errand<'a> {
    /// What `/bin/sh -c` is to do.
    pub command: &'a OsStr,
    /// The directory that it runs in.
    pub directory: &'a Path,
    /// What its environment has besides that of this process.
    pub environment: &'a [(&'a str, OsString)],
    /// Its standard input, which it need not read.
    pub input: &'a [u8],
    /// How long it may take.
    pub limit: Duration,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub ending: Ending,
    /// The last [`MOST_OUTPUT`] bytes that it wrote to standard output and standard error, in the
    /// order of writing.
    pub output: Vec<u8>,
    /// Whether it wrote more than that.
    pub is_cut: bool,
    /// How long it took.
    pub time: Duration,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// With this exit code.
    Exited(i32),
    /// By this signal, which somebody else sent.
    Signalled(i32),
    /// It was ended because it took too long.
    TimedOut,
    /// It was ended because somebody asked to stop.
    Stopped,
}

/// Runs a command and waits for its end. A raised `interrupt`, which is read every few
/// milliseconds, ends it.
///
/// It ends when its shell does. What is left of its process group is killed then, so that nothing
/// of it writes to the tree behind its end, and what holds the output open is not waited for. One
/// whose time is up is asked to end by SIGTERM to the group, and killed after [`GRACE`].
///
/// # Security
///
/// The command is as trusted as its user: it does what it likes, in the environment of this
/// process. What sets itself apart by setsid(2) is in another group and lives on, as does what this
/// user may not send signals to; and if this process is killed by SIGKILL, nobody ends the command.
///
/// # Errors
///
/// Returns the error of the system if the shell cannot be run or its end cannot be told; whatever
/// was started is killed.
pub fn run(errand: &Errand<'_>, interrupt: &Interrupt) -> io::Result<Ran> {
    converse(errand, interrupt)
}

/// Waits until `is_over`, at most for `limit`.
pub(crate) fn wait(limit: Duration, mut is_over: impl FnMut() -> bool) {
    let (start, mut pause) = (Instant::now(), Duration::from_micros(50));
    while !is_over() && start.elapsed() < limit {
        thread::sleep(pause);
        pause = (2 * pause).min(LONGEST);
    }
}
