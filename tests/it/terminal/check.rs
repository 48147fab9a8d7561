//! The summary of `check`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use fs_err as fs;

use super::{on_terminal, tree, without_colours, wpatch};

const POLICY: &str = "[[rule]]\nname = 'ci'\npaths = ['ci/**']\nverdict = 'ask'\nreason = 'CI has secrets'\n\
    [[rule]]\nname = 'keys'\npaths = ['keys/**']\nverdict = 'deny'\nreason = 'keys stay'\n";
const PATCH: &str = "--- a/a\n+++ b/a\n@@ -2,3 +2,3 @@\n one\n-two\n+2\n three\n\
    --- a/ci/run\n+++ b/ci/run\n@@ -1 +1 @@\n-x\n+y\n";
/// A file that the first section of [`PATCH`] fits one line below its stated line.
const A: &str = "zero\nzero\none\ntwo\nthree\nfour\n";
const CREATE: &str = "--- /dev/null\n+++ b/keys/new\n@@ -0,0 +1 @@\n+x\n";

/// Returns the exit code and the summary of `check` with `arguments` for a tree with the patch.
fn checked(patch: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let root = tree(&[
        ("a", A),
        ("ci/run", "x\n"),
        ("wpatch.toml", POLICY),
        ("patch", patch),
    ]);
    on_terminal(wpatch(root.path(), arguments))
}

/// Returns `text` with the program and the identifier of the plan replaced.
fn normalized(text: &str) -> String {
    let text = text.replace(env!("CARGO_BIN_EXE_wpatch"), "wpatch");
    let mut parts = text.split("sha256:");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + "ID" + &part[64..])
}

