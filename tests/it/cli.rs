//! The program as people and scripts meet it: arguments, streams, exit codes, and the examples of
//! the README.

mod diagnostics;
mod examples;
mod history;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use fs_err as fs;
use serde_json::Value;
use tempfile::TempDir;

use crate::world;

const WPATCH: &str = env!("CARGO_BIN_EXE_wpatch");
const PATCH: &str = "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-one\n+two\n";

/// Returns a directory with one file that [`PATCH`] fits.
fn tree() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("file"), "one\n").unwrap();
    root
}

fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = world::wpatch();
    command
        .current_dir(root)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(root: &Path, arguments: &[&str], patch: &str) -> Output {
    fed(&mut command(root, arguments), patch)
}

fn fed(command: &mut Command, patch: &str) -> Output {
    let mut child = command.spawn().unwrap();
    // A program that stops at its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(patch.as_bytes());
    child.wait_with_output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn contents(root: &TempDir) -> String {
    fs::read_to_string(root.path().join("file")).unwrap()
}

#[test]
fn success_is_quiet() {
    let root = tree();
    let output = run(root.path(), &["apply"], PATCH);
    assert_eq!(
        (code(&output), text(&output.stdout), text(&output.stderr)),
        (0, "", "")
    );
    assert_eq!(contents(&root), "two\n");
}

/// Nobody that the system knows, if that is what the rights of the test allow.
#[cfg(unix)]
#[test]
fn who_has_no_home_and_no_name_is_served_too() {
    let root = tree();
    // The system must permit the change.
    world::set_mode(root.path(), 0o777);
    let program = root.path().join("program");
    fs::copy(WPATCH, &program).unwrap();
    let mut command = Command::new(&program);
    command
        .arg("check")
        .current_dir(root.path())
        .env_remove("HOME")
        .env_remove("XDG_CONFIG_HOME");
    if world::is_root() {
        std::os::unix::process::CommandExt::uid(&mut command, 54_321);
    }
    let output = fed(
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
        PATCH,
    );
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn each_ending_has_its_exit_code() {
    let outside = "--- a/../file\n+++ b/../file\n@@ -1 +1 @@\n-one\n+two\n";
    let endings: [(&[&str], &str, i32); 11] = [
        (&["apply"], PATCH, 0),
        (&["check"], PATCH, 0),
        (&["apply", "-R"], PATCH, 1),
        (&["apply"], "no patch at all\n", 2),
        (&["apply"], "--- a/file\n+++ b/file\n1c\ntwo\n.\n", 2),
        (&["apply", "--no-such-option"], PATCH, 2),
        (&["apply", "--exclude", "[z-a]"], PATCH, 2),
        (&["apply"], outside, 3),
        (&["apply", "no-such-patch"], PATCH, 2),
        (&["apply", "--root", "no-such-directory"], PATCH, 2),
        (&["apply", "--max-patch", "3"], PATCH, 1),
    ];
    for (arguments, patch, ending) in endings {
        let root = tree();
        let output = run(root.path(), arguments, patch);
        assert_eq!(code(&output), ending, "{arguments:?}");
        assert_eq!(output.stderr.is_empty(), ending == 0, "{arguments:?}");
        assert_eq!(
            contents(&root) == "two\n",
            ending == 0 && arguments[0] == "apply",
            "{arguments:?}"
        );
    }
}

#[test]
fn json_is_one_document_in_every_ending() {
    let endings: [(&[&str], &str, &str); 5] = [
        (&["apply", "--json"], PATCH, "applied"),
        (&["apply", "-R", "--json"], PATCH, "does_not_apply"),
        (&["check", "--json"], "nothing\n", "malformed"),
        (&["--json", "apply", "--fuzz", "many"], PATCH, "usage"),
        (
            &["apply", "--json", "--root", "no-such-directory"],
            PATCH,
            "usage",
        ),
    ];
    for (arguments, patch, outcome) in endings {
        let output = run(tree().path(), arguments, patch);
        let document = text(&output.stdout).strip_suffix('\n').unwrap();
        assert!(!document.contains('\n'), "{document}");
        let report: Value = serde_json::from_str(document).unwrap();
        assert_eq!(report["outcome"], outcome, "{document}");
        assert_eq!(report["exit_code"], code(&output), "{document}");
        assert_eq!(
            report["command"],
            if arguments.contains(&"check") {
                "check"
            } else {
                "apply"
            }
        );
    }
}

#[test]
fn statistics_turn_applying_off_as_in_git() {
    for (arguments, printed, left) in [
        (&["apply", "--numstat"][..], "1\t1\tfile\n", "one\n"),
        (&["apply", "--numstat", "-z"], "1\t1\tfile\0", "one\n"),
        (&["apply", "--numstat", "--apply"], "1\t1\tfile\n", "two\n"),
        (&["apply", "--check"], "", "one\n"),
        (&["apply", "--summary", "--check"], "", "one\n"),
        (
            &["apply", "--stat"],
            " file |    2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
            "one\n",
        ),
    ] {
        let root = tree();
        let output = run(root.path(), arguments, PATCH);
        assert_eq!(
            (code(&output), text(&output.stdout)),
            (0, printed),
            "{arguments:?}"
        );
        assert_eq!(contents(&root), left, "{arguments:?}");
    }
}

#[test]
fn statistics_alone_need_no_tree() {
    let root = tempfile::tempdir().unwrap();
    let output = run(root.path(), &["apply", "--numstat"], PATCH);
    assert_eq!((code(&output), text(&output.stdout)), (0, "1\t1\tfile\n"));
    assert_eq!(
        code(&run(root.path(), &["apply", "--numstat", "--check"], PATCH)),
        1
    );
}

#[test]
fn the_first_filter_that_matches_decides() {
    for (arguments, left) in [
        (&["apply", "--include=f*", "--exclude=*"][..], "two\n"),
        (&["apply", "--exclude=*", "--include=f*"], "one\n"),
    ] {
        let root = tree();
        assert_eq!(
            code(&run(root.path(), arguments, PATCH)),
            0,
            "{arguments:?}"
        );
        assert_eq!(contents(&root), left, "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_name_need_not_be_text() {
    let root = tree();
    let name = world::path_of(b"p\xff");
    fs::write(root.path().join(&name), PATCH).unwrap();
    let output = fed(command(root.path(), &["apply"]).arg(name), "");
    assert_eq!((code(&output), contents(&root).as_str()), (0, "two\n"));
}

#[test]
fn colours_are_for_terminals_or_for_whoever_asks() {
    let words = |color: &str| run(tree().path(), &["check", "-R", "--color", color], PATCH).stderr;
    assert!(!words("auto").contains(&0x1b));
    assert!(words("always").contains(&0x1b));
}

#[test]
fn quiet_says_nothing_and_verbose_says_what_is_done() {
    let quiet = run(tree().path(), &["apply", "-q", "-R"], PATCH);
    assert_eq!(
        (code(&quiet), text(&quiet.stdout), text(&quiet.stderr)),
        (1, "", "")
    );
    let loud = run(tree().path(), &["apply", "-v"], PATCH);
    let said = "modify file +1 -1\napplied: 1 file changed, 1 insertion(+), 1 deletion(-)\n";
    assert_eq!((code(&loud), text(&loud.stdout)), (0, said));
}

#[test]
fn undo_and_redo_report_what_they_did() {
    let tree = tree();
    for arguments in [&["init"][..], &["apply"]] {
        assert_eq!(code(&run(tree.path(), arguments, PATCH)), 0);
    }
    for (arguments, done) in [
        (&["undo", "-v", "--dry-run"][..], "would undo"),
        (&["undo", "-v"], "undone"),
        (&["redo", "-v"], "redone"),
        (&["undo", "--output", "github"], "undone"),
    ] {
        let output = run(tree.path(), arguments, "");
        let last = text(&output.stdout).lines().last();
        let expected = format!("{done}: 1 file changed, 1 insertion(+), 1 deletion(-)");
        assert_eq!((code(&output), last), (0, Some(&*expected)));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_printed_does_not_deny_the_commit() {
    let root = tree();
    let full = || {
        Stdio::from(
            std::fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        )
    };
    let output = fed(
        command(root.path(), &["apply", "--json"]).stdout(full()),
        PATCH,
    );
    assert_eq!((code(&output), contents(&root).as_str()), (0, "two\n"));
    assert!(text(&output.stderr).contains("cannot write the report"));
    let output = fed(
        command(root.path(), &["check", "-R", "--json"]).stdout(full()),
        PATCH,
    );
    assert_eq!(
        code(&output),
        4,
        "a check that cannot say anything has failed"
    );
}

#[test]
fn a_reader_who_goes_away_is_no_failure() {
    for arguments in [&["check", "--json"][..], &["schema", "report"], &["--help"]] {
        let mut child = command(tree().path(), arguments).spawn().unwrap();
        drop(child.stdout.take());
        let _ = child.stdin.take().unwrap().write_all(PATCH.as_bytes());
        assert!(
            matches!(child.wait().unwrap().code(), Some(0 | 1)),
            "{arguments:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_lock_that_somebody_holds_is_not_waited_for_longer_than_asked() {
    let root = tree();
    let state = root.path().join(".wpatch");
    fs::create_dir(&state).unwrap();
    world::set_mode(&state, 0o700);
    let lock = fs::File::create(state.join("lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let output = run(root.path(), &["apply", "--lock-timeout", "20ms"], PATCH);
    assert_eq!(
        (code(&output), contents(&root).as_str()),
        (6, "one\n"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn the_program_documents_itself() {
    let root = tempfile::tempdir().unwrap();
    let printed = |arguments: &[&str]| {
        let output = run(root.path(), arguments, "");
        assert_eq!(
            (code(&output), text(&output.stderr)),
            (0, ""),
            "{arguments:?}"
        );
        String::from_utf8(output.stdout).unwrap()
    };
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(
            printed(&["completions", shell]).contains("unidiff-zero"),
            "{shell}"
        );
    }
    for syntax in wpatch::syntax::SYNTAXES {
        assert_eq!(printed(&["grammar", syntax.name()]), syntax.grammar());
    }
    assert!(printed(&["man"]).contains(".TH wpatch 1"));
    for command in [
        "apply",
        "check",
        "edit",
        "write",
        "append",
        "recover",
        "grammar",
        "schema",
        "completions",
        "man",
    ] {
        assert!(
            printed(&["man", command]).contains(&format!(
                ".TH wpatch-{command} 1  \"wpatch {}\"",
                env!("CARGO_PKG_VERSION")
            )),
            "{command}"
        );
        assert!(
            printed(&[command, "--help"]).contains("--json"),
            "{command}"
        );
    }
    assert_eq!(printed(&["help", "undo"]), printed(&["undo", "--help"]));
    assert_eq!(
        printed(&["--version"]),
        concat!("wpatch ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn a_patch_is_not_applied_twice_with_idempotent_although_its_context_occurs_twice() {
    let root = tempfile::tempdir().unwrap();
    let patch = "--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n a\n-X\n+Y\n b\n";
    fs::write(root.path().join("f"), "k\na\nX\nb\nm\na\nX\nb\nz\n").unwrap();
    for _ in 0..2 {
        let output = run(root.path(), &["apply", "--idempotent"], patch);
        assert_eq!(code(&output), 0);
        let after = fs::read_to_string(root.path().join("f")).unwrap();
        assert_eq!(after, "k\na\nY\nb\nm\na\nX\nb\nz\n");
    }
    let warned = |patch: &str| {
        let output = run(root.path(), &["check"], patch);
        assert_eq!(code(&output), 0);
        text(&output.stderr).contains("its result is already at line 2")
    };
    assert!(warned(patch));
    // A last line without newline is not the beginning of a longer line.
    fs::write(root.path().join("f"), "q\nx\nabc\nx\nold\n").unwrap();
    let shorter =
        "--- a/f\n+++ b/f\n@@ -2,2 +2,2 @@\n x\n-old\n+ab\n\\ No newline at end of file\n";
    assert!(!warned(shorter));
}
