//! Where a finished transaction has its old files.

use std::collections::HashSet;

use crate::path::RelPath;
use crate::transaction::change::{Arrival, Change, Numbered};
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
    /// All changes, and those that old files went on to.
    numbered: Numbered<'a>,
    arrivals: Numbered<'a>,
}

impl<'a> OldFiles<'a> {
    /// Returns those of `journal`; `names` are those of the scratch files.
    pub(super) fn new(journal: &'a Journal, names: &'a [Vec<u8>]) -> Self {
        let names = names.iter().map(Vec::as_slice).collect();
        Self { names, numbered: journal.numbered(), arrivals: journal.arrivals() }
    }

    /// Returns where the file that `change` makes was before, if it was renamed.
    pub(super) fn source(&self, change: &Change) -> Option<&'a RelPath> {
        let Some(Arrival::Old(number)) = change.arrives else { return None };
        self.numbered.get(&number).map(|source| &source.path)
    }

    /// Returns where the old file of `change` is.
    pub(super) fn of(&self, change: &Change) -> OldFile<'a> {
        if change.before.is_none() || change.is_mode() {
            return OldFile::None;
        }
        if let Some(target) = self.arrivals.get(&change.number) {
            return OldFile::MovedTo(&target.path);
        }
        let slots = if change.is_exchange() { [Slot::Old, Slot::New].as_slice() } else { &[Slot::Old] };
        let mut candidates = slots.iter().map(|&slot| scratch::name(slot, change.number));
        candidates.find(|name| self.names.contains(name.as_bytes())).map_or(OldFile::Lost, OldFile::Slot)
    }
}
