//! Reads and writes whole files.

use std::fs::File;
use std::io::{self, Write};
use std::os::windows::io::{AsHandle, OwnedHandle};

use wpatch_nt::flags::{
    FILE_APPEND_DATA, FILE_NON_DIRECTORY_FILE, FILE_READ_ATTRIBUTES, FILE_READ_DATA,
    FILE_WRITE_DATA,
};
use wpatch_nt::{ReparsePoint, information, list, read_link};

use super::handle::{not_regular_error, open_existing, open_with_owner};
use super::stat::{stat_handle, stat_of};
use crate::bytes::{MIN_PARALLEL_READ, map_pages, read_end, read_large, read_next};
use crate::interrupt::Interrupt;
use crate::mode::FileKind;
use crate::text::Bytes;
use crate::workspace::disk::calls::{SysError, SysResult};
use crate::workspace::{ErrorKind, NewFile, Stat};

/// The limit on reads of a file that another process keeps changing.
const MAX_READS: u32 = 8;
/// The size of the buffer that combines short slices.
const WRITE_BUFFER: usize = 128 * 1024;

/// Reads the regular file `name`. The information after the read detects a change during the read.
/// A raised `interrupt` ends the read of a large file with an error.
pub(in crate::workspace::disk) fn read_file(
    directory: &OwnedHandle,
    name: &[u8],
    limit: u64,
    interrupt: &Interrupt,
) -> SysResult<(Bytes, Stat)> {
    for _ in 0..MAX_READS {
        let access = FILE_READ_DATA | FILE_READ_ATTRIBUTES;
        let opened = open_with_owner(directory, name, access, FILE_NON_DIRECTORY_FILE)?;
        let before = information(opened.as_handle())?;
        let stat = stat_of(&opened, &before);
        if stat.kind != FileKind::Regular {
            return Err(not_regular_error());
        }
        if stat.size > limit {
            return Err(SysError::new(
                ErrorKind::TooLarge,
                io::ErrorKind::FileTooLarge,
            ));
        }
        let file = File::from(opened);
        let size = usize::try_from(stat.size).map_err(|_| io::ErrorKind::OutOfMemory.into());
        let size = size.map_err(|error: io::Error| SysError::from(error))?;
        let bytes = if size < MIN_PARALLEL_READ {
            read_next(&file, size)?.into()
        } else {
            read_large(&file, 0, map_pages(size)?, interrupt)?
        };
        let after = information(file.as_handle())?;
        // Programs can set the time of the last write, but usually do not set the time of the last
        // change.
        if before == after && bytes.len() as u64 == stat.size {
            return Ok((bytes, stat));
        }
    }
    Err(SysError::without_errno(
        ErrorKind::Other,
        "another process keeps writing to the file",
    ))
}

/// Returns the last `length` bytes of the regular file `name`.
pub(in crate::workspace::disk) fn read_file_end(
    directory: &OwnedHandle,
    name: &[u8],
    length: u64,
) -> SysResult<(Vec<u8>, Stat)> {
    let (file, stat) = open_regular(directory, name, FILE_READ_DATA)?;
    let file = File::from(file);
    Ok((read_end(&file, stat.size, length)?, stat))
}

/// Opens the regular file `name`.
pub(super) fn open_regular(
    directory: &OwnedHandle,
    name: &[u8],
    access: u32,
) -> SysResult<(OwnedHandle, Stat)> {
    let access = access | FILE_READ_ATTRIBUTES;
    let file = open_existing(directory, name, access, FILE_NON_DIRECTORY_FILE)?;
    let stat = stat_handle(&file)?;
    if stat.kind == FileKind::Regular {
        Ok((file, stat))
    } else {
        Err(not_regular_error())
    }
}

/// Appends `bytes` to the regular file `name`.
pub(in crate::workspace::disk) fn append_to_file(
    directory: &OwnedHandle,
    name: &[u8],
    bytes: &[u8],
) -> SysResult<()> {
    let (file, _) = open_regular(directory, name, FILE_APPEND_DATA)?;
    Ok(File::from(file).write_all(bytes)?)
}

/// Writes the content of `new`. Short slices are combined.
pub(super) fn write_slices(file: &File, new: NewFile<'_>) -> SysResult<()> {
    let mut together = io::BufWriter::with_capacity(WRITE_BUFFER, file);
    for slice in new.slices {
        for part in new.interrupt.parts(slice) {
            together.write_all(part?)?;
        }
    }
    Ok(together.flush()?)
}

/// Overwrites the regular file `name` with `bytes` if it is still the file `was`. The file is
/// truncated last, so no old byte is lost before a new byte replaces it.
pub(in crate::workspace::disk) fn overwrite_file(
    directory: &OwnedHandle,
    name: &[u8],
    bytes: &[u8],
    was: &Stat,
) -> SysResult<()> {
    let (file, stat) = open_regular(directory, name, FILE_WRITE_DATA)?;
    let identity = |stat: &Stat| (stat.kind, stat.device, stat.inode, stat.size, stat.modified);
    if identity(&stat) != identity(was) {
        return Err(SysError::without_errno(
            ErrorKind::Missing,
            "the file was replaced after it was read",
        ));
    }
    let mut file = File::from(file);
    file.write_all(bytes)?;
    Ok(file.set_len(bytes.len() as u64)?)
}

/// Returns the names in an open directory, in byte order.
pub(in crate::workspace::disk) fn list_names(directory: &OwnedHandle) -> SysResult<Vec<Vec<u8>>> {
    let entries = list(directory.as_handle())?.into_iter();
    let mut names: Vec<_> = entries
        .map(|entry| entry.name.into_encoded_bytes())
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// Returns the target of the link `name`.
pub(in crate::workspace::disk) fn read_target(
    directory: &OwnedHandle,
    name: &[u8],
) -> SysResult<Vec<u8>> {
    let link = open_existing(directory, name, FILE_READ_ATTRIBUTES, 0)?;
    match read_link(link.as_handle())? {
        ReparsePoint::SymbolicLink(target) => Ok(target.into_encoded_bytes()),
        _ => Err(not_regular_error()),
    }
}
