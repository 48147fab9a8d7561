//! Owners, groups, access control lists and other attributes of new files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{XattrFlags, getxattr, listxattr, setxattr};
use rustix::io::Errno;
use tempfile::TempDir;
use wpatch::mode::Permissions;
use wpatch::transaction::{Interrupt, Options};
use wpatch::workspace::disk::Disk;
use wpatch::workspace::memory::Entry;
use wpatch::workspace::{AttributeSource, DirectoryPermissions, ErrorKind, NewFile, Workspace};

use super::{bits, root};
use crate::alone::is_alone;
use crate::changes::{Step, run};
use crate::tree::path;
use crate::workspace::{NEW, contents, create};
use crate::world;

fn attribute(at: &Path, name: &str) -> rustix::io::Result<Vec<u8>> {
    let mut value = vec![0; 1 << 16];
    let size = getxattr(at, name, &mut value[..])?;
    value.truncate(size);
    Ok(value)
}

#[test]
fn new_files_and_directories_are_under_the_umask() {
    if !is_alone(
        "workspace::disk::attributes::new_files_and_directories_are_under_the_umask",
        "umask 027",
    ) {
        return;
    }
    let (root, disk) = root();
    disk.make_dir(&path("d"), DirectoryPermissions::Shared)
        .unwrap();
    create(&disk, "plain", b"");
    disk.create(
        &path("program"),
        NewFile::new(&[b""], Permissions::New { executable: true }, None),
    )
    .unwrap();
    let found = ["d", "plain", "program"].map(|name| bits(&root.path().join(name)));
    assert_eq!(found, [0o750, 0o640, 0o750]);
}

#[test]
fn a_new_file_has_the_group_of_a_set_gid_directory() {
    let (root, disk) = root();
    disk.make_dir(&path("d"), DirectoryPermissions::Shared)
        .unwrap();
    let directory = root.path().join("d");
    // Where this may not be done, the group stays as it is, and the law below holds all the same.
    let _ = std::os::unix::fs::chown(&directory, None, Some(12_345));
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o2775)).unwrap();
    create(&disk, "d/x", b"x");
    disk.make_dir(&path("d/sub"), DirectoryPermissions::Shared)
        .unwrap();
    let group = fs::metadata(&directory).unwrap().gid();
    assert_eq!(fs::metadata(directory.join("x")).unwrap().gid(), group);
    assert_eq!(fs::metadata(directory.join("sub")).unwrap().gid(), group);
}

/// Extended attributes and access control lists have no calls in POSIX.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn owner_group_and_attributes_are_those_of_the_file_it_is_like() {
    let (root, disk) = root();
    create(&disk, "like", b"old");
    let (like, new) = (root.path().join("like"), root.path().join("new"));
    let _ = std::os::unix::fs::chown(&like, Some(12_345), Some(54_321));
    let long = vec![b'v'; 2000];
    let takes_attributes = match setxattr(&like, "user.short", b"value", XattrFlags::empty()) {
        Err(Errno::OPNOTSUPP) => false,
        result => {
            result.unwrap();
            setxattr(&like, "user.long", &long, XattrFlags::empty()).unwrap();
            true
        }
    };
    assert_eq!(
        disk.read(&path("like"), 3).unwrap().1.has_no_xattrs,
        !takes_attributes
    );
    disk.create(
        &path("new"),
        NewFile::new(
            &[b"new"],
            Permissions::Exact(0o751),
            Some(AttributeSource::File(&path("like"))),
        ),
    )
    .unwrap();
    let (like, found) = (fs::metadata(like).unwrap(), fs::metadata(&new).unwrap());
    assert_eq!((found.uid(), found.gid()), (like.uid(), like.gid()));
    assert_eq!(bits(&new), 0o751);
    assert_eq!(contents(&disk, "new"), b"new");
    if takes_attributes {
        assert_eq!(attribute(&new, "user.short").unwrap(), b"value");
        assert_eq!(attribute(&new, "user.long").unwrap(), long);
    }
}

/// An access control list as acl(5) keeps it: version 2, then (tag, permissions, id) in little
/// endian.
fn access_list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
    let mut bytes = 2u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permissions.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

/// Returns an access control list that lets one more user read.
fn list_with_a_user() -> Vec<u8> {
    const NOBODY: u32 = u32::MAX;
    access_list(&[
        (1, 6, NOBODY),
        (2, 4, 12_345),
        (4, 4, NOBODY),
        (16, 4, NOBODY),
        (32, 0, NOBODY),
    ])
}

/// Extended attributes and access control lists have no calls in POSIX.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn an_access_control_list_is_copied_and_none_is_inherited() {
    let (root, disk) = root();
    create(&disk, "with", b"");
    create(&disk, "without", b"");
    disk.make_dir(&path("d"), DirectoryPermissions::Shared)
        .unwrap();
    let list = list_with_a_user();
    let access = "system.posix_acl_access";
    match setxattr(root.path().join("with"), access, &list, XattrFlags::empty()) {
        Err(Errno::OPNOTSUPP) => return,
        result => result.unwrap(),
    }
    setxattr(
        root.path().join("d"),
        "system.posix_acl_default",
        &list,
        XattrFlags::empty(),
    )
    .unwrap();
    let create_like = |at, bits, source: AttributeSource<'_>| {
        let file = NewFile::new(&[b""], Permissions::Exact(bits), Some(source));
        disk.create(&path(at), file).unwrap();
    };
    create_like("d/with", 0o640, AttributeSource::File(&path("with")));
    create_like("d/without", 0o644, AttributeSource::File(&path("without")));
    let stat = disk.read(&path("without"), 0).unwrap().1;
    assert!(!disk.read(&path("with"), 0).unwrap().1.has_no_xattrs);
    let bare = AttributeSource::OwnerOnly {
        uid: stat.uid,
        gid: stat.gid,
        inode_flags: stat.inode_flags,
    };
    create_like("d/bare", 0o644, bare);
    assert_eq!(
        attribute(&root.path().join("d/with"), access).unwrap(),
        list
    );
    assert_eq!(bits(&root.path().join("d/with")), 0o640);
    for name in ["d/without", "d/bare"] {
        let mut names = [0; 1024];
        let size = listxattr(root.path().join(name), &mut names[..]).unwrap();
        assert!(!String::from_utf8_lossy(&names[..size]).contains(access));
        assert_eq!(bits(&root.path().join(name)), 0o644);
    }
}

