//! The verbs of a tree. It is read-only, so verbs that change files are not implemented.

use std::io;
use std::sync::Arc;

use super::object::SizeLimited;
use super::object_error::{ObjectError, ObjectResult, damaged_error};
use super::reader::ObjectType;
use super::tree::{GitObject, GitTree, TreeObject};
use super::{ObjectId, Repository, RepositoryTree};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::text::Bytes;
use crate::workspace::{Directory, ErrorKind, Result, Stat, Timestamp, Workspace};

/// The user that owns all files.
const USER: u32 = 0;
/// The limit in bytes on the target of a link.
const MAX_TARGET: u64 = 1 << 16;

impl RepositoryTree {
    /// Returns the tree at `path`, or `None` for a submodule.
    fn directory(&self, path: Directory<'_>) -> ObjectResult<Option<Arc<GitTree>>> {
        match path.map(|path| self.find(path)).transpose()? {
            None => Ok(Some(Arc::clone(&self.root))),
            Some(TreeObject::Directory(id)) => self
                .read_object(|repository| repository.subtree(id))
                .map(Some),
            Some(TreeObject::Submodule(_)) => Ok(None),
            Some(TreeObject::File { .. }) => {
                Err(ObjectError::new(ErrorKind::NotDirectory, "not a directory"))
            }
            Some(TreeObject::Link(_)) => Err(ObjectError::new(
                ErrorKind::ThroughLink,
                "the path goes through a symbolic link",
            )),
        }
    }

    /// Returns the entry at `path`.
    fn find(&self, path: &RelPath) -> ObjectResult<TreeObject> {
        let mut tree = Arc::clone(&self.root);
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            let entry = tree.find(part).ok_or_else(missing_path_error)?;
            if parts.peek().is_none() {
                return Ok(entry);
            }
            tree = match entry {
                TreeObject::Directory(id) => {
                    self.read_object(|repository| repository.subtree(id))?
                }
                TreeObject::Submodule(_) => return Err(missing_path_error()),
                TreeObject::File { .. } => {
                    return Err(ObjectError::new(ErrorKind::NotDirectory, "not a directory"));
                }
                TreeObject::Link(_) => {
                    return Err(ObjectError::new(
                        ErrorKind::ThroughLink,
                        "the path goes through a symbolic link",
                    ));
                }
            };
        }
        Err(missing_path_error())
    }

    /// Reads an object that the tree names. If the object is missing, the repository is damaged or
    /// incomplete. A missing path would be a different error. After a timeout, git is not run
    /// again.
    fn read_object<T>(&self, ask: impl FnOnce(&Repository) -> ObjectResult<T>) -> ObjectResult<T> {
        if let Some(why) = self.failure.get() {
            return Err(ObjectError::new(ErrorKind::Other, why));
        }
        ask(&self.repository).map_err(|error| {
            if error.source.kind() == io::ErrorKind::TimedOut {
                let _ = self.failure.set(error.source.to_string());
            }
            let fault = if error.kind == ErrorKind::TooLarge {
                error.kind
            } else {
                ErrorKind::Other
            };
            ObjectError {
                kind: fault,
                ..error
            }
        })
    }

    fn stat_of(&self, entry: TreeObject) -> ObjectResult<Stat> {
        Ok(match entry {
            TreeObject::Directory(_) | TreeObject::Submodule(_) => {
                stat(FileKind::Directory, 0o755, 0)
            }
            TreeObject::Link(id) => stat(
                FileKind::Symlink,
                0o777,
                self.read_object(|repository| repository.size(id))?,
            ),
            TreeObject::File { id, mode } => stat(
                FileKind::Regular,
                bits(mode),
                self.read_object(|repository| repository.size(id))?,
            ),
        })
    }
}

