//! Files that another program holds open, in each sharing mode.

use std::fs::File;
use std::os::windows::fs::OpenOptionsExt;
use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

use fs_err as fs;
use fs_err::OpenOptions;

use crate::systems::Desk;
use crate::tree;

/// The bits of a sharing mode: what other handles may do.
const READ: u32 = 1;
const WRITE: u32 = 2;
const DELETE: u32 = 4;

/// Changes `a` and `c`, and deletes, changes or renames `held` between them.
const CHANGES: &[(&str, &str)] = &[
    (
        "change",
        "diff --git a/held b/held\n--- a/held\n+++ b/held\n@@ -1 +1 @@\n-held\n+changed\n",
    ),
    (
        "deletion",
        "diff --git a/held b/held\ndeleted file mode 100644\n--- a/held\n+++ /dev/null\n@@ -1 +0,0 @@\n-held\n",
    ),
    (
        "rename",
        "diff --git a/held b/moved\nsimilarity index 100%\nrename from held\nrename to moved\n",
    ),
];

fn patch(middle: &str) -> String {
    let around = ["a", "c"]
        .map(|name| format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{name}\n+changed\n"));
    format!("{}{middle}{}", around[0], around[1])
}

fn desk() -> Desk {
    Desk::with(&[("a", b"a\n"), ("c", b"c\n"), ("held", b"held\n")])
}

fn hold(desk: &Desk, share: u32, is_written: bool) -> File {
    let mut options = OpenOptions::new();
    options.options_mut().share_mode(share);
    let options = options.read(true).write(is_written);
    options.open(desk.path("held")).unwrap().into_parts().0
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_held_file_changes_or_the_tree_does_not() {
    for (what, middle) in CHANGES {
        for share in 0..=(READ | WRITE | DELETE) {
            for is_written in [false, true] {
                let desk = desk();
                let before = tree::read(&desk.root());
                let holder = hold(&desk, share, is_written);
                let output = desk.runs(&["apply"], patch(middle).as_bytes());
                drop(holder);
                let row = format!("{what}, share {share}, written {is_written}: {output:?}");
                if output.status.success() {
                    assert_ne!(tree::read(&desk.root()), before, "{row}");
                    assert_eq!(desk.bytes("c"), b"changed\n", "{row}");
                    assert_ne!(share & DELETE, 0, "renaming needs this right: {row}");
                } else {
                    assert_eq!(output.status.code(), Some(4), "{row}");
                    let message = stderr(&output);
                    assert!(
                        message.contains("another program has the file open")
                            && message.contains("held"),
                        "{row}"
                    );
                    assert_eq!(tree::read(&desk.root()), before, "{row}");
                    let again = desk.runs(&["apply"], patch(middle).as_bytes());
                    assert!(again.status.success(), "{row}: {again:?}");
                }
                let state = desk.runs(&["recover", "--json"], b"");
                assert!(state.status.success(), "{row}: {state:?}");
            }
        }
    }
}

#[test]
fn a_file_that_is_held_for_a_moment_is_changed() {
    let desk = desk();
    let holder = hold(&desk, READ | WRITE, false);
    thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(Duration::from_millis(300));
            drop(holder);
        });
        let output = desk.runs(&["apply"], patch(CHANGES[0].1).as_bytes());
        assert!(output.status.success(), "{output:?}");
    });
    assert_eq!(desk.bytes("held"), b"changed\n");
}

/// The check runs between the change and its end. It waits until the test holds the file, and fails.
#[test]
fn a_rollback_that_a_holder_stops_is_finished_by_recover() {
    let desk = desk();
    let before = tree::read(&desk.root());
    let check = r"type nul > ..\ready & for /l %i in (1,1,100000) do if exist ..\go exit 1";
    let output = thread::scope(|scope| {
        let run = scope.spawn(|| {
            desk.runs(
                &["apply", "--verify", check],
                patch(CHANGES[0].1).as_bytes(),
            )
        });
        let limit = Instant::now() + Duration::from_secs(60);
        while !desk.path("../ready").exists() {
            assert!(Instant::now() < limit, "the check has not started");
            thread::sleep(Duration::from_millis(5));
        }
        let holder = hold(&desk, 0, false);
        fs::write(desk.path("../go"), "").unwrap();
        let output = run.join().unwrap();
        drop(holder);
        output
    });
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(stderr(&output).contains("wpatch recover"), "{output:?}");
    let recovered = desk.runs(&["recover"], b"");
    assert!(recovered.status.success(), "{recovered:?}");
    assert_eq!(tree::read(&desk.root()), before);
}
