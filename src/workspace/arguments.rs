//! The options of verbs: the origin of attributes, the mode of a directory, the way to rename.

use super::Directory;
use crate::path::RelPath;

/// What a new file takes over besides its contents and its permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Like<'a> {
    /// Owner, group and extended attributes of this file.
    File(&'a RelPath),
    /// This owner and group, as a file has them that was seen to have no extended attributes: those
    /// that it gets between that look and the swap are not seen, as no time but that of the last
    /// change of anything tells of them.
    Bare {
        /// Owner.
        uid: u32,
        /// Group.
        gid: u32,
    },
    /// What a file that is made in this directory gets: the group of a set-group-ID one, see
    /// inode(7), and its default access control list in the place of the umask, see acl(5).
    NewIn(Directory<'a>),
}

/// How the names of the files begin that [`Probe::Named`] makes. A kill may leave one; it can be
/// removed at any time.
pub const PROBE: &str = ".wpatch-probe-";

/// How [`Workspace::keeps_modes`](super::Workspace::keeps_modes) finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Probe {
    /// Not at all: without an earlier answer, modes are kept.
    Never,
    /// With a file that has no name (`O_TMPFILE` of open(2)). File systems without such files do
    /// not keep modes.
    Unnamed,
    /// Also with a file that has a name for a moment.
    Named,
}

/// What [`Workspace::rename`](super::Workspace::rename) does with a file that is already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rename {
    /// Fails with [`Fault::Exists`](super::Fault::Exists). `RENAME_NOREPLACE` of rename(2); may be
    /// [`Fault::Unsupported`](super::Fault::Unsupported).
    Exclusive,
    /// Gives it the other name, both at once. `RENAME_EXCHANGE` of rename(2); may be
    /// [`Fault::Unsupported`](super::Fault::Unsupported).
    Exchange,
    /// Replaces it.
    Replace,
}

/// The permission bit of a private directory that goes with the command that made it. It stands
/// there from the first moment, so that the next command knows the directory of a dead process from
/// one that is to stay. The sticky bit, which means nothing where only the owner can write, see
/// mkdir(2).
pub const PASSING: u32 = 0o1000;

/// Whether others may look into a new directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Privacy {
    /// Mode 0700.
    Private,
    /// Mode 0700 and [`PASSING`].
    Passing,
    /// Mode 0777 less the umask.
    Shared,
}
