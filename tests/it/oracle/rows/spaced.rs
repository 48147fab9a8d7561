//! Rows of hunks that match several places, of which the nearest has other white space.

use super::{Files, Row};

const SPACED: &str = "a hunk that matches several places with `--ignore-whitespace` or `--whitespace=fix`, but none at its line";

const SPACES: Files = &[("f", "0\np\na  b\nq\n0\n0\n0\n0\n0\np\na b\nq\n0\n")];

pub(super) const ROWS: &[Row] = &[
    Row {
        name: SPACED,
        files: SPACES,
        then: &[],
        options: &["--ignore-whitespace"],
        patch: "--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n p\n-a b\n+n\n q\n",
        applies: [true, false],
        left: &[(
            "f",
            [
                Some("0\np\nn\nq\n0\n0\n0\n0\n0\np\na b\nq\n0\n"),
                Some("0\np\na  b\nq\n0\n0\n0\n0\n0\np\na b\nq\n0\n"),
            ],
        )],
    },
    Row {
        name: SPACED,
        files: &[("f", "0\np\na\nq \n0\n0\n0\n0\n0\np\na\nq\n0\n")],
        then: &[],
        options: &["--whitespace=fix"],
        patch: "--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n p\n-a\n+n\n q\n",
        applies: [true, false],
        left: &[(
            "f",
            [
                Some("0\np\nn\nq\n0\n0\n0\n0\n0\np\na\nq\n0\n"),
                Some("0\np\na\nq \n0\n0\n0\n0\n0\np\na\nq\n0\n"),
            ],
        )],
    },
];
