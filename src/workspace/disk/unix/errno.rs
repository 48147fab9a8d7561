//! Maps error numbers to kinds of errors.

use std::io;

use rustix::fd::AsFd;
use rustix::fs::{AtFlags, fstat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::stat::stat_of;
use crate::workspace::disk::calls::SysError;
use crate::workspace::{ErrorKind, StickyBitError};

/// Returns whether the process or the system has no free file handle.
pub(in crate::workspace::disk) fn is_out_of_handles(error: &SysError) -> bool {
    matches!(
        Errno::from_io_error(&error.source),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

impl From<Errno> for SysError {
    /// Returns the usual meaning of an error number; see errno(3).
    fn from(errno: Errno) -> Self {
        let fault = match errno {
            Errno::NOENT => ErrorKind::Missing,
            Errno::EXIST => ErrorKind::Exists,
            Errno::NOTDIR => ErrorKind::NotDirectory,
            Errno::ISDIR | Errno::NXIO => ErrorKind::NotRegular,
            Errno::NOTEMPTY => ErrorKind::NotEmpty,
            Errno::XDEV => ErrorKind::CrossDevice,
            Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::BUSY => ErrorKind::Denied,
            errno if is_unsupported(errno) => ErrorKind::Unsupported,
            _ => ErrorKind::Other,
        };
        Self::new(fault, errno)
    }
}

impl From<io::Error> for SysError {
    /// Returns the usual meaning of the error number, if the error has one.
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(errno) => errno.into(),
            None => Self::new(ErrorKind::Other, error),
        }
    }
}

/// Returns whether the system or the file system does not support a call. `ENOTSUP` and
/// `EOPNOTSUPP` are different numbers on macOS.
pub(super) fn is_unsupported(errno: Errno) -> bool {
    [Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP].contains(&errno)
}

/// The sticky bit of a directory; see inode(7).
pub(super) const STICKY: u32 = 0o1000;

/// Returns the error for `EPERM` on the file `name`, if the sticky bit of `directory` protects it;
/// see unlink(2).
pub(super) fn sticky_error(directory: impl AsFd, name: &[u8]) -> Option<SysError> {
    let above = fstat(directory.as_fd()).ok()?;
    let file = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let user = geteuid().as_raw();
    let is_protected =
        stat_of(&above).permissions & STICKY != 0 && above.st_uid != user && file.st_uid != user;
    let error = || {
        io::Error::new(
            io::ErrorKind::PermissionDenied,
            StickyBitError { owner: file.st_uid },
        )
    };
    is_protected.then(|| SysError::new(ErrorKind::Denied, error()))
}

/// Returns the error of symlink(2). There, `EPERM` means that the file system does not support
/// symbolic links.
pub(super) fn symlink_error(errno: Errno) -> SysError {
    match errno {
        errno if errno == Errno::PERM || is_unsupported(errno) => SysError::without_errno(
            ErrorKind::Unsupported,
            "this file system does not support symbolic links",
        ),
        errno => errno.into(),
    }
}

/// Returns the error of link(2). There, `EPERM` also means that the file system does not support
/// hard links.
pub(super) fn link_error(errno: Errno) -> SysError {
    match errno {
        Errno::PERM => SysError::new(ErrorKind::Unsupported, errno),
        errno => errno.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_standard_library_is_classified_by_its_number() {
        let kind = |error: io::Error| SysError::from(error).kind;
        assert_eq!(kind(Errno::ISDIR.into()), ErrorKind::NotRegular);
        assert_eq!(kind(io::ErrorKind::NotFound.into()), ErrorKind::Other);
    }
}
