//! Reads the bytes of files. Two threads share the work for a large file.
//!
//! Start with [`read_next`] and [`read_large`]. To support another system, add `bytes/<system>.rs`
//! with `append_available`, `read_at` and `stdin_file`, and select it here.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::File;
use std::io;
use std::sync::Mutex;

use memmap2::MmapMut;

use crate::interrupt::{Interrupt, MAX_UNINTERRUPTED_BYTES};
use crate::mutex::lock_unpoisoned;
use crate::text::Bytes;
use crate::threads::{MIN_PARALLEL_BYTES, run_both};

#[cfg(feature = "cli")]
pub(crate) use system::stdin_file;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// Reads at most `size` bytes from the current position of `file`. Returns fewer at the end of the
/// file.
///
/// # Errors
///
/// Returns the error of the system, or [`io::ErrorKind::OutOfMemory`] if `size` bytes cannot be
/// allocated.
#[allow(dead_code, reason = "unused on systems without a backend")]
pub(crate) fn read_next(file: &File, size: usize) -> io::Result<Vec<u8>> {
    let mut bytes = reserve_buffer(size)?;
    while bytes.len() < size {
        if system::append_available(file, &mut bytes)? == 0 {
            break;
        }
    }
    Ok(bytes)
}

/// The size in bytes from which a second thread helps to read a file. Smaller files gain nothing,
/// because other threads often read other files at the same time.
#[allow(dead_code, reason = "unused on systems without a backend")]
pub(crate) const MIN_PARALLEL_READ: usize = 4 * MIN_PARALLEL_BYTES;

/// Returns an anonymous memory map of `size` bytes in pages of normal size.
///
/// The kernel is not asked for huge pages. In a virtual machine that returns free memory to its
/// host, the host must supply each huge page as a whole. Normal pages mostly come from memory that
/// the guest used recently.
///
/// # Errors
///
/// Returns the error of the system if `size` bytes cannot be allocated.
#[allow(dead_code, reason = "unused on systems without a backend")]
pub(crate) fn map_pages(size: usize) -> io::Result<MmapMut> {
    MmapMut::map_anon(size)
}

/// Fills `pages` with the bytes of a regular file from `offset` on. Returns fewer bytes if the file
/// ends earlier.
///
/// Most of the time is spent on the first access to each page, so two threads read one half each.
/// On Windows, the call changes the position of the file.
///
/// # Errors
///
/// Returns the error of the system. Returns [`io::ErrorKind::OutOfMemory`] if the file ends earlier
/// and there is no memory for a copy of the bytes read, and [`io::ErrorKind::Interrupted`] if
/// `interrupt` is raised.
#[allow(dead_code, reason = "unused on systems without a backend")]
pub(crate) fn read_large(
    file: &File,
    offset: u64,
    mut pages: MmapMut,
    interrupt: &Interrupt,
) -> io::Result<Bytes> {
    let read_at = |room: &mut [u8], offset| {
        interrupt.check()?;
        let part = room.len().min(MAX_UNINTERRUPTED_BYTES);
        system::read_at(file, &mut room[..part], offset)
    };
    let size = pages.len();
    let middle = size / 2;
    let (first, second) = pages.split_at_mut(middle);
    // `run_both` also calls the second closure on this thread if no thread starts. It therefore
    // takes an `Fn`, which needs the mutex to write to its half.
    let second = Mutex::new(second);
    let (first, second) = run_both(
        size,
        || fill(first, offset, read_at),
        || {
            fill(
                &mut lock_unpoisoned(&second),
                offset + middle as u64,
                read_at,
            )
        },
    );
    // If the file ends in the first half, the bytes of the second half are not contiguous with it.
    let end = match first? {
        count if count < middle => count,
        _ => middle + second?,
    };
    if end == size {
        return Ok(Bytes::from_pages(pages));
    }
    let mut bytes = reserve_buffer(end)?;
    bytes.extend_from_slice(&pages[..end]);
    Ok(bytes.into())
}

/// Returns the last `length` bytes of a regular file of `size` bytes, or all bytes of a shorter file.
///
/// # Errors
///
/// Returns the errors of [`read_large`].
#[allow(dead_code, reason = "unused on systems without a backend")]
pub(crate) fn read_end(file: &File, size: u64, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length.min(size)).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = reserve_buffer(length)?;
    bytes.resize(length, 0);
    let read_at = |room: &mut [u8], offset| system::read_at(file, room, offset);
    let count = fill(&mut bytes, size - length as u64, read_at)?;
    bytes.truncate(count);
    Ok(bytes)
}

/// Returns an empty vector with the capacity `size`.
fn reserve_buffer(size: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size)?;
    Ok(bytes)
}

/// Fills `room` with reads that start at `offset`. Returns the number of bytes read.
fn fill(
    mut room: &mut [u8],
    mut offset: u64,
    read_at: impl Fn(&mut [u8], u64) -> io::Result<usize>,
) -> io::Result<usize> {
    let size = room.len();
    while !room.is_empty() {
        let count = read_at(room, offset)?;
        if count == 0 {
            break;
        }
        (room, offset) = (&mut room[count..], offset + count as u64);
    }
    Ok(size - room.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_read_as_a_small_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("large");
        let contents: Vec<u8> = (0..MIN_PARALLEL_READ)
            .map(|place| u8::try_from(place % 251).unwrap())
            .collect();
        fs_err::write(&path, &contents).unwrap();
        let open = || File::open(&path).unwrap();
        let size = contents.len();
        for wanted in [0, 1, size - 1, size, size + 1] {
            let found = read_next(&open(), wanted).unwrap();
            assert!(found[..] == contents[..size.min(wanted)], "{wanted}");
        }
        for (offset, wanted) in [
            (0, size),
            (0, size - 1),
            (0, 0),
            (0, size + MIN_PARALLEL_BYTES),
            (0, 3 * size),
            (7, size),
            (size, 3),
        ] {
            let found = read_large(
                &open(),
                offset as u64,
                map_pages(wanted).unwrap(),
                Interrupt::never(),
            )
            .unwrap();
            assert!(
                found[..] == contents[offset..size.min(offset + wanted)],
                "{wanted} from {offset}"
            );
        }
    }

    #[test]
    fn few_bytes_at_a_time_come_to_all() {
        let few = |room: &mut [u8], offset: u64| {
            let count = room
                .len()
                .min(3)
                .min(8_usize.saturating_sub(usize::try_from(offset).unwrap()));
            room[..count].fill(u8::try_from(offset).unwrap());
            Ok(count)
        };
        let mut room = [9; 10];
        assert_eq!(
            (fill(&mut room, 1, few).unwrap(), room),
            (7, [1, 1, 1, 4, 4, 4, 7, 9, 9, 9])
        );
        let error = fill(&mut room, 0, |_, _| {
            Err(io::ErrorKind::StaleNetworkFileHandle.into())
        });
        assert_eq!(
            error.unwrap_err().kind(),
            io::ErrorKind::StaleNetworkFileHandle
        );
    }
}
