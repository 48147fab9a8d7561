//! The statistics and the other text for people.

use std::io::Write;
use std::process::{Command, Stdio};

use wpatch::engine::{self, Request};
use wpatch::report::FORMATS;

use super::{PATCH, check, printed};

#[test]
fn people_read_what_is_done() {
    insta::assert_snapshot!(printed(&check(PATCH).report, "text"), @r"
    rename run.sh => bin/run.sh mode 100644 => 100755
    create new file +2 -0
    modify text +1 -1
      hunk 1 at line 3, offset +1
    would apply: 3 files changed, 3 insertions(+), 1 deletion(-)
    ");
}

#[test]
fn no_format_writes_to_a_terminal() {
    let patch =
        "--- a/te\x1b[2Jxt\u{202e}\n+++ b/te\x1b[2Jxt\u{202e}\n@@ -1 +1 @@ \x07\n-a\x1bb\n+c\n";
    let outcome = check(patch);
    for format in FORMATS.iter().filter(|format| format.name() != "numstat-z") {
        // Colours are ours.
        let colours = ["\u{1b}[32m", "\u{1b}[31m", "\u{1b}[0m"];
        let text = printed(&outcome.report, format.name());
        let text = colours
            .iter()
            .fold(text, |text, colour| text.replace(colour, ""));
        let acts = |character: char| {
            character.is_control() && !"\n\t".contains(character) || character == '\u{202e}'
        };
        assert!(!text.contains(acts), "{}: {text:?}", format.name());
    }
}

#[cfg(unix)]
#[test]
fn the_statistics_are_gits() {
    let long = "a/".repeat(30);
    let patches = [
        PATCH.to_owned(),
        format!("--- a/{long}x\n+++ b/{long}x\n@@ -1 +1,80 @@\n-a\n{}", "+b\n".repeat(80)),
        format!("--- a/x\n+++ b/x\n@@ -1,3 +1 @@\n-a\n-b\n-c\n+d\n--- /dev/null\n+++ b/y\n@@ -0,0 +1,90 @@\n{}", "+b\n".repeat(90)),
        "diff --git a/d/s/old b/d/t/new\nsimilarity index 87%\ncopy from d/s/old\ncopy to d/t/new\n".to_owned(),
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n".to_owned(),
        "diff --git a/x b/x\ndissimilarity index 90%\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
        "diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-to\n\
         \\ No newline at end of file\n"
            .to_owned(),
        "diff --git \"a/t\\\"quote\" \"b/t\\\"quote\"\nnew file mode 100755\n--- /dev/null\n+++ \"b/t\\\"quote\"\n@@ -0,0 +1 @@\n+x\n".to_owned(),
        "diff --git \"a/\\303\\251\" \"b/\\303\\251\"\ndeleted file mode 100644\nindex 7898192..0000000\n".to_owned(),
        "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n".to_owned(),
        "diff --git a/b b/b\nindex badc806ed7d7937d6fcb727b07d0e90ec752bf9f..47a795fa36c2f8b4a6edec9ee6a675a81dd030f5 \
         100644\nGIT binary patch\nliteral 4\nLcmZQb%FhD;0(JpF\n\nliteral 4\nLcmZQb%FF`*0%`#|\n\n"
            .to_owned(),
    ];
    for patch in &patches {
        let report = engine::describe(Request::of(patch.as_str())).report;
        assert!(report.ok, "{patch}: {:?}", report.problems);
        for (option, format) in [
            ("--stat", "stat"),
            ("--numstat", "numstat"),
            ("--summary", "summary"),
            ("-z", "numstat-z"),
        ] {
            assert_eq!(
                printed(&report, format),
                git(option, patch),
                "{option}: {patch}"
            );
        }
    }
}

/// Returns what `git apply` prints outside of any repository.
fn git(option: &str, patch: &str) -> String {
    let empty = tempfile::tempdir().unwrap();
    let options = if option == "-z" {
        vec!["--numstat", "-z"]
    } else {
        vec![option]
    };
    let mut child = Command::new("git")
        .arg("apply")
        .args(options)
        .current_dir(empty.path())
        .env("GIT_CEILING_DIRECTORIES", empty.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", empty.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(patch.as_bytes())
        .unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}
