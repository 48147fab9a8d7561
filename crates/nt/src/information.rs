//! Reads and sets the attributes of open files.

use std::ffi::OsString;
use std::io;
use std::mem::offset_of;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsRawHandle, BorrowedHandle};
use std::path::PathBuf;
use std::ptr;

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_BASIC_INFORMATION, FILE_INFORMATION_CLASS, FILE_STREAM_INFORMATION,
    FileAttributeTagInformation, FileBasicInformation, FileStreamInformation,
    NtQueryInformationFile, NtSetInformationFile,
};
use windows_sys::Win32::Foundation::{STATUS_BUFFER_OVERFLOW, STATUS_BUFFER_TOO_SMALL};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_REPARSE_POINT, FILE_ATTRIBUTE_TAG_INFO,
    FlushFileBuffers, GetFileInformationByHandle, GetFinalPathNameByHandleW,
    GetVolumeInformationByHandleW,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;
use windows_sys::Win32::System::SystemServices::FILE_PERSISTENT_ACLS;

use crate::buffer::{Buffer, entries, i64_at, length_at, u32_at, wide_at};
use crate::error::{Status, check_win32};

/// The attributes of a file. Times are in units of 100 ns since 1601.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Information {
    /// The attributes, such as `FILE_ATTRIBUTE_READONLY`.
    pub attributes: u32,
    /// The type of the reparse point, or 0.
    pub reparse_tag: u32,
    /// The size in bytes.
    pub size: u64,
    /// The number of names.
    pub links: u32,
    /// The serial number of the volume.
    pub volume: u32,
    /// The number of the file on its volume. FAT can give it to another file after a rename.
    pub index: u64,
    /// The time of creation.
    pub created: i64,
    /// The time of the last write to the data.
    pub modified: i64,
    /// The time of the last change to the data, the attributes or the names, or 0 if unknown.
    pub changed: i64,
}

/// The attributes to set. A zero leaves the current value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BasicInformation {
    /// The attributes. `FILE_ATTRIBUTE_NORMAL` alone removes all of them.
    pub attributes: u32,
    /// The time of creation.
    pub created: i64,
    /// The time of the last write.
    pub modified: i64,
}

/// Returns the attributes of a file. The handle needs `FILE_READ_ATTRIBUTES` access.
///
/// # Errors
///
/// Returns the error of the system.
pub fn information(file: BorrowedHandle<'_>) -> io::Result<Information> {
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: `found` is a structure of the expected type.
    check_win32(unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) })?;
    let basic = query_class(
        file,
        FileBasicInformation,
        size_of::<FILE_BASIC_INFORMATION>(),
    )?;
    let mut reparse_tag = 0;
    if found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        let size = size_of::<FILE_ATTRIBUTE_TAG_INFO>();
        let tag = query_class(file, FileAttributeTagInformation, size)?;
        reparse_tag = u32_at(&tag, offset_of!(FILE_ATTRIBUTE_TAG_INFO, ReparseTag));
    }
    let join = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    Ok(Information {
        attributes: found.dwFileAttributes,
        reparse_tag,
        size: join(found.nFileSizeHigh, found.nFileSizeLow),
        links: found.nNumberOfLinks,
        volume: found.dwVolumeSerialNumber,
        index: join(found.nFileIndexHigh, found.nFileIndexLow),
        created: i64_at(&basic, offset_of!(FILE_BASIC_INFORMATION, CreationTime)),
        modified: i64_at(&basic, offset_of!(FILE_BASIC_INFORMATION, LastWriteTime)),
        changed: i64_at(&basic, offset_of!(FILE_BASIC_INFORMATION, ChangeTime)),
    })
}

/// Sets attributes of a file. The handle needs `FILE_WRITE_ATTRIBUTES` access.
///
/// # Errors
///
/// Returns the error of the system.
pub fn set_information(file: BorrowedHandle<'_>, wanted: &BasicInformation) -> io::Result<()> {
    let times = [wanted.created, 0, wanted.modified, 0];
    let mut bytes: Vec<u8> = times.into_iter().flat_map(i64::to_ne_bytes).collect();
    bytes.extend(wanted.attributes.to_ne_bytes());
    Ok(set_class(
        file,
        FileBasicInformation,
        &Buffer::from_bytes(&bytes),
    )?)
}

