//! git's own words: what is said in front of our diagnosis, and how far a patch is.

mod denied;
mod headers;
mod truncated;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use fs_err as fs;
use tempfile::TempDir;

use crate::world;

/// Returns what is said on a patch before the first word of our own; `file` has three lines.
fn said(arguments: &[&str], patch: &str) -> String {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("file"), "one\ntwo\nthree\n").unwrap();
    fs::create_dir(root.path().join("real")).unwrap();
    fs::write(root.path().join("real/x"), "one\n").unwrap();
    world::link_on_unix("real", root.path().join("link"));
    said_in(root.path(), arguments, patch)
}

fn said_in(root: &Path, arguments: &[&str], patch: &str) -> String {
    let said = spoken(root, arguments, patch);
    let is_ours = |line: &str| {
        ["error[", "warning[", "note: ", "help: "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    // Details without a title of their own begin with the place in the patch.
    let is_own = |line: &&str| !is_ours(line) && !line.trim_start().starts_with("--> ");
    said.split_inclusive('\n').take_while(is_own).collect()
}

/// Returns all that is said on a patch.
fn spoken(root: &Path, arguments: &[&str], patch: &str) -> String {
    let mut command = world::wpatch();
    command
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(patch.as_bytes());
    String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
}

const HUNK: &str = "@@ -2 +2 @@\n-2\n+zwei\n";

#[cfg(unix)]
#[test]
fn a_patch_that_does_not_fit_is_told_in_the_words_of_git() {
    let change =
        |name: &str| format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n{HUNK}");
    let make = |name: &str| {
        format!(
            "diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n"
        )
    };
    let delete = "diff --git a/file b/file\ndeleted file mode 100644\nindex 1111111..0000000\n";
    let cases = [
        (
            change("file"),
            "patch failed: file:2\nerror: file: patch does not apply",
        ),
        (change("gone"), "gone: No such file or directory"),
        (change("real"), "real: wrong type"),
        (
            change("link/x"),
            "reading from 'link/x' beyond a symbolic link\nerror: link/x: patch does not apply",
        ),
        (make("file"), "file: already exists in working directory"),
        (
            make("link/y"),
            "affected file 'link/y' is beyond a symbolic link",
        ),
        (make(".git/x"), "invalid path '.git/x'"),
        (make("../x"), "invalid path '../x'"),
        (
            delete.to_owned(),
            "removal patch leaves file contents\nerror: file: patch does not apply",
        ),
        (
            "diff --git a/file b/file\nindex 1..2 100644\nBinary files a/file and b/file differ\n"
                .to_owned(),
            "cannot apply binary patch to 'file' without full index line\nerror: file: patch does not apply",
        ),
    ];
    for (patch, words) in cases {
        for command in ["apply", "check"] {
            assert_eq!(
                said(&[command], &patch),
                format!("error: {words}\n"),
                "{patch}"
            );
        }
        assert_eq!(said(&["apply", "-q"], &patch), "");
    }
    let several = format!("{}{}", change("gone"), change("file"));
    let words = "error: gone: No such file or directory\nerror: patch failed: file:2\nerror: file: patch does not apply\n";
    assert_eq!(said(&["apply"], &several), words);
}

#[test]
fn a_text_that_is_no_patch_is_told_in_the_words_of_git() {
    let header = "diff --git a/file b/file\n";
    let cases = [
        (
            "words\n".to_owned(),
            "No valid patches in input (allow with \"--allow-empty\")",
        ),
        (
            HUNK.to_owned(),
            "patch fragment without header at <stdin>:1: @@ -2 +2 @@",
        ),
        (
            format!("{header}--- a/file\n{HUNK}"),
            "git diff header lacks filename information at <stdin>:3",
        ),
        (
            format!("{header}+++ b/file\n{HUNK}"),
            "git diff header lacks filename information at <stdin>:3",
        ),
        (
            format!("{header}--- a/file\n+++ b/file\nwords\n"),
            "patch with only garbage at <stdin>:4",
        ),
        (
            format!("{header}old mode 10x644\n"),
            "invalid mode at <stdin>:2: 10x644\n",
        ),
        (
            format!(
                "{header}new file mode 100644\n--- /dev/null\n+++ b/other\n@@ -0,0 +1 @@\n+x\n"
            ),
            "",
        ),
        (
            format!("{header}--- a/file\n+++ b/file\n@@ -1,5 +1,5 @@\n one\n"),
            "corrupt patch at <stdin>:6",
        ),
        (
            format!(
                "{header}index {0}..{0}\nGIT binary patch\nwords\n",
                "1".repeat(40)
            ),
            "unrecognized binary patch at <stdin>:3\nerror: No valid patches in input (allow with \"--allow-empty\")",
        ),
        (
            format!("{header}GIT binary patch\nliteral 1"),
            "corrupt binary patch at <stdin>:4: ",
        ),
    ];
    for (patch, words) in cases {
        let other = "git apply: bad git-diff - inconsistent new filename at <stdin>:4";
        let words = if words.is_empty() { other } else { words };
        assert_eq!(
            said(&["apply"], &patch),
            format!("error: {words}\n"),
            "{patch}"
        );
    }
}

#[test]
fn a_strip_level_that_leaves_no_name_is_told_in_the_words_of_git() {
    let header = "diff --git a/file b/file\n";
    let deep = format!("{header}--- a/file\n+++ b/file\n{HUNK}");
    let lacks = "error: git diff header lacks filename information when removing 3 leading pathname components at <stdin>:4\n";
    assert_eq!(said(&["apply", "--stat", "-p3"], &deep), lacks);
    let traditional = format!("--- a/file\n+++ b/file\n{HUNK}");
    assert_eq!(
        said(&["apply", "-p3"], &traditional),
        "error: unable to find filename in patch at <stdin>:1\n"
    );
}

#[cfg(unix)]
#[test]
fn what_git_says_whole_is_said_once() {
    let patches = [
        HUNK,
        "diff --git a/file b/file\n--- a/file\n@@ -2 +2 @@\n-2\n+zwei\n",
        "diff --git a/file b/file\nold mode 10x644\n",
        "--- a/file\n+++ b/file\n@@ -98765432109876543210 +98765432109876543210 @@\n-2\n+zwei\n",
        "diff --git a/file b/file\n--- a/file\n+++ b/file\nwords\n",
        "diff --git a/link/y b/link/y\nnew file mode 100644\n--- /dev/null\n+++ b/link/y\n@@ -0,0 +1 @@\n+x\n",
    ];
    let root = TempDir::new().unwrap();
    world::link("elsewhere", root.path().join("link")).unwrap();
    for patch in patches {
        let output = |arguments: &[&str]| spoken(root.path(), arguments, patch);
        assert!(!output(&["apply"]).contains("wpatch::"), "{patch}");
        assert!(
            output(&["apply", "-v"]).contains("error[wpatch::"),
            "{patch}"
        );
        assert!(
            output(&["show"]).contains("error[wpatch::parse::") || patch.contains("link"),
            "{patch}"
        );
    }
}

#[test]
fn the_words_of_git_on_options_are_kept() {
    for level in ["-pmalformed", "-p2q", "-p-1"] {
        let words = format!(
            "option -p expects a non-negative integer, got '{}'",
            &level[2..]
        );
        assert!(said(&["apply", level], "").contains(&words), "{level}");
    }
    let root = TempDir::new().unwrap();
    let above = spoken(root.path(), &["apply", "--directory=../foo"], "");
    assert!(
        above.contains("unable to normalize directory: '../foo'\n"),
        "{above}"
    );
    let gone = spoken(root.path(), &["apply", "gone"], "");
    assert!(gone.contains("can't open patch 'gone': "), "{gone}");
}

#[test]
fn a_loud_run_names_each_file_as_git_does() {
    let patch = "diff --git a/file b/new\nrename from file\nrename to new\n--- a/file\n+++ b/new\n@@ -1 +1 @@\n-two\n+zwei\n";
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("file"), "one\ntwo\nthree\n").unwrap();
    let checked = "Checking patch file => new...\nerror: while searching for:\ntwo\n\n\
                   error: patch failed: file:1\nerror: file: patch does not apply\n";
    assert_eq!(said_in(root.path(), &["apply", "-v"], patch), checked);
    let patch = patch.replace("@@ -1 +1 @@\n-two", "@@ -1,2 +1,2 @@\n two\n-three");
    fs::write(root.path().join("file"), "one\ntwo\nthree\n").unwrap();
    let patch = patch.replace("@@ -1,2 +1,2 @@", "@@ -4,2 +4,2 @@");
    let applied = "Checking patch file => new...\nHunk #1 succeeded at 2 (offset -2 lines).\n";
    let done = "Applied patch file => new cleanly.\n";
    assert_eq!(said_in(root.path(), &["check", "-v"], &patch), applied);
    assert_eq!(
        said_in(root.path(), &["apply", "-v"], &patch),
        format!("{applied}{done}")
    );
}

#[test]
fn other_grammars_and_commands_have_words_of_their_own() {
    let codex = "*** Begin Patch\n*** Update File: file\n@@\n-vier\n+4\n*** End Patch\n";
    assert_eq!(said(&["apply"], codex), "");
    assert_eq!(
        said(&["edit", "file", "--old", "vier", "--new", "4"], ""),
        ""
    );
}

#[test]
fn many_missing_files_are_one_list() {
    let section = |number: usize| {
        format!(
            "diff --git a/m{number} b/m{number}\n--- a/m{number}\n+++ b/m{number}\n@@ -1 +1 @@\n-a\n+b\n"
        )
    };
    // A report lists no more than 10,000 files.
    for count in [200, 10_100] {
        let patch: String = (0..count).map(section).collect::<Vec<_>>().concat();
        let words = spoken(TempDir::new().unwrap().path(), &["apply"], &patch);
        let lines: Vec<_> = words.lines().collect();
        let listed: Vec<_> = (0..20)
            .map(|number| format!("error: m{number}: No such file or directory"))
            .collect();
        assert_eq!(lines[..20], listed, "{words}");
        assert_eq!(
            lines[20],
            format!("error: and {} more: No such file or directory", count - 20),
            "{words}"
        );
        assert!(
            lines.len() == 22 && lines[21].starts_with("help: "),
            "{words}"
        );
    }
    let one = spoken(TempDir::new().unwrap().path(), &["apply"], &section(0));
    assert_eq!(
        one.matches("No such file").count() + one.matches("does not exist").count(),
        1,
        "{one}"
    );
    assert!(one.contains("--> -:1:1") && one.contains("help: "), "{one}");
}

#[cfg(unix)]
#[test]
fn a_missing_patch_or_root_is_a_wrong_command_line() {
    let root = TempDir::new().unwrap();
    let gone = root.path().join("gone");
    fs::write(root.path().join("p"), "x").unwrap();
    let patches: [&[&str]; 9] = [
        &["apply", "gone"],
        &["apply", "p/x"],
        &["apply", "."],
        &["check", "gone"],
        &["check", "--batch", "gone"],
        &["show", "./gone"],
        &["edit", "f", "--old-file", "gone", "--new", "x"],
        &["edit", "f", "--old", "x", "--new-file", "gone"],
        &["apply", "--series", "gone"],
    ];
    for arguments in patches {
        is_misused(world::wpatch().args(arguments).current_dir(root.path()));
    }
    let verbs = "apply p|check p|show p|show 1|edit f --old a --new b|write f|append f|read f|list|diff f f|log|undo|redo|\
        recover|gc|init|mcp|policy explain f|check --save p|reject 12345678|\
        notebook replace n.ipynb --cell 0 --source x";
    for verb in verbs.split('|') {
        for (name, is_file) in [(&gone, false), (&root.path().join("p"), true)] {
            let mut command = world::wpatch();
            command
                .args(verb.split_whitespace())
                .arg("--root")
                .arg(name)
                .current_dir(root.path());
            let words = is_misused(&mut command);
            assert!(
                words.contains(if is_file {
                    "Not a directory"
                } else {
                    "No such file"
                }),
                "{verb}: {words}"
            );
        }
    }
    for arguments in [
        &["-i", "gone"][..],
        &["-d", "gone", "-i", "../p"],
        &["-i", "p/x"],
        &["f", "gone"],
    ] {
        let link = world::install("patch", root.path());
        let words = is_misused(Command::new(link).args(arguments).current_dir(root.path()));
        assert!(words.starts_with("patch: **** Can't "), "{words}");
    }
}

/// Asserts that `command` has exit code 2 and prints the reason once; returns what it prints.
fn is_misused(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{command:?}: {words}");
    let reasons = [
        "No such file or directory",
        "Not a directory",
        "Is a directory",
    ];
    let count: usize = reasons
        .iter()
        .map(|reason| words.matches(reason).count())
        .sum();
    assert_eq!(count, 1, "{command:?}: {words}");
    assert!(!words.contains("os error"), "{command:?}: {words}");
    words
}

#[test]
fn the_root_is_a_directory() {
    let root = TempDir::new().unwrap();
    for arguments in [
        &["edit", ".", "--old", "a", "--new", "b"][..],
        &["read", "."],
    ] {
        let words = spoken(root.path(), arguments, "");
        assert!(words.contains(".: is a directory"), "{words}");
    }
}
