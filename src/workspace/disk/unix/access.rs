//! Examines whether this user can change a file, without a write.

use std::error::Error;
use std::io;

use rustix::fd::OwnedFd;
use rustix::fs::{Access, AtFlags, StatVfsMountFlags, accessat, fstatvfs, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::Current;
use super::errno::STICKY;
use super::stat::stat_of;
use super::system::{DirectoryStatus, System};
use crate::workspace::disk::calls::{SysError, SysResult};
use crate::workspace::{
    EntryRights, ErrorKind, InPlaceChange, OwnerError, ProtectedError, Protection,
};

/// The access that every change of entries needs.
const CHANGE: Access = Access::WRITE_OK.union(Access::EXEC_OK);

/// Returns the rights of this user on the entries of `directory`.
///
/// An error of another kind than a refusal answers nothing, so the directory then counts as
/// writable.
pub(in crate::workspace::disk) fn entry_rights(directory: &OwnedFd) -> SysResult<EntryRights> {
    let Ok(DirectoryStatus {
        permissions,
        uid,
        protection,
    }) = Current::directory_status(directory)
    else {
        return Ok(EntryRights::default());
    };
    let access = check(directory, b".", CHANGE);
    // access(2) fails on a read-only mount, but it reports a missing permission first.
    if access.is_err() && is_read_only(directory) {
        return Err(Errno::ROFS.into());
    }
    if protection == Some(Protection::Immutable) {
        return Err(refused(ProtectedError(Protection::Immutable)));
    }
    access.or_else(refusal)?;
    let is_sticky = permissions & STICKY != 0 && uid != geteuid().as_raw();
    Ok(EntryRights {
        is_append_only: protection == Some(Protection::AppendOnly),
        is_sticky: is_sticky && !Current::can_change_foreign_files(),
    })
}

/// Checks that this user can change the file `name` in place.
pub(in crate::workspace::disk) fn check_in_place(
    directory: &OwnedFd,
    name: &[u8],
    change: InPlaceChange,
) -> SysResult<()> {
    match change {
        InPlaceChange::Content => check(directory, name, Access::WRITE_OK).or_else(refusal),
        InPlaceChange::Mode => check_mode_change(directory, name),
    }
}

/// Checks that this user can change the mode of the file `name`; see chmod(2). access(2) does not
/// answer this.
fn check_mode_change(directory: &OwnedFd, name: &[u8]) -> SysResult<()> {
    if is_read_only(directory) {
        return Err(Errno::ROFS.into());
    }
    let Ok(found) = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) else {
        return Ok(());
    };
    let owner = stat_of(&found).uid;
    if owner == geteuid().as_raw() || Current::can_change_foreign_files() {
        return Ok(());
    }
    Err(refused(OwnerError { owner }))
}

/// Returns whether the mount or the file system of `directory` is read-only.
fn is_read_only(directory: &OwnedFd) -> bool {
    fstatvfs(directory).is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::RDONLY))
}

/// Checks the access of the effective user, for which the system considers capabilities, access
/// control lists and read-only mounts; see access(2).
fn check(directory: &OwnedFd, name: &[u8], access: Access) -> rustix::io::Result<()> {
    accessat(directory, name, access, AtFlags::EACCESS)
}

/// Returns the error if it is a refusal. Old filters of system calls reject faccessat2(2) with
/// `EPERM`, so this number answers nothing.
fn refusal(errno: Errno) -> SysResult<()> {
    match errno {
        Errno::ACCESS | Errno::ROFS => Err(errno.into()),
        _ => Ok(()),
    }
}

/// Returns an error with the reason `reason`.
fn refused(reason: impl Error + Send + Sync + 'static) -> SysError {
    let source = io::Error::new(io::ErrorKind::PermissionDenied, reason);
    SysError::new(ErrorKind::Denied, source)
}
