//! Changes that cannot be recorded in part or at all: nothing is lost, and the report says so.

use serde_json::Value;

use super::refusals::{stays, wait_for};
use super::{desk, files, ops, script};
use crate::systems::{Desk, program};

/// The policy from before the command decides, and its changes are recorded in any case.
#[test]
fn a_command_that_breaks_the_policy_is_recorded() {
    let desk = desk();
    let before = files(&desk);
    let report = desk.says(&script(&[], "echo 'junk junk' > wpatch.toml; rm d/b"), b"");
    assert_eq!(report["changed"], true, "{report:#}");
    assert_eq!(
        ops(&report),
        ["create wpatch.toml", "delete d/b"],
        "{report:#}"
    );
    // Every command follows the policy, so it must be valid again first.
    fs_err::remove_file(desk.path("wpatch.toml")).unwrap();
    desk.does(&["undo", "--force"], b"");
    assert_eq!(files(&desk), before);
}

#[test]
fn directories_alone_are_recorded_and_undone() {
    let desk = desk();
    let before = files(&desk);
    let report = desk.does(&script(&[], "mkdir -p new/below"), b"");
    assert_eq!(report["changed"], true, "{report:#}");
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

#[test]
fn a_change_that_cannot_be_recorded_changes_the_tree_in_the_report() {
    let desk = desk();
    let report = stays(&desk, &script(&[], "mkfifo pipe"));
    assert_eq!(report["transaction"], Value::Null, "{report:#}");
    let report = stays(&desk, &script(&[], "mkdir sub; git init -q sub; exit 1"));
    assert_ne!(report["transaction"], Value::Null, "{report:#}");
    let report = stays(&desk, &script(&[], "rm -rf sub"));
    assert_eq!(report["error"]["path"], "sub/.git", "{report:#}");
}

/// The old contents are not lost: the report names a directory with them.
#[test]
fn the_old_files_of_an_unrecorded_change_are_saved() {
    let desk = desk();
    // The command removes the place of the history.
    let report = stays(
        &desk,
        &script(&[], "rm -rf .git; echo file > .git; rm d/b; chmod 600 d/c"),
    );
    let problems = report["problems"].as_array().unwrap();
    let helps = problems
        .iter()
        .filter_map(|problem| problem["help"].as_str());
    let saved: Vec<_> = helps
        .filter_map(|help| help.strip_prefix("the old contents are in "))
        .collect();
    assert_eq!(saved.len(), 1, "{report:#}");
    let content = |name: &str| fs_err::read(std::path::Path::new(saved[0]).join(name)).unwrap();
    assert_eq!(
        [content("d/b"), content("d/c")],
        [b"three\n".to_vec(), b"four\n".to_vec()]
    );
    fs_err::remove_dir_all(saved[0]).unwrap();
}

/// Otherwise the copy would contain a change that was never committed.
#[test]
fn an_interrupted_change_is_recovered_before_the_command_runs() {
    let desk = desk();
    let before = files(&desk);
    let words = ["apply", "--verify", "touch ../ready; exec sleep 60"];
    let mut command = program(&desk.root(), &words);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let patch = b"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n";
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), patch).unwrap();
    wait_for(&desk, "../ready");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(desk.bytes("a"), b"1\ntwo\n");
    desk.does(&script(&[], "echo 3 >> a"), b"");
    assert_eq!(desk.bytes("a"), b"one\ntwo\n3\n");
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

/// Runs a copy of the program as a user that exists on no system.
#[cfg(target_os = "linux")]
fn as_user(desk: &Desk, words: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new("setpriv");
    command.args([
        "--reuid=54321",
        "--regid=54321",
        "--clear-groups",
        "../wpatch",
    ]);
    let command = command.args(words).current_dir(desk.root());
    command.env("HOME", "/nonexistent").output().unwrap()
}

/// Returns a tree of that user, after a script of root.
#[cfg(target_os = "linux")]
fn desk_of_user(prepare: &str) -> Desk {
    let desk = desk();
    fs_err::copy(env!("CARGO_BIN_EXE_wpatch"), desk.path("../wpatch")).unwrap();
    let script = format!("chmod 755 ..; chown -R 54321:54321 .; {prepare}");
    let mut command = std::process::Command::new("sh");
    let output = command
        .args(["-ec", &script])
        .current_dir(desk.root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    desk
}

/// The content of such a directory is unknown, so an undo must not remove it.
#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_directory_is_reported_and_never_undone() {
    let cases = [
        (
            "mkdir p; echo secret > p/s; chown -R 54321:54321 p; chmod 0 p",
            "chmod 755 p; rm d/b",
            "p",
        ),
        ("true", "rm d/b; chmod 0 old", "old"),
    ];
    for (prepare, text, path) in cases {
        if !rustix::process::getuid().is_root() {
            return;
        }
        let desk = desk_of_user(prepare);
        let output = as_user(&desk, &[&script(&["--json"], text)[..]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["outcome"], "partial", "{report:#}");
        assert_eq!(report["error"]["path"], path, "{report:#}");
        assert_eq!(ops(&report), ["delete d/b"], "{report:#}");
        let kept = fs_err::read_dir(desk.path(path)).unwrap().count();
        let output = as_user(&desk, &["undo"]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(desk.bytes("d/b"), b"three\n");
        assert_eq!(fs_err::read_dir(desk.path(path)).unwrap().count(), kept);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_undo_restores_the_owner() {
    use std::os::unix::fs::MetadataExt;

    if !rustix::process::getuid().is_root() {
        return;
    }
    let desk = desk();
    std::os::unix::fs::chown(desk.path("d/b"), Some(54321), Some(54321)).unwrap();
    std::os::unix::fs::chown(desk.path("a"), Some(54321), Some(54321)).unwrap();
    let report = desk.does(&script(&[], "rm d/b; cp a new; mv new a; echo 3 >> a"), b"");
    assert_eq!(
        report["problems"].as_array().unwrap().len(),
        1,
        "{report:#}"
    );
    desk.does(&["undo"], b"");
    let owner = |name: &str| fs_err::metadata(desk.path(name)).unwrap().uid();
    assert_eq!([owner("a"), owner("d/b")], [54321, 54321]);
}

/// Such a path is too deep for a transaction.
#[test]
fn a_change_of_a_file_that_is_too_deep_is_reported() {
    let desk = desk();
    let deep = vec!["x"; 256].join("/");
    fs_err::create_dir_all(desk.path(&deep)).unwrap();
    let text = format!("echo 1 > {deep}/f; echo 2 >> a");
    let report = stays(&desk, &script(&[], &text));
    assert_eq!(ops(&report), ["modify a"], "{report:#}");
    desk.does(&["undo"], b"");
}

/// The content of the replaced file is kept.
#[test]
fn a_file_that_a_special_file_replaced_can_be_restored() {
    let desk = desk();
    let report = stays(&desk, &script(&[], "rm a; mkfifo a"));
    assert_eq!(ops(&report), ["delete a"], "{report:#}");
    fs_err::remove_file(desk.path("a")).unwrap();
    desk.does(&["undo"], b"");
    assert_eq!(desk.bytes("a"), b"one\ntwo\n");
}
