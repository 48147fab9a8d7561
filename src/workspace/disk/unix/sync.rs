//! Makes files and directories durable.

use rustix::fd::OwnedFd;
use rustix::fs::{OFlags, fsync};
use rustix::io::Errno;

use super::Current;
use super::errno::is_unsupported;
use super::files::open_regular;
use super::handle::open_directory;
use super::system::System;
use crate::workspace::disk::calls::{SysError, SysResult};

/// Makes the file or directory `name` durable.
pub(in crate::workspace::disk) fn sync(directory: &OwnedFd, name: &[u8]) -> SysResult<()> {
    match open_to_sync(directory, name)? {
        Some(opened) => sync_handle(&opened),
        None => sync_all(&open_directory(directory, b".", OFlags::RDONLY)?),
    }
}

/// Writes the file `name` to its device.
pub(in crate::workspace::disk) fn write_to_device(
    directory: &OwnedFd,
    name: &[u8],
) -> SysResult<()> {
    match open_to_sync(directory, name)? {
        Some(opened) => Ok(fsync(&opened)?),
        None => sync_all(&open_directory(directory, b".", OFlags::RDONLY)?),
    }
}

/// Opens the file or directory `name`. Returns `None` if this user may neither read nor write it.
/// Only a sync of its whole file system then covers it.
fn open_to_sync(directory: &OwnedFd, name: &[u8]) -> SysResult<Option<OwnedFd>> {
    let opened = match open_regular(directory, name, OFlags::RDONLY) {
        Err(error) if is_denied(&error) => {
            return Ok(open_regular(directory, name, OFlags::WRONLY).ok());
        }
        opened => opened,
    };
    opened.map(Some)
}

/// Makes the names in the root durable.
pub(in crate::workspace::disk) fn sync_root(root: &OwnedFd) -> SysResult<()> {
    sync_handle(root)
}

/// Makes all files on the file system of `file` durable.
pub(in crate::workspace::disk) fn sync_all(file: &OwnedFd) -> SysResult<()> {
    Ok(Current::sync_file_system(file)?)
}

/// Starts to write the file `name` to the disk, if the system can.
pub(in crate::workspace::disk) fn start_writeback(directory: &OwnedFd, name: &[u8]) {
    if let Ok(file) = open_regular(directory, name, OFlags::RDONLY) {
        Current::start_writeback(&file);
    }
}

fn sync_handle(file: &OwnedFd) -> SysResult<()> {
    match Current::sync_file(file) {
        // Some file systems cannot sync a directory alone; see fsync(2).
        Err(errno) if errno == Errno::INVAL || is_unsupported(errno) => sync_all(file),
        result => Ok(result?),
    }
}

fn is_denied(error: &SysError) -> bool {
    Errno::from_io_error(&error.source) == Some(Errno::ACCESS)
}
