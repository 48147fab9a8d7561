//! `review` on a terminal.
#![cfg(target_os = "linux")]

mod actions;
mod display;
mod edits;
mod origins;
mod prompts;
mod results;

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fs_err as fs;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use tempfile::TempDir;

use crate::terminal::{open_terminal, tree, wpatch};

/// The time without output after which a test fails.
const SILENCE: Duration = Duration::from_secs(60);

/// The files of most tests.
const FILES: &[(&str, &str)] = &[
    (
        "a.txt",
        "a1\na2\na3\na4\na5\na6\na7\na8\na9\nb1\nb2\nb3\nb4\nb5\nb6\nb7\nb8\nb9\n",
    ),
    (
        "b.rs",
        "fn main() {\n    let limit = 10;\n    run(limit);\n}\n",
    ),
    ("old.txt", "old\n"),
];

/// Changes `a.txt` in two hunks, of which the first has two blocks; renames `old.txt`; creates
/// `new.txt`.
const PATCH: &str = "\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,6 +1,6 @@
 a1
-a2
+A2
+A2b
 a3
 a4
-a5
 a6
@@ -14,5 +14,6 @@
 b5
 b6
+b6b
 b7
 b8
 b9
diff --git a/b.rs b/b.rs
--- a/b.rs
+++ b/b.rs
@@ -1,4 +1,4 @@
 fn main() {
-    let limit = 10;
+    let limit = 20;
     run(limit);
 }
diff --git a/old.txt b/renamed.txt
similarity index 100%
rename from old.txt
rename to renamed.txt
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+n1
+n2
";

/// A review in a terminal. Standard output is a pipe, so the screen is on standard error.
struct Review {
    child: Child,
    terminal: File,
    screen: vt100::Parser,
    /// Everything that was written to the terminal.
    written: Vec<u8>,
}

/// The end of a review.
struct Ended {
    code: Option<i32>,
    /// The report on standard output.
    report: Value,
    /// Everything that was written to the terminal.
    written: Vec<u8>,
}

impl Review {
    /// Starts `command` with a controlling terminal of this size. Only the processes of a controlling
    /// terminal learn of a new size.
    fn start(inner: &Command, (columns, rows): (u16, u16)) -> Self {
        let mut command = Command::new("setsid");
        command
            .arg("--ctty")
            .arg(inner.get_program())
            .args(inner.get_args());
        command.current_dir(inner.get_current_dir().unwrap());
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let (controller, terminal) = open_terminal((columns, rows));
        command
            .stdin(terminal.try_clone().unwrap())
            .stdout(Stdio::piped())
            .stderr(terminal);
        Self {
            child: command.spawn().unwrap(),
            terminal: controller,
            screen: vt100::Parser::new(non_zero(rows), non_zero(columns), 0),
            written: Vec::new(),
        }
    }

    /// Starts a review of `patch` in `root` on a terminal of 80 columns and 24 rows.
    fn of(root: &Path, patch: &str) -> Self {
        fs::write(root.join("../change.diff"), patch).unwrap();
        let command = wpatch(root, &["review", "--json", "../change.diff"]);
        let mut review = Self::start(&command, (80, 24));
        review.wait_for("decided");
        review
    }

    /// Writes to the terminal as a keyboard or a mouse does.
    fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads the output until the screen contains one of `texts`, and returns the text.
    fn wait_for_any<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        loop {
            let shown = self.screen.screen().contents();
            if let Some(text) = texts.iter().find(|text| shown.contains(**text)) {
                return text;
            }
            assert!(self.read(), "the program has ended; screen:\n{shown}");
        }
    }

    fn wait_for(&mut self, text: &str) {
        self.wait_for_any(&[text]);
    }

    /// Reads one piece of output. Returns `false` at the end.
    fn read(&mut self) -> bool {
        let timeout = Timespec::try_from(SILENCE).unwrap();
        let ready = poll(
            &mut [PollFd::from_borrowed_fd(
                self.terminal.as_fd(),
                PollFlags::IN,
            )],
            Some(&timeout),
        );
        let shown = || self.screen.screen().contents();
        assert_ne!(
            ready.unwrap(),
            0,
            "no output for a long time; screen:\n{}",
            shown()
        );
        let mut chunk = [0; 1 << 13];
        // If the last writer of a terminal exits, a read fails instead of returning the end.
        let Ok(size @ 1..) = self.terminal.read(&mut chunk) else {
            return false;
        };
        self.written.extend(&chunk[..size]);
        self.screen.process(&chunk[..size]);
        true
    }

    /// Returns the text of the screen.
    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits for the end of the program.
    fn end(mut self) -> Ended {
        // The report can be larger than the buffer of a pipe.
        let mut stdout = self.child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).unwrap();
            text
        });
        while self.read() {}
        let code = self.child.wait().unwrap().code();
        let text = reader.join().unwrap();
        Ended {
            code,
            report: serde_json::from_str(&text).unwrap_or(Value::Null),
            written: self.written,
        }
    }

    /// Ends the review with `w`, leaves out what has no decision, and confirms.
    fn finish(mut self) -> Ended {
        self.press("w");
        let questions = ["have no decision", "has no decision", "(y/n)"];
        if self.wait_for_any(&questions) != "(y/n)" {
            self.press("n");
            self.wait_for("(y/n)");
        }
        self.press("y");
        self.end()
    }
}

impl Ended {
    /// Returns the list for `--only` that the decisions name.
    fn only(&self) -> Option<&str> {
        self.report["decisions"]["only"].as_str()
    }
}

fn non_zero(number: u16) -> NonZero<u16> {
    NonZero::new(number).unwrap()
}

/// A directory `root` with files, in a directory for patches.
struct Desk {
    directory: TempDir,
}

impl Desk {
    fn new(files: &[(&str, &str)]) -> Self {
        let names: Vec<_> = files
            .iter()
            .map(|(name, text)| (format!("root/{name}"), *text))
            .collect();
        let borrowed: Vec<_> = names
            .iter()
            .map(|(name, text)| (name.as_str(), *text))
            .collect();
        let directory = tree(&borrowed);
        fs::create_dir_all(directory.path().join("root")).unwrap();
        Self { directory }
    }

    fn root(&self) -> std::path::PathBuf {
        self.directory.path().join("root")
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }
}
