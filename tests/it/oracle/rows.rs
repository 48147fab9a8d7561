//! Rows of the table of differences that one patch shows in one small repository: what git leaves
//! there, and what wpatch leaves. To add a row, write it here and in the README.

mod patches;
mod prepare;
mod spaced;

use super::beside::beside;

pub(super) use prepare::{Then, prepare};

/// What git leaves and what wpatch leaves of some files; `None` where there is none.
type Left = &'static [(&'static str, [Option<&'static str>; 2])];

/// Names and contents.
pub(super) type Files = &'static [(&'static str, &'static str)];

struct Row {
    /// The first cell.
    name: &'static str,
    /// What is committed.
    files: Files,
    /// What happens then.
    then: &'static [Then],
    options: &'static [&'static str],
    patch: &'static str,
    /// Whether git applies it, and whether wpatch does.
    applies: [bool; 2],
    left: Left,
}

use Then::{Broken, Executable, Git, Link, Remove};
use patches::{
    A, AB, ADDED, BINARY, CHANGE, COPIED, GLUED, INACCURATE, MADE, MADE_ONE, MODES, NEW_LINK, NULL,
    OPEN, RENAMED, SECTIONS, TWICE, UNTOLD, UNTRACKED,
};

/// The name of the test, for the table of all tests.
pub(super) const TEST: &str = "small_patches_end_as_the_table_says";

