//! What the tests share that mount file systems and change attributes.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

pub(super) use crate::faults::scene::Scene;
use crate::faults::scene::{names, program};
use crate::faults::strace::Injection;

/// Runs a program that has to succeed.
///
/// # Panics
///
/// If it is not there, or fails.
pub(super) fn must(name: &str, arguments: &[&str]) -> Output {
    let output = Command::new(name).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{name} has to be installed: {error}"));
    assert!(
        output.status.success(),
        "{name} {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Mounts a file system in memory on `place`, which is made.
pub(super) fn mount_memory(place: &Path, options: &str) {
    fs_err::create_dir_all(place).unwrap();
    must(
        "mount",
        &[
            "-t",
            "tmpfs",
            "-o",
            options,
            "none",
            &place.display().to_string(),
        ],
    );
}

/// Returns the exit code and the report of `wpatch <command> --json`, run behind the words of
/// `wrapper`.
///
/// # Panics
///
/// If what it prints is no report, or one with another exit code.
pub(super) fn reported(wrapper: &[&str], command: &str, root: &Path, patch: &Path) -> (i32, Value) {
    let mut words: Vec<_> = wrapper.iter().map(Into::into).collect();
    words.extend([
        program(),
        command.into(),
        "--json".into(),
        "--root".into(),
        root.into(),
        patch.into(),
    ]);
    let output = Command::new(&words[0]).args(&words[1..]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let report =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {output:?}"));
    let report = crate::run::valid(report);
    let code = output.status.code().unwrap();
    assert_eq!(report["exit_code"], code, "{report}");
    (code, report)
}

/// Says that an apply was refused because of the disk, and left the tree as it was.
///
/// # Panics
///
/// If it did not.
pub(super) fn is_refused_by_the_disk(scene: &Scene, (code, report): &(i32, Value)) {
    assert_eq!(
        (*code, &report["error"]["kind"]),
        (4, &Value::from("io")),
        "{report}"
    );
    assert_eq!(report["ok"], false);
    let tree = crate::faults::scene::tree(&scene.root);
    assert!(tree == scene.before, "{:#?} {report}", names(&tree));
}

/// Applies the patch of `scene` with a kill at each call that changes something, or a sample of
/// them, and recovers.
///
/// # Panics
///
/// If one of them ends neither before nor after.
pub(super) fn survives_kills(scene: &Scene, least: usize) {
    const CALLS: &[&str] = &[
        "openat",
        "renameat2",
        "renameat",
        "linkat",
        "unlinkat",
        "mkdirat",
        "fchmod",
        "syncfs",
    ];
    scene.lay();
    let every = if crate::world::takes_all() { 1 } else { 5 };
    let calls = scene.calls("apply", CALLS).into_iter();
    let kills = calls
        .flat_map(|(call, count)| (1..=count).map(move |number| (call, number)))
        .step_by(every);
    let kill = |(call, number): (_, usize)| Injection {
        call,
        fault: "signal=KILL",
        when: number.to_string(),
    };
    let kills: Vec<_> = kills.map(kill).collect();
    crate::faults::all_end_right(least, &kills, |kill| scene.apply(kill));
}
