//! Trees of git repositories as read-only workspaces, without a checkout.
//!
//! A [`Repository`] turns a revision into a [`RepositoryTree`], which implements
//! [`Workspace`](super::Workspace). Objects come from `git cat-file --batch`. The process is
//! started when it is first needed, and reused. Each of several concurrent threads uses its own
//! process. The content is that of the objects: no filter, line ending conversion or replacement
//! object applies.
//!
//! Read [`Repository`] first, then `object.rs` and `verbs.rs`.

mod cache;
mod id;
mod object;
mod object_error;
mod reader;
mod tree;
mod verbs;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use cache::ObjectCache;
use object::{CachedObject, SizeLimited};
use object_error::{ObjectError, ObjectResult, damaged_error};
use reader::{ObjectReader, ObjectType, RepositoryLocation};
use tree::GitTree;

use super::{ErrorKind, Result};
use crate::mutex::lock_unpoisoned;
use crate::process::Timeout;
use crate::text::printable;

pub use id::ObjectId;
pub use tree::GitObject;
pub(in crate::workspace) use verbs::{bits, stat};

/// The limit in bytes on the name of a revision.
const MAX_REVISION: usize = 4096;
/// The limit on the length of a chain of tags.
const MAX_TAGS: usize = 16;
/// A repository whose trees can be opened. Several threads can use it at once.
///
/// Clones share the cached objects and the git processes.
///
/// # Security
///
/// The git program is searched in `PATH`. A program below the repository's directory, the root, or
/// a work tree that contains one of them is never used. git runs no program that the repository or
/// its configuration names, and fetches nothing. If git does not answer in time, it is killed
/// together with the processes that it started. Treat all content as untrusted.
#[derive(Clone, Debug)]
pub struct Repository(Arc<RepositoryState>);

#[derive(Debug)]
struct RepositoryState {
    location: RepositoryLocation,
    timeout: Timeout,
    /// The git processes that no thread uses at the moment.
    idle_readers: Mutex<Vec<ObjectReader>>,
    trees: Mutex<ObjectCache<GitTree>>,
    /// Objects of all kinds except trees.
    objects: Mutex<ObjectCache<CachedObject>>,
}

/// A tree of a repository, as a read-only [`Workspace`](super::Workspace).
///
/// Verbs that change files fail with [`ErrorKind::Unsupported`]. User 0 owns all files, and only
/// the owner can write to them. A submodule is an empty directory, as in a checkout without
/// submodules.
#[derive(Debug)]
pub struct RepositoryTree {
    repository: Repository,
    root: Arc<GitTree>,
    id: ObjectId,
    commit: Option<ObjectId>,
    /// The reason why git is no longer used.
    failure: OnceLock<String>,
}

impl Repository {
    /// Returns the repository in the directory `git_dir`, such as the `.git` of a work tree, or a
    /// bare repository. Files are read when the first tree is opened.
    ///
    /// # Security
    ///
    /// git does not check the owner of the repository, just as with `GIT_DIR`. The caller must
    /// trust it. `root` is the directory that the command changes, if there is one. A git program
    /// below `root` is not used either.
    #[must_use]
    pub fn at(git_dir: &Path, root: Option<&Path>, patience: Timeout) -> Self {
        Self::of(
            RepositoryLocation::At {
                git_dir: git_dir.to_owned(),
                root: root.map(Path::to_owned),
            },
            patience,
        )
    }

    /// Returns the repository that git finds from `directory` upwards. git checks its owner: see
    /// `safe.directory` in git-config(1).
    #[must_use]
    pub fn for_directory(directory: &Path, patience: Timeout) -> Self {
        Self::of(
            RepositoryLocation::FoundFrom(directory.to_owned()),
            patience,
        )
    }

    fn of(place: RepositoryLocation, patience: Timeout) -> Self {
        let (idle, trees, objects) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self(Arc::new(RepositoryState {
            location: place,
            timeout: patience,
            idle_readers: idle,
            trees,
            objects,
        }))
    }

    fn build_tree(
        &self,
        root: Arc<GitTree>,
        id: ObjectId,
        commit: Option<ObjectId>,
    ) -> RepositoryTree {
        RepositoryTree {
            repository: self.clone(),
            root,
            id,
            commit,
            failure: OnceLock::new(),
        }
    }

    /// Returns the directory by which the repository was opened.
    #[must_use]
    pub fn directory(&self) -> &PathBuf {
        self.0.location.directory()
    }

    /// Returns whether the repository was opened with [`Repository::at`], not by a search.
    #[must_use]
    pub fn is_explicit(&self) -> bool {
        matches!(self.0.location, RepositoryLocation::At { .. })
    }

    /// Opens the tree of `revision`, any name of a commit, tag or tree that git accepts, such as
    /// `main` or `v1~2:src`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`] if there is no such revision, or if it is not a tree. Returns
    /// another error kind if the object, the repository or git itself cannot be read.
    pub fn tree(&self, revision: &[u8]) -> Result<RepositoryTree> {
        self.open(revision)
            .map_err(|error| error.with_verb("open as a tree", &printable(revision)))
    }

