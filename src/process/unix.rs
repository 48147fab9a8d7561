//! Process groups and pipes on Unix.

#[cfg(feature = "review")]
mod terminal;

use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getuid, kill_process_group, test_kill_process_group, waitid,
};

use super::tail::TailBuffer;
use super::{
    CommandOutput, ErrorTarget, ExitReason, GRACE, MAX_OUTPUT, MAX_PAUSE, ShellCommand, Timeout,
    wait,
};
use crate::interrupt::Interrupt;

#[cfg(feature = "review")]
pub(crate) use terminal::{TerminalInput, TerminalSettings, suspend_job};

/// The first wait for a pipe. Later waits double up to [`MAX_PAUSE`].
const MIN_PAUSE: Duration = Duration::from_millis(1);
/// The time to wait until other processes have reaped the killed members of a group.
const REAP_TIMEOUT: Duration = Duration::from_millis(200);
/// The number of bytes per read or write.
const CHUNK: usize = 64 << 10;
/// The maximum number of bytes to read after the command has ended: the capacity of the largest
/// pipe, see pipe(7).
const MAX_REMAINING_OUTPUT: usize = 1 << 20;

/// A process with its process group. Dropping it kills the whole group.
///
/// A descendant leaves the group if it calls setsid(2) or setpgid(2).
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    /// The process group. The kernel cannot reuse this ID until the process is reaped.
    id: Option<Pid>,
}

impl ProcessGroup {
    /// Starts `command` in a process group of its own.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the command cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        Ok(Self {
            id: Pid::from_raw(child.id().cast_signed()),
            child,
        })
    }

    /// Returns the process itself.
    ///
    /// If the caller reaps the process through this reference, the ID of the group is no longer
    /// reserved.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Returns whether the process itself has ended. Does not reap it.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel reaps ended processes automatically, because SIGCHLD is
    /// ignored (wait(2)).
    pub fn has_ended(&mut self) -> io::Result<bool> {
        let Some(id) = self.id else { return Ok(true) };
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(id), how)?.is_some())
    }

    /// Asks all processes of the group to end, including stopped ones.
    pub fn terminate(&self) {
        self.send(Signal::TERM);
        // A stopped process receives the signal only after it continues (signal(7)).
        self.send(Signal::CONT);
    }

    /// Kills the rest of the group and returns the exit status of the process itself. Returns
    /// `None` if the process does not end after SIGKILL.
    ///
    /// # Errors
    ///
    /// Returns the error of wait(2).
    pub fn kill(&mut self) -> io::Result<Option<ExitStatus>> {
        self.send(Signal::KILL);
        let Some(id) = self.id else { return Ok(None) };
        let mut status = None;
        wait(GRACE, || {
            status = self.child.try_wait().transpose();
            status.is_some()
        });
        self.id = None;
        // A killed process can still write for a moment. Other processes reap the killed
        // descendants. If they fail to, the zombies remain, so this wait has a limit.
        wait(REAP_TIMEOUT, || test_kill_process_group(id).is_err());
        status.transpose()
    }

    fn send(&self, signal: Signal) {
        if let Some(id) = self.id {
            // Fails with `ESRCH` if the group is empty, and with `EPERM` if its processes belong to
            // another user.
            let _ = kill_process_group(id, signal);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if self.id.is_some() {
            let _ = self.kill();
        }
    }
}

/// Returns the real user ID.
#[allow(clippy::unnecessary_wraps, reason = "other systems have none")]
pub(super) fn user() -> Option<u32> {
    Some(getuid().as_raw())
}

