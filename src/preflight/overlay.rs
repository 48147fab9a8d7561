//! The overlay: the files of one group after the operations so far, on top of the files on disk.
//!
//! Each path has three states: the file on disk, the file at the start of the current step, and the
//! file after the operations so far. An entry is read from disk when it is first needed.

mod changes;
mod load;

use std::collections::HashMap;

use super::directories::DirectoryCache;
use super::spelling::{NameSpellings, PathCollision};
use crate::change::FileState;
use crate::interrupt::Interrupt;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::text::Contents;
use crate::workspace::{Stat, Workspace, WorkspaceError};

/// A file after the operations so far.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: FileKind,
    pub(super) permissions: Permissions,
    /// The content, or the target of a link. Empty for a directory.
    pub(super) bytes: Contents,
    /// The content in the form of the repository, if an operation converted it to the form of the
    /// work tree.
    pub(super) in_repository: Option<Contents>,
    /// The file on disk that supplies owner, group and extended attributes.
    pub(super) like: Option<RelPath>,
    /// The file on disk that has exactly this content. If the plan removes that file, the
    /// transaction can rename it instead of writing the content.
    pub(super) origin: Option<RelPath>,
    /// The old file in the history that is restored, and its state when it was read.
    pub(super) restored: Option<(RelPath, FileState)>,
}

/// The entry at a path.
#[derive(Clone, Debug)]
pub(super) enum PathState {
    Nothing,
    Node(Node),
    /// A symbolic link is above the path. The field is the path of the link.
    ThroughLink(RelPath),
    /// An entry above the path is not a directory. The field is the path of that entry.
    BelowFile(RelPath),
    /// A FIFO, a socket or a device.
    Special,
    /// A file of `size` bytes, which exceeds the limit.
    TooLarge {
        size: u64,
        limit: u64,
    },
}

/// The entry that was read at a path, and its state if it exists.
type LoadedEntry = (PathState, Option<(FileState, Node)>);

struct OverlayEntry {
    found: Option<(FileState, Node)>,
    current: PathState,
    base: PathState,
    base_step: usize,
    /// The step in which an operation put the current content here.
    made_in: Option<usize>,
}

impl OverlayEntry {
    fn was_directory(&self) -> bool {
        self.found
            .as_ref()
            .is_some_and(|(_, node)| node.kind == FileKind::Directory)
    }
}

/// The overlay of one group.
pub(super) struct Overlay<'w> {
    pub(super) workspace: &'w dyn Workspace,
    /// The shared cache of missing directories; `None` if some files are in another tree.
    directories: Option<&'w DirectoryCache>,
    max_file: u64,
    interrupt: &'w Interrupt,
    entries: HashMap<RelPath, OverlayEntry>,
    spelling: Option<NameSpellings<'w>>,
    /// The names in directory listings of files that the operations spell differently.
    stored: HashMap<RelPath, RelPath>,
}

impl<'w> Overlay<'w> {
    pub(super) fn new(
        workspace: &'w dyn Workspace,
        directories: Option<&'w DirectoryCache>,
        max_file: u64,
    ) -> Self {
        Self {
            workspace,
            directories,
            max_file,
            interrupt: Interrupt::never(),
            entries: HashMap::new(),
            spelling: None,
            stored: HashMap::new(),
        }
    }

    /// Returns the overlay with checks of the name spellings on which the operations depend.
    pub(super) fn with_spelling(self, spelling: NameSpellings<'w>) -> Self {
        Self {
            spelling: Some(spelling),
            ..self
        }
    }

