//! What keeps a tree from being read.

use std::error::Error;
use std::path::Path;

use fs_err as fs;
use tempfile::TempDir;
use wpatch::engine;
use wpatch::workspace::{ErrorKind, Workspace, WorkspaceError};

use super::{open, sample};
use crate::case::Settings;
use crate::repository::Repository;
use crate::run;
use crate::tree::path;

fn refused(git_dir: &Path, revision: &str) -> (ErrorKind, String) {
    let error = engine::open_tree(git_dir, revision).unwrap_err();
    (error.kind, told(&error))
}

fn told(error: &WorkspaceError) -> String {
    format!("{error}: {}", error.source().unwrap())
}

/// Returns the file that holds the loose object `id`.
pub(crate) fn loose(repository: &Repository, id: &str) -> std::path::PathBuf {
    repository
        .path()
        .join("objects")
        .join(&id[..2])
        .join(&id[2..])
}

/// Returns a repository whose objects are files of their own, with a commit of the sample.
pub(crate) fn unpacked() -> Repository {
    let repository = Repository::new();
    repository.git(&["config", "fastimport.unpackLimit", "1000"]);
    repository.import(&[("main", &sample())]);
    repository
}

#[cfg(unix)]
#[test]
fn a_name_without_a_tree_is_told_from_a_repository_without_the_name() {
    let repository = Repository::of(&sample());
    let at = repository.path();
    let missing = format!(
        "the repository {} does not have this revision",
        at.display()
    );
    for name in [
        "no",
        "main~1",
        "main:no",
        "v1^{}",
        "x 3 blob 7",
        "-h",
        "--help",
    ] {
        assert_eq!(
            refused(&at, name),
            (
                ErrorKind::Missing,
                format!("{name}: cannot open as a tree: {missing}")
            )
        );
    }
    for name in ["", "a\nb", "a\0b", &"x".repeat(5000)] {
        assert_eq!(refused(&at, name).0, ErrorKind::Missing, "{name:?}");
    }
    let file = "main:a.txt: cannot open as a tree: the revision is a file, not a tree";
    assert_eq!(
        refused(&at, "main:a.txt"),
        (ErrorKind::Missing, file.to_owned())
    );
    let unknown = "0123456789".repeat(4);
    assert!(
        refused(&at, &unknown)
            .1
            .contains("fetch it if the clone is partial or shallow")
    );
}

#[cfg(unix)]
#[test]
fn a_directory_without_a_repository_is_named() {
    let directory = TempDir::new().unwrap();
    let (fault, words) = refused(directory.path(), "HEAD");
    assert_eq!(fault, ErrorKind::Other);
    assert!(words.contains("not a git repository"), "{words}");
    assert!(
        words.contains(&directory.path().display().to_string()),
        "{words}"
    );
}

#[cfg(unix)]
#[test]
fn a_file_whose_object_is_gone_is_no_missing_file() {
    let repository = unpacked();
    fs::remove_file(loose(
        &repository,
        &repository.git(&["rev-parse", "main:a.txt"]),
    ))
    .unwrap();
    let tree = open(&repository, "main");
    let error = tree.read(&path("a.txt"), 100).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Other);
    assert!(
        told(&error).contains("fetch it if the clone"),
        "{}",
        told(&error)
    );
    let patch = b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n";
    let report = run::check(&tree, patch, &Settings::default());
    assert_eq!(
        (&report["exit_code"], &report["error"]["code"]),
        (&4.into(), &"wpatch::io".into()),
        "{report:#}"
    );
    assert_eq!(tree.read(&path("dir/b"), 100).unwrap().0, b"two\n");
}

#[cfg(unix)]
#[test]
fn a_directory_whose_object_is_gone_is_no_missing_directory() {
    let repository = unpacked();
    fs::remove_file(loose(
        &repository,
        &repository.git(&["rev-parse", "main:dir"]),
    ))
    .unwrap();
    let tree = open(&repository, "main");
    assert_eq!(
        tree.stat(&path("dir/b")).unwrap_err().kind,
        ErrorKind::Other
    );
    assert_eq!(
        tree.list(Some(&path("dir"))).unwrap_err().kind,
        ErrorKind::Other
    );
}

#[cfg(unix)]
#[test]
fn a_damaged_object_says_so_and_the_next_one_is_read() {
    let repository = unpacked();
    let file = loose(&repository, &repository.git(&["rev-parse", "main:a.txt"]));
    fs::remove_file(&file).unwrap();
    fs_err::write(&file, b"no object").unwrap();
    let tree = open(&repository, "main");
    for _ in 0..2 {
        let error = tree.read(&path("a.txt"), 100).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Other, "{}", told(&error));
        assert_eq!(tree.read(&path("dir/b"), 100).unwrap().0, b"two\n");
    }
}

#[cfg(unix)]
#[test]
fn a_file_over_the_limit_is_not_read_and_the_next_one_is() {
    let repository = Repository::of(&sample());
    let big = vec![b'x'; 3 << 20];
    let id = repository.git_with(&["hash-object", "-w", "--stdin"], &big);
    let small = repository.git(&["rev-parse", "main:a.txt"]);
    let entries = format!("100644 blob {id}\tbig\n100644 blob {small}\tsmall\n");
    let tree = open(
        &repository,
        &repository.git_with(&["mktree"], entries.as_bytes()),
    );
    for limit in [1, 2 << 20] {
        assert_eq!(
            tree.read(&path("big"), limit).unwrap_err().kind,
            ErrorKind::TooLarge
        );
        assert_eq!(tree.stat(&path("big")).unwrap().unwrap().size, 3 << 20);
        assert_eq!(tree.read(&path("small"), 100).unwrap().0, b"one\n");
    }
    assert_eq!(tree.read(&path("big"), 3 << 20).unwrap().0, big);
}
