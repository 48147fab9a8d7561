//! Which entries hold: a change that was taken back does not, unless that was taken back in its
//! turn.

use std::collections::{BTreeSet, HashMap};

use super::Entry;

/// Most names in a message.
const MOST_NAMED: usize = 8;

/// Returns the entry of `all` whose name begins with `id`; or a message: no entry has such a name,
/// or several have.
///
/// # Errors
///
/// Returns that message.
pub fn named<'e>(all: &'e [Entry], id: &str) -> Result<&'e Entry, String> {
    let found: Vec<_> = all
        .iter()
        .filter(|entry| entry.id.starts_with(id))
        .collect();
    match found.as_slice() {
        [] => Err(format!("no change matches {id}")),
        [entry] => Ok(entry),
        several => Err(ambiguous(id, several.iter().map(|entry| entry.id.as_str()))),
    }
}

/// Returns the message that `id` is the beginning of each of `names`.
pub fn ambiguous<'n>(id: &str, names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    let listed = names.take(MOST_NAMED).collect::<Vec<_>>().join(", ");
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    format!("{id} is ambiguous: {listed}{more}")
}

/// The entries, and what took each of them back.
pub struct Chain<'e> {
    entries: HashMap<&'e str, &'e Entry>,
    undone_by: HashMap<&'e str, &'e Entry>,
}

impl<'e> Chain<'e> {
    /// Returns that of all entries.
    #[must_use]
    pub fn of(all: &'e [Entry]) -> Self {
        let undone = |entry: &'e Entry| {
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

    /// Returns what took `entry` back.
    #[must_use]
    pub fn undone_by(&self, entry: &Entry) -> Option<&'e Entry> {
        self.undone_by.get(entry.id.as_str()).copied()
    }

    /// Returns whether nothing took `entry` back.
    #[must_use]
    pub fn is_head(&self, entry: &Entry) -> bool {
        self.undone_by(entry).is_none()
    }

    /// Returns the last of those that took each other back, beginning with `entry`.
    #[must_use]
    pub fn head(&self, entry: &'e Entry) -> &'e Entry {
        let mut head = entry;
        while let Some(next) = self.undone_by(head).filter(|next| next.id > head.id) {
            head = next;
        }
        head
    }

    /// Returns the changes that `entry` makes, makes again or takes back, by name.
    #[must_use]
    pub fn changes(&self, entry: &'e Entry) -> BTreeSet<&'e str> {
        let (mut found, mut open) = (BTreeSet::new(), vec![entry]);
        while let Some(entry) = open.pop() {
            if entry.label.undoes.is_empty() {
                found.insert(entry.id.as_str());
            }
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

    /// Returns whether `entry` makes a change, or makes one again; else it takes one back.
    #[must_use]
    pub fn holds(entry: &Entry) -> bool {
        entry.label.undoes.is_empty() || entry.label.is_redo
    }
}
