//! What the program leaves on a real disk, under limits and masks.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use fs_err as fs;
use tempfile::TempDir;

/// Makes a file.
const CREATE: &str = "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n";

/// Runs `wpatch apply` below `root`, behind a `setting` of the shell.
fn apply(root: &Path, setting: &str, patch: &str) -> Output {
    let script = format!("{setting} && exec \"$0\" apply");
    let mut command = Command::new("sh");
    command.current_dir(root).args(["-c", &script, env!("CARGO_BIN_EXE_wpatch")]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that stops at its first look does not read.
    let _ = child.stdin.take().unwrap().write_all(patch.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_far_below_takes_little_memory() {
    let root = TempDir::new().unwrap();
    let file = format!("{}x", "d/".repeat(1900));
    let patch = format!("--- /dev/null\n+++ b/{file}\n@@ -0,0 +1 @@\n+new\n");
    let output = apply(root.path(), "ulimit -v 1000000", &patch);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(names(root.path()), ["d"]);
}
