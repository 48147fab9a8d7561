//! A file system that promises as little as one may: what is there, what is durable, and what is in
//! between.
//!
//! Contents, permission bits and each single name reach the disk on their own and in any order,
//! until a sync says otherwise: a name may lead to a file that is empty, cut off or full of zeros;
//! a new file may have no name. A sync of a file says nothing of its name, one of a directory
//! nothing of what is in its files. Contents whose sync failed do not become durable by another
//! one: Linux takes them for written then. Modes and names do, since they are written again.
//!
//! What ext4, xfs, btrfs and f2fs all keep is kept here too, because no protocol of renames can do
//! without it:
//!
//! - a renamed file may be there with both names, but not with neither: the old one goes only when
//!   the new one and the directories above it are there; a renamed directory has one of them, since
//!   with both it would be no tree;
//! - an exchange is done or not done, never half;
//! - a directory is removed only after what was in it;
//! - the target of a symbolic link is durable with its name.
//!
//! The first two hold, for files, until one of the two directories is synced: that makes its own
//! half durable and no other, though most file systems carry the other one along. Bugs in just that
//! are found in them again and again.

use std::collections::{BTreeMap, BTreeSet};

use super::trace::Step;

mod sync;

/// Names a node.
pub(super) type Inode = usize;
/// The root's.
const ROOT: Inode = 0;
/// Bits of a mode that say what a node is, as in stat(2).
const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;

/// A file, a link or a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Type and permission bits.
    pub(super) mode: u32,
    /// Contents or target.
    pub(super) bytes: Vec<u8>,
    /// Names of a directory.
    pub(super) names: BTreeMap<String, Inode>,
}

/// Nodes by their numbers.
pub(super) type Nodes = BTreeMap<Inode, Node>;

/// A tree by its paths: type and mode, contents or target, and what tells two names of one file
/// from two files.
pub(super) type Tree = BTreeMap<String, (u32, Vec<u8>, Inode)>;

/// A change of one name that is not durable yet.
#[derive(Clone, Debug)]
pub(super) struct Change {
    directory: Inode,
    name: String,
    pub(super) target: Option<Inode>,
    /// Changes that are durable whenever this one is, unless they were overtaken.
    pub(super) needs: BTreeSet<usize>,
}

/// Versions of a node that are not durable yet, the latest last.
#[derive(Clone, Debug, Default)]
pub(super) struct Versions {
    pub(super) modes: Vec<u32>,
    pub(super) bytes: Vec<Vec<u8>>,
}

/// The file system.
#[derive(Clone, Debug)]
pub(super) struct Model {
    umask: u32,
    pub(super) live: Nodes,
    pub(super) disk: Nodes,
    pub(super) pending: BTreeMap<usize, Change>,
    pub(super) unsynced: BTreeMap<Inode, Versions>,
    /// The other half of each renaming of a directory, which goes with it.
    halves: BTreeMap<usize, usize>,
    /// Files with contents whose sync failed.
    broken: BTreeSet<Inode>,
    next: usize,
}

impl Model {
    /// Returns one in which all of `tree` is durable.
    pub(super) fn new(tree: &Tree, umask: u32) -> Self {
        let root = Node {
            mode: DIRECTORY | 0o755,
            bytes: Vec::new(),
            names: BTreeMap::new(),
        };
        let mut live = Nodes::from([(ROOT, root)]);
        // Parents come before what is in them.
        for (path, (mode, bytes, _)) in tree {
            let (parent, name) = split(path);
            let above = find(&live, parent);
            let inode = live.len();
            live.insert(
                inode,
                Node {
                    mode: *mode,
                    bytes: bytes.clone(),
                    names: BTreeMap::new(),
                },
            );
            live.get_mut(&above)
                .unwrap()
                .names
                .insert(name.to_owned(), inode);
        }
        let (pending, unsynced, broken) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Self {
            umask,
            disk: live.clone(),
            live,
            pending,
            unsynced,
            halves: BTreeMap::new(),
            broken,
            next: 0,
        }
    }

