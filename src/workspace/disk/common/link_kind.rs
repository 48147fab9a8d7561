//! The kind of a symbolic link on Windows.

use bstr::ByteSlice;

use super::Disk;
use crate::mode::FileKind;
use crate::path::{MAX_LINKS, PathError, RelPath, is_absolute, with_slashes};
use crate::workspace::Workspace;

impl Disk {
    /// Returns whether a link at `path` with this target leads to a directory below the root,
    /// directly or through other links. Accesses nothing outside of the root.
    pub(super) fn leads_to_directory(&self, path: &RelPath, target: &[u8]) -> bool {
        let mut path = path.clone();
        let mut target = target.to_vec();
        for _ in 0..MAX_LINKS {
            let name = with_slashes(&target);
            let above = path.parent();
            let above = above.as_ref().map_or(&b"."[..], RelPath::as_bytes);
            let named = [above, name.trim_end_with(|end| end == '/').as_bytes()].join(&b'/');
            path = match RelPath::new(&named) {
                Ok(named) if !is_absolute(&name) => named,
                Err(PathError::Root) => return true,
                _ => return false,
            };
            match self.lstat(&path).map(|stat| stat.kind) {
                Ok(FileKind::Symlink) => match self.read_link(&path) {
                    Ok(next) => target = next,
                    Err(_) => return false,
                },
                found => return matches!(found, Ok(FileKind::Directory)),
            }
        }
        false
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_directories_below_the_root_count() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("root");
        fs_err::create_dir_all(root.join("sub/dir")).unwrap();
        fs_err::create_dir(top.path().join("outside")).unwrap();
        fs_err::write(root.join("sub/file"), "").unwrap();
        symlink("dir", root.join("sub/once")).unwrap();
        symlink("sub/once", root.join("twice")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let disk = Disk::open(&root).unwrap();
        let outside = top.path().join("outside");
        for (path, target, expected) in [
            ("link", "sub", true),
            ("link", "sub/dir/", true),
            ("sub/link", "dir", true),
            ("sub/link", "..", true),
            ("sub/link", "../twice", true),
            ("link", "twice", true),
            ("link", "sub/file", false),
            ("link", "dir", false),
            ("link", "loop", false),
            ("link", "../outside", false),
            ("link", outside.to_str().unwrap(), false),
        ] {
            let path = RelPath::new(path.as_bytes()).unwrap();
            let found = disk.leads_to_directory(&path, target.as_bytes());
            assert_eq!(found, expected, "{path} -> {target}");
        }
    }
}
