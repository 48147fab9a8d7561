//! Renames, exchanges, and directories that moved.

use wpatch::workspace::{DirectoryPermissions, ErrorKind, RenameMode};

use super::{Feature, contents, create, fault, on_each, on_each_with};
use crate::tree::path;

#[test]
fn an_exclusive_rename_replaces_nothing() {
    on_each_with(&[Feature::ExclusiveRename], |workspace, name| {
        create(workspace, "a", b"a");
        create(workspace, "b", b"b");
        assert_eq!(
            fault(workspace.rename(&path("a"), &path("b"), RenameMode::Exclusive)),
            ErrorKind::Exists,
            "{name}"
        );
        assert_eq!(
            (contents(workspace, "a"), contents(workspace, "b")),
            (b"a".to_vec(), b"b".to_vec()),
            "{name}"
        );
        workspace
            .rename(&path("a"), &path("c"), RenameMode::Exclusive)
            .unwrap();
        assert_eq!(contents(workspace, "c"), b"a", "{name}");
        workspace
            .rename(&path("c"), &path("b"), RenameMode::Replace)
            .unwrap();
        assert_eq!(contents(workspace, "b"), b"a", "{name}");
        assert_eq!(workspace.list(None).unwrap(), [b"b"], "{name}");
    });
}

#[test]
fn an_exchange_swaps_names_and_keeps_inodes() {
    on_each_with(&[Feature::Exchange], |workspace, name| {
        create(workspace, "a", b"a");
        workspace
            .make_dir(&path("d"), DirectoryPermissions::Shared)
            .unwrap();
        create(workspace, "d/b", b"b");
        let before = (
            workspace.stat(&path("a")).unwrap(),
            workspace.stat(&path("d/b")).unwrap(),
        );
        workspace
            .rename(&path("a"), &path("d/b"), RenameMode::Exchange)
            .unwrap();
        let after = (
            workspace.stat(&path("d/b")).unwrap(),
            workspace.stat(&path("a")).unwrap(),
        );
        assert_eq!(before, after, "{name}");
        assert_eq!(contents(workspace, "a"), b"b", "{name}");
    });
}

#[test]
fn a_directory_that_moved_is_found_under_its_new_name_only() {
    on_each_with(&[Feature::Exchange], |workspace, name| {
        for directory in ["a", "b", "b/a"] {
            workspace
                .make_dir(&path(directory), DirectoryPermissions::Shared)
                .unwrap();
        }
        create(workspace, "a/x", b"from a");
        create(workspace, "b/x", b"from b");
        create(workspace, "b/a/x", b"from b/a");
        workspace
            .rename(&path("a"), &path("b"), RenameMode::Exchange)
            .unwrap();
        assert_eq!(contents(workspace, "a/x"), b"from b", "{name}");
        assert_eq!(contents(workspace, "b/x"), b"from a", "{name}");
        assert_eq!(contents(workspace, "a/a/x"), b"from b/a", "{name}");
        workspace
            .rename(&path("a"), &path("c"), RenameMode::Exclusive)
            .unwrap();
        assert_eq!(workspace.stat(&path("a/a/x")).unwrap(), None, "{name}");
        workspace
            .make_dir(&path("a"), DirectoryPermissions::Shared)
            .unwrap();
        create(workspace, "a/x", b"new");
        assert_eq!(contents(workspace, "c/x"), b"from b", "{name}");
        assert_eq!(workspace.list(Some(&path("a"))).unwrap(), [b"x"], "{name}");
    });
}

#[test]
fn a_directory_made_anew_is_not_the_one_that_was_removed() {
    on_each(|workspace, name| {
        for round in 0..3 {
            workspace
                .make_dir(&path("d"), DirectoryPermissions::Shared)
                .unwrap();
            assert_eq!(
                fault(workspace.make_dir(&path("d"), DirectoryPermissions::Shared)),
                ErrorKind::Exists,
                "{name}"
            );
            create(workspace, "d/x", &[round]);
            assert_eq!(
                fault(workspace.remove_dir(&path("d"))),
                ErrorKind::NotEmpty,
                "{name}"
            );
            assert_eq!(contents(workspace, "d/x"), [round], "{name}");
            workspace.remove(&path("d/x")).unwrap();
            workspace.remove_dir(&path("d")).unwrap();
            assert_eq!(workspace.stat(&path("d/x")).unwrap(), None, "{name}");
        }
    });
}
