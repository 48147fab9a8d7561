//! Resolves a path to an open directory and one name in it. No other file resolves paths.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Instant;

use super::external_history::ExternalHistory;
use super::git_index_file::GitIndexFile;
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::workspace::GIT_DIRECTORY_NAME;
use crate::workspace::disk::calls::{Access, MAX_AGE, SysResult};
use crate::workspace::disk::system::{self, DirectoryHandle};

/// The limit on the number of cached handles.
const MAX_HANDLES: u64 = 32;

/// Resolves the directories of paths below one root, and caches some of their handles.
///
/// # Security
///
/// The cache contains handles, never the fact that a name is a directory. If another file later
/// gets the name, a verb still works in the directory that was resolved through real directories
/// only.
#[derive(Debug)]
pub(super) struct DirectoryResolver {
    root: DirectoryHandle,
    external_history: Option<ExternalHistory>,
    git_index_file: GitIndexFile,
    /// The git directory, if it is not below the root.
    git: OnceLock<DirectoryHandle>,
    /// The limit on cached handles: a small part of the handles that the process may open.
    capacity: usize,
    cache: Mutex<HandleCache>,
}

#[derive(Debug, Default)]
struct HandleCache {
    /// Ordered by last use. The most recently used entry is at the end.
    entries: Vec<CachedHandle>,
    /// Incremented when entries are dropped. A handle whose resolution started before that is not
    /// cached.
    generation: u64,
}

#[derive(Debug)]
struct CachedHandle {
    path: Box<[u8]>,
    handle: DirectoryHandle,
    opened: Instant,
}

impl DirectoryResolver {
    pub(super) fn new(root: system::Handle) -> Self {
        let limit = system::max_handles().unwrap_or(u64::MAX);
        let capacity = usize::try_from((limit / 8).min(MAX_HANDLES)).unwrap_or_default();
        Self {
            root: Arc::new(root),
            external_history: None,
            git_index_file: GitIndexFile::default(),
            git: OnceLock::new(),
            capacity,
            cache: Mutex::default(),
        }
    }

    pub(super) fn with_external_history(self, history: Option<ExternalHistory>) -> Self {
        Self {
            external_history: history,
            ..self
        }
    }

    pub(super) fn root(&self) -> &DirectoryHandle {
        &self.root
    }

    pub(super) fn external_history(&self) -> Option<&ExternalHistory> {
        self.external_history.as_ref()
    }

    pub(super) fn git_index_file(&self) -> &GitIndexFile {
        &self.git_index_file
    }

    /// Makes the git directory available to verbs under the name [`GIT`].
    pub(super) fn set_git(&self, handle: system::Handle) {
        // The git directory is located once, so a second value is the same directory.
        let _ = self.git.set(Arc::new(handle));
    }

