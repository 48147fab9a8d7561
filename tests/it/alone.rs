//! Tests that need a process of their own: for limits, masks, and mounts that nobody else sees.

use std::path::PathBuf;
use std::process::Command;

/// What tells the process that it is the one.
const ALONE: &str = "WPATCH_TEST_ALONE";

/// Returns whether this is a process of its own in which the shell has run `setting`; makes one
/// that runs `test`, with its modules, if it is not.
///
/// # Panics
///
/// If the test fails there.
pub(crate) fn is_alone(test: &str, setting: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{setting} && exec \"$@\"")]);
    pass(shell.arg("sh"), test);
    false
}

/// Returns whether this is a process of its own that may mount what it likes, seen by nobody else
/// and gone with it; makes one that runs `test` if it is not.
///
/// # Panics
///
/// If the test fails there, or if neither root nor a user namespace lets it mount.
pub(crate) fn may_mount(test: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let ways = [&["--mount"][..], &["--map-root-user", "--mount"]];
    let works = |way: &&&[&str]| {
        let mounted = Command::new("unshare")
            .args(**way)
            .args(["mount", "-t", "tmpfs", "none", "/mnt"])
            .output();
        mounted
            .expect("unshare has to be installed")
            .status
            .success()
    };
    let way = ways
        .iter()
        .find(works)
        .expect("mounting has to be permitted: run as root, or allow user namespaces");
    // What is mounted on cannot be removed there.
    let directory = tempfile::tempdir().unwrap();
    pass(
        Command::new("unshare")
            .args(*way)
            .env("TMPDIR", directory.path()),
        test,
    );
    false
}

fn pass(wrapper: &mut Command, test: &str) {
    let me: PathBuf = std::env::current_exe().unwrap();
    wrapper
        .arg(me)
        .args(["--exact", "--nocapture", "--test-threads", "1", test])
        .env(ALONE, "1");
    let output = wrapper.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains(" 1 passed"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
