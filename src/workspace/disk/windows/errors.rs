//! Maps error codes of Win32 to kinds of errors, and repeats calls that other programs prevent for
//! a moment.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::workspace::ErrorKind;
use crate::workspace::disk::calls::{SysError, SysResult};

/// `ERROR_ACCESS_DENIED`. It has several causes, so callers examine it.
pub(super) const ACCESS_DENIED: i32 = 5;
/// `ERROR_DIRECTORY`: the file is not a directory.
pub(super) const NOT_A_DIRECTORY: i32 = 267;
/// `ERROR_PRIVILEGE_NOT_HELD`: the user may not create symbolic links.
pub(super) const PRIVILEGE_NOT_HELD: i32 = 1314;
/// `ERROR_TOO_MANY_OPEN_FILES`.
const TOO_MANY_OPEN_FILES: i32 = 4;

/// How long a call is repeated that fails because another program has the file open. Virus scanners
/// and indexers open new files for some milliseconds.
const PATIENCE: Duration = Duration::from_secs(1);
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(100);

/// Returns whether the process or the system has no free file handle.
pub(in crate::workspace::disk) fn is_out_of_handles(error: &SysError) -> bool {
    error.source.raw_os_error() == Some(TOO_MANY_OPEN_FILES)
}

impl From<io::Error> for SysError {
    /// Returns the usual meaning of the error code, if the error has one; see "System Error Codes"
    /// in the documentation of Windows.
    fn from(error: io::Error) -> Self {
        let kind = error.raw_os_error().map_or(ErrorKind::Other, kind_of);
        Self::new(kind, error)
    }
}

fn kind_of(code: i32) -> ErrorKind {
    match code {
        // File, path, network path, share; a name or path that no file can have.
        2 | 3 | 53 | 67 | 123 | 161 => ErrorKind::Missing,
        80 | 183 => ErrorKind::Exists,
        NOT_A_DIRECTORY => ErrorKind::NotDirectory,
        336 => ErrorKind::NotRegular,
        145 => ErrorKind::NotEmpty,
        17 => ErrorKind::CrossDevice,
        // Another handle without sharing, a lock, a pending deletion, a mapped file.
        32 | 33 | 303 | 1224 => ErrorKind::Busy,
        // Access, a protected disk, a privilege.
        ACCESS_DENIED | 19 | PRIVILEGE_NOT_HELD => ErrorKind::Denied,
        // Function, request, name of a level.
        1 | 50 | 124 => ErrorKind::Unsupported,
        _ => ErrorKind::Other,
    }
}

/// Returns whether the system refused access, for one of several reasons.
pub(super) fn is_access_denied(error: &SysError) -> bool {
    error.source.raw_os_error() == Some(ACCESS_DENIED)
}

/// Calls `work` again while it fails because another program has the file open, at most for
/// [`PATIENCE`].
pub(super) fn retry_while_busy<T>(mut work: impl FnMut() -> SysResult<T>) -> SysResult<T> {
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        match work() {
            Err(error) if error.kind == ErrorKind::Busy && start.elapsed() < PATIENCE => {
                sleep(pause);
                pause = (pause * 2).min(MAX_PAUSE);
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_classified_by_its_code() {
        let kind = |code| SysError::from(io::Error::from_raw_os_error(code)).kind;
        assert_eq!(kind(2), ErrorKind::Missing);
        assert_eq!(kind(183), ErrorKind::Exists);
        assert_eq!(kind(32), ErrorKind::Busy);
        assert_eq!(kind(5), ErrorKind::Denied);
        assert_eq!(
            SysError::from(io::Error::other("no code")).kind,
            ErrorKind::Other
        );
    }

    #[test]
    fn a_busy_file_is_tried_again() {
        let mut count = 0;
        let result = retry_while_busy(|| {
            count += 1;
            if count < 4 {
                return Err(io::Error::from_raw_os_error(32).into());
            }
            Ok(count)
        });
        assert_eq!(result.unwrap(), 4);
    }
}
