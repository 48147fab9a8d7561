//! Two users on one work tree: the state of the other one is respected and never believed. It takes
//! root to make such trees.
#![cfg(target_os = "linux")]

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use fs_err as fs;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use crate::systems::Desk;

const PATCH: &[u8] = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n";
const OTHER: u32 = 12_345;

/// Gives everything below `path` to a user.
fn give(path: &Path, owner: u32) {
    for entry in walkdir::WalkDir::new(path).into_iter().map(Result::unwrap) {
        chown(entry.path(), Some(owner), None)
            .expect("these tests run as root: only root can give files to another user");
    }
}

fn repository() -> Desk {
    let desk = Desk::with(&[("f", b"one\n")]);
    assert!(
        Command::new("git")
            .args(["init", "-q"])
            .current_dir(desk.root())
            .status()
            .unwrap()
            .success()
    );
    desk
}

/// Says that writing is refused with a way out, and that reading goes on.
fn only_reads(desk: &Desk) {
    let checked = desk.does(&["check"], PATCH);
    assert_eq!(
        (&checked["problems"][0]["code"], &checked["exit_code"]),
        (&"wpatch::io::state".into(), &0.into())
    );
    for command in [
        &["apply"][..],
        &["apply", "--durability", "none"],
        &["write", "new", "--content", "x"],
    ] {
        let error = desk.refuses("io", command, PATCH);
        let text = [&error["message"], &error["help"]]
            .map(|text| text.as_str().unwrap().to_owned())
            .join(" ");
        assert!(
            text.contains("12345") && text.contains("wpatch recover") && text.contains("chown"),
            "{text}"
        );
    }
    assert!(desk.says(&["log"], b"")["entries"].is_array());
}

/// The user whose directory it is has to be able to go on: there is no history, and the report says
/// why and what helps.
fn goes_on_without_history(desk: &Desk) {
    for durability in ["full", "none"] {
        for direction in [&["apply"][..], &["apply", "-R"]] {
            let report = desk.does(&[direction, &["--durability", durability]].concat(), PATCH);
            let reason = report["history"]["reason"].as_str().unwrap();
            assert!(
                report["history"]["kept"] == false
                    && reason.contains("12345")
                    && reason.contains("chown"),
                "{reason}"
            );
        }
    }
    let log = desk.runs(&["log"], b"");
    let told = String::from_utf8_lossy(&log.stderr).into_owned();
    assert!(
        log.status.success() && told.contains("12345") && !told.contains("init"),
        "{told}"
    );
    let error = desk.says(&["undo"], b"");
    assert!(
        error["problems"][0]["help"]
            .as_str()
            .unwrap()
            .contains("12345"),
        "{error:#}"
    );
    let names = fs::read_dir(desk.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.starts_with(".wpatch-")));
}

#[test]
fn a_state_directory_of_another_user_stops_no_command() {
    let desk = Desk::with(&[("f", b"one\n")]);
    desk.does(&["init"], b"");
    give(&desk.path(".wpatch"), OTHER);
    goes_on_without_history(&desk);
    assert_eq!(desk.says(&["init"], b"")["exit_code"], 4);
    give(&desk.path(".wpatch"), rustix::process::geteuid().as_raw());
    assert_eq!(desk.does(&["apply"], PATCH)["history"]["kept"], true);
}

#[test]
fn a_state_directory_of_another_user_in_an_own_git_directory_stops_no_command() {
    let desk = repository();
    desk.does(&["apply"], PATCH);
    desk.does(&["undo"], b"");
    give(&desk.path(".git/wpatch"), OTHER);
    goes_on_without_history(&desk);
    assert!(!desk.path(".wpatch").exists());
    fs::create_dir(desk.path(".wpatch")).unwrap();
    give(&desk.path(".wpatch"), OTHER);
    goes_on_without_history(&desk);
    let error = desk.refuses("io", &["init"], b"");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains(".git/wpatch: belongs"),
        "{error:#}"
    );
}

#[test]
fn an_interrupted_change_in_a_state_directory_of_another_user_stops_every_write() {
    for is_repository in [false, true] {
        let desk = if is_repository {
            repository()
        } else {
            Desk::with(&[("f", b"one\n")])
        };
        desk.does(&["init"], b"");
        assert!(
            !desk
                .runs(&["apply", "--verify", "kill -9 $PPID"], PATCH)
                .status
                .success()
        );
        let state = desk.path(if is_repository {
            ".git/wpatch"
        } else {
            ".wpatch"
        });
        give(&state, OTHER);
        fs::write(desk.path("f"), "one\n").unwrap();
        only_reads(&desk);
        assert_eq!(desk.says(&["recover"], b"")["exit_code"], 4);
        give(&state, rustix::process::geteuid().as_raw());
        desk.does(&["recover"], b"");
        desk.does(&["apply"], PATCH);
    }
}

