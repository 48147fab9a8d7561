//! Where the history of a root is, and why there is none.

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use super::places::{
    DEEPER, DIRECTORIES, Make, Place, WRITE, done, in_git, repository, run, wpatch,
};
#[cfg(target_os = "linux")]
use mounts::Mount;

use crate::world;

mod git_files;
mod mounts;

/// All commands in one work tree have one lock and one history, so the environment has no
/// influence.
#[cfg(target_os = "linux")]
#[test]
fn no_variable_of_git_changes_where_the_history_is() {
    let place = Place::of("ceiling", |base| repository(&base.join("tree"), &[]));
    let kept = |directory: &str, (name, value): (&str, &str)| {
        let mut command = wpatch(
            &place.at(directory),
            &["write", "new", "--overwrite", "--content", "x", "--json"],
        );
        let output = command.env(name, value).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["history"]["kept"].as_bool().unwrap()
    };
    let top = place.top.display().to_string();
    for directory in DIRECTORIES {
        for ceiling in [&top, &place.at("sub").display().to_string(), "/"] {
            assert!(
                kept(directory, ("GIT_CEILING_DIRECTORIES", ceiling)),
                "{directory} {ceiling}"
            );
        }
    }
    for directory in [DEEPER, "sub"] {
        assert!(kept(directory, ("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")));
    }
    let Some(_mount) = Mount::at(&place.at(DEEPER)) else {
        return;
    };
    assert!(!kept(DEEPER, ("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")));
}

/// git passes over a directory `.git` that has no repository.
#[cfg(unix)]
#[test]
fn a_git_directory_without_a_repository_counts_only_if_there_is_none_above() {
    let place = Place::of("empty", |base| repository(&base.join("tree"), &[]));
    fs::create_dir(place.at("sub/.git")).unwrap();
    for directory in [".", "sub", DEEPER] {
        let has_objects = directory == "sub";
        fs::write(
            place.at("sub/.git/HEAD"),
            ["ref: refs/heads/main\n", ""][usize::from(has_objects)],
        )
        .unwrap();
        for name in ["objects", "refs"] {
            let name = place.at("sub/.git").join(name);
            if has_objects {
                fs::create_dir(name).unwrap();
            } else if name.exists() {
                fs::remove_dir(name).unwrap();
            }
        }
        assert_eq!(
            in_git(&place.at("sub"), &["rev-parse", "--show-toplevel"]),
            place.top.display().to_string()
        );
        done(
            directory,
            &place.at(directory),
            &["write", "new", "--overwrite", "--content", directory],
        );
        let log = done(directory, &place.at("sub"), &["log"]);
        assert_eq!(log, done(directory, &place.top, &["log"]));
        assert!(
            log["entries"].as_array().unwrap()[0]["id"].is_string()
                && !place.at("sub/.git/wpatch").exists()
        );
    }
    // Without the repository it is the nearest one.
    fs::remove_dir_all(place.at(".git")).unwrap();
    fs::create_dir(place.at(".git")).unwrap();
    done("nested", &place.at(DEEPER), WRITE);
    let log = done("nested", &place.at("sub"), &["log"]);
    assert_eq!(
        (
            log["entries"].as_array().unwrap().len(),
            place.at("sub/.git/wpatch").is_dir()
        ),
        (1, true)
    );
    done(
        "top",
        &place.top,
        &["write", "new", "--overwrite", "--content", "x"],
    );
    assert!(place.at(".git/wpatch").is_dir());
}

/// A directory whose `.git` file names the git directory of another tree must not get its history.
#[cfg(unix)]
#[test]
fn a_git_directory_without_a_record_of_its_work_tree_has_the_history_of_one_top() {
    let kinds: [Make; 2] = [
        |base| {
            repository(
                &base.join("tree"),
                &["--separate-git-dir", &base.join("g").display().to_string()],
            )
        },
        |base| {
            let (main, module) = (
                repository(&base.join("main"), &[]),
                repository(&base.join("module"), &[]),
            );
            let from = module.display().to_string();
            in_git(
                &main,
                &[
                    "-c",
                    "protocol.file.allow=always",
                    "submodule",
                    "--quiet",
                    "add",
                    &from,
                    "m",
                ],
            );
            main.join("m")
        },
    ];
    for make in kinds {
        let place = Place::of("bound", make);
        done("made", &place.at("sub"), WRITE);
        let other = place.top.with_file_name("other");
        fs::create_dir_all(other.join("sub")).unwrap();
        let git = in_git(&place.top, &["rev-parse", "--absolute-git-dir"]);
        fs::write(other.join(".git"), format!("gitdir: {git}\n")).unwrap();
        fs::write(other.join("sub/a"), "two\n").unwrap();
        for directory in [other.clone(), other.join("sub")] {
            assert_eq!(run(&directory, &["undo"]).status.code(), Some(1));
            let report = done("other", &directory, &["write", "new", "--content", "x"]);
            let reason = report["history"]["reason"].as_str().unwrap();
            assert!(
                reason.contains("contains the history of")
                    && reason.contains(place.top.to_str().unwrap()),
                "{reason}"
            );
        }
        assert_eq!(fs::read_to_string(other.join("sub/a")).unwrap(), "two\n");
        // A tree that is moved keeps it, and what takes its name later does not get it.
        let moved = place.top.with_file_name("moved");
        fs::write(place.at(".git"), format!("gitdir: {git}\n")).unwrap();
        fs::rename(&place.top, &moved).unwrap();
        fs::rename(&other, &place.top).unwrap();
        done("moved", &moved, &["undo"]);
        assert_eq!(fs::read_to_string(moved.join("sub/a")).unwrap(), "one\n");
        assert_eq!(run(&place.top, &["redo"]).status.code(), Some(1));
        done("moved", &moved, &["redo"]);
    }
}

