//! Faults on a real disk: the program under strace, which kills it at a system call or lets the call fail.
//!
//! A sample runs always; `WPATCH_FAULTS=all` runs every call with every fault. Each run starts from a new tree, is
//! followed by `wpatch recover`, and has to end in the tree before or the tree after.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use walkdir::WalkDir;

use std::os::unix::fs::{PermissionsExt, symlink};

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

/// The calls that change something or make it durable.
const CALLS: &[&str] = &[
    "openat",
    "write",
    "renameat2",
    "renameat",
    "rename",
    "linkat",
    "unlinkat",
    "mkdirat",
    "symlinkat",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "fchown",
    "fsetxattr",
    "fsync",
    "fdatasync",
    "syncfs",
    "ftruncate",
    "flock",
    "copy_file_range",
];
/// The calls that a kernel or a file system may not have.
const NEW_CALLS: &[&str] = &["renameat2", "openat2", "statx", "syncfs", "copy_file_range", "fchmodat2"];

/// What strace does to a call.
const FAULTS: &[&str] = &[
    "signal=KILL",
    "signal=TERM",
    "error=EIO",
    "error=ENOSPC",
    "error=EACCES",
    "error=EROFS",
    "error=EDQUOT",
    "error=EINTR",
    "error=EXDEV",
];
const LACKS: &[&str] = &["error=EINVAL", "error=ENOSYS"];

type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

struct Scene {
    directory: tempfile::TempDir,
    before: Tree,
    after: Tree,
}

impl Scene {
    fn new() -> Self {
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

    fn lay(&self) {
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

    fn run(&self, strace: &[String], command: &str) -> Output {
        let program = std::env::var_os("WPATCH").unwrap_or_else(|| env!("CARGO_BIN_EXE_wpatch").into());
        let mut words: Vec<std::ffi::OsString> = Vec::new();
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
        command.output().expect("strace has to be installed")
    }

    /// Returns how often each call is made in one thread.
    fn calls(&self) -> BTreeMap<&'static str, usize> {
        self.lay();
        let log = self.directory.path().join("log");
        let trace: BTreeSet<&str> = CALLS.iter().chain(NEW_CALLS).copied().collect();
        let trace: Vec<_> = trace.into_iter().collect();
        let output = self.run(
            &["-f".into(), "-o".into(), log.display().to_string(), "-e".into(), format!("trace=?{}", trace.join(",?"))],
            "apply",
        );
        assert!(output.status.success(), "{output:?}");
        let log = fs_err::read_to_string(log).unwrap();
        let mut counts = BTreeMap::new();
        for call in trace {
            let mut threads: BTreeMap<&str, usize> = BTreeMap::new();
            let needle = format!(" {call}(");
            for line in log.lines().filter(|line| line.contains(&needle)) {
                *threads.entry(line.split(' ').next().unwrap_or_default()).or_default() += 1;
            }
            if let Some(&most) = threads.values().max() {
                counts.insert(call, most);
            }
        }
        counts
    }

    /// Runs with one fault, then recovers; returns whether the fault was met, and what is wrong with the end.
    fn inject(&self, call: &str, fault: &str, when: &str) -> (bool, Option<String>) {
        self.lay();
        let log = self.directory.path().join("log");
        let strace = [
            "-f".to_owned(),
            "-qq".into(),
            "-o".into(),
            log.display().to_string(),
            "-e".into(),
            format!("trace={call}"),
            "-e".into(),
            format!("inject={call}:{fault}:when={when}"),
        ];
        let output = self.run(&strace, "apply");
        let traced = fs_err::read_to_string(&log).unwrap_or_default();
        let was_met = traced.contains("(INJECTED)") || traced.contains("SIGKILL") || traced.contains("SIGTERM");
        let directly = tree(&self.root());
        let recover = self.run(&[], "recover");
        let finally = tree(&self.root());
        let code = output.status.code();
        let is_right = match code {
            Some(0) => directly == self.after && finally == self.after,
            Some(5) => finally == self.before || finally == self.after,
            Some(code) if code < 128 => directly == self.before && finally == self.before,
            _ => finally == self.before || finally == self.after,
        };
        let wrong = format!(
            "{call} {fault} {when}: exit {code:?}, recover {:?}\nstderr: {}\n{}\ndirectly: {:?}\nfinally: {:?}",
            recover.status.code(),
            String::from_utf8_lossy(&output.stderr),
            String::from_utf8_lossy(&recover.stderr),
            names(&directly),
            names(&finally)
        );
        (was_met, (!is_right || !recover.status.success()).then_some(wrong))
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

#[test]
fn every_fault_ends_before_or_after() {
    let scene = Scene::new();
    let is_whole = std::env::var_os("WPATCH_FAULTS").is_some_and(|value| value == "all");
    let (mut met, mut runs, mut wrong) = (0, 0, Vec::new());
    for (call, count) in scene.calls() {
        let faults =
            FAULTS.iter().filter(|_| CALLS.contains(&call)).chain(LACKS.iter().filter(|_| NEW_CALLS.contains(&call)));
        for (index, fault) in faults.enumerate() {
            let single = (1..=count).map(|number| (number, number.to_string()));
            let from_now_on = (1..=count)
                .filter(|_| fault.starts_with("error=") && *fault != "error=EINTR")
                .map(|number| (number, format!("{number}+")));
            for (number, when) in single.chain(from_now_on) {
                // The sample: every call once, every fault at some call.
                if !is_whole && number % FAULTS.len() != index % FAULTS.len() {
                    continue;
                }
                let (was_met, problem) = scene.inject(call, fault, &when);
                runs += 1;
                met += usize::from(was_met);
                wrong.extend(problem);
            }
        }
    }
    assert!(met > 50, "only {met} faults were met");
    assert!(wrong.is_empty(), "{} of {runs}:\n{}", wrong.len(), wrong.join("\n"));
}
