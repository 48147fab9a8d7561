//! Faults at the system calls of commands that change more than files, or other files than a patch
//! names: the next command finds the tree and git's index before or after, together.
//!
//! A sample runs always; `WPATCH_FAULTS=all` runs every call.
#![cfg(target_os = "linux")]

mod children;
mod restored;

use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use fs_err as fs;

use crate::dice::Dice;
use crate::faults::strace::{Ending, Injection, Log};
use crate::faults::{MOVE_IN, all_end_right};
use crate::index;
use crate::repository::{git, init};
use crate::sandbox;
use crate::systems::{Desk, fed};
use crate::tree::{self, Tree};
use crate::ways::{self, Way};
use crate::world::takes_all;

/// The calls that change something.
const CALLS: &[&str] = &[
    "renameat2",
    "renameat",
    "linkat",
    "unlinkat",
    "openat",
    "fsync",
    "fdatasync",
    "syncfs",
    "write",
    "mkdirat",
];
const FAULTS: &[&str] = &["signal=KILL", "signal=TERM", "error=EIO", "error=ENOSPC"];
/// So many faults are in the sample of a command.
const SAMPLE: usize = 4;

/// Makes a test of each row: a tree, the command for it and the code that it ends with when nothing
/// fails.
macro_rules! commands {
    ($($name:ident: $row:expr;)*) => {
        $(#[test]
        fn $name() {
            sweep(&$row, chosen);
        })*
    };
}

commands! {
    index_and_tree_change_together: row(staged, &["wpatch", "apply", "--index", "../patch"], 0);
    an_index_alone_changes_as_a_whole: row(staged, &["wpatch", "apply", "--cached", "../patch"], 0);
    new_files_are_noted_with_the_change: row(staged, &["wpatch", "apply", "-N", "../patch"], 0);
    a_merge_is_done_or_not: row(diverged, &["wpatch", "apply", "--3way", "--include=merges", "../patch"], 0);
    conflicts_are_all_marked_or_none_is:
        row(diverged, &["wpatch", "apply", "--3way", "--conflict=markers", "../patch"], 1);
    what_is_rejected_is_left_out_of_the_index: row(diverged, &["wpatch", "apply", "--reject", "--index", "../patch"], 1);
    a_merge_without_git_is_done_or_not: way(ways::merges);
    what_is_rejected_is_written_with_the_rest: way(ways::rejects);
    a_series_is_applied_or_not: way(ways::series);
    a_session_is_committed_or_not: row(session, &["wpatch", "commit", "0"], 0);
    old_files_are_kept_with_the_change: row(staged, &["patch", "-p1", "-b", "-i", "../patch"], 0);
}

/// Kills each of the processes that take part, and lets each of their calls fail.
#[test]
fn a_command_on_an_overlay_changes_the_tree_or_does_not() {
    if sandbox::is_supported() {
        let words = [
            "wpatch",
            "run",
            "--",
            "sh",
            "-c",
            "set -e; echo 1 > new; rm -r d; echo 2 >> a",
        ];
        sweep(&row(plain, &words, 0), chosen);
    }
}

fn plain() -> Desk {
    let desk = Desk::with(&[("a", b"one\n"), ("d/b", b"two\n")]);
    init(&desk.root());
    desk
}

/// A tree, a command for it, and the code that it ends with when nothing fails.
struct Row {
    desk: Box<dyn Fn() -> Desk>,
    words: Vec<&'static str>,
    code: i32,
}

