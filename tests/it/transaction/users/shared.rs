//! Repositories and directories that several users share.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use fs_err as fs;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::{OTHER, PATCH, give};
use crate::systems::Desk;

#[test]
fn a_git_directory_in_a_public_directory_stops_no_other_user() {
    let base = tempfile::TempDir::new().unwrap();
    let run = |directory: &Path, line: &str| {
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .current_dir(directory)
            .env("WPATCH", env!("CARGO_BIN_EXE_wpatch"));
        command
            .env_remove("XDG_STATE_HOME")
            .output()
            .unwrap()
            .status
            .code()
    };
    assert_eq!(
        run(
            base.path(),
            "git init -q . && \"$WPATCH\" write new --content x && mkdir mine"
        ),
        Some(0)
    );
    give(base.path(), OTHER);
    give(
        &base.path().join("mine"),
        rustix::process::geteuid().as_raw(),
    );
    let lock = fs::File::open(base.path().join(".git/wpatch/lock")).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    let write = "\"$WPATCH\" write new --overwrite --content y --lock-timeout 0";
    assert_eq!(run(&base.path().join("mine"), write), Some(6));
    fs::set_permissions(base.path(), Permissions::from_mode(0o1777)).unwrap();
    assert_eq!(run(&base.path().join("mine"), write), Some(0));
}

/// A group that two users are in.
const GROUP: u32 = 12_346;

/// Gives everything to one user, and opens it to the group.
fn share_with_group(desk: &Desk) {
    let everything = || {
        walkdir::WalkDir::new(desk.path(".."))
            .into_iter()
            .map(Result::unwrap)
    };
    everything().for_each(|entry| chown(entry.path(), Some(OTHER), Some(GROUP)).unwrap());
    for entry in everything() {
        let bits = if entry.file_type().is_dir() {
            0o2775
        } else {
            0o664
        };
        fs::set_permissions(entry.path(), Permissions::from_mode(bits)).unwrap();
    }
}

/// Runs the program as a user of the group.
fn as_user(desk: &Desk, user: u32, arguments: &[&str]) -> Value {
    let ids = [
        format!("--reuid={user}"),
        format!("--regid={user}"),
        format!("--groups={GROUP}"),
    ];
    let mut command = Command::new("setpriv");
    command
        .args(ids)
        .arg(env!("CARGO_BIN_EXE_wpatch"))
        .args(arguments)
        .arg("--json")
        .current_dir(desk.root());
    let output = command
        .env("HOME", "/nonexistent")
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .unwrap();
    serde_json::from_slice::<Value>(&output.stdout).unwrap()
}

/// `core.sharedRepository` opens git's own files to a group. The state stays private, because it is
/// trusted.
#[test]
fn a_shared_repository_has_a_private_state_for_each_user() {
    let desk = Desk::with(&[("f", b"one\n")]);
    let git = |arguments: &[&str]| {
        Command::new("git")
            .args(arguments)
            .current_dir(desk.root())
            .status()
            .unwrap()
    };
    assert!(git(&["init", "-q", "--shared=group"]).success());
    share_with_group(&desk);
    let edit = |user, old: &str, new: &str| {
        as_user(&desk, user, &["edit", "f", "--old", old, "--new", new])
    };
    assert_eq!(edit(OTHER, "one", "two")["history"]["kept"], true);
    assert_eq!(
        fs::metadata(desk.path(".git/wpatch"))
            .unwrap()
            .permissions()
            .mode()
            & 0o7777,
        0o700
    );
    let second = edit(OTHER + 1, "two", "three");
    let reason = second["history"]["reason"].as_str().unwrap();
    assert!(
        second["ok"] == true && reason.contains("belongs to another user"),
        "{second:#}"
    );
    assert_eq!(
        as_user(&desk, OTHER, &["undo"])["error"]["code"],
        "wpatch::undo::conflict"
    );
    assert_eq!(edit(OTHER, "three", "one")["history"]["kept"], true);
    assert_eq!(as_user(&desk, OTHER, &["undo"])["ok"], true);
    assert_eq!(desk.bytes("f"), b"three\n");
}

#[test]
fn the_sticky_bit_of_a_directory_is_named_with_the_owner_of_the_file() {
    let base = tempfile::TempDir::new().unwrap();
    fs::set_permissions(base.path(), Permissions::from_mode(0o1777)).unwrap();
    let program = base.path().join("wpatch");
    fs::copy(env!("CARGO_BIN_EXE_wpatch"), &program).unwrap();
    fs::write(base.path().join("f"), "one\n").unwrap();
    fs::write(base.path().join("p"), PATCH).unwrap();
    for durability in ["full", "none"] {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", "12345", "--regid", "12345", "--clear-groups"])
            .arg(&program);
        command
            .args(["apply", "--durability", durability, "p"])
            .current_dir(base.path());
        let output = command
            .env_remove("XDG_STATE_HOME")
            .env("HOME", base.path())
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let expected = "f: cannot change the file: the root directory has the sticky bit, and the file belongs to \
                        another user (uid 0)";
        assert!(
            output.status.code() == Some(4) && words.contains(expected),
            "{durability}: {words}"
        );
        assert!(!words.contains("not writable"), "{durability}: {words}");
        assert_eq!(fs::read(base.path().join("f")).unwrap(), b"one\n");
    }
}

/// The owner of the file stays another user's, and the group of the staged file cannot be set, so
/// the new file has fewer permission bits than the old one.
#[test]
fn undo_and_redo_succeed_if_owner_and_group_could_not_be_kept() {
    let base = tempfile::TempDir::new().unwrap();
    let (program, root) = (base.path().join("wpatch"), base.path().join("root"));
    fs::copy(env!("CARGO_BIN_EXE_wpatch"), &program).unwrap();
    fs::create_dir(&root).unwrap();
    chown(&root, None, Some(100)).unwrap();
    for (path, mode) in [(base.path(), 0o755), (&root, 0o2775)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let file = root.join("f");
    fs::write(&file, "one\n").unwrap();
    chown(&file, Some(1000), Some(1000)).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o664)).unwrap();
    let run = |arguments: &str| {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=2001", "--regid=2001", "--groups=100"])
            .arg(&program)
            .args(arguments.split(' '))
            .current_dir(&root)
            .env("HOME", "/nonexistent")
            .env_remove("XDG_STATE_HOME");
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments}: {told}");
        let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o7777;
        (fs::read_to_string(&file).unwrap(), mode)
    };
    run("init");
    assert_eq!(
        run("edit f --old one --new two"),
        ("two\n".to_owned(), 0o644)
    );
    assert_eq!(run("undo").0, "one\n");
    assert_eq!(run("redo").0, "two\n");
}
