//! A root with something outside of it, and the program in a process of little time and memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;
use walkdir::WalkDir;

use crate::tree::{self, Traces, Tree};
use crate::world;

/// What the file outside of the root holds.
pub(super) const SECRET: &str = "secret\n";

/// Seconds of a processor that a run may take: 2 where the program is built to be quick.
const SECONDS: u32 = if cfg!(debug_assertions) { 30 } else { 2 };
/// Kilobytes of memory that a run may ask for.
const KILOBYTES: u32 = 300_000;

/// A directory that holds `root/`, `outside/secret` and `outside/empty`.
pub(super) struct Place(TempDir);

/// What was found in a place.
#[derive(Debug)]
pub(super) struct Found(Traces);

impl Found {
    /// Returns the files: directories have other times once a state directory came and went.
    pub(super) fn files(&self) -> BTreeMap<&Path, [i64; 7]> {
        let is_directory = |traces: &[i64; 7]| traces[0] & 0o170_000 == 0o040_000;
        let files = self.0.iter().filter(|(_, traces)| !is_directory(traces));
        files
            .map(|(path, traces)| (path.as_path(), *traces))
            .collect()
    }
}

impl Place {
    pub(super) fn new(before: &Tree) -> Self {
        let directory = TempDir::new().unwrap();
        let place = Self(directory);
        tree::write(before, &place.root());
        fs::create_dir(place.outside()).unwrap();
        fs::write(place.outside().join("secret"), SECRET).unwrap();
        fs::write(place.outside().join("empty"), "").unwrap();
        place
    }

    pub(super) fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    pub(super) fn outside(&self) -> PathBuf {
        self.0.path().join("outside")
    }

    pub(super) fn traces(&self) -> Found {
        let mut traces = tree::traces(self.0.path());
        // The patch, and the lock of the state directory that a refused run may leave.
        traces.retain(|path, _| !path.ends_with("patch") && !path.ends_with("lock"));
        Found(traces)
    }

    /// Runs the program on `patch`. It may neither wait for anything nor take more than [`SECONDS`]
    /// and [`KILOBYTES`].
    pub(super) fn run(&self, arguments: &[String], patch: &[u8]) -> Output {
        let file = self.0.path().join("patch");
        fs::write(&file, patch).unwrap();
        limited(&file)
            .args(arguments)
            .args(["--durability", "none"])
            .current_dir(self.root())
            // Each arena of the allocator and each thread takes addresses that nothing is stored
            // at.
            .envs([("MALLOC_ARENA_MAX", "1"), ("RAYON_NUM_THREADS", "2")])
            .output()
            .unwrap()
    }

    /// Returns the report that the program printed.
    ///
    /// # Panics
    ///
    /// If it printed none, as after a panic or a signal.
    pub(super) fn report(output: &Output) -> Value {
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// Checks what holds after every run: nothing outside is other than it was, nothing was
    /// executed, no file has got odd bits, and nothing that was printed acts on a terminal.
    pub(super) fn is_safe(&self, output: &Output) -> Result<(), String> {
        let names: Vec<_> = fs::read_dir(self.outside())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        let secret = fs::read_to_string(self.outside().join("secret")).unwrap();
        let empty = fs::read(self.outside().join("empty")).unwrap();
        if names.len() != 2 || secret != SECRET || !empty.is_empty() {
            return Err(format!("outside: {names:?} {secret:?}"));
        }
        for entry in WalkDir::new(self.0.path()).into_iter().map(Result::unwrap) {
            let mode = world::bits(&entry.path().symlink_metadata().unwrap());
            if entry.file_name() == "pwned" || (entry.file_type().is_file() && mode & 0o7000 != 0) {
                return Err(format!("{}: {mode:o}", entry.path().display()));
            }
        }
        for stream in [&output.stdout, &output.stderr] {
            let text = std::str::from_utf8(stream).map_err(|error| error.to_string())?;
            if let Some(character) = text.chars().find(|&character| acts(character)) {
                return Err(format!("{character:?} is printed: {text}"));
            }
            if text.contains("panicked") {
                return Err(text.to_owned());
            }
        }
        Ok(())
    }
}

/// Returns a command that runs the program with `input`, limited to [`SECONDS`] and [`KILOBYTES`].
#[cfg(unix)]
fn limited(input: &Path) -> Command {
    let limits =
        format!("ulimit -v {KILOBYTES} && ulimit -t {SECONDS} && exec timeout 120 \"$0\" \"$@\"");
    let mut command = Command::new("bash");
    command
        .args(["-c", &limits, env!("CARGO_BIN_EXE_wpatch")])
        .stdin(fs::File::open(input).unwrap().into_file());
    command
}

/// Returns a command that runs the program with `input`. No command of Windows sets limits.
#[cfg(windows)]
fn limited(input: &Path) -> Command {
    let mut command = world::wpatch();
    command.stdin(fs::File::open(input).unwrap().into_file());
    command
}

/// Returns whether a character moves the cursor, reorders what is read, or cannot be seen.
fn acts(character: char) -> bool {
    let reorders = matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    let is_control = character.is_control() && character != '\n' && character != '\t';
    is_control || reorders || matches!(character, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
