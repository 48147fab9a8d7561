//! Names, modes and times in the headers of a patch.

use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use super::{said_in, spoken};

use crate::world;

#[test]
fn plain_names_without_a_directory_are_taken_whole_from_there_on() {
    let section = |name: &str| format!("--- {name}\n+++ {name}\n@@ -1 +1 @@\n-one\n+eins\n");
    let root = TempDir::new().unwrap();
    fs::create_dir_all(root.path().join("a/d")).unwrap();
    for name in ["x", "a/y", "a/d/z"] {
        fs::write(root.path().join(name), "one\n").unwrap();
    }
    let patch = [section("a/d/z"), section("x"), section("a/y")].concat();
    let missing = "error: d/z: No such file or directory\n";
    assert_eq!(said_in(root.path(), &["apply"], &patch), missing);
    assert_eq!(
        spoken(
            root.path(),
            &["apply"],
            &[section("x"), section("a/y")].concat()
        ),
        ""
    );
    let left =
        ["x", "a/y", "a/d/z"].map(|name| fs::read_to_string(root.path().join(name)).unwrap());
    assert_eq!(left, ["eins\n", "eins\n", "one\n"]);
    let given = "error: unable to find filename in patch at <stdin>:1\n";
    assert_eq!(
        said_in(root.path(), &["apply", "-p1"], &section("x")),
        given
    );
}

#[cfg(unix)]
#[test]
fn an_index_line_names_a_mode_that_stays() {
    let patch = "diff --git a/file b/file\nindex 1111111..2222222 100644\n--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+eins\n";
    let root = TempDir::new().unwrap();
    let file = root.path().join("file");
    for (arguments, left) in [(&["apply"][..], "eins\n"), (&["apply", "-R"], "one\n")] {
        if left == "eins\n" {
            fs::write(&file, "one\n").unwrap();
            world::set_mode(&file, 0o755);
        }
        assert_eq!(spoken(root.path(), arguments, patch), "");
        let mode = world::mode(&file) & 0o777;
        assert_eq!(
            (fs::read_to_string(&file).unwrap().as_str(), mode),
            (left, 0o755)
        );
    }
}

#[cfg(unix)]
#[test]
fn a_mode_of_the_index_that_is_not_expected_is_told() {
    let patch = "diff --git a/file b/file\nindex 5626abf..2222222 100644\n--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+eins\n";
    let root = TempDir::new().unwrap();
    let git = |arguments: &[&str]| {
        assert!(
            Command::new("git")
                .args(arguments)
                .current_dir(root.path())
                .status()
                .unwrap()
                .success()
        );
    };
    fs::write(root.path().join("file"), "one\n").unwrap();
    git(&["init", "-q"]);
    git(&["config", "core.filemode", "false"]);
    git(&["add", "--chmod=-x", "file"]);
    assert_eq!(spoken(root.path(), &["check", "--index"], patch), "");
    git(&["update-index", "--chmod=+x", "file"]);
    let told = spoken(root.path(), &["apply", "--index"], patch);
    assert_eq!(
        told,
        "warning[wpatch::file::other_mode]: file: has type 100755, expected 100644\n"
    );
}

#[cfg(unix)]
#[test]
fn a_time_stamp_ends_a_name_with_tabs() {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("a\tb"), "one\n").unwrap();
    let stamp = "2010-08-18 20:13:31.616002255 -0500";
    let patch = format!("--- a\tb\t{stamp}\n+++ a\tb\t{stamp}\n@@ -1 +1 @@\n-one\n+eins\n");
    assert_eq!(spoken(root.path(), &["apply"], &patch), "");
    assert_eq!(
        fs::read_to_string(root.path().join("a\tb")).unwrap(),
        "eins\n"
    );
}
