//! The attributes of a file.

use std::fmt;

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
    /// The protection of the file, if it has one. The disk reads it only in
    /// [`Workspace::read`](crate::workspace::Workspace::read).
    pub protection: Option<Protection>,
    /// The inode flags that a new version of the file also gets, such as those of `chattr +A`, in
    /// the encoding of the system. The disk reads them only in
    /// [`Workspace::read`](crate::workspace::Workspace::read).
    pub inode_flags: u32,
}

/// An inode flag because of which the system refuses to replace, rename or remove a file, even for
/// root. On a directory it concerns the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protection {
    /// The file cannot be changed.
    Immutable,
    /// The file can only grow.
    AppendOnly,
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Immutable => "immutable",
            Self::AppendOnly => "append-only",
        })
    }
}
