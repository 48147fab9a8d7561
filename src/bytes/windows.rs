//! System calls for reading on Windows.

use std::fs::File;
use std::io::{self, Read};
use std::os::windows::fs::FileExt;
#[cfg(feature = "cli")]
use std::os::windows::io::AsHandle;

/// Reads from the current position of `file` into the spare capacity of `bytes`. Returns the number
/// of bytes read, which is 0 at the end of the file.
pub(super) fn append_available(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let room = bytes.capacity() - bytes.len();
    file.take(room as u64).read_to_end(bytes)
}

/// Reads once from `offset` into `buffer`, and returns the number of bytes read. Changes the
/// position of `file`, which is no problem for other calls of this function.
pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

/// Returns standard input as a file. Its position is the one of standard input.
///
/// # Errors
///
/// Returns the error of the system if no file handle is free.
#[cfg(feature = "cli")]
pub(crate) fn stdin_file() -> io::Result<File> {
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}
