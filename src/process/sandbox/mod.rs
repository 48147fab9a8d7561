//! Runs a command on a copy-on-write overlay of a directory.
//!
//! [`Sandbox::run`] takes a [`SandboxCommand`]. The command sees the directory at its usual path,
//! but its writes go to memory. [`Sandbox::merged`] is the directory as the command left it, and
//! [`Sandbox::upper`] contains the names that it touched. Nothing of the overlay outlives the
//! sandbox: the kernel removes its mounts with its last process.
//!
//! # Security
//!
//! The sandbox contains mistakes, not attacks. See `docs/run.md` for the list of things that it does
//! not isolate, such as the network.
//!
//! To support another system, add `sandbox/<system>` with `run_sandboxed`, `Processes` and
//! `run_helper`, and select it here. Read `linux/mod.rs` first.

#[cfg(all(target_os = "linux", not(any(wpatch_plain_unix, wpatch_no_disk))))]
mod linux;
#[cfg(any(not(target_os = "linux"), wpatch_plain_unix, wpatch_no_disk))]
mod unsupported;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ExitReason;
use crate::interrupt::Interrupt;

#[cfg(all(target_os = "linux", not(any(wpatch_plain_unix, wpatch_no_disk))))]
use linux as system;
#[cfg(any(not(target_os = "linux"), wpatch_plain_unix, wpatch_no_disk))]
use unsupported as system;

pub(crate) use system::run_helper;

/// A command with the directory in which it runs, and its limits.
#[derive(Clone, Debug)]
pub(crate) struct SandboxCommand<'a> {
    /// The absolute path of the directory, without links. It is the working directory.
    pub(crate) root: &'a Path,
    /// The program and its arguments.
    pub(crate) words: &'a [OsString],
    /// Variables that are added to the environment of this process.
    pub(crate) environment: &'a [(&'a str, OsString)],
    /// The stream that receives the standard output of the command.
    pub(crate) stdout: OutputStream,
    pub(crate) limits: SandboxLimits,
}

/// The stream that receives the output of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The limits of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SandboxLimits {
    /// The run time.
    pub(crate) time: Duration,
    /// The number of processes at the same time.
    pub(crate) processes: usize,
    /// The bytes that the command can write to the directory, and the bytes that it can write to
    /// each directory for temporary files.
    pub(crate) bytes: u64,
}

/// The reason why a command did not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    /// The system has no overlay for this directory. The text is the reason.
    #[error("this system cannot run a command on an overlay of the root: {0}")]
    Unsupported(String),
    /// The program cannot be started. The text is the reason.
    #[error("cannot run the command: {0}")]
    NotStarted(String),
    /// A system call failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A sandbox in which a command has run. Dropping it removes the overlay.
#[derive(Debug)]
pub(crate) struct Sandbox {
    /// How the command ended.
    pub(crate) reason: ExitReason,
    /// The elapsed time.
    pub(crate) time: Duration,
    /// The directory with the names that the command touched.
    pub(crate) upper: PathBuf,
    /// The directory as the command left it.
    pub(crate) merged: PathBuf,
    /// The processes that keep the overlay.
    _processes: system::Processes,
}

impl Sandbox {
    /// Runs `command` and waits until it ends, a limit is reached, or `interrupt` is raised. All
    /// processes that the command started are killed before this function returns.
    ///
    /// # Errors
    ///
    /// Returns the reason if the command did not run.
    pub(crate) fn run(
        command: &SandboxCommand<'_>,
        interrupt: &Interrupt,
    ) -> Result<Self, SandboxError> {
        system::run_sandboxed(command, interrupt)
    }
}
