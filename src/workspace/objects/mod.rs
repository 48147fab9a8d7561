//! Trees of git repositories, read without a checkout.
//!
//! Objects come from `git cat-file --batch`, which is started when it is first needed and kept;
//! threads that read at the same time have one each. What a tree holds is taken as it is: no
//! filter, no line end, no replacement of objects.

mod cache;
mod id;
mod object;
mod reader;
mod tree;
mod trouble;
mod verbs;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use cache::Cache;
use object::{Object, Within};
use reader::{Kind, Place, Reader};
use tree::Tree;
use trouble::{Outcome, Trouble, damaged};

use super::{Fault, Result};
use crate::mutex::locked;
use crate::process::Patience;
use crate::text::printable;

pub use id::ObjectId;
pub(in crate::workspace) use verbs::{bits, stat};
/// Longest name of a revision, in bytes.
const MAX_REVISION: usize = 4096;
/// Most tags of tags.
const MAX_TAGS: usize = 16;
/// A repository, of which any number of trees can be opened, from several threads at once.
///
/// Clones share what was read and the processes that read.
///
/// # Security
///
/// git itself is taken from the search path, but never from below the directory that names the
/// repository, the root, or a work tree that one of them is in. It runs nothing that the repository
/// or its configuration names, and fetches nothing. A git that is silent for too long is killed,
/// with what it started. Only read what it says as what somebody put there.
#[derive(Clone, Debug)]
pub struct Repository(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    place: Place,
    patience: Patience,
    idle: Mutex<Vec<Reader>>,
    trees: Mutex<Cache<Tree>>,
    /// Objects that are no trees.
    objects: Mutex<Cache<Object>>,
}

/// One tree of a repository: a [`Workspace`](super::Workspace) that can be read.
///
/// Every verb that would write is [`Fault::Unsupported`]. Files belong to the user, who alone can
/// write to them; a submodule is an empty directory, as in a checkout of it alone.
#[derive(Debug)]
pub struct Objects {
    repository: Repository,
    root: Arc<Tree>,
    id: ObjectId,
    commit: Option<ObjectId>,
    /// Why git is not asked any more.
    given_up: OnceLock<String>,
}

impl Repository {
    /// Returns the repository that is the directory `git_dir`, such as the `.git` of a work tree,
    /// or a bare one. Nothing is looked at before a tree is opened.
    ///
    /// # Security
    ///
    /// Whoever names it vouches for it: git does not ask whose it is, as it does not for `GIT_DIR`.
    /// Nor does `root` bring the git that is run: the directory that somebody works in meanwhile,
    /// if there is one.
    #[must_use]
    pub fn at(git_dir: &Path, root: Option<&Path>, patience: Patience) -> Self {
        Self::of(
            Place::At {
                git_dir: git_dir.to_owned(),
                root: root.map(Path::to_owned),
            },
            patience,
        )
    }

    /// Returns the repository that git finds from `directory` on, with its own doubts: see
    /// `safe.directory` in git-config(1).
    #[must_use]
    pub fn around(directory: &Path, patience: Patience) -> Self {
        Self::of(Place::Around(directory.to_owned()), patience)
    }

    fn of(place: Place, patience: Patience) -> Self {
        let (idle, trees, objects) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self(Arc::new(Inner {
            place,
            patience,
            idle,
            trees,
            objects,
        }))
    }

    fn planted_as(&self, root: Arc<Tree>, id: ObjectId, commit: Option<ObjectId>) -> Objects {
        Objects {
            repository: self.clone(),
            root,
            id,
            commit,
            given_up: OnceLock::new(),
        }
    }

    /// Returns the directory that it was opened by.
    #[must_use]
    pub fn directory(&self) -> &PathBuf {
        self.0.place.directory()
    }

    /// Returns whether it was named ([`Repository::at`]), not found.
    #[must_use]
    pub fn is_named(&self) -> bool {
        matches!(self.0.place, Place::At { .. })
    }

    /// Opens the tree of `revision`: any name of a commit, tag or tree that git knows, `main` or
    /// `v1~2:src`.
    ///
    /// # Errors
    ///
    /// [`Fault::Missing`] if there is no such, or it is no tree; another fault if it, the
    /// repository or git itself cannot be read.
    pub fn tree(&self, revision: &[u8]) -> Result<Objects> {
        self.open(revision)
            .map_err(|trouble| trouble.at("open as a tree", &printable(revision)))
    }

