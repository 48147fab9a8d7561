//! What a file becomes: the second waist of the pipeline. It has never heard of patches.

use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::text::Contents;
use crate::workspace::{Stat, WorkspaceError};

/// One file before and after. A path has at most one in a transaction.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// The file.
    pub path: RelPath,
    /// What was found there; `None` if nothing was.
    pub before: Option<FileState>,
    /// What is to be there; `None` if nothing is.
    pub after: Option<Postimage>,
}

/// What was found at a path, as far as a guard needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Type, size, times and owner when it was read.
    pub stat: Stat,
    /// Digest of its contents, or of the target of a symbolic link; `Digest::of(b"")` for a
    /// directory.
    pub digest: Digest,
}

/// What is to be at a path.
#[derive(Clone, Debug)]
pub struct Postimage {
    /// Regular file, symbolic link, or directory (an empty one, for a submodule).
    pub kind: FileKind,
    /// The permission bits of a regular file; carries nothing for the other types.
    pub permissions: Permissions,
    /// Where the contents come from.
    pub content: Content,
    /// The file whose owner, group and extended attributes the new one gets.
    pub like: Option<RelPath>,
}

/// Where the contents of a postimage come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Content {
    /// These bytes: contents, or the target of a symbolic link.
    Bytes(Contents),
    /// The contents stay; only the permissions change.
    Kept,
    /// The very file at this path, which goes away from there in the same transaction: a rename
    /// that changes no byte keeps the inode. The state is what was found there.
    MovedFrom(RelPath, FileState),
    /// The very file at this path, which the history keeps and gives up for it. The state is what
    /// was found there.
    Restored(RelPath, FileState),
}

/// Takes finished changes, from several threads at once, in any order.
pub trait Sink: Sync {
    /// Takes one change.
    ///
    /// # Errors
    ///
    /// Returns the error of the disk; nothing that is visible in the tree has happened then.
    fn take(&self, change: FileChange) -> Result<(), WorkspaceError>;
}

/// Drops what it is given: `check` is `apply` into this sink.
#[derive(Clone, Copy, Debug)]
pub struct Dropped;

impl Sink for Dropped {
    fn take(&self, _: FileChange) -> Result<(), WorkspaceError> {
        Ok(())
    }
}