const ROWS: &[Row] = &[
    Row {
        name: "a plain diff of a symbolic link",
        files: &[],
        then: &[Link("t", "f")],
        options: &[],
        patch: "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-t\n\\ No newline at end of file\n+u\n\\ No newline at end of file\n",
        applies: [true, false],
        left: &[],
    },
    Row {
        name: INACCURATE,
        files: AB,
        then: &[],
        options: &["--inaccurate-eof"],
        patch: "--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n a\n-b\n",
        applies: [false, true],
        left: &[("f", [Some("a\nb\n"), Some("a\n")])],
    },
    Row {
        name: INACCURATE,
        files: &[("f", "a\nb\nc\nd\n")],
        then: &[],
        options: &["--inaccurate-eof"],
        patch: "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\n+A\n b\n c\n",
        applies: [true, true],
        left: &[("f", [Some("A\nb\ncd\n"), Some("A\nb\nc\nd\n")])],
    },
    Row {
        name: GLUED,
        files: AB,
        then: &[],
        options: &["--unidiff-zero"],
        patch: "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n",
        applies: [true, true],
        left: &[("f", [Some("Ab\n"), Some("A\nb\n")])],
    },
    Row {
        name: GLUED,
        files: &[("f", "a")],
        then: &[],
        options: &["--unidiff-zero"],
        patch: "--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+b\n",
        applies: [true, true],
        left: &[("f", [Some("ab\n"), Some("a\nb\n")])],
    },
    Row {
        name: "lines of a hunk after one without newline",
        files: A,
        then: &[],
        options: &[],
        patch: "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n-a\n+b\n\\ No newline at end of file\n+c\n",
        applies: [true, false],
        left: &[("f", [Some("bc\n"), Some("a\n")])],
    },
    Row {
        name: "sections after one that fails, on the same file, with `--reject`",
        files: &[],
        then: &[],
        options: &["--reject"],
        patch: SECTIONS,
        applies: [false, false],
        left: &[("f", [Some("n\n"), None])],
    },
    Row {
        name: OPEN,
        files: &[("f", "a\nb\nc\n")],
        then: &[],
        options: &[],
        patch: "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\\ No newline at end of file\n",
        applies: [true, false],
        left: &[("f", [Some("a\nB\nc"), Some("a\nb\nc\n")])],
    },
    Row {
        name: OPEN,
        files: &[("f", "a\nb\nc\nd\n")],
        then: &[],
        options: &[],
        patch: "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\\ No newline at end of file\n",
        applies: [true, false],
        left: &[("f", [Some("a\nB\ncd\n"), Some("a\nb\nc\nd\n")])],
    },
    Row {
        name: ADDED,
        files: &[("f", "a\nb\nc\n")],
        then: &[],
        options: &[],
        patch: "--- a/f\n+++ b/f\n@@ -2,0 +3 @@\n+n\n",
        applies: [true, false],
        left: &[("f", [Some("a\nb\nc\nn\n"), Some("a\nb\nc\n")])],
    },
    Row {
        name: ADDED,
        files: A,
        then: &[],
        options: &["--unidiff-zero"],
        patch: "--- a/f\n+++ b/f\n@@ -7,0 +8 @@\n+n\n",
        applies: [true, false],
        left: &[("f", [Some("a\nn\n"), Some("a\n")])],
    },
    Row {
        name: TWICE,
        files: &[],
        then: &[],
        options: &[],
        patch: MADE,
        applies: [true, false],
        left: &[("n", [Some("two\n"), None])],
    },
    Row {
        name: TWICE,
        files: A,
        then: &[],
        options: &[],
        patch: RENAMED,
        applies: [true, false],
        left: &[("f", [None, Some("a\n")]), ("n", [Some("a\n"), None])],
    },
    Row {
        name: NULL,
        files: &[],
        then: &[],
        options: &[],
        patch: "diff --git a/n b/n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n",
        applies: [false, true],
        left: &[("n", [None, Some("n\n")])],
    },
    Row {
        name: NULL,
        files: A,
        then: &[],
        options: &[],
        patch: "diff --git a/f b/f\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        applies: [true, true],
        left: &[("f", [None, None]), ("dev/null", [Some(""), None])],
    },
    Row {
        name: "`new mode` without `old mode`",
        files: A,
        then: &[],
        options: &[],
        patch: "diff --git a/f b/f\nnew mode 100755\n",
        applies: [false, true],
        left: &[],
    },
    Row {
        name: "a git diff without `---` and `+++` lines, whose lines end with CR LF",
        files: A,
        then: &[],
        options: &[],
        patch: "diff --git a/f b/f\r\nold mode 100644\r\nnew mode 100755\r\n",
        applies: [false, true],
        left: &[],
    },
    Row {
        name: "damaged binary data for the other direction",
        files: &[],
        then: &[],
        options: &[],
        patch: BINARY,
        applies: [false, true],
        left: &[("b", [None, Some("\0")])],
    },
    Row {
        name: "`--recount` of several plain diffs",
        files: &[("f", "a\n"), ("g", "a\n")],
        then: &[],
        options: &["--recount"],
        patch: "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+A\n",
        applies: [false, true],
        left: &[
            ("f", [Some("a\n"), Some("A\n")]),
            ("g", [Some("a\n"), Some("A\n")]),
        ],
    },
    Row {
        name: "`--directory=.`",
        files: A,
        then: &[],
        options: &["--directory=."],
        patch: CHANGE,
        applies: [false, true],
        left: &[("f", [Some("a\n"), Some("A\n")])],
    },
    Row {
        name: "`--reject --check`",
        files: &[("f", "b\n")],
        then: &[],
        options: &["--reject", "--check"],
        patch: CHANGE,
        applies: [true, false],
        left: &[("f", [Some("b\n"); 2])],
    },
    Row {
        name: "`--index --reject` of a file of which no hunk fits, and which git converts",
        files: &[("f", "b\r\n")],
        then: &[
            Git(&["config", "core.autocrlf", "input"]),
            Git(&["add", "--renormalize", "f"]),
        ],
        options: &["--index", "--reject"],
        patch: CHANGE,
        applies: [false, false],
        left: &[("f", [Some("b\n"), Some("b\r\n")])],
    },
    Row {
        name: UNTOLD,
        files: A,
        then: &[Remove("f")],
        options: &["--index"],
        patch: "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+A\n",
        applies: [false, false],
        left: &[("f", [Some("a\n"), None])],
    },
    Row {
        name: UNTOLD,
        files: A,
        then: &[Remove("f")],
        options: &["--3way"],
        patch: COPIED,
        applies: [true, true],
        left: &[("f", [Some("a\n"), None]), ("n", [Some("a\n"); 2])],
    },
    Row {
        name: UNTRACKED,
        files: A,
        then: &[Git(&["config", "core.bare", "true"])],
        options: &["--index"],
        patch: CHANGE,
        applies: [true, false],
        left: &[("f", [Some("A\n"), Some("a\n")])],
    },
    Row {
        name: "a `.git` file that names no repository",
        files: A,
        then: &[Broken],
        options: &[],
        patch: CHANGE,
        applies: [false, true],
        left: &[("f", [Some("a\n"), Some("A\n")])],
    },
    Row {
        name: MODES,
        files: A,
        // Without the refresh, git finds the file changed unless the index is as young as the file.
        then: &[
            Git(&["config", "core.fileMode", "false"]),
            Executable("f"),
            Git(&["update-index", "-q", "--refresh"]),
        ],
        options: &["--index"],
        patch: CHANGE,
        applies: [true, true],
        left: &[("f", [Some("A\n"); 2])],
    },
    Row {
        name: "`--cached` of a file that is to be created, with `--3way`, over one of another mode",
        files: A,
        then: &[Executable("f"), Git(&["add", "f"])],
        options: &["--3way", "--cached"],
        patch: "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n",
        applies: [true, true],
        left: &[],
    },
    Row {
        name: "a new link where `core.symlinks` is false, and git converts the file",
        files: &[(".gitattributes", "n working-tree-encoding=UTF-16LE\n")],
        then: &[Git(&["config", "core.symlinks", "false"])],
        options: &[],
        patch: NEW_LINK,
        applies: [true, true],
        left: &[("n", [Some("f\0"), Some("f")])],
    },
    Row {
        name: "a link without a target where `core.symlinks` is false",
        files: &[],
        then: &[Git(&["config", "core.symlinks", "false"])],
        options: &[],
        patch: "diff --git a/n b/n\nnew file mode 120000\n",
        applies: [true, false],
        left: &[("n", [Some(""), None])],
    },
    Row {
        name: "`--check` of a new file with the name of a directory that is not empty",
        files: &[("n/f", "a\n")],
        then: &[],
        options: &["--check"],
        patch: MADE_ONE,
        applies: [true, false],
        left: &[],
    },
    Row {
        name: "`--intent-to-add` of an executable file or a link",
        files: &[],
        then: &[],
        options: &["--intent-to-add"],
        patch: "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n",
        applies: [true, true],
        left: &[("n", [Some("n\n"); 2])],
    },
    Row {
        name: "`--intent-to-add` of an executable file or a link",
        files: &[],
        then: &[],
        options: &["--intent-to-add"],
        patch: NEW_LINK,
        applies: [true, true],
        left: &[],
    },
];

