//! Child processes: runs shell commands with input, captured output and a time limit.
//!
//! [`run`] takes a [`ShellCommand`] and returns a [`CommandOutput`]. Each command runs in a process
//! group of its own, so that all its processes end with it. `command` finds a program in the search
//! path, but not in an untrusted tree. [`home()`] finds home directories. Start with [`run`], then
//! read `unix.rs` or `windows.rs`.
//!
//! To support another system, add `process/<system>.rs` with `ProcessGroup`, `run_with_io`, `user`
//! and `wait_for_bytes`, and select it here.

mod conventions;
#[cfg(feature = "cli")]
pub(crate) mod direct;
mod home;
#[cfg(feature = "cli")]
#[cfg_attr(
    any(not(target_os = "linux"), wpatch_plain_unix, wpatch_no_disk),
    allow(dead_code, reason = "unused on systems without a sandbox")
)]
pub(crate) mod sandbox;
mod search;
mod tail;
#[cfg(all(unix, not(wpatch_no_disk)))]
mod unix;
#[cfg(any(wpatch_no_disk, not(any(unix, windows))))]
mod unsupported;
#[cfg(all(windows, not(wpatch_no_disk)))]
mod windows;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;
use std::process::ChildStdout;
use std::thread;
use std::time::{Duration, Instant};

use crate::interrupt::Interrupt;

pub(crate) use conventions::NULL_DEVICE;
pub use conventions::{
    CONFIG_VARIABLE, CONTROLLING_TERMINAL, DEFAULT_EDITOR, DEFAULT_PAGER, HAS_LOCALE,
    HAS_TERMINAL_NAME,
};
pub use home::{config_homes, home, home_of, state_home};
pub(crate) use search::find_command;
pub(crate) use tail::StderrReader;

#[cfg(all(unix, not(wpatch_no_disk)))]
use unix as system;
#[cfg(any(wpatch_no_disk, not(any(unix, windows))))]
use unsupported as system;
#[cfg(all(windows, not(wpatch_no_disk)))]
use windows as system;

pub use system::ProcessGroup;
#[cfg(feature = "cli")]
use system::exit_reason;
#[cfg(feature = "review")]
pub(crate) use system::{TerminalInput, TerminalSettings, suspend_job};
use system::{run_with_io, user, wait_for_bytes};

/// Returns the set of the signals that this process ignores, with bit n - 1 for the signal n. Only
/// Linux shows it to code that is not unsafe, as `SigIgn`; see `proc_pid_status(5)`. Elsewhere, returns
/// an empty set.
#[cfg(feature = "cli")]
pub(crate) fn ignored_signals() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .unwrap_or_default()
}

/// The result of a wait for keys.
#[cfg(feature = "review")]
#[cfg_attr(
    any(not(unix), wpatch_no_disk),
    allow(dead_code, reason = "the system cannot wait for keys")
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputState {
    /// Keys or a signal may have arrived.
    Ready,
    /// Nothing has arrived.
    Idle,
    /// The terminal is gone.
    Closed,
    /// The system cannot tell.
    Unknown,
}

/// The maximum number of output bytes that are kept: the last ones.
pub const MAX_OUTPUT: usize = 16 << 10;
/// The time between the request to end a command and the kill.
pub const GRACE: Duration = Duration::from_secs(2);

/// The longest pause between two checks of a waiting thread. It limits the delay of an interrupt.
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// The limits of a wait for output of a process.
#[derive(Clone, Debug)]
pub struct Timeout {
    /// The maximum time without output.
    pub limit: Duration,
    /// The handle that ends the wait. It is read every few milliseconds.
    pub interrupt: Interrupt,
}

impl Default for Timeout {
    fn default() -> Self {
        Self {
            limit: Duration::from_secs(60),
            interrupt: Interrupt::new(),
        }
    }
}