    /// Returns the git directory and the rest of `path` below it, if `path` is in it.
    fn git_of<'p>(&self, path: &'p [u8]) -> Option<(&DirectoryHandle, &'p [u8])> {
        let rest = match path.strip_prefix(GIT_DIRECTORY_NAME.as_bytes())? {
            [] => b".",
            [b'/', rest @ ..] => rest,
            _ => return None,
        };
        self.git.get().map(|handle| (handle, rest))
    }

    /// Returns the external history and the rest of `path` below it, if `path` is in it.
    fn external_history_of<'p>(&self, path: &'p [u8]) -> Option<(&ExternalHistory, &'p [u8])> {
        self.external_history
            .as_ref()
            .zip(ExternalHistory::relative_path(path))
    }

    /// Returns the directory that contains `path`, and the last component.
    pub(super) fn parent_and_name<'p>(
        &self,
        path: &'p RelPath,
    ) -> SysResult<(DirectoryHandle, &'p [u8])> {
        let name = path.name();
        let bytes = path.as_bytes();
        match bytes.len().checked_sub(name.len() + 1) {
            None => match self.external_history_of(bytes) {
                Some((history, _)) => history.parent_and_name(),
                None if self.git_index_file.relative_path(bytes).is_some() => {
                    Ok((self.git_index_file.open()?, b"."))
                }
                None => Ok(match self.git_of(bytes) {
                    Some((git, rest)) => (Arc::clone(git), rest),
                    None => (Arc::clone(&self.root), name),
                }),
            },
            Some(end) => Ok((self.open_cached(&bytes[..end])?, name)),
        }
    }

    /// Returns the directory at `path`.
    pub(super) fn open_cached(&self, path: &[u8]) -> SysResult<DirectoryHandle> {
        let generation = {
            let mut kept = self.lock_cache();
            if let Some(handle) = kept.find(path) {
                return Ok(handle);
            }
            kept.generation
        };
        let handle = Arc::new(self.resolve(path, Access::Resolve)?);
        let mut kept = self.lock_cache();
        // If entries were dropped during the resolution, this handle can be outdated already.
        if kept.generation == generation {
            kept.add(path, &handle, self.capacity);
        }
        Ok(handle)
    }

    /// Opens the directory at `path` for listing.
    pub(super) fn open(&self, path: &RelPath) -> SysResult<system::Handle> {
        self.resolve(path.as_bytes(), Access::List)
    }

    fn resolve(&self, path: &[u8], access: Access) -> SysResult<system::Handle> {
        if let Some((git, rest)) = self.git_of(path) {
            return system::resolve(git, rest, access);
        }
        match self.external_history_of(path) {
            Some((history, rest)) => system::resolve(&*history.open()?, rest, access),
            None => match self.git_index_file.relative_path(path) {
                Some(rest) => system::resolve(&*self.git_index_file.open()?, rest, access),
                None => system::resolve(&self.root, path, access),
            },
        }
    }

    /// Drops the handles at and below `paths`, one of which was renamed, created or removed.
    pub(super) fn forget<const N: usize>(&self, paths: [&RelPath; N]) {
        let mut kept = self.lock_cache();
        kept.generation += 1;
        kept.entries.retain(|entry| {
            !paths
                .iter()
                .any(|path| entry.is_at_or_below(path.as_bytes()))
        });
    }

    /// Drops all cached handles.
    pub(super) fn forget_all(&self) {
        let mut kept = self.lock_cache();
        kept.generation += 1;
        kept.entries.clear();
    }

    fn lock_cache(&self) -> MutexGuard<'_, HandleCache> {
        lock_unpoisoned(&self.cache)
    }
}

impl CachedHandle {
    /// Returns whether this is the directory at `path` or one below it. The length check comes
    /// first because it rejects most entries.
    fn is_at_or_below(&self, path: &[u8]) -> bool {
        self.path.len() >= path.len()
            && matches!(self.path.get(path.len()), None | Some(b'/'))
            && self.path.starts_with(path)
    }
}

impl HandleCache {
    /// Returns the cached handle of `path`, which then is the most recently used one.
    fn find(&mut self, path: &[u8]) -> Option<DirectoryHandle> {
        let index = self
            .entries
            .iter()
            .rposition(|entry| *entry.path == *path)?;
        let entry = self.entries.remove(index);
        // Another process may have moved the directory. An old handle must be resolved again.
        if entry.opened.elapsed() > MAX_AGE {
            return None;
        }
        let handle = Arc::clone(&entry.handle);
        self.entries.push(entry);
        Some(handle)
    }

    fn add(&mut self, path: &[u8], handle: &DirectoryHandle, capacity: usize) {
        self.entries.retain(|entry| *entry.path != *path);
        if self.entries.len() >= capacity && !self.entries.is_empty() {
            self.entries.remove(0);
        }
        if capacity > 0 {
            self.entries.push(CachedHandle {
                path: path.into(),
                handle: Arc::clone(handle),
                opened: Instant::now(),
            });
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "these tests are the somebody else who changes the tree"
)]
mod tests;