#[test]
fn a_check_on_a_terminal_has_a_summary() {
    let (code, text) = checked(PATCH, &["check", "patch"]);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(normalized(&without_colours(&text)), @r#"
    modify a  +1  -1
      f1h1: 1 line below its stated line
    modify ci/run  +1  -1
      needs approval: CI has secrets (rule `ci`)
    would apply: 2 files changed, 2 insertions(+), 2 deletions(-), 2 hunks
    1 hunk with an offset
    plan_id ID
    1 file needs approval. To approve this change and apply it:
      wpatch apply --approve ID patch
    "#);
}

#[test]
fn the_summary_of_a_check_that_fails_follows_its_problems() {
    let (code, text) = checked(&(PATCH.to_owned() + CREATE), &["check", "patch"]);
    assert_eq!(code, Some(3));
    insta::assert_snapshot!(without_colours(&text), @r#"
    error[wpatch::policy::denied]: keys/new: policy denies this path: keys stay
      --> patch:13:1
       |
    11 | -x
    12 | +y
    13 | --- /dev/null
       | ^^^^^^^^^^^^^
    14 | +++ b/keys/new
       |
    help: see line 6 of wpatch.toml for the rule
    modify a  +1  -1
      f1h1: 1 line below its stated line
    modify ci/run  +1  -1
      needs approval: CI has secrets (rule `ci`)
    create keys/new  +1  denied
      denied: keys stay (rule `keys`)
    refused: 1 of 3 files
    "#);
    let (code, text) = checked(&PATCH.replace("-x", "-z"), &["check", "patch"]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(without_colours(&text), @r#"
    error: patch failed: ci/run:1
    error: ci/run: patch does not apply
      --> patch:11:1
       |
     9 | +++ b/ci/run
    10 | @@ -1 +1 @@
    11 | -z
       | ^^
    12 | +y
       |
    note: closest match: ci/run:1 (0 of 1 lines match)
      --> ci/run:1:1
       |
     1 | x
       | ^ the patch has z
    help: read ci/run again from line 1: these lines are the most similar ones
    modify a  +1  -1
      f1h1: 1 line below its stated line
    modify ci/run  +1  -1  not found
      needs approval: CI has secrets (rule `ci`)
    does not apply: 1 of 2 files
    "#);
}

#[test]
fn the_command_in_the_summary_applies_the_plan() {
    let root = tree(&[
        ("a", A),
        ("ci/run", "x\n"),
        ("wpatch.toml", POLICY),
        ("it's", PATCH),
    ]);
    let (code, text) = on_terminal(wpatch(root.path(), &["check", "it's"]));
    assert_eq!(code, Some(0));
    let command = text.lines().last().unwrap();
    let status = std::process::Command::new("sh")
        .current_dir(root.path())
        .args(["-c", command])
        .status();
    assert!(status.unwrap().success(), "{command}");
    assert_eq!(
        fs::read_to_string(root.path().join("a")).unwrap(),
        "zero\nzero\none\n2\nthree\nfour\n"
    );
}

#[test]
fn other_output_replaces_the_summary() {
    for arguments in [
        &["check", "-q", "patch"][..],
        &["apply", "--check", "patch"],
    ] {
        assert_eq!(checked(PATCH, arguments), (Some(0), String::new()));
    }
    for arguments in [
        &["check", "--json", "patch"][..],
        &["check", "--stat", "patch"],
        &["check", "-v", "patch"],
        &["check", "--shape", "patch"],
        &["check", "absent"],
    ] {
        let (_, text) = checked(PATCH, arguments);
        assert!(!text.contains("needs approval:"), "{arguments:?}: {text}");
    }
    let root = tree(&[("a", A), ("ci/run", "x\n"), ("patch", PATCH)]);
    let piped = wpatch(root.path(), &["check", "patch"]).output().unwrap();
    assert_eq!((&*piped.stdout, &*piped.stderr), (&b""[..], &b""[..]));
}

#[test]
fn the_summary_has_colours_unless_they_are_off() {
    let (_, coloured) = checked(PATCH, &["check", "patch"]);
    assert!(
        coloured.starts_with("\x1b[1m\x1b[36mmodify\x1b[0m \x1b[1ma\x1b[0m"),
        "{coloured:?}"
    );
    let (_, plain) = checked(PATCH, &["check", "--color=never", "patch"]);
    assert_eq!(
        normalized(&plain).replace("--color=never ", ""),
        normalized(&without_colours(&coloured))
    );
}

#[test]
fn the_summary_of_many_files_is_short_and_lists_those_that_need_approval() {
    let files: Vec<_> = (0..200)
        .map(|number| (format!("f{number}"), "x\n"))
        .chain([("ci/run".to_owned(), "x\n")])
        .collect();
    let patch = files
        .iter()
        .map(|(name, _)| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+y\n"))
        .collect::<Vec<_>>()
        .concat();
    let mut all: Vec<_> = files.iter().map(|(name, text)| (&**name, *text)).collect();
    all.extend([("wpatch.toml", POLICY), ("patch", &patch)]);
    let root = tree(&all);
    let (code, text) = on_terminal(wpatch(root.path(), &["check", "--color=never", "patch"]));
    assert_eq!(code, Some(0));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "modify f0  +1  -1");
    assert_eq!(
        lines[13..19],
        [
            "modify f13  +1  -1",
            "modify ci/run  +1  -1",
            "  needs approval: CI has secrets (rule `ci`)",
            "and 186 more files",
            "would apply: 201 files changed, 201 insertions(+), 201 deletions(-), 201 hunks",
            lines[18],
        ]
    );
    assert!(lines[..19].iter().all(|line| line.len() <= 80), "{text}");
}

#[test]
fn many_hunks_of_a_file_are_counted() {
    let lines = |change: &str| -> String {
        (0..200)
            .map(|line| format!("{}{line}\n", if line % 20 == 10 { change } else { "" }))
            .collect::<Vec<_>>()
            .concat()
    };
    let hunk = |number: usize| {
        let line = number * 20 + 10;
        format!(
            "@@ -{line},3 +{line},3 @@\n {}\n-o{line}\n+n{line}\n {}\n",
            line - 1,
            line + 1
        )
    };
    let hunks: String = (0..8).map(hunk).collect();
    let patch = format!("--- a/a\n+++ b/a\n{hunks}");
    let root = tree(&[("a", &format!("first\n{}", lines("o"))), ("patch", &patch)]);
    let (code, text) = on_terminal(wpatch(root.path(), &["check", "--color=never", "patch"]));
    assert_eq!(code, Some(0), "{text}");
    insta::assert_snapshot!(normalized(&text), @r#"
    modify a  +8  -8
      f1h1: 1 line below its stated line
      f1h2: 1 line below its stated line
      f1h3: 1 line below its stated line
      f1h4: 1 line below its stated line
      f1h5: 1 line below its stated line
      and 3 more hunks
    would apply: 1 file changed, 8 insertions(+), 8 deletions(-), 8 hunks
    8 hunks with an offset
    plan_id ID
    "#);
}

#[test]
fn no_name_in_a_summary_writes_to_the_terminal() {
    let name = OsString::from_vec(b"\x1b[31m\xff\xe2\x80\xae\n".to_vec());
    let root = tree(&[]);
    fs::write(root.path().join(&name), "x\n").unwrap();
    let patch = r#"--- "a/\033[31m\377\342\200\256\n"
+++ "b/\033[31m\377\342\200\256\n"
@@ -1 +1 @@
-x
+y
"#;
    let patch_name = OsString::from_vec(b"p\x1b[2J\xff".to_vec());
    fs::write(root.path().join(&patch_name), patch).unwrap();
    let policy = "[[rule]]\nname = \"\\u001b[2J\"\npaths = ['**']\nops = ['write']\nverdict = 'ask'\nreason = \"\\u001b]0;x\\u0007\"\n";
    fs::write(root.path().join("wpatch.toml"), policy).unwrap();
    let mut command = wpatch(root.path(), &["check", "--color=never"]);
    command.arg(&patch_name);
    let (code, text) = on_terminal(command);
    assert_eq!(code, Some(0), "{text}");
    insta::assert_snapshot!(normalized(&text), @r#"
    modify \x1b[31m\xff\u{202e}\n  +1  -1
      needs approval: \x1b]0;x\x07 (rule `\x1b[2J`)
    would apply: 1 file changed, 1 insertion(+), 1 deletion(-), 1 hunk
    plan_id ID
    1 file needs approval: give the plan_id to `wpatch apply --approve`
    "#);
    let controls = |character: char| character.is_control() && character != '\n';
    assert!(!text.contains(controls), "{text:?}");
}