impl Timeout {
    /// Checks whether a wait that started at `start` may continue.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::TimedOut`] after the time limit or if the interrupt is raised. The
    /// kind is not `Interrupted`, because readers of the standard library retry that one.
    fn check(&self, start: Instant) -> io::Result<()> {
        if let Some(signal) = self.interrupt.signal() {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("signal {signal} ended the wait"),
            ));
        }
        if start.elapsed() >= self.limit {
            let words = format!("no output for {} ms", self.limit.as_millis());
            return Err(io::Error::new(io::ErrorKind::TimedOut, words));
        }
        Ok(())
    }

    /// Waits until `is_over` returns true.
    ///
    /// # Errors
    ///
    /// Returns the error of `is_over`, and [`io::ErrorKind::TimedOut`] like [`Timeout::ask`].
    pub(crate) fn wait(self, mut is_over: impl FnMut() -> io::Result<bool>) -> io::Result<()> {
        let start = Instant::now();
        let mut result = Ok(());
        wait(Duration::MAX, || match is_over() {
            Ok(false) => {
                result = self.check(start);
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

/// The standard output of a process, read with a time limit.
#[derive(Debug)]
pub(crate) struct TimedReader {
    pipe: ChildStdout,
    timeout: Timeout,
}

impl TimedReader {
    pub(crate) fn new(pipe: ChildStdout, timeout: Timeout) -> Self {
        Self { pipe, timeout }
    }
}

impl Read for TimedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait_for_bytes(&self.pipe, &self.timeout)?;
        self.pipe.read(buffer)
    }
}

/// A shell command with its input and limits.
#[derive(Clone, Copy, Debug)]
pub struct ShellCommand<'a> {
    /// The script that `/bin/sh -c` runs. On Windows, `cmd /d /s /c` runs it, or the shell that the
    /// variable `WPATCH_SHELL` names.
    pub command: &'a OsStr,
    /// The working directory.
    pub directory: &'a Path,
    /// Variables that are added to the environment of this process.
    pub environment: &'a [(&'a str, OsString)],
    /// The standard input. The command does not have to read it.
    pub input: &'a [u8],
    /// The time limit.
    pub limit: Duration,
    /// The target of standard error.
    pub errors: ErrorTarget,
}

/// The target of the standard error of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorTarget {
    /// The output of the command, together with its standard output.
    #[default]
    Output,
    /// The standard error of this process.
    Inherited,
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutput {
    /// The way in which the command ended.
    pub reason: ExitReason,
    /// The last [`MAX_OUTPUT`] bytes of standard output and standard error, in the order of
    /// writing.
    pub output: Vec<u8>,
    /// Whether the command wrote more than these bytes.
    pub is_cut: bool,
    /// The elapsed time.
    pub time: Duration,
}

/// The way in which a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExitReason {
    /// The command exited with this code.
    Exited(i32),
    /// Another process killed the command with this signal. Windows has no signals.
    Signalled(i32),
    /// The time limit was over.
    TimedOut,
    /// The interrupt was raised.
    Stopped,
    /// The command had too many processes at the same time.
    TooManyProcesses,
    /// The command was killed because it reached the limit on written bytes.
    TooManyBytes,
}

/// Runs a command and waits until it ends, its time limit is over, or `interrupt` is raised. The
/// interrupt is read every few milliseconds.
///
/// The command ends when its shell ends. The rest of its process group is then killed, so that no
/// process of it writes to the tree later. Processes that keep the output open are not waited for.
/// After the time limit or an interrupt the group receives SIGTERM, and SIGKILL after [`GRACE`]. On
/// Windows it receives Ctrl-Break, and its job object is terminated after [`GRACE`].
///
/// # Security
///
/// The command is as trusted as its user: it is not confined, and it inherits the environment. A
/// process that calls setsid(2) leaves the group and survives, as does a process that this user may
/// not signal. If this process is killed by SIGKILL, the command continues. On Windows no process
/// leaves the job object, and it ends with this process.
///
/// # Errors
///
/// Returns the error of the system if the shell cannot be started or its exit status is unknown.
/// All started processes are killed.
pub fn run(command: &ShellCommand<'_>, interrupt: &Interrupt) -> io::Result<CommandOutput> {
    run_with_io(command, interrupt)
}

/// Waits until `is_over` returns true, at most for `limit`.
pub(crate) fn wait(limit: Duration, mut is_over: impl FnMut() -> bool) {
    let (start, mut pause) = (Instant::now(), Duration::from_micros(50));
    while !is_over() && start.elapsed() < limit {
        thread::sleep(pause);
        pause = (2 * pause).min(MAX_PAUSE);
    }
}
