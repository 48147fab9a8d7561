//! The table of path shapes and verbs that every storage is held to.

mod attributes;
mod disk;
mod features;
mod links;
mod names;
mod renames;

use std::time::Duration;

use wpatch::mode::{FileKind, Permissions};
use wpatch::transaction::Interrupt;
use wpatch::workspace::{
    AttributeSource, DirectoryPermissions, ErrorKind, NewFile, RenameMode, Result, Stat, Workspace,
};

use crate::tree::path;
use features::{Feature, on_each, on_each_with};

const NEW: Permissions = Permissions::New { executable: false };
const PATIENCE: Duration = Duration::from_millis(20);

fn fault<T: std::fmt::Debug>(result: Result<T>) -> ErrorKind {
    result.unwrap_err().kind
}

fn contents(workspace: &dyn Workspace, at: &str) -> Vec<u8> {
    workspace.read(&path(at), u64::MAX).unwrap().0.into_vec()
}

fn create(workspace: &dyn Workspace, at: &str, bytes: &[u8]) {
    workspace
        .create(&path(at), NewFile::new(&[bytes], NEW, None))
        .unwrap();
}

#[test]
fn what_is_created_can_be_read() {
    on_each(|workspace, name| {
        create(workspace, "a", b"one\n");
        let (bytes, stat) = workspace.read(&path("a"), 4).unwrap();
        assert_eq!(bytes, b"one\n", "{name}");
        let in_parts = workspace.read_in_parts(&path("a"), 4, &Interrupt::new());
        assert_eq!(in_parts.unwrap(), (bytes, stat), "{name}");
        let seen = workspace.stat(&path("a")).unwrap().unwrap();
        assert_eq!(
            Stat {
                has_no_xattrs: stat.has_no_xattrs,
                inode_flags: stat.inode_flags,
                ..seen
            },
            stat,
            "{name}"
        );
        assert_eq!(
            (stat.kind, stat.size, stat.links),
            (FileKind::Regular, 4, 1),
            "{name}"
        );
        assert_eq!(
            fault(workspace.read(&path("a"), 3)),
            ErrorKind::TooLarge,
            "{name}"
        );
        assert_eq!(
            fault(workspace.create(&path("a"), NewFile::new(&[b""], NEW, None))),
            ErrorKind::Exists,
            "{name}"
        );
        assert_eq!(contents(workspace, "a"), b"one\n", "{name}");
    });
}

#[test]
fn slices_are_written_one_behind_the_other() {
    on_each(|workspace, name| {
        // Short ones are written together, long ones by themselves, and some are just too long for
        // what is left.
        let sizes = [
            1, 0, 100_000, 31_000, 72, 1, 131_072, 5, 131_073, 300_000, 131_071, 1, 1,
        ];
        let slices: Vec<_> = (b'a'..)
            .zip(sizes)
            .map(|(byte, size)| vec![byte; size])
            .collect();
        let borrowed: Vec<_> = slices.iter().map(Vec::as_slice).collect();
        for count in 0..=borrowed.len() {
            let file = path(&format!("f{count}"));
            workspace
                .create(&file, NewFile::new(&borrowed[..count], NEW, None))
                .unwrap();
            let (bytes, _) = workspace.read(&file, u64::MAX).unwrap();
            assert!(bytes == slices[..count].concat(), "{name}: {count}");
        }
    });
}

#[test]
fn what_is_appended_stands_behind_the_rest() {
    on_each_with(&[Feature::Unix], |workspace, name| {
        create(workspace, "a", b"");
        workspace.append(&path("a"), b"on").unwrap();
        workspace.append(&path("a"), b"e\n").unwrap();
        assert_eq!(contents(workspace, "a"), b"one\n", "{name}");
        assert_eq!(
            fault(workspace.append(&path("none"), b"x")),
            ErrorKind::Missing,
            "{name}"
        );
        workspace
            .symlink(b"a", &path("link"), &path("link"), None)
            .unwrap();
        workspace
            .make_dir(&path("d"), DirectoryPermissions::Shared)
            .unwrap();
        for at in ["link", "d"] {
            assert_eq!(
                fault(workspace.append(&path(at), b"x")),
                ErrorKind::NotRegular,
                "{name}: {at}"
            );
        }
        assert_eq!(contents(workspace, "a"), b"one\n", "{name}");
    });
}

