//! Faults at the system calls of a change of two roots on two file systems.
//!
//! A sample runs always; `WPATCH_FAULTS=all` runs every call with every fault.
#![cfg(target_os = "linux")]

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fs_err as fs;
use tempfile::TempDir;

use crate::dice::Dice;
use crate::faults::all_end_right;
use crate::faults::strace::{Ending, Injection, Log};
use crate::tree::{self, Tree};
use crate::world::takes_all;

/// The calls that change something.
const CALLS: &[&str] = &[
    "renameat2",
    "renameat",
    "linkat",
    "unlinkat",
    "openat",
    "openat2",
    "fsync",
    "fdatasync",
    "syncfs",
    "write",
    "mkdirat",
    "flock",
];
const FAULTS: &[&str] = &["signal=KILL", "signal=TERM", "error=EIO", "error=ENOSPC"];
/// The number of faults in the sample of a command.
const SAMPLE: usize = 24;

/// The directories of the roots, on two file systems.
struct Disks {
    first: TempDir,
    second: TempDir,
}

impl Disks {
    fn new(has_git: bool) -> Self {
        let first = TempDir::new().unwrap();
        let second = TempDir::new_in("/dev/shm").unwrap();
        let device = |directory: &TempDir| fs::metadata(directory.path()).unwrap().dev();
        assert_ne!(device(&first), device(&second), "two file systems");
        let disks = Self { first, second };
        for root in disks.roots() {
            fs::create_dir_all(root.join("d")).unwrap();
            fs::write(root.join("d/f"), "old\n").unwrap();
            fs::write(root.join("gone"), "gone\n").unwrap();
            fs::set_permissions(root.join("gone"), std::fs::Permissions::from_mode(0o755)).unwrap();
            if has_git {
                for name in [".git/objects", ".git/refs"] {
                    fs::create_dir_all(root.join(name)).unwrap();
                }
                fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
            }
        }
        fs::write(disks.patch(), patch()).unwrap();
        disks
    }

    fn roots(&self) -> [PathBuf; 2] {
        [
            self.first.path().join("one"),
            self.second.path().join("two"),
        ]
    }

    fn patch(&self) -> PathBuf {
        self.first.path().join("patch")
    }

    fn log(&self) -> Log {
        Log::at(self.first.path())
    }

    fn both(&self) -> [Tree; 2] {
        self.roots().map(|root| {
            let mut files = tree::read(&root);
            files.retain(|path, _| !path.as_bytes().starts_with(b".git"));
            files
        })
    }

    /// Returns the names of a transaction that are left.
    fn litter(&self) -> Vec<PathBuf> {
        let all = self.roots().into_iter().flat_map(walkdir::WalkDir::new);
        let names = all.map(|entry| entry.unwrap().into_path());
        names
            .filter(|path| {
                let name = path.file_name().unwrap().to_string_lossy();
                name.starts_with("txn-") || name == ".wpatch"
            })
            .collect()
    }

    /// Runs the program in both roots, or in the root `only`.
    fn run(&self, strace: &[String], words: &[&str], only: Option<usize>) -> Output {
        let program = env!("CARGO_BIN_EXE_wpatch");
        let mut command = Command::new(if strace.is_empty() { program } else { "strace" });
        if !strace.is_empty() {
            command.args(strace).arg(program);
        }
        command.args(words);
        if words[0] == "apply" {
            command.arg(self.patch());
        }
        for (number, root) in self.roots().iter().enumerate() {
            if only.is_none_or(|only| only == number) {
                command.arg("--root").arg(root);
            }
        }
        command
            .env("RAYON_NUM_THREADS", "1")
            .env("XDG_CONFIG_HOME", self.first.path().join("config"))
            .env_remove("XDG_STATE_HOME");
        command.output().unwrap()
    }
}

fn patch() -> String {
    let one = |name: &&str| {
        format!(
            "diff --git a/{name}/d/f b/{name}/d/f\n--- a/{name}/d/f\n+++ b/{name}/d/f\n@@ -1 +1 @@\n-old\n+new\n\
             diff --git a/{name}/n/made b/{name}/n/made\nnew file mode 100644\n--- /dev/null\n\
             +++ b/{name}/n/made\n@@ -0,0 +1 @@\n+made\n\
             diff --git a/{name}/gone b/{name}/gone\ndeleted file mode 100755\n--- a/{name}/gone\n\
             +++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
        )
    };
    ["one", "two"].iter().map(one).collect()
}

