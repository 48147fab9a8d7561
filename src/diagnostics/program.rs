//! A language server as a program: started, and killed with all that it started.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::trouble::Trouble;
use super::wire::Wire;

/// Most bytes that are kept of what it says besides the protocol: the last ones.
const KEPT: usize = 4 << 10;
/// How often who waits for its end looks.
const LOOK: Duration = Duration::from_millis(10);

/// A language server as a program.
///
/// Dropped, it is killed with the whole of its process group, whether it is still there or not.
pub(super) struct Program {
    child: Child,
    complaints: Arc<Mutex<Vec<u8>>>,
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
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(Trouble::Start)?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // From here on it is killed whatever happens.
        let program = Self { child, complaints: Arc::default() };
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err(Trouble::Start(io::ErrorKind::BrokenPipe.into()));
        };
        let kept = Arc::clone(&program.complaints);
        let keep = thread::Builder::new().name("server errors".to_owned());
        keep.spawn(move || keep_last(errors, &kept)).map_err(Trouble::Start)?;
        let wire = Wire::new(output, input).map_err(Trouble::Start)?;
        Ok((program, wire))
    }

    /// Returns the last line that it said besides the protocol.
    pub(super) fn complaint(&self) -> Option<String> {
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&complaints);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }

    /// Waits for its end; not longer than until `until`.
    pub(super) fn wait(&mut self, until: Instant) {
        while Instant::now() < until && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(LOOK);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Its number is not given to anybody else before it was waited for, or while others of the group are there.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
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
