//! Job objects and pipes on Windows.
//!
//! Pipes have no common wait here. A thread writes the input of a command, and another one reads
//! its output.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, Read, Write};
use std::os::windows::io::AsHandle;
use std::os::windows::process::CommandExt;
use std::path::{Component, Path, PathBuf, Prefix};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use wpatch_nt::{Job, available_bytes, resume, send_break};

use super::tail::TailBuffer;
use super::{
    CommandOutput, ErrorTarget, ExitReason, GRACE, MAX_OUTPUT, MAX_PAUSE, ShellCommand, Timeout,
    wait,
};
use crate::interrupt::Interrupt;
use crate::mutex::lock_unpoisoned;

/// Flags of `CreateProcess`.
const CREATE_SUSPENDED: u32 = 0x0000_0004;
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;

/// The first wait for a process or a pipe. Later waits double up to [`MAX_PAUSE`].
const MIN_PAUSE: Duration = Duration::from_millis(1);
/// The time to wait until the members of a killed job have ended, and until the output is read.
const REAP_TIMEOUT: Duration = Duration::from_millis(200);
/// The number of bytes per read.
const CHUNK: usize = 64 << 10;
/// The exit code of killed processes.
const KILLED: u32 = 1;
/// The variable that names another shell than `cmd`.
const SHELL_VARIABLE: &str = "WPATCH_SHELL";
/// While this variable is set, `cmd` does not search the working directory for programs.
const NO_SEARCH_HERE: &str = "NoDefaultCurrentDirectoryInExePath";
/// The longest path of a working directory, without the final NUL and separator.
const MAX_DIRECTORY: usize = 258;

/// The terminal from which a user's keys arrive.
#[cfg(feature = "review")]
pub(crate) struct TerminalInput;

#[cfg(feature = "review")]
#[allow(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape on other systems"
)]
impl TerminalInput {
    /// Returns the terminal of the process.
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self)
    }

    /// Returns `None`: a program cannot leave other settings here.
    pub(crate) fn settings(&self) -> Option<TerminalSettings> {
        None
    }

    /// Does nothing, because there are no settings.
    pub(crate) fn restore(&self, _settings: &TerminalSettings) {}

    /// Returns at once, because this system cannot wait for keys here.
    pub(crate) fn wait(&self, _timeout: Duration) -> super::InputState {
        super::InputState::Unknown
    }
}

/// The settings of a terminal. This system has none.
#[cfg(feature = "review")]
pub(crate) struct TerminalSettings;

/// Does nothing: this system cannot stop a job.
#[cfg(feature = "review")]
pub(crate) fn suspend_job() {}

/// A process with a job object that contains it and its descendants. Dropping it kills them all.
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    job: Job,
    is_killed: bool,
}

impl ProcessGroup {
    /// Starts `command` in a job and a console process group of its own.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the command cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let job = Job::new()?;
        // A process that runs before it is in the job could start others outside of it.
        command.creation_flags(CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP);
        let mut child = command.spawn()?;
        let started = job
            .assign(child.as_handle())
            .and_then(|()| resume(child.as_handle()));
        if let Err(error) = started {
            let _ = child.kill();
            return Err(error);
        }
        Ok(Self {
            child,
            job,
            is_killed: false,
        })
    }

    /// Returns the process itself.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Returns whether the process itself has ended.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Asks the processes of the group to end: sends Ctrl-Break. Without a common console they
    /// cannot be asked, and are killed.
    pub fn terminate(&self) {
        if send_break(self.child.id()).is_err() {
            let _ = self.job.terminate(KILLED);
        }
    }

    /// Kills the rest of the group and returns the exit status of the process itself. Returns
    /// `None` if the process does not end.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn kill(&mut self) -> io::Result<Option<ExitStatus>> {
        self.is_killed = true;
        self.job.terminate(KILLED)?;
        let mut status = None;
        wait(GRACE, || {
            status = self.child.try_wait().transpose();
            status.is_some()
        });
        // A killed process can still write for a moment.
        wait(REAP_TIMEOUT, || {
            !matches!(self.job.active_processes(), Ok(1..))
        });
        status.transpose()
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.is_killed {
            let _ = self.kill();
        }
    }
}

/// Returns `None`, because users have no numbers on this system.
pub(super) fn user() -> Option<u32> {
    None
}

/// Waits until the pipe has data or is at its end.
///
/// # Errors
///
/// Returns the error of [`Timeout::check`] if the time limit is over or the interrupt is raised.
pub(super) fn wait_for_bytes(pipe: &ChildStdout, timeout: &Timeout) -> io::Result<()> {
    let (start, mut pause) = (Instant::now(), MIN_PAUSE);
    loop {
        timeout.check(start)?;
        if available_bytes(pipe.as_handle())? != Some(0) {
            return Ok(());
        }
        thread::sleep(pause);
        pause = (2 * pause).min(MAX_PAUSE);
    }
}

/// Runs a command; see [`super::run`].
pub(super) fn run_with_io(
    shell_command: &ShellCommand<'_>,
    interrupt: &Interrupt,
) -> io::Result<CommandOutput> {
    let start = Instant::now();
    let (reader, writer) = io::pipe()?;
    let variables = shell_command.environment.iter();
    let mut command = shell(shell_command)?;
    command
        .envs(variables.map(|(name, value)| (name, value)))
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
    let output = OutputReader::start(reader)?;
    if let Some(input) = group.child().stdin.take() {
        start_writer(input, shell_command.input)?;
    }
    let asked = wait_until_end(&mut group, &output, &|| {
        if interrupt.is_raised() {
            Some(ExitReason::Stopped)
        } else {
            (start.elapsed() >= shell_command.limit).then_some(ExitReason::TimedOut)
        }
    })?;
    let status = group.kill()?;
    let time = start.elapsed();
    let (output, is_cut) = output.finish();
    let reason = match asked {
        Some(reason) => reason,
        None => exit_reason(status)?,
    };
    Ok(CommandOutput {
        reason,
        output,
        is_cut,
        time,
    })
}

