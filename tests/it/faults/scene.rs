//! A tree, a patch for it, and runs of the program on them under strace.

mod patches;
mod runs;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use walkdir::WalkDir;

use super::strace::{Injection, Log};
use patches::{FILES, IN_PLACE, PATCH, SINGLE};

/// How long one run may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Type and mode, and contents or target, of everything by its path.
pub(crate) type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

/// A tree that is laid anew for each run.
pub(crate) struct Scene {
    directory: tempfile::TempDir,
    /// Where the tree is laid.
    pub(crate) root: PathBuf,
    files: &'static [(&'static str, &'static str)],
    /// Options of the program.
    options: &'static [&'static str],
    /// Where the history is kept; in a work tree of git if nothing is said.
    home: Option<PathBuf>,
    pub(crate) before: Tree,
    pub(crate) after: Tree,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        Self::of(directory, root, (FILES, PATCH, &[]))
    }

    /// Returns a scene of one change that need not survive a loss of power.
    pub(crate) fn single() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        let files = &[("d/update", "one\ntwo\nthree\n"), ("stays", "stays\n")];
        Self::of(directory, root, (files, SINGLE, &["--durability=none"]))
    }

    /// Returns a scene of one change of a file that has two names, in place.
    pub(crate) fn in_place() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        let scene = Self::of(
            directory,
            root,
            (&[("d/update", "one\ntwo\nthree\n")], SINGLE, IN_PLACE),
        );
        assert_eq!(
            scene.after[Path::new("other-name")],
            scene.after[Path::new("d/update")]
        );
        scene
    }

    /// Returns the usual scene, where the history is kept outside of the tree.
    pub(crate) fn with_external_history() -> Self {
        let scene = Self::new();
        let home = Some(scene.directory.path().join("home"));
        Self { home, ..scene }
    }

    /// Returns the usual scene, laid at `root`.
    pub(crate) fn at(root: &Path) -> Self {
        Self::with(root, FILES, PATCH)
    }

    /// Returns a scene of other files and another patch, laid at `root`.
    pub(crate) fn with(
        root: &Path,
        files: &'static [(&'static str, &'static str)],
        patch: &str,
    ) -> Self {
        Self::of(
            tempfile::tempdir().unwrap(),
            root.to_owned(),
            (files, patch, &[]),
        )
    }

    fn of(
        directory: tempfile::TempDir,
        root: PathBuf,
        (files, patch, options): (
            &'static [(&'static str, &'static str)],
            &str,
            &'static [&'static str],
        ),
    ) -> Self {
        let (before, after) = (Tree::new(), Tree::new());
        let mut scene = Self {
            directory,
            root,
            files,
            options,
            home: None,
            before,
            after,
        };
        fs_err::write(scene.patch(), patch).unwrap();
        scene.lay();
        scene.before = tree(&scene.root);
        let output = scene.run(&[], "apply");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        scene.after = tree(&scene.root);
        assert_ne!(scene.before, scene.after);
        scene
    }

    pub(crate) fn patch(&self) -> PathBuf {
        self.directory.path().join("patch")
    }

    fn log(&self) -> Log {
        Log::at(self.directory.path())
    }

    /// Lays the tree before. What is mounted below the root stays there.
    pub(crate) fn lay(&self) {
        let below = WalkDir::new(&self.root)
            .min_depth(1)
            .contents_first(true)
            .into_iter()
            .filter_map(Result::ok);
        for entry in below {
            let is_directory = entry.file_type().is_dir();
            let remove = if is_directory {
                fs_err::remove_dir::<&Path>
            } else {
                fs_err::remove_file::<&Path>
            };
            match remove(entry.path()) {
                Err(error) if error.kind() == ErrorKind::ResourceBusy => {}
                result => result.unwrap(),
            }
        }
        for (name, contents) in self.files {
            let path = self.root.join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            // For a moment, FUSE finds files that are gone under other spellings; not if they must
            // not exist.
            let mut file = fs_err::File::options()
                .write(true)
                .create_new(true)
                .open(&path)
                .unwrap();
            file.write_all(contents.as_bytes()).unwrap();
            fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        }
        let linked = symlink("stays", self.root.join("other-link"));
        // Some file systems have no links.
        assert!(
            linked
                .as_ref()
                .err()
                .is_none_or(|error| error.kind() != ErrorKind::AlreadyExists),
            "{linked:?}"
        );
        if self.options == IN_PLACE {
            fs_err::hard_link(self.root.join("d/update"), self.root.join("other-name")).unwrap();
        }
    }

    /// Runs the program, below strace if that has arguments, in one thread.
    ///
    /// # Panics
    ///
    /// If there is no strace, or if the run takes too long.
    pub(crate) fn run(&self, strace: &[String], command: &str) -> Output {
        ended(self.start(strace, command), || ())
    }

    fn start(&self, strace: &[String], command: &str) -> Child {
        let mut words: Vec<OsString> = Vec::new();
        if !strace.is_empty() {
            words.push("strace".into());
            words.extend(strace.iter().map(Into::into));
        }
        words.extend([program(), command.into()]);
        if !["recover", "undo", "init"].contains(&command) {
            words.extend(self.options.iter().map(Into::into));
            words.push(self.patch().into());
        }
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .current_dir(&self.root)
            .env("RAYON_NUM_THREADS", "1")
            .stdin(Stdio::null());
        command.envs(self.home.iter().map(|home| ("XDG_STATE_HOME", home)));
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        command
            .spawn()
            .unwrap_or_else(|error| panic!("{} has to be installed: {error}", words[0].display()))
    }

    /// Returns how often `command` makes each of the calls `trace`, on the tree as it stands.
    pub(crate) fn calls(
        &self,
        command: &str,
        trace: &[&'static str],
    ) -> BTreeMap<&'static str, usize> {
        let output = self.run(&self.log().tracing(trace), command);
        assert!(
            output.status.success(),
            "strace has to be able to trace: {output:?}"
        );
        self.log().counts(trace)
    }

    /// Runs `command` with a fault on the tree as it stands.
    pub(crate) fn strike(&self, command: &str, injection: &Injection) -> (bool, Output) {
        let output = self.run(&self.log().injecting(injection), command);
        (self.log().has_fault(), output)
    }

    /// Applies the patch, stops at one call, does `work` there and goes on with `fate`. `None` if
    /// the call is not made.
    pub(crate) fn halt(
        &self,
        (call, number): (&'static str, usize),
        work: impl FnOnce(),
        fate: Signal,
    ) -> Option<Output> {
        let stop = Injection {
            call,
            fault: "signal=STOP",
            when: number.to_string(),
        };
        let _ = fs_err::remove_file(self.log().0);
        let mut child = self.start(&self.log().injecting(&stop), "apply");
        let start = Instant::now();
        let stopped = loop {
            let log = self.log().text();
            let line = log
                .lines()
                .find(|line| line.ends_with("--- stopped by SIGSTOP ---"));
            if let Some(process) = line.and_then(|line| line.split(' ').next()?.parse().ok()) {
                break Pid::from_raw(process);
            }
            if child.try_wait().unwrap().is_some() {
                break None;
            }
            assert!(
                start.elapsed() < LIMIT,
                "it takes more than {LIMIT:?} to stop at {stop:?}: {log}"
            );
            thread::yield_now();
        };
        let Some(process) = stopped else {
            ended(child, || ());
            return None;
        };
        work();
        kill_process(process, fate).unwrap();
        // A thread that stopped only now has to be told again.
        Some(ended(child, || {
            if fate == Signal::CONT {
                let _ = kill_process(process, fate);
            }
        }))
    }
}

