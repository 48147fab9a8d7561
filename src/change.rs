//! The data type between preflight and the transaction: a file before and after a change. It does
//! not depend on patches.

use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::stat::Stat;
use crate::text::Contents;
use crate::workspace_error::WorkspaceError;

/// One file before and after the change. A transaction has at most one `FileChange` for each path.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// The path of the file.
    pub path: RelPath,
    /// The file found at the path, or `None` if there was none.
    pub before: Option<FileState>,
    /// The file that the change puts at the path, or `None` to delete it.
    pub after: Option<Postimage>,
}

/// The identity of a file at the time it was read. Later checks compare the file with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Type, size, times and owner of the file.
    pub stat: Stat,
    /// Digest of the content, or of the target of a symbolic link. A directory has
    /// `Digest::of(b"")`.
    pub digest: Digest,
}

/// The file that a change puts at a path.
#[derive(Clone, Debug)]
pub struct Postimage {
    /// Regular file, symbolic link or directory. A directory is empty and represents a submodule.
    pub kind: FileKind,
    /// The permission bits of a regular file. Other types ignore them.
    pub permissions: Permissions,
    /// The source of the content.
    pub content: Content,
    /// The file that supplies owner, group and extended attributes.
    pub attribute_source: Option<RelPath>,
}

/// The source of the content of a postimage.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Content {
    /// These bytes: the content, or the target of a symbolic link.
    Bytes(Contents),
    /// The existing content. Only the permissions change.
    Unchanged,
    /// The inode at this path, which the same transaction moves from there: a rename without
    /// changed bytes keeps the inode. The state is the file found there.
    MovedFrom(RelPath, FileState),
    /// The inode at this path in the history, which an undo moves back. The state is the file found
    /// there.
    Restored(RelPath, FileState),
}

/// Receives finished changes from several threads, in any order.
pub trait Sink: Sync {
    /// Receives one change.
    ///
    /// # Errors
    ///
    /// Returns the error of the workspace. No change to the tree is visible in that case.
    fn receive(&self, change: FileChange) -> Result<(), WorkspaceError>;
}

/// A sink that discards all changes. `check` is `apply` with this sink.
#[derive(Clone, Copy, Debug)]
pub struct DiscardSink;

impl Sink for DiscardSink {
    fn receive(&self, _: FileChange) -> Result<(), WorkspaceError> {
        Ok(())
    }
}
