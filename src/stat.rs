//! The attributes of a file.

use crate::mode::FileKind;

/// A file timestamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds, below 1,000,000,000.
    pub nanoseconds: u32,
}

/// The attributes of a file, as lstat(2) returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// File type.
    pub kind: FileKind,
    /// Permission bits, at most 0o7777.
    pub permissions: u32,
    /// User ID of the owner.
    pub uid: u32,
    /// Group ID.
    pub gid: u32,
    /// Number of hard links.
    pub links: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content.
    pub modified: Timestamp,
    /// Device number of the file system.
    pub device: u64,
    /// Inode number. It is only a hint: a copy of a tree can have other inode numbers.
    pub inode: u64,
    /// Whether the file is known to have no extended attributes. The disk checks this only in
    /// [`Workspace::read`](crate::workspace::Workspace::read).
    pub has_no_xattrs: bool,
}
