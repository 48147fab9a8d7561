//! The operands and options that name files: which file a patch is for, and what is not accepted.

use super::{PATCH, files, of, patch, scene, told};
use crate::systems::fed;

#[test]
fn of_several_names_the_one_that_is_there_is_meant() {
    let hunk = "@@ -1 +1 @@\n-one\n+two\n";
    let both = format!("--- a/x.orig\n+++ b/new/x\n{hunk}");
    let root = scene(&[("x.orig", "one\n")]);
    assert_eq!(
        told(&patch(root.path(), &["-p1"], both.as_bytes())).1,
        "patching file x.orig\n"
    );
    let root = scene(&[("x.orig", "one\n"), ("new/x", "one\n")]);
    assert_eq!(
        told(&patch(root.path(), &["-p1"], both.as_bytes())).1,
        "patching file x.orig\n"
    );
    let root = scene(&[("x", "one\n")]);
    assert_eq!(
        told(&patch(root.path(), &[], both.as_bytes())).1,
        "patching file x\n"
    );
    let index = format!("Index: y\n--- z\n+++ x\n{hunk}");
    let root = scene(&[("x", "one\n"), ("y", "one\n")]);
    assert_eq!(
        told(&patch(root.path(), &["-p0"], index.as_bytes())).1,
        "patching file x\n"
    );
    let missing = told(&patch(
        root.path(),
        &["-p0"],
        format!("--- u\n+++ v\n{hunk}").as_bytes(),
    ));
    let words = "can't find file to patch at input line 3\nPerhaps you used the wrong -p or --strip option?\n\
        No file to patch.  Skipping patch.\n1 out of 1 hunk ignored\n";
    assert_eq!((missing.0, missing.1.as_str()), (1, words));
    // A file that is made needs the fewest new directories.
    let root = scene(&[("old/dir/y", "y\n"), ("a b", "one\n")]);
    let stamps = ["\t1970-01-01 00:00:00 +0000", "\t2001-01-01 00:00:00 +0000"];
    let made = format!(
        "--- a/dir/new{}\n+++ old/dir/new{}\n@@ -0,0 +1 @@\n+new\n",
        stamps[0], stamps[1]
    );
    assert_eq!(
        told(&patch(root.path(), &["-p0"], made.as_bytes())).1,
        "patching file old/dir/new\n"
    );
    let quoted = format!("--- a/a b\t\n+++ b/a b\t\n{hunk}");
    assert_eq!(
        told(&patch(root.path(), &["-p1"], quoted.as_bytes())).1,
        "patching file 'a b'\n"
    );
    // git's rule holds for `apply`: no other file than the one that the patch names.
    let mut apply = crate::world::wpatch();
    apply.args(["apply", "-p1"]).current_dir(root.path());
    assert_eq!(fed(&mut apply, both.as_bytes()).status.code(), Some(1));
}

#[test]
fn it_takes_the_operands_and_places_of_gnu_patch() {
    let old = "one\ntwo\nthree\n";
    let new = of(&[("d/x", "one\n2\nthree\n"), ("p", PATCH)]);
    for arguments in [
        &["-p1", "-i", "p"][..],
        &["d/x", "p"],
        &["-d", "d", "-i", "../p", "x"],
        &["-d", "d", "-p2", "--input=../p"],
        &["--str=1", "--inp", "p", "--read-only=ignore"],
        &[
            "-u",
            "--verbose",
            "-p1",
            "-f",
            "-t",
            "--binary",
            "--no-backup-if-mismatch",
            "-r",
            "-",
            "-i",
            "p",
        ],
    ] {
        let root = scene(&[("d/x", old), ("p", PATCH)]);
        let ending = told(&patch(root.path(), arguments, b""));
        assert_eq!(
            (ending.0, files(&root)),
            (0, new.clone()),
            "{arguments:?} {ending:?}"
        );
    }
    let root = scene(&[("d/x", old), ("p", PATCH)]);
    let absolute = root.path().join("d/x");
    let ending = patch(
        &root.path().join("d"),
        &[absolute.to_str().unwrap(), "../p"],
        b"",
    );
    assert_eq!((told(&ending).0, files(&root)), (0, new));
}

