//! The small options of `git apply`, each beside the installed git.

use std::path::Path;
use std::process::Command;

use fs_err as fs;

use crate::oracle::quiet;
use crate::repository::{git, init};
use crate::systems::Desk;
use crate::tree;
use crate::world;

/// Lets git and the program apply `patch` with the same options, to the same files; returns whether
/// both took it, after comparing what they left.
fn alike(files: &[(&str, &[u8])], options: &[&str], patch: &str) -> bool {
    let trees = [Desk::with(files), Desk::with(files)];
    for desk in &trees {
        fs::write(desk.path("../patch"), patch).unwrap();
    }
    let [theirs, ours] = [
        ("git", &trees[0]),
        (env!("CARGO_BIN_EXE_wpatch"), &trees[1]),
    ]
    .map(|(program, desk)| {
        let mut command = Command::new(program);
        command.arg("apply").args(options).arg("../patch");
        quiet(command, &desk.root(), desk.root().parent().unwrap())
    });
    assert_eq!(
        ours.status.success(),
        theirs.status.success(),
        "{options:?}\n{theirs:?}\n{ours:?}"
    );
    assert_eq!(
        tree::read(&trees[1].root()),
        tree::read(&trees[0].root()),
        "{options:?}"
    );
    ours.status.success()
}

#[cfg(unix)]
#[test]
fn names_without_a_directory_stand_as_they_are_unless_a_level_is_given() {
    let change = "--- a.orig\t2010-08-18 20:13:31.432002255 -0500\n+++ a\t2010-08-18 20:13:31.432002255 -0500\n@@ -1 +1 @@\n-one\n+1\n";
    let files: &[(&str, &[u8])] = &[("a", b"one\n"), ("b/c", b"two\n"), ("c", b"two\n")];
    assert!(alike(files, &[], change));
    assert!(!alike(files, &["-p1"], change));
    assert!(!alike(files, &["--directory=x"], change));
    // The guess holds from there on, for git diffs as well.
    let behind = "diff --git a/b/c b/b/c\n--- a/b/c\n+++ b/b/c\n@@ -1 +1 @@\n-two\n+2\n";
    assert!(alike(files, &[], &format!("{behind}{change}")));
    assert!(!alike(files, &[], &format!("{change}{behind}")));
    assert!(alike(
        files,
        &[],
        "--- /dev/null\n+++ new\n@@ -0,0 +1 @@\n+new\n"
    ));
    assert!(!alike(
        files,
        &[],
        "--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
    ));
    assert!(alike(files, &[], "--- x/a\n+++ a\n@@ -1 +1 @@\n-one\n+1\n"));
    assert!(alike(files, &[], "--- a\n+++ x/a\n@@ -1 +1 @@\n-one\n+1\n"));
}

#[cfg(unix)]
#[test]
fn a_name_may_hold_what_ends_other_names() {
    let stamp = "\t2010-08-18 20:13:31.432002255 -0500";
    let tab = format!("--- a/t\tb.orig{stamp}\n+++ b/t\tb{stamp}\n@@ -1 +1 @@\n-one\n+1\n");
    assert!(alike(&[("t\tb", b"one\n")], &[], &tab));
    let half = "--- \"a/\"sub/a\n+++ \"b/\"sub/a\n@@ -1 +1 @@\n-one\n+1\n";
    assert!(alike(&[("a", b"one\n")], &["-p2"], half));
}

#[cfg(unix)]
#[test]
fn the_mode_of_an_index_line_changes_no_mode() {
    let blobs = "index 5626abf0f72e58d7a153368ba57db4c673c0e171..d00491fd7e5bb6fa28c517a0bb32b8b506539d4d 100644";
    let patch = format!("diff --git a/a b/a\n{blobs}\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n");
    for options in [&[][..], &["-R"]] {
        let desk = Desk::with(&[("a", if options.is_empty() { b"one\n" } else { b"1\n" })]);
        world::set_mode(desk.path("a"), 0o755);
        desk.does(&[&["apply"], options].concat(), patch.as_bytes());
        assert_eq!(world::mode(desk.path("a")), 0o755, "{options:?}");
    }
}

#[cfg(unix)]
#[test]
fn added_lines_can_be_left_out() {
    let patch = "--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+more\n three\n@@ -5,2 +6,3 @@\n five\n six\n+seven\n\
                 diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n";
    let before: &[u8] = b"one\ntwo\nthree\nfour\nfive\nsix\n";
    let after: &[u8] = b"one\n2\nmore\nthree\nfour\nfive\nsix\nseven\n";
    assert!(alike(&[("a", before)], &["--no-add"], patch));
    assert!(alike(
        &[("a", after), ("new", b"new\n")],
        &["--no-add", "-R"],
        patch
    ));
    let desk = Desk::with(&[("a", before)]);
    let report = desk.does(&["apply", "--no-add"], patch.as_bytes());
    assert_eq!(
        (&report["summary"]["added"], &report["summary"]["removed"]),
        (&0.into(), &1.into())
    );
}

