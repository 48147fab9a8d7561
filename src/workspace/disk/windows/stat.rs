//! Converts the attributes that `stat` returns.

use std::os::windows::io::{AsHandle, OwnedHandle};

use wpatch_nt::flags::{
    FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_HIDDEN, FILE_ATTRIBUTE_READONLY,
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_ATTRIBUTE_SYSTEM, FILE_READ_ATTRIBUTES,
    IO_REPARSE_TAG_SYMLINK,
};
use wpatch_nt::{
    Information, grants_write_to_others, has_access_lists, information, owner_is_trusted,
};

use super::handle::open_with_owner;
use crate::mode::FileKind;
use crate::workspace::disk::calls::SysResult;
use crate::workspace::{Stat, TEMPORARY, Timestamp};

/// The user ID of files of the current user, and of administrators if the process runs with their
/// rights.
pub(super) const OWN_USER: u32 = 0;
/// The user ID of all other files.
const OTHER_USER: u32 = 1;

/// The attributes that mark a temporary directory. Users who hide a directory set only the first
/// one.
pub(super) const TEMPORARY_DIRECTORY: u32 = FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM;

/// The permission bits of a directory to whose entries other users can write.
const OTHERS_WRITE: u32 = 0o022;

/// The number of time units per second, and the seconds from 1601 to 1970.
const UNITS: i64 = 10_000_000;
const EPOCH: i64 = 11_644_473_600;

/// Returns the attributes of the file `name`, without following a link.
pub(in crate::workspace::disk) fn stat(directory: &OwnedHandle, name: &[u8]) -> SysResult<Stat> {
    stat_handle(&open_with_owner(directory, name, FILE_READ_ATTRIBUTES, 0)?)
}

/// Returns the attributes of an open file.
pub(in crate::workspace::disk) fn stat_handle(file: &OwnedHandle) -> SysResult<Stat> {
    let found = information(file.as_handle())?;
    Ok(stat_of(file, &found))
}

/// Returns the attributes of a file from its information, its owner and its access list.
pub(super) fn stat_of(file: &OwnedHandle, found: &Information) -> Stat {
    let kind = kind_of(found);
    Stat {
        kind,
        permissions: permissions_of(file, kind, found.attributes),
        uid: if is_own(file) { OWN_USER } else { OTHER_USER },
        gid: 0,
        links: found.links.into(),
        size: found.size,
        modified: Timestamp {
            seconds: found.modified.div_euclid(UNITS) - EPOCH,
            nanoseconds: u32::try_from(found.modified.rem_euclid(UNITS) * 100).unwrap_or_default(),
        },
        device: found.volume.into(),
        inode: found.index,
        has_no_xattrs: false,
        protection: None,
        inode_flags: 0,
    }
}

/// Returns the type of a file. A junction is a special file.
pub(super) fn kind_of(found: &Information) -> FileKind {
    if found.attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        return if found.reparse_tag == IO_REPARSE_TAG_SYMLINK {
            FileKind::Symlink
        } else {
            FileKind::Special
        };
    }
    if found.attributes & FILE_ATTRIBUTE_DIRECTORY != 0 {
        FileKind::Directory
    } else {
        FileKind::Regular
    }
}

fn permissions_of(file: &OwnedHandle, kind: FileKind, attributes: u32) -> u32 {
    match kind {
        FileKind::Directory => {
            let is_temporary = attributes & TEMPORARY_DIRECTORY == TEMPORARY_DIRECTORY;
            let mark = if is_temporary { TEMPORARY } else { 0 };
            let shared = if can_others_write(file) {
                OTHERS_WRITE
            } else {
                0
            };
            0o700 | mark | shared
        }
        FileKind::Symlink => 0o777,
        _ => file_bits(attributes & FILE_ATTRIBUTE_READONLY != 0),
    }
}

/// Returns whether the current user owns an open file. On a file system without owners, such as
/// FAT, every user who can access the disk owns all files.
pub(super) fn is_own(file: &OwnedHandle) -> bool {
    let file = file.as_handle();
    owner_is_trusted(file).unwrap_or(false) || !has_access_lists(file).unwrap_or(true)
}

/// Returns whether the access list of an open directory lets other users change its entries.
/// Returns false on a file system without access lists.
pub(super) fn can_others_write(directory: &OwnedHandle) -> bool {
    let directory = directory.as_handle();
    grants_write_to_others(directory).unwrap_or(true) && has_access_lists(directory).unwrap_or(true)
}

/// Returns the permission bits that [`stat`] reports for a file.
pub(super) fn file_bits(is_read_only: bool) -> u32 {
    if is_read_only { 0o400 } else { 0o600 }
}
