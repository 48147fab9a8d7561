//! Symbolic links that the user cannot create, as on Windows without developer mode.

use wpatch::engine::{self, Request};
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Feature, Memory};

use crate::tree::path;

const HEADER: &str = "diff --git a/link b/link\n";

fn memory() -> Memory {
    let files = [
        ("link", Entry::link(b"old".to_vec())),
        ("old", Entry::file(b"x\n".to_vec())),
    ];
    Memory::with_files(files.map(|(name, entry)| (path(name), entry)))
}

#[test]
fn a_patch_that_creates_a_link_is_refused_before_the_change() {
    let created = "diff --git a/new b/new\nnew file mode 120000\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+old\n\\ No newline at end of file\n";
    let changed = format!(
        "{HEADER}index 1234567..89abcde 120000\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file\n"
    );
    let copied = "diff --git a/link b/copy\nsimilarity index 100%\ncopy from link\ncopy to copy\n";
    for patch in [created, &changed, copied] {
        let request = || Request::of(patch.as_bytes().to_vec());
        let tree = memory().without_feature(Feature::SymbolicLinks);
        let before = tree.entries();
        let report = engine::check(request(), &tree).report;
        let problem = &report.problems[0];
        assert_eq!(problem.code, "wpatch::file::bad_link", "{patch}");
        assert!(problem.help.as_ref().unwrap().contains("developer mode"));
        let applied = engine::apply(request(), &tree, &Interrupt::new()).report;
        assert!(!applied.ok && tree.entries() == before, "{patch}");

        let tree = memory();
        assert!(engine::check(request(), &tree).report.ok, "{patch}");
        assert!(engine::apply(request(), &tree, &Interrupt::new()).report.ok);
    }
}

#[test]
fn a_patch_that_creates_no_link_is_applied() {
    let removed = format!(
        "{HEADER}deleted file mode 120000\n--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n\\ No newline at end of file\n"
    );
    let renamed =
        "diff --git a/link b/moved\nsimilarity index 100%\nrename from link\nrename to moved\n";
    let changed = "--- a/old\n+++ b/old\n@@ -1 +1 @@\n-x\n+y\n";
    for patch in [&removed, renamed, changed] {
        let tree = memory().without_feature(Feature::SymbolicLinks);
        let request = Request::of(patch.as_bytes().to_vec());
        let report = engine::apply(request, &tree, &Interrupt::new()).report;
        assert!(report.ok, "{patch}{:?}", report.problems);
    }
}