impl Repository {
    /// Returns the content of the blob `id`, if it has at most `limit` bytes.
    pub(super) fn contents(&self, id: ObjectId, limit: u64) -> ObjectResult<Vec<u8>> {
        match self.object(id.to_string().as_bytes(), limit)? {
            SizeLimited::Loaded(object) if object.kind == ObjectType::Blob => {
                Ok(Arc::try_unwrap(object)
                    .map_or_else(|object| object.bytes.clone(), |object| object.bytes))
            }
            SizeLimited::Loaded(_) => Err(damaged_error(id)),
            SizeLimited::TooLarge(_) => Err(ObjectError::new(
                ErrorKind::TooLarge,
                "the file exceeds the size limit",
            )),
        }
    }

    /// Returns the size of the object `id` in bytes.
    pub(super) fn size(&self, id: ObjectId) -> ObjectResult<u64> {
        Ok(match self.object(id.to_string().as_bytes(), 0)? {
            SizeLimited::Loaded(object) => object.bytes.len() as u64,
            SizeLimited::TooLarge(size) => size,
        })
    }
}

fn missing_path_error() -> ObjectError {
    ObjectError {
        kind: ErrorKind::Missing,
        source: io::ErrorKind::NotFound.into(),
    }
}

/// Returns the permission bits of a file that is checked out under the umask 022.
pub(in crate::workspace) fn bits(mode: FileMode) -> u32 {
    mode.bits() & 0o777
}

pub(in crate::workspace) fn stat(kind: FileKind, permissions: u32, size: u64) -> Stat {
    let modified = Timestamp::default();
    Stat {
        kind,
        permissions,
        uid: USER,
        gid: USER,
        links: 1,
        size,
        modified,
        device: 0,
        inode: 0,
        has_no_xattrs: false,
        protection: None,
        inode_flags: 0,
    }
}

impl Workspace for RepositoryTree {
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>> {
        match self.find(path).and_then(|entry| self.stat_of(entry)) {
            Ok(stat) => Ok(Some(stat)),
            Err(ObjectError {
                kind: ErrorKind::Missing | ErrorKind::NotDirectory,
                ..
            }) => Ok(None),
            Err(error) => Err(error.with_verb("stat", path)),
        }
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<(Bytes, Stat)> {
        let read = self.find(path).and_then(|entry| match entry {
            TreeObject::File { id, mode } => {
                let bytes = self.read_object(|repository| repository.contents(id, limit))?;
                let stat = stat(FileKind::Regular, bits(mode), bytes.len() as u64);
                Ok((bytes.into(), stat))
            }
            TreeObject::Directory(_) | TreeObject::Link(_) | TreeObject::Submodule(_) => Err(
                ObjectError::new(ErrorKind::NotRegular, "not a regular file"),
            ),
        });
        read.map_err(|error| error.with_verb("read", path))
    }

    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>> {
        let read = self.find(path).and_then(|entry| match entry {
            TreeObject::Link(id) => {
                self.read_object(|repository| repository.contents(id, MAX_TARGET))
            }
            _ => Err(ObjectError::new(ErrorKind::Other, "not a symbolic link")),
        });
        read.map_err(|error| error.with_verb("read", path))
    }

    fn git_object(&self, path: &RelPath) -> Result<Option<GitObject>> {
        match self.find(path) {
            Ok(entry) => Ok(Some(entry.into())),
            Err(ObjectError {
                kind: ErrorKind::Missing | ErrorKind::NotDirectory,
                ..
            }) => Ok(None),
            Err(error) => Err(error.with_verb("read", path)),
        }
    }

    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        let tree = self.directory(directory).map_err(|error| {
            error.with_verb(
                "list",
                &directory.map_or_else(|| ".".to_owned(), ToString::to_string),
            )
        })?;
        // A damaged tree can contain names that lead outside the directory.
        let is_plain = |name: &&[u8]| !matches!(*name, b"" | b"." | b"..") && !name.contains(&b'/');
        Ok(tree
            .iter()
            .flat_map(|tree| tree.names())
            .filter(is_plain)
            .map(<[u8]>::to_vec)
            .collect())
    }

    fn user(&self) -> u32 {
        USER
    }

    fn identity(&self) -> Result<String> {
        Ok(format!("git tree {}", self.id))
    }
}
