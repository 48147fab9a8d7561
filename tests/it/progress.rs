//! How far a run is: shown on a terminal, and nowhere else.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};

use fs_err as fs;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::terminal::open_terminal;

const PATCH: &str = "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+two\n";
const LINE: &str = "reading the patch";
/// What empties the line that the cursor is in.
const CLEAR: &str = "\r\x1b[2K";
/// What a person reads where no history is kept.
const NOTE: &str = "note: this change cannot be undone: the root is not in a git work tree, has no .wpatch \
     directory, and XDG_STATE_HOME is not set\r\nhelp: run `wpatch init` so that later changes can be undone\r\n";
/// Seconds until nothing more is expected.
const PATIENCE: i64 = 120;

/// A run that waits for its patch, and what it writes to standard error.
struct Held {
    root: TempDir,
    child: Child,
    written: File,
}

impl Held {
    /// Begins one whose standard error is a terminal.
    fn on_terminal(arguments: &[&str], variable: (&str, &str)) -> Self {
        let (controller, terminal) = open_terminal((80, 24));
        Self::begin(arguments, variable, terminal.into(), controller)
    }

    fn in_pipe() -> Self {
        let (reader, writer) = std::io::pipe().unwrap();
        Self::begin(
            &[],
            ("TERM", "xterm"),
            writer.into(),
            File::from(OwnedFd::from(reader)),
        )
    }

    fn begin(
        arguments: &[&str],
        (name, value): (&str, &str),
        errors: Stdio,
        written: File,
    ) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "one\n").unwrap();
        mknodat(
            CWD,
            root.path().join("patch"),
            FileType::Fifo,
            Mode::RWXU,
            0,
        )
        .unwrap();
        let mut command = crate::world::wpatch();
        command
            .current_dir(root.path())
            .args(["apply", "patch"])
            .args(arguments);
        command
            .env_remove("CI")
            .env_remove("XDG_STATE_HOME")
            .env("TERM", "xterm")
            .env(name, value);
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .unwrap();
        Self {
            root,
            child,
            written,
        }
    }

    /// Reads until `text` was written.
    fn wait_for(&mut self, text: &str) -> String {
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains(text) {
            let patience = Timespec {
                tv_sec: PATIENCE,
                tv_nsec: 0,
            };
            let mut fds = [PollFd::new(&self.written, PollFlags::IN)];
            assert_eq!(
                poll(&mut fds, Some(&patience)).unwrap(),
                1,
                "{}",
                String::from_utf8_lossy(&seen)
            );
            let mut chunk = [0; 1024];
            let size = self.written.read(&mut chunk).unwrap();
            seen.extend(&chunk[..size]);
        }
        String::from_utf8(seen).unwrap()
    }

    /// Gives it `patch`, and returns how it ended and what it wrote since.
    fn released(self, patch: &str) -> (ExitStatus, String) {
        fs::write(self.root.path().join("patch"), patch).unwrap();
        self.ended()
    }

    fn ended(mut self) -> (ExitStatus, String) {
        let (mut rest, mut chunk) = (Vec::new(), [0; 1024]);
        // A terminal whose last writer has gone has an error instead of an end.
        while let Ok(size @ 1..) = self.written.read(&mut chunk) {
            rest.extend(&chunk[..size]);
        }
        (self.child.wait().unwrap(), String::from_utf8(rest).unwrap())
    }
}

/// Returns what is left to see of what was written.
fn visible(written: &str) -> &str {
    written
        .rsplit_once(CLEAR)
        .expect("the line is never emptied")
        .1
}

#[test]
fn a_run_that_lasts_is_shown_to_who_looks_on() {
    let usual = ("TERM", "xterm");
    // They have all waited for longer than the one that is begun last.
    let silent = [
        (Held::in_pipe(), false),
        (Held::on_terminal(&["--quiet"], usual), false),
        (Held::on_terminal(&[], ("TERM", "dumb")), true),
        (Held::on_terminal(&[], ("CI", "true")), true),
    ];
    let mut refused = Held::on_terminal(&[], usual);
    let mut shown = Held::on_terminal(&["--json"], usual);
    refused.wait_for(LINE);
    shown.wait_for(LINE);

    let root = shown.root.path().join("file");
    let contents = || fs::read_to_string(&root).unwrap();
    assert_eq!(contents(), "one\n");
    let (status, rest) = shown.released(PATCH);
    assert_eq!((status.code(), visible(&rest)), (Some(0), ""));

    let (status, rest) = refused.released(&PATCH.replace("-one", "-three"));
    assert_eq!(status.code(), Some(1));
    assert!(visible(&rest).contains("error"), "{rest:?}");
    assert!(!visible(&rest).contains(LINE), "{rest:?}");

    for (held, is_told) in silent {
        let (status, written) = held.released(PATCH);
        assert_eq!(
            (status.code(), written.as_str()),
            (Some(0), if is_told { NOTE } else { "" })
        );
    }
}

#[test]
fn a_person_reads_once_that_a_change_cannot_be_undone() {
    let usual = ("TERM", "xterm");
    let (status, rest) = Held::on_terminal(&[], usual).released(PATCH);
    assert_eq!(
        (status.code(), rest.rsplit(CLEAR).next()),
        (Some(0), Some(NOTE))
    );
    // A change that is not made, and one that can be undone.
    let (status, rest) = Held::on_terminal(&[], usual).released(&PATCH.replace("-one", "-three"));
    assert!(
        status.code() == Some(1) && !rest.contains("undone"),
        "{rest:?}"
    );
    let held = Held::on_terminal(&[], usual);
    fs::create_dir(held.root.path().join(".git")).unwrap();
    let (status, rest) = held.released(PATCH);
    assert!(
        status.code() == Some(0) && !rest.contains("undone"),
        "{rest:?}"
    );
}

#[test]
fn a_signal_leaves_no_line_behind() {
    let mut held = Held::on_terminal(&[], ("TERM", "xterm"));
    held.wait_for(LINE);
    kill_process(Pid::from_child(&held.child), Signal::INT).unwrap();
    let (status, rest) = held.ended();
    assert_eq!((status.signal(), visible(&rest)), (Some(2), ""));
}

#[test]
fn the_line_is_removed_before_a_signal_is_reported() {
    let mut held = Held::on_terminal(&["--json"], ("TERM", "xterm"));
    held.wait_for(LINE);
    kill_process(Pid::from_child(&held.child), Signal::INT).unwrap();
    let (status, rest) = held.ended();
    assert_eq!(status.code(), Some(130));
    let message = visible(&rest);
    assert!(
        message.contains("stopped by signal 2") && !message.contains(LINE),
        "{rest:?}"
    );
}
