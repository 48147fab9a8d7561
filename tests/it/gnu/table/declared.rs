//! What ends otherwise than with GNU patch, and the rows of the README that state it.

use std::path::Path;

use fs_err as fs;

use super::{FIRST, GONE, MADE, NORMAL, NULL, OTHER, SCENE, SECOND, STARS, Words, endings};
use crate::gnu::of;

/// What they do otherwise: the row of the README, arguments, patch, and the exit codes of GNU patch
/// and ours. Where both are 0 the files are others.
const DECLARED: &[(&str, Words, Words, [i32; 2])] = &[
    (
        UNNAMED,
        &["-p0"],
        &["--- x\n+++ x\n", FIRST, "prose\n", SECOND],
        [0, 2],
    ),
    (
        UNNAMED,
        &["-p0"],
        &["Index: y\n", OTHER, "\n", STARS],
        [0, 2],
    ),
    (UNNAMED, &["-p0"], &[NULL, FIRST], [1, 2]),
    (HEADLESS, &["x"], &["< 1\n---\n> one\n", NORMAL], [0, 2]),
    (
        "a strip level that removes the whole name",
        &["-p1"],
        &["Index: x\n", FIRST],
        [1, 2],
    ),
    (
        "a strip level that removes the whole name",
        &["-p1"],
        &["--- x\n+++ x\n", FIRST],
        [1, 2],
    ),
    (
        SEVERAL,
        &["x"],
        &["--- x\n+++ x\n", FIRST, "--- y\n+++ y\n", SECOND],
        [0, 2],
    ),
    (
        "a name that leads out of the directory",
        &["-p0"],
        &["--- ../y\n+++ ../y\n", OTHER],
        [1, 2],
    ),
    (
        "a name with blanks",
        &["-p0"],
        &["--- q r\n+++ q r\n", MADE],
        [0, 0],
    ),
    (
        "a file to create that already has lines",
        &["-p0", "-f", "--merge"],
        &["--- /dev/null\n+++ y\n", MADE],
        [0, 1],
    ),
    (
        "a file to create that already has lines",
        &["-p0", "-N"],
        &["--- /dev/null\n+++ e\n@@ -0,0 +1 @@\n+q\n--- /dev/null\n+++ e\n@@ -0,0 +1 @@\n+r\n"],
        [1, 1],
    ),
    (
        "a file to create with `new file mode` that exists and is empty",
        &["-p1"],
        &[
            "diff --git a/e b/e\nnew file mode 100644\n--- /dev/null\n+++ b/e\n",
            MADE,
        ],
        [0, 1],
    ),
    (
        "a file that a normal diff with an `Index:` line creates",
        &["-p0"],
        &["Index: q\n0a1,2\n> q\n> r\n"],
        [1, 0],
    ),
    (
        "`-E`",
        &["-E", "y"],
        &["@@ -1 +0,0 @@\n-a\n@@ -2,2 +0,0 @@\n-b\n-c\n"],
        [0, 0],
    ),
    (
        POSIX,
        &["--posix", "-p0"],
        &["--- y\n+++ /dev/null\n", GONE],
        [0, 0],
    ),
    (
        POSIX,
        &["--posix", "-p0"],
        &["--- /dev/null\n+++ q\n", MADE],
        [1, 0],
    ),
    (
        OUTPUT,
        &["-p0", "-o", "out"],
        &["--- x\n+++ x\n", FIRST, "--- y\n+++ y\n", OTHER],
        [0, 2],
    ),
    (
        OUTPUT,
        &["-p0", "-o", "out"],
        &["--- y\n+++ /dev/null\n", GONE],
        [0, 2],
    ),
    (
        OUTPUT,
        &["-p0", "-o", "out"],
        &["--- /dev/null\n+++ q\n", MADE],
        [0, 2],
    ),
    (
        "a hunk that matches several places with `-l`",
        &["-p0", "-l"],
        &[
            "--- e\n+++ e\n@@ -0,0 +1,10 @@\n+0\n+p q\n+r\n+0\n+0\n+0\n+0\n+p\tq\n+r\n+0\n",
            "--- e\n+++ e\n@@ -3,3 +3,3 @@\n p  q\n-r\n+s\n 0\n",
        ],
        [0, 1],
    ),
    (
        "insertions without context past the end of the file",
        &["y"],
        &["12a13\n> y\n"],
        [0, 1],
    ),
    (
        "`--merge` of a deletion",
        &["-p0", "-f", "--merge"],
        &["--- e\n+++ /dev/null\n", GONE],
        [0, 1],
    ),
];

const HEADLESS: &str = "lines of a normal diff before its first command";
const UNNAMED: &str = "hunks without a file name on a line or the command line";
const SEVERAL: &str = "`patch FILE` with sections that name several files";
const POSIX: &str = "`--posix` with a file that a patch creates or deletes";
const OUTPUT: &str = "`-o FILE` with several sections, or one that creates or deletes a file";

/// Rows that others hold, and the test that does.
const HELD: &[(&str, &str)] = &[
    (
        "a hunk that does not apply",
        "hunks_are_rejected_where_that_is_asked_for",
    ),
    (
        "a patch that is already applied",
        "it_says_what_scripts_look_for",
    ),
    (
        "a hunk that matches several places with fuzz",
        "gnu_patch_ends_the_same_but_for_what_is_declared",
    ),
    (
        "backups of files with hunks at an offset",
        "it_says_what_scripts_look_for",
    ),
    (
        "`--merge`",
        "random_hunks_are_merged_as_gnu_patch_merges_them",
    ),
];

#[cfg(unix)]
#[test]
fn what_ends_otherwise_than_with_gnu_patch_is_told() {
    for (row, arguments, parts, exits) in DECLARED {
        let ([theirs, ours], shown) = endings(arguments, parts);
        assert_eq!([theirs.0, ours.0], *exits, "{row}: {shown}");
        assert!(ours.0 == 0 || ours.2 == of(SCENE), "{row}: {shown}");
        assert!(exits[0] != exits[1] || theirs.2 != ours.2, "{row}: {shown}");
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(top.join("docs/compatibility.md")).unwrap();
    let (_, section) = readme.split_once("\n## As `patch`\n").unwrap();
    let (section, _) = section.split_once("\n##").unwrap();
    let cell = |line: &str| {
        line.strip_prefix("| ")?
            .split(" | ")
            .next()
            .map(str::to_owned)
    };
    let told: Vec<_> = section.lines().filter_map(cell).skip(2).collect();
    let rows: Vec<_> = DECLARED
        .iter()
        .map(|(row, ..)| *row)
        .chain(HELD.iter().map(|(row, _)| *row))
        .collect();
    for row in &rows {
        assert!(
            told.iter()
                .any(|cell| cell == row || cell.starts_with(&format!("{row},"))),
            "{row}: {told:?}"
        );
    }
    let is_held = |cell: &String| {
        rows.iter()
            .any(|row| cell == row || cell.starts_with(&format!("{row},")))
    };
    assert!(told.len() > 10 && told.iter().all(is_held), "{told:?}");
    let sources = [
        "gnu.rs",
        "gnu/backups.rs",
        "gnu/beside.rs",
        "gnu/merging.rs",
    ]
    .map(|name| top.join("tests/it").join(name));
    let texts = sources.map(|path| fs::read_to_string(path).unwrap());
    for (row, name) in HELD {
        let test = format!("#[test]\nfn {name}() {{");
        assert!(
            texts.iter().any(|text| text.contains(&test)),
            "{row}: {name}"
        );
    }
}
