//! Reading and writing whole files.

use memmap2::{Advice, MmapMut};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{
    AtFlags, Mode, OFlags, RawDir, flistxattr_query, fstat, ftruncate, openat, readlinkat, statat,
};
use rustix::io::{Errno, retry_on_intr, write};

use super::fault::{Attempt, Trouble};
use super::stat::stat_of;
use crate::bytes::{SHARED, pages, read_large, read_next};
use crate::mode::FileKind;
use crate::text::Bytes;
use crate::workspace::{Fault, Stat};

/// How often a file is read again that somebody writes to meanwhile.
const MOST_READS: u32 = 8;
/// Bytes for `getdents64`; some 800 names.
const LIST_BUFFER: usize = 32 * 1024;
/// Bytes that are written together: so many that a call costs little, so few that they stay in the
/// processor's cache.
const WRITE_BUFFER: usize = 128 * 1024;

/// Reads the regular file `name`: `newfstatat`, `openat`, `read` (of a large one `pread64`),
/// `flistxattr`, `fstat`, `close`.
///
/// The first look keeps devices from being opened; the second one, at the open file, tells whether
/// the bytes belong together.
pub(super) fn read_file(directory: impl AsFd, name: &[u8], limit: u64) -> Attempt<(Bytes, Stat)> {
    for _ in 0..MOST_READS {
        let before = statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let stat = stat_of(&before);
        if stat.kind != FileKind::Regular {
            return Err(not_regular());
        }
        if stat.size > limit {
            return Err(Trouble::new(Fault::TooLarge, Errno::FBIG));
        }
        let file = open_regular(&directory, name, OFlags::RDONLY)?;
        let size = usize::try_from(stat.size).map_err(|_| Errno::NOMEM)?;
        let bytes = if size < SHARED {
            read_next(&file, size)?.into()
        } else {
            read_large(&file, 0, large_pages(size)?)?
        };
        let is_bare = has_no_attributes(&file);
        let after = fstat(&file)?;
        let is_settled =
            (before.st_ctime, before.st_ctime_nsec) == (after.st_ctime, after.st_ctime_nsec);
        if is_settled && stat == stat_of(&after) && bytes.len() as u64 == stat.size {
            return Ok((bytes, Stat { is_bare, ..stat }));
        }
    }
    Err(Trouble::own(
        Fault::Other,
        "it is being written to all the time",
    ))
}

/// Returns whether `file` has no extended attributes for sure.
fn has_no_attributes(file: impl AsFd) -> bool {
    matches!(
        flistxattr_query(file),
        Ok(0) | Err(Errno::OPNOTSUPP | Errno::NOSYS)
    )
}

/// Returns pages for `size` bytes, large ones where there are such: one fault in place of 512
/// (`MADV_HUGEPAGE` in madvise(2)).
fn large_pages(size: usize) -> Result<MmapMut, Errno> {
    let pages = pages(size)?;
    // Else they are small.
    let _ = pages.advise(Advice::HugePage);
    Ok(pages)
}

/// Opens `name`, which was a regular file a moment ago. Should it be something else by now, then
/// without waiting for the other end of a FIFO and without taking a terminal.
pub(super) fn open_regular(directory: impl AsFd, name: &[u8], access: OFlags) -> Attempt<OwnedFd> {
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    retry_on_intr(|| openat(&directory, name, flags, Mode::from_raw_mode(0o600))).map_err(|errno| {
        match errno {
            Errno::LOOP => not_regular(),
            errno => errno.into(),
        }
    })
}

/// Makes the file `name` with mode 0600 and opens it for writing.
pub(super) fn make_file(directory: impl AsFd, name: &[u8]) -> Attempt<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| {
        openat(&directory, name, flags, Mode::from_raw_mode(0o600))
    })?)
}

/// Writes all of `bytes`.
pub(super) fn write_bytes(file: impl AsFd, mut bytes: &[u8]) -> Attempt<()> {
    while !bytes.is_empty() {
        let count = retry_on_intr(|| write(&file, bytes))?;
        if count == 0 {
            return Err(Errno::IO.into());
        }
        bytes = &bytes[count..];
    }
    Ok(())
}

/// Writes all of `slices`, short ones together.
pub(super) fn write_slices(file: impl AsFd, slices: &[&[u8]]) -> Attempt<()> {
    if let [bytes] = slices {
        return write_bytes(file, bytes);
    }
    let size = slices.iter().map(|slice| slice.len()).sum();
    let mut together = Vec::with_capacity(WRITE_BUFFER.min(size));
    for slice in slices {
        if together.len() + slice.len() > WRITE_BUFFER {
            write_bytes(&file, &together)?;
            together.clear();
        }
        if slice.len() < WRITE_BUFFER {
            together.extend_from_slice(slice);
        } else {
            write_bytes(&file, slice)?;
        }
    }
    write_bytes(&file, &together)
}

/// Writes `bytes` over the regular file `name` if it is still `was`. What is too much goes last, so
/// that at no moment anything is gone that has no other bytes in its place.
pub(super) fn overwrite_file(
    directory: impl AsFd,
    name: &[u8],
    bytes: &[u8],
    was: &Stat,
) -> Attempt<()> {
    let file = open_regular(&directory, name, OFlags::WRONLY)?;
    let stat = stat_of(&fstat(&file)?);
    let identity = |stat: &Stat| (stat.kind, stat.device, stat.inode, stat.size, stat.modified);
    if identity(&stat) != identity(was) {
        return Err(Trouble::own(
            Fault::Missing,
            "it is not the file any more that was read",
        ));
    }
    write_bytes(&file, bytes)?;
    Ok(retry_on_intr(|| ftruncate(&file, bytes.len() as u64))?)
}

/// Returns the names in an open directory, in byte order.
pub(super) fn names(directory: impl AsFd) -> Attempt<Vec<Vec<u8>>> {
    let mut buffer = Vec::with_capacity(LIST_BUFFER);
    let mut entries = RawDir::new(directory, buffer.spare_capacity_mut());
    let mut names = Vec::new();
    while let Some(entry) = entries.next() {
        match entry?.file_name().to_bytes() {
            b"." | b".." => {}
            name => names.push(name.to_vec()),
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Returns the target of the link `name`.
pub(super) fn target(directory: impl AsFd, name: &[u8]) -> Attempt<Vec<u8>> {
    Ok(readlinkat(directory, name, Vec::new())?.into_bytes())
}

pub(super) fn not_regular() -> Trouble {
    Trouble::own(Fault::NotRegular, "not a regular file")
}
