//! Creates, renames and removes names of files.

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, linkat, renameat, symlinkat, unlinkat};
use rustix::io::Errno;

use super::Current;
use super::attributes::set_owner;
use super::errno::{link_error, sticky_error, symlink_error};
use super::system::System;
use crate::workspace::disk::calls::{SysError, SysResult};
use crate::workspace::{ErrorKind, RenameMode};

/// Creates a symbolic link. Sets its owner and group as far as the caller is allowed to.
pub(in crate::workspace::disk) fn create_symlink(
    directory: &OwnedFd,
    name: &[u8],
    target: &[u8],
    owner: Option<(u32, u32)>,
    _: impl FnOnce() -> bool,
) -> SysResult<()> {
    symlinkat(target, directory, name).map_err(symlink_error)?;
    let result = owner.map_or(Ok(()), |owner| set_owner(directory, name, owner));
    if result.is_err() {
        // Remove the link. If that fails too, the original error is still the one to return.
        let _ = unlinkat(directory, name, AtFlags::empty());
    }
    result
}

/// Creates a second name for a file.
pub(in crate::workspace::disk) fn link(
    old_directory: &OwnedFd,
    old: &[u8],
    new_directory: &OwnedFd,
    new: &[u8],
) -> SysResult<()> {
    linkat(old_directory, old, new_directory, new, AtFlags::empty()).map_err(link_error)
}

/// Removes a name of a file or link.
pub(in crate::workspace::disk) fn remove(directory: &OwnedFd, name: &[u8]) -> SysResult<()> {
    Ok(unlinkat(directory, name, AtFlags::empty())?)
}

/// Removes an empty directory.
pub(in crate::workspace::disk) fn remove_directory(
    directory: &OwnedFd,
    name: &[u8],
) -> SysResult<()> {
    unlinkat(directory, name, AtFlags::REMOVEDIR).map_err(|errno| match errno {
        // POSIX allows rmdir(2) to fail with EEXIST instead of ENOTEMPTY.
        Errno::EXIST => SysError::new(ErrorKind::NotEmpty, errno),
        errno => errno.into(),
    })
}

/// Renames a file or directory. `is_nested` states whether one of the two paths is below the other.
pub(in crate::workspace::disk) fn rename(
    (old_directory, old): (&OwnedFd, &[u8]),
    (new_directory, new): (&OwnedFd, &[u8]),
    mode: RenameMode,
    is_nested: bool,
) -> SysResult<()> {
    let result = match mode {
        RenameMode::Replace => renameat(old_directory, old, new_directory, new),
        RenameMode::Exclusive | RenameMode::Exchange => {
            Current::rename_with_flags((old_directory, old), (new_directory, new), mode)
        }
    };
    result.map_err(|errno| match errno {
        // Without the flags, EINVAL only means that a directory would be moved below itself. With
        // them, it also means that the file system does not support the flags; see rename(2).
        Errno::INVAL if mode != RenameMode::Replace && !is_nested => {
            SysError::new(ErrorKind::Unsupported, errno)
        }
        // EPERM can be caused by the sticky bit of either directory.
        Errno::PERM => sticky_error(new_directory, new)
            .map(|error| SysError {
                is_of_target: true,
                ..error
            })
            .or_else(|| sticky_error(old_directory, old))
            .unwrap_or_else(|| errno.into()),
        errno => errno.into(),
    })
}
