//! Faults on a real disk: the program under strace, which kills it at a system call or lets the
//! call fail.
//!
//! A sample runs always; `WPATCH_FAULTS=all` runs every call with every fault, `WPATCH` names
//! another program to run. Each run starts from a new tree, is followed by `wpatch recover`, and
//! has to end in the tree before or the tree after; after if it reported success, before if it
//! refused.
//!
//! Safeguards that were switched off by hand, one at a time, and what saw it:
//!
//! | switched off | seen by |
//! | --- | --- |
//! | sync of the changed directories | `crash::an_acknowledged_commit_survives_the_power` |
//! | journal: the next command takes it for scratch | `after_a_kill_…_can_be_applied_again`, `world::mounts`, `world::full`, `others::stops` |
//! | verification of what came out | `others::stops`, `others::editor` |
//! | rolling back | `world::full`, `world::denied`, `others::stops`, `others::links`, `others::editor` |
//! | the lock between processes | `others::two_at_a_time_…`, `others::eight_at_a_time_…` |
//! | resolving through directories alone | `others::links` |
//! | exchange: moved aside and in instead | `others::a_reader_sees_only_whole_versions` |
//! | moving in where nothing can be exchanged | `world::mounts::a_file_system_that_cannot_exchange_…` |
//! | scratch beside the target below a mount | `world::mounts` |
//! | a second name makes a change of mode an update | `world::attributes::a_second_name_outside_…` |
//! | attributes, and what a directory gives | `world::attributes` |
#![cfg(target_os = "linux")]

pub(crate) mod scene;
pub(crate) mod strace;

use std::process::Command;

use fs_err as fs;
use scene::Scene;
use strace::{Ending, Injection};
use tempfile::TempDir;

use crate::world::takes_all;

/// The calls that change something or make it durable, and those that the root is looked at with.
pub(crate) const CALLS: &[&str] = &[
    "openat",
    "openat2",
    "write",
    "renameat2",
    "renameat",
    "rename",
    "linkat",
    "unlinkat",
    "mkdirat",
    "symlinkat",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "chmod",
    "fchown",
    "fchownat",
    "fsetxattr",
    "fsync",
    "fdatasync",
    "syncfs",
    "ftruncate",
    "flock",
    "copy_file_range",
    "newfstatat",
    "getdents64",
];
/// The calls that make something durable.
const SYNCS: &[&str] = &["fsync", "fdatasync", "syncfs"];
/// The call that moves files in.
pub(crate) const MOVE_IN: &str = if cfg!(wpatch_plain_unix) {
    "linkat"
} else {
    "renameat2"
};
/// The calls that a kernel or a file system may not have.
const NEW_CALLS: &[&str] = &[
    "renameat2",
    "openat2",
    "statx",
    "syncfs",
    "copy_file_range",
    "fchmodat2",
];
/// The errors that disks, quotas, permissions, signals and mounts give.
const ERRORS: &[&str] = &[
    "error=EIO",
    "error=ENOSPC",
    "error=EACCES",
    "error=EROFS",
    "error=EDQUOT",
    "error=EINTR",
    "error=EXDEV",
];
/// One run in so many is in the sample; a prime, so that faults seldom meet the same calls.
const SAMPLE: usize = 13;

/// How long a fault lasts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Span {
    Once,
    FromNowOn,
}

