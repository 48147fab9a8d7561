//! Symbolic links and other reparse points.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::fs::{symlink_dir, symlink_file};
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle};
use std::path::Path;
use std::ptr;

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE, FILE_OPEN_REPARSE_POINT, SYMLINK_FLAG_RELATIVE,
};
use windows_sys::Win32::Foundation::{ERROR_NOT_SUPPORTED, ERROR_PRIVILEGE_NOT_HELD};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_ATTRIBUTE_REPARSE_POINT, FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES,
    MAXIMUM_REPARSE_DATA_BUFFER_SIZE,
};
use windows_sys::Win32::System::IO::DeviceIoControl;
use windows_sys::Win32::System::Ioctl::{FSCTL_GET_REPARSE_POINT, FSCTL_SET_REPARSE_POINT};
use windows_sys::Win32::System::SystemServices::{
    IO_REPARSE_TAG_MOUNT_POINT, IO_REPARSE_TAG_SYMLINK,
};

use crate::buffer::{Buffer, u16_at, u32_at, wide_at};
use crate::error::check_win32;
use crate::information::{final_path, information};
use crate::names::dispose;
use crate::open::{Disposition, OpenOptions, open_at, to_nt_path};

/// The bytes before the fields of a type: the tag, a length and a reserved field.
const HEADER: usize = 8;

/// The kind of file to which a symbolic link points. Windows stores it in the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// A file, or nothing.
    File,
    /// A directory.
    Directory,
}

/// The content of a reparse point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReparsePoint {
    /// A symbolic link with its target as its creator wrote it.
    SymbolicLink(OsString),
    /// A junction, or the mount point of a volume.
    MountPoint(OsString),
    /// A reparse point of another type.
    Other(u32),
}

/// Returns the content of a reparse point, opened with `FILE_OPEN_REPARSE_POINT`.
///
/// # Errors
///
/// Returns `ERROR_NOT_A_REPARSE_POINT` (4390) for another file.
pub fn read_link(link: BorrowedHandle<'_>) -> io::Result<ReparsePoint> {
    let mut buffer = Buffer::with_length(MAXIMUM_REPARSE_DATA_BUFFER_SIZE as usize);
    let mut length = 0;
    // SAFETY: both buffers have the stated sizes. The call is synchronous.
    check_win32(unsafe {
        DeviceIoControl(
            link.as_raw_handle(),
            FSCTL_GET_REPARSE_POINT,
            ptr::null(),
            0,
            buffer.as_mut_ptr(),
            buffer.size(),
            &raw mut length,
            ptr::null_mut(),
        )
    })?;
    let bytes = buffer.to_bytes(length as usize);
    Ok(match u32_at(&bytes, 0) {
        // A symbolic link has a field with flags before the names.
        IO_REPARSE_TAG_SYMLINK => ReparsePoint::SymbolicLink(parse_target(&bytes, HEADER + 12)),
        IO_REPARSE_TAG_MOUNT_POINT => ReparsePoint::MountPoint(parse_target(&bytes, HEADER + 8)),
        tag => ReparsePoint::Other(tag),
    })
}

/// Returns the name to print, or else the name that the system uses. `names` is the offset of the
/// buffer with both.
fn parse_target(bytes: &[u8], names: usize) -> OsString {
    let field = |index: usize| usize::from(u16_at(bytes, HEADER + 2 * index));
    let name = |index| wide_at(bytes, names + field(index), field(index + 1));
    let (used, printed) = (name(0), name(2));
    if !printed.is_empty() {
        return OsString::from_wide(&printed);
    }
    let prefix: Vec<u16> = r"\??\".encode_utf16().collect();
    OsString::from_wide(used.strip_prefix(prefix.as_slice()).unwrap_or(&used))
}

