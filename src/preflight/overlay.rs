//! The files of one group as its operations leave them, over what is on disk.

mod changes;
mod load;

use std::collections::HashMap;

use super::directories::Directories;
use super::spelling::{Clash, Spelling};
use crate::change::FileState;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::text::Contents;
use crate::workspace::{Stat, Workspace, WorkspaceError};

/// A file as the operations so far leave it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: FileKind,
    pub(super) permissions: Permissions,
    /// Contents, or the target of a link; empty for a directory.
    pub(super) bytes: Contents,
    /// The content in the repository, of a regular file that an operation has left in another form
    /// than that.
    pub(super) in_repository: Option<Contents>,
    /// The file on disk whose attributes it has.
    pub(super) like: Option<RelPath>,
    /// The file on disk whose very bytes it has.
    pub(super) origin: Option<RelPath>,
    /// The old file in the history that it is, and what that was when it was read.
    pub(super) restored: Option<(RelPath, FileState)>,
}

/// What stands at a path.
#[derive(Clone, Debug)]
pub(super) enum Seen {
    Nothing,
    Node(Node),
    /// A symbolic link above it, at this path.
    ThroughLink(RelPath),
    /// Something above it that is no directory, at this path.
    BelowFile(RelPath),
    /// A FIFO, a socket or a device.
    Special,
    /// A file of so many bytes, which is over the limit.
    TooLarge {
        size: u64,
        limit: u64,
    },
}

/// What was read at a path.
type Loaded = (Seen, Option<(FileState, Node)>);

struct Entry {
    found: Option<(FileState, Node)>,
    current: Seen,
    base: Seen,
    base_step: usize,
    /// The step in which the present contents came here from elsewhere.
    made_in: Option<usize>,
}

impl Entry {
    fn was_directory(&self) -> bool {
        self.found
            .as_ref()
            .is_some_and(|(_, node)| node.kind == FileKind::Directory)
    }
}

/// The files of one group.
pub(super) struct Overlay<'w> {
    workspace: &'w dyn Workspace,
    /// None where some files are looked for elsewhere.
    directories: Option<&'w Directories>,
    max_file: u64,
    entries: HashMap<RelPath, Entry>,
    spelling: Option<Spelling<'w>>,
    /// The names that listings have, of files that the operations spell otherwise.
    stored: HashMap<RelPath, RelPath>,
}

impl<'w> Overlay<'w> {
    pub(super) fn new(
        workspace: &'w dyn Workspace,
        directories: Option<&'w Directories>,
        max_file: u64,
    ) -> Self {
        Self {
            workspace,
            directories,
            max_file,
            entries: HashMap::new(),
            spelling: None,
            stored: HashMap::new(),
        }
    }

    /// Lets it look at spellings of names, as far as the operations depend on them.
    pub(super) fn with_spelling(self, spelling: Spelling<'w>) -> Self {
        Self {
            spelling: Some(spelling),
            ..self
        }
    }

    /// Returns the name that listings have of the file that was looked at as `path`.
    pub(super) fn stored<'p>(&'p self, path: &'p RelPath) -> &'p RelPath {
        self.stored.get(path).unwrap_or(path)
    }

    /// Returns whether `path` is another spelling of a file that goes.
    pub(super) fn is_respelled(&self, path: &RelPath) -> bool {
        self.spelling
            .as_ref()
            .is_some_and(|spelling| spelling.is_respelled(path))
    }

    /// Returns two names that the operations leave, and that are one name on the file system.
    pub(super) fn clash(&self) -> Result<Option<Clash>, WorkspaceError> {
        let is_left = |(_, entry): &(&RelPath, &Entry)| matches!(&entry.current, Seen::Node(node) if node.kind != FileKind::Directory);
        let left = self.entries.iter().filter(is_left).map(|(path, _)| path);
        self.spelling
            .as_ref()
            .map_or(Ok(None), |spelling| spelling.clash(self.workspace, left))
    }

    /// Returns what stands at `path` after the operations so far.
    pub(super) fn current(&mut self, path: &RelPath, step: usize) -> Result<Seen, WorkspaceError> {
        Ok(self.entry(path, step)?.current.clone())
    }

    /// Returns what stood at `path` when `step` began.
    pub(super) fn base(&mut self, path: &RelPath, step: usize) -> Result<Seen, WorkspaceError> {
        Ok(self.entry(path, step)?.base.clone())
    }

    /// Puts `node` at `path`.
    pub(super) fn put(
        &mut self,
        path: &RelPath,
        step: usize,
        node: Node,
    ) -> Result<(), WorkspaceError> {
        let entry = self.entry(path, step)?;
        entry.current = Seen::Node(node);
        entry.made_in = Some(step);
        Ok(())
    }

    /// Takes away what stood at `path` when `step` began; what came there since stays, unless
    /// nothing stood there.
    pub(super) fn take_away(&mut self, path: &RelPath, step: usize) -> Result<(), WorkspaceError> {
        let entry = self.entry(path, step)?;
        if entry.made_in != Some(step) || !matches!(entry.base, Seen::Node(_)) {
            entry.current = Seen::Nothing;
        }
        Ok(())
    }