/// Returns every fault of `faults` at every one of the calls, or a sample of them.
fn injections(
    calls: &[(&'static str, usize)],
    faults: &[&'static str],
    span: Span,
) -> Vec<Injection> {
    let mut all = Vec::new();
    for fault in faults {
        // "From now on" and EINTR are one endless loop: whoever is interrupted tries again.
        if span == Span::FromNowOn && *fault == "error=EINTR" {
            continue;
        }
        for &(call, count) in calls {
            for number in 1..=count {
                let when = if span == Span::Once {
                    number.to_string()
                } else {
                    format!("{number}+")
                };
                all.push(Injection { call, fault, when });
            }
        }
    }
    if takes_all() {
        all
    } else {
        all.into_iter().skip(SAMPLE / 2).step_by(SAMPLE).collect()
    }
}

/// Makes the runs.
///
/// # Panics
///
/// If one of them ends wrong, or if fewer than `least` met their fault.
pub(crate) fn all_end_right(
    least: usize,
    injections: &[Injection],
    run: impl Fn(&Injection) -> Ending,
) {
    let endings: Vec<_> = injections.iter().map(run).collect();
    let met = endings.iter().filter(|ending| ending.was_met).count();
    let wrong: Vec<_> = endings
        .into_iter()
        .filter_map(|ending| ending.problem)
        .collect();
    #[allow(clippy::print_stdout, reason = "what was tried is a result too")]
    {
        println!(
            "{met} faults met in {} runs, {} ended wrong",
            injections.len(),
            wrong.len()
        );
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        injections.len(),
        wrong.join("\n")
    );
    assert!(
        met >= least,
        "only {met} of {} met their fault",
        injections.len()
    );
}

/// Applies the patch, and one of a single change, with every one of `faults` at every one of
/// `calls`.
fn applying(least: usize, calls: &[&'static str], faults: &[&'static str], span: Span) {
    on(&Scene::new(), least, calls, faults, span);
    on(&Scene::single(), (least / 5).max(1), calls, faults, span);
    on(&Scene::in_place(), (least / 5).max(1), calls, faults, span);
}

fn on(scene: &Scene, least: usize, calls: &[&'static str], faults: &[&'static str], span: Span) {
    scene.lay();
    let calls: Vec<_> = scene.calls("apply", calls).into_iter().collect();
    all_end_right(least, &injections(&calls, faults, span), |injection| {
        scene.apply(injection)
    });
}

#[test]
fn a_kill_at_any_call_leaves_the_tree_before_or_after() {
    applying(5, CALLS, &["signal=KILL"], Span::Once);
}

#[test]
fn after_a_kill_at_any_call_the_patch_can_be_applied_again() {
    for (scene, least) in [
        (Scene::new(), 4),
        (Scene::single(), 1),
        (Scene::in_place(), 1),
    ] {
        scene.lay();
        let calls: Vec<_> = scene.calls("apply", CALLS).into_iter().collect();
        let kills = injections(&calls, &["signal=KILL"], Span::Once);
        let kills: Vec<_> = kills
            .into_iter()
            .step_by(if takes_all() { 1 } else { 2 })
            .collect();
        all_end_right(least, &kills, |injection| scene.apply_again(injection));
    }
}

#[test]
fn a_signal_at_any_call_leaves_the_tree_before_or_after() {
    applying(5, CALLS, &["signal=TERM"], Span::Once);
}

#[test]
fn an_error_of_any_call_leaves_the_tree_before_or_after() {
    applying(30, CALLS, ERRORS, Span::Once);
}

#[test]
fn errors_from_any_call_on_leave_the_tree_before_or_after() {
    applying(30, CALLS, ERRORS, Span::FromNowOn);
}

/// The rollback frees space then, but a file that is overwritten needs both of its versions.
#[test]
fn a_full_disk_at_any_sync_leaves_an_overwritten_file_before_or_after() {
    let scene = Scene::in_place();
    scene.lay();
    let calls: Vec<_> = scene.calls("apply", SYNCS).into_iter().collect();
    let syncs = calls
        .iter()
        .flat_map(|&(call, count)| (1..=count).map(move |number| (call, number)));
    let full: Vec<_> = syncs
        .map(|(call, number)| Injection {
            call,
            fault: "error=ENOSPC",
            when: format!("{number}+"),
        })
        .collect();
    all_end_right(6, &full, |injection| scene.apply(injection));
}

#[test]
fn a_kernel_that_lacks_calls_leaves_the_tree_before_or_after() {
    let lacks = ["error=EINVAL", "error=ENOSYS"];
    applying(2, NEW_CALLS, &lacks, Span::Once);
    applying(2, NEW_CALLS, &lacks, Span::FromNowOn);
}

/// Takes a patch back with every one of `faults` at every one of `calls`.
fn undoing(least: usize, calls: &[&'static str], faults: &[&'static str], span: Span) {
    for scene in [Scene::new(), Scene::with_external_history()] {
        scene.lay_applied();
        let calls: Vec<_> = scene.calls("undo", calls).into_iter().collect();
        // One run is six of the program here.
        let injections = injections(&calls, faults, span)
            .into_iter()
            .step_by(if takes_all() { 1 } else { 5 });
        all_end_right(least, &injections.collect::<Vec<_>>(), |injection| {
            scene.undo(injection)
        });
    }
}

#[test]
fn an_undo_that_is_killed_or_stopped_at_any_call_is_whole_or_nothing() {
    undoing(1, CALLS, &["signal=KILL", "signal=TERM"], Span::Once);
}

#[test]
fn an_undo_that_meets_an_error_at_any_call_is_whole_or_nothing() {
    undoing(12, CALLS, ERRORS, Span::Once);
    undoing(12, CALLS, ERRORS, Span::FromNowOn);
    undoing(1, NEW_CALLS, &["error=EINVAL", "error=ENOSYS"], Span::Once);
    undoing(
        1,
        NEW_CALLS,
        &["error=EINVAL", "error=ENOSYS"],
        Span::FromNowOn,
    );
}

#[test]
fn recovery_can_be_killed_at_any_call() {
    recovering(&Scene::new(), 5);
    recovering(&Scene::single(), 1);
}

fn recovering(scene: &Scene, least: usize) {
    scene.lay();
    let moves = scene.calls("apply", &[MOVE_IN])[MOVE_IN];
    let dead = Injection {
        call: MOVE_IN,
        fault: "signal=KILL",
        when: moves.to_string(),
    };
    scene.lay();
    scene.strike("apply", &dead);
    let calls: Vec<_> = scene.calls("recover", CALLS).into_iter().collect();
    let kills = injections(&calls, &["signal=KILL", "error=EIO"], Span::Once);
    all_end_right(least, &kills, |injection| {
        scene.recover_twice(&dead, injection)
    });
}

#[test]
fn where_no_thread_may_be_started_one_does_all_of_it() {
    let (directory, count) = (TempDir::new().unwrap(), 600);
    let at = |name: &str| directory.path().join(name);
    let new = "x".repeat(2000);
    (0..count).for_each(|number| fs::write(at(&format!("f{number}")), "old\n").unwrap());
    let section = |number| format!("--- a/f{number}\n+++ b/f{number}\n@@ -1 +1 @@\n-old\n+{new}\n");
    let patch: String = (0..count).map(section).collect();
    fs::write(at("patch"), &patch).unwrap();
    assert!(
        patch.len() > 1 << 20,
        "several threads would look for grammars"
    );
    let none = [
        "-f",
        "-qq",
        "-o",
        "log",
        "-e",
        "trace=clone3",
        "-e",
        "inject=clone3:error=EAGAIN",
    ];
    let mut command = Command::new("strace");
    command
        .args(none)
        .arg(scene::program())
        .args(["apply", "--durability", "none", "patch"]);
    let output = command.current_dir(directory.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        fs::read_to_string(at("log")).unwrap().contains("EAGAIN"),
        "a thread was wanted"
    );
    let is_new =
        |number| fs::read_to_string(at(&format!("f{number}"))).unwrap() == format!("{new}\n");
    assert!((0..count).all(is_new));
}
