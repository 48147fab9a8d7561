//! The cases of git's own scripts that end otherwise here: the table of the README, and what holds
//! each row.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use fs_err as fs;
use walkdir::WalkDir;

use crate::repository::git;
use crate::systems::Desk;
use crate::world;

/// A script, its cases, and the test or the fixture that holds what they are about.
const ROWS: &[(&str, &str, &str)] = &[
    (
        "t4108-apply-threeway",
        "3 4 8 10 14",
        "conflicts_leave_the_tree_alone_and_are_listed",
    ),
    (
        "t4115-apply-symlink",
        "6 7",
        "what_we_found_stands_behind_the_words_of_git",
    ),
    (
        "t4119-apply-config",
        "4 5 8",
        "in_a_directory_names_are_those_of_the_directory",
    ),
    (
        "t4131-apply-fake-ancestor",
        "3",
        "in_a_directory_names_are_those_of_the_directory",
    ),
    (
        "t2501-cwd-empty",
        "16",
        "in_a_directory_names_are_those_of_the_directory",
    ),
    (
        "t4129-apply-samemode",
        "23",
        "a_file_that_changes_keeps_its_permissions",
    ),
    (
        "t4135-apply-weird-filenames",
        "20",
        "fixtures/git/damaged-hunk-header-behind-a-deletion",
    ),
    (
        "t4139-apply-escape",
        "3 7",
        "old_words_are_taken_and_give_no_power",
    ),
    ("t1512-rev-parse-disambiguation", "7", "zeros_name_no_blob"),
    (
        "t1517-outside-repo",
        "18 19",
        "a_wish_for_help_is_no_mistake",
    ),
    ("t3702-add-edit", "2", "a_patch_below_git_is_not_read"),
    (
        "t4012-diff-binary",
        "7 8",
        "what_we_found_stands_behind_the_words_of_git",
    ),
    ("t4033-diff-patience", "10", "fixtures/git/names-disagree"),
    ("t4050-diff-histogram", "9", "fixtures/git/names-disagree"),
    ("t4065-diff-anchored", "5", "fixtures/git/names-disagree"),
];

#[test]
fn each_case_that_ends_otherwise_is_told_and_held() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(top.join("docs/compatibility.md")).unwrap();
    let cells = |line: &str| {
        line.split(" | ")
            .map(|cell| cell.trim_matches(['|', ' ']).to_owned())
            .collect::<Vec<_>>()
    };
    let rows = readme.lines().filter(|line| {
        line.starts_with("| t") && line[3..].starts_with(|it: char| it.is_ascii_digit())
    });
    let told: Vec<_> = rows.map(|line| cells(line)[..2].to_vec()).collect();
    let held: Vec<_> = ROWS
        .iter()
        .map(|(script, cases, _)| vec![(*script).to_owned(), (*cases).to_owned()])
        .collect();
    assert_eq!(told, held);
    let files = WalkDir::new(top.join("tests/it"))
        .into_iter()
        .map(|entry| entry.unwrap().into_path());
    let is_source =
        |path: &std::path::PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let texts: Vec<_> = files
        .filter(is_source)
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    for (script, _, name) in ROWS {
        let test = format!("#[test]\nfn {name}() {{");
        assert!(
            top.join(name).exists() || texts.iter().any(|text| text.contains(&test)),
            "{script}: {name}"
        );
    }
}

/// A repository with the file `a` in a directory; the patch names it from the top.
fn desk() -> Desk {
    let patch = "diff --git a/sub/a b/sub/a\nindex 5626abf..d00491f 100644\n--- a/sub/a\n+++ b/sub/a\n@@ -1 +1 @@\n-one\n+1\n";
    let desk = Desk::with(&[("sub/a", b"one\n"), ("patch", patch.as_bytes())]);
    for arguments in [
        &["init", "-q"][..],
        &["add", "."],
        &["commit", "-q", "-m", "first"],
    ] {
        assert!(
            git(arguments)
                .current_dir(desk.root())
                .status()
                .unwrap()
                .success()
        );
    }
    desk
}

fn ours(directory: &Path, arguments: &[&str]) -> Output {
    world::wpatch()
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap()
}

fn theirs(directory: &Path, arguments: &[&str]) -> Output {
    git(arguments).current_dir(directory).output().unwrap()
}

