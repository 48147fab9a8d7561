//! Where a finished transaction has its old files.

use std::collections::HashSet;

use crate::path::RelPath;
use crate::transaction::change::{Arrival, Change, Numbered};
use crate::transaction::journal::Journal;
use crate::transaction::scratch::{Slot, slot_of};

/// Where the old file of a change is.
pub(super) enum OldFile<'a> {
    None,
    Slot(Slot),
    MovedTo(&'a RelPath),
    Lost,
}

/// The old files of one transaction.
pub(super) struct OldFiles<'a> {
    /// The scratch files of changes that are there.
    slots: HashSet<(Slot, usize)>,
    /// The changes whose old files leave, and those that these went on to.
    leaving: Numbered<'a>,
    arrivals: Numbered<'a>,
}

impl<'a> OldFiles<'a> {
    /// Returns those of `journal`; `names` are those of the scratch files.
    pub(super) fn new(journal: &'a Journal, names: &[Vec<u8>]) -> Self {
        let slots = names.iter().filter_map(|name| slot_of(name)).collect();
        Self { slots, leaving: journal.leaving(), arrivals: journal.arrivals() }
    }

    /// Returns where the file that `change` makes was before, if it was renamed.
    pub(super) fn source(&self, change: &Change) -> Option<&'a RelPath> {
        let Some(Arrival::Old(number)) = change.arrives else { return None };
        self.leaving.get(&number).map(|source| &source.path)
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
        let mut slots = slots.iter().copied();
        slots.find(|&slot| self.slots.contains(&(slot, change.number))).map_or(OldFile::Lost, OldFile::Slot)
    }
}
