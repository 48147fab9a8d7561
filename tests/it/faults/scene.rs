//! A tree, a patch for it, and runs of the program on them under strace.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use walkdir::WalkDir;

/// How long one run may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Updates, deletes (and empties a directory), renames with and without a change, changes a mode, makes a file
/// in a new directory and a symbolic link.
const PATCH: &str = "\
diff --git a/update b/update
--- a/update
+++ b/update
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
diff --git a/old/gone b/old/gone
deleted file mode 100644
--- a/old/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/plain b/sub/plain
similarity index 100%
rename from plain
rename to sub/plain
diff --git a/edited b/renamed
similarity index 50%
rename from edited
rename to renamed
--- a/edited
+++ b/renamed
@@ -1,2 +1,2 @@
 first
-second
+2nd
diff --git a/script b/script
old mode 100644
new mode 100755
diff --git a/new/dir/file b/new/dir/file
new file mode 100644
--- /dev/null
+++ b/new/dir/file
@@ -0,0 +1 @@
+new
diff --git a/link b/link
new file mode 120000
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+update
\\ No newline at end of file
";

/// Type and mode, and contents or target, of everything by its path.
type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

/// A tree that is laid anew for each run.
pub(super) struct Scene {
    directory: tempfile::TempDir,
    before: Tree,
    after: Tree,
}

/// What strace does to one call of a run.
#[derive(Clone, Debug)]
pub(super) struct Injection {
    /// The system call.
    pub(super) call: &'static str,
    /// What happens instead of it or with it, such as `error=EIO`.
    pub(super) fault: &'static str,
    /// Which of the calls, counted from 1; with a `+`, that one and all later ones.
    pub(super) when: String,
}

/// What came of one run with a fault.
pub(super) struct Ending {
    /// Whether the fault happened.
    pub(super) was_met: bool,
    /// What is wrong with it.
    pub(super) problem: Option<String>,
}