#[test]
fn in_a_directory_names_are_those_of_the_directory() {
    let desk = desk();
    let below = desk.path("sub");
    for option in [
        &["--check"][..],
        &["--check", "--whitespace=strip"],
        &["--build-fake-ancestor=../ancestor"],
    ] {
        let plain = [&["apply"], option, &["../patch"]].concat();
        assert!(theirs(&below, &plain).status.success());
        let named = [&["apply", "--git-paths"], option, &["../patch"]].concat();
        assert!(ours(&below, &named).status.success(), "{option:?}");
    }
    let refused = ours(&below, &["apply", "--check", "../patch"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(ours(&below, &["apply", "-p2", "../patch"]).status.success());
    assert_eq!(desk.bytes("sub/a"), b"1\n");
}

#[test]
fn a_file_that_changes_keeps_its_permissions() {
    let modes = [env!("CARGO_BIN_EXE_wpatch"), "git"].map(|program| {
        let desk = Desk::with(&[("a", b"one\n"), ("b", b"x\n")]);
        for name in ["a", "b"] {
            world::set_mode(desk.path(name), 0o640);
        }
        let patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n\
                     diff --git a/b b/b\nold mode 100660\nnew mode 100770\n";
        fs::write(desk.path("../patch"), patch).unwrap();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("umask 0; exec {program} apply ../patch")])
            .current_dir(desk.root());
        assert!(shell.output().unwrap().status.success());
        ["a", "b"].map(|name| world::mode(desk.path(name)) & 0o777)
    });
    assert_eq!(modes, [[0o640, 0o750], [0o666, 0o777]]);
}

#[test]
fn what_we_found_stands_behind_the_words_of_git() {
    let desk = Desk::with(&[("sub/x", b"")]);
    world::link("sub", desk.path("link")).unwrap();
    let rename =
        "diff --git a/link b/other\nsimilarity index 100%\nrename from link\nrename to other\n";
    let through =
        "diff --git a/other/x b/other/x\n--- a/other/x\n+++ b/other/x\n@@ -0,0 +1,1 @@\n+x\n";
    let binary = "diff --git a/b b/b\nindex 1111111..2222222 100644\nBinary files a/b and b/b differ\n\
                  diff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1 @@\nxone\n+1\n";
    for (patch, options) in [
        (format!("{rename}{through}"), &[][..]),
        (binary.to_owned(), &["--stat", "--summary"]),
    ] {
        fs::write(desk.path("../patch"), patch).unwrap();
        let arguments = [&["apply"], options, &["../patch"]].concat();
        let [theirs, ours] = [
            theirs(&desk.root(), &arguments),
            ours(&desk.root(), &arguments),
        ];
        assert!(!theirs.status.success() && !ours.status.success());
        // Other versions of git name the place otherwise.
        let said = [theirs, ours].map(|output| String::from_utf8(output.stderr).unwrap());
        let [theirs, ours] = said.each_ref().map(|said| said.lines().collect::<Vec<_>>());
        assert_eq!(theirs.len(), 1, "{theirs:?}");
        assert_eq!(ours[0].split(" at ").next(), theirs[0].split(" at ").next());
        // Details follow, without a title if git's line states the same.
        assert!(
            ours[1].starts_with("note: ") || ours[1].trim_start().starts_with("--> "),
            "{ours:?}"
        );
    }
}

#[test]
fn zeros_name_no_blob() {
    let desk = desk();
    let zeros = String::from_utf8(desk.bytes("patch"))
        .unwrap()
        .replace("5626abf", "000000000");
    fs::write(desk.path("patch"), zeros).unwrap();
    let output = ours(
        &desk.root(),
        &["apply", "--build-fake-ancestor=ancestor", "patch"],
    );
    assert_eq!(
        (output.status.code(), desk.path("ancestor").exists()),
        (Some(1), false),
        "{output:?}"
    );
}

#[test]
fn a_wish_for_help_is_no_mistake() {
    let desk = Desk::with(&[]);
    let output = ours(&desk.root(), &["apply", "-h"]);
    assert_eq!(
        (output.status.code(), &output.stderr[..]),
        (Some(0), &b""[..])
    );
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("Usage: wpatch apply")
    );
    assert_eq!(
        theirs(&desk.root(), &["apply", "-h"]).status.code(),
        Some(129)
    );
}

#[test]
fn a_patch_below_git_is_not_read() {
    let desk = desk();
    fs::rename(desk.path("patch"), desk.path(".git/a.patch")).unwrap();
    assert!(
        theirs(&desk.root(), &["apply", "--check", ".git/a.patch"])
            .status
            .success()
    );
    let error = desk.refuses("denied", &["check", ".git/a.patch"], b"");
    assert_eq!(error["code"], "wpatch::path::closed");
}
