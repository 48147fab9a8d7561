//! Opens and creates files relative to the handle of a directory.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr;

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_CREATE, FILE_OPEN, FILE_OPEN_IF, FILE_OVERWRITE, FILE_SYNCHRONOUS_IO_NONALERT,
    NtCreateFile,
};
use windows_sys::Win32::Foundation::{OBJ_CASE_INSENSITIVE, UNICODE_STRING};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, SYNCHRONIZE,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use crate::error::Status;
use crate::security::SecurityDescriptor;

/// What happens if the file exists, or does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Disposition {
    /// Opens an existing file.
    #[default]
    Open,
    /// Creates a file, and fails if it exists.
    Create,
    /// Opens an existing file or creates it.
    OpenOrCreate,
    /// Opens an existing file and empties it.
    Overwrite,
}

/// The way in which [`open_at`] opens a file. The constants are in [`flags`](crate::flags).
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions<'a> {
    /// The access rights. `SYNCHRONIZE` is always added.
    pub access: u32,
    /// The access that other handles can have. The default is all access.
    pub share: u32,
    /// What happens if the file exists, or does not exist.
    pub disposition: Disposition,
    /// The options of `NtCreateFile`, such as `FILE_OPEN_REPARSE_POINT`.
    pub options: u32,
    /// The attributes of a new file. 0 and `FILE_ATTRIBUTE_NORMAL` mean none.
    pub attributes: u32,
    /// The owner and the access list of a new file. Without them it inherits those of its directory.
    pub security: Option<&'a SecurityDescriptor>,
}

impl Default for OpenOptions<'_> {
    fn default() -> Self {
        Self {
            access: 0,
            share: FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            disposition: Disposition::Open,
            options: 0,
            attributes: 0,
            security: None,
        }
    }
}

/// Opens or creates the file `name` below `directory`. Without `directory`, `name` is an absolute
/// path of NT; see [`to_nt_path`].
///
/// An empty `name` opens the directory itself again. The name is compared without case, as Win32
/// does. Unlike Win32, NT does not change a name: `CON`, `a.` and `a:b` are not special to this
/// function, and `.` and `..` are invalid. `a:b` names a stream of the file `a` on NTFS.
///
/// # Security
///
/// If `name` contains `\`, links in its middle are followed. Pass one component.
///
/// # Errors
///
/// Returns `ERROR_DIRECTORY_NOT_SUPPORTED` (336) for a directory if the options contain
/// `FILE_NON_DIRECTORY_FILE`, and `ERROR_DIRECTORY` (267) for a file if they contain
/// `FILE_DIRECTORY_FILE`. Returns the error of the system otherwise.
pub fn open_at(
    directory: Option<BorrowedHandle<'_>>,
    name: &OsStr,
    how: &OpenOptions<'_>,
) -> io::Result<OwnedHandle> {
    let mut name: Vec<u16> = name.encode_wide().collect();
    let length = u16::try_from(name.len() * 2).map_err(|_| io::ErrorKind::InvalidFilename)?;
    let name = UNICODE_STRING {
        Length: length,
        MaximumLength: length,
        Buffer: name.as_mut_ptr(),
    };
    let object = OBJECT_ATTRIBUTES {
        Length: u32::try_from(size_of::<OBJECT_ATTRIBUTES>()).map_err(io::Error::other)?,
        RootDirectory: directory.map_or(ptr::null_mut(), |directory| directory.as_raw_handle()),
        ObjectName: &raw const name,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: how
            .security
            .map_or(ptr::null(), |security| security.as_ptr().cast()),
        SecurityQualityOfService: ptr::null(),
    };
    let mut handle = ptr::null_mut();
    let mut result = IO_STATUS_BLOCK::default();
    // SAFETY: `object` and all that it points to (the name, the descriptor, the directory) live
    // until the call returns. A synchronous open does not keep the pointers.
    let status = unsafe {
        NtCreateFile(
            &raw mut handle,
            how.access | SYNCHRONIZE,
            &raw const object,
            &raw mut result,
            ptr::null(),
            how.attributes,
            how.share,
            match how.disposition {
                Disposition::Open => FILE_OPEN,
                Disposition::Create => FILE_CREATE,
                Disposition::OpenOrCreate => FILE_OPEN_IF,
                Disposition::Overwrite => FILE_OVERWRITE,
            },
            how.options | FILE_SYNCHRONOUS_IO_NONALERT,
            ptr::null(),
            0,
        )
    };
    Status::check(status)?;
    // SAFETY: the successful call returned a new handle that nothing else owns.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// Returns the path of NT for an absolute path, as [`std::fs::canonicalize`] and
/// [`std::path::absolute`] return them.
#[must_use]
pub fn to_nt_path(path: &Path) -> OsString {
    let wide: Vec<u16> = path.as_os_str().encode_wide().collect();
    let starts_with = |prefix: &str| wide.starts_with(&prefix.encode_utf16().collect::<Vec<_>>());
    let (prefix, skipped) = if starts_with(r"\\?\") || starts_with(r"\\.\") {
        (r"\??\", 4)
    } else if starts_with(r"\\") {
        (r"\??\UNC\", 2)
    } else {
        (r"\??\", 0)
    };
    let prefix = prefix.encode_utf16();
    let whole: Vec<u16> = prefix.chain(wide[skipped..].iter().copied()).collect();
    std::os::windows::ffi::OsStringExt::from_wide(&whole)
}
