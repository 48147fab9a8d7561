//! Ways to write that are more than one patch that fits as it stands: trees, and the words of the
//! program for them.

use crate::{reject, series};

/// Nine lines.
const BASE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
/// Two of them have become others since.
const OURS: &str = "1\ntwo\n3\n4\nfive\n6\n7\n8\n9\n";
/// Changes the last line of two files, and in one of them the second too.
const CHANGES: &str = "\
--- a/conflicts
+++ b/conflicts
@@ -1,9 +1,9 @@
 1
-2
+zwei
 3
 4
 5
 6
 7
 8
-9
+neun
--- a/d/merges
+++ b/d/merges
@@ -4,6 +4,6 @@
 4
 5
 6
 7
 8
-9
+neun
";

/// A tree, and what the program is told to do with it.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    /// Names, of which some begin with `../`, and texts.
    pub(crate) files: Vec<(String, &'static str)>,
    /// Arguments of the program.
    pub(crate) words: &'static [&'static str],
    /// The code that it ends with when nothing fails.
    pub(crate) code: i32,
}

impl Way {
    /// Returns the text of a file.
    pub(crate) fn text(&self, name: &str) -> &'static str {
        self.files.iter().find(|(file, _)| file == name).unwrap().1
    }
}

/// Hunks that do not fit go beside their files, where another such file is.
pub(crate) fn rejects() -> Way {
    let files = [
        ("a", reject::LINES),
        ("b", "text\n"),
        ("a.rej", "older\n"),
        ("../patch", reject::MIXED),
    ];
    Way {
        name: "rejects",
        files: owned(&files),
        words: &["apply", "--reject", "../patch"],
        code: 1,
    }
}

/// Some patches after each other, two of them for one file.
pub(crate) fn series() -> Way {
    let mut files = owned(&[
        ("a", "one\ntwo\n"),
        ("debian/patches/series", series::SERIES),
    ]);
    files.extend(series::PATCHES.map(|(name, text)| (format!("debian/patches/{name}"), text)));
    Way {
        name: "a series",
        files,
        words: &["apply", "--series", "debian/patches/series"],
        code: 0,
    }
}

/// One file merges, the other one has conflicts, which are marked.
pub(crate) fn merges() -> Way {
    let files = [
        ("conflicts", OURS),
        ("d/merges", OURS),
        ("../base", BASE),
        ("../patch", CHANGES),
    ];
    let words = &[
        "apply",
        "--3way",
        "--base",
        "../base",
        "--conflict",
        "markers",
        "../patch",
    ];
    Way {
        name: "merges",
        files: owned(&files),
        words,
        code: 1,
    }
}

/// Every one of them.
pub(crate) fn ways() -> [Way; 3] {
    [rejects(), series(), merges()]
}

fn owned(files: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), *text))
        .collect()
}
