//! A kill of the program while git works for it. git then gets no more input, and writes to pipes
//! and scratch files only: it changes nothing that the next command finds, and that command does
//! not wait for it.
#![cfg(unix)]

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use fs_err as fs;

use super::{Both, both, litter, staged};
use crate::objects::{before_all, fake_git};
use crate::repository::git;
use crate::systems::{Desk, program};

/// Words of each git that `apply --index` runs.
const CALLS: &[&str] = &[
    "rev-parse",
    "ls-files -s",
    "config --list",
    "check-attr",
    "hash-object",
    "cat-file --batch",
    "unpack-objects",
    "cat-file --batch --filters",
    "update-index -z --index-info",
    "update-index -q --refresh",
];

/// Shorter than the default wait for the lock.
const PATIENCE: Duration = Duration::from_secs(5);

fn wait_for(desk: &Desk, name: &str) {
    let start = Instant::now();
    while !desk.path(name).exists() {
        assert!(start.elapsed() < Duration::from_secs(30), "{name}");
        sleep(Duration::from_millis(5));
    }
}

/// Kills `apply --index` when it runs the git that has `words`. That git goes on when the next
/// command has ended.
fn killed_at(words: &str) -> (Desk, [Both; 2]) {
    let desk = staged();
    fs::write(desk.path(".gitattributes"), "* text=auto\n").unwrap();
    assert!(
        git(&["add", ".gitattributes"])
            .current_dir(desk.root())
            .status()
            .unwrap()
            .success()
    );
    let place = desk
        .path("..")
        .canonicalize()
        .unwrap()
        .display()
        .to_string();
    let script = format!(
        "PATH=${{PATH#*:}}; cd {place} && case \"$*\" in *'{words}'*) touch started; \
        for i in $(seq 1000); do [ -e go ] && break; sleep 0.01; done; git \"$@\"; touch ended;; *) exec git \"$@\";; esac"
    );
    fs::create_dir(desk.path("../bin")).unwrap();
    fake_git(&desk.path("../bin"), &script);

    let mut command = program(&desk.root(), &["apply", "--index", "../patch"]);
    command
        .env("PATH", before_all(&format!("{place}/bin")))
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_for(&desk, "../started");
    child.kill().unwrap();
    child.wait().unwrap();

    let start = Instant::now();
    let output = desk.runs(&["recover"], b"");
    assert!(
        output.status.success() && start.elapsed() < PATIENCE,
        "{words}: {output:?}"
    );
    let found = both(&desk);
    fs::write(desk.path("../go"), "").unwrap();
    wait_for(&desk, "../ended");
    let later = both(&desk);
    (desk, [found, later])
}

#[test]
fn a_git_whose_program_was_killed_changes_nothing_and_is_not_waited_for() {
    for &words in CALLS {
        let (desk, [found, later]) = killed_at(words);
        assert!(
            found == later && litter(&desk).is_empty(),
            "{words}: {later:#?} {:?}",
            litter(&desk)
        );
        let next = if words.ends_with("--refresh") {
            &["undo"][..]
        } else {
            &["apply", "--index", "../patch"]
        };
        let output = desk.runs(next, b"");
        assert!(output.status.success(), "{words}: {output:?}");
    }
}
