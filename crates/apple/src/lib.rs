//! The calls of Apple's systems that wpatch needs and no safe crate offers. On other systems this
//! crate is empty.

#![cfg(target_vendor = "apple")]

use std::ffi::{c_int, c_uint, c_void};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use rustix::fs::{CopyfileFlags, copyfile_state_alloc, copyfile_state_free, fcopyfile};
use rustix::io::Errno;

/// `ACL_TYPE_EXTENDED` of `sys/acl.h`.
const ACL_TYPE_EXTENDED: c_uint = 0x100;

unsafe extern "C" {
    fn acl_get_fd_np(file: c_int, kind: c_uint) -> *mut c_void;
    fn acl_set_fd_np(file: c_int, list: *mut c_void, kind: c_uint) -> c_int;
    fn acl_init(entries: c_int) -> *mut c_void;
    fn acl_free(object: *mut c_void) -> c_int;
}

/// Copies the extended attributes and the access control list of the file `from` to the file `to`,
/// and removes entries of the list that `to` has inherited.
///
/// # Errors
///
/// Returns the error of fcopyfile(3) or `acl_set_fd_np`. `EPERM` is ignored: only the system may
/// set `com.apple.provenance`, which it gives to the files that a program creates. A file system
/// without extended attributes or lists is no error.
pub fn copy_attributes(from: impl AsFd, to: impl AsFd) -> io::Result<()> {
    for copy in [copy_list, copy_extended] {
        match copy(from.as_fd(), to.as_fd()) {
            Ok(()) | Err(Errno::PERM | Errno::NOTSUP | Errno::OPNOTSUPP) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Copies the extended attributes.
fn copy_extended(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<(), Errno> {
    let state = copyfile_state_alloc()?;
    // SAFETY: the state was allocated by `copyfile_state_alloc` and is not freed yet.
    let result = unsafe { fcopyfile(from, to, state, CopyfileFlags::XATTR) };
    // SAFETY: as above. Nothing uses the state after this call.
    unsafe { copyfile_state_free(state) }?;
    result
}

/// Copies the access control list. fcopyfile(3) is of no use for it: it copies no inherited entry,
/// and keeps the inherited entries of the target.
fn copy_list(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<(), Errno> {
    let list = match AccessList::of(from) {
        Err(Errno::NOENT) => match AccessList::of(to) {
            Err(Errno::NOENT) => return Ok(()),
            _ => AccessList::empty()?,
        },
        list => list?,
    };
    // SAFETY: the file descriptor is open, and the list belongs to this value.
    match unsafe { acl_set_fd_np(to.as_raw_fd(), list.0, ACL_TYPE_EXTENDED) } {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// An access control list, which is freed when the value is dropped.
struct AccessList(*mut c_void);

impl AccessList {
    /// Returns the list of `file`. A file without one is the error `ENOENT`.
    fn of(file: BorrowedFd<'_>) -> Result<Self, Errno> {
        // SAFETY: the file descriptor is open.
        Self::from_call(unsafe { acl_get_fd_np(file.as_raw_fd(), ACL_TYPE_EXTENDED) })
    }

    fn empty() -> Result<Self, Errno> {
        // SAFETY: the call has no requirements.
        Self::from_call(unsafe { acl_init(0) })
    }

    fn from_call(list: *mut c_void) -> Result<Self, Errno> {
        if list.is_null() {
            return Err(last_error());
        }
        Ok(Self(list))
    }
}

impl Drop for AccessList {
    fn drop(&mut self) {
        // SAFETY: the call that returned the list has allocated it, and nothing else frees it.
        unsafe { acl_free(self.0) };
    }
}

fn last_error() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}
