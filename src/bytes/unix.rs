//! System calls for reading on Unix.

use std::fs::File;
use std::io;
#[cfg(feature = "cli")]
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;

use rustix::buffer::spare_capacity;
use rustix::io::{read, retry_on_intr};

/// Reads once from the current position of `file` into the spare capacity of `bytes`. Returns the
/// number of bytes read, which is 0 at the end of the file.
pub(super) fn append_available(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    Ok(retry_on_intr(|| read(file, spare_capacity(bytes)))?)
}

/// Reads once from `offset` into `buffer`, and returns the number of bytes read.
pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        match file.read_at(buffer, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Returns standard input as a file. Its position is the one of standard input.
///
/// # Errors
///
/// Returns the error of the system if standard input is closed or no file handle is free.
#[cfg(feature = "cli")]
pub(crate) fn stdin_file() -> io::Result<File> {
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{MIN_PARALLEL_READ, map_pages, read_large, read_next};
    use crate::interrupt::Interrupt;

    #[test]
    fn a_directory_cannot_be_read() {
        let directory = tempfile::tempdir().unwrap();
        let opened = File::open(directory.path()).unwrap();
        let pages = map_pages(MIN_PARALLEL_READ).unwrap();
        let errors = [
            read_large(&opened, 0, pages, Interrupt::never()).unwrap_err(),
            read_next(&opened, 1).unwrap_err(),
        ];
        assert_eq!(
            errors.map(|error| error.kind()),
            [io::ErrorKind::IsADirectory; 2]
        );
    }
}
