//! Patches whose sections name no file, or hardly any, and what else GNU patch and this do alike;
//! and what they do not, each with both exit codes.

use std::process::Command;

use super::merging::gnu;
use super::{files, of, patch, scene, told};
use crate::systems::fed;

mod declared;

/// Arguments, or the parts of a patch.
type Words = &'static [&'static str];

/// The files that are there.
const SCENE: &[(&str, &str)] = &[
    ("d/z", "a\nb\nc\n"),
    ("e", ""),
    ("x", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
    ("y", "a\nb\nc\n"),
];

const FIRST: &str = "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n";
const SECOND: &str = "@@ -7,3 +7,3 @@\n 7\n-8\n+eight\n 9\n";
const OTHER: &str = "@@ -1,3 +1,3 @@\n a\n-b\n+bee\n c\n";
const MADE: &str = "@@ -0,0 +1,2 @@\n+q\n+r\n";
const GONE: &str = "@@ -1,3 +0,0 @@\n-a\n-b\n-c\n";
const STARS: &str = "***************\n*** 1,3 ****\n  1\n! 2\n  3\n--- 1,3 ----\n  1\n! two\n  3\n";
const STARS_SECOND: &str =
    "***************\n*** 7,9 ****\n  7\n! 8\n  9\n--- 7,9 ----\n  7\n! eight\n  9\n";
const STARS_MADE: &str = "***************\n*** 0 ****\n--- 1,2 ----\n+ q\n+ r\n";
const NORMAL: &str = "2c2\n< 2\n---\n> two\n";
const NULL: &str = "--- /dev/null\n+++ /dev/null\n";

/// What both take: arguments, and the parts of the patch.
const TAKEN: &[(Words, Words)] = &[
    // The file is named on the command line.
    (&["x"], &[FIRST]),
    (&["x"], &[FIRST, SECOND]),
    (&["x"], &["prose\n\n", FIRST, "garbage\n", SECOND]),
    (&["x"], &[FIRST, "\n", SECOND]),
    (&["x"], &["--- x\n+++ x\n", FIRST, "prose\n", SECOND]),
    (&["-d", "d", "z"], &[OTHER]),
    (&["-u", "x"], &[FIRST]),
    (&["-R", "x"], &["@@ -1,3 +1,3 @@\n 1\n-two\n+2\n 3\n"]),
    (&["--merge", "x"], &[FIRST, SECOND]),
    (&["-b", "x"], &[FIRST]),
    (&["-o", "out", "x"], &[FIRST, SECOND]),
    (&["--dry-run", "x"], &[FIRST]),
    (&["q"], &[MADE]),
    (&["x"], &[MADE]),
    (&["y"], &[GONE]),
    (&["-E", "y"], &[GONE]),
    (&["x"], &[STARS]),
    (&["-c", "x"], &["prose\n", STARS]),
    (&["x"], &[STARS, "garbage\n", STARS_SECOND]),
    (&["q"], &[STARS_MADE]),
    (&["x"], &[NORMAL]),
    (&["q"], &["0a1,2\n> q\n> r\n"]),
    (&["x"], &[NULL, FIRST]),
    (&["q"], &[NULL, MADE]),
    (&["y"], &[NULL, GONE]),
    (&["x"], &["*** /dev/null\n--- /dev/null\n", STARS]),
    (
        &["x"],
        &["prose\n  @@ -1,3 +1,3 @@\n   1\n  -2\n  +two\n   3\n"],
    ),
    // An `Index:` line names it.
    (&[], &["Index: x\n", FIRST]),
    (&["-p0"], &["Index: x\n", FIRST, SECOND]),
    (&["-p1"], &["Index: a/x\n======\n", FIRST]),
    (&["-p0"], &["Index: x\n", FIRST, "\nIndex: y\n", OTHER]),
    (&["-p0"], &["Index: x\n", FIRST, "Index: y\n", OTHER]),
    (&["-p0"], &["Index: x\nIndex: y\n", OTHER]),
    (&["-p0"], &["Index: d/z\n", OTHER]),
    (&["-d", "d", "-p1"], &["Index: d/z\n", OTHER]),
    (&["-d", "d"], &["Index: far/away/z\n", OTHER]),
    (&["y"], &["Index: x\n", OTHER]),
    (
        &["-p0", "-R"],
        &["Index: x\n@@ -1,3 +1,3 @@\n 1\n-two\n+2\n 3\n"],
    ),
    (&["-p0"], &["Index: q\n", MADE]),
    (&["-p0"], &["Index: x\n", STARS, "Index: y\n", OTHER]),
    (
        &["-p0"],
        &["Index: x\n", NORMAL, "Index: y\n2c2\n< b\n---\n> bee\n"],
    ),
    (&["-p0"], &["--- x\n+++ x\n", FIRST, "Index: y\n", OTHER]),
    (&["-p0"], &["Index: x\n", NULL, FIRST]),
    (&["-p0"], &["Index: q\n", NULL, MADE]),
    (&["-p0"], &["Index: y\n", NULL, GONE]),
    // One line of a header is enough, and the order of both is free.
    (&["-p0"], &["--- x\n", FIRST]),
    (&["-p0"], &["+++ x\n", FIRST]),
    (
        &["-p1"],
        &["--- a/x\t2001-01-01 00:00:00 +0000\n", FIRST, SECOND],
    ),
    (&["-p0"], &["+++ x\n--- x.orig\n", FIRST]),
    (&["-p0"], &["+++ q\n--- x\n", FIRST]),
    (&["-p0"], &["--- x\nprose\n", FIRST]),
    (&["-p0"], &["+++ q\n", MADE]),
    (&["-p0"], &["+++ q\n--- /dev/null\n", MADE]),
    (&["-p0"], &["+++ /dev/null\n--- y\n", GONE]),
    (&["-p0"], &["--- x\n+++ x\n", FIRST, "--- y\n", OTHER]),
    (
        &["-p0"],
        &["--- x\n+++ x\n", FIRST, "+++ d/z\n--- y\n", OTHER],
    ),
    (
        &["-p0", "-R"],
        &["--- x\n@@ -1,3 +1,3 @@\n 1\n-two\n+2\n 3\n"],
    ),
    // At level 0, of the names with prefixes the one counts that is there.
    (&["-p0"], &["diff --git d/z e/z\n--- d/z\n+++ e/z\n", OTHER]),
    (
        &["-p0"],
        &[
            "diff --git q/z d/z\nindex 1111111..2222222 100644\n--- q/z\n+++ d/z\n",
            OTHER,
        ],
    ),
    (
        &["-p1"],
        &["diff --git a/d/z b/d/z\n--- a/d/z\n+++ b/d/z\n", OTHER],
    ),
    // Old lines say where a hunk belongs, as far as the hunks before went off their places.
    (&["x"], &["5c5\n< 2\n---\n> two\n"]),
    (&["x"], &["5c1\n< 1\n---\n> x\n"]),
    (&["x"], &["1c5\n< 1\n---\n> x\n"]),
    (&["x"], &["5d1\n< 1\n"]),
    (&["x"], &["5a1\n> x\n"]),
    (&["x"], &["1a2,3\n> k\n> l\n8c7\n< 7\n---\n> x\n"]),
    (&["x"], &["@@ -5,3 +1,3 @@\n 1\n-2\n+two\n 3\n"]),
    (
        &["x"],
        &["@@ -1,3 +1,5 @@\n 1\n-2\n+x\n+y\n+z\n 3\n", SECOND],
    ),
    (
        &["x"],
        &["@@ -2,3 +1,5 @@\n 1\n-2\n+x\n+y\n+z\n 3\n@@ -9,3 +7,3 @@\n 7\n-8\n+eight\n 9\n"],
    ),
    // A file that is made may be there with nothing in it.
    (&["-p0"], &["--- /dev/null\n+++ e\n", MADE]),
    (&["-p0", "--merge"], &["--- /dev/null\n+++ e\n", MADE]),
    (&["-p0", "--merge=diff3"], &["--- e\n+++ e\n", MADE]),
    (
        &["-p0"],
        &[
            "--- e\t1970-01-01 00:00:00 +0000\n+++ e\t2001-01-01 00:00:00 +0000\n",
            MADE,
        ],
    ),
    (&["-p0", "-b"], &["--- /dev/null\n+++ e\n", MADE]),
];

/// What both refuse, and the exit code: ours changes nothing.
const REFUSED: &[(Words, Words, i32)] = &[
    (&[], &[FIRST], 2),
    (&["-p0"], &[STARS], 2),
    (&["-p0"], &[NORMAL], 2),
    (&[], &["Index: d/z\n", OTHER], 1),
    (&["-p0"], &["Index: q\n", FIRST], 1),
    (&["x"], &[STARS, "garbage\n", STARS], 1),
    (&["-p0", "-t"], &["Prereq: zzz\n--- x\n+++ x\n", FIRST], 2),
    (
        &["-p0", "-t"],
        &[
            "Prereq: zzz\n--- x\n+++ x\n",
            FIRST,
            "--- y\n+++ y\n",
            OTHER,
        ],
        2,
    ),
    (&["-p0", "-t"], &["Index: x\nPrereq: zzz\n", FIRST], 2),
];

/// An exit code, what was said, and the files.
type Ending = (i32, String, Vec<(String, String)>);

/// Returns what GNU patch makes of it, and ours.
fn endings(arguments: &[&str], parts: &[&str]) -> ([Ending; 2], String) {
    let patch_text = parts.concat();
    let [theirs, ours] = [(); 2].map(|()| scene(SCENE));
    let (exit, said) = gnu(
        &theirs,
        &[arguments, &["-r", "-"]].concat(),
        patch_text.as_bytes(),
    );
    let our = told(&patch(ours.path(), arguments, patch_text.as_bytes()));
    let shown = format!("{arguments:?}\n{patch_text}\n{said}\n{our:?}");
    (
        [(exit, said, files(&theirs)), (our.0, our.1, files(&ours))],
        shown,
    )
}

#[cfg(unix)]
#[test]
fn sections_without_names_end_as_with_gnu_patch() {
    for (arguments, parts) in TAKEN {
        let ([theirs, ours], shown) = endings(arguments, parts);
        assert_eq!((theirs.0, ours), (0, theirs), "{shown}");
    }
    for (arguments, parts, exit) in REFUSED {
        let ([theirs, ours], shown) = endings(arguments, parts);
        assert_eq!([theirs.0, ours.0], [*exit; 2], "{shown}");
        assert_eq!(ours.2, of(SCENE), "{shown}");
    }
}

#[cfg(unix)]
#[test]
fn apply_keeps_the_verdict_of_git() {
    for parts in [
        &[FIRST][..],
        &["Index: x\n", FIRST],
        &["Index: x\n", STARS],
        &["Index: x\n", NULL, FIRST],
    ] {
        let patch_text = parts.concat();
        let exits = [("git", 128), (env!("CARGO_BIN_EXE_wpatch"), 2)].map(|(program, exit)| {
            let root = scene(SCENE);
            let mut apply = Command::new(program);
            apply.args(["apply", "-p0"]).current_dir(root.path());
            let output = fed(&mut apply, patch_text.as_bytes());
            assert_eq!(files(&root), of(SCENE), "{patch_text}");
            (output.status.code() == Some(exit), output)
        });
        assert!(
            exits.iter().all(|(is_refused, _)| *is_refused),
            "{patch_text}: {exits:?}"
        );
    }
}