    /// Returns the overlay whose reads end with an error soon after `interrupt` is raised.
    pub(super) fn with_interrupt(self, interrupt: &'w Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// Returns the name that directory listings have for the file that an operation names `path`.
    pub(super) fn stored_name<'p>(&'p self, path: &'p RelPath) -> &'p RelPath {
        self.stored.get(path).unwrap_or(path)
    }

    /// Returns whether `path` is another spelling of a file that the group removes.
    pub(super) fn is_respelled(&self, path: &RelPath) -> bool {
        self.spelling
            .as_ref()
            .is_some_and(|spelling| spelling.is_respelled(path))
    }

    /// Returns two names that remain after the operations and are one name on the file system.
    pub(super) fn find_collision(&self) -> Result<Option<PathCollision>, WorkspaceError> {
        let is_left = |(_, entry): &(&RelPath, &OverlayEntry)| matches!(&entry.current, PathState::Node(node) if node.kind != FileKind::Directory);
        let left = self.entries.iter().filter(is_left).map(|(path, _)| path);
        self.spelling.as_ref().map_or(Ok(None), |spelling| {
            spelling.find_collision(self.workspace, left)
        })
    }

    /// Returns the entry at `path` after the operations so far.
    pub(super) fn current(
        &mut self,
        path: &RelPath,
        step: usize,
    ) -> Result<PathState, WorkspaceError> {
        Ok(self.entry(path, step)?.current.clone())
    }

    /// Returns the entry at `path` at the start of `step`.
    pub(super) fn base(
        &mut self,
        path: &RelPath,
        step: usize,
    ) -> Result<PathState, WorkspaceError> {
        Ok(self.entry(path, step)?.base.clone())
    }

    /// Stores `node` at `path`.
    pub(super) fn put(
        &mut self,
        path: &RelPath,
        step: usize,
        node: Node,
    ) -> Result<(), WorkspaceError> {
        let entry = self.entry(path, step)?;
        entry.current = PathState::Node(node);
        entry.made_in = Some(step);
        Ok(())
    }

    /// Removes the entry that was at `path` at the start of `step`. An entry that an operation of
    /// this step stored there stays, unless the path was empty at the start of the step.
    pub(super) fn remove(&mut self, path: &RelPath, step: usize) -> Result<(), WorkspaceError> {
        let entry = self.entry(path, step)?;
        if entry.made_in != Some(step) || !matches!(entry.base, PathState::Node(_)) {
            entry.current = PathState::Nothing;
        }
        Ok(())
    }

    /// Returns the number of hard links of the file on disk at `path`, if the file was read and has
    /// several.
    pub(super) fn links(&self, path: &RelPath) -> Option<u64> {
        let (state, node) = self.entries.get(self.stored_name(path))?.found.as_ref()?;
        Some(state.stat.links).filter(|&links| node.kind == FileKind::Regular && links > 1)
    }

    /// Returns the nearest path above `path` that is a file or a link in the overlay.
    pub(super) fn file_above(&self, path: &RelPath) -> Option<(RelPath, FileKind)> {
        path.ancestors().find_map(|above| {
            match &self.entries.get(self.stored_name(&above))?.current {
                PathState::Node(node) if node.kind != FileKind::Directory => {
                    Some((above, node.kind))
                }
                _ => None,
            }
        })
    }

    /// Returns whether the operations so far removed `path`.
    pub(super) fn is_gone(&self, path: &RelPath) -> bool {
        self.entries
            .get(self.stored_name(path))
            .is_some_and(|entry| matches!(entry.current, PathState::Nothing))
    }

    /// Returns the paths of the entries in the directory at `path` on disk.
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

    /// Returns whether `path` is an empty directory on disk that no operation created.
    pub(super) fn is_empty_directory(&self, path: &RelPath) -> Result<bool, WorkspaceError> {
        let is_found = |entry: &OverlayEntry| entry.was_directory() && entry.made_in.is_none();
        let is_found = self
            .entries
            .get(self.stored_name(path))
            .is_some_and(is_found);
        Ok(is_found && self.workspace.list(Some(path))?.is_empty())
    }

    /// Returns each path that was read, with its file on disk and its current file.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&RelPath, Option<&Node>, Option<&Node>)> {
        self.entries.iter().map(|(path, entry)| {
            let current = if let PathState::Node(node) = &entry.current {
                Some(node)
            } else {
                None
            };
            (path, entry.found.as_ref().map(|(_, node)| node), current)
        })
    }

    /// Returns the old file that the history keeps at `path`; `None` if it no longer exists.
    pub(super) fn load_from_history(&self, path: &RelPath) -> Result<Option<Node>, WorkspaceError> {
        let (PathState::Node(node), Some((state, _))) = self.load(path)? else {
            return Ok(None);
        };
        Ok(Some(Node {
            origin: None,
            restored: Some((path.clone(), state)),
            ..node
        }))
    }

    /// Returns the status of the entry at `path` on disk, without reading the entry.
    pub(super) fn stat(&self, path: &RelPath) -> Result<Option<Stat>, WorkspaceError> {
        self.workspace.stat(path)
    }

    fn entry(&mut self, path: &RelPath, step: usize) -> Result<&mut OverlayEntry, WorkspaceError> {
        if !self.entries.contains_key(self.stored_name(path)) {
            let loaded = self.load(path)?;
            // All spellings of one file share the entry under the name in directory listings.
            match self.other_spelling(path, loaded.1.as_ref())? {
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
        // This is the first access in a new step.
        if entry.base_step != step {
            entry.base = entry.current.clone();
            entry.base_step = step;
        }
        Ok(entry)
    }

    fn insert(&mut self, path: RelPath, step: usize, (seen, found): LoadedEntry) {
        let entry = OverlayEntry {
            found,
            current: seen.clone(),
            base: seen,
            base_step: step,
            made_in: None,
        };
        self.entries.insert(path, entry);
    }

    /// Returns the name that directory listings have for the file at `path`, or will have after the
    /// change, if the name differs from `path`.
    fn other_spelling(
        &self,
        path: &RelPath,
        found: Option<&(FileState, Node)>,
    ) -> Result<Option<RelPath>, WorkspaceError> {
        match (&self.spelling, found) {
            (Some(spelling), Some((state, _))) => {
                spelling.other_spelling(self.workspace, path, state.stat.device)
            }
            (Some(spelling), None) if spelling.is_respelled(path) => {
                spelling.new_spelling(self.workspace, path)
            }
            _ => Ok(None),
        }
    }

    /// Returns whether no directory listing contains `path` in exactly this spelling.
    fn is_unlisted(&self, path: &RelPath) -> Result<bool, WorkspaceError> {
        self.spelling.as_ref().map_or(Ok(false), |spelling| {
            Ok(!spelling.is_listed(self.workspace, path)?)
        })
    }
}
