//! The state after a power loss: the durable copy of a tree, and the changes that have not reached
//! it.
//!
//! The model gives few guarantees, as "All File Systems Are Not Created Equal" (OSDI 2014)
//! recommends. Data, attributes and each single name reach the disk in any order, unless a sync
//! orders them. The model keeps the guarantee of
//! [`Workspace::rename`](crate::workspace::Workspace::rename): a renamed file always has a name. A
//! renamed directory has exactly one of its two names. Two names would not be a tree, and file
//! systems repair this.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::tree::{Inode, InodeTable, NodeContent, NodeRetention};

/// The changes that reached the disk before a power loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DurableChanges {
    /// Only synced changes.
    Synced,
    /// All names, and only synced data and attributes.
    Names,
    /// All data and attributes, and only synced names.
    Data,
    /// All changes.
    All,
    /// A pseudorandom selection for this seed. Content can also be torn: its new first half,
    /// followed by the rest of the old content.
    Random(u64),
}

/// A change of one name that is not durable yet.
#[derive(Clone, Debug)]
struct PendingNameChange {
    directory: Inode,
    name: Vec<u8>,
    target: Option<Inode>,
    /// Numbers of the changes that are durable whenever this one is.
    needs: BTreeSet<usize>,
}

/// The durable copy of a tree, and the pending changes.
#[derive(Clone, Debug)]
pub(super) struct DurableState {
    tree: InodeTable,
    pending: BTreeMap<usize, PendingNameChange>,
    next: usize,
}

impl DurableState {
    pub(super) fn new(tree: &InodeTable) -> Self {
        Self {
            tree: tree.clone(),
            pending: BTreeMap::new(),
            next: 0,
        }
    }

    /// Adds a node without a durable name. A file is empty and has mode 0600 until it is synced.
    pub(super) fn add(&mut self, inode: Inode, live: &InodeTable) {
        let mut node = live.nodes[&inode].clone();
        node.links = 0;
        if matches!(node.content, NodeContent::File(_)) {
            node.content = NodeContent::File(Arc::default());
            node.permissions = 0o600;
        }
        self.tree.nodes.insert(inode, node);
    }

    /// Records a change of one name and returns its number.
    pub(super) fn record(&mut self, directory: Inode, name: &[u8], target: Option<Inode>) -> usize {
        let is_same =
            |change: &PendingNameChange| change.directory == directory && change.name == name;
        let needs = self
            // Changes of the same name stay in order.
            .pending
            .iter()
            .filter(|(_, change)| is_same(change))
            .map(|(&id, _)| id)
            .collect();
        let id = self.next;
        self.next += 1;
        self.pending.insert(
            id,
            PendingNameChange {
                directory,
                name: name.to_vec(),
                target,
                needs,
            },
        );
        id
    }

    /// Orders two changes of a rename: change `lost` removes the old name only after change `won`
    /// has added the new one.
    pub(super) fn order(&mut self, removed: usize, won: usize) {
        let mut needs = BTreeSet::from([won]);
        let mut directory = self.pending[&won].directory;
        // The new name is reachable only if the directories above it have durable names too.
        while let Some((&id, change)) = self
            .pending
            .iter()
            .find(|(_, change)| change.target == Some(directory))
        {
            needs.insert(id);
            directory = change.directory;
        }
        if let Some(change) = self.pending.get_mut(&removed) {
            change.needs.extend(needs);
        }
    }

    /// Orders the removal of a directory, change `lost`, after the changes of names in it.
    pub(super) fn order_removal(&mut self, removal: usize, directory: Inode) {
        let left: Vec<_> = self
            .pending
            .iter()
            .filter(|(_, change)| change.directory == directory)
            .map(|(&id, _)| id)
            .collect();
        if let Some(change) = self.pending.get_mut(&removal) {
            change.needs.extend(left);
        }
    }

