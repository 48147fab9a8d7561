//! The options for names have the same meaning with `--lenient`, also in a patch that needs a
//! repair.

use super::*;
use crate::run::tree;

/// A hunk for the files of [`files`].
const HUNK: &str = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";

/// A strip level, a directory, and the path of the root below the top of the repository.
type Options = (Option<usize>, &'static str, Option<&'static str>);

/// Options, and the header of a patch.
const ROWS: &[(Options, &str)] = &[
    ((None, "", None), "--- a/x\n+++ b/x\n"),
    ((Some(0), "", None), "--- x\n+++ x\n"),
    ((Some(1), "", None), "--- a/b/x\n+++ b/b/x\n"),
    ((Some(2), "", None), "--- a/b/x\n+++ b/b/x\n"),
    ((None, "sub", None), "--- a/x\n+++ b/x\n"),
    ((Some(0), "sub/", None), "--- x\n+++ x\n"),
    ((Some(2), "sub", None), "--- a/b/x\n+++ b/b/x\n"),
    (
        (None, "", Some("sub")),
        "diff --git a/sub/x b/sub/x\n--- a/sub/x\n+++ b/sub/x\n",
    ),
    (
        (None, "", Some("sub")),
        "diff --git a/sub/b/x b/sub/b/x\n--- a/sub/b/x\n+++ b/sub/b/x\n",
    ),
    (
        (Some(2), "", None),
        "diff --git a/sub/x b/b/y\nrename from sub/x\nrename to b/y\n--- a/sub/x\n+++ b/b/y\n",
    ),
    (
        (None, "sub", None),
        "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n",
    ),
    (
        (Some(2), "sub", None),
        "diff --git a/b/n b/b/n\nnew file mode 100644\n--- /dev/null\n+++ b/b/n\n",
    ),
];

fn files() -> Memory {
    Memory::with_files(["x", "b/x", "sub/x", "sub/b/x"].map(|name| {
        (
            RelPath::new(name.as_bytes()).unwrap(),
            Entry::file("a\nb\nc\n"),
        )
    }))
}

fn with_options(mut request: Request, (strip, directory, below): Options) -> Request {
    request.decide.strip = strip;
    request.decide.directory = directory.into();
    request.decide.below = below.map(Into::into);
    request
}

#[test]
fn a_repaired_patch_changes_the_file_that_the_options_for_names_select() {
    for &(options, header) in ROWS {
        let hunk = if header.contains("new file") {
            "@@ -0,0 +1,2 @@\n+n\n+m\n"
        } else {
            HUNK
        };
        let exact = format!("{header}{hunk}");
        // The counts are wrong.
        let damaged = exact
            .replace(",3 +1,3 @@", ",2 +1,4 @@")
            .replace("+1,2 @@", "+1 @@");
        let strict = files();
        let request = with_options(Request::of(exact), options);
        let outcome = engine::apply(request, &strict, &Interrupt::new());
        assert!(
            outcome.report.ok,
            "{options:?} {header}: {:?}",
            outcome.report.error
        );
        assert_ne!(tree(&strict), tree(&files()));
        let repaired = files();
        let request = with_options(lenient(damaged), options);
        let outcome = engine::apply(request, &repaired, &Interrupt::new());
        assert!(
            outcome.report.ok,
            "{options:?} {header}: {:?}",
            outcome.report.error
        );
        assert!(!outcome.report.inputs[0].repairs.is_empty(), "{header}");
        assert_eq!(tree(&repaired), tree(&strict), "{options:?} {header}");
    }
}

#[test]
fn a_repaired_patch_changes_no_file_that_the_options_for_names_exclude() {
    let damaged = |header: &str| format!("{header}{}", HUNK.replace("-1,3", "-1,2"));
    for (options, patch) in [
        ((Some(3), "", None), damaged("--- a/b/x\n+++ b/b/x\n")),
        (
            (None, "", Some("sub")),
            damaged("diff --git a/x b/x\n--- a/x\n+++ b/x\n"),
        ),
        ((None, "other", None), damaged("--- a/x\n+++ b/x\n")),
        ((None, "sub", None), damaged("--- /r/x\n+++ /r/x\n")),
        // A section without text hunks is copied, with its names.
        (
            (None, "sub", None),
            damaged(
                "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n",
            ) + "diff --git a/b/x b/b/x\nindex 1..2\nGIT binary patch\nliteral 0\nHcmV?d00001\n\nliteral 0\nHcmV?d00001\n\n",
        ),
    ] {
        let memory = files();
        let request = with_options(lenient(patch.clone()), options);
        let outcome = engine::apply(request, &memory, &Interrupt::new());
        assert!(
            !outcome.report.ok,
            "{options:?} {patch} {:?}",
            tree(&memory)
        );
        assert_eq!(tree(&memory), tree(&files()));
    }
}

#[test]
fn a_patch_is_repaired_for_the_files_that_the_patches_before_it_leave() {
    let damaged = |old: &str, new: &str| {
        format!("--- a/x\n+++ b/x\n@@ -1,2 +1,4 @@\n a\n-{old}\n+{new}\n c\n")
    };
    let texts = [damaged("b", "2"), damaged("2", "zwei")]
        .map(|patch| ("-".to_owned(), patch.into()))
        .to_vec();
    let mut request = lenient("");
    request.what = Request::of_all(texts).what;
    let memory = files();
    let outcome = engine::apply(request, &memory, &Interrupt::new());
    assert!(outcome.report.ok, "{:?}", outcome.report.error);
    let expected = files();
    let whole = Request::of("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+zwei\n c\n");
    let whole = engine::apply(whole, &expected, &Interrupt::new());
    assert!(whole.report.ok);
    assert_eq!(tree(&memory), tree(&expected));
}
