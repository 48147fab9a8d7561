//! Facts about files that are not named by a verb, by their absolute paths.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, OFlags, accessat};

use crate::workspace::disk::calls::SysResult;

/// The identity of a file while it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workspace::disk) struct FileId {
    pub(in crate::workspace::disk) device: u64,
    pub(in crate::workspace::disk) inode: u64,
}

/// Returns the identity of the file at `path`, without following a link.
pub(in crate::workspace::disk) fn file_id(path: &Path) -> io::Result<FileId> {
    let found = path.symlink_metadata()?;
    Ok(FileId {
        device: found.dev(),
        inode: found.ino(),
    })
}

/// Returns whether the current user owns the file at `path`, without following a link.
pub(in crate::workspace::disk) fn is_owned(path: &Path) -> io::Result<bool> {
    Ok(path.symlink_metadata()?.uid() == super::user())
}

/// Returns whether every user can create files in `directory`, as in `/tmp`. A `.git` in such a
/// directory must not become the top of other users' trees, and its lock must not block them.
pub(in crate::workspace::disk) fn is_world_writable(directory: &Path) -> bool {
    directory
        .metadata()
        .is_ok_and(|found| found.mode() & 0o002 != 0)
}

/// Returns whether this user can use `directory` as the top of a work tree whose git directory
/// belongs to another user.
pub(in crate::workspace::disk) fn is_accessible(directory: &Path) -> bool {
    accessat(
        CWD,
        directory,
        Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK,
        AtFlags::EACCESS,
    )
    .is_ok()
}

/// Opens the file at `path` for reading. Opening a FIFO does not block.
pub(in crate::workspace::disk) fn open_without_blocking(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(path)
}

/// Creates the directory `path` and the missing directories above it with mode 0700.
pub(in crate::workspace::disk) fn create_private_directories(path: &Path) -> SysResult<()> {
    let mut builder = DirBuilder::new();
    Ok(builder.recursive(true).mode(0o700).create(path)?)
}

/// Returns `path`, which is absolute and whose directories are no links, in the one spelling that
/// paths without links have.
pub(in crate::workspace::disk) fn real_spelling(path: &Path) -> PathBuf {
    path.to_owned()
}
