//! Locks between processes.

use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle};

use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::{OVERLAPPED, OVERLAPPED_0, OVERLAPPED_0_0};

use crate::error::check_win32;

/// The high half of the offset of the locked byte. Locks of Windows are mandatory, and no file has
/// this size. Other processes can therefore read and write the whole file.
const OFFSET_HIGH: u32 = 0x4000_0000;

/// Locks the file for this handle. Returns false if another handle has the lock, also one of this
/// process. The lock ends when the handle is closed.
///
/// # Errors
///
/// Returns the error of the system. The handle needs read or write access to the data.
pub fn try_lock(file: BorrowedHandle<'_>) -> io::Result<bool> {
    let mut place = OVERLAPPED {
        Anonymous: OVERLAPPED_0 {
            Anonymous: OVERLAPPED_0_0 {
                Offset: 0,
                OffsetHigh: OFFSET_HIGH,
            },
        },
        ..OVERLAPPED::default()
    };
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: `place` lives until the call returns. The call never waits, so the system does not
    // keep the pointer.
    let result = unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) };
    let is_held = |error: &io::Error| {
        let code = error.raw_os_error().map(i32::cast_unsigned);
        matches!(code, Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING))
    };
    match check_win32(result) {
        Err(error) if is_held(&error) => Ok(false),
        result => result.map(|()| true),
    }
}
