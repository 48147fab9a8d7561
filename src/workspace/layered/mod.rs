//! A tree with a layer of changed files on top, as a read-only workspace.
//!
//! The contents of the layer are files that the top of the work tree can read, such as the files of
//! an edit session. Paths of the layer start at that top.

mod verbs;

use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock};

use super::{Directory, ErrorKind, Result, Stat, Timestamp, Workspace, WorkspaceError, top};
use crate::mode::FileKind;
use crate::path::RelPath;

/// The changed files by path; `None` for a removed file.
pub type Layer = BTreeMap<RelPath, Option<LayerFile>>;

/// A file of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerFile {
    /// Regular file or symbolic link.
    pub kind: FileKind,
    /// The permission bits of a regular file.
    pub permissions: u32,
    /// The path at which the top of the work tree reads the content, or the target of a link.
    pub content: RelPath,
}

/// A workspace with a layer of changed files on top.
///
/// A directory whose last file the layer removes does not exist. Verbs that change files fail.
pub struct LayeredTree<'w> {
    base: Base<'w>,
    /// The name of the layer: the ID of the edit session.
    name: String,
    layer: RwLock<Arc<Layer>>,
}

enum Base<'w> {
    Borrowed(&'w dyn Workspace),
    Shared(Arc<dyn Workspace + Send>),
}

/// The entry at a path.
enum LayeredEntry {
    File(LayerFile),
    Missing,
    /// A directory that contains files of the layer.
    Directory,
    /// The layer has no file at or above the path.
    Base,
    /// A file or link of the layer is above the path.
    Below(FileKind),
}

impl LayeredTree<'static> {
    /// Returns `base` with `layer` on top, as [`LayeredTree::new`] does.
    #[must_use]
    pub fn shared(base: Arc<dyn Workspace + Send>, name: String, layer: Layer) -> Self {
        Self {
            base: Base::Shared(base),
            name,
            layer: RwLock::new(Arc::new(layer)),
        }
    }
}

impl<'w> LayeredTree<'w> {
    /// Returns `base` with `layer` on top.
    #[must_use]
    pub fn new(base: &'w dyn Workspace, name: String, layer: Layer) -> Self {
        Self {
            base: Base::Borrowed(base),
            name,
            layer: RwLock::new(Arc::new(layer)),
        }
    }

    /// Returns the workspace below the layer.
    #[must_use]
    pub fn base(&self) -> &dyn Workspace {
        match &self.base {
            Base::Borrowed(base) => *base,
            Base::Shared(base) => &**base,
        }
    }

    /// Returns the name of the layer.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Replaces the layer.
    pub fn set_layer(&self, layer: Layer) {
        *self.layer.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(layer);
    }

