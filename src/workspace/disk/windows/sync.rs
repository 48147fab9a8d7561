//! Makes files and directories durable.

use std::os::windows::io::{AsHandle, OwnedHandle};

use wpatch_nt::flags::{FILE_ADD_FILE, FILE_READ_ATTRIBUTES, FILE_WRITE_DATA};
use wpatch_nt::flush;

use super::contents::open_regular;
use super::errors::is_access_denied;
use super::handle::open_directory;
use super::stat::stat;
use crate::mode::FileKind;
use crate::workspace::ErrorKind;
use crate::workspace::disk::calls::{SysError, SysResult};

/// Makes the file or directory `name` durable.
///
/// Windows does not document a sync of a directory, so the function ignores its errors. NTFS
/// restores a consistent state of its directories after a power loss, which can be an old one. A
/// symbolic link is part of its directory.
pub(in crate::workspace::disk) fn sync(directory: &OwnedHandle, name: &[u8]) -> SysResult<()> {
    let found = stat(directory, name)?;
    match found.kind {
        FileKind::Directory => {
            let access = FILE_ADD_FILE | FILE_READ_ATTRIBUTES;
            if let Ok(opened) = open_directory(directory, name, access) {
                let _ = flush(opened.as_handle());
            }
            Ok(())
        }
        FileKind::Regular => match open_regular(directory, name, FILE_WRITE_DATA) {
            // A read-only file was synced before it got that attribute.
            Err(error) if is_access_denied(&error) && found.permissions & 0o200 == 0 => Ok(()),
            opened => Ok(flush(opened?.0.as_handle())?),
        },
        _ => Ok(()),
    }
}

/// Writes the file `name` to its device.
pub(in crate::workspace::disk) fn write_to_device(
    directory: &OwnedHandle,
    name: &[u8],
) -> SysResult<()> {
    sync(directory, name)
}

/// Makes the names in the root durable.
pub(in crate::workspace::disk) fn sync_root(root: &OwnedHandle) -> SysResult<()> {
    sync(root, b".")
}

/// Fails, because only administrators can sync a volume.
pub(in crate::workspace::disk) fn sync_all(_: &OwnedHandle) -> SysResult<()> {
    Err(SysError::without_errno(
        ErrorKind::Unsupported,
        "Windows cannot sync all files",
    ))
}

/// Does nothing, because the system has no such call.
pub(in crate::workspace::disk) fn start_writeback(_: &OwnedHandle, _: &[u8]) {}