impl Scene {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut scene = Self { directory, before: Tree::new(), after: Tree::new() };
        fs_err::write(scene.patch(), PATCH).unwrap();
        scene.lay();
        scene.before = tree(&scene.root());
        assert!(scene.run(&[], "apply").status.success());
        scene.after = tree(&scene.root());
        assert_ne!(scene.before, scene.after);
        scene
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    fn patch(&self) -> PathBuf {
        self.directory.path().join("patch")
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    /// Lays the tree before.
    pub(super) fn lay(&self) {
        let root = self.root();
        if root.exists() {
            fs_err::remove_dir_all(&root).unwrap();
        }
        fs_err::create_dir_all(root.join("old")).unwrap();
        let files = [
            ("update", "one\ntwo\nthree\n"),
            ("old/gone", "gone\n"),
            ("plain", "plain\n"),
            ("edited", "first\nsecond\n"),
            ("script", "#!/bin/sh\n"),
            ("stays", "stays\n"),
        ];
        for (name, contents) in files {
            fs_err::write(root.join(name), contents).unwrap();
            fs_err::set_permissions(root.join(name), std::fs::Permissions::from_mode(0o644)).unwrap();
        }
        symlink("stays", root.join("other-link")).unwrap();
    }

    /// Runs the program, below strace if that has arguments, in one thread.
    ///
    /// # Panics
    ///
    /// If there is no strace, or if the run takes too long.
    fn run(&self, strace: &[String], command: &str) -> Output {
        let program = std::env::var_os("WPATCH").unwrap_or_else(|| env!("CARGO_BIN_EXE_wpatch").into());
        let mut words: Vec<OsString> = Vec::new();
        if !strace.is_empty() {
            words.push("strace".into());
            words.extend(strace.iter().map(Into::into));
        }
        words.extend([program, command.into()]);
        if command == "apply" {
            words.push(self.patch().into());
        }
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(self.root()).env("RAYON_NUM_THREADS", "1").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let child =
            command.spawn().unwrap_or_else(|error| panic!("{} has to be installed: {error}", words[0].display()));
        let group = Pid::from_child(&child);
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(LIMIT) else {
            let _ = kill_process_group(group, Signal::KILL);
            panic!("it takes more than {LIMIT:?}: {words:?}");
        };
        output.unwrap()
    }

    /// Returns how often `command` makes each of the calls `trace`, on the tree as it stands.
    pub(super) fn calls(&self, command: &str, trace: &[&'static str]) -> BTreeMap<&'static str, usize> {
        let log = self.log().display().to_string();
        let calls = format!("trace=?{}", trace.join(",?"));
        let output = self.run(&["-f".into(), "-o".into(), log.clone(), "-e".into(), calls], command);
        assert!(output.status.success(), "strace has to be able to trace: {output:?}");
        let log = fs_err::read_to_string(log).unwrap();
        let count = |call: &str| {
            let mut threads: BTreeMap<&str, usize> = BTreeMap::new();
            for line in log.lines().filter(|line| line.contains(&format!(" {call}("))) {
                *threads.entry(line.split(' ').next().unwrap_or_default()).or_default() += 1;
            }
            threads.into_values().max().unwrap_or_default()
        };
        trace.iter().map(|call| (*call, count(call))).filter(|(_, count)| *count > 0).collect()
    }

    /// Runs `command` with a fault on the tree as it stands.
    pub(super) fn strike(&self, command: &str, injection: &Injection) -> (bool, Output) {
        let Injection { call, fault, when } = injection;
        let log = self.log();
        let strace = ["-f", "-qq", "-o", &log.display().to_string(), "-e", &format!("trace={call}"), "-e"];
        let mut strace: Vec<String> = strace.into_iter().map(str::to_owned).collect();
        strace.push(format!("inject={call}:{fault}:when={when}"));
        let output = self.run(&strace, command);
        let traced = fs_err::read_to_string(&log).unwrap_or_default();
        let signs = ["(INJECTED)", "SIGKILL", "SIGTERM"];
        (signs.iter().any(|sign| traced.contains(sign)), output)
    }

    /// Applies the patch with a fault, then recovers.
    pub(super) fn apply(&self, injection: &Injection) -> Ending {
        self.lay();
        let (was_met, output) = self.strike("apply", injection);
        let directly = self.unswept();
        let (recover, finally) = self.recover();
        let code = output.status.code();
        let is_right = match code {
            Some(0) => self.is_after(&directly) && self.is_after(&finally),
            // Killed, or the disk did not let it roll back.
            None | Some(5) => self.is_whole(&finally),
            Some(_) => directly == self.before && finally == self.before,
        };
        let problem = format!(
            "{injection:?}: {:?}, recover {:?}\n{}{}\ndirectly {:#?}\nfinally {:#?}",
            output.status,
            recover.status,
            String::from_utf8_lossy(&output.stderr),
            String::from_utf8_lossy(&recover.stderr),
            names(&directly),
            names(&finally)
        );
        Ending { was_met, problem: (!is_right || !recover.status.success()).then_some(problem) }
    }

    /// Kills an apply as `dead` says, recovers with a fault, and recovers again.
    pub(super) fn recover_twice(&self, dead: &Injection, injection: &Injection) -> Ending {
        self.lay();
        self.strike("apply", dead);
        let (was_met, output) = self.strike("recover", injection);
        let directly = self.unswept();
        let (recover, finally) = self.recover();
        let is_right = finally == self.before && (!output.status.success() || directly == self.before);
        let problem = format!("{injection:?}: {:?}\n{recover:?}\n{:#?}", output.status, names(&finally));
        Ending { was_met, problem: (!is_right || !recover.status.success()).then_some(problem) }
    }

    /// Returns the tree without what could not be swept, which the next command does.
    fn unswept(&self) -> Tree {
        let mut tree = tree(&self.root());
        tree.retain(|path, _| !path.starts_with(".wpatch"));
        tree
    }

    /// Recovers, and returns the tree then.
    fn recover(&self) -> (Output, Tree) {
        (self.run(&[], "recover"), tree(&self.root()))
    }

    fn is_whole(&self, tree: &Tree) -> bool {
        *tree == self.before || self.is_after(tree)
    }

    /// Returns whether it is the tree after; a directory that was emptied may stay when it may not be removed.
    fn is_after(&self, tree: &Tree) -> bool {
        let mut tree = tree.clone();
        tree.remove(Path::new("old"));
        tree == self.after
    }
}

fn names(tree: &Tree) -> Vec<String> {
    tree.iter()
        .map(|(path, (mode, bytes))| format!("{} {mode:o} {}", path.display(), String::from_utf8_lossy(bytes)))
        .collect()
}

fn tree(root: &Path) -> Tree {
    let entries = WalkDir::new(root).min_depth(1).into_iter().map(Result::unwrap);
    let read = |entry: walkdir::DirEntry| {
        let metadata = entry.path().symlink_metadata().unwrap();
        let bytes = match metadata.file_type() {
            kind if kind.is_symlink() => fs_err::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes(),
            kind if kind.is_file() => fs_err::read(entry.path()).unwrap(),
            _ => Vec::new(),
        };
        (entry.path().strip_prefix(root).unwrap().to_owned(), (metadata.permissions().mode(), bytes))
    };
    entries.map(read).collect()
}
