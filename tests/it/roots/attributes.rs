//! Owners and extended attributes of files that move between roots.
#![cfg(target_os = "linux")]

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use fs_err as fs;
use rustix::fs::{XattrFlags, getxattr, setxattr};
use tempfile::TempDir;

const NAME: &str = "user.note";

fn move_with(patch: &str, [first, second]: [&Path; 2], above: &Path) {
    fs::write(above.join("patch"), patch).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_wpatch"))
        .arg("apply")
        .arg(above.join("patch"))
        .args(["--root", &format!("one={}", first.display())])
        .args(["--root", &format!("two={}", second.display())])
        .env("XDG_CONFIG_HOME", above.join("config"))
        .env_remove("XDG_STATE_HOME")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// A rename without a change of the content, and one with such a change.
const PATCHES: [(&str, &str); 2] = [
    (
        "diff --git a/one/f b/two/d/g\nsimilarity index 100%\nrename from one/f\nrename to two/d/g\n",
        "old\n",
    ),
    (
        "diff --git a/one/f b/two/d/g\nsimilarity index 50%\nrename from one/f\nrename to two/d/g\n\
         --- a/one/f\n+++ b/two/d/g\n@@ -1 +1 @@\n-old\n+new\n",
        "new\n",
    ),
];

#[test]
fn a_file_that_moves_between_file_systems_keeps_owner_and_attributes() {
    for (patch, content) in PATCHES {
        let above = TempDir::new().unwrap();
        let second = TempDir::new_in("/dev/shm").unwrap();
        let first = above.path().join("one");
        fs::create_dir(&first).unwrap();
        let file = first.join("f");
        fs::write(&file, "old\n").unwrap();
        let has_attributes = setxattr(&file, NAME, b"value", XattrFlags::empty()).is_ok()
            && fs::write(second.path().join("probe"), "").is_ok()
            && setxattr(second.path().join("probe"), NAME, b"", XattrFlags::empty()).is_ok();
        // Only root can give a file away.
        let is_given = chown(&file, Some(1234), Some(4321)).is_ok();
        fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        move_with(patch, [&first, second.path()], above.path());
        assert!(!file.exists());
        let moved = second.path().join("d/g");
        assert_eq!(fs::read_to_string(&moved).unwrap(), content);
        let stat = fs::metadata(&moved).unwrap();
        assert_eq!(stat.mode() & 0o7777, 0o640);
        if is_given {
            assert_eq!((stat.uid(), stat.gid()), (1234, 4321), "{content}");
        }
        if has_attributes {
            let mut value = [0; 16];
            let size = getxattr(&moved, NAME, &mut value[..]).unwrap();
            assert_eq!(&value[..size], b"value", "{content}");
        }
    }
}
