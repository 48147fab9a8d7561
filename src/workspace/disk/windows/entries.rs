//! Creates, renames and removes names of files.

use std::ffi::OsStr;
use std::os::windows::io::{AsHandle, OwnedHandle};

use wpatch_nt::flags::{DELETE, FILE_DIRECTORY_FILE, FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES};
use wpatch_nt::{LinkKind, OnExisting, dispose, link_at, rename_at};

use super::errors::{PRIVILEGE_NOT_HELD, is_access_denied, retry_while_busy};
use super::handle::{not_regular_error, open_existing};
use super::names::new_name;
use super::stat::{stat, stat_handle};
use crate::mode::FileKind;
use crate::path::os_path;
use crate::workspace::disk::calls::{SysError, SysResult};
use crate::workspace::{ErrorKind, RenameMode, Stat};

/// The reason why a user cannot create symbolic links.
const NO_SYMLINKS: &str =
    "Windows allows symbolic links only to administrators and in developer mode";

/// Returns the reason why this user cannot create symbolic links, if there is one.
pub(in crate::workspace::disk) fn symlink_refusal() -> Option<&'static str> {
    let may_create = wpatch_nt::may_create_symlinks();
    may_create.is_ok_and(|may| !may).then_some(NO_SYMLINKS)
}

/// Creates a symbolic link. The current user owns it.
///
/// Windows distinguishes links to directories from links to files. A link whose target does not
/// exist yet becomes a link to a file.
pub(in crate::workspace::disk) fn create_symlink(
    directory: &OwnedHandle,
    name: &[u8],
    target: &[u8],
    _: Option<(u32, u32)>,
    leads_to_directory: impl FnOnce() -> bool,
) -> SysResult<()> {
    let unsupported = |message| SysError::without_errno(ErrorKind::Unsupported, message);
    let target = os_path(target).ok_or_else(|| unsupported("the target is not valid UTF-8"))?;
    let kind = if leads_to_directory() {
        LinkKind::Directory
    } else {
        LinkKind::File
    };
    let (name, target): (&OsStr, &OsStr) = (new_name(name)?, target.as_os_str());
    let created = wpatch_nt::create_symlink(directory.as_handle(), name, target, kind);
    created.map_err(|error| match SysError::from(error) {
        error if error.source.raw_os_error() == Some(PRIVILEGE_NOT_HELD) => {
            unsupported(NO_SYMLINKS)
        }
        error if error.kind == ErrorKind::Unsupported => {
            unsupported("this file system does not support symbolic links")
        }
        error => error,
    })
}

/// Creates a second name for a file.
pub(in crate::workspace::disk) fn link(
    old_directory: &OwnedHandle,
    old: &[u8],
    new_directory: &OwnedHandle,
    new: &[u8],
) -> SysResult<()> {
    let access = FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES;
    let file = open_existing(old_directory, old, access, 0)?;
    let linked = link_at(file.as_handle(), new_directory.as_handle(), new_name(new)?);
    linked.map_err(|error| match SysError::from(error) {
        error if error.kind == ErrorKind::NotRegular => {
            SysError::without_errno(ErrorKind::Unsupported, "a directory has only one name")
        }
        error => error,
    })
}

/// Removes a name of a file or link.
pub(in crate::workspace::disk) fn remove(directory: &OwnedHandle, name: &[u8]) -> SysResult<()> {
    let (file, found) = open_to_remove(directory, name, 0)?;
    if found.kind == FileKind::Directory {
        return Err(not_regular_error());
    }
    retry_while_busy(|| {
        let removed = dispose(file.as_handle()).map_err(SysError::from);
        // The user has the right to remove the file, so only its use prevents that.
        removed.map_err(as_busy)
    })
}

/// Removes an empty directory.
pub(in crate::workspace::disk) fn remove_directory(
    directory: &OwnedHandle,
    name: &[u8],
) -> SysResult<()> {
    let (opened, found) = open_to_remove(directory, name, FILE_DIRECTORY_FILE)?;
    if found.kind != FileKind::Directory {
        return Err(SysError::without_errno(
            ErrorKind::NotDirectory,
            "a link to a directory",
        ));
    }
    retry_while_busy(|| Ok(dispose(opened.as_handle())?))
}

/// Opens a file to remove or rename it. File systems other than NTFS also need the right to change
/// its attributes.
fn open_to_remove(
    directory: &OwnedHandle,
    name: &[u8],
    options: u32,
) -> SysResult<(OwnedHandle, Stat)> {
    let access = DELETE | FILE_READ_ATTRIBUTES;
    let more = access | FILE_WRITE_ATTRIBUTES;
    let opened = match open_existing(directory, name, more, options) {
        Err(error) if is_access_denied(&error) => open_existing(directory, name, access, options),
        opened => opened,
    }?;
    let found = stat_handle(&opened)?;
    Ok((opened, found))
}

/// Renames a file or directory.
pub(in crate::workspace::disk) fn rename(
    (old_directory, old): (&OwnedHandle, &[u8]),
    (new_directory, new): (&OwnedHandle, &[u8]),
    mode: RenameMode,
    _is_nested: bool,
) -> SysResult<()> {
    let on_existing = match mode {
        RenameMode::Exclusive => OnExisting::Fail,
        RenameMode::Replace => OnExisting::Replace,
        RenameMode::Exchange => {
            return Err(SysError::without_errno(
                ErrorKind::Unsupported,
                "Windows cannot exchange two files",
            ));
        }
    };
    let new_name = new_name(new)?;
    let (file, found) = open_to_remove(old_directory, old, 0)?;
    retry_while_busy(|| {
        let renamed = rename_at(
            file.as_handle(),
            new_directory.as_handle(),
            new_name,
            on_existing,
        );
        renamed.map_err(|error| explain_rename(error.into(), &found, (new_directory, new)))
    })
}

/// Finds out whether the use of one of the two files caused an error.
fn explain_rename(
    error: SysError,
    found: &Stat,
    (new_directory, new): (&OwnedHandle, &[u8]),
) -> SysError {
    if !is_access_denied(&error) && error.kind != ErrorKind::Busy {
        return error;
    }
    match stat(new_directory, new) {
        // A handle without sharing, or a mapped file.
        Ok(target) if target.kind == FileKind::Regular && target.permissions & 0o200 != 0 => {
            SysError {
                is_of_target: true,
                ..as_busy(error)
            }
        }
        Ok(_) => SysError {
            is_of_target: true,
            ..error
        },
        // A handle to a file below the directory.
        Err(_) if found.kind == FileKind::Directory => as_busy(error),
        Err(_) => error,
    }
}

fn as_busy(error: SysError) -> SysError {
    if is_access_denied(&error) {
        SysError {
            kind: ErrorKind::Busy,
            ..error
        }
    } else {
        error
    }
}
