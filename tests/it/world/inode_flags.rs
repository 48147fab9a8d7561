//! The inode flags of a replaced file, which chattr(1) sets.

use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;
use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use tempfile::TempDir;

use super::must;
use crate::alone::may_mount;
use crate::repository::init;
use crate::systems::{fed, program};

/// Changes `f`, and renames and changes `g`.
const PATCH: &str = "\
--- a/f
+++ b/f
@@ -1 +1 @@
-one
+two
diff --git a/g b/h
similarity index 50%
rename from g
rename to h
--- a/g
+++ b/h
@@ -1,2 +1,2 @@
 first
-second
+2nd
";

/// `FS_NOCOMP_FL`.
const NO_COMPRESSION: IFlags = IFlags::from_bits_retain(0x400);

/// The flags that a user can set on a file.
const ALL: IFlags = IFlags::SYNC
    .union(IFlags::NODUMP)
    .union(IFlags::NOATIME)
    .union(IFlags::COMPRESSED)
    .union(IFlags::NOCOW)
    .union(NO_COMPRESSION);

fn flags(path: &Path) -> IFlags {
    ioctl_getflags(fs::File::open(path).unwrap()).unwrap() & ALL
}

/// Sets flags of an empty file, and then writes its content.
fn write_with(path: PathBuf, set: IFlags, content: &str) {
    let file = fs::File::create(&path).unwrap();
    let before = ioctl_getflags(&file).unwrap();
    ioctl_setflags(&file, before - ALL).unwrap();
    ioctl_setflags(&file, (before - ALL) | set).unwrap();
    fs::write(path, content).unwrap();
}

fn run(root: &Path, arguments: &[&str], patch: &str) {
    let output = fed(&mut program(root, arguments), patch.as_bytes());
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// Applies the patch to files with the flags `set`, and undoes it, in a repository at `root`.
fn keeps(root: &Path, set: IFlags, durability: &str) {
    fs::create_dir_all(root).unwrap();
    init(root);
    write_with(root.join("f"), set, "one\n");
    write_with(root.join("g"), set, "first\nsecond\n");
    run(root, &["apply", "--durability", durability], PATCH);
    let after = ["f", "h"].map(|name| flags(&root.join(name)));
    assert_eq!(after, [set; 2], "{set:?}");
    assert_eq!(fs::read(root.join("f")).unwrap(), b"two\n");
    run(root, &["undo"], "");
    let undone = ["f", "g"].map(|name| flags(&root.join(name)));
    assert_eq!(undone, [set; 2], "{set:?}");
    assert_eq!(fs::read(root.join("f")).unwrap(), b"one\n");
    run(root, &["redo"], "");
    assert_eq!(flags(&root.join("f")), set, "{set:?}");
}

#[test]
fn a_replaced_file_keeps_its_inode_flags() {
    let directory = TempDir::new().unwrap();
    let (noatime, nodump, sync) = (IFlags::NOATIME, IFlags::NODUMP, IFlags::SYNC);
    for (number, set) in [noatime, nodump, sync, noatime | nodump, IFlags::empty()]
        .into_iter()
        .enumerate()
    {
        for durability in ["full", "none"] {
            let root = directory.path().join(format!("{number}-{durability}"));
            keeps(&root, set, durability);
        }
    }
}

/// The staged file inherits flags from the state directory.
#[test]
fn a_replaced_file_gets_no_flags_of_the_state_directory() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    fs::write(root.join("f"), "one\n").unwrap();
    run(root, &["init"], "");
    let state = fs::File::open(root.join(".wpatch")).unwrap();
    let before = ioctl_getflags(&state).unwrap();
    ioctl_setflags(&state, before | IFlags::NODUMP).unwrap();
    run(root, &["apply"], PATCH.split_once("diff --git").unwrap().0);
    assert_eq!(flags(&root.join("f")), IFlags::empty());
}

/// btrfs can set `NOCOW` only for an empty file. Only root can mount it.
#[test]
fn a_replaced_file_on_btrfs_stays_without_copy_on_write_and_compression() {
    if !may_mount(
        "world::inode_flags::a_replaced_file_on_btrfs_stays_without_copy_on_write_and_compression",
    ) {
        return;
    }
    let directory = TempDir::new().unwrap();
    let [image, place] =
        ["image", "place"].map(|name| directory.path().join(name).display().to_string());
    fs::create_dir(&place).unwrap();
    fs::File::create(&image)
        .unwrap()
        .set_len(128 << 20)
        .unwrap();
    must("mkfs.btrfs", &["-q", "-M", &image]);
    let mounted = Command::new("mount")
        .args(["-o", "loop", &image, &place])
        .output();
    if !mounted.unwrap().status.success() {
        return;
    }
    for (number, set) in [
        IFlags::NOCOW,
        IFlags::COMPRESSED,
        NO_COMPRESSION,
        IFlags::empty(),
    ]
    .into_iter()
    .enumerate()
    {
        let root = Path::new(&place).join(number.to_string());
        keeps(&root, set, "full");
        // A repository whose directories have the flag gives it to no other file.
        let root = Path::new(&place).join(format!("{number}-other"));
        fs::create_dir(&root).unwrap();
        let opened = fs::File::open(&root).unwrap();
        ioctl_setflags(&opened, IFlags::NOCOW).unwrap();
        keeps(&root, set, "full");
    }
    must("umount", &[&place]);
}
