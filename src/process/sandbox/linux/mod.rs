//! Runs a command in Linux namespaces, on an overlay file system.
//!
//! Three processes take part. wpatch itself starts a helper and stays outside. The helper
//! (`helper.rs`) creates the namespaces, and mounts the overlay (`mounts.rs`). It starts the first
//! process of the process namespace (`init.rs`), which runs the command. Helper and first process
//! are this program under the name [`HELPER_NAME`].
//!
//! Two pipes connect them with wpatch. The helper side writes lines to the *status* pipe. The end of
//! the *control* pipe ends the first process, and with it every process in the namespace; the kernel
//! closes the pipe if wpatch is killed.

mod fuse;
mod helper;
mod init;
mod mounts;
mod namespaces;

use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, dup};
use rustix::process::{getgid, getuid};

use super::{OutputStream, Sandbox, SandboxCommand, SandboxError};
use crate::interrupt::Interrupt;
use crate::process::{ExitReason, GRACE, MAX_PAUSE, wait};

pub(crate) use helper::run_helper;

/// The name under which this program is the helper.
const HELPER_NAME: &str = "wpatch-sandbox";
/// The file that the program was started from.
const PROGRAM: &str = "/proc/self/exe";
/// The maximum length of a status line, in bytes.
const MAX_LINE: usize = 4 << 10;

/// The processes of a sandbox, and the pipe that keeps them. Dropping it ends them all.
#[derive(Debug)]
pub(crate) struct Processes {
    helper: Child,
    control: Option<PipeWriter>,
}

impl Processes {
    /// Ends all processes, and waits until they have ended.
    ///
    /// The helper reaps the first process of the namespace, and the kernel reports the end of that
    /// process only after all others have ended; see `pid_namespaces(7)`.
    fn end(&mut self) {
        self.control = None;
        let mut has_ended = false;
        wait(GRACE, || {
            has_ended = !matches!(self.helper.try_wait(), Ok(None));
            has_ended
        });
        if !has_ended {
            // The first process has the helper's death as its signal, so it ends, too.
            let _ = self.helper.kill();
            let _ = self.helper.wait();
        }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        self.end();
    }
}

/// A line on the status pipe.
#[derive(Debug, PartialEq, Eq)]
enum Status {
    /// The helper has its namespaces, and needs the identity maps.
    Unshared,
    /// The overlay is mounted. The numbers are open directories of the helper: the upper and the
    /// merged directory.
    Ready(i32, i32),
    /// The system has no overlay for the root.
    Unsupported(String),
    /// The program cannot be started.
    NotStarted(String),
    /// The command has ended.
    Ended(ExitReason),
    /// A process of the sandbox has failed.
    Failed(String),
}