/// Returns the first cells of the rows.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().chain(spaced::ROWS).map(|row| row.name)
}

/// Returns how a row is wrong, of which git and wpatch leave `left`; `None` if it is right.
fn mistake(row: &Row, left: &[super::beside::Left; 2]) -> Option<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let file = |name: &str| left.each_ref().map(|left| left.file(name).map(text));
    let found: Vec<_> = row.left.iter().map(|(name, _)| file(name)).collect();
    let expected: Vec<_> = row
        .left
        .iter()
        .map(|(_, texts)| texts.map(|text| text.map(str::to_owned)))
        .collect();
    let applies = left.each_ref().map(|left| left.exit == 0);
    let is_same = left[0].files == left[1].files
        && left[0].index == left[1].index
        && applies[0] == applies[1];
    let is_right = applies == row.applies && found == expected && !is_same;
    (!is_right).then(|| format!("{}: {:?}\n{}\n{left:#?}", row.name, row.options, row.patch))
}

#[cfg(unix)]
#[test]
fn small_patches_end_as_the_table_says() {
    let left = |row: &Row| {
        beside(
            &|root| prepare(row.files, row.then, root),
            row.options,
            row.patch.as_bytes(),
        )
    };
    let mistakes: Vec<_> = ROWS
        .iter()
        .chain(spaced::ROWS)
        .filter_map(|row| mistake(row, &left(row)))
        .collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
