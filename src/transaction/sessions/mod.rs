//! Edit sessions: changed files that are not in the tree yet.
//!
//! A session is a directory `session-<id>` of the history. One checksummed document lists the
//! changed files with their states in the tree and in the session. It is replaced atomically, and
//! names its contents, which are files next to it. A content is durable before a document names it,
//! so a session survives a crash in its state before or after a step. `step.rs` makes a step,
//! `records.rs` records its files, and `store.rs` reads and writes sessions.
//!
//! All paths start at the top of the work tree.

mod document;
mod records;
mod step;
mod store;

use crate::digest::Digest;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::workspace::{Layer, LayerFile};

pub use step::SessionStep;
pub use store::{SessionSearchResult, abort, begin, has_revision, list, search};

pub(super) use store::remove_committed;

/// The maximum length of a note in bytes.
pub const MAX_NOTE: usize = 4096;

/// An edit session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The ID. IDs sort by time.
    pub id: String,
    /// The time at which it began, in seconds since 1970.
    pub time: u64,
    /// The note of the user.
    pub note: Option<String>,
    /// The number of steps so far.
    pub revision: u64,
    /// The changed files, sorted by path. Empty if the session is damaged.
    pub files: Vec<SessionFile>,
    /// The reason why the session cannot be used, if its document is damaged.
    pub damage: Option<String>,
    /// The directory of the session.
    pub(super) directory: RelPath,
    /// The number of the next content.
    pub(super) next: u64,
}

/// A file that a session changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFile {
    /// The path of the file.
    pub path: RelPath,
    /// The file in the tree when the session first changed it; `None` if there was none.
    pub base: Option<StoredFile>,
    /// The file in the session; `None` if the session removes it.
    pub new: Option<StoredFile>,
    /// The path in the tree from which the file of the session was moved.
    pub from: Option<RelPath>,
}

/// A version of a file whose content the session keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// Regular file or symbolic link.
    pub kind: FileKind,
    /// The digest of the content or of the link target.
    pub digest: Digest,
    /// The permission bits of a regular file; `None` for the usual bits of a new file.
    pub permissions: Option<u32>,
    /// The mode of the file.
    pub mode: FileMode,
    /// The path of the content, below the top of the work tree.
    pub content: RelPath,
}

impl StoredFile {
    /// Returns whether `other` has the same type, permission bits and content.
    fn is_same(&self, other: &Self) -> bool {
        let identity = |file: &Self| (file.kind, file.digest, file.permissions);
        identity(self) == identity(other)
    }

    fn layer_file(&self) -> LayerFile {
        let usual = if self.mode == FileMode::Executable {
            0o755
        } else {
            0o644
        };
        LayerFile {
            kind: self.kind,
            permissions: self.permissions.unwrap_or(usual),
            content: self.content.clone(),
        }
    }
}

impl Session {
    /// Returns the change of the file at `path`.
    #[must_use]
    pub fn file(&self, path: &RelPath) -> Option<&SessionFile> {
        let index = self
            .files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()?;
        self.files.get(index)
    }

    /// Returns the files of the session as a layer of the tree.
    #[must_use]
    pub fn layer(&self) -> Layer {
        self.layer_of(|file| file.new.as_ref())
    }

    /// Returns the files of the tree that the session changed, as they were, as a layer.
    #[must_use]
    pub fn base_layer(&self) -> Layer {
        self.layer_of(|file| file.base.as_ref())
    }

    fn layer_of(&self, side: impl Fn(&SessionFile) -> Option<&StoredFile>) -> Layer {
        self.files
            .iter()
            .map(|file| (file.path.clone(), side(file).map(StoredFile::layer_file)))
            .collect()
    }
}