#[cfg(unix)]
#[test]
fn hunks_may_overlap_where_that_is_allowed() {
    let head = "--- a/a\n+++ b/a\n";
    let before: &[u8] = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let last = "@@ -4,4 +5,4 @@\n 4\n 5\n-6\n+six\n 7\n";
    let touching = format!("{head}@@ -2,3 +2,4 @@\n 2\n-3\n+three\n+more\n 4\n{last}");
    assert!(!alike(&[("a", before)], &[], &touching));
    assert!(alike(&[("a", before)], &["--allow-overlap"], &touching));
    let again = format!("{touching}@@ -2,3 +2,3 @@\n 2\n-three\n+THREE\n more\n");
    assert!(alike(&[("a", before)], &["--allow-overlap"], &again));
    let twice =
        format!("{head}@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n");
    assert!(!alike(&[("a", before)], &["--allow-overlap"], &twice));
    let shifted = [b"0\n".as_slice(), before].concat();
    assert!(alike(&[("a", &shifted)], &["--allow-overlap"], &touching));
}

#[test]
fn a_hunk_that_is_already_applied_is_not_applied_elsewhere() {
    let before: &[u8] = b"0\n1\ntwo\n3\n0\n1\n2\n3\n";
    let patch = b"--- a/a\n+++ b/a\n@@ -2,3 +2,3 @@\n 1\n-2\n+two\n 3\n";
    for overlap in [&[][..], &["--allow-overlap"]] {
        let desk = Desk::with(&[("a", before)]);
        let report = desk.does(&[&["apply", "--idempotent"], overlap].concat(), patch);
        let hunk = &report["files"][0]["hunks"][0];
        assert_eq!(hunk["status"], "already_applied", "{report:#}");
        assert_eq!(
            (&report["changed"], desk.bytes("a").as_slice()),
            (&false.into(), before)
        );
    }
}

#[test]
fn hunks_that_overlap_without_end_are_done_in_time() {
    let lines: String = (0..400).map(|_| "x\n").collect();
    let hunk = "@@ -200,3 +200,3 @@\n x\n-x\n+x\n x\n".repeat(400);
    let desk = Desk::with(&[("a", lines.as_bytes())]);
    desk.says(
        &["apply", "--allow-overlap"],
        format!("--- a/a\n+++ b/a\n{hunk}").as_bytes(),
    );
}

#[test]
fn a_match_with_less_context_is_not_called_a_match_of_the_whole_hunk() {
    let before: &[u8] = b"0\n1\nb\nc\n2\n3\n4\nb\nc\n5\n";
    let diff = |hunk: &str| format!("--- a/a\n+++ b/a\n{hunk}");
    let both = diff("@@ -5,4 +5,4 @@\n a\n-b\n-c\n+x\n+y\n d\n");
    let start = diff("@@ -1,3 +1,3 @@\n a\n-b\n-c\n+x\n+y\n");
    let end = diff("@@ -5,4 +5,4 @@\n-b\n-c\n+x\n+y\n d\n d\n");
    let told = |code: &str, options: &[&str], patch: &str| {
        let desk = Desk::with(&[("a", before)]);
        let report = desk.says(&[&["check"], options].concat(), patch.as_bytes());
        let problem = &report["problems"][0];
        assert_eq!(problem["code"], code, "{report:#}");
        (
            problem["message"].as_str().unwrap().to_owned(),
            report["files"][0]["hunks"][0]["fuzz"].as_u64(),
        )
    };
    let ambiguous = "wpatch::hunk::ambiguous";
    for (options, patch, how, fuzz) in [
        (
            &["--fuzz", "1"][..],
            &both,
            "exact, without 1 context line at the start and 1 at the end",
            1,
        ),
        (
            &["--fuzz", "2"],
            &end,
            "exact, without 2 context lines at the end",
            2,
        ),
        (
            &["--fuzz", "1"],
            &start,
            "exact, without 1 context line at the start",
            1,
        ),
        (
            &["-C0", "--unique"],
            &both,
            "exact, without 1 context line at the start and 1 at the end",
            1,
        ),
    ] {
        let message = format!("the hunk matches at lines 3 and 8 ({how})");
        assert_eq!(told(ambiguous, options, patch), (message, Some(fuzz)));
    }
    let exact = diff("@@ -5,2 +5,2 @@\n b\n-c\n+x\n");
    let message = "the hunk matches at lines 3 and 8 (exact)".to_owned();
    assert_eq!(
        told(ambiguous, &["--unidiff-zero", "--unique"], &exact),
        (message, None)
    );
    let message = "the hunk was placed at line 8 without 1 context line at the start and 1 at the \
                   end, but it matches at lines 3 and 8";
    assert_eq!(
        told("wpatch::hunk::several_places", &["-C0"], &both),
        (message.to_owned(), Some(1))
    );
}