    fn open(&self, revision: &[u8]) -> Outcome<Objects> {
        if revision.is_empty()
            || revision.len() > MAX_REVISION
            || revision.iter().any(|byte| b"\n\0".contains(byte))
        {
            return Err(Trouble::new(
                Fault::Missing,
                "no revision can have this name",
            ));
        }
        let mut name = revision.to_vec();
        let mut commit = None;
        for _ in 0..MAX_TAGS {
            // A name that an object has is that of no other one, whatever references are called;
            // for git as well.
            let id = ObjectId::from_hex(&name);
            if let Some((id, root)) = id.and_then(|id| Some((id, locked(&self.0.trees).find(id)?)))
            {
                return Ok(self.planted_as(root, id, commit));
            }
            let object = self.whole(&name)?;
            let next = match object.kind {
                Kind::Tree => {
                    let (id, root) = self.planted(object)?;
                    return Ok(self.planted_as(root, id, commit));
                }
                Kind::Commit => {
                    commit = Some(object.id);
                    object.bytes.strip_prefix(b"tree ")
                }
                Kind::Tag => object.bytes.strip_prefix(b"object "),
                Kind::Blob => return Err(Trouble::new(Fault::Missing, "it is a file, not a tree")),
            };
            let next = next
                .and_then(|bytes| bytes.split(|&byte| byte == b'\n').next())
                .and_then(ObjectId::from_hex);
            let Some(id) = next else {
                return Err(damaged(object.id));
            };
            name = id.to_string().into_bytes();
        }
        Err(Trouble::new(
            Fault::Missing,
            "it is a tag of a tag of too many others",
        ))
    }

    /// Returns the contents of the blob `id`, if it has at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// [`Fault::TooLarge`] if it has more, [`Fault::Missing`] if there is no such, or it is no
    /// blob.
    pub fn blob(&self, id: ObjectId, limit: u64) -> Result<Vec<u8>> {
        self.contents(id, limit)
            .map_err(|trouble| trouble.at("read the object", &id))
    }

    /// Returns the name and the contents of the one blob whose name begins with the hexadecimal
    /// digits `name`; `None` if there is no such blob, if there are several, or if it has more than
    /// `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if that cannot be told: the repository or git itself cannot be read.
    pub fn find_blob(&self, name: &[u8], limit: u64) -> Result<Option<(ObjectId, Vec<u8>)>> {
        match self.named(name, limit) {
            Ok(found) => Ok(Some(found)),
            Err(Trouble {
                fault: Fault::Missing | Fault::TooLarge,
                ..
            }) => Ok(None),
            Err(trouble) => Err(trouble.at("read the object", &printable(name))),
        }
    }

    fn named(&self, name: &[u8], limit: u64) -> Outcome<(ObjectId, Vec<u8>)> {
        let is_name = (4..=64).contains(&name.len()) && name.iter().all(u8::is_ascii_hexdigit);
        if !is_name || name.iter().all(|&digit| digit == b'0') {
            return Err(Trouble::new(Fault::Missing, "no blob has this name"));
        }
        match self.object(&[name, b"^{blob}"].concat(), limit)? {
            Within::Limit(object) => {
                let id = object.id;
                Ok((
                    id,
                    Arc::try_unwrap(object)
                        .map_or_else(|object| object.bytes.clone(), |object| object.bytes),
                ))
            }
            Within::Over(_) => Err(Trouble::new(
                Fault::TooLarge,
                "the file is larger than the limit",
            )),
        }
    }

    /// Returns how many bytes the blob `id` has.
    ///
    /// # Errors
    ///
    /// [`Fault::Missing`] if there is no such.
    pub fn blob_size(&self, id: ObjectId) -> Result<u64> {
        self.size(id)
            .map_err(|trouble| trouble.at("read the object", &id))
    }

    /// Returns the tree `id`.
    fn subtree(&self, id: ObjectId) -> Outcome<Arc<Tree>> {
        if let Some(tree) = locked(&self.0.trees).find(id) {
            return Ok(tree);
        }
        let object = self.whole(id.to_string().as_bytes())?;
        Ok(self.planted(object)?.1)
    }

    fn planted(&self, object: Arc<Object>) -> Outcome<(ObjectId, Arc<Tree>)> {
        let id = object.id;
        let Some(Object {
            kind: Kind::Tree,
            bytes,
            ..
        }) = Arc::into_inner(object)
        else {
            return Err(damaged(id));
        };
        let tree = Arc::new(Tree::read(bytes, id).ok_or_else(|| damaged(id))?);
        locked(&self.0.trees).keep(id, &tree);
        Ok((id, tree))
    }
}

impl Objects {
    /// Returns the name of the tree.
    #[must_use]
    pub fn id(&self) -> ObjectId {
        self.id
    }

    /// Returns the commit that the tree was named by, if it was.
    #[must_use]
    pub fn commit(&self) -> Option<ObjectId> {
        self.commit
    }
}
