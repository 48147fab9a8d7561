//! The attributes of a file that a new version of it gets: attributes, time of creation, access
//! list and the mark of a download.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::io::{AsHandle, OwnedHandle};

use wpatch_nt::flags::{
    FILE_ATTRIBUTE_ARCHIVE, FILE_ATTRIBUTE_HIDDEN, FILE_ATTRIBUTE_NORMAL,
    FILE_ATTRIBUTE_NOT_CONTENT_INDEXED, FILE_ATTRIBUTE_READONLY, FILE_ATTRIBUTE_SYSTEM,
    FILE_READ_ATTRIBUTES, FILE_READ_DATA, FILE_WRITE_DATA, READ_CONTROL,
};
use wpatch_nt::{
    BasicInformation, Disposition, Information, OpenOptions, copy_dacl, information, open_at,
    set_information, stream_names,
};

use super::handle::{not_regular_error, open_existing};
use super::stat::{TEMPORARY_DIRECTORY, kind_of};
use crate::mode::FileKind;
use crate::workspace::ErrorKind;
use crate::workspace::disk::calls::{SysError, SysResult};

/// The attributes that a new file gets from the file that it replaces.
const COPIED: u32 = FILE_ATTRIBUTE_ARCHIVE
    | FILE_ATTRIBUTE_HIDDEN
    | FILE_ATTRIBUTE_SYSTEM
    | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;

/// The stream in which browsers store where a file came from.
const DOWNLOAD_MARK: &str = ":Zone.Identifier";
/// The limit on the bytes of that stream.
const MAX_MARK: u64 = 1 << 16;

/// An existing file that supplies the attributes of a new file. It is opened before the new file is
/// created.
pub(in crate::workspace::disk) struct SourceAttributes {
    file: OwnedHandle,
    found: Information,
    /// The content of [`DOWNLOAD_MARK`].
    mark: Option<Vec<u8>>,
}

impl SourceAttributes {
    /// Opens the file.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Unsupported`] if the file has alternate streams that a new file would
    /// not get.
    pub(super) fn open(directory: &OwnedHandle, name: &[u8]) -> SysResult<Self> {
        let access = FILE_READ_ATTRIBUTES | READ_CONTROL;
        let file = open_existing(directory, name, access, 0)?;
        let found = information(file.as_handle())?;
        if kind_of(&found) != FileKind::Regular {
            return Err(not_regular_error());
        }
        let streams = stream_names(file.as_handle())?;
        let is_mark = |name: &&OsString| {
            let name = name.to_string_lossy();
            name.strip_suffix(":$DATA").unwrap_or(&name) == DOWNLOAD_MARK
        };
        if !streams.iter().all(|name| is_mark(&name)) {
            return Err(SysError::without_errno(
                ErrorKind::Unsupported,
                "the file has alternate data streams, which the new file would lose",
            ));
        }
        let mark = match streams.iter().find(is_mark) {
            Some(_) => Some(read_mark(&file)?),
            None => None,
        };
        Ok(Self { file, found, mark })
    }

    /// Copies access list, download mark and time of creation to `file`, and returns the attributes
    /// that it must get last.
    pub(super) fn copy_to(&self, file: &OwnedHandle) -> SysResult<BasicInformation> {
        match copy_dacl(self.file.as_handle(), file.as_handle()).map_err(SysError::from) {
            // FAT has no access lists.
            Err(error) if error.kind == ErrorKind::Unsupported => {}
            copied => copied?,
        }
        if let Some(mark) = &self.mark {
            write_mark(file, mark)?;
        }
        Ok(BasicInformation {
            attributes: self.found.attributes & COPIED,
            created: self.found.created,
            modified: 0,
        })
    }
}

/// Sets `wanted`, and the read-only attribute if `bits` does not allow the owner to write.
pub(super) fn set_with_mode(
    file: &OwnedHandle,
    wanted: &BasicInformation,
    bits: u32,
) -> SysResult<()> {
    let read_only = if bits & 0o200 == 0 {
        FILE_ATTRIBUTE_READONLY
    } else {
        0
    };
    let attributes = match wanted.attributes | read_only {
        // 0 would leave the attributes unchanged.
        0 => FILE_ATTRIBUTE_NORMAL,
        attributes => attributes,
    };
    let wanted = BasicInformation {
        attributes,
        ..*wanted
    };
    Ok(set_information(file.as_handle(), &wanted)?)
}

/// Sets or removes the read-only attribute of an open file.
pub(super) fn set_read_only(file: &OwnedHandle, bits: u32) -> SysResult<()> {
    let kept = BasicInformation {
        attributes: information(file.as_handle())?.attributes & COPIED,
        ..BasicInformation::default()
    };
    set_with_mode(file, &kept, bits)
}

/// Removes the attributes that mark a directory as temporary.
pub(super) fn unmark_temporary(directory: &OwnedHandle) -> SysResult<()> {
    let attributes = information(directory.as_handle())?.attributes;
    if attributes & TEMPORARY_DIRECTORY != TEMPORARY_DIRECTORY {
        return Ok(());
    }
    let kept = BasicInformation {
        attributes: attributes & FILE_ATTRIBUTE_NOT_CONTENT_INDEXED | FILE_ATTRIBUTE_NORMAL,
        ..BasicInformation::default()
    };
    Ok(set_information(directory.as_handle(), &kept)?)
}

fn read_mark(file: &OwnedHandle) -> io::Result<Vec<u8>> {
    let how = OpenOptions {
        access: FILE_READ_DATA | FILE_READ_ATTRIBUTES,
        ..OpenOptions::default()
    };
    let stream = open_at(Some(file.as_handle()), OsStr::new(DOWNLOAD_MARK), &how)?;
    let mut bytes = Vec::new();
    File::from(stream).take(MAX_MARK).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn write_mark(file: &OwnedHandle, mark: &[u8]) -> io::Result<()> {
    let how = OpenOptions {
        access: FILE_WRITE_DATA | FILE_READ_ATTRIBUTES,
        disposition: Disposition::OpenOrCreate,
        ..OpenOptions::default()
    };
    let stream = open_at(Some(file.as_handle()), OsStr::new(DOWNLOAD_MARK), &how)?;
    File::from(stream).write_all(mark)
}
