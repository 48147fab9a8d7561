//! Determines which entries are in effect. An undone entry is not, unless its undo was undone too.

use std::collections::{BTreeSet, HashMap};

use super::HistoryEntry;

/// The maximum number of IDs in a message.
const MAX_NAMED: usize = 8;

/// Returns the entry of `all` whose ID starts with `id`.
///
/// # Errors
///
/// Returns a message if no entry or several entries match.
pub fn find_entry<'e>(all: &'e [HistoryEntry], id: &str) -> Result<&'e HistoryEntry, String> {
    let found: Vec<_> = all
        .iter()
        .filter(|entry| entry.id.starts_with(id))
        .collect();
    match found.as_slice() {
        [] => Err(format!("no change matches {id}")),
        [entry] => Ok(entry),
        several => Err(ambiguous_message(
            id,
            several.iter().map(|entry| entry.id.as_str()),
        )),
    }
}

/// Returns the message that several IDs, `names`, start with `id`.
pub fn ambiguous_message<'n>(id: &str, names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let listed = names.take(MAX_NAMED).collect::<Vec<_>>().join(", ");
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    format!("{id} is ambiguous: {listed}{more}")
}

/// The entries, and the entry that undid each of them.
pub struct UndoChain<'e> {
    entries: HashMap<&'e str, &'e HistoryEntry>,
    undone_by: HashMap<&'e str, &'e HistoryEntry>,
}

impl<'e> UndoChain<'e> {
    /// Returns the chain of all entries.
    #[must_use]
    pub fn of(all: &'e [HistoryEntry]) -> Self {
        let undone = |entry: &'e HistoryEntry| {
            entry
                .label
                .undoes
                .iter()
                .map(move |id| (id.as_str(), entry))
        };
        Self {
            entries: all.iter().map(|entry| (entry.id.as_str(), entry)).collect(),
            undone_by: all.iter().flat_map(undone).collect(),
        }
    }

    /// Returns the entry that undid `entry`.
    #[must_use]
    pub fn undone_by(&self, entry: &HistoryEntry) -> Option<&'e HistoryEntry> {
        self.undone_by.get(entry.id.as_str()).copied()
    }

    /// Returns whether no entry undid `entry`.
    #[must_use]
    pub fn is_head(&self, entry: &HistoryEntry) -> bool {
        self.undone_by(entry).is_none()
    }

    /// Follows the undos from `entry` on and returns the last one.
    #[must_use]
    pub fn head(&self, entry: &'e HistoryEntry) -> &'e HistoryEntry {
        let mut head = entry;
        // An undo is always newer. The check ends the loop if damaged records form a cycle.
        while let Some(next) = self.undone_by(head).filter(|next| next.id > head.id) {
            head = next;
        }
        head
    }

    /// Returns the IDs of the original changes that `entry` makes, redoes or undoes.
    #[must_use]
    pub fn changes(&self, entry: &'e HistoryEntry) -> BTreeSet<&'e str> {
        let (mut found, mut open) = (BTreeSet::new(), vec![entry]);
        while let Some(entry) = open.pop() {
            if entry.label.undoes.is_empty() {
                found.insert(entry.id.as_str());
            }
            // An undone entry is always older, so damaged records cannot form a cycle.
            let older = |id: &&String| **id < entry.id;
            open.extend(
                entry
                    .label
                    .undoes
                    .iter()
                    .filter(older)
                    .filter_map(|id| self.entries.get(id.as_str())),
            );
        }
        found
    }

    /// Returns whether `entry` makes or redoes a change. Otherwise it undoes one.
    #[must_use]
    pub fn is_change(entry: &HistoryEntry) -> bool {
        entry.label.undoes.is_empty() || entry.label.is_redo
    }
}