/// One change can be about several repositories, and is undone as a whole.
#[cfg(unix)]
#[test]
fn a_change_in_a_repository_below_belongs_to_the_work_tree_of_the_command() {
    let base = TempDir::new().unwrap();
    let top = repository(&base.path().canonicalize().unwrap().join("top"), &[]);
    let inner = repository(&top.join("inner"), &[]);
    done("write", &top, &["write", "inner/new", "--content", "x"]);
    assert_eq!(run(&inner, &["undo"]).status.code(), Some(1));
    assert!(inner.join("new").exists());
    done("undo", &top, &["undo"]);
    assert!(!inner.join("new").exists());
}

#[cfg(unix)]
#[test]
fn what_belongs_to_another_user_keeps_no_history() {
    let place = Place::of("owner", |base| repository(&base.join("tree"), &[]));
    if std::os::unix::fs::chown(place.at(".git"), Some(12_345), None).is_err() {
        return;
    }
    for directory in DIRECTORIES {
        let report = done(
            "owner",
            &place.at(directory),
            &["write", "new", "--content", "x"],
        );
        let reason = report["history"]["reason"].as_str().unwrap();
        assert!(reason.ends_with(".git belongs to another user"), "{reason}");
    }
    assert!(!place.at(".git/wpatch").exists());
}

#[cfg(unix)]
#[test]
fn a_name_that_nothing_has_and_one_that_several_have_are_told_apart() {
    let place = Place::of("names", |base| repository(&base.join("tree"), &[]));
    let message = |arguments: &[&str]| {
        let output = run(&place.at("sub"), &[arguments, &["--json"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (output.status.code(), &report["error"]["kind"]),
            (Some(1), &"nothing_to_undo".into())
        );
        report["error"]["message"].as_str().unwrap().to_owned()
    };
    for command in [["undo", "12"], ["show", "12"]] {
        assert_eq!(message(&command), "no change matches 12");
    }
    done("one", &place.top, WRITE);
    done("two", &place.at("sub"), WRITE);
    let log = done("log", &place.top, &["log"]);
    let [new, old] = [0, 1].map(|number| log["entries"][number]["id"].as_str().unwrap());
    for command in [["undo", "00"], ["show", "00"]] {
        assert_eq!(message(&command), format!("00 is ambiguous: {new}, {old}"));
    }
}

#[test]
fn a_plain_directory_says_why_nothing_is_kept() {
    let base = TempDir::new().unwrap();
    let report = done("plain", base.path(), &["write", "new", "--content", "x"]);
    assert_eq!(report["history"]["kept"], false);
    let reason = report["history"]["reason"].as_str().unwrap();
    assert!(reason.contains(".wpatch"), "{reason}");
    let told = |command| String::from_utf8(run(base.path(), &[command]).stderr).unwrap();
    assert!(told("log").contains("`wpatch init`") && told("undo").contains("`wpatch init`"));
    done("init", base.path(), &["init"]);
    assert!(
        told("log").contains("empty") && !told("log").contains("init"),
        "{}",
        told("log")
    );
    let report = done("kept", base.path(), &["write", "other", "--content", "x"]);
    assert_eq!(report["history"], serde_json::json!({"kept": true}));
}

/// wpatch makes directories with these names. Every command ignores another file of such a name.
#[cfg(unix)]
#[test]
fn files_in_the_place_of_directories_of_the_state_are_ignored() {
    let entry = "entry-0000000001000000000-00000001.5";
    let large = "entry-0000000001000000000-00000002.99999999999";
    for name in [
        entry,
        large,
        "dead-x",
        "txn-x",
        "txn-0000000001000000000-00000001",
        "plan-1.5.x",
    ] {
        for make in ["mkfifo", "touch", "ln -s nowhere", "ln -s ."] {
            let base = TempDir::new().unwrap();
            let tree = repository(&base.path().canonicalize().unwrap().join("tree"), &[]);
            done("a change", &tree, &["write", "new", "--content", "x"]);
            let file = tree.join(".git/wpatch").join(name);
            let line = format!("{make} {}", file.display());
            assert!(world::sh(&line).status().unwrap().success());
            for arguments in [
                &["log"][..],
                &["gc"],
                &["recover"],
                &["write", "other", "--content", "x"],
                &["undo"],
                &["redo"],
                &["recover"],
                &["gc"],
                &["gc", "--all"],
                &["log"],
            ] {
                let output = run(&tree, arguments);
                let words = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(
                    output.status.success(),
                    "{name} {make} {arguments:?}: {words}"
                );
            }
            let stays = !name.starts_with("dead-");
            assert!(!stays || file.symlink_metadata().is_ok(), "{name} {make}");
        }
    }
}
