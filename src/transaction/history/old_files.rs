//! Where a finished transaction has its old files.

use std::collections::HashSet;

use crate::path::RelPath;
use crate::transaction::change::{Change, Numbered};
use crate::transaction::journal::Journal;
use crate::transaction::scratch::{Slot, slot_of};

/// What is known of where old files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transaction) enum OldPlaces {
    /// Each was put where the journal says a moment ago.
    Journaled,
    /// Scratch has to be looked through.
    Unknown,
}

/// Where the old file of a change is.
pub(super) enum OldFile<'a> {
    None,
    Slot(Slot),
    MovedTo(&'a RelPath),
    Lost,
}

/// The old files of one transaction.
pub(super) struct OldFiles<'a> {
    /// The scratch files of changes that are there; `None` if each is where the journal says.
    slots: Option<HashSet<(Slot, usize)>>,
    /// The changes that old files went on to.
    arrivals: Numbered<'a>,
}

impl<'a> OldFiles<'a> {
    /// Returns those of `journal`; `names` are those of the scratch files.
    pub(super) fn new(journal: &'a Journal, names: &[Vec<u8>]) -> Self {
        let slots = names.iter().filter_map(|name| slot_of(name)).collect();
        Self {
            slots: Some(slots),
            ..Self::journaled(journal)
        }
    }

    /// Returns those of `journal`, whose changes were made a moment ago, each by a rename.
    pub(super) fn journaled(journal: &'a Journal) -> Self {
        Self {
            slots: None,
            arrivals: journal.arrivals(),
        }
    }

    /// Returns where the old file of `change` is.
    pub(super) fn of(&self, change: &Change) -> OldFile<'a> {
        if change.before.is_none() || change.is_mode() {
            return OldFile::None;
        }
        if let Some(target) = self.arrivals.get(&change.number) {
            return OldFile::MovedTo(&target.path);
        }
        let slot = if change.is_exchange() {
            Slot::New
        } else {
            Slot::Old
        };
        let Some(slots) = &self.slots else {
            return OldFile::Slot(slot);
        };
        let is_there = |&slot: &Slot| slots.contains(&(slot, change.number));
        // Where files cannot trade places, the old one is moved out.
        [Slot::Old, slot]
            .into_iter()
            .find(is_there)
            .map_or(OldFile::Lost, OldFile::Slot)
    }
}
