//! Permissions, times and other attributes of files.

use wpatch::mode::{FileKind, Permissions};
use wpatch::workspace::{AttributeSource, DirectoryPermissions, NewFile};

use super::{Feature, on_each_with};
use crate::tree::path;

#[test]
fn permissions_of_a_directory_are_exactly_those_asked_for() {
    on_each_with(&[Feature::Unix], |workspace, name| {
        workspace
            .make_dir(&path("private"), DirectoryPermissions::Private)
            .unwrap();
        for bits in [0o700, 0o1755, 0o700] {
            let stat = workspace.stat(&path("private")).unwrap().unwrap();
            assert_eq!(
                (stat.kind, stat.permissions),
                (FileKind::Directory, 0o700),
                "{name}"
            );
            workspace
                .set_permissions(&path("private"), Permissions::Exact(bits))
                .unwrap();
            assert_eq!(
                workspace
                    .stat(&path("private"))
                    .unwrap()
                    .unwrap()
                    .permissions,
                bits,
                "{name}"
            );
            workspace
                .set_permissions(&path("private"), Permissions::Exact(0o700))
                .unwrap();
        }
    });
}

#[test]
fn permissions_of_a_file_are_exactly_those_asked_for() {
    on_each_with(&[Feature::Unix], |workspace, name| {
        for bits in [0, 0o200, 0o400, 0o644, 0o755, 0o2751, 0o4711, 0o777] {
            let file = path("file");
            workspace
                .create(&file, NewFile::new(&[b"x"], Permissions::Exact(bits), None))
                .unwrap();
            assert_eq!(
                workspace.stat(&file).unwrap().unwrap().permissions,
                bits,
                "{name}"
            );
            workspace
                .set_permissions(&file, Permissions::Exact(0o600))
                .unwrap();
            workspace
                .set_permissions(&file, Permissions::Exact(bits))
                .unwrap();
            assert_eq!(
                workspace.stat(&file).unwrap().unwrap().permissions,
                bits,
                "{name}"
            );
            workspace.sync(Some(&file)).unwrap();
            workspace.remove(&file).unwrap();
        }
    });
}

#[test]
fn permissions_are_those_asked_for_whatever_the_file_is_like() {
    on_each_with(&[Feature::Unix], |workspace, name| {
        workspace
            .make_dir(&path("private"), DirectoryPermissions::Private)
            .unwrap();
        let like = path("private/like");
        workspace
            .create(
                &like,
                NewFile::new(&[b"x"], Permissions::Exact(0o400), None),
            )
            .unwrap();
        workspace
            .create(
                &path("new"),
                NewFile::new(
                    &[b"y"],
                    Permissions::Exact(0o440),
                    Some(AttributeSource::File(&like)),
                ),
            )
            .unwrap();
        assert_eq!(
            workspace.stat(&path("new")).unwrap().unwrap().permissions,
            0o440,
            "{name}"
        );
    });
}
