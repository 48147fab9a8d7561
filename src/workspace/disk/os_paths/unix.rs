//! Owners, permissions and hard links on Unix.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};
use rustix::fs::OFlags;

use crate::path::MAX_LINKS;
use crate::process::home;

/// The permission bits that allow writing by the group and by others.
const OTHERS_WRITE: u32 = 0o022;
/// The permission bit of a directory in which users cannot replace each other's files; see
/// unlink(2).
const STICKY: u32 = 0o1000;

/// Device and inode number.
pub(crate) type FileIdentity = (u64, u64);

/// Opens the file at `path` for reading. The call neither waits for the other end of a FIFO nor
/// acquires a controlling terminal.
pub(super) fn open_without_blocking(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

/// Returns the number of hard links of the file at the path, or `None` if the system does not report
/// it.
#[must_use]
#[allow(clippy::unnecessary_wraps, reason = "other systems report no number")]
pub(crate) fn count_hard_links(_: &Path, stat: &Metadata) -> Option<u64> {
    Some(stat.nlink())
}

/// Returns the identity of the file to which `path` leads: two paths with the same identity lead to
/// the same file.
#[must_use]
pub(crate) fn file_identity(path: &Path) -> Option<FileIdentity> {
    let stat = fs_err::metadata(path).ok()?;
    Some((stat.dev(), stat.ino()))
}

/// Returns the first directory or link in the path of `file` with which a user other than `user` and
/// root can replace the file. Such a directory or link belongs to another user, or other users can
/// write to the directory and it has no sticky bit. Directories above the home directory are
/// trusted, as ssh(1) does for its keys.
///
/// # Errors
///
/// Returns the error of the system, or an error if too many links lead to the file.
pub(crate) fn find_replaceable(file: &Path, user: u32) -> io::Result<Option<PathBuf>> {
    let home = home();
    let homes = [
        home.as_ref()
            .and_then(|home| fs_err::canonicalize(home).ok()),
        home,
    ];
    let is_own = |stat: &Metadata| stat.uid() == 0 || stat.uid() == user;
    // `here` is the checked path, without links. `rest` is the path that remains below it.
    let (mut here, mut rest, mut links) = (PathBuf::new(), file.to_owned(), 0);
    loop {
        let mut parts = rest.components();
        let Some(part) = parts.next() else {
            return Ok(None);
        };
        let (next, mut below) = (here.join(part), parts.as_path().to_owned());
        match part {
            // `here` contains no links, so its parent is the previous component.
            Component::ParentDir => drop(here.pop()),
            Component::Normal(_) => {
                let (directory, stat) =
                    (fs_err::metadata(&here)?, fs_err::symlink_metadata(&next)?);
                let is_open =
                    directory.mode() & OTHERS_WRITE != 0 && directory.mode() & STICKY == 0;
                if !homes.iter().flatten().any(|home| home.starts_with(&next)) {
                    if is_open || !is_own(&directory) {
                        return Ok(Some(here));
                    }
                    if stat.is_symlink() && !is_own(&stat) {
                        return Ok(Some(next));
                    }
                }
                if !stat.is_symlink() {
                    here = next;
                } else if links < MAX_LINKS {
                    // An absolute target starts again at the root directory.
                    links += 1;
                    below = fs_err::read_link(&next)?.join(below);
                } else {
                    return Err(io::Error::other("too many symbolic links lead to the file"));
                }
            }
            Component::RootDir => here = next,
            Component::CurDir | Component::Prefix(_) => {}
        }
        rest = below;
    }
}
