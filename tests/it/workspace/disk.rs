//! What only a real file system has: special files, owners, attributes, limits and other processes.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    reason = "these tests are the somebody else who changes the tree"
)]

mod attributes;

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;
use wpatch::mode::{FileKind, Permissions};
use wpatch::transaction::Interrupt;
use wpatch::workspace::disk::Disk;
use wpatch::workspace::{
    AttributeSource, DirectoryPermissions, ErrorKind, NewFile, RenameMode, Roots, Workspace,
};

use crate::alone::is_alone;
use crate::tree::path;
use crate::world;

use super::{NEW, PATIENCE, contents, create, fault};

fn root() -> (TempDir, Disk) {
    let root = TempDir::new().unwrap();
    let disk = Disk::open(root.path()).unwrap();
    (root, disk)
}

fn bits(at: &Path) -> u32 {
    fs::symlink_metadata(at).unwrap().permissions().mode() & 0o7777
}

#[test]
fn only_a_directory_can_be_opened() {
    let (root, _) = root();
    fs::write(root.path().join("file"), b"").unwrap();
    assert_eq!(
        Disk::open(&root.path().join("file")).unwrap_err().kind,
        ErrorKind::NotDirectory
    );
    assert_eq!(
        Disk::open(&root.path().join("absent")).unwrap_err().kind,
        ErrorKind::Missing
    );
}

#[test]
fn special_files_are_neither_opened_nor_waited_for() {
    let (root, disk) = root();
    mknodat(CWD, root.path().join("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _listener = UnixListener::bind(root.path().join("socket")).unwrap();
    for name in ["fifo", "socket"] {
        let special = path(name);
        let stat = disk.stat(&special).unwrap().unwrap();
        assert_eq!(stat.kind, FileKind::Special, "{name}");
        let faults = [
            fault(disk.read(&special, 10)),
            fault(disk.create(
                &path("new"),
                NewFile::new(&[b""], NEW, Some(AttributeSource::File(&special))),
            )),
            fault(disk.lock(&special, Duration::ZERO)),
            fault(disk.set_permissions(&special, NEW)),
        ];
        assert_eq!(faults, [ErrorKind::NotRegular; 4], "{name}");
        assert_eq!(
            fault(disk.create(&special, NewFile::new(&[b""], NEW, None))),
            ErrorKind::Exists,
            "{name}"
        );
        assert_eq!(
            fault(disk.read(&path(&format!("{name}/x")), 10)),
            ErrorKind::NotDirectory,
            "{name}"
        );
        assert_eq!(disk.stat(&special).unwrap(), Some(stat), "{name}");
    }
    assert_eq!(disk.list(None).unwrap(), [&b"fifo"[..], b"socket"]);
}

#[test]
fn a_directory_that_became_a_link_leads_nowhere() {
    let (root, disk) = root();
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("x"), b"outside").unwrap();
    for directory in ["a", "a/b"] {
        disk.make_dir(&path(directory), DirectoryPermissions::Shared)
            .unwrap();
    }
    create(&disk, "a/x", b"inside");
    create(&disk, "a/b/x", b"inside");
    fs::rename(root.path().join("a"), root.path().join("moved")).unwrap();
    world::link(outside.path(), root.path().join("a")).unwrap();
    // Whether the handle is still kept or not, none of these may get out.
    let _ = disk.create(&path("a/new"), NewFile::new(&[b""], NEW, None));
    let _ = disk.remove(&path("a/x"));
    let _ = disk.rename(&path("a/b/x"), &path("a/y"), RenameMode::Replace);
    let _ = disk.set_permissions(&path("a/x"), Permissions::Exact(0o777));
    let outside_names: Vec<_> = fs::read_dir(outside.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(outside_names, ["x"]);
    assert_eq!(fs::read(outside.path().join("x")).unwrap(), b"outside");
    assert_ne!(bits(&outside.path().join("x")), 0o777);
    let fresh = Disk::open(root.path()).unwrap();
    assert_eq!(fault(fresh.read(&path("a/x"), 10)), ErrorKind::ThroughLink);
}

#[test]
fn few_handles_are_enough() {
    if !is_alone("workspace::disk::few_handles_are_enough", "ulimit -n 10") {
        return;
    }
    let (_root, disk) = root();
    for number in 0..40 {
        disk.make_dir(&path(&format!("d{number}")), DirectoryPermissions::Shared)
            .unwrap();
    }
    let _lock = disk.lock(&path("lock"), PATIENCE).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..12 {
            let disk = &disk;
            scope.spawn(move || {
                for number in 0..40 {
                    let (file, moved) = (
                        format!("d{number}/n{thread}"),
                        format!("d{}/m{thread}", (number + 1) % 40),
                    );
                    create(disk, &file, b"x");
                    disk.create(
                        &path(&moved),
                        NewFile::new(&[b"y"], NEW, Some(AttributeSource::File(&path(&file)))),
                    )
                    .unwrap();
                    disk.rename(&path(&file), &path(&moved), RenameMode::Replace)
                        .unwrap();
                    assert_eq!(contents(disk, &moved), b"x");
                    disk.remove(&path(&moved)).unwrap();
                }
            });
        }
    });
    assert_eq!(disk.list(Some(&path("d0"))).unwrap(), Vec::<Vec<u8>>::new());
}

