//! A workspace in memory for tests, with a live and a durable copy of its tree.
//!
//! A test builds a [`Memory`] from entries, runs verbs on it, and compares the resulting entries.
//! The test can make any verb fail, let another process act before a verb, or simulate a crash or a
//! power loss. Verbs return the errors that Linux returns, with one exception: only the verbs that
//! create a file, a link or a directory check the write permission of the directory.
//!
//! Invariants: a change reaches the durable copy only through a sync, and `power.rs` tracks the
//! pending changes. `faults.rs` counts every verb. Read [`Memory`] first, then `verbs.rs` and
//! `power.rs`.

mod entry;
mod faults;
mod names;
mod power;
mod siblings;
mod tree;
mod verbs;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::digest::Digest;
use crate::mode::FileKind;
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::workspace::{ErrorKind, Timestamp};

pub use entry::Entry;
pub use faults::{FaultInjection, FaultKind, Feature};
pub use power::DurableChanges;

use faults::VerbCounter;
use power::DurableState;
use siblings::Siblings;
use tree::{Inode, InodeTable, Node, NodeContent};

/// The user that owns new files.
const USER: u32 = 1000;
/// Permission bits that the umask removes from new files.
const UMASK: u32 = 0o022;
/// Creation time of the first files, in seconds since 1970.
const CREATION_TIME: i64 = 1_000_000_000;
/// The time of the clock after the first files were created, in seconds since 1970.
const START_TIME: i64 = 1_700_000_000;

/// A tree of files in memory. It is `Send` and `Sync`.
///
/// Every verb is counted and can be made to fail; see [`Memory::inject`]. The other methods
/// represent the test itself. They are not counted and never fail.
#[derive(Debug)]
pub struct Memory {
    state: Arc<Mutex<MemoryState>>,
    /// Whether the verbs of this handle are counted and can fail.
    is_counted: bool,
}

/// The result of a verb, before its name and path are added to an error.
type VerbResult<T> = Result<T, ErrorKind>;

#[derive(Debug)]
struct MemoryState {
    /// The tree that verbs see.
    live: InodeTable,
    /// The tree that survives a power loss, and the changes that are not durable yet.
    durable: DurableState,
    /// Counts the verbs of this tree and of its siblings.
    counter: Arc<Mutex<VerbCounter>>,
    /// The other roots that the same machine has.
    siblings: Siblings,
    /// The features that the file system does not support.
    missing_features: BTreeSet<Feature>,
    /// The directories that are the roots of other file systems.
    mounts: BTreeSet<Inode>,
    locked: BTreeSet<Inode>,
    has_external_history: bool,
    /// The clock. It does not advance, so times are the same in each run of a test.
    now: Timestamp,
    /// The next unused inode number.
    next_inode: Inode,
    /// The number of times that the file system was mounted again.
    mounted_again: u32,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// Returns an empty tree. It is durable.
    #[must_use]
    pub fn new() -> Self {
        let past = Timestamp {
            seconds: CREATION_TIME,
            nanoseconds: 0,
        };
        let root = Node {
            content: NodeContent::Directory(BTreeMap::new()),
            permissions: 0o755,
            uid: USER,
            gid: USER,
            modified: past,
            links: 1,
        };
        Self::from_table(InodeTable::new(root), BTreeSet::new(), past)
    }

    /// Returns a durable tree with `files` and the directories above them.
    #[must_use]
    pub fn with_files(files: impl IntoIterator<Item = (RelPath, Entry)>) -> Self {
        let memory = Self::new();
        for (path, entry) in files {
            memory.put(&path, &entry);
        }
        let mut state = memory.state();
        state.durable = DurableState::new(&state.live);
        state.now = Timestamp {
            seconds: START_TIME,
            nanoseconds: 1,
        };
        drop(state);
        memory
    }

    fn from_table(live: InodeTable, lacks: BTreeSet<Feature>, now: Timestamp) -> Self {
        let state = MemoryState {
            durable: DurableState::new(&live),
            next_inode: live.nodes.keys().max().map_or(tree::ROOT, |&inode| inode) + 1,
            live,
            counter: Arc::default(),
            siblings: Siblings::default(),
            missing_features: lacks,
            mounts: BTreeSet::new(),
            locked: BTreeSet::new(),
            has_external_history: false,
            mounted_again: 0,
            now,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            is_counted: true,
        }
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        lock_unpoisoned(&self.state)
    }

    /// Returns the files and links by path, without the directories.
    #[must_use]
    pub fn files(&self) -> BTreeMap<RelPath, Entry> {
        let mut entries = self.entries();
        entries.retain(|_, entry| entry.kind != FileKind::Directory);
        entries
    }

    /// Returns everything below the root by path, including directories.
    #[must_use]
    pub fn entries(&self) -> BTreeMap<RelPath, Entry> {
        let state = self.state();
        let walk = state.live.walk().into_iter();
        walk.map(|(path, inode)| (path, Entry::from(&state.live.nodes[&inode])))
            .collect()
    }

    /// Adds an external history. It is stored in this tree.
    #[must_use]
    pub fn with_external_history(self) -> Self {
        self.state().has_external_history = true;
        self
    }

    /// Removes the external history, but not the files in it.
    #[must_use]
    pub fn without_external_history(self) -> Self {
        self.state().has_external_history = false;
        self
    }

