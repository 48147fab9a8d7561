//! Locates the old files of a finished transaction.

use std::collections::HashSet;

use crate::path::RelPath;
use crate::transaction::change::{Change, ChangesByNumber};
use crate::transaction::journal::Journal;
use crate::transaction::scratch::{ScratchFile, parse_name};

/// The way in which old files are located.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transaction) enum OldFileLookup {
    /// Each file was just moved to the location in the journal.
    Journaled,
    /// The scratch files must be searched.
    Unknown,
}

/// The location of the old file of a change.
pub(super) enum OldFileLocation<'a> {
    None,
    Scratch(ScratchFile),
    MovedTo(&'a RelPath),
    Lost,
}

/// The old files of one transaction.
pub(super) struct OldFiles<'a> {
    /// The existing scratch files, or `None` if each is at the location in the journal.
    existing: Option<HashSet<(ScratchFile, usize)>>,
    /// The changes to which old files were moved.
    incoming: ChangesByNumber<'a>,
}

impl<'a> OldFiles<'a> {
    /// Returns the old files of `journal`. `names` are the names of the existing scratch files.
    pub(super) fn new(journal: &'a Journal, names: &[Vec<u8>]) -> Self {
        let slots = names.iter().filter_map(|name| parse_name(name)).collect();
        Self {
            existing: Some(slots),
            ..Self::of_journal(journal)
        }
    }

    /// Returns the old files of `journal`, whose changes were all just made by renames.
    pub(super) fn of_journal(journal: &'a Journal) -> Self {
        Self {
            existing: None,
            incoming: journal.incoming_changes(),
        }
    }

    /// Returns the location of the old file of `change`.
    pub(super) fn of(&self, change: &Change) -> OldFileLocation<'a> {
        if change.before.is_none() || change.is_mode_only() {
            return OldFileLocation::None;
        }
        if let Some(target) = self.incoming.get(&change.number) {
            return OldFileLocation::MovedTo(&target.path);
        }
        let slot = if change.is_exchange() {
            ScratchFile::Staged
        } else {
            ScratchFile::Displaced
        };
        let Some(slots) = &self.existing else {
            return OldFileLocation::Scratch(slot);
        };
        let is_there = |&slot: &ScratchFile| slots.contains(&(slot, change.number));
        // If the file system cannot exchange files, the old file was moved out instead.
        [ScratchFile::Displaced, slot]
            .into_iter()
            .find(is_there)
            .map_or(OldFileLocation::Lost, OldFileLocation::Scratch)
    }
}