#[cfg(unix)]
#[test]
fn a_text_without_a_change_can_be_allowed() {
    for text in ["", "only words\n"] {
        assert!(!alike(&[("a", b"one\n")], &[], text));
        assert!(alike(&[("a", b"one\n")], &["--allow-empty"], text));
    }
    let desk = Desk::with(&[("a", b"one\n")]);
    let report = desk.does(&["apply", "--allow-empty"], b"");
    assert_eq!(
        (&report["outcome"], &report["changed"]),
        (&"applied".into(), &false.into())
    );
}

#[cfg(unix)]
#[test]
fn old_words_are_taken_and_give_no_power() {
    let change = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
    for option in ["--binary", "--allow-binary-replacement", "--unsafe-paths"] {
        assert!(alike(&[("a", b"one\n")], &[option], change), "{option}");
    }
    // git goes there.
    let desk = Desk::with(&[("../a", b"one\n")]);
    desk.refuses(
        "outside_root",
        &["apply", "--unsafe-paths", "-p1"],
        change.replace("/a", "/../a").as_bytes(),
    );
}

#[cfg(unix)]
#[test]
fn options_can_be_cancelled_and_abbreviated() {
    let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n";
    let mut taken = 0;
    for options in [
        &["--no-index"][..],
        &[
            "--no-3way",
            "--no-recount",
            "--no-reject",
            "--no-unsafe-paths",
        ],
        &["--check", "--no-check"],
        &["--index", "--no-index"],
        &["--stat", "--no-stat"],
        &["--no-add", "--add"],
        &["-R", "--no-reverse"],
        &["--rev"],
        &["--chec"],
        &["--unid", "--rec"],
        &["--exc=b"],
        &["--no-exclude"],
        &["--no"],
        &["--re"],
    ] {
        taken += usize::from(alike(&[("a", b"one\n")], options, patch));
    }
    assert_eq!(taken, 10);
}

#[test]
fn the_louder_and_the_quieter_word_replace_each_other() {
    let desk = Desk::with(&[("a", b"one\n")]);
    let change = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
    let said = |arguments: &[&str]| {
        let output = desk.runs(arguments, change);
        [output.stdout, output.stderr].concat()
    };
    assert_eq!(said(&["check", "-v", "-q"]), b"");
    assert_ne!(said(&["check", "-q", "-v"]), b"");
}

/// Changes a file in the directory `sub`, and one beside it.
const TOP: &str = "diff --git a/sub/a b/sub/a\n--- a/sub/a\n+++ b/sub/a\n@@ -1 +1 @@\n-one\n+1\n\
                   diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-two\n+2\n";

fn below(command: &mut Command, root: &Path) -> bool {
    let output = command
        .arg("../../patch")
        .current_dir(root.join("sub"))
        .output()
        .unwrap();
    output.status.success()
}

#[cfg(unix)]
#[test]
fn in_a_directory_of_a_repository_names_can_be_those_of_the_repository() {
    let plain = "--- sub/a\n+++ sub/a\n@@ -1 +1 @@\n-one\n+1\n";
    let cases = [
        (&[][..], TOP.to_owned()),
        (&["--include=sub/*"], TOP.to_owned()),
        (&["--exclude=sub/*"], TOP.to_owned()),
        (&["--directory=sub"], TOP.replace("sub/", "")),
        (&[], plain.to_owned()),
        (&[], plain.replace("sub/", "a/sub/")),
        (&[], plain.replace("sub/", "")),
        (
            &[],
            "diff --git a/sub/a b/c\nrename from sub/a\nrename to c\n".to_owned(),
        ),
    ];
    for (options, patch) in cases {
        let trees = [(); 2].map(|()| {
            Desk::with(&[
                ("sub/a", b"one\n"),
                ("b", b"two\n"),
                ("../patch", patch.as_bytes()),
            ])
        });
        for desk in &trees {
            init(&desk.root());
        }
        let mut theirs = git(&["apply"]);
        let mut ours = world::wpatch();
        let theirs = below(theirs.args(options), &trees[0].root());
        let ours = below(
            ours.args(["apply", "--git-paths"]).args(options),
            &trees[1].root(),
        );
        let files = |desk: &Desk| tree::read(&desk.path("sub"));
        assert_eq!(
            (ours, files(&trees[1])),
            (theirs, files(&trees[0])),
            "{options:?} {patch}"
        );
        assert_eq!(trees[1].bytes("b"), b"two\n");
    }
}

#[cfg(unix)]
#[test]
fn what_is_outside_of_the_root_is_said_to_be_left_out() {
    let desk = Desk::with(&[("sub/a", b"one\n"), ("b", b"two\n")]);
    init(&desk.root());
    let report = desk.does(&["apply", "--git-paths", "--root=sub"], TOP.as_bytes());
    let problem = &report["problems"][0];
    assert_eq!(
        problem["message"],
        "skipped, because the path is outside the root: b"
    );
    assert_eq!(desk.bytes("sub/a"), b"1\n");
    let from = "diff --git a/b b/sub/b\nrename from b\nrename to sub/b\n";
    desk.refuses(
        "outside_root",
        &["apply", "--git-paths", "--root=sub"],
        from.as_bytes(),
    );
}