    fn layer(&self) -> Arc<Layer> {
        Arc::clone(&self.layer.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Converts `path` from the root to the top of the work tree.
    fn path_at_top(&self, path: &RelPath) -> Result<RelPath> {
        match self.base().work_tree()? {
            None => Ok(path.clone()),
            Some(tree) => tree
                .prefix
                .join(path.as_bytes())
                .map_err(|error| failed("stat", path, ErrorKind::Other, &error.to_string())),
        }
    }

    /// Returns the entry at `path`.
    fn entry(&self, path: &RelPath) -> Result<LayeredEntry> {
        let (layer, path) = (self.layer(), self.path_at_top(path)?);
        let mut above: Vec<_> = path.ancestors().collect();
        above.reverse();
        let mut is_removed = false;
        for above in above {
            match layer.get(&above) {
                Some(Some(file)) => return Ok(LayeredEntry::Below(file.kind)),
                Some(None) => is_removed = true,
                None => {}
            }
        }
        Ok(match layer.get(&path) {
            Some(Some(file)) => LayeredEntry::File(file.clone()),
            _ if has_file_below(&layer, &path) => LayeredEntry::Directory,
            Some(None) => LayeredEntry::Missing,
            None if is_removed => LayeredEntry::Missing,
            None => LayeredEntry::Base,
        })
    }

    /// Returns whether the layer removes all files below the directory `path` of the base.
    fn is_emptied(&self, path: &RelPath) -> Result<bool> {
        let (layer, at_top) = (self.layer(), self.path_at_top(path)?);
        if !below(&layer, &at_top).any(|(_, file)| file.is_none()) {
            return Ok(false);
        }
        Ok(self.list(Some(path))?.is_empty() && !self.base().list(Some(path))?.is_empty())
    }

    /// Returns the attributes of `file`.
    fn stat_file(&self, file: &LayerFile) -> Result<Stat> {
        let content = top(self.base())?.stat(&file.content)?;
        let stat = content
            .ok_or_else(|| failed("stat", &file.content, ErrorKind::Other, "it was removed"))?;
        Ok(Stat {
            kind: file.kind,
            permissions: file.permissions,
            links: 1,
            ..stat
        })
    }

    /// Returns the attributes of a directory that only the layer contains.
    fn stat_directory(&self) -> Stat {
        Stat {
            kind: FileKind::Directory,
            permissions: 0o755,
            uid: self.base().user(),
            gid: 0,
            links: 1,
            size: 0,
            modified: Timestamp::default(),
            device: 0,
            inode: 0,
            has_no_xattrs: true,
            protection: None,
            inode_flags: 0,
        }
    }
}

/// Returns the files of `layer` below `path`.
fn below<'l>(
    layer: &'l Layer,
    path: &RelPath,
) -> impl Iterator<Item = (&'l RelPath, &'l Option<LayerFile>)> {
    let prefix = [path.as_bytes(), b"/"].concat();
    let start = Bound::Included(&prefix[..]);
    layer
        .range::<[u8], _>((start, Bound::Unbounded))
        .take_while({
            let prefix = prefix.clone();
            move |(other, _)| other.as_bytes().starts_with(&prefix)
        })
}

fn has_file_below(layer: &Layer, path: &RelPath) -> bool {
    below(layer, path).any(|(_, file)| file.is_some())
}

fn failed(verb: &'static str, path: &RelPath, kind: ErrorKind, why: &str) -> WorkspaceError {
    WorkspaceError {
        verb,
        path: path.to_string(),
        kind,
        source: io::Error::other(why.to_owned()),
    }
}

/// Returns the error of a verb for a path below a file or link of the layer.
fn blocked(verb: &'static str, path: &RelPath, kind: FileKind) -> WorkspaceError {
    if kind == FileKind::Symlink {
        let why = "the path goes through a symbolic link";
        failed(verb, path, ErrorKind::ThroughLink, why)
    } else {
        let why = "a component of the path is not a directory";
        failed(verb, path, ErrorKind::NotDirectory, why)
    }
}

fn missing(verb: &'static str, path: &RelPath) -> WorkspaceError {
    WorkspaceError {
        source: io::Error::from(io::ErrorKind::NotFound),
        ..failed(verb, path, ErrorKind::Missing, "")
    }
}

impl LayeredTree<'_> {
    /// Returns the names in `directory` that lead to files of the layer.
    fn added_names(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        let layer = self.layer();
        let at_top = match (directory, self.base().work_tree()?) {
            (Some(path), _) => Some(self.path_at_top(path)?),
            (None, Some(tree)) => Some(tree.prefix.clone()),
            (None, None) => None,
        };
        let name = |path: &RelPath| -> Vec<u8> {
            let start = at_top.as_ref().map_or(0, |top| top.as_bytes().len() + 1);
            let rest = path.as_bytes().get(start..).unwrap_or_default();
            let end = memchr::memchr(b'/', rest).unwrap_or(rest.len());
            rest[..end].to_vec()
        };
        let files: Box<dyn Iterator<Item = _>> = match &at_top {
            Some(path) => Box::new(below(&layer, path)),
            None => Box::new(layer.iter()),
        };
        Ok(files
            .filter(|(_, file)| file.is_some())
            .map(|(path, _)| name(path))
            .collect())
    }
}
