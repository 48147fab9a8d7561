//! Two users on one work tree: the state of the other one is respected and never believed. It takes
//! root to make such trees.
#![cfg(target_os = "linux")]

use std::os::unix::fs::chown;
use std::path::Path;
use std::process::Command;

use fs_err as fs;
use rustix::fs::{FlockOperation, flock};

use crate::systems::Desk;

mod shared;
mod waiting;

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
fn a_check_of_a_file_that_git_converts_names_the_remedy_in_a_repository_of_another_user() {
    let desk = repository();
    give(&desk.root(), OTHER);
    let check = |desk: &Desk| {
        let mut command = crate::world::wpatch();
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
    for document in ["docs/undo.md", "docs/security.md"] {
        assert!(
            fs::read_to_string(document)
                .unwrap()
                .contains("safe.directory"),
            "{document}"
        );
    }
}
