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

/// A process whose standard output and standard error are a terminal.
struct OnTerminal {
    child: Child,
    written: File,
}

impl OnTerminal {
    /// Starts `command` on a terminal with `columns` and `rows`.
    fn start(mut command: Command, (columns, rows): (u16, u16)) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let size = Winsize {
            ws_col: columns,
            ws_row: rows,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&controller, size).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let terminal: OwnedFd = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        command
            .stdin(Stdio::null())
            .stdout(terminal.try_clone().unwrap())
            .stderr(terminal);
        Self {
            child: command.spawn().unwrap(),
            written: controller.into(),
        }
    }

    /// Waits for the end of the process, and returns its exit code and its whole output.
    fn ended(mut self) -> (Option<i32>, String) {
        let (mut written, mut chunk) = (Vec::new(), [0; 1024]);
        // If the last writer of a terminal exits, a read fails instead of returning the end.
        while let Ok(size @ 1..) = self.written.read(&mut chunk) {
            written.extend(&chunk[..size]);
        }
        let text = String::from_utf8(written).unwrap().replace("\r\n", "\n");
        (self.child.wait().unwrap().code(), text)
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
