//! `--merge`, beside GNU patch: the same file, the same words and the same exit code.

use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use super::{PATCH, beside, files, of, patch, scene, told};
use crate::dice::Dice;
use crate::formats::{changed, diff};
use crate::oracle::quiet;
use crate::systems::fed;

/// How many patches are tried.
const PATCHES: usize = 150;

/// What both say and leave.
struct Endings {
    ours: (i32, String, Vec<(String, String)>),
    theirs: (i32, String, Vec<(String, String)>),
    shown: String,
}

fn endings(file: &str, arguments: &[&str], patch_text: &[u8]) -> Endings {
    let [ours, theirs] = [(); 2].map(|()| scene(&[("x", file)]));
    let told = told(&patch(ours.path(), arguments, patch_text));
    let (exit, said) = gnu(&theirs, arguments, patch_text);
    let shown = format!(
        "{arguments:?}\n{}\n{file}\n{told:?}",
        String::from_utf8_lossy(patch_text)
    );
    Endings {
        ours: (told.0, told.1, files(&ours)),
        theirs: (exit, said, files(&theirs)),
        shown,
    }
}

/// Runs GNU patch.
pub(super) fn gnu(root: &TempDir, arguments: &[&str], patch_text: &[u8]) -> (i32, String) {
    let above = TempDir::new().unwrap();
    fs::write(above.path().join("p"), patch_text).unwrap();
    let mut gnu = Command::new("patch");
    gnu.args(arguments)
        .args(["--no-backup-if-mismatch", "-i"])
        .arg(above.path().join("p"));
    let output = quiet(gnu, root.path(), above.path());
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

/// Runs both, which have to do the same, and returns what ours said.
fn alike(file: &str, arguments: &[&str], patch_text: &str) -> (i32, String) {
    let Endings {
        ours,
        theirs,
        shown,
    } = endings(file, arguments, patch_text.as_bytes());
    assert_eq!(ours, theirs, "{shown}");
    (ours.0, ours.1)
}

/// Returns what is said but for numbers of lines: GNU patch counts deleted lines as if they were
/// still there.
fn unnumbered(said: &str) -> String {
    said.chars()
        .filter(|&c| !(c.is_ascii_digit() || c == '-'))
        .collect()
}

/// Returns whether GNU patch found lines for a hunk where others went already, and took as many
/// lines behind those instead, if need be behind the end of the file; its `--debug` tells.
fn is_displaced(said: &str) -> bool {
    let number = |text: Option<&str>| {
        text.and_then(|text| text.split([' ', ',']).next()?.parse::<usize>().ok())
    };
    let mut found = None;
    said.lines().any(|line| {
        found = number(line.split("where=").nth(1)).or(found);
        let taken = number(line.split_once(" = ").map(|(_, taken)| taken));
        taken.is_some() && found.take().is_some_and(|found| Some(found) != taken)
    })
}

/// Ten lines.
const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

/// Three changes in one hunk.
const THREE: &str = "\
--- a/x
+++ b/x
@@ -1,10 +1,10 @@
 1
-2
+b
 3
 4
-5
+V
 6
 7
 8
-9
+i
 10
";

fn without(line: &str, instead: &str) -> String {
    LINES.replace(&format!("{line}\n"), instead)
}

#[cfg(unix)]
#[test]
fn hunks_are_merged_with_what_became_of_their_lines() {
    let one = "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n 1\n 2\n-3\n+c\n 4\n 5\n";
    assert_eq!(
        alike("1\n2\n3\n4\nfive\n", &["-p1", "--merge"], one).1,
        "patching file x\nHunk #1 merged at 3.\n"
    );
    assert_eq!(
        alike("1\n2\nc\n4\n5\n", &["-p1", "--merge"], one).1,
        "patching file x\nHunk #1 already applied at 3.\n"
    );
    let conflict = (
        1,
        "patching file x\nHunk #1 NOT MERGED at 3-7.\n".to_owned(),
    );
    assert_eq!(alike("1\n2\nx\n4\n5\n", &["-p1", "--merge"], one), conflict);
    assert_eq!(
        alike("1\n2\nx\n4\n5\n", &["-p1", "--merge=merge"], one),
        conflict
    );
    let with_base = (
        1,
        "patching file x\nHunk #1 NOT MERGED at 3-9.\n".to_owned(),
    );
    assert_eq!(
        alike("1\n2\nx\n4\n5\n", &["-p1", "--merge=diff3"], one),
        with_base
    );
    for file in [
        "zero\n1\n2\n3\n4\n5\n",
        "a\nb\n",
        "",
        "1\n2\n3\n4\n5",
        "1\n2\nc\n4\n5",
        "1\n2\nx\n4\n5",
        "5\n4\n3\n2\n1\n",
    ] {
        for style in ["--merge", "--merge=diff3"] {
            alike(file, &["-p1", style], one);
            alike(file, &["-p1", style, "--dry-run"], one);
            alike(file, &["-p1", style, "-s"], one);
            alike(file, &["-p1", style, "-R"], one);
        }
    }
    alike("1 \n2\n3\n 4\n5\n", &["-p1", "--merge", "-l"], one);
    for (first, second) in [("2", "3"), ("5", "9"), ("1", "10"), ("6", "7"), ("3", "9")] {
        let file = without(first, "").replace(&format!("{second}\n"), "other\nlines\n");
        let Endings {
            ours,
            theirs,
            shown,
        } = endings(&file, &["-p1", "--merge"], THREE.as_bytes());
        assert_eq!(
            (ours.0, ours.2, unnumbered(&ours.1)),
            (theirs.0, theirs.2, unnumbered(&theirs.1)),
            "{shown}"
        );
    }
}

#[test]
fn a_conflict_stands_in_the_file_and_all_else_is_done() {
    let text = format!("{PATCH}--- a/y\n+++ b/y\n@@ -1 +1 @@\n-y\n+z\n");
    let root = scene(&[("d/x", "one\n2nd\nthree\n"), ("y", "y\n")]);
    let ending = told(&patch(
        root.path(),
        &["-p1", "--merge", "-b"],
        text.as_bytes(),
    ));
    assert_eq!(
        ending,
        (
            1,
            "patching file d/x\nHunk #1 NOT MERGED at 2-6.\npatching file y\n".to_owned(),
            String::new()
        )
    );
    let merged = "one\n<<<<<<<\n2nd\n=======\n2\n>>>>>>>\nthree\n";
    let all = [
        ("d/x", merged),
        ("d/x.orig", "one\n2nd\nthree\n"),
        ("y", "z\n"),
        ("y.orig", "y\n"),
    ];
    assert_eq!(files(&root), of(&all));
    // A file that is not there is no conflict: nothing is done.
    let root = scene(&[("y", "y\n")]);
    assert_eq!(
        told(&patch(root.path(), &["-p1", "--merge"], text.as_bytes())).0,
        1
    );
    assert_eq!(files(&root), of(&[("y", "y\n")]));
}

#[test]
fn apply_merges_hunks_too() {
    let root = scene(&[("d/x", "one\r\n2nd\r\nthree\r\n")]);
    let text = PATCH
        .replace('\n', "\r\n")
        .replace("x\r\n", "x\n")
        .replace("@@\r\n", "@@\n");
    let apply = |options: &[&str]| {
        let mut command = crate::world::wpatch();
        command.arg("apply").args(options).current_dir(root.path());
        fed(&mut command, text.as_bytes())
    };
    let report: serde_json::Value =
        serde_json::from_slice(&apply(&["--merge", "--check", "--json"]).stdout).unwrap();
    assert_eq!(
        (&report["outcome"], &report["exit_code"]),
        (&"would_be_partial".into(), &1.into())
    );
    assert_eq!(report["error"]["kind"], "conflict");
    let file = &report["files"][0];
    let lines = |start: usize, count: usize| serde_json::json!({"start": start, "count": count});
    let conflict =
        serde_json::json!({"base": lines(2, 1), "ours": lines(2, 1), "theirs": lines(2, 1)});
    assert_eq!(
        file["merge"],
        serde_json::json!({"base": "hunks", "marked": true, "conflicts": [conflict]})
    );
    let hunk = (&file["hunks"][0]["status"], &file["hunks"][0]["merged"]);
    assert_eq!(
        hunk,
        (
            &"conflict".into(),
            &serde_json::json!([{"status": "conflict", "lines": lines(2, 5)}])
        )
    );
    assert_eq!(apply(&["--merge=diff3"]).status.code(), Some(1));
    // The markers end as the lines of the file do; GNU patch ends them with LF.
    let merged = "one\r\n<<<<<<<\r\n2nd\r\n|||||||\r\ntwo\r\n=======\r\n2\r\n>>>>>>>\r\nthree\r\n";
    assert_eq!(files(&root), of(&[("d/x", merged)]));
    for options in [
        &["--merge", "--3way"][..],
        &["--merge", "--index"],
        &["--merge", "--reject"],
        &["--merge=zdiff3"],
    ] {
        assert_eq!(apply(options).status.code(), Some(2), "{options:?}");
    }
}

#[cfg(unix)]
#[test]
fn random_hunks_are_merged_as_gnu_patch_merges_them() {
    let mut dice = Dice::new(11);
    let (mut exits, mut displaced) = ([0; 2], 0);
    for _ in 0..PATCHES {
        let lines = beside::contents(&mut dice);
        let (new, stale) = (
            changed(&lines, 12, &mut dice),
            changed(&lines, 12, &mut dice),
        );
        let (old, new, stale) = (
            beside::text(&lines),
            beside::text(&new),
            beside::text(&stale),
        );
        if old == new {
            continue;
        }
        let option = dice.one(&["-U3", "-U1", "-c"]);
        let patch_text = diff(option, &old, &new);
        let arguments = ["-p1", "-f", dice.one(&["--merge", "--merge=diff3"])];
        let Endings {
            ours,
            theirs,
            shown,
        } = endings(&stale, &arguments, &patch_text);
        if (ours.0, &ours.2, unnumbered(&ours.1)) == (theirs.0, &theirs.2, unnumbered(&theirs.1)) {
            exits[usize::try_from(ours.0).unwrap()] += 1;
            continue;
        }
        let (_, said) = gnu(
            &scene(&[("x", &stale)]),
            &[&arguments[..], &["-x", "3"]].concat(),
            &patch_text,
        );
        assert!(is_displaced(&said), "{shown}\n{theirs:?}");
        displaced += 1;
    }
    assert!(
        exits.iter().all(|&count| count > 20) && displaced * 10 < PATCHES,
        "{exits:?} {displaced}"
    );
}
