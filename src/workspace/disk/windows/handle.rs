//! Opens files and directories.

use std::ffi::OsStr;
use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::path::Path;
use std::sync::Arc;

use wpatch_nt::flags::{
    FILE_ATTRIBUTE_REPARSE_POINT, FILE_DIRECTORY_FILE, FILE_LIST_DIRECTORY,
    FILE_OPEN_REPARSE_POINT, FILE_READ_ATTRIBUTES, FILE_TRAVERSE, READ_CONTROL,
};
use wpatch_nt::{Disposition, OpenOptions, find, information, open_at, to_nt_path};

use super::errors::{NOT_A_DIRECTORY, is_access_denied, retry_while_busy};
use super::names::{existing_name, new_name};
use crate::text::is_same_name;
use crate::workspace::ErrorKind;
use crate::workspace::disk::calls::{Access, SysError, SysResult};

/// An open file or directory.
pub(in crate::workspace::disk) type Handle = OwnedHandle;

/// An open directory.
pub(in crate::workspace::disk) type DirectoryHandle = Arc<OwnedHandle>;

/// Opens the directory at `path`, which may contain links.
pub(in crate::workspace::disk) fn open_directory_at(
    path: &Path,
    access: Access,
) -> SysResult<OwnedHandle> {
    open_path(path, flags_of(access), FILE_DIRECTORY_FILE)
}

/// Opens the directory at `path`, whose last component is not a link.
pub(in crate::workspace::disk) fn open_real_directory(
    path: &Path,
    access: Access,
) -> SysResult<OwnedHandle> {
    let options = FILE_DIRECTORY_FILE | FILE_OPEN_REPARSE_POINT;
    let opened = open_path(path, flags_of(access), options)?;
    if is_reparse_point(&opened)? {
        return Err(through_link());
    }
    Ok(opened)
}

/// Opens the file at `path`, which may contain links. Also requests the right to read the owner and
/// the access list, if the user has it.
pub(super) fn open_path(path: &Path, access: u32, options: u32) -> SysResult<OwnedHandle> {
    let path = to_nt_path(&std::path::absolute(path)?);
    let how = |access| OpenOptions {
        access,
        options,
        ..OpenOptions::default()
    };
    match open_at(None, &path, &how(access | READ_CONTROL)).map_err(SysError::from) {
        Err(error) if is_access_denied(&error) => Ok(open_at(None, &path, &how(access))?),
        opened => opened,
    }
}

/// Opens the directory at `path` below `start` through real directories only. A link in the path is
/// the error [`ErrorKind::ThroughLink`].
pub(in crate::workspace::disk) fn resolve(
    start: &OwnedHandle,
    path: &[u8],
    access: Access,
) -> SysResult<OwnedHandle> {
    let mut names = path.split(|&byte| byte == b'/');
    let last = names
        .next_back()
        .expect("BUG: split gives at least one component");
    let mut reached: Option<OwnedHandle> = None;
    for name in names {
        let above = reached.as_ref().unwrap_or(start);
        reached = Some(open_directory(above, name, flags_of(Access::Resolve))?);
    }
    open_directory(reached.as_ref().unwrap_or(start), last, flags_of(access))
}

fn flags_of(access: Access) -> u32 {
    let access = match access {
        Access::Resolve => FILE_TRAVERSE,
        Access::List => FILE_TRAVERSE | FILE_LIST_DIRECTORY,
    };
    access | FILE_READ_ATTRIBUTES
}

/// Opens the directory `name` in `above`. Fails if it is a link.
pub(super) fn open_directory(
    above: &OwnedHandle,
    name: &[u8],
    access: u32,
) -> SysResult<OwnedHandle> {
    match open_with_owner(above, name, access, FILE_DIRECTORY_FILE) {
        Err(error) if error.source.raw_os_error() == Some(NOT_A_DIRECTORY) => {
            // A link to a file also fails with this error.
            let found = open_existing(above, name, FILE_READ_ATTRIBUTES, 0)?;
            if is_reparse_point(&found)? {
                Err(through_link())
            } else {
                Err(error)
            }
        }
        Ok(opened) if is_reparse_point(&opened)? => Err(through_link()),
        opened => opened,
    }
}

/// Opens the existing file or link `name` in `directory`. Also requests the right to read the owner
/// and the access list, if the user has it.
pub(super) fn open_with_owner(
    directory: &OwnedHandle,
    name: &[u8],
    access: u32,
    options: u32,
) -> SysResult<OwnedHandle> {
    match open_existing(directory, name, access | READ_CONTROL, options) {
        Err(error) if is_access_denied(&error) => open_existing(directory, name, access, options),
        opened => opened,
    }
}

/// Opens the existing file or link `name` in `directory`.
pub(super) fn open_existing(
    directory: &OwnedHandle,
    name: &[u8],
    access: u32,
    options: u32,
) -> SysResult<OwnedHandle> {
    let name = existing_name(name)?;
    let how = OpenOptions {
        access,
        options: options | FILE_OPEN_REPARSE_POINT,
        ..OpenOptions::default()
    };
    let opened = retry_while_busy(|| Ok(open_at(Some(directory.as_handle()), name, &how)?))?;
    check_long_name(directory, name)?;
    Ok(opened)
}

/// Creates the file or directory `name`, or opens it if the options allow that.
pub(super) fn open_new(
    directory: &OwnedHandle,
    name: &[u8],
    how: &OpenOptions<'_>,
) -> SysResult<OwnedHandle> {
    let name = new_name(name)?;
    let how = OpenOptions {
        options: how.options | FILE_OPEN_REPARSE_POINT,
        ..*how
    };
    let opened = retry_while_busy(|| Ok(open_at(Some(directory.as_handle()), name, &how)?))?;
    if how.disposition != Disposition::Create {
        check_long_name(directory, name)?;
    }
    Ok(opened)
}

/// Refuses the short name of a file, such as `LONGFI~1.TXT`. A rule for the long name must not
/// depend on the name that a patch uses.
///
/// The system puts `~` into each short name. Only administrators can set others.
fn check_long_name(directory: &OwnedHandle, name: &OsStr) -> SysResult<()> {
    let bytes = name.as_encoded_bytes();
    if !bytes.contains(&b'~') {
        return Ok(());
    }
    match find(directory.as_handle(), name)? {
        Some(found) if !is_same_name(found.name.as_encoded_bytes(), bytes) => {
            Err(SysError::without_errno(
                ErrorKind::Denied,
                "this is the short name of a file; use its long name",
            ))
        }
        _ => Ok(()),
    }
}

/// Returns whether an open file is a link or another reparse point.
pub(super) fn is_reparse_point(file: &OwnedHandle) -> SysResult<bool> {
    Ok(information(file.as_handle())?.attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0)
}

fn through_link() -> SysError {
    let source = io::Error::other("a directory of the path is a link");
    SysError::new(ErrorKind::ThroughLink, source)
}

/// Returns the error for a file that is not a regular file.
pub(super) fn not_regular_error() -> SysError {
    SysError::without_errno(ErrorKind::NotRegular, "not a regular file")
}
