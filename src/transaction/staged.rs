//! The staged changes of files and directories, and the file states they are based on.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, DirAttributes};
use crate::change::FileState;
use crate::path::RelPath;

/// The staged parts of one change.
#[derive(Debug, Default)]
pub(super) struct StagedChange {
    /// The change of the file, or `None` if only directories change.
    pub(super) change: Option<Change>,
    /// The file found at the path.
    pub(super) found: Option<FileState>,
    /// The source of a move, with the file found there.
    pub(super) moved: Option<(RelPath, FileState)>,
    /// The missing directories that no other change has recorded.
    pub(super) created_dirs: Vec<RelPath>,
    /// The directory to remove, with its attributes.
    pub(super) removed_dir: Option<(RelPath, DirAttributes)>,
    /// A directory to keep even if it becomes empty.
    pub(super) kept_dir: Option<RelPath>,
}

/// The staged parts of all changes.
///
/// Each part has a list of its own, because there can be many changes and the journal takes over
/// the lists.
#[derive(Debug, Default)]
pub(super) struct StagedChanges {
    pub(super) changes: Vec<Change>,
    pub(super) found: FoundFiles,
    /// Moves: the target, the source, and the file found at the source. The target is `None` if it
    /// is in another root.
    pub(super) moves: Vec<(Option<RelPath>, RelPath, FileState)>,
    pub(super) created_dirs: BTreeSet<RelPath>,
    pub(super) removed_dirs: BTreeMap<RelPath, DirAttributes>,
    pub(super) kept_dirs: BTreeSet<RelPath>,
}

impl StagedChanges {
    /// Reserves memory for `changes` changes. Does nothing if the memory is not available.
    pub(super) fn reserve(&mut self, changes: usize) {
        let _ = self.changes.try_reserve(changes);
        let _ = self.found.0.try_reserve(changes);
    }

    pub(super) fn add(&mut self, one: StagedChange) {
        self.created_dirs.extend(one.created_dirs);
        self.removed_dirs.extend(one.removed_dir);
        self.kept_dirs.extend(one.kept_dir);
        let Some(change) = one.change else { return };
        self.found
            .0
            .extend(one.found.map(|state| (change.number, state)));
        self.moves.extend(
            one.moved
                .map(|(from, state)| (Some(change.path.clone()), from, state)),
        );
        self.changes.push(change);
    }

    /// Returns whether there is nothing to commit.
    pub(super) fn is_empty(&self) -> bool {
        let Self {
            changes,
            created_dirs: makes,
            removed_dirs: removes,
            kept_dirs: keeps,
            ..
        } = self;
        changes.is_empty()
            && self.moves.is_empty()
            && makes.is_empty()
            && removes.is_empty()
            && keeps.is_empty()
    }

    /// Sorts the changes by path, so that the order does not depend on the threads.
    pub(super) fn into_sorted(mut self) -> Self {
        self.changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.moves.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
        self.found.0.sort_unstable_by_key(|(number, _)| *number);
        self
    }
}

/// The files found at the paths of the changes.
#[derive(Debug, Default)]
pub(super) struct FoundFiles(
    /// Pairs of the change's number and the file, in the order of the numbers.
    Vec<(usize, FileState)>,
);

impl FromIterator<(usize, FileState)> for FoundFiles {
    fn from_iter<I: IntoIterator<Item = (usize, FileState)>>(states: I) -> Self {
        let mut found = Self::default();
        found.add_missing(states);
        found
    }
}

impl FoundFiles {
    /// Returns the file found at the path of the change `number`.
    pub(super) fn get(&self, number: usize) -> Option<&FileState> {
        self.0
            .binary_search_by_key(&number, |&(other, _)| other)
            .ok()
            .map(|place| &self.0[place].1)
    }

    /// Adds the states of changes that have none yet.
    pub(super) fn add_missing(&mut self, more: impl IntoIterator<Item = (usize, FileState)>) {
        let known = self.0.len();
        for (number, state) in more {
            if self.0[..known]
                .binary_search_by_key(&number, |&(other, _)| other)
                .is_err()
            {
                self.0.push((number, state));
            }
        }
        if self.0.len() > known {
            self.0.sort_by_key(|&(number, _)| number);
            self.0.dedup_by_key(|&mut (number, _)| number);
        }
    }
}