impl Status {
    fn line(&self) -> String {
        let one_line = |text: &str| text.replace('\n', " ");
        match self {
            Self::Unshared => "unshared\n".to_owned(),
            Self::Ready(upper, merged) => format!("ready {upper} {merged}\n"),
            Self::Unsupported(reason) => format!("unsupported {}\n", one_line(reason)),
            Self::NotStarted(reason) => format!("missing {}\n", one_line(reason)),
            Self::Ended(ExitReason::Exited(code)) => format!("exited {code}\n"),
            Self::Ended(ExitReason::Signalled(signal)) => format!("signalled {signal}\n"),
            Self::Ended(ExitReason::TooManyBytes) => "bytes\n".to_owned(),
            Self::Ended(_) => "processes\n".to_owned(),
            Self::Failed(reason) => format!("failed {}\n", one_line(reason)),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (tag, rest) = line.split_once(' ').unwrap_or((line, ""));
        Some(match tag {
            "unshared" => Self::Unshared,
            "ready" => {
                let (upper, merged) = rest.split_once(' ')?;
                Self::Ready(upper.parse().ok()?, merged.parse().ok()?)
            }
            "unsupported" => Self::Unsupported(rest.to_owned()),
            "missing" => Self::NotStarted(rest.to_owned()),
            "exited" => Self::Ended(ExitReason::Exited(rest.parse().ok()?)),
            "signalled" => Self::Ended(ExitReason::Signalled(rest.parse().ok()?)),
            "bytes" => Self::Ended(ExitReason::TooManyBytes),
            "processes" => Self::Ended(ExitReason::TooManyProcesses),
            "failed" => Self::Failed(rest.to_owned()),
            _ => return None,
        })
    }
}

/// Writes a line to the status pipe, which is the standard output of the helper.
fn report(status: &Status) -> io::Result<()> {
    let mut pipe = io::stdout().lock();
    pipe.write_all(status.line().as_bytes())?;
    pipe.flush()
}

/// Runs a command in a sandbox; see [`Sandbox::run`].
pub(super) fn run_sandboxed(
    command: &SandboxCommand<'_>,
    interrupt: &Interrupt,
) -> Result<Sandbox, SandboxError> {
    let (mut processes, status) = start(command)?;
    let mut lines = StatusReader::new(status);
    let mut directories = None;
    let mut start = Instant::now();
    let reason = loop {
        let limit = directories.is_some().then_some(command.limits.time);
        let line = match lines.read(start, limit, interrupt)? {
            Ok(line) => line,
            Err(reason) => {
                processes.end();
                break reason;
            }
        };
        match line {
            Status::Unshared => {
                // A sandbox in a sandbox cannot write them.
                write_identity_maps(processes.helper.id()).map_err(|error| {
                    let reason = format!("cannot map the users of the namespace: {error}");
                    SandboxError::Unsupported(reason)
                })?;
                if let Some(control) = &mut processes.control {
                    control.write_all(b"\n")?;
                }
            }
            Status::Ready(upper, merged) => {
                let of_helper =
                    |fd: i32| PathBuf::from(format!("/proc/{}/fd/{fd}", processes.helper.id()));
                directories = Some((of_helper(upper), of_helper(merged)));
                start = Instant::now();
            }
            Status::Unsupported(reason) => return Err(SandboxError::Unsupported(reason)),
            Status::NotStarted(reason) => return Err(SandboxError::NotStarted(reason)),
            Status::Ended(reason) => break reason,
            Status::Failed(reason) => {
                let message = format!("a process of the sandbox failed: {reason}");
                return Err(io::Error::other(message).into());
            }
        }
    };
    let (upper, merged) = directories.unwrap_or_default();
    Ok(Sandbox {
        reason,
        time: start.elapsed(),
        upper,
        merged,
        _processes: processes,
    })
}

/// Starts the helper. Returns its processes and the read end of the status pipe.
fn start(command: &SandboxCommand<'_>) -> io::Result<(Processes, PipeReader)> {
    let (control_reader, control) = io::pipe()?;
    let (status, status_writer) = io::pipe()?;
    // Only duplicates of dup(2) stay open in the helper. The pipes use its standard streams, so the
    // command's streams have other numbers there.
    let input = dup(io::stdin())?;
    let output = match command.stdout {
        OutputStream::Stdout => dup(io::stdout())?,
        OutputStream::Stderr => dup(io::stderr())?,
    };
    let arguments = HelperArguments {
        root: command.root.to_owned(),
        bytes: command.limits.bytes,
        processes: command.limits.processes,
        streams: (input.as_raw_fd(), output.as_raw_fd()),
        words: command.words.to_vec(),
    };
    let helper = arguments
        .command("setup")
        .envs(
            command
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        // No other directory outside the root is writable.
        .envs(mounts::temporary_directory(command.root).map(|directory| ("TMPDIR", directory)))
        .stdin(control_reader)
        .stdout(status_writer)
        .spawn()?;
    let control = Some(control);
    Ok((Processes { helper, control }, status))
}

/// Maps every user and group of this namespace to itself in the namespace of the process `helper`.
/// An ordinary user can only map the own user and group; see `user_namespaces(7)`.
fn write_identity_maps(helper: u32) -> io::Result<()> {
    let write = |file: &str, text: &str| -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let path = format!("/proc/{helper}/{file}");
        let file = openat(CWD, path, flags, Mode::empty())?;
        rustix::io::write(&file, text.as_bytes())?;
        Ok(())
    };
    let all = |file: &str| -> io::Result<String> {
        let text = fs_err::read_to_string(Path::new("/proc/self").join(file))?;
        let same = |line: &str| {
            let mut fields = line.split_ascii_whitespace();
            let (id, count) = (fields.next()?, fields.nth(1)?);
            Some(format!("{id} {id} {count}\n"))
        };
        Ok(text.lines().filter_map(same).collect())
    };
    if write("uid_map", &all("uid_map")?).is_ok() {
        return write("gid_map", &all("gid_map")?);
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    write("uid_map", &format!("{user} {user} 1\n"))?;
    write("setgroups", "deny")?;
    write("gid_map", &format!("{group} {group} 1\n"))
}

/// Reads lines from the status pipe.
struct StatusReader {
    pipe: PipeReader,
    bytes: Vec<u8>,
}

impl StatusReader {
    fn new(pipe: PipeReader) -> Self {
        let bytes = Vec::new();
        Self { pipe, bytes }
    }

    /// Waits for the next line. Returns the reason if the wait ends before: the time `limit` since
    /// `start` is over, or the interrupt is raised.
    fn read(
        &mut self,
        start: Instant,
        limit: Option<Duration>,
        interrupt: &Interrupt,
    ) -> io::Result<Result<Status, ExitReason>> {
        let pause = Timespec::try_from(MAX_PAUSE).map_err(io::Error::other)?;
        loop {
            if let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.bytes.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line[..end]);
                return Status::parse(&line)
                    .map(Ok)
                    .ok_or_else(|| io::Error::other(format!("invalid status `{line}`")));
            }
            if interrupt.is_raised() {
                return Ok(Err(ExitReason::Stopped));
            }
            if limit.is_some_and(|limit| start.elapsed() >= limit) {
                return Ok(Err(ExitReason::TimedOut));
            }
            match poll(&mut [PollFd::new(&self.pipe, PollFlags::IN)], Some(&pause)) {
                Ok(0) | Err(Errno::INTR) => continue,
                ready => ready?,
            };
            let mut buffer = [0; 512];
            match self.pipe.read(&mut buffer)? {
                count @ 1.. if self.bytes.len() < MAX_LINE => {
                    self.bytes.extend_from_slice(&buffer[..count]);
                }
                _ => {
                    let message =
                        "the sandbox ended before its command; a process can have killed it";
                    return Err(io::Error::other(message));
                }
            }
        }
    }
}