#[test]
fn what_is_written_over_has_all_its_names() {
    on_each_with(&[Feature::Unix], |workspace, name| {
        create(workspace, "a", b"one two");
        workspace.link(&path("a"), &path("b")).unwrap();
        let stat = |at: &str| workspace.stat(&path(at)).unwrap().unwrap();
        let inode = stat("a").inode;
        for bytes in [&b"two"[..], b"two and three", b""] {
            let was = stat("a");
            workspace.overwrite(&path("b"), bytes, &was).unwrap();
            assert_eq!(
                (contents(workspace, "a"), stat("a").inode),
                (bytes.to_vec(), inode),
                "{name}"
            );
        }
        let was = stat("a");
        create(workspace, "other", b"");
        workspace
            .symlink(b"a", &path("link"), &path("link"), None)
            .unwrap();
        workspace
            .make_dir(&path("d"), DirectoryPermissions::Shared)
            .unwrap();
        for (at, expected) in [
            ("none", ErrorKind::Missing),
            ("other", ErrorKind::Missing),
            ("link", ErrorKind::NotRegular),
            ("d", ErrorKind::NotRegular),
        ] {
            assert_eq!(
                fault(workspace.overwrite(&path(at), b"x", &was)),
                expected,
                "{name}: {at}"
            );
        }
        workspace.append(&path("a"), b"more").unwrap();
        assert_eq!(
            fault(workspace.overwrite(&path("a"), b"x", &was)),
            ErrorKind::Missing,
            "{name}"
        );
        assert_eq!(
            (contents(workspace, "a"), contents(workspace, "other")),
            (b"more".to_vec(), vec![]),
            "{name}"
        );
    });
}

#[test]
fn a_file_is_no_directory_and_nothing_is_below_it() {
    on_each_with(&[Feature::Unix], |workspace, name| {
        create(workspace, "file", b"");
        let below = path("file/x");
        assert_eq!(workspace.stat(&below).unwrap(), None, "{name}");
        let faults = [
            fault(workspace.read(&below, 10)),
            fault(workspace.list(Some(&path("file")))),
            fault(workspace.list(Some(&below))),
            fault(workspace.create(&below, NewFile::new(&[b""], NEW, None))),
            fault(workspace.symlink(b"x", &below, &below, None)),
            fault(workspace.link(&path("file"), &below)),
            fault(workspace.rename(&path("file"), &path("file/x/y"), RenameMode::Replace)),
            fault(workspace.remove(&below)),
            fault(workspace.make_dir(&below, DirectoryPermissions::Shared)),
            fault(workspace.remove_dir(&below)),
            fault(workspace.remove_dir(&path("file"))),
            fault(workspace.set_permissions(&below, NEW)),
            fault(workspace.sync(Some(&below))),
            fault(workspace.lock(&below, PATIENCE)),
        ];
        assert_eq!(faults, [ErrorKind::NotDirectory; 14], "{name}");
    });
}

#[test]
fn nothing_is_there_where_nothing_was_made() {
    on_each_with(&[Feature::Unix, Feature::Exchange], |workspace, name| {
        create(workspace, "file", b"");
        for absent in [path("absent"), path("no/absent"), path("no/such/absent")] {
            assert_eq!(workspace.stat(&absent).unwrap(), None, "{name}");
            let faults = [
                fault(workspace.read(&absent, 10)),
                fault(workspace.read_link(&absent)),
                fault(workspace.list(Some(&absent))),
                fault(workspace.create(
                    &path("new"),
                    NewFile::new(&[b""], NEW, Some(AttributeSource::File(&absent))),
                )),
                fault(workspace.link(&absent, &path("new"))),
                fault(workspace.rename(&absent, &path("new"), RenameMode::Exclusive)),
                fault(workspace.rename(&absent, &path("new"), RenameMode::Replace)),
                fault(workspace.rename(&path("file"), &absent, RenameMode::Exchange)),
                fault(workspace.remove(&absent)),
                fault(workspace.remove_dir(&absent)),
                fault(workspace.set_permissions(&absent, NEW)),
                fault(workspace.sync(Some(&absent))),
            ];
            assert_eq!(faults, [ErrorKind::Missing; 12], "{name}: {absent}");
        }
        let below = path("no/absent");
        let faults = [
            fault(workspace.create(&below, NewFile::new(&[b""], NEW, None))),
            fault(workspace.symlink(b"x", &below, &below, None)),
            fault(workspace.link(&path("file"), &below)),
            fault(workspace.rename(&path("file"), &below, RenameMode::Exclusive)),
            fault(workspace.make_dir(&below, DirectoryPermissions::Shared)),
            fault(workspace.lock(&below, PATIENCE)),
        ];
        assert_eq!(faults, [ErrorKind::Missing; 6], "{name}");
        assert_eq!(workspace.list(None).unwrap(), [b"file"], "{name}");
    });
}

