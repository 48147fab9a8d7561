//! The error of a workspace verb, and its kinds.

use std::fmt::Display;
use std::io;

/// The result of a verb.
pub type Result<T> = std::result::Result<T, WorkspaceError>;

/// A verb that failed.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot {verb}")]
pub struct WorkspaceError {
    /// The verb that failed, as in "cannot read".
    pub verb: &'static str,
    /// The path below the root, printable. `.` is the root.
    pub path: String,
    /// The error kind.
    pub kind: ErrorKind,
    /// The error of the operating system.
    pub source: io::Error,
}

impl WorkspaceError {
    /// Returns the error of a step that a raised interrupt ended. `path` is its file, or `.`.
    pub(crate) fn interrupted(verb: &'static str, path: impl Display) -> Self {
        Self {
            verb,
            path: path.to_string(),
            kind: ErrorKind::Other,
            source: io::ErrorKind::Interrupted.into(),
        }
    }

    /// Returns whether the system refused the verb with `EPERM`, for example because the file is
    /// immutable. Missing permission bits result in `EACCES` instead.
    #[must_use]
    pub fn is_not_permitted(&self) -> bool {
        /// `EPERM` is 1 on every Unix. [`io::ErrorKind::PermissionDenied`] also includes `EACCES`,
        /// the error for missing permission bits.
        const EPERM: i32 = 1;
        self.source.raw_os_error() == Some(EPERM)
    }
}

/// The reason why a user who can write to a directory cannot replace or remove a file in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the directory has the sticky bit, so only the user with uid {owner} can replace the file")]
pub struct StickyBitError {
    /// The owner of the file.
    pub owner: u32,
}

/// The kinds of errors that callers distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file does not exist.
    Missing,
    /// The file already exists.
    Exists,
    /// A directory of the path is a symbolic link.
    ThroughLink,
    /// A component above the file is not a directory.
    NotDirectory,
    /// The verb needs a regular file, and the path is a directory, a link or a special file.
    NotRegular,
    /// The directory is not empty.
    NotEmpty,
    /// The file is larger than the limit.
    TooLarge,
    /// The two names are on different file systems.
    CrossDevice,
    /// The system refuses: permissions, a read-only file system, or a mount point in use.
    Denied,
    /// Another program has the file open and does not share it. Only Windows returns this error. The
    /// verb was repeated for up to one second.
    Busy,
    /// The kernel or the file system does not support the call.
    Unsupported,
    /// Any other error, such as a disk error or a resource limit.
    Other,
}
