//! What differed from git once: the same exit code, first error, output and files.
#![cfg(unix)]

use super::beside::{Left, beside};
use super::rows::Then::{Directory, Git, Remove};
use super::rows::{Files, Then, prepare};

struct Case {
    files: Files,
    then: &'static [Then],
    options: &'static [&'static str],
    patch: &'static str,
}

const A: Files = &[("a", "one\n")];
const CREATE: &str =
    "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n";
const DELETE: &str =
    "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-n\n";
const COPY: &str = "diff --git a/a b/n\nsimilarity index 100%\ncopy from a\ncopy to n\n";
const DEEP_RENAME: &str = "diff --git x/y/a x/z/n\nsimilarity index 50%\nrename from a\nrename to n\n--- x/y/a\n+++ x/z/n\n\
                           @@ -1 +1 @@\n-one\n+two\n";
const DEEP_COPY: &str = "diff --git x/y/a x/z/n\nsimilarity index 50%\ncopy from a\ncopy to n\n--- x/y/a\n+++ x/z/n\n\
                         @@ -1 +1 @@\n-one\n+two\n";
const BLANK: &str = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two \n";
const BINARY: &str = "diff --git a/a b/a\nindex 1111111111111111111111111111111111111111..\
                      2222222222222222222222222222222222222222 100644\nBinary files a/a and b/a differ\n";

const CASES: &[Case] = &[
    // The new side of the header places nothing in a file that is empty.
    Case {
        files: &[],
        then: &[],
        options: &[],
        patch: "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +6 @@\n+n\n",
    },
    Case {
        files: &[("a", "")],
        then: &[],
        options: &[],
        patch: "--- a/a\n+++ b/a\n@@ -0,0 +3,2 @@\n+one\n+two\n",
    },
    Case {
        files: A,
        then: &[],
        options: &["--unidiff-zero"],
        patch: "--- a/a\n+++ b/a\n@@ -0,0 +5 @@\n+zero\n",
    },
    // An empty directory gives way.
    Case {
        files: &[],
        then: &[Directory("n")],
        options: &[],
        patch: CREATE,
    },
    Case {
        files: &[],
        then: &[Directory("n")],
        options: &["--index"],
        patch: CREATE,
    },
    Case {
        files: A,
        then: &[Directory("n")],
        options: &[],
        patch: "diff --git a/a b/n\nsimilarity index 100%\nrename from a\nrename to n\n",
    },
    Case {
        files: A,
        then: &[Directory("n")],
        options: &[],
        patch: COPY,
    },
    // The index does not decide about files that are only going to be added.
    Case {
        files: &[],
        then: &[],
        options: &["--intent-to-add"],
        patch: DELETE,
    },
    Case {
        files: &[("n", "n\n")],
        then: &[Remove("n")],
        options: &["--intent-to-add"],
        patch: DELETE,
    },
    Case {
        files: &[("n", "n\n")],
        then: &[],
        options: &["--intent-to-add"],
        patch: CREATE,
    },
    Case {
        files: &[("n", "n\n")],
        then: &[],
        options: &["--index"],
        patch: CREATE,
    },
    Case {
        files: &[],
        then: &[],
        options: &["--index"],
        patch: DELETE,
    },
    // The way back of a copy starts from the copy.
    Case {
        files: A,
        then: &[],
        options: &["-R"],
        patch: COPY,
    },
    Case {
        files: A,
        then: &[],
        options: &["-R", "--index"],
        patch: COPY,
    },
    // git names the blob that is there.
    Case {
        files: A,
        then: &[],
        options: &[],
        patch: BINARY,
    },
    Case {
        files: A,
        then: &[],
        options: &["-R"],
        patch: BINARY,
    },
    // A prefix of several directories: the lines of a rename are too short for the strip level.
    Case {
        files: A,
        then: &[],
        options: &["-p2"],
        patch: DEEP_RENAME,
    },
    Case {
        files: A,
        then: &[],
        options: &["-p2", "-R"],
        patch: DEEP_RENAME,
    },
    Case {
        files: A,
        then: &[],
        options: &["-p2"],
        patch: DEEP_COPY,
    },
    // Errors in white space count where nothing is applied.
    Case {
        files: A,
        then: &[],
        options: &["--stat", "--whitespace=error"],
        patch: BLANK,
    },
    Case {
        files: A,
        then: &[],
        options: &["--numstat", "--whitespace=error-all"],
        patch: BLANK,
    },
    Case {
        files: A,
        then: &[],
        options: &["--summary", "--whitespace=warn"],
        patch: BLANK,
    },
    Case {
        files: A,
        then: &[],
        options: &["--stat"],
        patch: BLANK,
    },
    Case {
        files: A,
        then: &[],
        options: &["--stat", "--apply", "--whitespace=error"],
        patch: BLANK,
    },
    Case {
        files: A,
        then: &[Git(&["config", "apply.whitespace", "error"])],
        options: &["--stat"],
        patch: BLANK,
    },
    // Quiet statistics print nothing.
    Case {
        files: A,
        then: &[],
        options: &["--stat", "-q"],
        patch: BLANK,
    },
    Case {
        files: A,
        then: &[],
        options: &["--numstat", "--summary", "--quiet"],
        patch: CREATE,
    },
];

/// Returns the lines of `left` that git says as well: the first error, and what is said of white
/// space.
fn said(left: &Left) -> Vec<&str> {
    let first = left.said.lines().find(|line| line.starts_with("error: "));
    let of_lines = left
        .said
        .lines()
        .filter(|line| line.contains("trailing whitespace") || line.contains("whitespace err"));
    first.into_iter().chain(of_lines).collect()
}

#[test]
fn what_git_does_is_done_and_said() {
    for Case {
        files,
        then,
        options,
        patch,
    } in CASES
    {
        let left = beside(
            &|root| prepare(files, then, root),
            options,
            patch.as_bytes(),
        );
        let shown = format!("{options:?}\n{patch}\n{left:#?}");
        let [by_git, ours] = &left;
        assert_eq!(ours.exit == 0, by_git.exit == 0, "{shown}");
        assert_eq!(
            (&ours.files, &ours.printed),
            (&by_git.files, &by_git.printed),
            "{shown}"
        );
        assert_eq!(said(ours), said(by_git), "{shown}");
    }
}
