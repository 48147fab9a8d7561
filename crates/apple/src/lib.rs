//! The calls of Apple's systems that wpatch needs and no safe crate offers. On other systems this
//! crate is empty.

#![cfg(target_vendor = "apple")]

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{CopyfileFlags, copyfile_state_alloc, copyfile_state_free, fcopyfile};
use rustix::io::Errno;

/// Copies the extended attributes and the access control list of the file `from` to the file `to`;
/// see fcopyfile(3).
///
/// # Errors
///
/// Returns the error of fcopyfile(3). `EPERM` is ignored: only the system may set
/// `com.apple.provenance`, which it gives to the files that a program creates.
pub fn copy_attributes(from: impl AsFd, to: impl AsFd) -> io::Result<()> {
    // Two calls, so that a refused attribute does not prevent the copy of the list.
    for flags in [CopyfileFlags::ACL, CopyfileFlags::XATTR] {
        match copy(from.as_fd(), to.as_fd(), flags) {
            Ok(()) | Err(Errno::PERM | Errno::NOTSUP) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

fn copy(from: BorrowedFd<'_>, to: BorrowedFd<'_>, flags: CopyfileFlags) -> Result<(), Errno> {
    let state = copyfile_state_alloc()?;
    // SAFETY: the state was allocated by `copyfile_state_alloc` and is not freed yet.
    let result = unsafe { fcopyfile(from, to, state, flags) };
    // SAFETY: as above. Nothing uses the state after this call.
    unsafe { copyfile_state_free(state) }?;
    result
}
