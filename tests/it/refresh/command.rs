//! The command `refresh`: its files, its output and its exit codes.

use std::path::Path;
use std::process::Command;

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use super::numbers;
use crate::tree;
use crate::tree_diff::run;

fn change(line: usize, old: &str, new: &str) -> String {
    let start = line - 1;
    format!(
        "--- a/a\n+++ b/a\n@@ -{start},3 +{start},3 @@\n {start}\n-{old}\n+{new}\n {}\n",
        line + 1
    )
}

/// A git work tree with a series of three patches for the numbers from 1 to 20. The tree has one
/// line more at its start, and the change of the second patch.
fn project() -> TempDir {
    let numbers = numbers(1, 20);
    let root = tree::directory(&[
        (
            "a",
            &format!("zero\n{}", numbers.replace("\n10\n", "\nten\n")),
        ),
        (
            "debian/patches/series",
            "# for x\nfive.patch\nten.patch -p1 # upstream\n\nfifteen.patch\n",
        ),
        ("debian/patches/five.patch", &change(5, "5", "five")),
        ("debian/patches/ten.patch", &change(10, "10", "ten")),
        ("debian/patches/fifteen.patch", &change(15, "15", "fifteen")),
    ]);
    let git = Command::new("git")
        .args(["init", "-q"])
        .current_dir(root.path())
        .status();
    assert!(git.unwrap().success());
    root
}

fn read(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join("debian/patches").join(name)).unwrap()
}

const SERIES: [&str; 3] = ["refresh", "--series", "debian/patches/series"];
const LISTING: &str = "\
debian/patches/five.patch: rewritten
  a: hunk 1 moved by +1 to line 5
debian/patches/ten.patch: removed, because the tree already has all its changes
debian/patches/fifteen.patch: rewritten
  a: hunk 1 moved by +1 to line 15
3 patches: 2 rewritten, 1 removed";

#[test]
fn a_series_is_rewritten_in_one_change_that_can_be_undone() {
    let root = project();
    let result = run(root.path(), &[&SERIES[..], &["--dry-run"]].concat());
    let expected = format!("{LISTING}; no file was changed\n");
    assert_eq!(result, (Some(0), expected, String::new()));
    assert!(root.path().join("debian/patches/ten.patch").exists());
    let result = run(root.path(), &SERIES);
    assert_eq!(result, (Some(0), format!("{LISTING}\n"), String::new()));
    assert_eq!(
        read(root.path(), "series"),
        "# for x\nfive.patch\n\nfifteen.patch\n"
    );
    assert_eq!(
        read(root.path(), "five.patch"),
        change(5, "5", "five").replace("4,3", "5,3")
    );
    assert!(!root.path().join("debian/patches/ten.patch").exists());
    let (code, out, _) = run(root.path(), &SERIES);
    assert_eq!(code, Some(0));
    assert!(out.ends_with("\n2 patches: 2 unchanged\n"), "{out}");
    let (_, out, _) = run(root.path(), &[&SERIES[..], &["-v"]].concat());
    let expected = "debian/patches/five.patch: unchanged\n  a: hunk 1 clean at line 5\n";
    assert!(out.starts_with(expected), "{out}");
    let (code, ..) = run(root.path(), &["undo"]);
    assert_eq!(code, Some(0));
    assert_eq!(read(root.path(), "five.patch"), change(5, "5", "five"));
    assert_eq!(read(root.path(), "ten.patch"), change(10, "10", "ten"));
    assert!(read(root.path(), "series").contains("ten.patch -p1 # upstream\n"));
}

