//! Others at work on the same tree: more of the same program, editors that save at any moment,
//! readers, and somebody who puts links in the place of directories.
//!
//! `WPATCH_FAULTS=all` stops at every call, and runs 10,000 saves against 1,000 applies in place of
//! some hundred.
#![cfg(target_os = "linux")]

mod editor;
mod links;
mod stops;

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use fs_err as fs;
use tempfile::TempDir;

use crate::faults::scene::{is_scratch, program};

/// Applies the patch in the file `patch` to the tree at `root`.
fn apply(root: &Path, patch: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(program());
    command
        .arg("apply")
        .args(options)
        .arg("--root")
        .arg(root)
        .arg(patch);
    command.output().unwrap()
}

/// Adds the line `number` to the section of `process`, and a file for each other line.
fn add_line(root: &Path, patch: &Path, process: usize, number: usize) {
    let next = number
        .checked_sub(1)
        .map_or(format!("end {process}"), |last| {
            format!("{process}: {last}")
        });
    let hunk = format!("@@ -2,2 +2,3 @@\n begin {process}\n+{process}: {number}\n {next}\n");
    let new = format!("--- /dev/null\n+++ b/new/{process}-{number}\n@@ -0,0 +1 @@\n+{number}\n");
    // One change alone and several are made in different ways.
    let new = if number.is_multiple_of(2) {
        new
    } else {
        String::new()
    };
    fs::write(patch, format!("--- a/file\n+++ b/file\n{hunk}{new}")).unwrap();
    let durability = if process.is_multiple_of(4) {
        "full"
    } else {
        "none"
    };
    let output = apply(
        root,
        patch,
        &["--lock-timeout", "60s", "--durability", durability],
    );
    assert!(output.status.success(), "{process}: {number}: {output:?}");
}

/// Lets `processes` programs at a time add `each` lines to one file and half as many files to one
/// directory.
fn side_by_side(processes: usize, each: usize, made: &str) {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    fs::create_dir_all(directory.path().join(made)).unwrap();
    let sections = (0..processes).map(|process| format!("begin {process}\nend {process}\n"));
    fs::write(root.join("file"), sections.collect::<String>()).unwrap();
    let work = |process: usize| {
        let patch = directory.path().join(process.to_string());
        for number in 0..each {
            add_line(&root, &patch, process, number);
        }
    };
    thread::scope(|scope| {
        (0..processes).for_each(|process| drop(scope.spawn(move || work(process))));
    });
    let lines = |process: usize| {
        (0..each)
            .rev()
            .map(move |number| format!("{process}: {number}\n"))
    };
    let section = |process| {
        format!(
            "begin {process}\n{}end {process}\n",
            lines(process).collect::<String>()
        )
    };
    assert_eq!(
        fs::read_to_string(root.join("file")).unwrap(),
        (0..processes).map(section).collect::<String>()
    );
    assert_eq!(
        fs::read_dir(root.join("new")).unwrap().count(),
        processes * each / 2
    );
    let names = fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert_eq!(names.filter(|name| is_scratch(name.as_ref())).count(), 0);
}

#[test]
fn two_at_a_time_lose_nothing() {
    side_by_side(2, 100, "root");
}

#[test]
fn eight_at_a_time_lose_nothing() {
    side_by_side(8, 10, "root");
    side_by_side(8, 10, "root/.git");
}

/// Both are long enough to be written and read in parts.
fn version(letter: &str) -> String {
    format!("{}\n", letter.repeat(63)).repeat(1000)
}

/// Without an exchange of two names, a file is absent for a moment while it is replaced.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn a_reader_sees_only_whole_versions() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("root");
    fs::create_dir(&root).unwrap();
    let [a, b] = ["a", "b"].map(version);
    fs::write(root.join("file"), &a).unwrap();
    let patch = directory.path().join("patch");
    let lines = |sign: &str, text: &str| {
        text.lines()
            .map(|line| [sign, line, "\n"].concat())
            .collect::<String>()
    };
    let hunk = format!(
        "@@ -1,1000 +1,1000 @@\n{}{}",
        lines("-", &a),
        lines("+", &b)
    );
    fs::write(&patch, format!("--- a/file\n+++ b/file\n{hunk}")).unwrap();
    let (is_over, seen) = (
        AtomicBool::new(false),
        [AtomicUsize::new(0), AtomicUsize::new(0)],
    );
    let mut wrong = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let found = fs::read_to_string(root.join("file")).unwrap();
                let which = usize::from(found.starts_with('b'));
                assert!(found == [&a, &b][which][..], "{} bytes", found.len());
                seen[which].fetch_add(1, Ordering::Relaxed);
            }
        });
        for round in 0..30 {
            let output = apply(
                &root,
                &patch,
                &["--durability=none", "--reverse"][..=round % 2],
            );
            wrong.extend((!output.status.success()).then_some(output));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(
        seen.iter().all(|count| count.load(Ordering::Relaxed) > 10),
        "{seen:?}"
    );
}
