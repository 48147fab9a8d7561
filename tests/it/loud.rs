//! `apply -v` beside git: what git says of each file, line for line, before the first word of ours.
#![cfg(unix)]

use std::process::Command;

use crate::oracle::quiet;
use crate::repository::git;
use crate::systems::Desk;

const LINES: &[u8] = b"0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";

/// Returns what both say of `patch`.
fn said(files: &[(&str, &[u8])], options: &[&str], patch: &str) -> [String; 2] {
    ["git", env!("CARGO_BIN_EXE_wpatch")].map(|program| {
        let desk = Desk::with(&[files, &[("../patch", patch.as_bytes())]].concat());
        let mut command = Command::new(program);
        command.arg("apply").args(options).arg("../patch");
        let output = quiet(command, &desk.root(), desk.root().parent().unwrap());
        first_words(&output.stderr)
    })
}

/// Returns what is said before the first word of ours.
pub(crate) fn first_words(said: &[u8]) -> String {
    let said = String::from_utf8(said.to_vec()).unwrap();
    let own = ["error[", "warning[", "note: ", "--> "];
    let is_git = |line: &&str| !own.iter().any(|start| line.trim_start().starts_with(start));
    said.split_inclusive('\n').take_while(is_git).collect()
}

fn alike(files: &[(&str, &[u8])], options: &[&str], patch: &str) -> String {
    let [theirs, ours] = said(files, options, patch);
    assert_eq!(ours, theirs, "{options:?}\n{patch}");
    ours
}

fn section(name: &str, hunks: &str) -> String {
    format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n{hunks}")
}

#[test]
fn hunks_off_their_places_are_told_with_their_offsets() {
    let second = "@@ -9,3 +10,2 @@\n 8\n-9\n 10\n";
    for first in [1, 2, 3, 5, 7] {
        let hunk = format!("@@ -{first},3 +{first},4 @@\n 2\n-3\n+three\n+more\n 4\n");
        let last = "@@ -12,2 +12,3 @@\n 11\n+end\n 12\n";
        for patch in [
            section("a", &hunk),
            section("a", &format!("{hunk}{second}")),
            section("a", &format!("{hunk}{last}")),
        ] {
            alike(&[("a", LINES)], &["-v"], &patch);
            alike(&[("a", LINES)], &["--check", "-v"], &patch);
            let after = b"0\n1\n2\nthree\nmore\n4\n5\n6\n7\n8\n9\n10\n11\nend\n12\n";
            alike(&[("a", after)], &["-R", "-v"], &patch);
        }
    }
    let bare = [
        "@@ -5 +5 @@\n-3\n+x\n",
        "@@ -5 +4,0 @@\n-3\n",
        "@@ -2,0 +3 @@\n+x\n",
        "@@ -1 +1 @@\n-1\n+x\n",
    ];
    for hunk in bare {
        alike(
            &[("a", LINES)],
            &["--unidiff-zero", "-v"],
            &section("a", hunk),
        );
    }
}

#[test]
fn the_lines_that_are_not_found_are_told() {
    let hunks = [
        "@@ -3,3 +3,3 @@\n 2\n-three\n+3\n 4\n",
        "@@ -2,3 +2,3 @@\n 1\n-2\n+two\n 3\n@@ -6,2 +6,2 @@\n 5\n-x\n+6\n@@ -9,2 +9,2 @@\n 8\n-y\n+9\n",
        "@@ -3,3 +3,4 @@ a heading\n 2\n-\tthree\n+3\n+\n \n",
        "@@ -12,2 +12,2 @@\n 11\n-x\n\\ No newline at end of file\n+12\n",
        "@@ -12,2 +12,2 @@\n 11\n-x\n+12\n\\ No newline at end of file\n",
        "@@ -5,2 +3,2 @@\n 3\n-four\n+x\n",
        "@@ -1 +1,2 @@\n-x\n+y\n+z\n",
    ];
    for hunk in hunks {
        for options in [
            &["-v"][..],
            &["-R", "-v"],
            &["--reject"],
            &["--reject", "-R"],
            &["--check", "-v"],
            &["-v", "-q"],
        ] {
            alike(&[("a", LINES)], options, &section("a", hunk));
        }
        alike(&[("a", LINES)], &[], &section("a", hunk));
    }
    let long = (0..400)
        .map(|number| format!("-line number {number}\n"))
        .collect::<Vec<_>>()
        .concat();
    alike(
        &[("a", LINES)],
        &["-v"],
        &section("a", &format!("@@ -1,400 +1 @@\n{long}+x\n")),
    );
}

#[test]
fn every_file_is_named_as_it_is_looked_at_and_as_it_is_written() {
    let files: &[(&str, &[u8])] = &[
        ("a", LINES),
        ("gone", b"x\n"),
        ("old", b"1\n2\n"),
        ("d/ü\tx", b"1\n"),
    ];
    let change = section("a", "@@ -2,3 +2,3 @@\n 1\n-2\n+two\n 3\n");
    let fails = section(
        "a",
        "@@ -2,3 +2,3 @@\n 1\n-zwei\n+two\n 3\n@@ -9,3 +9,2 @@\n 8\n-9\n 10\n",
    );
    let others = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                  diff --git a/old b/d/new\nsimilarity index 50%\nrename from old\nrename to d/new\n--- a/old\n+++ b/d/new\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n\
                  diff --git a/made b/made\nnew file mode 100644\n--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+x\n\
                  diff --git \"a/d/\\303\\274\\tx\" \"b/d/\\303\\274\\tx\"\n--- \"a/d/\\303\\274\\tx\"\n+++ \"b/d/\\303\\274\\tx\"\n@@ -1 +1 @@\n-1\n+2\n";
    let missing = section("missing", "@@ -1 +1 @@\n-1\n+2\n");
    let all = format!("{change}{others}");
    for options in [
        &["-v"][..],
        &["--check", "-v"],
        &["--reject"],
        &["-v", "--exclude=*d/*"],
        &["-v", "--include=a"],
    ] {
        alike(files, options, &all);
        alike(files, options, &format!("{fails}{others}"));
        alike(files, options, &format!("{missing}{all}"));
        alike(files, options, &format!("{others}{missing}{fails}"));
    }
    let nothing = alike(files, &["-v", "--exclude=*"], &change);
    assert_eq!(nothing, "Skipped patch 'a'.\n");
    alike(files, &["--stat", "-v", "--exclude=old"], &all);
}

#[test]
fn what_is_in_the_way_is_told_by_where_it_is() {
    let make = "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n";
    let rename = "diff --git a/a b/new\nsimilarity index 100%\nrename from a\nrename to new\n";
    for tracked in [&["add", "."][..], &["add", "a"]] {
        for reach in ["--index", "--cached"] {
            for patch in [make, rename] {
                let desk = Desk::with(&[
                    ("a", LINES),
                    ("new", b"mine\n"),
                    ("../patch", patch.as_bytes()),
                ]);
                let runs =
                    |command: &mut Command| command.current_dir(desk.root()).output().unwrap();
                for arguments in [&["init", "-q"], tracked] {
                    assert!(runs(&mut git(arguments)).status.success());
                }
                let ours = runs(crate::world::wpatch().args(["check", "-v", reach, "../patch"]));
                let theirs = runs(&mut git(&["apply", "--check", "-v", reach, "../patch"]));
                assert_eq!(
                    first_words(&ours.stderr),
                    String::from_utf8(theirs.stderr).unwrap(),
                    "{tracked:?} {reach}"
                );
            }
        }
    }
}