#[test]
fn a_document_describes_each_hunk() {
    let root = project();
    let (code, out, errors) = run(
        root.path(),
        &[&SERIES[..], &["--json", "--dry-run"]].concat(),
    );
    assert_eq!((code, &errors[..]), (Some(0), ""));
    let document: Value = serde_json::from_str(&out).unwrap();
    let hunk = serde_json::json!({
        "number": 1, "status": "moved", "stated_line": 4, "line": 5, "offset": 1, "fuzz": 0,
    });
    let patch = &document["refresh"]["patches"][0];
    assert_eq!(patch["status"], "rewritten");
    assert_eq!(patch["files"][0]["hunks"], Value::from(vec![hunk]));
    assert_eq!(document["refresh"]["patches"][1]["status"], "removed");
    let paths: Vec<_> = document["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    let expected = ["five.patch", "ten.patch", "fifteen.patch", "series"];
    assert_eq!(paths, expected.map(|name| format!("debian/patches/{name}")));
    let plan = document["plan_id"].as_str().unwrap();
    let wrong = [
        &SERIES[..],
        &[
            "--approve",
            "sha256:0000000000000000000000000000000000000000000000000000000000000000",
        ],
    ]
    .concat();
    let (code, out, _) = run(root.path(), &wrong);
    assert_eq!(code, Some(1));
    assert!(
        out.ends_with("2 rewritten, 1 removed; no file was changed\n"),
        "{out}"
    );
    assert_eq!(
        run(root.path(), &[&SERIES[..], &["--approve", plan]].concat()).0,
        Some(0)
    );
}

#[test]
fn a_conflict_names_the_closest_match_and_changes_nothing() {
    let root = project();
    let wrong = change(15, "fourteen", "fifteen");
    fs::write(root.path().join("debian/patches/fifteen.patch"), &wrong).unwrap();
    let (code, out, errors) = run(root.path(), &SERIES);
    assert_eq!(code, Some(1));
    let last: Vec<_> = out.lines().rev().take(3).collect();
    assert_eq!(
        last,
        [
            "3 patches: 1 rewritten, 1 removed, 1 with a conflict; no file was changed",
            "  a: hunk 1 conflict, closest match at line 15",
            "debian/patches/fifteen.patch: conflict",
        ]
    );
    assert!(
        errors.contains("closest match: a:15 (2 of 3 lines match)"),
        "{errors}"
    );
    assert_eq!(read(root.path(), "five.patch"), change(5, "5", "five"));
    assert_eq!(read(root.path(), "fifteen.patch"), wrong);
}

#[test]
fn entries_keep_their_strip_level_and_direction() {
    let root = project();
    let patch = change(10, "ten", "10");
    fs::write(root.path().join("debian/patches/ten.patch"), &patch).unwrap();
    let zero = "--- a\n+++ a\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n";
    fs::write(root.path().join("debian/patches/five.patch"), zero).unwrap();
    let series = "five.patch -p0\nten.patch -R\n";
    fs::write(root.path().join("debian/patches/series"), series).unwrap();
    let text = format!("zero\n{}", numbers(1, 20));
    fs::write(root.path().join("a"), text).unwrap();
    let (code, out, _) = run(root.path(), &SERIES);
    assert!(out.ends_with("2 patches: 2 rewritten\n"), "{out}");
    assert_eq!(code, Some(0));
    assert_eq!(read(root.path(), "series"), series);
    assert_eq!(read(root.path(), "ten.patch"), patch.replace("9,3", "10,3"));
    assert_eq!(read(root.path(), "five.patch"), zero.replace("4,3", "5,3"));
}

#[test]
fn patches_outside_the_root_change_in_their_own_directory() {
    let root = project();
    let other = tree::directory(&[
        ("x/one.patch", &change(5, "5", "five")),
        ("y/two.patch", &change(15, "15", "fifteen")),
    ]);
    let name = |name: &str| other.path().join(name).to_str().unwrap().to_owned();
    let (one, two) = (name("x/one.patch"), name("y/two.patch"));
    let (code, out, errors) = run(root.path(), &["refresh", "--json", &one, &two]);
    assert_eq!(code, Some(0), "{errors}");
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["files"][0]["path"], "x/one.patch");
    let real = fs::canonicalize(other.path()).unwrap();
    assert_eq!(document["root"], real.to_str().unwrap());
    assert!(
        fs::read_to_string(&two)
            .unwrap()
            .contains("@@ -15,3 +15,3 @@")
    );
    assert_eq!(
        fs::read_dir(root.path()).unwrap().count(),
        3,
        "a, debian and .git"
    );
}

