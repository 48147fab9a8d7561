//! Finds an old file among the scratch files of other changes. Files are identified by content, so
//! a file can be at the scratch name of another file with equal content.

use std::collections::HashMap;

use crate::digest::Digest;
use crate::transaction::change::{Change, ChangesByNumber};
use crate::transaction::journal::Journal;

/// The changes whose scratch files can hold the old file of another change.
pub(super) struct OldFileCandidates<'a> {
    /// By the number of the change whose old file they move in.
    incoming: ChangesByNumber<'a>,
    /// By the digest of the old and of the new content.
    by_digest: HashMap<Digest, Vec<&'a Change>>,
}

impl<'a> OldFileCandidates<'a> {
    pub(super) fn new(journal: &'a Journal) -> Self {
        let mut alike = HashMap::<_, Vec<_>>::new();
        for change in &journal.changes {
            for image in [change.before, change.after].into_iter().flatten() {
                alike.entry(image.digest).or_default().push(change);
            }
        }
        Self {
            incoming: journal.incoming_changes(),
            by_digest: alike,
        }
    }

    /// Returns the candidates for `change`, the most likely one first: the change to which the file
    /// was moved.
    pub(super) fn of(&self, change: &Change) -> impl Iterator<Item = &'a Change> {
        let digest = change.before.map(|before| before.digest);
        let alike = digest
            .and_then(|digest| self.by_digest.get(&digest))
            .into_iter()
            .flatten();
        self.incoming
            .get(&change.number)
            .into_iter()
            .chain(alike)
            .copied()
    }
}