/// Creates the symbolic link `name` below `directory`. `target` is stored as it is.
///
/// Without the privilege to create links, but with developer mode, the link is created by the path
/// of the directory.
///
/// # Errors
///
/// Returns `ERROR_PRIVILEGE_NOT_HELD` (1314) if the user may not create links, and
/// `ERROR_NOT_SUPPORTED` (50) or `ERROR_INVALID_FUNCTION` (1) if the file system has none. `name`
/// then does not exist.
pub fn create_symlink(
    directory: BorrowedHandle<'_>,
    name: &OsStr,
    target: &OsStr,
    kind: LinkKind,
) -> io::Result<()> {
    let how = OpenOptions {
        access: DELETE | FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES,
        disposition: Disposition::Create,
        options: FILE_OPEN_REPARSE_POINT
            | match kind {
                LinkKind::File => FILE_NON_DIRECTORY_FILE,
                LinkKind::Directory => FILE_DIRECTORY_FILE,
            },
        ..OpenOptions::default()
    };
    let file = open_at(Some(directory), name, &how)?;
    let Err(error) = set_target(file.as_handle(), target) else {
        return Ok(());
    };
    dispose(file.as_handle())?;
    drop(file);
    if error.raw_os_error().map(i32::cast_unsigned) != Some(ERROR_PRIVILEGE_NOT_HELD) {
        return Err(error);
    }
    let path = final_path(directory)?.join(name);
    match kind {
        LinkKind::File => symlink_file(target, path),
        LinkKind::Directory => symlink_dir(target, path),
    }?;
    is_link(directory, name)
}

/// Fails if `name` is not a reparse point. Wine reports success and creates none.
fn is_link(directory: BorrowedHandle<'_>, name: &OsStr) -> io::Result<()> {
    let how = OpenOptions {
        access: FILE_READ_ATTRIBUTES,
        options: FILE_OPEN_REPARSE_POINT,
        ..OpenOptions::default()
    };
    let found = open_at(Some(directory), name, &how).and_then(|file| information(file.as_handle()));
    match found {
        Ok(found) if found.attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 => Ok(()),
        _ => Err(io::Error::from_raw_os_error(
            ERROR_NOT_SUPPORTED.cast_signed(),
        )),
    }
}

/// Makes an empty file or directory a symbolic link.
fn set_target(file: BorrowedHandle<'_>, target: &OsStr) -> io::Result<()> {
    let path = Path::new(target);
    let printed: Vec<u16> = target.encode_wide().collect();
    let (used, flags) = if path.is_absolute() {
        (to_nt_path(path), 0)
    } else {
        (target.to_owned(), SYMLINK_FLAG_RELATIVE)
    };
    // The system knows only one separator.
    let slash = u16::from(b'/');
    let backslash = u16::from(b'\\');
    let used = used
        .encode_wide()
        .map(|unit| if unit == slash { backslash } else { unit });
    let used: Vec<u16> = used.collect();
    let size = |units: usize| u16::try_from(units * 2).map_err(|_| io::ErrorKind::InvalidFilename);
    let mut content = Vec::new();
    for field in [0, used.len(), used.len(), printed.len()] {
        content.extend(size(field)?.to_ne_bytes());
    }
    content.extend(flags.to_ne_bytes());
    content.extend(used.into_iter().chain(printed).flat_map(u16::to_ne_bytes));
    let length = size(content.len().div_ceil(2))?;
    let mut bytes = IO_REPARSE_TAG_SYMLINK.to_ne_bytes().to_vec();
    bytes.extend(length.to_ne_bytes());
    bytes.extend([0, 0]);
    bytes.extend(content);
    set_reparse_point(file, &bytes)
}

fn set_reparse_point(file: BorrowedHandle<'_>, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::InvalidFilename)?;
    let buffer = Buffer::from_bytes(bytes);
    let mut returned = 0;
    // SAFETY: the buffer has at least `length` bytes. The call is synchronous.
    check_win32(unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            FSCTL_SET_REPARSE_POINT,
            buffer.as_ptr(),
            length,
            ptr::null_mut(),
            0,
            &raw mut returned,
            ptr::null_mut(),
        )
    })
}