/// Waits until the command ends. Asks the command to end if `reason_to_end` returns a reason, and
/// returns this reason.
fn wait_until_end(
    group: &mut ProcessGroup,
    output: &OutputReader,
    reason_to_end: &dyn Fn() -> Option<ExitReason>,
) -> io::Result<Option<ExitReason>> {
    let mut asked: Option<(ExitReason, Instant)> = None;
    let mut pause = MIN_PAUSE;
    loop {
        let has_ended = group.has_ended()?;
        let is_over = match asked {
            None => has_ended,
            // After a request to end, the loop also waits for the end of the output, but at most
            // `GRACE`.
            Some((_, since)) => has_ended && output.is_at_end() || since.elapsed() >= GRACE,
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
        thread::sleep(pause);
        pause = (2 * pause).min(MAX_PAUSE);
    }
}

/// Returns how a command with this exit status ended.
pub(super) fn exit_reason(status: Option<ExitStatus>) -> io::Result<ExitReason> {
    status
        .and_then(|status| status.code())
        .map(ExitReason::Exited)
        .ok_or_else(|| io::Error::other("the exit status of the command is unknown"))
}

/// Returns the call of the shell: `cmd`, or the program that `WPATCH_SHELL` names.
fn shell(shell_command: &ShellCommand<'_>) -> io::Result<Command> {
    let directory = working_directory(shell_command.directory);
    let named = env::var_os(SHELL_VARIABLE).filter(|shell| !shell.is_empty());
    let program = named.or_else(|| env::var_os("ComSpec").filter(|shell| is_absolute(shell)));
    let program = program.unwrap_or_else(|| "cmd.exe".into());
    let mut command = Command::new(&program);
    let stem = Path::new(&program).file_stem().unwrap_or_default();
    if stem.eq_ignore_ascii_case("cmd") {
        if directory.to_string_lossy().starts_with(r"\\") {
            let text = format!(
                "`cmd` cannot run in {}; set {SHELL_VARIABLE} to another shell",
                directory.display()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        // With `/s`, `cmd` removes only the outer quotation marks.
        let mut script = OsString::from("\"");
        script.push(shell_command.command);
        script.push("\"");
        command.args(["/d", "/s", "/c"]).raw_arg(script);
    } else if stem.eq_ignore_ascii_case("powershell") || stem.eq_ignore_ascii_case("pwsh") {
        command
            .args(["-NoProfile", "-NonInteractive", "-Command"])
            .arg(shell_command.command);
    } else {
        command.args(["-c", "--"]).arg(shell_command.command);
    }
    command.current_dir(directory).env(NO_SEARCH_HERE, "1");
    Ok(command)
}

fn is_absolute(program: &OsStr) -> bool {
    Path::new(program).is_absolute()
}

/// Returns the form of an absolute path that programs accept as a working directory: without `\\?\`
/// if possible. With this prefix `cmd` would run in the directory of Windows.
fn working_directory(path: &Path) -> PathBuf {
    let mut components = path.components();
    let prefix = match components.next() {
        Some(Component::Prefix(prefix)) => prefix.kind(),
        _ => return path.to_owned(),
    };
    let mut plain = match prefix {
        Prefix::VerbatimDisk(letter) => OsString::from(format!("{}:", char::from(letter))),
        Prefix::VerbatimUNC(server, share) => {
            let mut plain = OsString::from(r"\\");
            plain.push(server);
            plain.push(r"\");
            plain.push(share);
            plain
        }
        _ => return path.to_owned(),
    };
    plain.push(components.as_path());
    if plain.len() > MAX_DIRECTORY {
        return path.to_owned();
    }
    plain.into()
}

/// Starts a thread that writes `bytes` to the input of a command and closes it. The command does
/// not have to read its input. The thread ends with the last reader of the pipe.
fn start_writer(mut input: ChildStdin, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let bytes = bytes.to_vec();
    let write = move || drop(input.write_all(&bytes));
    let name = "command input".to_owned();
    thread::Builder::new().name(name).spawn(write).map(drop)
}

/// The output of a command, read by a thread.
struct OutputReader {
    tail: Arc<Mutex<TailBuffer>>,
    thread: JoinHandle<()>,
}

impl OutputReader {
    fn start(mut pipe: PipeReader) -> io::Result<Self> {
        let tail = Arc::new(Mutex::new(TailBuffer::of(MAX_OUTPUT)));
        let shared = Arc::clone(&tail);
        let read = move || {
            let mut buffer = vec![0; CHUNK];
            // An error ends the output, as the end of the pipe does.
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                lock_unpoisoned(&shared).add(&buffer[..count]);
            }
        };
        let name = "command output".to_owned();
        let thread = thread::Builder::new().name(name).spawn(read)?;
        Ok(Self { tail, thread })
    }

    fn is_at_end(&self) -> bool {
        self.thread.is_finished()
    }

    /// Returns the last bytes, and whether earlier bytes were dropped. Does not wait for processes
    /// outside the job that keep the output open.
    fn finish(self) -> (Vec<u8>, bool) {
        wait(REAP_TIMEOUT, || self.is_at_end());
        let mut tail = lock_unpoisoned(&self.tail);
        std::mem::replace(&mut *tail, TailBuffer::of(0)).finish()
    }
}

#[cfg(test)]
mod tests;
