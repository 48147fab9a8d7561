//! Names, paths and locks.

use std::time::Duration;

use wpatch::path::RelPath;
use wpatch::workspace::{DirectoryPermissions, ErrorKind, NewFile, RenameMode};

use super::{Feature, NEW, PATIENCE, contents, fault, on_each, on_each_with};
use crate::tree::path;

#[test]
fn names_are_any_bytes_up_to_the_longest() {
    on_each_with(&[Feature::Unix], |workspace, name| {
        let longest = vec![b'n'; 255];
        let odd: [&[u8]; 6] = [b"\x01\x1b[2J", b" ", b"*?", b"-rf", &longest, b"\xff\xfe"];
        let mut sorted = odd;
        sorted.sort_unstable();
        for (number, part) in odd.iter().enumerate() {
            let file = RelPath::new(part).unwrap();
            workspace
                .create(
                    &file,
                    NewFile::new(&[&[u8::try_from(number).unwrap()]], NEW, None),
                )
                .unwrap();
        }
        assert_eq!(workspace.list(None).unwrap(), sorted, "{name}");
        for (number, part) in odd.iter().enumerate() {
            let (bytes, _) = workspace.read(&RelPath::new(part).unwrap(), 9).unwrap();
            assert_eq!(bytes, [u8::try_from(number).unwrap()], "{name}");
        }
    });
}

#[test]
fn the_deepest_path_can_be_used() {
    on_each_with(&[Feature::ExclusiveRename], |workspace, name| {
        let mut directory = path(&"d".repeat(255));
        while directory.as_bytes().len() + 512 < wpatch::path::MAX_PATH {
            workspace
                .make_dir(&directory, DirectoryPermissions::Shared)
                .unwrap();
            directory = directory.join(&[b'd'; 255]).unwrap();
        }
        workspace
            .make_dir(&directory, DirectoryPermissions::Shared)
            .unwrap();
        let room = wpatch::path::MAX_PATH - directory.as_bytes().len() - 1;
        let file = directory.join(&vec![b'f'; room.min(255)]).unwrap();
        workspace
            .create(&file, NewFile::new(&[b"deep"], NEW, None))
            .unwrap();
        assert_eq!(workspace.read(&file, 4).unwrap().0, b"deep", "{name}");
        workspace
            .rename(&file, &path("up"), RenameMode::Exclusive)
            .unwrap();
        assert_eq!(contents(workspace, "up"), b"deep", "{name}");
    });
}

#[test]
fn one_lock_excludes_the_other_until_it_is_dropped() {
    on_each(|workspace, name| {
        let file = path("lock");
        let first = workspace.lock(&file, PATIENCE).unwrap();
        assert!(first.is_some(), "{name}");
        assert!(
            workspace.lock(&file, Duration::ZERO).unwrap().is_none(),
            "{name}"
        );
        assert!(workspace.lock(&file, PATIENCE).unwrap().is_none(), "{name}");
        drop(first);
        assert!(
            workspace.lock(&file, PATIENCE * 100).unwrap().is_some(),
            "{name}"
        );
        let stat = workspace.stat(&file).unwrap().unwrap();
        assert_eq!(
            (stat.permissions, stat.size, stat.uid),
            (0o600, 0, workspace.user()),
            "{name}"
        );
    });
}

#[test]
fn a_directory_is_locked_like_a_file() {
    on_each_with(&[Feature::DirectoryLock], |workspace, name| {
        let directory = path("d");
        assert_eq!(
            fault(workspace.lock_dir(&directory, PATIENCE)),
            ErrorKind::Missing,
            "{name}"
        );
        workspace
            .make_dir(&directory, DirectoryPermissions::Temporary)
            .unwrap();
        assert_eq!(
            workspace.stat(&directory).unwrap().unwrap().permissions,
            0o1700,
            "{name}"
        );
        let first = workspace.lock_dir(&directory, PATIENCE).unwrap();
        assert!(first.is_some(), "{name}");
        assert!(
            workspace.lock_dir(&directory, PATIENCE).unwrap().is_none(),
            "{name}"
        );
        drop(first);
        // A process that another test starts just now has the handle until it is what it is to be.
        assert!(
            workspace
                .lock_dir(&directory, PATIENCE * 100)
                .unwrap()
                .is_some(),
            "{name}"
        );
        workspace
            .create(&path("f"), NewFile::new(&[b""], NEW, None))
            .unwrap();
        assert_eq!(
            fault(workspace.lock_dir(&path("f"), PATIENCE)),
            ErrorKind::NotDirectory,
            "{name}"
        );
    });
}
