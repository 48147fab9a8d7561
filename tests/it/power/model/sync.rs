//! What a sync makes durable.

use std::collections::BTreeSet;

use super::{Inode, Model, settle};

impl Model {
    /// Makes contents and mode of a node durable.
    pub(super) fn sync_node(&mut self, inode: Inode) {
        let (node, durable) = (&self.live[&inode], self.disk.get_mut(&inode).unwrap());
        durable.mode = node.mode;
        if let Some(versions) = self.unsynced.get_mut(&inode)
            && self.broken.contains(&inode)
        {
            versions.modes.clear();
            return;
        }
        durable.bytes.clone_from(&node.bytes);
        self.unsynced.remove(&inode);
    }

    /// Makes a node durable: contents and mode of a file, names and mode of a directory.
    pub(super) fn sync(&mut self, inode: Inode) {
        self.sync_node(inode);
        let own = self
            .pending
            .iter()
            .filter(|(_, change)| change.directory == inode);
        let mut own: BTreeSet<_> = own.map(|(&id, _)| id).collect();
        let others: Vec<_> = own
            .iter()
            .filter_map(|id| self.halves.get(id).copied())
            .collect();
        own.extend(
            others
                .into_iter()
                .filter(|id| self.pending.contains_key(id)),
        );
        self.hand_on(&own);
        settle(&mut self.disk, &self.pending, &own);
        self.pending.retain(|id, _| !own.contains(id));
    }

    /// Lets what needs a name that is overtaken need what its removal needed: else a file would
    /// have no name.
    fn hand_on(&mut self, chosen: &BTreeSet<usize>) {
        for &id in chosen {
            let (change, needs) = (self.pending[&id].clone(), self.pending[&id].needs.clone());
            let same = |other: &usize| {
                self.pending
                    .get(other)
                    .is_some_and(|other| change.is_of_same_name(other))
            };
            let overtaken: BTreeSet<_> = needs.iter().copied().filter(same).collect();
            for (other, heir) in &mut self.pending {
                if *other != id && !heir.needs.is_disjoint(&overtaken) {
                    heir.needs
                        .extend(needs.iter().filter(|need| *need != other));
                }
            }
        }
    }
}