/// Returns the names of the alternate streams, such as `:Zone.Identifier:$DATA`. A file system
/// without streams returns none. The handle needs `FILE_READ_ATTRIBUTES` access.
///
/// # Errors
///
/// Returns the error of the system.
pub fn stream_names(file: BorrowedHandle<'_>) -> io::Result<Vec<OsString>> {
    /// The list of streams of a file has at most 64 KiB on NTFS.
    const MAX: usize = 128 << 10;
    let mut size = 1 << 10;
    let bytes = loop {
        match query_class(file, FileStreamInformation, size) {
            Err(Status(STATUS_BUFFER_OVERFLOW | STATUS_BUFFER_TOO_SMALL)) if size < MAX => {
                size *= 4;
            }
            Err(status) if status.is_unsupported() => return Ok(Vec::new()),
            result => break result?,
        }
    };
    let name = |entry: &[u8]| {
        let length = length_at(entry, offset_of!(FILE_STREAM_INFORMATION, StreamNameLength));
        let start = offset_of!(FILE_STREAM_INFORMATION, StreamName);
        OsString::from_wide(&wide_at(entry, start, length))
    };
    let names = entries(&bytes).map(name);
    Ok(names
        .filter(|name| name != "::$DATA" && !name.is_empty())
        .collect())
}

/// Writes the data and the attributes of a file or a directory to the disk. The handle needs write
/// access to the data, `FILE_ADD_FILE` for a directory.
///
/// # Errors
///
/// Returns the error of the system.
pub fn flush(file: BorrowedHandle<'_>) -> io::Result<()> {
    // SAFETY: the function has no preconditions except a valid handle.
    check_win32(unsafe { FlushFileBuffers(file.as_raw_handle()) })
}

/// Returns whether the file system of an open file stores owners and access lists. FAT does not.
///
/// # Errors
///
/// Returns the error of the system.
pub fn has_access_lists(file: BorrowedHandle<'_>) -> io::Result<bool> {
    let mut flags = 0;
    // SAFETY: `flags` is a place for the flags of the file system. All other results are omitted.
    check_win32(unsafe {
        GetVolumeInformationByHandleW(
            file.as_raw_handle(),
            ptr::null_mut(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
            &raw mut flags,
            ptr::null_mut(),
            0,
        )
    })?;
    Ok(flags & FILE_PERSISTENT_ACLS != 0)
}

/// Returns the path of an open file, with links resolved and each name as the file system stores
/// it. The path begins with `\\?\`.
///
/// # Errors
///
/// Returns the error of the system, for example if the volume has no drive letter or mount point.
/// Wine returns `ERROR_MORE_DATA` (234) for a path of more than 260 characters.
pub fn final_path(file: BorrowedHandle<'_>) -> io::Result<PathBuf> {
    let mut path = vec![0_u16; 300];
    loop {
        let size = u32::try_from(path.len()).map_err(io::Error::other)?;
        // SAFETY: `path` has `size` units. 0 asks for the normalized path with a drive letter.
        let length =
            unsafe { GetFinalPathNameByHandleW(file.as_raw_handle(), path.as_mut_ptr(), size, 0) };
        check_win32(i32::from(length != 0))?;
        if let Some(path) = path.get(..length as usize).filter(|_| length < size) {
            return Ok(OsString::from_wide(path).into());
        }
        path.resize(length as usize + 1, 0);
    }
}

/// Returns at most `size` bytes of information of a class.
fn query_class(
    file: BorrowedHandle<'_>,
    class: FILE_INFORMATION_CLASS,
    size: usize,
) -> Result<Vec<u8>, Status> {
    let mut buffer = Buffer::with_length(size);
    let mut result = IO_STATUS_BLOCK::default();
    // SAFETY: the buffer has the stated size and the alignment of every structure.
    let status = unsafe {
        NtQueryInformationFile(
            file.as_raw_handle(),
            &raw mut result,
            buffer.as_mut_ptr(),
            buffer.size(),
            class,
        )
    };
    Status::check(status)?;
    Ok(buffer.to_bytes(result.Information))
}

/// Passes a structure of a class to the system.
pub(crate) fn set_class(
    file: BorrowedHandle<'_>,
    class: FILE_INFORMATION_CLASS,
    buffer: &Buffer,
) -> Result<(), Status> {
    let mut result = IO_STATUS_BLOCK::default();
    // SAFETY: the buffer has the stated size and the alignment of every structure. The system
    // checks the lengths in it against the size.
    Status::check(unsafe {
        NtSetInformationFile(
            file.as_raw_handle(),
            &raw mut result,
            buffer.as_ptr(),
            buffer.size(),
            class,
        )
    })
}