#[test]
fn only_regular_files_are_read_written_and_locked() {
    on_each_with(
        &[Feature::Unix, Feature::DirectoryLock],
        |workspace, name| {
            workspace
                .make_dir(&path("directory"), DirectoryPermissions::Shared)
                .unwrap();
            create(workspace, "file", b"");
            workspace
                .symlink(b"file", &path("link"), &path("link"), None)
                .unwrap();
            for other in [path("directory"), path("link")] {
                let faults = [
                    fault(workspace.read(&other, 10)),
                    fault(workspace.create(
                        &path("new"),
                        NewFile::new(&[b""], NEW, Some(AttributeSource::File(&other))),
                    )),
                    fault(workspace.lock(&other, PATIENCE)),
                ];
                assert_eq!(faults, [ErrorKind::NotRegular; 3], "{name}: {other}");
                assert_eq!(
                    fault(workspace.create(&other, NewFile::new(&[b""], NEW, None))),
                    ErrorKind::Exists,
                    "{name}: {other}"
                );
            }
            assert_eq!(
                fault(workspace.remove(&path("directory"))),
                ErrorKind::NotRegular,
                "{name}"
            );
            assert_eq!(
                fault(workspace.set_permissions(&path("link"), NEW)),
                ErrorKind::NotRegular,
                "{name}"
            );
            assert_eq!(
                fault(workspace.sync(Some(&path("link")))),
                ErrorKind::NotRegular,
                "{name}"
            );
            assert_eq!(
                fault(workspace.list(Some(&path("link")))),
                ErrorKind::ThroughLink,
                "{name}"
            );
        },
    );
}

#[test]
fn a_second_name_is_the_same_file() {
    on_each(|workspace, name| {
        create(workspace, "a", b"one");
        workspace.link(&path("a"), &path("b")).unwrap();
        let stat = workspace.stat(&path("a")).unwrap();
        assert_eq!(stat, workspace.stat(&path("b")).unwrap(), "{name}");
        assert_eq!(stat.map(|stat| stat.links), Some(2), "{name}");
        assert_eq!(
            fault(workspace.link(&path("a"), &path("b"))),
            ErrorKind::Exists,
            "{name}"
        );
        workspace
            .set_permissions(&path("a"), Permissions::Exact(0o400))
            .unwrap();
        workspace.remove(&path("a")).unwrap();
        let stat = workspace.stat(&path("b")).unwrap();
        assert_eq!(
            stat.map(|stat| (stat.links, stat.permissions)),
            Some((1, 0o400)),
            "{name}"
        );
        workspace
            .make_dir(&path("d"), DirectoryPermissions::Shared)
            .unwrap();
        assert_eq!(
            fault(workspace.link(&path("d"), &path("e"))),
            ErrorKind::Unsupported,
            "{name}"
        );
    });
}

#[test]
fn everything_can_be_synced() {
    on_each(|workspace, name| {
        workspace
            .make_dir(&path("d"), DirectoryPermissions::Shared)
            .unwrap();
        create(workspace, "d/x", b"x");
        for place in [None, Some(path("d")), Some(path("d/x"))] {
            assert!(workspace.sync(place.as_ref()).is_ok(), "{name}: {place:?}");
        }
        let has_sync_all = name != "disk" || Feature::SyncAll.is_on_disk();
        let synced = workspace.sync_all();
        match synced {
            Ok(()) => assert!(has_sync_all, "{name}"),
            Err(error) => assert_eq!(
                (error.kind, has_sync_all),
                (ErrorKind::Unsupported, false),
                "{name}"
            ),
        }
    });
}

#[test]
fn an_error_names_verb_and_path() {
    on_each(|workspace, name| {
        create(workspace, "a", b"");
        create(workspace, "b", b"");
        let read = workspace.read(&path("x\u{1b}"), 1).unwrap_err();
        assert_eq!(read.to_string(), "x\\x1b: cannot read", "{name}");
        let rename = workspace
            .rename(&path("x"), &path("a"), RenameMode::Replace)
            .unwrap_err();
        assert_eq!(rename.to_string(), "x: cannot rename", "{name}");
    });
}
