//! Tests of diffs as git writes them.

use super::*;

fn side<'a>(path: &'a RelPath, content: &'a [u8]) -> DiffSide<'a> {
    DiffSide {
        path,
        mode: FileMode::Regular,
        content,
        blob: "ce013625030ba8dba906f756967f9e9ca394464a",
    }
}

fn text(diff: Vec<u8>) -> String {
    String::from_utf8(diff).unwrap()
}

#[test]
fn a_missing_last_newline_is_said() {
    let path = RelPath::new(b"a b").unwrap();
    let diff = git_diff(
        Action::Modify,
        Some(&side(&path, b"1\n2\n3")),
        Some(&side(&path, b"1\n2\nthree")),
    );
    assert_eq!(
        text(diff),
        "diff --git a/a b b/a b\nindex ce013625030b..ce013625030b 100644\n--- a/a b\t\n+++ b/a b\t\n\
         @@ -1,3 +1,3 @@\n 1\n 2\n-3\n\\ No newline at end of file\n+three\n\\ No newline at end of file\n"
    );
}

#[test]
fn a_new_file_comes_from_nowhere() {
    let path = RelPath::new(b"n").unwrap();
    assert_eq!(
        text(git_diff(Action::Create, None, Some(&side(&path, b"x\n")))),
        "diff --git a/n b/n\nnew file mode 100644\nindex 000000000000..ce013625030b\n--- /dev/null\n+++ b/n\n\
         @@ -0,0 +1 @@\n+x\n"
    );
    assert_eq!(
        text(git_diff(Action::Create, None, Some(&side(&path, b"")))),
        "diff --git a/n b/n\nnew file mode 100644\nindex 000000000000..ce013625030b\n"
    );
}

#[test]
fn a_change_of_type_is_a_deletion_and_a_creation() {
    let path = RelPath::new(b"l").unwrap();
    let link = DiffSide {
        mode: FileMode::Symlink,
        ..side(&path, b"to")
    };
    assert_eq!(
        text(git_diff(
            Action::Modify,
            Some(&link),
            Some(&side(&path, b"x\0"))
        )),
        "diff --git a/l b/l\ndeleted file mode 120000\nindex ce013625030b..000000000000\n--- a/l\n+++ /dev/null\n\
         @@ -1 +0,0 @@\n-to\n\\ No newline at end of file\n\
         diff --git a/l b/l\nnew file mode 100644\nindex 000000000000..ce013625030b\n\
         Binary files /dev/null and b/l differ\n"
    );
}

#[test]
fn a_move_that_changes_nothing_else_has_no_hunks() {
    let (from, to) = (RelPath::new(b"from").unwrap(), RelPath::new(b"to").unwrap());
    let executable = DiffSide {
        mode: FileMode::Executable,
        ..side(&to, b"x\n")
    };
    assert_eq!(
        text(git_diff(
            Action::Rename,
            Some(&side(&from, b"x\n")),
            Some(&executable)
        )),
        "diff --git a/from b/to\nold mode 100644\nnew mode 100755\nsimilarity index 100%\n\
         rename from from\nrename to to\n"
    );
    assert_eq!(
        text(git_diff(
            Action::Copy,
            Some(&side(&from, b"x\ny\n")),
            Some(&side(&to, b"x\nz\n"))
        )),
        "diff --git a/from b/to\nsimilarity index 50%\ncopy from from\ncopy to to\n\
         index ce013625030b..ce013625030b 100644\n--- a/from\n+++ b/to\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"
    );
    assert_eq!(
        git_diff(
            Action::Modify,
            Some(&side(&to, b"x")),
            Some(&side(&to, b"x"))
        ),
        b""
    );
}