    /// Returns a second handle on the same tree. It represents another process, so its verbs are
    /// not counted and never fail.
    #[must_use]
    pub fn second_handle(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            is_counted: false,
        }
    }

    /// Returns the tree as the next process finds it. Locks and injected failures are removed.
    #[must_use]
    pub fn restart(&self) -> Self {
        let state = self.state();
        let restarted = Self::from_table(
            state.live.clone(),
            state.missing_features.clone(),
            state.now,
        );
        let mut fresh = restarted.state();
        (fresh.durable, fresh.next_inode) = (state.durable.clone(), state.next_inode);
        fresh.mounts.clone_from(&state.mounts);
        fresh.has_external_history = state.has_external_history;
        fresh.mounted_again = state.mounted_again;
        drop(fresh);
        restarted
    }

    /// Returns the tree as the next process finds it if the file system was mounted again and the
    /// root got another identity.
    #[must_use]
    pub fn mounted_again(&self) -> Self {
        let next = self.restart();
        next.state().mounted_again += 1;
        next
    }

    /// Returns the tree after a power loss.
    #[must_use]
    pub fn after_power_loss_with(&self, durable_changes: DurableChanges) -> Self {
        let state = self.state();
        let memory = Self::from_table(
            state.durable.after_power_loss(&state.live, durable_changes),
            state.missing_features.clone(),
            state.now,
        );
        memory.state().mounts.clone_from(&state.mounts);
        memory.state().has_external_history = state.has_external_history;
        memory
    }

    /// Returns the number of verbs called.
    #[must_use]
    pub fn verb_count(&self) -> usize {
        self.counter().lock().verbs
    }

    /// Returns the number of verbs that were syncs.
    #[must_use]
    pub fn sync_count(&self) -> usize {
        self.counter().lock().syncs
    }

    /// Makes a verb fail.
    pub fn inject(&self, injection: FaultInjection) {
        self.counter().lock().inject(injection);
    }

    /// Returns whether an injected failure has occurred.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.counter().lock().has_failed()
    }

    /// Returns the tree on a file system that does not support `feature`.
    #[must_use]
    pub fn without_feature(self, feature: Feature) -> Self {
        self.state().missing_features.insert(feature);
        self
    }

    /// Lets another process act before verb number `verb`, counted from 0.
    pub fn run_before_verb(&self, verb: usize, act: impl FnOnce(&Self) + Send + 'static) {
        self.counter().lock().add_hook(verb, Box::new(act));
    }

    /// Makes the directory at `path` another file system. Renames and links across its border fail.
    pub fn mount(&self, path: &RelPath) {
        let mut state = self.state();
        if let Ok(inode) = state.live.directory(Some(path)) {
            state.mounts.insert(inode);
        }
    }

    /// Writes `entry` to `path` in the way an editor saves: the content of an existing file is
    /// overwritten in place.
    ///
    /// Creates the directories above. Does nothing if the path is a directory.
    pub fn put(&self, path: &RelPath, entry: &Entry) {
        let mut above: Vec<_> = path.ancestors().collect();
        above.reverse();
        let mut state = self.state();
        for directory in &above {
            state.put(directory, &Entry::directory());
        }
        state.put(path, entry);
    }

    /// Gives the file at `from` the second name `to`, in an existing directory. The change is
    /// durable.
    pub fn put_link(&self, from: &RelPath, to: &RelPath) {
        let mut state = self.state();
        if let (Ok(inode), Ok(directory)) = (
            state.live.find(from),
            state.live.directory(to.parent().as_ref()),
        ) {
            state.set_name(directory, to.name(), Some(inode));
            state.durable = DurableState::new(&state.live);
        }
    }

    /// Returns a digest of the content and attributes of all files, including times and inode
    /// numbers.
    ///
    /// No program can distinguish two trees with the same fingerprint.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let state = self.state();
        let all: Vec<_> = state
            .live
            .walk()
            .into_iter()
            .map(|(path, inode)| (path, &state.live.nodes[&inode]))
            .collect();
        Digest::of(format!("{all:?}").as_bytes())
    }
}

impl MemoryState {
    fn put(&mut self, path: &RelPath, entry: &Entry) {
        let Ok(directory) = self.live.directory(path.parent().as_ref()) else {
            return;
        };
        let now = self.now;
        match self
            .live
            .find(path)
            .ok()
            .and_then(|inode| self.live.nodes.get_mut(&inode))
        {
            Some(node) if matches!(node.content, NodeContent::Directory(_)) => {}
            Some(node) => {
                (node.content, node.permissions, node.modified) = (entry.body(), entry.mode, now);
            }
            None => {
                self.add(directory, path.name(), entry.body(), entry.mode);
            }
        }
    }

    /// Creates a node with its first name.
    fn add(&mut self, directory: Inode, name: &[u8], body: NodeContent, permissions: u32) -> Inode {
        let inode = self.next_inode;
        self.next_inode += 1;
        let node = Node {
            content: body,
            permissions,
            uid: USER,
            gid: USER,
            modified: self.now,
            links: 0,
        };
        self.live.nodes.insert(inode, node);
        self.durable.add(inode, &self.live);
        self.set_name(directory, name, Some(inode));
        inode
    }

    /// Changes one name and returns the number of the change.
    fn set_name(&mut self, directory: Inode, name: &[u8], target: Option<Inode>) -> usize {
        self.live
            .set_name(directory, name, target, tree::NodeRetention::Named);
        let now = self.now;
        if let Some(node) = self.live.nodes.get_mut(&directory) {
            node.modified = now;
        }
        self.durable.record(directory, name, target)
    }
}
