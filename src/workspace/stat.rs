//! The attributes of a file.

use crate::mode::FileKind;

/// A point of time as file systems keep it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds, below 1,000,000,000.
    pub nanoseconds: u32,
}

/// What a name leads to, as lstat(2) tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Type of file.
    pub kind: FileKind,
    /// Permission bits, of 0o7777.
    pub permissions: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Number of names.
    pub links: u64,
    /// Size in bytes.
    pub size: u64,
    /// When the contents were last changed.
    pub modified: Timestamp,
    /// Device of the file system.
    pub device: u64,
    /// Inode number. A hint: it does not survive every copy of a tree.
    pub inode: u64,
    /// Whether it is known to have no extended attributes: a disk looks for them only at
    /// [`Workspace::read`](super::Workspace::read).
    pub is_bare: bool,
}
