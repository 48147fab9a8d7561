//! Files that a damaged patch creates: their names and line endings follow those of the other files
//! in the patch.

use super::*;

/// Returns the files after `patch`, in order.
fn applied(files: &[(&str, &str)], patch: &str) -> Vec<(String, String)> {
    let entries = files
        .iter()
        .map(|(name, text)| (RelPath::new(name.as_bytes()).unwrap(), Entry::file(*text)));
    let workspace = Memory::with_files(entries);
    let outcome = engine::apply(lenient(patch), &workspace, &Interrupt::new());
    assert!(outcome.report.ok, "{patch}\n{:#?}", outcome.report.problems);
    let files = workspace.files().into_iter();
    let text = |entry: Entry| String::from_utf8(entry.contents).unwrap();
    files
        .map(|(name, entry)| (name.to_string(), text(entry)))
        .filter(|(name, _)| !name.starts_with(".wpatch"))
        .collect()
}

fn names(files: &[(&str, &str)], patch: &str) -> Vec<String> {
    let files = applied(files, patch).into_iter();
    files.map(|(name, _)| name).collect()
}

fn diff(prefix: &str) -> String {
    format!(
        "diff --git a/{prefix}d/x b/{prefix}d/x\n--- a/{prefix}d/x\n+++ b/{prefix}d/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\
         diff --git a/{prefix}d/new b/{prefix}d/new\nnew file mode 100644\n--- /dev/null\n+++ b/{prefix}d/new\n\
         @@ -0,0 +1 @@\n+new\n"
    )
}

fn envelope(prefix: &str) -> String {
    format!(
        "*** Begin Patch\n*** Add File: {prefix}d/new\n+new\n*** Update File: {prefix}d/x\n@@\n a\n-b\n+B\n c\n\
         *** End Patch\n"
    )
}

const FILE: (&str, &str) = ("d/x", "a\nb\nc\n");

#[test]
fn a_prefix_that_no_file_has_is_removed_from_created_files() {
    let expected = ["d/new", "d/x"];
    for patch in [
        envelope("a/"),
        envelope("b/"),
        diff("project/"),
        diff("my/project/"),
    ] {
        assert_eq!(names(&[FILE], &patch), expected, "{patch}");
    }
}

#[test]
fn a_prefix_that_is_a_directory_is_kept() {
    let other = ("project/y", "1\n");
    assert_eq!(
        names(&[FILE, other], &diff("project/")),
        ["d/x", "project/d/new", "project/y"]
    );
    // The section of another file does not have the prefix.
    let second = "--- a/z\n+++ b/z\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
    let files = [FILE, ("z", "a\nb\nc\n")];
    let found = names(&files, &[&diff("project/"), second].concat());
    assert_eq!(found, ["d/x", "project/d/new", "z"]);
}

#[test]
fn line_endings_of_the_transport_are_not_part_of_a_created_file() {
    let patch = diff("").replace('\n', "\r\n");
    let content = |files: &[(&str, &str)], patch: &str| applied(files, patch)[0].1.clone();
    assert_eq!(content(&[FILE], &patch), "new\n");
    assert_eq!(content(&[("d/x", "a\r\nb\r\nc\r\n")], &patch), "new\r\n");
    // Without another file, the patch decides.
    let (_, creation) = patch.split_at(patch.rfind("diff --git").unwrap());
    assert_eq!(applied(&[], creation)[0].1, "new\r\n");
}