/// The arguments of the helper and of the first process of the namespace.
#[derive(Clone, Debug)]
struct HelperArguments {
    root: PathBuf,
    bytes: u64,
    processes: usize,
    /// The file descriptors of the command's standard input and standard output.
    streams: (i32, i32),
    words: Vec<OsString>,
}

impl HelperArguments {
    /// Returns the command that starts this program as the helper.
    fn command(&self, stage: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .arg0(HELPER_NAME)
            .arg(stage)
            .arg(&self.root)
            .args([self.bytes.to_string(), self.processes.to_string()])
            .args([self.streams.0.to_string(), self.streams.1.to_string()])
            .args(&self.words)
            .stderr(Stdio::inherit());
        command
    }

    /// Parses the words of the command line. Returns the stage, too.
    fn parse(arguments: &[OsString]) -> Option<(&str, Self)> {
        let [_, stage, root, rest @ ..] = arguments else {
            return None;
        };
        let [bytes, processes, input, output, words @ ..] = rest else {
            return None;
        };
        let number = |word: &OsString| word.to_str()?.parse::<u64>().ok();
        let stream = |word: &OsString| i32::try_from(number(word)?).ok();
        let parsed = Self {
            root: PathBuf::from(root),
            bytes: number(bytes)?,
            processes: usize::try_from(number(processes)?).ok()?,
            streams: (stream(input)?, stream(output)?),
            words: words.to_vec(),
        };
        Some((stage.to_str()?, parsed)).filter(|(_, parsed)| !parsed.words.is_empty())
    }
}
