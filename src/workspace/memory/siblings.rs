//! Several trees in memory that one process opens by name, as roots on one machine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::faults::VerbCounter;
use super::{Memory, MemoryState, VerbResult};
use crate::mutex::lock_unpoisoned;
use crate::workspace::{AttributeSource, ErrorKind, Result, Workspace};

/// The trees of one machine by their locations.
type Machine = Arc<Mutex<BTreeMap<Vec<u8>, Weak<Mutex<MemoryState>>>>>;

/// The location of a tree, and the other trees.
#[derive(Debug, Default)]
pub(super) struct Siblings {
    location: Option<Vec<u8>>,
    machine: Machine,
}

impl Memory {
    /// Makes `trees` the roots of one machine, each at its location. They count their verbs
    /// together, so an injected failure affects all of them: one process uses them.
    pub fn connect(trees: &[(&str, &Self)]) {
        let machine = Machine::default();
        let counter = Arc::new(Mutex::new(VerbCounter::default()));
        for (location, tree) in trees {
            let location = location.as_bytes().to_vec();
            lock_unpoisoned(&machine).insert(location.clone(), Arc::downgrade(&tree.state));
            let mut state = tree.state();
            state.counter = Arc::clone(&counter);
            state.siblings = Siblings {
                location: Some(location),
                machine: Arc::clone(&machine),
            };
        }
    }

    /// Returns another handle of the same process on the same tree.
    #[must_use]
    pub fn handle(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            is_counted: self.is_counted,
        }
    }

    pub(super) fn find_location(&self) -> Option<Vec<u8>> {
        self.state().siblings.location.clone()
    }

    /// Opens the tree at `location`.
    pub(super) fn open_sibling(&self, location: &[u8]) -> Result<Box<dyn Workspace + Send>> {
        let state = self.run("open", None, |state| state.siblings.find(location))?;
        let is_counted = self.is_counted;
        Ok(Box::new(Self { state, is_counted }))
    }

    /// Returns the owner and group of a file in another root, if `source` is one.
    pub(super) fn other_owner(
        &self,
        source: Option<AttributeSource<'_>>,
    ) -> VerbResult<Option<(u32, u32)>> {
        let Some(AttributeSource::OtherRoot { location, path }) = source else {
            return Ok(None);
        };
        // The locks of two trees are never held together, so threads cannot wait for each other.
        let other = self.state().siblings.find(location)?;
        let owner = lock_unpoisoned(&other).live.owner(path)?;
        Ok(Some(owner))
    }

    pub(super) fn counter(&self) -> Counter {
        Counter(Arc::clone(&self.state().counter))
    }
}

/// The counter of a tree and its siblings.
pub(super) struct Counter(Arc<Mutex<VerbCounter>>);

impl Counter {
    pub(super) fn lock(&self) -> MutexGuard<'_, VerbCounter> {
        lock_unpoisoned(&self.0)
    }
}

impl Siblings {
    fn find(&self, location: &[u8]) -> VerbResult<Arc<Mutex<MemoryState>>> {
        let machine = lock_unpoisoned(&self.machine);
        machine
            .get(location)
            .and_then(Weak::upgrade)
            .ok_or(ErrorKind::Missing)
    }
}

impl MemoryState {
    pub(super) fn count_sync(&self) {
        lock_unpoisoned(&self.counter).syncs += 1;
    }
}