/// Waits for a process and those that it started, and calls `remind` now and then.
///
/// # Panics
///
/// If it takes too long.
fn ended(child: Child, remind: impl Fn()) -> Output {
    let group = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if let Ok(output) = receiver.recv_timeout(Duration::from_millis(50)) {
            return output.unwrap();
        }
        remind();
    }
    let _ = kill_process_group(group, Signal::KILL);
    panic!("it takes more than {LIMIT:?}");
}

/// Returns whether it is the program's own: the state directory, what is in it, and what stands
/// beside files.
pub(crate) fn is_scratch(path: &Path) -> bool {
    path.iter()
        .any(|part| part.as_encoded_bytes().starts_with(b".wpatch"))
}

/// Reads the files and links below `root` that are not the program's own.
fn files(root: &Path) -> Tree {
    let mut tree = without_directories(tree(root));
    tree.retain(|path, _| !path.starts_with(".git") && !is_scratch(path));
    tree
}

fn without_directories(mut tree: Tree) -> Tree {
    tree.retain(|_, (mode, _)| *mode & 0o170_000 != 0o040_000);
    tree
}

/// Returns the program that is tested.
pub(crate) fn program() -> OsString {
    std::env::var_os("WPATCH").unwrap_or_else(|| env!("CARGO_BIN_EXE_wpatch").into())
}

/// Returns a line for each of what is in `tree`.
pub(crate) fn names(tree: &Tree) -> Vec<String> {
    tree.iter()
        .map(|(path, (mode, bytes))| {
            format!(
                "{} {mode:o} {}",
                path.display(),
                String::from_utf8_lossy(bytes)
            )
        })
        .collect()
}

/// Reads the tree below `root`.
pub(crate) fn tree(root: &Path) -> Tree {
    let entries = WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .map(Result::unwrap);
    let read = |entry: walkdir::DirEntry| {
        let metadata = entry.path().symlink_metadata().unwrap();
        let bytes = match metadata.file_type() {
            kind if kind.is_symlink() => fs_err::read_link(entry.path())
                .unwrap()
                .into_os_string()
                .into_encoded_bytes(),
            kind if kind.is_file() => fs_err::read(entry.path()).unwrap(),
            _ => Vec::new(),
        };
        (
            entry.path().strip_prefix(root).unwrap().to_owned(),
            (metadata.permissions().mode(), bytes),
        )
    };
    entries.map(read).collect()
}
