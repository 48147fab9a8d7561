//! The rights of the current user on files, as far as they are known without a write, and the
//! reasons of refusals.

use super::Protection;

/// The changes of its entries that a directory allows to the current user. By default it allows all
/// changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryRights {
    /// Whether files can only be created, because the directory is append-only.
    pub is_append_only: bool,
    /// Whether the user can replace and remove only own files, because the directory has the sticky
    /// bit.
    pub is_sticky: bool,
}

/// A change of a file that keeps its inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InPlaceChange {
    /// Its content is overwritten.
    Content,
    /// Its permission bits change.
    Mode,
}

/// The reason why a user cannot change the mode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the file belongs to the user with uid {owner}")]
pub struct OwnerError {
    /// The owner of the file.
    pub owner: u32,
}

/// The reason why no user can change a file, or the entries of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is {0}")]
pub struct ProtectedError(pub Protection);
