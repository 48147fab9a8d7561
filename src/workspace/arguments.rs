//! Options of verbs: the source of attributes, the mode of a directory, the kind of rename.

use crate::interrupt::Interrupt;
use crate::mode::Permissions;
use crate::path::RelPath;

/// A directory of a workspace. `None` is the root.
pub type Directory<'a> = Option<&'a RelPath>;

/// A new regular file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NewFile<'a> {
    /// The parts of the content, in order.
    pub slices: &'a [&'a [u8]],
    /// The permissions.
    pub permissions: Permissions,
    /// The source of other attributes.
    pub source: Option<AttributeSource<'a>>,
    /// Cancels the creation. A disk writes a large content in parts, and removes the incomplete file
    /// after this handle is raised.
    pub interrupt: &'a Interrupt,
}

impl<'a> NewFile<'a> {
    /// Returns a file with this content, these permissions and the attributes of `source`.
    #[must_use]
    pub fn new(
        slices: &'a [&'a [u8]],
        permissions: Permissions,
        source: Option<AttributeSource<'a>>,
    ) -> Self {
        Self {
            slices,
            permissions,
            source,
            interrupt: Interrupt::never(),
        }
    }

    /// Returns the file. Its creation ends with an error soon after `interrupt` is raised.
    #[must_use]
    pub fn with_interrupt(self, interrupt: &'a Interrupt) -> Self {
        Self { interrupt, ..self }
    }
}

/// The source of the attributes that a new file gets in addition to its permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttributeSource<'a> {
    /// Owner, group, inode flags and extended attributes of this file.
    File(&'a RelPath),
    /// The attributes of [`AttributeSource::File`], of a file in another root.
    OtherRoot {
        /// The absolute path of the root, see [`Workspace::location`](super::Workspace::location).
        location: &'a [u8],
        /// The path of the file below the root.
        path: &'a RelPath,
    },
    /// This owner and group, these inode flags, and no extended attributes. Used for a preimage that had none when it
    /// was read. Attributes that another process sets between that read and the swap are lost,
    /// because only the status change time (ctime) would reveal them.
    OwnerOnly {
        /// User ID.
        uid: u32,
        /// Group ID.
        gid: u32,
        /// The inode flags, see [`Stat::inode_flags`](super::Stat::inode_flags).
        inode_flags: u32,
    },
    /// The attributes of a file created in this directory. A set-group-ID directory determines the
    /// group, see inode(7). A default access control list replaces the umask, see acl(5).
    NewIn(Directory<'a>),
}

/// Prefix of the names of files that [`ModeProbe::Named`] creates. A killed process can leave such
/// a file. The file can be removed at any time.
pub const PROBE_PREFIX: &str = ".wpatch-probe-";

/// How [`Workspace::stored_bits`](super::Workspace::stored_bits) tests a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModeProbe {
    /// Does not test. Without an earlier answer, assumes that modes are stored.
    Never,
    /// Tests with an unnamed file (`O_TMPFILE` of open(2)). Assumes that a file system without such
    /// files does not store modes.
    Unnamed,
    /// Tests with an unnamed file, or with a named temporary file if unnamed ones are not
    /// supported.
    Named,
}

/// What [`Workspace::rename`](super::Workspace::rename) does if the target exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenameMode {
    /// Fails with [`ErrorKind::Exists`](super::ErrorKind::Exists). Uses `RENAME_NOREPLACE` of
    /// rename(2), which can be [`ErrorKind::Unsupported`](super::ErrorKind::Unsupported).
    Exclusive,
    /// Exchanges the two files atomically. Uses `RENAME_EXCHANGE` of rename(2), which can be
    /// [`ErrorKind::Unsupported`](super::ErrorKind::Unsupported).
    Exchange,
    /// Replaces the target.
    Replace,
}

/// The permission bit that marks a temporary directory. It is the sticky bit, which has no effect
/// if only the owner can write, see mkdir(2).
///
/// The directory is created with this bit. A later command can therefore distinguish the directory
/// of a dead process from a permanent one.
pub const TEMPORARY: u32 = 0o1000;

/// The permissions of a new directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DirectoryPermissions {
    /// Mode 0700.
    Private,
    /// Mode 0700 and [`TEMPORARY`].
    Temporary,
    /// Mode 0777 without the bits of the umask.
    Shared,
}
