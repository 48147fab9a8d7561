//! Errors inside the disk, before they get the name of their verb.

use std::io;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, fstat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::path::RelPath;
use crate::workspace::{Fault, StickyBit};

/// What a part of a verb gives.
pub(super) type Attempt<T> = Result<T, Trouble>;

/// A failed system call: what it means to callers, and what the system said.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) fault: Fault,
    pub(super) source: io::Error,
    /// The path that is to blame, where it is not the one that the verb was called with.
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

    /// Something that no system call says by itself.
    pub(super) fn own(fault: Fault, message: &'static str) -> Self {
        Self::new(fault, io::Error::other(message))
    }

    pub(super) fn blaming(self, path: &RelPath) -> Self {
        Self {
            path: Some(path.clone()),
            ..self
        }
    }

    /// Whether the process or the system has run out of file handles.
    pub(super) fn is_out_of_handles(&self) -> bool {
        matches!(
            Errno::from_io_error(&self.source),
            Some(Errno::MFILE | Errno::NFILE)
        )
    }
}

impl From<Errno> for Trouble {
    /// Says what an error means where the call gives it no meaning of its own; see errno(3).
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

/// Returns what `EPERM` means for the file `name`, if it is the sticky bit of `directory` that
/// protects it; see unlink(2).
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

/// Says that a file system has no symbolic links, where a system call has its own word for it; see
/// symlink(2).
pub(super) fn no_links(errno: Errno) -> Trouble {
    match errno {
        Errno::PERM | Errno::NOSYS | Errno::OPNOTSUPP => {
            Trouble::own(Fault::Unsupported, "this file system has no symbolic links")
        }
        errno => errno.into(),
    }
}

/// `EPERM` of a call that makes a link also says that the file system has no such links; see
/// link(2).
pub(super) fn link_fault(errno: Errno) -> Trouble {
    match errno {
        Errno::PERM => Trouble::new(Fault::Unsupported, errno),
        errno => errno.into(),
    }
}
