//! Locks between processes.

use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};

use wpatch_nt::flags::{
    FILE_NON_DIRECTORY_FILE, FILE_READ_ATTRIBUTES, FILE_READ_DATA, FILE_WRITE_DATA,
};
use wpatch_nt::{Disposition, OpenOptions};

use super::handle::{not_regular_error, open_new};
use super::stat::{stat, stat_handle};
use crate::mode::FileKind;
use crate::workspace::ErrorKind;
use crate::workspace::disk::calls::{LockAttempt, SysError, SysResult};

/// Opens the file `name`, creates it if needed, and tries to lock it.
pub(in crate::workspace::disk) fn try_lock(
    directory: &OwnedHandle,
    name: &[u8],
) -> SysResult<LockAttempt<OwnedHandle>> {
    let how = OpenOptions {
        access: FILE_READ_DATA | FILE_WRITE_DATA | FILE_READ_ATTRIBUTES,
        disposition: Disposition::OpenOrCreate,
        options: FILE_NON_DIRECTORY_FILE,
        ..OpenOptions::default()
    };
    let opened = match open_new(directory, name, &how) {
        // The holder is removing the file.
        Err(error) if error.kind == ErrorKind::Busy => return Ok(LockAttempt::Busy),
        opened => opened?,
    };
    let ours = stat_handle(&opened)?;
    if ours.kind != FileKind::Regular {
        return Err(not_regular_error());
    }
    if !wpatch_nt::try_lock(opened.as_handle())? {
        return Ok(LockAttempt::Busy);
    }
    // The lock belongs to the file, not to its name. The holder may have removed the file before it
    // unlocked it.
    match stat(directory, name) {
        Ok(found) if (found.device, found.inode) == (ours.device, ours.inode) => {
            Ok(LockAttempt::Held(opened))
        }
        Ok(_) => Ok(LockAttempt::Gone),
        Err(error) if error.kind == ErrorKind::Missing => Ok(LockAttempt::Gone),
        Err(error) => Err(error),
    }
}

/// Fails, because the system locks only files.
pub(in crate::workspace::disk) fn try_lock_directory(
    _: &OwnedHandle,
    _: &[u8],
) -> SysResult<LockAttempt<OwnedHandle>> {
    let source = io::Error::new(
        io::ErrorKind::Unsupported,
        "Windows does not lock directories",
    );
    Err(SysError::new(ErrorKind::Unsupported, source))
}
