//! Lists directories.

use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::offset_of;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, OwnedHandle};
use std::ptr;

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_DIRECTORY_FILE, FILE_DIRECTORY_INFORMATION, FILE_OPEN_FOR_BACKUP_INTENT,
    FileDirectoryInformation, NtQueryDirectoryFile,
};
use windows_sys::Win32::Foundation::{
    STATUS_NO_MORE_FILES, STATUS_NO_SUCH_FILE, STATUS_OBJECT_NAME_INVALID, UNICODE_STRING,
};
use windows_sys::Win32::Storage::FileSystem::FILE_LIST_DIRECTORY;
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use crate::buffer::{Buffer, entries, length_at, u32_at, wide_at};
use crate::error::Status;
use crate::open::{OpenOptions, open_at};

/// The number of bytes per call.
const CHUNK: usize = 64 << 10;

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The name as the file system stores it.
    pub name: OsString,
    /// The attributes, such as `FILE_ATTRIBUTE_DIRECTORY`.
    pub attributes: u32,
}

/// Returns the entries of a directory, without `.` and `..`, in the order of the file system. The
/// user needs the right to list the directory. The handle can have any access.
///
/// # Errors
///
/// Returns the error of the system.
pub fn list(directory: BorrowedHandle<'_>) -> io::Result<Vec<DirectoryEntry>> {
    let directory = open_for_scan(directory)?;
    let mut buffer = Buffer::with_length(CHUNK);
    let mut found = Vec::new();
    loop {
        match scan(directory.as_handle(), None, &mut buffer) {
            Ok(bytes) => found.extend(entries(&bytes).map(parse_entry)),
            // A root directory of FAT without entries does not contain `.` either.
            Err(Status(STATUS_NO_MORE_FILES | STATUS_NO_SUCH_FILE)) => break,
            Err(status) => return Err(status.into()),
        }
    }
    found.retain(|entry| entry.name != "." && entry.name != "..");
    Ok(found)
}

/// Returns the entry of a directory that has this name in another case, or as its short name.
///
/// `*`, `?`, `<`, `>` and `"` in `name` are wildcards.
///
/// # Errors
///
/// Returns the error of the system.
pub fn find(directory: BorrowedHandle<'_>, name: &OsStr) -> io::Result<Option<DirectoryEntry>> {
    let directory = open_for_scan(directory)?;
    let mut buffer = Buffer::with_length(1 << 10);
    match scan(directory.as_handle(), Some(name), &mut buffer) {
        Ok(bytes) => Ok(entries(&bytes).next().map(parse_entry)),
        Err(Status(STATUS_NO_MORE_FILES | STATUS_NO_SUCH_FILE)) => Ok(None),
        Err(status) => Err(status.into()),
    }
}

/// Opens the directory again. A handle has one position for all threads. On Wine it also keeps the
/// entries of its first scan.
fn open_for_scan(directory: BorrowedHandle<'_>) -> io::Result<OwnedHandle> {
    let how = OpenOptions {
        access: FILE_LIST_DIRECTORY,
        options: FILE_DIRECTORY_FILE | FILE_OPEN_FOR_BACKUP_INTENT,
        ..OpenOptions::default()
    };
    open_at(Some(directory), OsStr::new(""), &how)
}

/// Reads the next entries. The first call for a handle determines the pattern.
fn scan(
    directory: BorrowedHandle<'_>,
    pattern: Option<&OsStr>,
    buffer: &mut Buffer,
) -> Result<Vec<u8>, Status> {
    let mut pattern: Vec<u16> = pattern.unwrap_or_default().encode_wide().collect();
    let length =
        u16::try_from(pattern.len() * 2).map_err(|_| Status(STATUS_OBJECT_NAME_INVALID))?;
    let pattern = UNICODE_STRING {
        Length: length,
        MaximumLength: length,
        Buffer: pattern.as_mut_ptr(),
    };
    let mut result = IO_STATUS_BLOCK::default();
    // SAFETY: the buffer has the stated size and the alignment of the structure. The handle is
    // synchronous, so the call has written the buffer when it returns, and does not keep the name.
    let status = unsafe {
        NtQueryDirectoryFile(
            directory.as_raw_handle(),
            ptr::null_mut(),
            None,
            ptr::null(),
            &raw mut result,
            buffer.as_mut_ptr(),
            buffer.size(),
            FileDirectoryInformation,
            false,
            if length == 0 {
                ptr::null()
            } else {
                &raw const pattern
            },
            false,
        )
    };
    Status::check(status)?;
    Ok(buffer.to_bytes(result.Information))
}

fn parse_entry(entry: &[u8]) -> DirectoryEntry {
    let length = length_at(
        entry,
        offset_of!(FILE_DIRECTORY_INFORMATION, FileNameLength),
    );
    let name = wide_at(
        entry,
        offset_of!(FILE_DIRECTORY_INFORMATION, FileName),
        length,
    );
    DirectoryEntry {
        name: OsString::from_wide(&name),
        attributes: u32_at(
            entry,
            offset_of!(FILE_DIRECTORY_INFORMATION, FileAttributes),
        ),
    }
}