    /// Makes a node durable: content and attributes of a file, names of a directory.
    pub(super) fn sync(&mut self, inode: Inode, live: &InodeTable) {
        self.sync_attributes(inode, live);
        let ids: Vec<_> = self
            .pending
            .iter()
            .filter(|(_, change)| change.directory == inode)
            .map(|(&id, _)| id)
            .collect();
        self.make_durable(ids);
    }

    /// Makes all nodes durable except `apart`, which are on other file systems.
    pub(super) fn sync_except(&mut self, apart: &BTreeSet<Inode>, live: &InodeTable) {
        if apart.is_empty() {
            *self = Self::new(live);
            return;
        }
        live.nodes
            .keys()
            .filter(|inode| !apart.contains(inode))
            .for_each(|&inode| self.sync_attributes(inode, live));
        let names = self
            .pending
            .iter()
            .filter(|(_, change)| !apart.contains(&change.directory));
        self.make_durable(names.map(|(&id, _)| id).collect());
    }

    fn sync_attributes(&mut self, inode: Inode, live: &InodeTable) {
        let (Some(durable), Some(node)) = (self.tree.nodes.get_mut(&inode), live.nodes.get(&inode))
        else {
            return;
        };
        if durable.names().is_none() {
            durable.content = node.content.clone();
        }
        durable.permissions = node.permissions;
        durable.modified = node.modified;
        (durable.uid, durable.gid) = (node.uid, node.gid);
    }

    /// Makes the changes `open` durable, and all changes that they need.
    fn make_durable(&mut self, mut open: Vec<usize>) {
        let mut chosen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if let Some(change) = self.pending.get(&id)
                && chosen.insert(id)
            {
                open.extend(&change.needs);
            }
        }
        // The numbers ascend, so changes of the same name are applied in their order.
        for id in chosen {
            if let Some(change) = self.pending.remove(&id) {
                self.tree.set_name(
                    change.directory,
                    &change.name,
                    change.target,
                    NodeRetention::All,
                );
            }
        }
    }

    /// Returns the tree after a power loss.
    pub(super) fn after_power_loss(
        &self,
        live: &InodeTable,
        survivors: DurableChanges,
    ) -> InodeTable {
        let mut disk = self.clone();
        let ids = disk.pending.keys().copied();
        let names: Vec<_> = match survivors {
            DurableChanges::Synced | DurableChanges::Data => Vec::new(),
            DurableChanges::Names | DurableChanges::All => ids.collect(),
            DurableChanges::Random(seed) => ids
                .filter(|&id| pseudorandom(seed, id as u64).is_multiple_of(2))
                .collect(),
        };
        disk.make_durable(names);
        for &inode in live.nodes.keys() {
            match survivors {
                DurableChanges::Synced | DurableChanges::Names => {}
                DurableChanges::Data | DurableChanges::All => disk.sync_attributes(inode, live),
                DurableChanges::Random(seed) => {
                    disk.sync_random_part(inode, live, pseudorandom(seed, u64::MAX - inode));
                }
            }
        }
        disk.tree.sweep();
        disk.tree
    }

    /// Selects the durable content of a node by `dice`: the old content, the new content, or the
    /// new first half followed by the rest of the old content.
    fn sync_random_part(&mut self, inode: Inode, live: &InodeTable, dice: u64) {
        if dice.is_multiple_of(3) {
            return;
        }
        let before = self
            .tree
            .nodes
            .get(&inode)
            .map_or_else(Vec::new, |node| node.content.bytes().to_vec());
        self.sync_attributes(inode, live);
        if let Some(NodeContent::File(bytes)) = self
            .tree
            .nodes
            .get_mut(&inode)
            .map(|node| &mut node.content)
            && dice % 3 == 1
        {
            let half = bytes.len() / 2;
            *bytes = Arc::new([&bytes[..half], before.get(half..).unwrap_or_default()].concat());
        }
    }
}

fn pseudorandom(seed: u64, throw: u64) -> u64 {
    xxh3_64(&[seed.to_le_bytes(), throw.to_le_bytes()].concat()) >> 7
}
