//! Kills at system calls of a change of index and work tree: both are before or after, together.

use std::process::{Command, Output};

use fs_err as fs;

use super::Tree;

/// The calls that change something.
const CALLS: &[&str] = &["renameat2", "linkat", "unlinkat", "openat", "fsync", "write", "mkdirat"];
/// One call in so many is tried.
const SAMPLE: usize = 4;

/// What is in the work tree and in the index.
type Both = (crate::tree::Tree, String);

fn both(tree: &Tree) -> Both {
    let mut files = crate::tree::read(&tree.root());
    files.retain(|path, _| !path.as_bytes().starts_with(b".git"));
    (files, tree.entries())
}

/// Runs the program below strace.
fn traced(tree: &Tree, strace: &[String], arguments: &[&str]) -> Output {
    let mut command = Command::new("strace");
    command.args(["-qq", "-o"]).arg(tree.root().join("../log")).args(strace).arg(env!("CARGO_BIN_EXE_wpatch"));
    command.args(arguments).current_dir(tree.root()).env("RAYON_NUM_THREADS", "1").output().unwrap()
}

/// Returns how often the program itself makes a call.
fn count(tree: &Tree, call: &str, (arguments, exit): (&[&str], i32)) -> usize {
    let output = traced(tree, &["-e".to_owned(), format!("trace={call}")], arguments);
    assert_eq!(output.status.code(), Some(exit), "{output:?}");
    fs::read_to_string(tree.root().join("../log")).unwrap().lines().filter(|line| line.starts_with(call)).count()
}

fn kill(call: &str, number: usize) -> Vec<String> {
    let inject = format!("inject={call}:signal=KILL:when={number}");
    vec!["-e".to_owned(), format!("trace={call}"), "-e".to_owned(), inject]
}

#[test]
fn a_kill_at_any_call_leaves_index_and_tree_before_or_after() {
    sweep(Tree::new, (&["apply", "--index"], 0));
}

#[test]
fn a_kill_at_any_call_leaves_a_merge_undone_or_done() {
    sweep(Tree::diverged, (&["apply", "--3way", "--conflict", "markers"], 1));
}

/// Kills a change of a tree, which ends with `exit` when nobody kills it.
fn sweep(new: fn() -> Tree, (arguments, exit): (&[&str], i32)) {
    let tree = new();
    let before = both(&tree);
    let with_patch = |tree: &Tree| {
        let patch = tree.patch().into_os_string().into_string().unwrap();
        arguments.iter().map(ToString::to_string).chain([patch]).collect::<Vec<_>>()
    };
    let runs = |tree: &Tree| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_wpatch"));
        program.args(with_patch(tree)).current_dir(tree.root()).output().unwrap().status.code() == Some(exit)
    };
    let counted = |call: &&'static str| {
        let tree = new();
        let arguments = with_patch(&tree);
        (*call, count(&tree, call, (&arguments.iter().map(String::as_str).collect::<Vec<_>>(), exit)))
    };
    let counts: Vec<_> = CALLS.iter().map(counted).collect();
    assert!(runs(&tree));
    let after = both(&tree);
    assert_ne!(before, after);
    let mut met = 0;
    for (call, count) in counts {
        for number in (1..=count).filter(|number| number % SAMPLE == 0 || crate::faults::takes_all()) {
            let tree = new();
            let arguments = with_patch(&tree);
            let killed = traced(&tree, &kill(call, number), &arguments.iter().map(String::as_str).collect::<Vec<_>>());
            let is_killed = killed.status.code() != Some(exit);
            met += usize::from(is_killed);
            // A kill in the middle of recovery, and recovery after that.
            let _ = traced(&tree, &kill("renameat2", 1), &["recover"]);
            let recovered =
                Command::new(env!("CARGO_BIN_EXE_wpatch")).arg("recover").current_dir(tree.root()).output().unwrap();
            assert!(recovered.status.success(), "{call} {number}: {recovered:?}");
            let found = both(&tree);
            assert!(found == before || found == after, "{call} {number}: {found:#?}");
            assert!(!tree.root().join(".git/index.lock").exists(), "{call} {number}");
            let names = fs::read_dir(tree.root().join(".git")).unwrap().map(|entry| entry.unwrap().file_name());
            let left: Vec<_> = names.filter(|name| name.as_encoded_bytes().starts_with(b".wpatch")).collect();
            assert!(left.is_empty(), "{call} {number}: {left:?}");
            if is_killed && found == before {
                assert!(runs(&tree), "{call} {number}");
                assert_eq!(both(&tree), after, "{call} {number}");
            }
        }
    }
    assert!(met >= 10, "only {met} kills");
}