/// Returns every call with a fault, or a sample.
fn chosen(log: &Log, words: &str) -> Vec<Injection> {
    let calls: Vec<_> = log.counts(CALLS).into_iter().collect();
    let seed = words.bytes().map(u64::from).sum::<u64>();
    let mut dice = Dice::new(seed + calls.iter().map(|(_, count)| *count as u64).sum::<u64>());
    let injection = |call, number: usize, fault| Injection {
        call,
        fault,
        when: number.to_string(),
    };
    if !takes_all() {
        let one = |_| {
            let (call, count) = dice.one(&calls);
            injection(call, 1 + dice.below(count), dice.one(FAULTS))
        };
        return (0..SAMPLE).map(one).collect();
    }
    let numbered = calls
        .iter()
        .flat_map(|&(call, count)| (1..=count).map(move |number| (call, number)));
    numbered
        .flat_map(|(call, number)| FAULTS.iter().map(move |fault| (call, number, *fault)))
        .map(|(call, number, fault)| injection(call, number, fault))
        .collect()
}

/// Runs `words` in both roots with faults. `prepare` makes the roots ready.
fn sweep(words: &[&str], prepare: impl Fn() -> Disks) {
    let calm = prepare();
    let before = calm.both();
    let output = calm.run(&calm.log().tracing(CALLS), words, None);
    assert!(output.status.success(), "{output:?}");
    let after = calm.both();
    assert!(
        before != after && calm.litter().is_empty(),
        "{:?}",
        calm.litter()
    );
    let chosen = chosen(&calm.log(), words[0]);
    let starters = std::cell::Cell::new(0);
    all_end_right(chosen.len() / 2, &chosen, |injection| {
        let disks = prepare();
        let output = disks.run(&disks.log().injecting(injection), words, None);
        let was_met = disks.log().has_fault();
        // Any command in any of the roots recovers all of them.
        let starter = starters.replace(starters.get() + 1) % 2;
        let kill = Injection {
            call: "renameat2",
            fault: FAULTS[0],
            when: "1".into(),
        };
        disks.run(
            &disks.log().injecting(&kill),
            &["recover"],
            Some(1 - starter),
        );
        let recovered = disks.run(&[], &["recover"], Some(starter));
        let found = disks.both();
        let is_right = match output.status.code() {
            Some(0) => found == after,
            None | Some(5) => found == before || found == after,
            Some(_) => found == before,
        };
        let other = disks.run(&[], &["recover"], Some(1 - starter));
        let is_right = is_right
            && recovered.status.success()
            && other.status.success()
            && disks.both() == found
            && disks.litter().is_empty();
        let problem = || {
            format!(
                "{injection:?}: {output:?}\n{recovered:?}\n{other:?}\n{found:#?}\n{:?}",
                disks.litter()
            )
        };
        Ending {
            was_met,
            problem: (!is_right).then(problem),
        }
    });
}

#[test]
fn two_roots_on_two_file_systems_change_together() {
    sweep(&["apply"], || Disks::new(true));
}

#[test]
fn two_roots_without_a_history_change_together() {
    sweep(&["apply"], || Disks::new(false));
}

#[test]
fn an_undo_of_two_roots_on_two_file_systems_is_whole_or_nothing() {
    sweep(&["undo"], || {
        let disks = Disks::new(true);
        let applied = disks.run(&[], &["apply"], None);
        assert!(applied.status.success(), "{applied:?}");
        disks
    });
}

#[test]
fn a_crash_in_two_roots_is_recovered_by_any_command_in_one_of_them() {
    let steps: [&[&str]; 4] = [
        &["recover"],
        &["edit", "d/f", "--old", "old", "--new", "1"],
        &["write", "x", "--content", "1"],
        &["undo"],
    ];
    let mut crashes = 0;
    for words in steps {
        for starter in 0..2 {
            let disks = Disks::new(true);
            let kill = Injection {
                call: "renameat2",
                fault: FAULTS[0],
                when: "6".into(),
            };
            let output = disks.run(&disks.log().injecting(&kill), &["apply"], None);
            crashes += usize::from(output.status.code().is_none());
            disks.run(&[], words, Some(starter));
            let other = &disks.roots()[1 - starter];
            let texts = fs::read_to_string(other.join("d/f")).unwrap();
            assert_eq!(texts, "old\n", "{words:?} {starter}");
            assert!(disks.litter().is_empty(), "{words:?}: {:?}", disks.litter());
        }
    }
    assert!(crashes == 8, "{crashes}");
}

#[test]
fn a_root_that_cannot_be_written_leaves_both_unchanged() {
    let disks = Disks::new(true);
    let before = disks.both();
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c"])
        .arg(format!(
            "mount --bind {two} {two} && mount -o remount,bind,ro {two} && exec {program} apply {patch} --root {one} --root {two}",
            one = disks.roots()[0].display(),
            two = disks.roots()[1].display(),
            program = Path::new(env!("CARGO_BIN_EXE_wpatch")).display(),
            patch = disks.patch().display(),
        ))
        .output()
        .unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("ead-only"),
        "{output:?}"
    );
    assert_eq!(disks.both(), before);
    assert!(disks.litter().is_empty());
}