    /// Returns how many names the file has that is on disk at `path`, if it was looked at and there
    /// are several.
    pub(super) fn links(&self, path: &RelPath) -> Option<u64> {
        let (state, node) = self.entries.get(self.stored(path))?.found.as_ref()?;
        Some(state.stat.links).filter(|&links| node.kind == FileKind::Regular && links > 1)
    }

    /// Returns the nearest directory above `path` that the operations made a file or a link.
    pub(super) fn made_above(&self, path: &RelPath) -> Option<(RelPath, FileKind)> {
        path.ancestors().find_map(
            |above| match &self.entries.get(self.stored(&above))?.current {
                Seen::Node(node) if node.kind != FileKind::Directory => Some((above, node.kind)),
                _ => None,
            },
        )
    }

    /// Returns whether the operations so far took `path` away.
    pub(super) fn is_gone(&self, path: &RelPath) -> bool {
        self.entries
            .get(self.stored(path))
            .is_some_and(|entry| matches!(entry.current, Seen::Nothing))
    }

    /// Returns the names in the directory at `path`, on disk.
    pub(super) fn list(&self, path: &RelPath) -> Result<Vec<RelPath>, WorkspaceError> {
        let is_directory = |stat: Stat| stat.kind == FileKind::Directory;
        if !self.workspace.stat(path)?.is_some_and(is_directory) {
            return Ok(Vec::new());
        }
        let names = self.workspace.list(Some(path))?;
        Ok(names
            .iter()
            .filter_map(|name| path.join(name).ok())
            .collect())
    }

    /// Returns whether an empty directory is on disk at `path` that no operation made.
    pub(super) fn is_empty_directory(&self, path: &RelPath) -> Result<bool, WorkspaceError> {
        let is_found = |entry: &Entry| entry.was_directory() && entry.made_in.is_none();
        let is_found = self.entries.get(self.stored(path)).is_some_and(is_found);
        Ok(is_found && self.workspace.list(Some(path))?.is_empty())
    }

    /// Returns each path that was looked at, with the file that is on disk there and the one that
    /// stands there now.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&RelPath, Option<&Node>, Option<&Node>)> {
        self.entries.iter().map(|(path, entry)| {
            let current = if let Seen::Node(node) = &entry.current {
                Some(node)
            } else {
                None
            };
            (path, entry.found.as_ref().map(|(_, node)| node), current)
        })
    }

    /// Returns the old file that the history keeps at `path`; `None` if there is none any more.
    pub(super) fn old(&self, path: &RelPath) -> Result<Option<Node>, WorkspaceError> {
        let (Seen::Node(node), Some((state, _))) = self.load(path)? else {
            return Ok(None);
        };
        Ok(Some(Node {
            origin: None,
            restored: Some((path.clone(), state)),
            ..node
        }))
    }

    /// Returns what is on disk at `path`, without reading it.
    pub(super) fn stat(&self, path: &RelPath) -> Result<Option<Stat>, WorkspaceError> {
        self.workspace.stat(path)
    }

    fn entry(&mut self, path: &RelPath, step: usize) -> Result<&mut Entry, WorkspaceError> {
        if !self.entries.contains_key(self.stored(path)) {
            let loaded = self.load(path)?;
            match self.spelled_otherwise(path, loaded.1.as_ref())? {
                None => self.insert(path.clone(), step, loaded),
                Some(stored) => {
                    let is_new = loaded.1.is_none() && self.is_unlisted(&stored)?;
                    if !self.entries.contains_key(&stored) {
                        let loaded = if is_new { loaded } else { self.load(&stored)? };
                        self.insert(stored.clone(), step, loaded);
                    }
                    self.stored.insert(path.clone(), stored);
                }
            }
        }
        let path = self.stored.get(path).unwrap_or(path);
        let entry = self
            .entries
            .get_mut(path)
            .expect("BUG: the entry was just put there");
        if entry.base_step != step {
            entry.base = entry.current.clone();
            entry.base_step = step;
        }
        Ok(entry)
    }

    fn insert(&mut self, path: RelPath, step: usize, (seen, found): Loaded) {
        let entry = Entry {
            found,
            current: seen.clone(),
            base: seen,
            base_step: step,
            made_in: None,
        };
        self.entries.insert(path, entry);
    }

    /// Returns the name that listings have of the file that was found at `path`, or are going to
    /// have, if that is another one.
    fn spelled_otherwise(
        &self,
        path: &RelPath,
        found: Option<&(FileState, Node)>,
    ) -> Result<Option<RelPath>, WorkspaceError> {
        match (&self.spelling, found) {
            (Some(spelling), Some((state, _))) => {
                spelling.spelled_otherwise(self.workspace, path, state.stat.device)
            }
            (Some(spelling), None) if spelling.is_respelled(path) => {
                spelling.made_as(self.workspace, path)
            }
            _ => Ok(None),
        }
    }

    /// Returns whether no listing has `path` in this very spelling.
    fn is_unlisted(&self, path: &RelPath) -> Result<bool, WorkspaceError> {
        self.spelling.as_ref().map_or(Ok(false), |spelling| {
            Ok(!spelling.is_listed(self.workspace, path)?)
        })
    }
}
