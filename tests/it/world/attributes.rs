//! What a file has besides its contents, and what the directory that it is made in gives it.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use fs_err as fs;
use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::io::Errno;
use tempfile::TempDir;

use super::{Scene, mount_memory};
use crate::alone::may_mount;

/// Each file that stays in some form, before and after.
const SAME: [(&str, &str); 3] = [
    ("update", "update"),
    ("script", "script"),
    ("edited", "renamed"),
];

const ATTRIBUTE: &str = "user.note";
const ACCESS: &str = "system.posix_acl_access";

/// Returns an access control list that also has a stranger, as acl(5) and `linux/posix_acl_xattr.h`
/// lay it out.
fn access_list() -> Vec<u8> {
    const NOBODY: u32 = u32::MAX;
    let entries = [
        (1_u16, 6_u16, NOBODY),
        (2, 4, 0),
        (4, 4, NOBODY),
        (16, 4, NOBODY),
        (32, 4, NOBODY),
    ];
    let entries = entries.iter().flat_map(|(tag, bits, id)| {
        [
            tag.to_le_bytes().to_vec(),
            bits.to_le_bytes().to_vec(),
            id.to_le_bytes().to_vec(),
        ]
        .concat()
    });
    2_u32.to_le_bytes().into_iter().chain(entries).collect()
}

fn attribute(path: &Path, name: &str) -> Result<Vec<u8>, Errno> {
    let mut value = vec![0; 1024];
    let size = getxattr(path, name, &mut value[..])?;
    value.truncate(size);
    Ok(value)
}

/// Returns a scene on a file system that has everything.
fn scene(directory: &TempDir) -> Scene {
    let disk = directory.path().join("disk");
    mount_memory(&disk, "size=4m,mode=755");
    let scene = Scene::at(&disk.join("root"));
    scene.lay();
    scene
}

fn apply(scene: &Scene) {
    let output = scene.run(&[], "apply");
    assert!(output.status.success(), "{output:?}");
}

/// Extended attributes and access control lists have no calls in POSIX.
#[cfg(not(wpatch_plain_unix))]
#[test]
fn attributes_and_access_lists_stay_with_their_files() {
    if may_mount("world::attributes::attributes_and_access_lists_stay_with_their_files") {
        let directory = TempDir::new().unwrap();
        let scene = scene(&directory);
        let list = access_list();
        for (before, _) in SAME {
            let path = scene.root.join(before);
            setxattr(&path, ATTRIBUTE, before.as_bytes(), XattrFlags::CREATE).unwrap();
            setxattr(&path, ACCESS, &list, XattrFlags::CREATE).unwrap();
        }
        apply(&scene);
        for (before, after) in SAME {
            let path = scene.root.join(after);
            assert_eq!(
                attribute(&path, ATTRIBUTE),
                Ok(before.as_bytes().to_vec()),
                "{after}"
            );
            let found = attribute(&path, ACCESS).unwrap();
            // A mode that is set changes the entries of owner, mask and others, see acl(5); the
            // stranger stays.
            assert!(
                if after == "script" {
                    found[12..20] == list[12..20]
                } else {
                    found == list
                },
                "{after} {found:?}"
            );
        }
        assert_eq!(
            attribute(&scene.root.join("new/dir/file"), ATTRIBUTE),
            Err(Errno::NODATA)
        );
    }
}

#[test]
fn a_second_name_outside_keeps_the_old_file() {
    if may_mount("world::attributes::a_second_name_outside_keeps_the_old_file") {
        let directory = TempDir::new().unwrap();
        let scene = scene(&directory);
        let names = ["update", "script", "edited", "old/gone"];
        let outside = |name: &str| scene.root.with_file_name(name.replace('/', "-"));
        for name in names {
            fs::hard_link(scene.root.join(name), outside(name)).unwrap();
        }
        let found = || {
            names.map(|name| {
                (
                    fs::read(outside(name)).unwrap(),
                    fs::metadata(outside(name)).unwrap(),
                )
            })
        };
        let key = |(bytes, data): (Vec<u8>, std::fs::Metadata)| {
            (bytes, data.mode(), data.mtime_nsec(), data.ino())
        };
        let before = found().map(key);
        apply(&scene);
        assert_eq!(found().map(key), before);
        assert_eq!(crate::faults::scene::tree(&scene.root), scene.after);
        assert_eq!(found().map(|(_, data)| data.nlink()), [1; 4]);
    }
}

/// A group that gives itself on, and the bit that keeps others from removing what is not theirs.
#[test]
fn a_directory_keeps_its_bits_and_gives_its_group() {
    if may_mount("world::attributes::a_directory_keeps_its_bits_and_gives_its_group") {
        let directory = TempDir::new().unwrap();
        let scene = scene(&directory);
        // A user namespace of one user has no other group to give.
        let _ = chown(&scene.root, None, Some(12_345));
        fs::set_permissions(&scene.root, std::fs::Permissions::from_mode(0o3777)).unwrap();
        let group = fs::metadata(&scene.root).unwrap().gid();
        let group_before = fs::metadata(scene.root.join("update")).unwrap().gid();
        apply(&scene);
        let of = |name: &str| fs::metadata(scene.root.join(name)).unwrap();
        assert_eq!(
            [of("").mode() & 0o7777, of("new").mode() & 0o7000],
            [0o3777, 0o2000]
        );
        assert_eq!([of("new").gid(), of("new/dir/file").gid()], [group; 2]);
        assert_eq!(SAME.map(|(_, after)| of(after).gid()), [group_before; 3]);
    }
}
