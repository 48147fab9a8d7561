//! Verbs that failed, and why.

use std::io;

/// A verb that failed.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot {verb}")]
pub struct WorkspaceError {
    /// What was tried, as in "cannot read".
    pub verb: &'static str,
    /// The path below the root, printable; `.` for the root.
    pub path: String,
    /// The kind of failure that callers tell apart.
    pub fault: Fault,
    /// What the system said.
    pub source: io::Error,
}

impl WorkspaceError {
    /// Returns whether the system refuses it for another reason than permission bits, such as an
    /// immutable file.
    #[must_use]
    pub fn is_not_permitted(&self) -> bool {
        /// The number that every Unix has for it. [`io::ErrorKind`] has one kind for this and for
        /// permission bits.
        const EPERM: i32 = 1;
        self.source.raw_os_error() == Some(EPERM)
    }
}

/// Why a user who can write to a directory cannot replace or remove a file in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sticky bit of the directory lets only user {owner} (uid) replace the file")]
pub struct StickyBit {
    /// The owner of the file.
    pub owner: u32,
}

/// The failures of verbs that callers tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing is there.
    Missing,
    /// Something is there already.
    Exists,
    /// A symbolic link stands in the way.
    ThroughLink,
    /// A component above is no directory.
    NotDirectory,
    /// It is a directory, a link or a special file where a regular file is needed.
    NotRegular,
    /// The directory has something in it.
    NotEmpty,
    /// The file is larger than the limit.
    TooLarge,
    /// The two names are on different file systems.
    CrossDevice,
    /// It may not be done here: permissions, a read-only file system, or a mount point in use.
    Denied,
    /// Kernel or file system has no such call.
    Unsupported,
    /// Anything else: the disk, limits.
    Other,
}
