//! A work tree of git, and a patch for it.

use std::path::{Path, PathBuf};
use std::process::Output;

use fs_err as fs;
use serde_json::Value;

use crate::repository::git;
use crate::systems::{Desk, runs};

/// Changes a file, makes one in a new directory and one that can be executed, renames one, deletes
/// one.
pub(super) const PATCH: &str = "\
diff --git a/changed b/changed
--- a/changed
+++ b/changed
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
diff --git a/d/new b/d/new
new file mode 100644
--- /dev/null
+++ b/d/new
@@ -0,0 +1 @@
+new
diff --git a/script b/script
old mode 100644
new mode 100755
diff --git a/plain b/sub/plain
similarity index 100%
rename from plain
rename to sub/plain
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
";

/// A work tree of git with a commit of the files that the patch is for.
pub(crate) struct Tree {
    pub(crate) desk: Desk,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let files = [
            ("changed", "one\ntwo\nthree\n"),
            ("script", "#!\n"),
            ("plain", "plain\n"),
            ("gone", "gone\n"),
        ];
        let files = files
            .into_iter()
            .chain([("../patch", PATCH)])
            .map(|(name, text)| (name, text.as_bytes()));
        let tree = Self {
            desk: Desk::with(&files.collect::<Vec<_>>()),
        };
        tree.git(&["init", "-q", "-b", "main"]);
        tree.git(&["add", "."]);
        tree.git(&["commit", "-q", "-m", "first"]);
        tree
    }

    /// One whose files others have changed since the patch was made: one of them merges, in one of
    /// them the patch changes the same, and it makes one that is there.
    pub(crate) fn diverged() -> Self {
        let tree = Self::new();
        let numbers = |changes: &[(usize, &str)]| -> String {
            let line = |number: usize| {
                changes
                    .iter()
                    .find(|(at, _)| *at == number)
                    .map_or(number.to_string(), |(_, text)| (*text).to_owned())
            };
            (1..=9).map(|number| line(number) + "\n").collect()
        };
        let commit = |files: &[(&str, String)]| {
            for (name, text) in files {
                fs::write(tree.root().join(name), text).unwrap();
            }
            tree.git(&["add", "."]);
            tree.git(&["commit", "-q", "-m", "next"]);
        };
        commit(&[("merges", numbers(&[])), ("conflicts", numbers(&[]))]);
        let theirs = numbers(&[(2, "zwei"), (8, "acht")]);
        commit(&[
            ("merges", theirs.clone()),
            ("conflicts", theirs),
            ("both", "a\nc\n".to_owned()),
        ]);
        fs::write(tree.patch(), tree.git(&["diff", "HEAD^", "HEAD"])).unwrap();
        tree.git(&["reset", "-q", "--hard", "HEAD^"]);
        let ours = [
            ("merges", numbers(&[(5, "five")])),
            ("conflicts", numbers(&[(2, "two"), (5, "five")])),
        ];
        commit(&[&ours[..], &[("both", "a\nb\n".to_owned())]].concat());
        tree
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.desk.root()
    }

    pub(crate) fn patch(&self) -> PathBuf {
        self.desk.path("../patch")
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        asked(&self.root(), arguments)
    }

    /// Returns what the index has.
    pub(crate) fn entries(&self) -> String {
        self.git(&["ls-files", "-s"])
    }

    /// Runs the program in `directory` of it.
    pub(crate) fn wpatch(&self, directory: &str, arguments: &[&str]) -> Output {
        let patch = self.patch();
        runs(
            &self.root().join(directory),
            &[arguments, &[patch.to_str().unwrap()]].concat(),
            b"",
        )
    }

    /// Takes the last change back, or makes it again, and returns what is said.
    pub(crate) fn back(&self, command: &str) -> String {
        let output = self.desk.runs(&[command], b"");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Returns the code that it ends with, and its report.
    pub(crate) fn report(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.wpatch("", &[arguments, &["--json"]].concat());
        let report = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code().unwrap(), crate::run::valid(report))
    }
}

pub(crate) fn asked(directory: &Path, arguments: &[&str]) -> String {
    let output = git(arguments).current_dir(directory).output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
