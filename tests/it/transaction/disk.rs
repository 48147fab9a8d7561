//! What the program leaves on a real disk, under limits and masks.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use tempfile::TempDir;

use crate::systems::fed;
use crate::world;

/// Makes a file.
const CREATE: &str = "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n";

/// Runs `wpatch apply` below `root`, behind a `setting` of the shell.
fn apply(root: &Path, setting: &str, patch: &str) -> Output {
    let script = format!("{setting} && exec \"$0\" apply");
    let mut command = Command::new("sh");
    command
        .current_dir(root)
        .args(["-c", &script, env!("CARGO_BIN_EXE_wpatch")]);
    fed(&mut command, patch.as_bytes())
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_far_below_takes_little_memory() {
    let root = TempDir::new().unwrap();
    let file = format!(
        "{}x",
        ["d".repeat(14), "/".into()]
            .concat()
            .repeat(wpatch::path::MAX_DEPTH - 1)
    );
    let patch = format!("--- /dev/null\n+++ b/{file}\n@@ -0,0 +1 @@\n+new\n");
    let output = apply(root.path(), "ulimit -v 1000000", &patch);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(names(root.path()), ["d".repeat(14)]);
}

#[test]
fn nothing_stays_behind_under_any_mask_or_limit() {
    let files = ["ulimit -n 5", "ulimit -n 6", "ulimit -n 7", "ulimit -n 8"];
    let sizes = ["ulimit -f 0", "ulimit -f 1"];
    for setting in files.iter().chain(&sizes).chain(&["umask 0777", "umask 0"]) {
        for mode in [0o755, 0o2755] {
            let root = TempDir::new().unwrap();
            world::set_mode(root.path(), mode);
            let output = apply(root.path(), setting, CREATE);
            let expected: &[&str] = if output.status.success() {
                &["new"]
            } else {
                &[]
            };
            assert_eq!(
                names(root.path()),
                expected,
                "{setting}, {mode:o}: {}",
                text(&output)
            );
        }
    }
}

#[test]
fn a_lock_that_stays_can_be_opened_by_the_next_command() {
    let root = TempDir::new().unwrap();
    fs::create_dir(root.path().join(".git")).unwrap();
    assert!(apply(root.path(), "umask 0777", CREATE).status.success());
    let mode = |name: &str| world::mode(root.path().join(name));
    assert_eq!(
        (mode(".git/wpatch"), mode(".git/wpatch/lock"), mode("new")),
        (0o700, 0o600, 0)
    );
}
