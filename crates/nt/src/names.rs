//! Renames, links and deletes files by handle.

use std::ffi::OsStr;
use std::io;
use std::mem::offset_of;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, BorrowedHandle};

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_DISPOSITION_DELETE, FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE,
    FILE_DISPOSITION_POSIX_SEMANTICS, FILE_INFORMATION_CLASS, FILE_RENAME_INFORMATION,
    FILE_RENAME_POSIX_SEMANTICS, FILE_RENAME_REPLACE_IF_EXISTS, FileDispositionInformation,
    FileDispositionInformationEx, FileLinkInformation, FileRenameInformation,
    FileRenameInformationEx,
};
use windows_sys::Win32::Storage::FileSystem::{FILE_ATTRIBUTE_NORMAL, FILE_ATTRIBUTE_READONLY};

use crate::buffer::Buffer;
use crate::error::Status;
use crate::information::{BasicInformation, information, set_class, set_information};

/// What happens if the new name exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnExisting {
    /// The call fails with `ERROR_ALREADY_EXISTS` (183).
    Fail,
    /// The call replaces the file. On NTFS this is atomic for other processes, also if they have
    /// the file open with `FILE_SHARE_DELETE`.
    Replace,
}

/// Renames the file to `name` below `directory`. The handle needs `DELETE` access.
///
/// # Errors
///
/// Returns the error of the system. A read-only target is not replaced (5), and a directory is not
/// replaced.
pub fn rename_at(
    file: BorrowedHandle<'_>,
    directory: BorrowedHandle<'_>,
    name: &OsStr,
    on_existing: OnExisting,
) -> io::Result<()> {
    let replace = match on_existing {
        OnExisting::Fail => 0,
        OnExisting::Replace => FILE_RENAME_REPLACE_IF_EXISTS,
    };
    let posix = replace | FILE_RENAME_POSIX_SEMANTICS;
    match set_name(file, FileRenameInformationEx, posix, directory, name) {
        // The file system or the system has no such class: FAT, or Windows before 10.0.14393.
        Err(status) if status.is_unsupported() => {
            // In this class the first byte is a Boolean, with the same value.
            Ok(set_name(
                file,
                FileRenameInformation,
                replace,
                directory,
                name,
            )?)
        }
        result => Ok(result?),
    }
}

/// Adds the name `name` below `directory` to the file. Fails if the name exists.
///
/// # Errors
///
/// Returns `ERROR_ALREADY_EXISTS` (183) if the name exists, and the error of the system otherwise.
/// FAT has no links.
pub fn link_at(
    file: BorrowedHandle<'_>,
    directory: BorrowedHandle<'_>,
    name: &OsStr,
) -> io::Result<()> {
    Ok(set_name(file, FileLinkInformation, 0, directory, name)?)
}

/// Passes a name to the system. The structures for renames and links have the same fields.
fn set_name(
    file: BorrowedHandle<'_>,
    class: FILE_INFORMATION_CLASS,
    flags: u32,
    directory: BorrowedHandle<'_>,
    name: &OsStr,
) -> Result<(), Status> {
    let name: Vec<u8> = name.encode_wide().flat_map(u16::to_ne_bytes).collect();
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let mut bytes = vec![0; offset_of!(FILE_RENAME_INFORMATION, FileName)];
    let mut put = |offset: usize, field: &[u8]| {
        bytes[offset..offset + field.len()].copy_from_slice(field);
    };
    put(0, &flags.to_ne_bytes());
    let root = directory.as_raw_handle().expose_provenance();
    put(
        offset_of!(FILE_RENAME_INFORMATION, RootDirectory),
        &root.to_ne_bytes(),
    );
    put(
        offset_of!(FILE_RENAME_INFORMATION, FileNameLength),
        &length.to_ne_bytes(),
    );
    bytes.extend(name);
    set_class(file, class, &Buffer::from_bytes(&bytes))
}

/// Deletes the name by which `file` was opened, or the empty directory. The handle needs `DELETE`
/// access, and also `FILE_WRITE_ATTRIBUTES` for file systems other than NTFS.
///
/// On NTFS the name is free at once, also if other handles to the file are open. The read-only
/// attribute does not protect the file.
///
/// # Errors
///
/// Returns the error of the system, `ERROR_DIR_NOT_EMPTY` (145) for a directory with entries.
pub fn dispose(file: BorrowedHandle<'_>) -> io::Result<()> {
    let flags = FILE_DISPOSITION_DELETE
        | FILE_DISPOSITION_POSIX_SEMANTICS
        | FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE;
    let flags = Buffer::from_bytes(&flags.to_ne_bytes());
    match set_class(file, FileDispositionInformationEx, &flags) {
        Err(status) if status.is_unsupported() => {}
        result => return Ok(result?),
    }
    let attributes = information(file)?.attributes;
    if attributes & FILE_ATTRIBUTE_READONLY != 0 {
        let writable = BasicInformation {
            attributes: (attributes & !FILE_ATTRIBUTE_READONLY) | FILE_ATTRIBUTE_NORMAL,
            ..BasicInformation::default()
        };
        set_information(file, &writable)?;
    }
    let delete = Buffer::from_bytes(&[1]);
    Ok(set_class(file, FileDispositionInformation, &delete)?)
}
