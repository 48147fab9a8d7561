//! Facts about directories that all groups share: missing directories, the rights of the user, and
//! the name folding of file systems.

use std::collections::HashMap;
use std::sync::Mutex;

use super::obstacles::RightsCache;
use super::spelling::EmptiedDirectories;
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::workspace::{FoldingCache, Workspace};

/// The directories in which files were not found, and whether each directory itself is missing.
///
/// Each lookup of a file costs a system call. After the second missing file of one directory, the
/// directory itself is therefore checked. `None` means that only one missing file was seen so far.
#[derive(Debug, Default)]
pub(super) struct DirectoryCache {
    missing: Mutex<HashMap<Box<[u8]>, Option<bool>>>,
    /// The name folding of the file systems below the root.
    pub(super) folding: FoldingCache,
    /// The directories that the plan empties.
    pub(super) emptied: EmptiedDirectories,
    /// The rights of the current user on the entries of directories.
    pub(super) rights: RightsCache,
}

impl DirectoryCache {
    /// Returns whether the directory of `path` is known to be missing.
    pub(super) fn is_parent_missing(&self, path: &RelPath) -> bool {
        path.parent_bytes().is_some_and(|directory| {
            lock_unpoisoned(&self.missing).get(directory) == Some(&Some(true))
        })
    }

    /// Records that no file exists at `path`.
    pub(super) fn note(&self, path: &RelPath, workspace: &dyn Workspace) {
        let Some(directory) = path.parent_bytes() else {
            return;
        };
        let known = lock_unpoisoned(&self.missing).get(directory).copied();
        let is_missing = match known {
            None => None,
            Some(None) => path
                .parent()
                .map(|directory| matches!(workspace.stat(&directory), Ok(None))),
            Some(Some(_)) => return,
        };
        lock_unpoisoned(&self.missing).insert(directory.into(), is_missing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preflight::overlay::{Overlay, PathState};
    use crate::workspace::memory::{Entry, Memory};

    #[test]
    fn a_directory_is_known_to_be_missing_when_two_of_its_files_are() {
        let path = |name: &str| RelPath::new(name.as_bytes()).unwrap();
        let (memory, directories) = (
            Memory::with_files([(path("there/file"), Entry::file("old\n"))]),
            DirectoryCache::default(),
        );
        let mut known = Vec::new();
        for name in ["there/a", "gone/a", "there/b", "gone/b", "a", "b"] {
            let mut overlay = Overlay::new(&memory, Some(&directories), u64::MAX);
            assert!(
                matches!(overlay.current(&path(name), 0).unwrap(), PathState::Nothing),
                "{name}"
            );
            known.push(directories.is_parent_missing(&path(name)));
        }
        assert_eq!(known, [false, false, false, true, false, false]);
        let seen = Overlay::new(&memory, Some(&directories), u64::MAX)
            .current(&path("there/file"), 0)
            .unwrap();
        assert!(matches!(seen, PathState::Node(_)));
    }
}
