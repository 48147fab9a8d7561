//! A change of two roots while the file system of the second one is full.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use tempfile::TempDir;

/// The number of lines of the new file in each root: 9 blocks of 4 KiB.
const LINES: usize = 4096;

/// Returns a patch that changes `f`, removes `gone` and creates `big` in both roots.
fn patch() -> String {
    let big = "+0123456\n".repeat(LINES);
    let one = |name: &&str| {
        format!(
            "--- a/{name}/f\n+++ b/{name}/f\n@@ -1 +1 @@\n-old\n+new\n\
             diff --git a/{name}/gone b/{name}/gone\ndeleted file mode 100644\n\
             --- a/{name}/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
             --- /dev/null\n+++ b/{name}/d/big\n@@ -0,0 +1,{LINES} @@\n{big}"
        )
    };
    ["one", "two"].iter().map(one).collect()
}

/// Runs the change with a file system of its own for the second root, with `limit` as its mount
/// option. Copies both trees to `out` after the command, and after a recovery.
fn run(above: &Path, limit: &str) -> Output {
    let script = r#"
        set -e
        mkdir -p one two && mount -t tmpfs -o "$LIMIT" wpatch two
        for root in one two; do
            mkdir -p $root/.git/objects $root/.git/refs
            echo 'ref: refs/heads/main' >$root/.git/HEAD
            echo old >$root/f && echo gone >$root/gone
        done
        "$WPATCH" apply patch --root one --root two && code=0 || code=$?
        for state in first second; do
            mkdir -p out/$state
            for root in one two; do
                (cd $root && find . -path ./.git -prune -o -type f -print | sort | xargs sha256sum) >out/$state/$root
                find $root -name 'txn-*' -o -name .wpatch >>out/$state/left
            done
            [ $state = second ] || { "$WPATCH" recover -q --root two && "$WPATCH" recover -q --root one; }
        done
        exit $code
    "#;
    Command::new("unshare")
        .args(["-m", "sh", "-c", script])
        .current_dir(above)
        .env("WPATCH", env!("CARGO_BIN_EXE_wpatch"))
        .env("LIMIT", limit)
        .env("XDG_CONFIG_HOME", above.join("config"))
        .env_remove("XDG_STATE_HOME")
        .output()
        .unwrap()
}

/// Runs the change with each of `limits`. Returns how many of them were too small and how many were
/// not.
fn sweep(limits: impl Iterator<Item = String>) -> (usize, usize) {
    let (mut refused, mut applied) = (0, 0);
    for limit in limits {
        let above = TempDir::new().unwrap();
        fs::write(above.path().join("patch"), patch()).unwrap();
        let output = run(above.path(), &limit);
        let read = |name: &str| fs::read_to_string(above.path().join("out").join(name));
        let Ok(left) = read("second/left") else {
            // The files of the test itself do not fit.
            continue;
        };
        assert_eq!(left, "", "{limit}: {output:?}");
        for state in ["first", "second"] {
            let [one, two] = ["one", "two"].map(|name| read(&format!("{state}/{name}")).unwrap());
            assert_eq!(one, two, "{limit} {state}: {output:?}");
            let is_new = one.contains("./d/big");
            assert_eq!(is_new, !one.contains("./gone"), "{limit}: {one}");
            assert_eq!(is_new, output.status.success(), "{limit}: {output:?}");
        }
        if output.status.success() {
            applied += 1;
        } else {
            assert_eq!(output.status.code(), Some(4), "{limit}: {output:?}");
            refused += 1;
        }
    }
    (refused, applied)
}

#[test]
fn a_second_file_system_without_free_blocks_leaves_both_roots_unchanged() {
    let limits = (4..24).map(|blocks| format!("nr_blocks={blocks}"));
    let (refused, applied) = sweep(limits);
    assert!(refused > 5 && applied > 3, "{refused} {applied}");
}

#[test]
fn a_second_file_system_without_free_inodes_leaves_both_roots_unchanged() {
    let limits = (8..30).map(|inodes| format!("nr_inodes={inodes}"));
    let (refused, applied) = sweep(limits);
    assert!(refused > 5 && applied > 3, "{refused} {applied}");
}
