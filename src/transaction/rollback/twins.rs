//! Where an old file may be that is not where it was put: files of equal contents may have been
//! taken for each other.

use std::collections::HashMap;

use crate::digest::Digest;
use crate::transaction::change::{Change, Numbered};
use crate::transaction::journal::Journal;

/// The changes whose scratch files may hold the old file of another one.
pub(super) struct Twins<'a> {
    /// By the number of the change whose old file comes in with it.
    arrivals: Numbered<'a>,
    /// By the contents before and after.
    alike: HashMap<Digest, Vec<&'a Change>>,
}

impl<'a> Twins<'a> {
    pub(super) fn new(journal: &'a Journal) -> Self {
        let mut alike = HashMap::<_, Vec<_>>::new();
        for change in &journal.changes {
            for image in [change.before, change.after].into_iter().flatten() {
                alike.entry(image.digest).or_default().push(change);
            }
        }
        Self {
            arrivals: journal.arrivals(),
            alike,
        }
    }

    /// Returns those of `change`, the most likely one first: it moved there, and was taken out
    /// again.
    pub(super) fn of(&self, change: &Change) -> impl Iterator<Item = &'a Change> {
        let digest = change.before.map(|before| before.digest);
        let alike = digest
            .and_then(|digest| self.alike.get(&digest))
            .into_iter()
            .flatten();
        self.arrivals
            .get(&change.number)
            .into_iter()
            .chain(alike)
            .copied()
    }
}
