//! Where a finished transaction has its old files.

use std::collections::{HashMap, HashSet};

use crate::path::RelPath;
use crate::transaction::change::{Arrival, Change};
use crate::transaction::journal::Journal;
use crate::transaction::scratch::{self, Slot};

/// Where the old file of a change is.
pub(super) enum OldFile<'a> {
    None,
    Slot(String),
    MovedTo(&'a RelPath),
    Lost,
}

/// The old files of one transaction.
pub(super) struct OldFiles<'a> {
    /// The scratch files that are there.
    names: HashSet<&'a [u8]>,
    /// Where old files went that moved, by the number of their change.
    targets: HashMap<usize, &'a RelPath>,
    /// Where they were, by the paths that they went to.
    sources: HashMap<&'a RelPath, &'a RelPath>,
}

impl<'a> OldFiles<'a> {
    /// Returns those of `journal`; `names` are those of the scratch files.
    pub(super) fn new(journal: &'a Journal, names: &'a [Vec<u8>]) -> Self {
        let numbered = journal.numbered();
        let mut all =
            Self { names: names.iter().map(Vec::as_slice).collect(), targets: HashMap::new(), sources: HashMap::new() };
        for change in &journal.changes {
            let Some(Arrival::Old(number)) = change.arrives else { continue };
            all.targets.insert(number, &change.path);
            if let Some(source) = numbered.get(&number) {
                all.sources.insert(&change.path, &source.path);
            }
        }
        all
    }

    /// Returns where the file that `change` makes was before, if it was renamed.
    pub(super) fn source(&self, change: &Change) -> Option<&'a RelPath> {
        self.sources.get(&change.path).copied()
    }

    /// Returns where the old file of `change` is.
    pub(super) fn of(&self, change: &Change) -> OldFile<'a> {
        if change.before.is_none() || change.is_mode() {
            return OldFile::None;
        }
        if let Some(target) = self.targets.get(&change.number) {
            return OldFile::MovedTo(target);
        }
        let slots = if change.is_exchange() { [Slot::Old, Slot::New].as_slice() } else { &[Slot::Old] };
        let mut candidates = slots.iter().map(|&slot| scratch::name(slot, change.number));
        candidates.find(|name| self.names.contains(name.as_bytes())).map_or(OldFile::Lost, OldFile::Slot)
    }
}
