//! Errors inside the disk backend, before the name of the verb is added.

use std::io;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, fstat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::path::RelPath;
use crate::workspace::{Fault, StickyBit};

/// The result of a part of a verb.
pub(super) type Attempt<T> = Result<T, Trouble>;

/// A failed system call: the error kind and the error of the operating system.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) fault: Fault,
    pub(super) source: io::Error,
    /// The path that caused the error, if it is not the path of the verb.
    pub(super) path: Option<RelPath>,
}

impl Trouble {
    pub(super) fn new(fault: Fault, source: impl Into<io::Error>) -> Self {
        Self {
            fault,
            source: source.into(),
            path: None,
        }
    }

    /// Returns an error that does not come from a system call.
    pub(super) fn own(fault: Fault, message: &'static str) -> Self {
        Self::new(fault, io::Error::other(message))
    }

    pub(super) fn blaming(self, path: &RelPath) -> Self {
        Self {
            path: Some(path.clone()),
            ..self
        }
    }

    /// Returns whether the process or the system has no free file handle.
    pub(super) fn is_out_of_handles(&self) -> bool {
        matches!(
            Errno::from_io_error(&self.source),
            Some(Errno::MFILE | Errno::NFILE)
        )
    }
}

impl From<Errno> for Trouble {
    /// Returns the usual meaning of an error number; see errno(3).
    fn from(errno: Errno) -> Self {
        let fault = match errno {
            Errno::NOENT => Fault::Missing,
            Errno::EXIST => Fault::Exists,
            Errno::NOTDIR => Fault::NotDirectory,
            Errno::ISDIR | Errno::NXIO => Fault::NotRegular,
            Errno::NOTEMPTY => Fault::NotEmpty,
            Errno::XDEV => Fault::CrossDevice,
            Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::BUSY => Fault::Denied,
            Errno::NOSYS | Errno::OPNOTSUPP => Fault::Unsupported,
            _ => Fault::Other,
        };
        Self::new(fault, errno)
    }
}

/// Returns the error for `EPERM` on the file `name`, if the sticky bit of `directory` protects it;
/// see unlink(2).
pub(super) fn sticky(directory: impl AsFd, name: &[u8]) -> Option<Trouble> {
    /// The sticky bit.
    const STICKY: u32 = 0o1000;
    let above = fstat(directory.as_fd()).ok()?;
    let file = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let user = geteuid().as_raw();
    let is_protected = above.st_mode & STICKY != 0 && above.st_uid != user && file.st_uid != user;
    let error = || {
        io::Error::new(
            io::ErrorKind::PermissionDenied,
            StickyBit { owner: file.st_uid },
        )
    };
    is_protected.then(|| Trouble::new(Fault::Denied, error()))
}

/// Returns an error that states that the file system has no symbolic links. symlink(2) reports this
/// as `EPERM`, for example.
pub(super) fn no_links(errno: Errno) -> Trouble {
    match errno {
        Errno::PERM | Errno::NOSYS | Errno::OPNOTSUPP => {
            Trouble::own(Fault::Unsupported, "this file system has no symbolic links")
        }
        errno => errno.into(),
    }
}

/// Returns the error of link(2). There, `EPERM` also means that the file system does not support
/// hard links.
pub(super) fn link_fault(errno: Errno) -> Trouble {
    match errno {
        Errno::PERM => Trouble::new(Fault::Unsupported, errno),
        errno => errno.into(),
    }
}
