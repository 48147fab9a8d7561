//! Opens and inspects files by a path of the operating system, without a root. The program uses
//! these functions for the files that its user names.
//!
//! To support another system, add `os_paths/<system>.rs` with the same functions as
//! `unsupported.rs`, and select it here.

#[cfg(unix)]
mod unix;
#[cfg(not(any(unix, windows)))]
mod unsupported;
#[cfg(windows)]
mod windows;

use std::io;
use std::path::Path;

use fs_err::File;

#[cfg(unix)]
use unix as system;
#[cfg(not(any(unix, windows)))]
use unsupported as system;
#[cfg(windows)]
use windows as system;

use system::open_without_blocking;
pub(crate) use system::{FileIdentity, count_hard_links, file_identity, find_replaceable};

/// Opens the regular file at `path` for reading, and follows links. Never blocks on a FIFO.
///
/// # Errors
///
/// Returns the error of the system, or an error if the file is not a regular file.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let error = || io::Error::other("not a regular file");
    // Opening a device can have side effects, so check the type before opening. The check after
    // opening applies to the opened file.
    if !fs_err::metadata(path)?.is_file() {
        return Err(error());
    }
    let file = open_without_blocking(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(error())
    }
}