#[test]
fn a_tree_with_the_patches_applied_is_refused() {
    let root = project();
    fs::create_dir(root.path().join(".pc")).unwrap();
    fs::write(root.path().join(".pc/applied-patches"), "five.patch\n").unwrap();
    let (code, out, errors) = run(root.path(), &SERIES);
    assert_eq!((code, &out[..]), (Some(1), ""));
    assert!(
        errors.contains("quilt has applied patches to this tree"),
        "{errors}"
    );
    fs::write(root.path().join(".pc/applied-patches"), "").unwrap();
    let all = "zero\n1\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n11\n12\n13\n14\nfifteen\n16\n";
    fs::write(root.path().join("a"), all).unwrap();
    let (code, out, errors) = run(root.path(), &SERIES);
    assert_eq!(code, Some(0));
    assert!(out.ends_with("3 patches: 3 removed\n"), "{out}");
    assert!(
        errors.contains("warning[wpatch::refresh::already_applied]"),
        "{errors}"
    );
}

#[test]
fn misuse_is_a_usage_error() {
    let root = project();
    for arguments in [
        &["refresh"][..],
        &["refresh", "-"],
        &[
            "refresh",
            "debian/patches/five.patch",
            "debian/patches/../patches/five.patch",
        ],
        &["refresh", "missing.patch"],
        &[
            "refresh",
            "--series",
            "debian/patches/series",
            "debian/patches/five.patch",
        ],
    ] {
        let (code, out, errors) = run(root.path(), arguments);
        assert_eq!((code, &out[..]), (Some(2), ""), "{arguments:?} {errors}");
    }
}

#[test]
fn a_patch_that_changes_during_the_refresh_is_kept() {
    let root = project();
    // A symbolic link is not the regular file that was read.
    let patches = root.path().join("debian/patches");
    fs::rename(patches.join("five.patch"), patches.join("real.patch")).unwrap();
    std::os::unix::fs::symlink("real.patch", patches.join("five.patch")).unwrap();
    let (code, _, errors) = run(root.path(), &SERIES);
    assert_eq!(code, Some(1), "{errors}");
    assert_eq!(read(root.path(), "real.patch"), change(5, "5", "five"));
}

#[test]
fn files_keep_their_modes_and_line_endings() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = project();
    let patches = root.path().join("debian/patches");
    fs::write(
        patches.join("series"),
        "five.patch\r\nten.patch\r\nfifteen.patch",
    )
    .unwrap();
    for name in ["series", "five.patch"] {
        let mode = std::fs::Permissions::from_mode(0o755);
        fs::set_permissions(patches.join(name), mode).unwrap();
    }
    let (code, _, errors) = run(root.path(), &SERIES);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(read(root.path(), "series"), "five.patch\r\nfifteen.patch");
    for name in ["series", "five.patch"] {
        let mode = fs::metadata(patches.join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755, "{name}");
    }
}

#[test]
fn fuzz_is_limited_by_its_option() {
    let root = project();
    let patch = "--- a/a\n+++ b/a\n@@ -2,5 +2,5 @@\n x\n y\n-5\n+five\n 6\n 7\n";
    fs::write(root.path().join("p.diff"), patch).unwrap();
    for (options, expected) in [(&["--fuzz", "1"][..], 1), (&["--fuzz=0"], 1), (&[], 0)] {
        let arguments = [&["refresh", "--dry-run", "p.diff"], options].concat();
        assert_eq!(
            run(root.path(), &arguments).0,
            Some(expected),
            "{options:?}"
        );
    }
}

#[test]
fn policy_protects_patch_files() {
    let root = project();
    let rules = "[[rule]]\npaths = [\"debian/**\"]\nops = [\"write\"]\nverdict = \"deny\"\n";
    fs::write(root.path().join("rules.toml"), rules).unwrap();
    let (code, out, errors) = run(
        root.path(),
        &[&SERIES[..], &["--policy", "rules.toml"]].concat(),
    );
    assert_eq!(code, Some(3), "{errors}");
    assert!(out.ends_with("; no file was changed\n"), "{out}");
    assert_eq!(read(root.path(), "five.patch"), change(5, "5", "five"));
}