    /// Carries out one step.
    pub(super) fn run(&mut self, step: &Step) {
        match step {
            Step::Create(path, mode) => {
                // One that is there is only opened, as the lock is.
                if !self.has(path) {
                    self.add(path, REGULAR | mode & !self.umask, Vec::new());
                }
            }
            Step::MakeDir(path, mode) => self.add(path, DIRECTORY | mode & !self.umask, Vec::new()),
            Step::Symlink(path, target) => self.add(path, SYMLINK | 0o777, target.clone()),
            Step::Write(path, bytes) => self.write(path, bytes),
            Step::SetMode(path, mode) => {
                let inode = find(&self.live, path);
                let node = self.live.get_mut(&inode).unwrap();
                node.mode = node.mode & !0o7777 | mode;
                self.unsynced
                    .entry(inode)
                    .or_default()
                    .modes
                    .push(node.mode);
            }
            Step::Link(from, to) => {
                self.set_name(to, Some(find(&self.live, from)));
            }
            Step::Rename(from, to) => self.rename(from, to),
            Step::Exchange(one, other) => self.exchange(one, other),
            Step::Remove(path) => {
                self.set_name(path, None);
            }
            Step::RemoveDir(path) => self.remove_dir(path),
            Step::Sync(path) => self.sync(find(&self.live, path)),
            Step::SyncAll => {
                self.live
                    .keys()
                    .copied()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|inode| self.sync_node(inode));
                settle(
                    &mut self.disk,
                    &self.pending,
                    &self.pending.keys().copied().collect(),
                );
                self.pending.clear();
            }
            Step::FailedSync(path) => drop(self.broken.insert(find(&self.live, path))),
            Step::FailedSyncAll => self.broken.extend(self.unsynced.keys()),
            Step::Report => {}
        }
    }

    fn has(&self, path: &str) -> bool {
        let (parent, name) = split(path);
        self.live[&find(&self.live, parent)]
            .names
            .contains_key(name)
    }

    /// Makes a node. On the disk it is as its first call made it, until a sync says more.
    fn add(&mut self, path: &str, mode: u32, bytes: Vec<u8>) {
        let inode = self.live.len();
        let node = Node {
            mode,
            bytes,
            names: BTreeMap::new(),
        };
        self.live.insert(inode, node.clone());
        self.disk.insert(inode, node);
        self.set_name(path, Some(inode));
    }

    fn write(&mut self, path: &str, bytes: &[u8]) {
        let inode = find(&self.live, path);
        let node = self.live.get_mut(&inode).unwrap();
        node.bytes.extend_from_slice(bytes);
        let (half, all) = (node.bytes.len() / 2, node.bytes.clone());
        let versions = &mut self.unsynced.entry(inode).or_default().bytes;
        versions.extend([all[..half].to_vec(), vec![0; all.len()], all]);
    }

    /// Changes one name, and returns the number of the change.
    fn set_name(&mut self, path: &str, target: Option<Inode>) -> usize {
        let (parent, name) = split(path);
        let directory = find(&self.live, parent);
        let names = &mut self.live.get_mut(&directory).unwrap().names;
        match target {
            Some(inode) => names.insert(name.to_owned(), inode),
            None => names.remove(name),
        };
        let change = Change {
            directory,
            name: name.to_owned(),
            target,
            needs: BTreeSet::new(),
        };
        let needs = self
            .pending
            .iter()
            .filter(|(_, other)| change.is_of_same_name(other))
            .map(|(&id, _)| id)
            .collect();
        self.next += 1;
        self.pending.insert(self.next, Change { needs, ..change });
        self.next
    }

    fn rename(&mut self, from: &str, to: &str) {
        let inode = find(&self.live, from);
        let won = self.set_name(to, Some(inode));
        let lost = self.set_name(from, None);
        self.order(lost, won);
        if self.live[&inode].mode & DIRECTORY != 0 {
            self.order(won, lost);
            self.halves.extend([(won, lost), (lost, won)]);
        }
    }

    fn exchange(&mut self, one: &str, other: &str) {
        let (first, second) = (find(&self.live, one), find(&self.live, other));
        let (first, second) = (
            self.set_name(other, Some(first)),
            self.set_name(one, Some(second)),
        );
        self.order(first, second);
        self.order(second, first);
    }

    /// Notes that a file does not lose its name by the change `lost` before it has that of `won`.
    fn order(&mut self, lost: usize, won: usize) {
        let mut needs = BTreeSet::from([won]);
        let mut directory = self.pending[&won].directory;
        while let Some((&id, change)) = self
            .pending
            .iter()
            .find(|(_, change)| change.target == Some(directory))
        {
            needs.insert(id);
            directory = change.directory;
        }
        self.pending.get_mut(&lost).unwrap().needs.extend(needs);
    }

    fn remove_dir(&mut self, path: &str) {
        let directory = find(&self.live, path);
        let gone = self.set_name(path, None);
        let inside = self
            .pending
            .iter()
            .filter(|(_, change)| change.directory == directory);
        let inside: Vec<_> = inside.map(|(&id, _)| id).collect();
        self.pending.get_mut(&gone).unwrap().needs.extend(inside);
    }

    /// Returns the changes with all that they need.
    pub(super) fn closed(&self, changes: BTreeSet<usize>) -> BTreeSet<usize> {
        let mut open: Vec<_> = changes.into_iter().collect();
        let mut chosen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if let Some(change) = self.pending.get(&id)
                && chosen.insert(id)
            {
                open.extend(&change.needs);
            }
        }
        chosen
    }
}

impl Change {
    fn is_of_same_name(&self, other: &Self) -> bool {
        (self.directory, &self.name) == (other.directory, &other.name)
    }
}

/// Carries out `chosen` of the changes, in their order.
pub(super) fn settle(
    nodes: &mut Nodes,
    pending: &BTreeMap<usize, Change>,
    chosen: &BTreeSet<usize>,
) {
    for change in chosen.iter().map(|id| &pending[id]) {
        let names = &mut nodes.get_mut(&change.directory).unwrap().names;
        match change.target {
            Some(inode) => names.insert(change.name.clone(), inode),
            None => names.remove(&change.name),
        };
    }
}

/// Returns what can be reached from the root.
pub(super) fn tree(nodes: &Nodes) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![(String::new(), ROOT)];
    while let Some((path, inode)) = open.pop() {
        for (name, &inode) in &nodes[&inode].names {
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}/{name}")
            };
            let node = &nodes[&inode];
            tree.insert(path.clone(), (node.mode, node.bytes.clone(), inode));
            open.push((path, inode));
        }
    }
    tree
}

fn find(nodes: &Nodes, path: &str) -> Inode {
    let step = |directory: Inode, name: &str| {
        let found = nodes[&directory].names.get(name);
        *found.unwrap_or_else(|| panic!("the model has no {path}"))
    };
    path.split('/')
        .filter(|name| !name.is_empty())
        .fold(ROOT, step)
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}
