//! Commands of two users that wait for each other.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use fs_err as fs;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;
use wpatch::engine;
use wpatch::transaction::{Interrupt, Options};
use wpatch::workspace::disk::Disk;

use super::{OTHER, PATCH, give, repository};

#[test]
fn users_of_one_work_tree_wait_for_each_other() {
    let desk = repository();
    desk.does(&["apply"], PATCH);
    give(&desk.path(".git"), OTHER);
    let lock = fs::File::open(desk.path(".git/wpatch/lock")).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    for durability in ["full", "none"] {
        let report = desk.says(
            &[
                "apply",
                "-R",
                "--lock-timeout",
                "0",
                "--durability",
                durability,
            ],
            PATCH,
        );
        assert_eq!(report["exit_code"], 6, "{report:#}");
    }
    // A process that another test starts may have a copy of the handle for a moment.
    flock(&lock, FlockOperation::Unlock).unwrap();
    let report = desk.does(&["apply", "-R"], PATCH);
    assert_eq!(
        (&report["history"]["kept"], desk.bytes("f")),
        (&Value::Bool(false), b"one\n".to_vec())
    );
    assert!(!desk.path(".wpatch").exists());
}

#[test]
fn only_a_command_that_holds_the_lock_is_named() {
    let desk = repository();
    desk.does(&["apply"], PATCH);
    fs::create_dir(desk.path(".wpatch")).unwrap();
    fs::write(desk.path(".wpatch/lock"), "").unwrap();
    fs::set_permissions(desk.path(".wpatch/lock"), Permissions::from_mode(0o600)).unwrap();
    give(&desk.path(".wpatch"), OTHER);
    let refusal = |held: &str| {
        let lock = fs::File::open(desk.path(held)).unwrap();
        flock(&lock, FlockOperation::LockExclusive).unwrap();
        let error = desk.refuses("io", &["apply", "-R", "--lock-timeout", "0"], PATCH);
        flock(&lock, FlockOperation::Unlock).unwrap();
        error.to_string()
    };
    assert!(
        !refusal(".git/wpatch/lock").contains("12345"),
        "{}",
        refusal(".git/wpatch/lock")
    );
    assert!(
        refusal(".wpatch/lock").contains("12345"),
        "{}",
        refusal(".wpatch/lock")
    );
}

#[test]
fn a_signal_ends_the_wait_of_recover_and_gc() {
    let desk = repository();
    desk.does(&["apply"], PATCH);
    let lock = fs::File::open(desk.path(".git/wpatch/lock")).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    let workspace = Disk::open(&desk.root()).unwrap();
    let options = Options {
        lock_timeout: Duration::from_secs(3600),
        ..Options::default()
    };
    let interrupt = || Interrupt::with_read_limit(3, 15);
    for outcome in [
        engine::recover_with_interrupt(&workspace, options, &interrupt()),
        engine::gc(&workspace, options, &interrupt()),
    ] {
        assert_eq!(outcome.report.exit_code, 128 + 15);
    }
}

const TIMES: usize = 25;

/// Starts a process in which `user` changes its own file in `base` and undoes the change, with the
/// program in `base`.
fn change_repeatedly(base: &Path, user: u32, durability: &str) -> Child {
    let root = base.join("root");
    let file = root.join(format!("f{user}"));
    fs::write(&file, "one\n").unwrap();
    give(&file, user);
    let patch = base.join(format!("p{user}"));
    fs::write(
        &patch,
        format!("--- a/f{user}\n+++ b/f{user}\n@@ -1 +1 @@\n-one\n+two\n"),
    )
    .unwrap();
    let mut command = Command::new("setpriv");
    let user = user.to_string();
    command.args([
        "--reuid",
        &user,
        "--regid",
        &user,
        "--clear-groups",
        "sh",
        "-c",
    ]);
    let line = "for i in $(seq $1); do \"$2\" apply --durability $4 --lock-timeout 60s $3 \"$5\" || echo $?; \
                test -z \"$3\" && set -- $1 $2 -R $4 \"$5\" || set -- $1 $2 '' $4 \"$5\"; done";
    command
        .args([line, "sh", &TIMES.to_string()])
        .arg(base.join("wpatch"))
        .args(["", durability])
        .arg(&patch);
    command
        .current_dir(root)
        .env_remove("XDG_STATE_HOME")
        .env("HOME", base);
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
}

/// Each user changes its own file, over and over; each change waits for those of the other user.
#[test]
fn commands_of_two_users_in_one_directory_wait_for_each_other() {
    let base = tempfile::TempDir::new().unwrap();
    let root = base.path().join("root");
    fs::create_dir(&root).unwrap();
    for directory in [base.path(), &root] {
        fs::set_permissions(directory, Permissions::from_mode(0o777)).unwrap();
    }
    // The program has to be where the other user can reach it.
    let program = base.path().join("wpatch");
    fs::copy(env!("CARGO_BIN_EXE_wpatch"), &program).unwrap();
    for durability in ["full", "none"] {
        let change = |user: u32| change_repeatedly(base.path(), user, durability);
        for process in [change(0), change(1234)] {
            let output = process.wait_with_output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                "",
                "{durability}: {errors}"
            );
        }
        assert_eq!(
            [0, 1234].map(|user| fs::read(root.join(format!("f{user}"))).unwrap()),
            [b"two\n", b"two\n"]
        );
        let mut names: Vec<_> = fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["f0", "f1234"]);
    }
}

#[test]
fn a_running_command_of_another_user_is_waited_for_and_named() {
    let base = tempfile::TempDir::new().unwrap();
    fs::set_permissions(base.path(), Permissions::from_mode(0o777)).unwrap();
    let program = base.path().join("wpatch");
    fs::copy(env!("CARGO_BIN_EXE_wpatch"), &program).unwrap();
    fs::write(base.path().join("f"), "one\n").unwrap();
    fs::write(base.path().join("p"), PATCH).unwrap();
    // The state directory of a command of root that runs.
    fs::create_dir(base.path().join(".wpatch")).unwrap();
    fs::set_permissions(base.path().join(".wpatch"), Permissions::from_mode(0o1700)).unwrap();
    give(&base.path().join("f"), OTHER);
    let run = |arguments: &[&str]| {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", "12345", "--regid", "12345", "--clear-groups"])
            .arg(&program)
            .args(arguments);
        command
            .current_dir(base.path())
            .env_remove("XDG_STATE_HOME")
            .env("HOME", base.path());
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, words) = run(&["apply", "--lock-timeout", "0", "p"]);
    assert_eq!(code, Some(6), "{words}");
    assert!(
        words.contains("another user (uid 0)") && words.contains("wpatch recover"),
        "{words}"
    );
    let (code, words) = run(&["check", "p"]);
    assert!(
        code == Some(0) && words.contains("another wpatch process is changing this tree"),
        "{code:?} {words}"
    );
    fs::remove_dir(base.path().join(".wpatch")).unwrap();
    assert_eq!(run(&["apply", "p"]).0, Some(0));
}
