//! What was staged: what becomes of files and directories, and what was found by those who decided
//! it.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Standing};
use crate::change::FileState;
use crate::path::RelPath;

/// What was staged of one change.
#[derive(Debug, Default)]
pub(super) struct One {
    /// What becomes of the file; `None` if only directories change.
    pub(super) change: Option<Change>,
    /// What was found at the path.
    pub(super) found: Option<FileState>,
    /// The file that comes here or whose contents do, and has to go from where it was.
    pub(super) moved: Option<(RelPath, FileState)>,
    /// Directories that are missing and that no other change has noted.
    pub(super) makes: Vec<RelPath>,
    /// A directory that goes, with what it was.
    pub(super) removes: Option<(RelPath, Standing)>,
    /// A directory that stays, though everything in it goes.
    pub(super) keeps: Option<RelPath>,
}

/// What was staged of all changes. There may be many, so each part has a room of its own, which the
/// journal then takes.
#[derive(Debug, Default)]
pub(super) struct Staged {
    pub(super) changes: Vec<Change>,
    pub(super) found: Found,
    /// What comes to the first path from the second one, where this was found.
    pub(super) moves: Vec<(RelPath, RelPath, FileState)>,
    pub(super) makes: BTreeSet<RelPath>,
    pub(super) removes: BTreeMap<RelPath, Standing>,
    pub(super) keeps: BTreeSet<RelPath>,
}

impl Staged {
    /// Makes room for so many changes, if there is any.
    pub(super) fn reserve(&mut self, changes: usize) {
        let _ = self.changes.try_reserve(changes);
        let _ = self.found.0.try_reserve(changes);
    }

    pub(super) fn add(&mut self, one: One) {
        self.makes.extend(one.makes);
        self.removes.extend(one.removes);
        self.keeps.extend(one.keeps);
        let Some(change) = one.change else { return };
        self.found
            .0
            .extend(one.found.map(|state| (change.number, state)));
        self.moves.extend(
            one.moved
                .map(|(from, state)| (change.path.clone(), from, state)),
        );
        self.changes.push(change);
    }

    /// Returns whether nothing is going to be done.
    pub(super) fn is_empty(&self) -> bool {
        let Self {
            changes,
            makes,
            removes,
            keeps,
            ..
        } = self;
        changes.is_empty() && makes.is_empty() && removes.is_empty() && keeps.is_empty()
    }

    /// Returns it in the order of the paths, whichever thread was first.
    pub(super) fn sorted(mut self) -> Self {
        self.changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.moves.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
        self.found.0.sort_unstable_by_key(|(number, _)| *number);
        self
    }
}

/// What was read at the paths of changes.
#[derive(Debug, Default)]
pub(super) struct Found(
    /// With the number of the change, in the order of these.
    Vec<(usize, FileState)>,
);

impl FromIterator<(usize, FileState)> for Found {
    fn from_iter<I: IntoIterator<Item = (usize, FileState)>>(states: I) -> Self {
        let mut found = Self::default();
        found.complete(states);
        found
    }
}

impl Found {
    /// Returns what was read at the path of the change with this number.
    pub(super) fn get(&self, number: usize) -> Option<&FileState> {
        self.0
            .binary_search_by_key(&number, |&(other, _)| other)
            .ok()
            .map(|place| &self.0[place].1)
    }

    /// Adds what it does not know yet.
    pub(super) fn complete(&mut self, more: impl IntoIterator<Item = (usize, FileState)>) {
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