/// Waits until the pipe has data or is at its end.
///
/// # Errors
///
/// Returns the error of [`Timeout::check`] if the time limit is over or the interrupt is raised.
pub(super) fn wait_for_bytes(pipe: &ChildStdout, patience: &Timeout) -> io::Result<()> {
    let start = Instant::now();
    let pause = Timespec::try_from(MAX_PAUSE).map_err(io::Error::other)?;
    loop {
        patience.check(start)?;
        match poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&pause)) {
            // The time is over, or a signal arrived.
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Runs a command; see [`super::run`].
pub(super) fn run_with_io(
    shell_command: &ShellCommand<'_>,
    interrupt: &Interrupt,
) -> io::Result<CommandOutput> {
    let start = Instant::now();
    let (output, writer) = io::pipe()?;
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", "--"])
        .arg(shell_command.command)
        .current_dir(shell_command.directory);
    command.envs(
        shell_command
            .environment
            .iter()
            .map(|(name, value)| (name, value)),
    );
    command
        .stdin(Stdio::piped())
        .stdout(writer.try_clone()?)
        .stderr(match shell_command.errors {
            ErrorTarget::Output => writer.into(),
            ErrorTarget::Inherited => Stdio::inherit(),
        });
    let mut group = ProcessGroup::start(&mut command)?;
    // Dropping the command closes our copy of the write end, so that the pipe ends with its last
    // writer.
    drop(command);
    let mut command_io = CommandIo::new(group.child().stdin.take(), shell_command.input, output)?;
    let asked = transfer_until_end(&mut group, &mut command_io, &|| {
        if interrupt.is_raised() {
            Some(ExitReason::Stopped)
        } else {
            (start.elapsed() >= shell_command.limit).then_some(ExitReason::TimedOut)
        }
    })?;
    let status = group.kill()?;
    let time = start.elapsed();
    let (output, is_cut) = command_io.finish()?;
    let ending = match asked {
        Some(ending) => ending,
        None => exit_reason(status)?,
    };
    Ok(CommandOutput {
        reason: ending,
        output,
        is_cut,
        time,
    })
}

/// Transfers input and output until the command ends. Asks the command to end if `reason_to_end`
/// returns a reason, and returns this reason.
fn transfer_until_end(
    group: &mut ProcessGroup,
    command_io: &mut CommandIo<'_>,
    reason_to_end: &dyn Fn() -> Option<ExitReason>,
) -> io::Result<Option<ExitReason>> {
    let mut asked: Option<(ExitReason, Instant)> = None;
    loop {
        command_io.transfer()?;
        let has_ended = group.has_ended()?;
        let is_over = match asked {
            None => has_ended,
            // After a request to end, the loop also waits for the end of the output, but at most
            // `GRACE`.
            Some((_, since)) => {
                has_ended && command_io.output.is_none() || since.elapsed() >= GRACE
            }
        };
        if is_over {
            return Ok(asked.map(|(reason, _)| reason));
        }
        if asked.is_none()
            && let Some(reason) = reason_to_end()
        {
            asked = Some((reason, Instant::now()));
            group.terminate();
        }
    }
}

/// Returns how a command with this exit status ended.
pub(super) fn exit_reason(status: Option<ExitStatus>) -> io::Result<ExitReason> {
    let ended = |status: ExitStatus| {
        status
            .code()
            .map(ExitReason::Exited)
            .or_else(|| status.signal().map(ExitReason::Signalled))
    };
    status
        .and_then(ended)
        .ok_or_else(|| io::Error::other("the exit status of the command is unknown"))
}

/// The input and the output of a running command.
struct CommandIo<'a> {
    input: Option<ChildStdin>,
    /// The input not written yet.
    rest: &'a [u8],
    output: Option<PipeReader>,
    tail: TailBuffer,
    buffer: Vec<u8>,
    pause: Duration,
}

impl<'a> CommandIo<'a> {
    fn new(input: Option<ChildStdin>, rest: &'a [u8], output: PipeReader) -> io::Result<Self> {
        if let Some(input) = &input {
            ioctl_fionbio(input, true)?;
        }
        ioctl_fionbio(&output, true)?;
        let (tail, buffer) = (TailBuffer::of(MAX_OUTPUT), vec![0; CHUNK]);
        Ok(Self {
            input,
            rest,
            output: Some(output),
            tail,
            buffer,
            pause: MIN_PAUSE,
        })
    }

    /// Writes and reads the bytes that are possible now, or waits for a short time.
    fn transfer(&mut self) -> io::Result<()> {
        // Closing the pipe ends the input of the command.
        if self.rest.is_empty() {
            self.input = None;
        }
        let input = self
            .input
            .iter()
            .map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::OUT));
        let output = self
            .output
            .iter()
            .map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
        let mut pipes: Vec<_> = input.chain(output).collect();
        let pause = Timespec::try_from(self.pause).map_err(io::Error::other)?;
        let ready = match poll(&mut pipes, Some(&pause)) {
            // A signal arrived.
            Err(Errno::INTR) => 0,
            ready => ready?,
        };
        drop(pipes);
        self.pause = if ready > 0 {
            MIN_PAUSE
        } else {
            (2 * self.pause).min(MAX_PAUSE)
        };
        if ready > 0 {
            self.write_input()?;
            self.read_output()?;
        }
        Ok(())
    }

    /// Writes the next bytes of the input once.
    fn write_input(&mut self) -> io::Result<()> {
        let Some(pipe) = &mut self.input else {
            return Ok(());
        };
        match pipe.write(&self.rest[..self.rest.len().min(CHUNK)]) {
            Ok(count) => self.rest = &self.rest[count..],
            // The command does not have to read its input.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.input = None,
            Err(error) if is_transient(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Reads the available output once and returns the number of bytes.
    fn read_output(&mut self) -> io::Result<usize> {
        let Some(pipe) = &mut self.output else {
            return Ok(0);
        };
        match pipe.read(&mut self.buffer) {
            Ok(0) => self.output = None,
            Ok(count) => {
                self.tail.add(&self.buffer[..count]);
                return Ok(count);
            }
            Err(error) if is_transient(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(0)
    }

    /// Reads the rest of the output that is already in the pipe, without waiting for more.
    fn finish(mut self) -> io::Result<(Vec<u8>, bool)> {
        let mut taken = 0;
        while taken < MAX_REMAINING_OUTPUT {
            match self.read_output()? {
                0 => break,
                count => taken += count,
            }
        }
        Ok(self.tail.finish())
    }
}

/// Returns whether a later call can succeed: the pipe was not ready, or a signal arrived.
fn is_transient(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}