fn row(desk: fn() -> Desk, words: &[&'static str], code: i32) -> Row {
    Row {
        desk: Box::new(desk),
        words: words.to_vec(),
        code,
    }
}

/// Returns a way, in a repository, where it has a history; a merge is another thing there, and
/// outside.
fn way(way: fn() -> Way) -> Row {
    let way = way();
    let (words, code) = ([&["wpatch"], way.words].concat(), way.code);
    let desk = move || {
        let desk = Desk::with(
            &way.files
                .iter()
                .map(|(name, text)| (name.as_str(), text.as_bytes()))
                .collect::<Vec<_>>(),
        );
        let is_inside = !way.words.contains(&"--3way");
        if is_inside {
            init(&desk.root());
        }
        desk
    };
    Row {
        desk: Box::new(desk),
        words,
        code,
    }
}

fn staged() -> Desk {
    index::Tree::new().desk
}

/// Returns a tree with an edit session that has the changes of the patch.
fn session() -> Desk {
    let desk = staged();
    for words in [&["begin"][..], &["apply", "--in", "0", "../patch"]] {
        let output = desk.runs(words, b"");
        assert!(output.status.success(), "{output:?}");
    }
    desk
}

fn diverged() -> Desk {
    index::Tree::diverged().desk
}

/// What is in the work tree, and in the index if there is one.
type Both = (Tree, String);

fn both(desk: &Desk) -> Both {
    let mut files = tree::read(&desk.root());
    files.retain(|path, _| !path.as_bytes().starts_with(b".git"));
    let listed = git(&["ls-files", "-s"])
        .current_dir(desk.root())
        .output()
        .unwrap();
    (files, String::from_utf8(listed.stdout).unwrap())
}

/// Returns whether the lock of the index is one that a git of its own left, which was killed: it
/// has an index in it, or nothing yet, where ours has the name of the transaction.
fn is_left_by_git(desk: &Desk) -> bool {
    fs::read(desk.path(".git/index.lock"))
        .is_ok_and(|lock| lock.is_empty() || lock.starts_with(b"DIRC"))
}

/// Returns what a finished command may not leave: locks, and scratch files beside the index and
/// among the history.
fn litter(desk: &Desk) -> Vec<String> {
    let names = |directory: &str| {
        let entries = fs::read_dir(desk.path(directory)).into_iter().flatten();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect::<Vec<_>>()
    };
    let is_ours = |name: &String| name.starts_with(".wpatch") || name == "index.lock";
    let of_history = |name: &String| {
        let stays = ["lock", "entry-", "session-", "audit."];
        stays.iter().all(|stays| !name.starts_with(stays))
    };
    let ours = names(".git").into_iter().filter(is_ours);
    ours.chain(names(".git/wpatch").into_iter().filter(of_history))
        .collect()
}

/// Runs a command, below strace if that has arguments, in one thread besides the first.
fn run(desk: &Desk, strace: &[String], words: &[&str]) -> Output {
    let program = desk.path("../bin").join(words[0]);
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    let _ = symlink(env!("CARGO_BIN_EXE_wpatch"), &program);
    let mut command = Command::new(if strace.is_empty() {
        program.as_os_str()
    } else {
        "strace".as_ref()
    });
    if !strace.is_empty() {
        command.args(strace).arg(&program);
    }
    command
        .args(&words[1..])
        .current_dir(desk.root())
        .env("RAYON_NUM_THREADS", "1");
    fed(command.env("XDG_CONFIG_HOME", desk.path("../config")), b"")
}

/// Runs a command with faults, which are chosen from what it does without, each time on a new tree.
fn sweep(row: &Row, chosen: fn(&Log) -> Vec<Injection>) {
    let calm = (row.desk)();
    let (before, log) = (both(&calm), Log::at(&calm.path("..")));
    let output = run(&calm, &log.tracing(CALLS), &row.words);
    assert_eq!(output.status.code(), Some(row.code), "{output:?}");
    let after = both(&calm);
    assert!(
        before != after && litter(&calm).is_empty(),
        "{before:?} {:?}",
        litter(&calm)
    );
    let chosen = chosen(&log);
    all_end_right(chosen.len() / 2, &chosen, |injection| {
        row.strike(injection, &[&before, &after])
    });
}

/// Returns every call with a kill and with another fault, or a few calls with one of them.
fn chosen(log: &Log) -> Vec<Injection> {
    let calls: Vec<_> = log.counts(CALLS).into_iter().collect();
    let mut dice = Dice::new(calls.iter().map(|(_, count)| *count as u64).sum());
    let injection = |call, number: usize, fault| Injection {
        call,
        fault,
        when: number.to_string(),
    };
    if !takes_all() {
        return (0..SAMPLE)
            .map(|_| {
                let (call, count) = dice.one(&calls);
                injection(call, 1 + dice.below(count), dice.one(FAULTS))
            })
            .collect();
    }
    let numbered = calls
        .iter()
        .flat_map(|&(call, count)| (1..=count).map(move |number| (call, number)));
    let faults = numbered.flat_map(|(call, number)| {
        [FAULTS[0], dice.one(&FAULTS[1..])].map(|fault| injection(call, number, fault))
    });
    faults.collect()
}

/// Where a lock belongs is noted with the name of the machine.
#[test]
fn a_lock_is_given_back_though_the_machine_could_not_be_named() {
    let row = row(staged, &["wpatch", "apply", "--cached", "../patch"], 0);
    sweep(&row, |log| {
        let text = log.text();
        let thread = text.split_once(' ').unwrap().0;
        let opened = text
            .lines()
            .filter(|line| line.starts_with(thread) && line.contains(" openat("));
        let named = opened
            .zip(1..)
            .filter(|(line, _)| line.contains("/etc/machine-id"));
        named
            .map(|(_, at): (_, usize)| Injection {
                call: "openat",
                fault: "error=EIO",
                when: at.to_string(),
            })
            .collect()
    });
}

impl Row {
    /// Runs the command with a fault, then recovers, with a kill in the middle of that; at last the
    /// command is run again if it left everything as it was.
    fn strike(&self, injection: &Injection, [before, after]: &[&Both; 2]) -> Ending {
        let desk = (self.desk)();
        let log = Log::at(&desk.path(".."));
        let output = run(&desk, &log.injecting(injection), &self.words);
        let was_met = log.has_fault();
        let kill = Injection {
            call: MOVE_IN,
            fault: FAULTS[0],
            when: "1".into(),
        };
        run(&desk, &log.injecting(&kill), &["wpatch", "recover"]);
        let recovered = run(&desk, &[], &["wpatch", "recover"]);
        let (found, mut litter) = (both(&desk), litter(&desk));
        if injection.fault == FAULTS[0] && output.status.code().is_some() && is_left_by_git(&desk) {
            litter.retain(|name| name != "index.lock");
        }
        let is_right = match output.status.code() {
            Some(0) => found == **after,
            // Done in part, or refused: git takes an object that it cannot open for one that is
            // missing.
            Some(1) if self.code == 1 => [*before, *after].contains(&&found),
            // Killed, or the disk did not let it roll back.
            None | Some(5) => [*before, *after].contains(&&found),
            Some(_) => found == **before,
        };
        let is_repeated = found != **before || {
            let again = run(&desk, &[], &self.words);
            again.status.code() == Some(self.code) && both(&desk) == **after
        };
        let is_right = is_right && litter.is_empty() && recovered.status.success() && is_repeated;
        let problem = || {
            format!(
                "{injection:?}: {output:?}\n{recovered:?}\n{found:#?} {litter:?}, again {is_repeated}"
            )
        };
        Ending {
            was_met,
            problem: (!is_right).then(problem),
        }
    }
}
