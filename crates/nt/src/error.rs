//! Converts the results of calls to [`io::Error`].

use std::io;

use windows_sys::Win32::Foundation::{
    ERROR_DELETE_PENDING, ERROR_DIRECTORY_NOT_SUPPORTED, ERROR_NOT_SUPPORTED, NTSTATUS,
    RtlNtStatusToDosError, STATUS_DELETE_PENDING, STATUS_FILE_IS_A_DIRECTORY,
    STATUS_INVALID_DEVICE_REQUEST, STATUS_INVALID_INFO_CLASS, STATUS_INVALID_PARAMETER,
    STATUS_NOT_IMPLEMENTED, STATUS_NOT_SUPPORTED,
};

/// A status of NT that is not a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status(pub(crate) NTSTATUS);

impl Status {
    /// Returns an error if `status` is a warning or an error.
    pub(crate) fn check(status: NTSTATUS) -> Result<(), Self> {
        if status < 0 {
            Err(Self(status))
        } else {
            Ok(())
        }
    }

    /// Returns whether the file system or the system version lacks the operation.
    pub(crate) fn is_unsupported(self) -> bool {
        matches!(
            self.0,
            STATUS_INVALID_DEVICE_REQUEST
                | STATUS_INVALID_INFO_CLASS
                | STATUS_INVALID_PARAMETER
                | STATUS_NOT_IMPLEMENTED
                | STATUS_NOT_SUPPORTED
        )
    }
}

impl From<Status> for io::Error {
    fn from(status: Status) -> Self {
        let code = match status.0 {
            // The system maps both to "access denied". The callers have to tell them apart.
            STATUS_DELETE_PENDING => ERROR_DELETE_PENDING,
            STATUS_FILE_IS_A_DIRECTORY => ERROR_DIRECTORY_NOT_SUPPORTED,
            // The system maps them to different codes, one of them "invalid parameter".
            STATUS_INVALID_INFO_CLASS | STATUS_NOT_IMPLEMENTED | STATUS_NOT_SUPPORTED => {
                ERROR_NOT_SUPPORTED
            }
            // SAFETY: the function has no preconditions.
            status => unsafe { RtlNtStatusToDosError(status) },
        };
        Self::from_raw_os_error(code.cast_signed())
    }
}

/// Returns the error of the last call if `result` is 0, as functions of Win32 report it.
pub(crate) fn check_win32(result: i32) -> io::Result<()> {
    if result == 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
