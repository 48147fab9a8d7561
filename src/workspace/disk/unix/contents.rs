//! Reads and writes whole files.

use std::fs::File;
use std::io;

use memmap2::MmapMut;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, OFlags, fstat, ftruncate, readlinkat, statat};
use rustix::io::{Errno, retry_on_intr, write};

use super::Current;
use super::files::{not_regular_error, open_regular};
use super::stat::stat_of;
use super::system::System;
use crate::bytes::{MIN_PARALLEL_READ, map_pages, read_end, read_large, read_next};
use crate::interrupt::Interrupt;
use crate::mode::FileKind;
use crate::text::Bytes;
use crate::workspace::disk::calls::{SysError, SysResult};
use crate::workspace::{ErrorKind, NewFile, Stat};

/// The limit on reads of a file that another process keeps changing.
const MAX_READS: u32 = 8;
/// The size of the buffer that combines short slices. It makes the cost of a call small and fits into
/// the processor cache.
const WRITE_BUFFER: usize = 128 * 1024;

/// Reads the regular file `name`: `newfstatat`, `openat`, `read` (`pread64` for a large file),
/// `flistxattr`, `fstat`, `ioctl`, `close`.
///
/// The first stat prevents the opening of devices. The second one, on the open file, detects a
/// change during the read. A raised `interrupt` ends the read of a large file with an error.
pub(in crate::workspace::disk) fn read_file(
    directory: &OwnedFd,
    name: &[u8],
    limit: u64,
    interrupt: &Interrupt,
) -> SysResult<(Bytes, Stat)> {
    for _ in 0..MAX_READS {
        let before = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let stat = stat_of(&before);
        if stat.kind != FileKind::Regular {
            return Err(not_regular_error());
        }
        if stat.size > limit {
            return Err(SysError::new(ErrorKind::TooLarge, Errno::FBIG));
        }
        let file = File::from(open_regular(directory, name, OFlags::RDONLY)?);
        let size = usize::try_from(stat.size).map_err(|_| Errno::NOMEM)?;
        let bytes = if size < MIN_PARALLEL_READ {
            read_next(&file, size)?.into()
        } else {
            read_large(&file, 0, large_pages(size)?, interrupt)?
        };
        let is_bare = Current::has_no_attributes(&file);
        let after = fstat(&file)?;
        let flags = Current::file_flags(&file, &after);
        // Programs can set mtime but not ctime, so a changed ctime reveals every change.
        let is_settled =
            (before.st_ctime, before.st_ctime_nsec) == (after.st_ctime, after.st_ctime_nsec);
        if is_settled && stat == stat_of(&after) && bytes.len() as u64 == stat.size {
            return Ok((
                bytes,
                Stat {
                    has_no_xattrs: is_bare,
                    protection: flags.protection,
                    inode_flags: flags.kept,
                    ..stat
                },
            ));
        }
    }
    Err(SysError::without_errno(
        ErrorKind::Other,
        "another process keeps writing to the file",
    ))
}

/// Returns the last `length` bytes of the regular file `name`: `openat`, `fstat`, `pread64`, `close`.
pub(in crate::workspace::disk) fn read_file_end(
    directory: &OwnedFd,
    name: &[u8],
    length: u64,
) -> SysResult<(Vec<u8>, Stat)> {
    let file = File::from(open_regular(directory, name, OFlags::RDONLY)?);
    let stat = stat_of(&fstat(&file)?);
    if stat.kind != FileKind::Regular {
        return Err(not_regular_error());
    }
    Ok((read_end(&file, stat.size, length)?, stat))
}

/// Returns memory for `size` bytes, in large pages if available.
fn large_pages(size: usize) -> io::Result<MmapMut> {
    let pages = map_pages(size)?;
    Current::advise_large_pages(&pages);
    Ok(pages)
}

/// Writes all of `bytes`.
pub(super) fn write_bytes(file: impl AsFd, mut bytes: &[u8]) -> SysResult<()> {
    while !bytes.is_empty() {
        let count = retry_on_intr(|| write(&file, bytes))?;
        // Prevents an endless loop if write(2) accepts no bytes.
        if count == 0 {
            return Err(Errno::IO.into());
        }
        bytes = &bytes[count..];
    }
    Ok(())
}

/// Appends `bytes` to the regular file `name`.
pub(in crate::workspace::disk) fn append_to_file(
    directory: &OwnedFd,
    name: &[u8],
    bytes: &[u8],
) -> SysResult<()> {
    write_bytes(
        open_regular(directory, name, OFlags::WRONLY | OFlags::APPEND)?,
        bytes,
    )
}

/// Writes the content of `new`. Short slices are combined.
pub(super) fn write_slices(file: impl AsFd, new: NewFile<'_>) -> SysResult<()> {
    let NewFile {
        slices, interrupt, ..
    } = new;
    let write_parts = |bytes: &[u8]| -> SysResult<()> {
        for part in interrupt.parts(bytes) {
            write_bytes(&file, part?)?;
        }
        Ok(())
    };
    if let [bytes] = slices {
        return write_parts(bytes);
    }
    let size = slices.iter().map(|slice| slice.len()).sum();
    let mut together = Vec::with_capacity(WRITE_BUFFER.min(size));
    for slice in slices {
        if together.len() + slice.len() > WRITE_BUFFER {
            write_parts(&together)?;
            together.clear();
        }
        if slice.len() < WRITE_BUFFER {
            together.extend_from_slice(slice);
        } else {
            write_parts(slice)?;
        }
    }
    write_parts(&together)
}

/// Overwrites the regular file `name` with `bytes` if it is still the file `was`. The file is
/// truncated last, so no old byte is lost before a new byte replaces it.
pub(in crate::workspace::disk) fn overwrite_file(
    directory: &OwnedFd,
    name: &[u8],
    bytes: &[u8],
    was: &Stat,
) -> SysResult<()> {
    let file = open_regular(directory, name, OFlags::WRONLY)?;
    let stat = stat_of(&fstat(&file)?);
    let identity = |stat: &Stat| (stat.kind, stat.device, stat.inode, stat.size, stat.modified);
    if identity(&stat) != identity(was) {
        return Err(SysError::without_errno(
            ErrorKind::Missing,
            "the file was replaced after it was read",
        ));
    }
    write_bytes(&file, bytes)?;
    Ok(retry_on_intr(|| ftruncate(&file, bytes.len() as u64))?)
}

/// Returns the names in an open directory, in byte order.
pub(in crate::workspace::disk) fn list_names(directory: &OwnedFd) -> SysResult<Vec<Vec<u8>>> {
    let mut names = Current::list_names(directory)?;
    names.sort_unstable();
    Ok(names)
}

/// Returns the target of the link `name`.
pub(in crate::workspace::disk) fn read_target(
    directory: &OwnedFd,
    name: &[u8],
) -> SysResult<Vec<u8>> {
    Ok(readlinkat(directory, name, Vec::new())?.into_bytes())
}