    fn open(&self, revision: &[u8]) -> ObjectResult<RepositoryTree> {
        if revision.is_empty()
            || revision.len() > MAX_REVISION
            || revision.iter().any(|byte| b"\n\0".contains(byte))
        {
            return Err(ObjectError::new(
                ErrorKind::Missing,
                "the name is not a valid revision",
            ));
        }
        let mut name = revision.to_vec();
        let mut commit = None;
        for _ in 0..MAX_TAGS {
            // A full object ID never refers to another object, whatever the names of references.
            // git has the same rule.
            let id = ObjectId::from_hex(&name);
            if let Some((id, root)) =
                id.and_then(|id| Some((id, lock_unpoisoned(&self.0.trees).find(id)?)))
            {
                return Ok(self.build_tree(root, id, commit));
            }
            let object = self.meta_object(&name)?;
            let next = match object.kind {
                ObjectType::Tree => {
                    let (id, root) = self.cache_tree(object)?;
                    return Ok(self.build_tree(root, id, commit));
                }
                ObjectType::Commit => {
                    commit = Some(object.id);
                    object.bytes.strip_prefix(b"tree ")
                }
                ObjectType::Tag => object.bytes.strip_prefix(b"object "),
                ObjectType::Blob => {
                    return Err(ObjectError::new(
                        ErrorKind::Missing,
                        "the revision is a file, not a tree",
                    ));
                }
            };
            let next = next
                .and_then(|bytes| bytes.split(|&byte| byte == b'\n').next())
                .and_then(ObjectId::from_hex);
            let Some(id) = next else {
                return Err(damaged_error(object.id));
            };
            name = id.to_string().into_bytes();
        }
        Err(ObjectError::new(
            ErrorKind::Missing,
            "the chain of tags is too long",
        ))
    }

    /// Returns the content of the blob `id`, if it has at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::TooLarge`] if the blob is larger, and [`ErrorKind::Missing`] if the
    /// object does not exist. Returns another error kind if the object is not a blob.
    pub fn blob(&self, id: ObjectId, limit: u64) -> Result<Vec<u8>> {
        self.contents(id, limit)
            .map_err(|error| error.with_verb("read the object", &id))
    }

    /// Returns ID and content of the only blob whose ID starts with the hexadecimal digits `name`.
    /// Returns `None` if there is no such blob, if there are several, or if it has more than
    /// `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the repository or git itself cannot be read.
    pub fn find_blob(&self, name: &[u8], limit: u64) -> Result<Option<(ObjectId, Vec<u8>)>> {
        match self.blob_by_name(name, limit) {
            Ok(found) => Ok(Some(found)),
            Err(ObjectError {
                kind: ErrorKind::Missing | ErrorKind::TooLarge,
                ..
            }) => Ok(None),
            Err(error) => Err(error.with_verb("read the object", &printable(name))),
        }
    }

    fn blob_by_name(&self, name: &[u8], limit: u64) -> ObjectResult<(ObjectId, Vec<u8>)> {
        let is_name = (4..=64).contains(&name.len()) && name.iter().all(u8::is_ascii_hexdigit);
        if !is_name || name.iter().all(|&digit| digit == b'0') {
            return Err(ObjectError::new(
                ErrorKind::Missing,
                "the name is not a blob id",
            ));
        }
        match self.object(&[name, b"^{blob}"].concat(), limit)? {
            SizeLimited::Loaded(object) => {
                let id = object.id;
                Ok((
                    id,
                    Arc::try_unwrap(object)
                        .map_or_else(|object| object.bytes.clone(), |object| object.bytes),
                ))
            }
            SizeLimited::TooLarge(_) => Err(ObjectError::new(
                ErrorKind::TooLarge,
                "the file exceeds the size limit",
            )),
        }
    }

    /// Returns the size in bytes of the blob `id`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Missing`] if the blob does not exist.
    pub fn blob_size(&self, id: ObjectId) -> Result<u64> {
        self.size(id)
            .map_err(|error| error.with_verb("read the object", &id))
    }

    /// Returns the tree `id`.
    fn subtree(&self, id: ObjectId) -> ObjectResult<Arc<GitTree>> {
        if let Some(tree) = lock_unpoisoned(&self.0.trees).find(id) {
            return Ok(tree);
        }
        let object = self.meta_object(id.to_string().as_bytes())?;
        Ok(self.cache_tree(object)?.1)
    }

    fn cache_tree(&self, object: Arc<CachedObject>) -> ObjectResult<(ObjectId, Arc<GitTree>)> {
        let id = object.id;
        let Some(CachedObject {
            kind: ObjectType::Tree,
            bytes,
            ..
        }) = Arc::into_inner(object)
        else {
            return Err(damaged_error(id));
        };
        let tree = Arc::new(GitTree::read(bytes, id).ok_or_else(|| damaged_error(id))?);
        lock_unpoisoned(&self.0.trees).insert(id, &tree);
        Ok((id, tree))
    }
}

impl RepositoryTree {
    /// Returns the ID of the tree.
    #[must_use]
    pub fn id(&self) -> ObjectId {
        self.id
    }

    /// Returns the commit through which the tree was opened, if any.
    #[must_use]
    pub fn commit(&self) -> Option<ObjectId> {
        self.commit
    }
}
