//! Kills at system calls of a command: the next one finds the tree before or after.

use std::process::{Command, Output};

use fs_err as fs;

use crate::systems::{Desk, program};
use crate::tree::{self, Tree};

/// The calls that change something.
const CALLS: &[&str] = &["renameat2", "linkat", "unlinkat", "openat", "fsync", "write", "mkdirat"];
/// One call in so many is tried.
const SAMPLE: usize = 4;

/// Kills the program at its calls, each time in a new tree; unharmed it ends with `code`.
pub(crate) fn sweep(make: impl Fn() -> Desk, arguments: &[&str], code: i32) {
    let (before, calm) = (files(&make()), make());
    assert_eq!(calm.runs(arguments, b"").status.code(), Some(code));
    let after = files(&calm);
    assert_ne!(before, after);
    let mut met = 0;
    for call in CALLS {
        let count = count(&make(), call, arguments);
        for number in (1..=count).filter(|number| number % SAMPLE == 0 || crate::faults::takes_all()) {
            let desk = make();
            let is_killed = traced(&desk, &kill(call, number), arguments).status.code() != Some(code);
            met += usize::from(is_killed);
            // A kill in the middle of recovery, and recovery after that.
            let _ = traced(&desk, &kill("renameat2", 1), &["recover"]);
            let recovered = desk.runs(&["recover"], b"");
            assert!(recovered.status.success(), "{call} {number}: {recovered:?}");
            let found = files(&desk);
            assert!(found == before || found == after, "{call} {number}: {found:#?}");
            if is_killed && found == before {
                assert_eq!(desk.runs(arguments, b"").status.code(), Some(code), "{call} {number}");
                assert_eq!(files(&desk), after, "{call} {number}");
            }
        }
    }
    assert!(met >= 10, "only {met} kills");
}

/// Returns what is there besides git's directory.
fn files(desk: &Desk) -> Tree {
    let mut files = tree::read(&desk.root());
    files.retain(|path, _| !path.as_bytes().starts_with(b".git"));
    files
}

/// Runs the program below strace.
fn traced(desk: &Desk, strace: &[String], arguments: &[&str]) -> Output {
    let program = program(&desk.root(), arguments);
    let mut command = Command::new("strace");
    command.args(["-qq", "-o"]).arg(desk.path("../log")).args(strace).arg(program.get_program()).args(arguments);
    command.current_dir(desk.root()).env("RAYON_NUM_THREADS", "1").output().unwrap()
}

/// Returns how often the program itself makes a call.
fn count(desk: &Desk, call: &str, arguments: &[&str]) -> usize {
    let _ = traced(desk, &["-e".to_owned(), format!("trace={call}")], arguments);
    fs::read_to_string(desk.path("../log")).unwrap().lines().filter(|line| line.starts_with(call)).count()
}

fn kill(call: &str, number: usize) -> Vec<String> {
    let inject = format!("inject={call}:signal=KILL:when={number}");
    vec!["-e".to_owned(), format!("trace={call}"), "-e".to_owned(), inject]
}