#[test]
fn what_came_to_all_lines_of_a_patch_does_not_count() {
    let old = "one\ntwo\nthree\n";
    let indented: String = PATCH
        .lines()
        .map(|line| ["    ", line, "\n"].concat())
        .collect();
    let returned = PATCH.replace('\n', "\r\n");
    for (text, old, new, note) in [
        (
            &indented,
            old,
            "one\n2\nthree\n",
            "(Patch is indented 4 spaces.)",
        ),
        (
            &returned,
            old,
            "one\n2\nthree\n",
            "(Stripping trailing CRs from patch; use --binary to disable.)",
        ),
        (
            &returned,
            "one\r\ntwo\r\nthree\r\n",
            "one\r\n2\r\nthree\r\n",
            "(Stripping trailing CRs",
        ),
    ] {
        let root = scene(&[("d/x", old)]);
        let ending = told(&patch(root.path(), &["-p1"], text.as_bytes()));
        assert_eq!(
            (ending.0, files(&root)),
            (0, of(&[("d/x", new)])),
            "{ending:?}"
        );
        assert!(
            ending.1.starts_with(note) && ending.1.ends_with("patching file d/x\n"),
            "{}",
            ending.1
        );
    }
}

#[test]
fn cr_counts_with_binary_or_in_some_lines() {
    let returned = PATCH.replace('\n', "\r\n");
    let old = "one\ntwo\nthree\n";
    let root = scene(&[("d/x", old)]);
    assert_eq!(
        told(&patch(
            root.path(),
            &["-p1", "--binary"],
            returned.as_bytes()
        ))
        .0,
        1
    );
    let ending = told(&patch(
        root.path(),
        &["-p1"],
        PATCH.replace("-two\n", "-two\r\n").as_bytes(),
    ));
    assert!(
        ending
            .1
            .contains("Hunk #1 FAILED at 1 (different line endings).\n"),
        "{}",
        ending.1
    );
}

#[test]
fn an_emptied_file_goes_with_a_capital_e() {
    let emptied = "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-one\n";
    let root = scene(&[("x", "one\n"), ("y", "")]);
    assert_eq!(
        told(&patch(
            root.path(),
            &["-p1", "-E", "-s"],
            emptied.as_bytes()
        )),
        (0, String::new(), String::new())
    );
    assert_eq!(files(&root), of(&[("y", "")]));
}

#[test]
fn a_prerequisite_is_required_unless_forced() {
    let older = "Prereq: 2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n";
    let root = scene(&[("x", "one\n")]);
    assert_eq!(told(&patch(root.path(), &["-p1"], older.as_bytes())).0, 2);
    assert_eq!(
        told(&patch(root.path(), &["-p1", "-f"], older.as_bytes())).0,
        0
    );
    assert_eq!(files(&root), of(&[("x", "two\n")]));
}

#[test]
fn what_it_does_not_take_it_says() {
    let start: &[(&str, &str)] = &[("d/x", "one\ntwo\nthree\n")];
    let root = scene(start);
    for arguments in [
        &["--merge=other"][..],
        &["-D", "X"],
        &["-x", "4"],
        &["--read-only=fail"],
        &["-T"],
        &["-Z"],
        &["-e"],
        &["--no-such"],
        &["a", "b", "c"],
    ] {
        let ending = told(&patch(root.path(), arguments, PATCH.as_bytes()));
        assert_eq!((ending.0, ending.1.as_str()), (2, ""), "{arguments:?}");
        assert!(ending.2.starts_with("patch: **** "), "{}", ending.2);
    }
    for (text, words) in [
        ("prose\n", "Only garbage was found in the patch input"),
        (
            "--- a/d/x\n+++ b/d/x\n@@ -1,9 +1 @@\n-one\n",
            "malformed patch at line 5",
        ),
        (
            "--- a/d/x\n+++ b/d/x\n1c\n!touch y\n.\n",
            "ed scripts are not supported",
        ),
    ] {
        let ending = told(&patch(root.path(), &["-p1"], text.as_bytes()));
        assert_eq!(ending.0, 2, "{text}");
        assert!(ending.2.contains(words), "{}", ending.2);
    }
    assert_eq!(files(&root), of(start));
    assert_eq!(
        told(&patch(root.path(), &[], b"")),
        (0, String::new(), String::new())
    );
    assert!(
        told(&patch(root.path(), &["--version"], b""))
            .1
            .starts_with("patch ")
    );
    assert!(
        told(&patch(root.path(), &["--help"], b""))
            .1
            .contains("--dry-run")
    );
}