/// Sets an access control list that also has a stranger; returns whether the file system takes it.
fn takes_default_list(directory: &Path) -> bool {
    const NOBODY: u32 = u32::MAX;
    let list = access_list(&[
        (1, 7, NOBODY),
        (2, 6, 12_345),
        (4, 5, NOBODY),
        (16, 7, NOBODY),
        (32, 4, NOBODY),
    ]);
    match setxattr(
        directory,
        "system.posix_acl_default",
        &list,
        XattrFlags::empty(),
    ) {
        Err(Errno::OPNOTSUPP) => false,
        result => result.is_ok(),
    }
}

/// Returns group, permission bits and access control list.
fn access(at: &Path) -> (u32, u32, Option<Vec<u8>>) {
    (
        fs::metadata(at).unwrap().gid(),
        bits(at),
        attribute(at, "system.posix_acl_access").ok(),
    )
}

/// Extended attributes and access control lists have no calls in POSIX.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn a_file_made_elsewhere_is_like_one_made_in_its_directory() {
    let (root, disk) = root();
    for name in ["group", "list", "neither", "from"] {
        disk.make_dir(&path(name), DirectoryPermissions::Shared)
            .unwrap();
    }
    let _ = std::os::unix::fs::chown(root.path().join("group"), None, Some(12_345));
    fs::set_permissions(
        root.path().join("group"),
        fs::Permissions::from_mode(0o2775),
    )
    .unwrap();
    let has_lists = takes_default_list(&root.path().join("list"));
    for name in ["group", "list", "neither"] {
        fs::write(root.path().join(name).join("expected"), "x").unwrap();
        for from in ["from/x", "list/x"] {
            disk.create(
                &path(from),
                NewFile::new(
                    &[b"x"],
                    NEW,
                    Some(AttributeSource::NewIn(Some(&path(name)))),
                ),
            )
            .unwrap();
            let expected = access(&root.path().join(name).join("expected"));
            assert_eq!(
                access(&root.path().join(from)),
                expected,
                "{from} for {name}"
            );
            disk.remove(&path(from)).unwrap();
        }
    }
    let program = Permissions::New { executable: true };
    disk.create(
        &path("from/x"),
        NewFile::new(
            &[b"x"],
            program,
            Some(AttributeSource::NewIn(Some(&path("list")))),
        ),
    )
    .unwrap();
    assert!(!has_lists || bits(&root.path().join("from/x")) == 0o774);
    disk.create(
        &path("list/x"),
        NewFile::new(&[b"x"], NEW, Some(AttributeSource::NewIn(None))),
    )
    .unwrap();
    create(&disk, "expected", b"x");
    assert_eq!(
        access(&root.path().join("list/x")),
        access(&root.path().join("expected"))
    );
}

/// Extended attributes and access control lists have no calls in POSIX.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn a_transaction_makes_files_like_those_around_them() {
    let (root, disk) = root();
    disk.make_dir(&path("d"), DirectoryPermissions::Shared)
        .unwrap();
    let directory = root.path().join("d");
    let _ = std::os::unix::fs::chown(&directory, None, Some(12_345));
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o2775)).unwrap();
    takes_default_list(&directory);
    let steps = ["d/new", "d/n/m/new"].map(|name| Step::Put(name, Entry::file("x")));
    let _receipt = run(&disk, &steps, Options::default(), &Interrupt::new()).unwrap();
    fs::write(directory.join("expected"), "x").unwrap();
    assert_eq!(
        access(&directory.join("new")),
        access(&directory.join("expected"))
    );
    assert_eq!(
        access(&directory.join("n/m/new")),
        access(&directory.join("expected"))
    );
}

#[test]
fn a_link_gets_the_owner_of_the_one_that_it_is_like() {
    let root = TempDir::new().unwrap();
    let disk = Disk::open(root.path()).unwrap();
    let [old, new] = ["old", "new"].map(path);
    world::link("one", root.path().join("old")).unwrap();
    // Only a privileged user can give a link away; others have one owner alone.
    let _ = std::os::unix::fs::lchown(root.path().join("old"), Some(12_345), Some(23_456));
    disk.symlink(b"two", &new, &new, Some(&old)).unwrap();
    let owner =
        |path: &wpatch::path::RelPath| disk.stat(path).unwrap().map(|stat| (stat.uid, stat.gid));
    assert_eq!(owner(&new), owner(&old));
    assert_eq!(disk.read_link(&new).unwrap(), b"two");
    let missing = path("missing");
    let error = disk
        .symlink(b"three", &missing, &missing, Some(&missing))
        .unwrap_err();
    assert_eq!(
        (error.kind, disk.stat(&missing).unwrap()),
        (ErrorKind::Missing, None)
    );
}
