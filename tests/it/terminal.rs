//! The program on a terminal.
#![cfg(target_os = "linux")]

mod check;
mod pager;

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fs_err as fs;
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::TempDir;

/// Returns a directory with these files.
pub(crate) fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// Returns the command `wpatch` in `root` with an environment that does not depend on the caller.
pub(crate) fn wpatch(root: &Path, arguments: &[&str]) -> Command {
    let mut command = crate::world::wpatch();
    for name in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "LC_ALL",
        "LC_CTYPE",
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
        "WPATCH_PAGER",
        "GIT_PAGER",
        "LESS",
        "LV",
    ] {
        command.env_remove(name);
    }
    command
        .current_dir(root)
        .args(arguments)
        .env("TERM", "xterm")
        .env("PAGER", "cat")
        .env("CI", "true")
        .env("LANG", "C.UTF-8")
        .env("HOME", root)
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// Returns the size of a terminal with this number of columns and rows.
pub(crate) fn window_size((columns, rows): (u16, u16)) -> Winsize {
    Winsize {
        ws_col: columns,
        ws_row: rows,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

/// Opens a terminal with this number of columns and rows. Returns the end that a test reads and
/// writes, and the end for a process. Processes of other tests inherit neither.
pub(crate) fn open_terminal(size: (u16, u16)) -> (File, OwnedFd) {
    let controller =
        openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    tcsetwinsize(&controller, window_size(size)).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    (controller.into(), open(name, flags, Mode::empty()).unwrap())
}

/// A process whose standard output and standard error are a terminal.
struct OnTerminal {
    child: Child,
    written: File,
}

impl OnTerminal {
    /// Starts `command` on a terminal with `columns` and `rows`.
    fn start(mut command: Command, size: (u16, u16)) -> Self {
        let (controller, terminal) = open_terminal(size);
        command
            .stdin(Stdio::null())
            .stdout(terminal.try_clone().unwrap())
            .stderr(terminal);
        Self {
            child: command.spawn().unwrap(),
            written: controller,
        }
    }

    /// Waits for the end of the process, and returns its exit code and its whole output.
    fn ended(mut self) -> (Option<i32>, String) {
        let mut written = Vec::new();
        self.read_to_end(&mut written);
        let code = self.child.wait().unwrap().code();
        // The output that followed a read which failed while the process ran.
        self.read_to_end(&mut written);
        let text = String::from_utf8(written).unwrap().replace("\r\n", "\n");
        (code, text)
    }

    /// Reads until a read fails, which it does after the last writer of a terminal has ended.
    fn read_to_end(&mut self, written: &mut Vec<u8>) {
        let mut chunk = [0; 1024];
        while let Ok(size @ 1..) = self.written.read(&mut chunk) {
            written.extend(&chunk[..size]);
        }
    }
}

/// Runs `command` on a terminal of 80 columns, and returns its exit code and its output.
fn on_terminal(command: Command) -> (Option<i32>, String) {
    OnTerminal::start(command, (80, 24)).ended()
}

/// Returns `text` without escape sequences for colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap().to_owned();
    let rest = parts.map(|part| part.split_once('m').unwrap().1);
    first + &rest.collect::<String>()
}