/// The top, a directory in it, and a linked work tree: each with its git directory, all of another
/// user.
#[test]
fn the_state_of_another_user_counts_in_every_directory_of_every_work_tree() {
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
    let main = base.path().join("main");
    let make = "git init -q main && cd main && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 1 && \
        git worktree add -q ../linked && mkdir sub ../linked/sub";
    assert_eq!(run(base.path(), make), Some(0));
    for (top, state) in [
        (main.clone(), ".git/wpatch"),
        (
            base.path().join("linked"),
            "../main/.git/worktrees/linked/wpatch",
        ),
    ] {
        assert_eq!(run(&top, "\"$WPATCH\" write new --content x"), Some(0));
        give(base.path(), OTHER);
        let write = "\"$WPATCH\" write new --overwrite --content y --lock-timeout 0";
        let lock = fs::File::open(top.join(state).join("lock")).unwrap();
        flock(&lock, FlockOperation::LockExclusive).unwrap();
        let at = |directory: &str| top.join(directory);
        assert_eq!(
            [".", "sub"].map(|directory| run(&at(directory), write)),
            [Some(6); 2],
            "{state}"
        );
        // A process that another test starts may have a copy of the handle for a moment.
        flock(&lock, FlockOperation::Unlock).unwrap();
        assert_eq!(
            [".", "sub"].map(|directory| run(&at(directory), write)),
            [Some(0); 2],
            "{state}"
        );
        give(base.path(), rustix::process::geteuid().as_raw());
        run(
            &top,
            "\"$WPATCH\" write new --overwrite --content z --verify 'kill -9 $PPID'",
        );
        give(base.path(), OTHER);
        assert_eq!(
            [".", "sub"].map(|directory| run(&at(directory), write)),
            [Some(4); 2],
            "{state}"
        );
        give(base.path(), rustix::process::geteuid().as_raw());
        assert_eq!(run(&top, "\"$WPATCH\" recover"), Some(0));
    }
}

#[test]
fn an_interrupted_change_of_another_user_stops_every_write() {
    let desk = repository();
    assert!(
        !desk
            .runs(&["apply", "--verify", "kill -9 $PPID"], PATCH)
            .status
            .success()
    );
    give(&desk.path(".git"), OTHER);
    fs::write(desk.path("f"), "one\n").unwrap();
    only_reads(&desk);
    give(&desk.path(".git"), rustix::process::geteuid().as_raw());
    desk.does(&["recover"], b"");
    desk.does(&["apply"], PATCH);
}

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
fn a_change_that_was_interrupted_next_to_the_state_of_another_user_is_recovered_without_it() {
    let desk = Desk::with(&[("f", b"one\n")]);
    desk.does(&["init"], b"");
    give(&desk.path(".wpatch"), OTHER);
    assert!(
        !desk
            .runs(&["apply", "--verify", "kill -9 $PPID"], PATCH)
            .status
            .success()
    );
    assert_eq!(desk.bytes("f"), b"two\n");
    fs::remove_dir_all(desk.path(".wpatch")).unwrap();
    desk.does(&["recover"], b"");
    assert_eq!(desk.bytes("f"), b"one\n");
    assert_eq!(fs::read_dir(desk.root()).unwrap().count(), 1);
}

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

/// `core.sharedRepository` opens git's own files to a group. The state stays private, because it is
/// trusted.
#[test]
fn a_shared_repository_has_a_private_state_for_each_user() {
    const GROUP: u32 = 12_346;
    let desk = Desk::with(&[("f", b"one\n")]);
    let git = |arguments: &[&str]| {
        Command::new("git")
            .args(arguments)
            .current_dir(desk.root())
            .status()
            .unwrap()
    };
    assert!(git(&["init", "-q", "--shared=group"]).success());
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
    let as_user = |user: u32, arguments: &[&str]| {
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
    };
    let edit =
        |user, old: &str, new: &str| as_user(user, &["edit", "f", "--old", old, "--new", new]);
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
        as_user(OTHER, &["undo"])["error"]["code"],
        "wpatch::undo::conflict"
    );
    assert_eq!(edit(OTHER, "three", "one")["history"]["kept"], true);
    assert_eq!(as_user(OTHER, &["undo"])["ok"], true);
    assert_eq!(desk.bytes("f"), b"three\n");
}

/// Each user changes its own file, over and over; each change waits for those of the other user.
#[test]
fn commands_of_two_users_in_one_directory_wait_for_each_other() {
    const TIMES: usize = 25;
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
        let work = |user: u32| {
            let file = root.join(format!("f{user}"));
            fs::write(&file, "one\n").unwrap();
            give(&file, user);
            let patch = base.path().join(format!("p{user}"));
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
                .arg(&program)
                .args(["", durability])
                .arg(&patch);
            command
                .current_dir(&root)
                .env_remove("XDG_STATE_HOME")
                .env("HOME", base.path());
            command
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        };
        for process in [work(0), work(1234)] {
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
        code == Some(0) && words.contains("another wpatch changes this tree"),
        "{code:?} {words}"
    );
    fs::remove_dir(base.path().join(".wpatch")).unwrap();
    assert_eq!(run(&["apply", "p"]).0, Some(0));
}

#[test]
fn a_check_of_a_file_that_git_converts_names_the_remedy_in_a_repository_of_another_user() {
    let desk = repository();
    give(&desk.root(), OTHER);
    let check = |desk: &Desk| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wpatch"));
        command
            .args(["check", "p"])
            .current_dir(desk.root())
            .env("HOME", desk.path(".."));
        let output = command
            .env_remove("XDG_CONFIG_HOME")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    fs::write(desk.path("p"), PATCH).unwrap();
    assert_eq!(check(&desk).0, Some(0));
    fs::write(desk.path(".gitattributes"), "* text eol=crlf\n").unwrap();
    let (code, words) = check(&desk);
    assert!(
        code == Some(4) && words.contains("git config --global --add safe.directory"),
        "{code:?} {words}"
    );
    for document in ["README.md", "SECURITY.md"] {
        assert!(
            fs::read_to_string(document)
                .unwrap()
                .contains("safe.directory"),
            "{document}"
        );
    }
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
