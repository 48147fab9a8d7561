//! A language server as a program: started, and killed with all that it started.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::trouble::Trouble;
use super::wire::Wire;
use crate::process::Group;

/// Most bytes that are kept of what it says besides the protocol: the last ones.
const KEPT: usize = 4 << 10;
/// How often who waits for its end looks.
const LOOK: Duration = Duration::from_millis(10);

/// A language server as a program.
///
/// Dropped, it is killed with the whole of its process group, whether it is still there or not.
pub(super) struct Program {
    group: Group,
    complaints: Arc<Mutex<Vec<u8>>>,
    /// Who notes them.
    listener: JoinHandle<()>,
}

impl Program {
    /// Starts `command`, its program first, in `root`.
    ///
    /// # Security
    ///
    /// The program is looked for in the search path, never in `root`.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be started.
    pub(super) fn start(command: &[String], root: &Path) -> Result<(Self, Wire), Trouble> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| Trouble::Start(io::ErrorKind::NotFound.into()))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(root);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::start(&mut command).map_err(Trouble::Start)?;
        let child = group.child();
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err(Trouble::Start(io::ErrorKind::BrokenPipe.into()));
        };
        let complaints = Arc::new(Mutex::default());
        let kept = Arc::clone(&complaints);
        let keep = thread::Builder::new().name("server errors".to_owned());
        let listener = keep.spawn(move || keep_last(errors, &kept)).map_err(Trouble::Start)?;
        let wire = Wire::new(output, input).map_err(Trouble::Start)?;
        Ok((Self { group, complaints, listener }, wire))
    }

    /// Returns the last line that it said besides the protocol. What it may still say is waited for until `until`.
    pub(super) fn complaint(&self, until: Instant) -> Option<String> {
        wait(until, || self.listener.is_finished());
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&complaints);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }

    /// Waits for its end; not longer than until `until`.
    pub(super) fn wait(&self, until: Instant) {
        wait(until, || !matches!(self.group.has_ended(), Ok(false)));
    }
}

fn wait(until: Instant, is_over: impl Fn() -> bool) {
    while Instant::now() < until && !is_over() {
        thread::sleep(LOOK);
    }
}

fn keep_last(mut from: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; KEPT];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..read]);
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
    }
}
