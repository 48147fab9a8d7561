//! Functions for systems on which the standard library reports neither owners nor hard links.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use fs_err::File;

/// The path without links. The hard links of a file have different identities.
pub(crate) type FileIdentity = PathBuf;

/// Opens the file at `path` for reading. If another file replaced it after the caller checked its
/// type, the call can block.
pub(super) fn open_without_blocking(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Returns the number of hard links of the file at the path, or `None` if the system does not report
/// it.
#[must_use]
pub(crate) fn count_hard_links(_: &Path, _: &Metadata) -> Option<u64> {
    None
}

/// Returns the identity of the file to which `path` leads: two paths with the same identity lead to
/// the same file.
#[must_use]
pub(crate) fn file_identity(path: &Path) -> Option<FileIdentity> {
    fs_err::canonicalize(path).ok()
}

/// Fails, because the system does not report who can replace the file.
///
/// # Errors
///
/// Always returns [`io::ErrorKind::Unsupported`].
pub(crate) fn find_replaceable(_: &Path, _: u32) -> io::Result<Option<PathBuf>> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "wpatch cannot check on this system whether other users can replace the file",
    ))
}