#[test]
fn a_lock_whose_file_was_removed_locks_nothing() {
    let (root, disk) = root();
    let other = Disk::open(root.path()).unwrap();
    let held = disk.lock(&path("lock"), PATIENCE).unwrap().unwrap();
    assert!(other.lock(&path("lock"), PATIENCE).unwrap().is_none());
    fs::remove_file(root.path().join("lock")).unwrap();
    let newer = other.lock(&path("lock"), PATIENCE).unwrap();
    assert!(newer.is_some());
    assert!(disk.lock(&path("lock"), Duration::ZERO).unwrap().is_none());
    drop((held, newer));
}

#[test]
fn a_file_larger_than_one_read_comes_back_whole() {
    let (_root, disk) = root();
    let bytes: Vec<u8> = (0..3_000_000u32).flat_map(u32::to_le_bytes).collect();
    create(&disk, "large", &bytes);
    assert!(disk.read(&path("large"), u64::MAX).unwrap().0 == bytes);
}

#[test]
fn a_raised_interrupt_ends_a_large_read_and_a_write() {
    let (root, disk) = root();
    let bytes = vec![b'x'; 5 << 20];
    create(&disk, "large", &bytes);
    let roots = Roots::new([("r", Box::new(disk) as Box<dyn Workspace + Send>)]).unwrap();
    let disk = Disk::open(root.path()).unwrap();
    let interrupt = Interrupt::new();
    let read = |workspace: &dyn Workspace, at| {
        let read = workspace.read_in_parts(&path(at), u64::MAX, &interrupt);
        read.map(|(bytes, _)| bytes.len())
    };
    let write = |at, bytes: &[u8]| {
        disk.create(
            &path(at),
            NewFile::new(&[bytes], NEW, None).with_interrupt(&interrupt),
        )
        .map(drop)
    };
    for (workspace, at) in [(&disk as &dyn Workspace, "large"), (&roots, "r/large")] {
        assert_eq!(read(workspace, at).unwrap(), bytes.len());
    }
    write("new", &bytes).unwrap();
    interrupt.raise(15);
    let errors = [
        read(&disk, "large").unwrap_err(),
        read(&roots, "r/large").unwrap_err(),
        write("other", &bytes).unwrap_err(),
        write("other", b"small").unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.source.kind(), io::ErrorKind::Interrupted, "{error}");
    }
    assert!(disk.stat(&path("other")).unwrap().is_none());
}

#[test]
fn nothing_is_left_of_a_file_that_could_not_be_written() {
    if !is_alone(
        "workspace::disk::nothing_is_left_of_a_file_that_could_not_be_written",
        "trap '' XFSZ && ulimit -f 8",
    ) {
        return;
    }
    let (_root, disk) = root();
    assert_eq!(
        fault(disk.create(
            &path("large"),
            NewFile::new(&[&b"x".repeat(100_000)], NEW, None)
        )),
        ErrorKind::Other
    );
    assert_eq!(disk.list(None).unwrap(), Vec::<Vec<u8>>::new());
}

#[test]
fn what_is_read_was_there_at_one_time() {
    let (root, disk) = root();
    let file = root.path().join("file");
    fs::write(&file, [b'0'; 4096]).unwrap();
    let writer = std::thread::spawn(move || {
        for round in 0..400u32 {
            let other = file.with_extension("new");
            let digit = b'0' + u8::try_from(round % 10).unwrap();
            fs::write(&other, vec![digit; 4096 + round as usize % 7]).unwrap();
            fs::rename(&other, &file).unwrap();
        }
    });
    while !writer.is_finished() {
        match disk.read(&path("file"), 1 << 20) {
            Ok((bytes, stat)) => {
                assert!(bytes.iter().all(|byte| *byte == bytes[0]));
                assert_eq!(bytes.len() as u64, stat.size);
            }
            Err(error) => assert_eq!(error.kind, ErrorKind::Other),
        }
    }
    writer.join().unwrap();
}

#[test]
fn the_root_is_what_it_was_when_it_was_opened() {
    let parent = TempDir::new().unwrap();
    let (here, there) = (parent.path().join("here"), parent.path().join("there"));
    fs::create_dir(&here).unwrap();
    let disk = Disk::open(&here).unwrap();
    let identity = disk.identity().unwrap();
    fs::rename(&here, &there).unwrap();
    fs::create_dir(&here).unwrap();
    create(&disk, "x", b"x");
    assert_eq!(fs::read(there.join("x")).unwrap(), b"x");
    assert_eq!(disk.identity().unwrap(), identity);
    assert_eq!(Disk::open(&there).unwrap().identity().unwrap(), identity);
    assert_ne!(Disk::open(&here).unwrap().identity().unwrap(), identity);
}

/// Calls of POSIX do not return the ID of the machine, which is a part of the identity.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn the_number_of_the_device_is_no_part_of_what_a_root_is_known_by() {
    let (root, disk) = root();
    let inode = fs::metadata(root.path()).unwrap().ino();
    let machine = fs::read("/etc/machine-id").unwrap_or_default();
    let expected = format!(
        "{inode:x}:{}",
        String::from_utf8_lossy(machine.trim_ascii())
    );
    assert_eq!(disk.identity().unwrap(), expected);
}

#[cfg(not(wpatch_plain_unix))]
#[test]
fn the_clock_is_the_one_that_dates_files() {
    let (_root, disk) = root();
    let before = disk.now();
    create(&disk, "x", b"x");
    let modified = disk.stat(&path("x")).unwrap().unwrap().modified;
    assert!(before <= modified);
    while disk.now() <= modified {
        std::thread::yield_now();
    }
}
