//! Roots in git directories.

use fs_err as fs;
use serde_json::Value;

use super::{desk, hooked, is_protected, served, started};
use crate::repository;
use crate::systems::{Desk, fed};

/// Returns how a person's command that writes `file` below `directory` ends, and what it says. It
/// changes nothing.
fn checked(desk: &Desk, directory: &str, file: &str) -> (Option<i32>, String) {
    let arguments = ["write", file, "--overwrite", "--content", "x", "--dry-run"];
    let output = fed(&mut started(desk, directory, &arguments), b"");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn a_root_in_a_git_directory_is_protected() {
    let desk = desk(&[("a", b"x\n"), ("sub/a", b"x\n"), (".wpatch/x", b"x\n")]);
    repository::init(&desk.path("sub"));
    repository::init(&desk.path(".git/hooks"));
    for (directory, file) in [
        (".git", "new"),
        (".git/hooks", "pre-commit"),
        (".git/refs/heads", "x"),
        (".git/info", "attributes"),
        ("sub/.git", "new"),
        ("sub/.git/hooks", "pre-commit"),
    ] {
        is_protected(&desk, directory, file, "`.git` is protected");
    }
    is_protected(
        &desk,
        ".wpatch",
        "new",
        "the path contains the state of wpatch",
    );
    let (code, text) = checked(&desk, ".wpatch", "new");
    assert!(
        code == Some(3) && text.contains("the path contains the state of wpatch"),
        "{code:?} {text}"
    );
    // A person may write there, as with git apply.
    assert_eq!(
        checked(&desk, ".git/hooks", "pre-commit"),
        (Some(0), String::new())
    );
    // A linked work tree in the git directory is the work of its user.
    repository::link_work_tree(&desk.path(".git"), "x", &desk.path(".git/trees/x"));
    assert_eq!(hooked(&desk, ".git/trees/x", "claude", "b").0, "allow");
    is_protected(&desk, ".git/trees", "b", "`.git` is protected");
}

#[test]
fn a_root_in_a_git_directory_of_another_name_is_protected() {
    let desk = Desk::with(&[("tree/a", b"x\n"), ("own/a", b"x\n"), ("../home/x", b"")]);
    repository::init_apart(&desk.path("tree"), "../gd");
    repository::init_apart(&desk.path("own"), "gd");
    repository::init_bare(&desk.path("x.git"));
    repository::init(&desk.path("x.git/hooks"));
    for (directory, file) in [
        ("gd", "config"),
        ("gd/hooks", "pre-commit"),
        ("gd/refs/heads", "x"),
        ("own/gd", "config"),
        ("own/gd/hooks", "pre-commit"),
        ("x.git/hooks", "pre-commit"),
        ("x.git/info", "attributes"),
    ] {
        is_protected(&desk, directory, file, "the path is in a git directory");
        assert_eq!(
            checked(&desk, directory, file),
            (Some(0), String::new()),
            "{directory}"
        );
    }
    // A work tree in the git directory is the work of its user.
    repository::link_work_tree(&desk.path("x.git"), "y", &desk.path("x.git/y"));
    fs::create_dir(desk.path("x.git/y/sub")).unwrap();
    for directory in ["x.git/y", "x.git/y/sub", "tree", "own"] {
        assert_eq!(
            hooked(&desk, directory, "claude", "b").0,
            "allow",
            "{directory}"
        );
        assert_eq!(served(&desk, directory, "b"), Value::Null, "{directory}");
    }
}
