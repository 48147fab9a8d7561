//! Facts about files that are not named by a verb, by their absolute paths.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::path::{Path, PathBuf};

use wpatch_nt::flags::{
    FILE_ADD_FILE, FILE_LIST_DIRECTORY, FILE_OPEN_REPARSE_POINT, FILE_READ_ATTRIBUTES,
    FILE_TRAVERSE,
};
use wpatch_nt::information;

use super::handle::open_path;
use super::stat::{can_others_write, is_own};
use crate::path::plain_path;
use crate::workspace::disk::calls::SysResult;

/// The identity of a file while it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workspace::disk) struct FileId {
    pub(in crate::workspace::disk) device: u64,
    pub(in crate::workspace::disk) inode: u64,
}

/// Returns the identity of the file at `path`, without following a link.
pub(in crate::workspace::disk) fn file_id(path: &Path) -> io::Result<FileId> {
    let found = information(open_itself(path)?.as_handle())?;
    Ok(FileId {
        device: found.volume.into(),
        inode: found.index,
    })
}

/// Returns whether the current user owns the file at `path`, without following a link.
pub(in crate::workspace::disk) fn is_owned(path: &Path) -> io::Result<bool> {
    Ok(is_own(&open_itself(path)?))
}

/// Returns whether other users can create files in `directory`. A `.git` in such a directory must
/// not become the top of other users' trees, and its lock must not block them.
pub(in crate::workspace::disk) fn is_world_writable(directory: &Path) -> bool {
    open_path(directory, FILE_READ_ATTRIBUTES, 0).is_ok_and(|opened| can_others_write(&opened))
}

/// Returns whether this user can use `directory` as the top of a work tree whose git directory
/// belongs to another user.
pub(in crate::workspace::disk) fn is_accessible(directory: &Path) -> bool {
    let access = FILE_LIST_DIRECTORY | FILE_ADD_FILE | FILE_TRAVERSE;
    open_path(directory, access, 0).is_ok()
}

/// Opens the file at `path` for reading.
pub(in crate::workspace::disk) fn open_without_blocking(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Creates the directory `path` and the missing directories above it. They inherit the access list
/// of the directory above them, which is private below the profile of the user.
pub(in crate::workspace::disk) fn create_private_directories(path: &Path) -> SysResult<()> {
    Ok(DirBuilder::new().recursive(true).create(path)?)
}

/// Returns `path`, which is absolute and whose directories are no links, in the one spelling that
/// paths without links have. git's configuration can contain other spellings, such as `c:/Tree`.
pub(in crate::workspace::disk) fn real_spelling(path: &Path) -> PathBuf {
    // Only the last component can be a link. The last components may not exist.
    let skipped = usize::from(path.read_link().is_ok());
    let real = path.ancestors().skip(skipped).find_map(|above| {
        let rest = path.strip_prefix(above).ok()?;
        Some(plain_path(above.canonicalize().ok()?).join(rest))
    });
    real.unwrap_or_else(|| path.to_owned())
}

fn open_itself(path: &Path) -> io::Result<OwnedHandle> {
    open_path(path, FILE_READ_ATTRIBUTES, FILE_OPEN_REPARSE_POINT).map_err(|error| error.source)
}
