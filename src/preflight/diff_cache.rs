//! The diff cache. It keeps the first diffs of a change in memory, and generates the other diffs
//! again when they are displayed. Memory is bounded by the limit plus the diffs of one group.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock};

use super::directories::DirectoryCache;
use super::{Options, group};
use crate::digest::Digest;
use crate::mutex::lock_unpoisoned;
use crate::plan::Plan;
use crate::workspace::Workspace;

/// The maximum number of bytes of cached diffs.
const MAX: usize = 16 << 20;

/// The diffs of a change.
#[derive(Debug, Default)]
pub struct DiffCache {
    store: Mutex<DiffStore>,
    /// The groups of operations, and the group of each operation.
    groups: OnceLock<(group::Groups, Vec<usize>)>,
}

#[derive(Debug, Default)]
struct DiffStore {
    diffs: HashMap<usize, StoredDiff>,
    sum: usize,
}

/// A diff in memory, or the digest of the diff when it was first generated.
enum StoredDiff {
    Bytes(Vec<u8>),
    Digest(Digest),
}

/// The diff is not in memory and must be generated again.
#[derive(Debug)]
struct CacheMiss;

impl DiffCache {
    /// Adds the diff of the operation at `index`. Beyond the limit, only its digest is stored.
    pub(crate) fn put(&self, index: usize, diff: Vec<u8>) {
        let mut held = self.lock();
        let diff = if held.sum + diff.len() <= MAX {
            StoredDiff::Bytes(diff)
        } else {
            StoredDiff::Digest(Digest::of(&diff))
        };
        held.sum += diff.size();
        held.diffs.insert(index, diff);
    }

    /// Returns the diff of the operation at `index` of `plan`, if it has one. The diff equals the
    /// diff that was first generated.
    ///
    /// # Errors
    ///
    /// Returns an error if the files have changed since, or if a file access fails.
    pub fn diff(
        &self,
        index: usize,
        plan: &Plan,
        workspace: &dyn Workspace,
        options: &Options,
    ) -> io::Result<Option<Vec<u8>>> {
        if let Ok(taken) = self.lock().take(index) {
            return Ok(taken);
        }
        let (groups, places) = self.groups.get_or_init(|| {
            let groups = group::group_operations(plan, options);
            let mut places = vec![0; plan.operations.len()];
            for place in 0..groups.len() {
                for &member in groups.get(place) {
                    places[member] = place;
                }
            }
            (groups, places)
        });
        let (found, _) = group::resolve(
            plan,
            groups.get(places[index]),
            (workspace, &DirectoryCache::default()),
            options,
        )
        .map_err(io::Error::other)?;
        // The other diffs of the group were generated again, too. The following ones are kept,
        // because the diffs are usually displayed in order.
        let mut held = self.lock();
        for (member, findings) in found {
            let diff = findings.outcome.diff.unwrap_or_default();
            if member >= index && !held.renew(member, diff) {
                let path = &plan.operations[member].path;
                return Err(io::Error::other(format!(
                    "{path}: the file changed while it was printed"
                )));
            }
        }
        Ok(held.take(index).unwrap_or_default())
    }

    fn lock(&self) -> MutexGuard<'_, DiffStore> {
        lock_unpoisoned(&self.store)
    }
}

impl DiffStore {
    /// Removes and returns the diff at `index`, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the diff must be generated again.
    fn take(&mut self, index: usize) -> Result<Option<Vec<u8>>, CacheMiss> {
        let Some(diff) = self.diffs.get_mut(&index) else {
            return Ok(None);
        };
        self.sum -= diff.size();
        match diff {
            StoredDiff::Bytes(bytes) => {
                let digest = Digest::of(bytes);
                let StoredDiff::Bytes(bytes) = std::mem::replace(diff, StoredDiff::Digest(digest))
                else {
                    return Err(CacheMiss);
                };
                Ok(Some(bytes))
            }
            StoredDiff::Digest(_) => Err(CacheMiss),
        }
    }

    /// Stores a diff that was generated again. Returns whether it equals the first one.
    fn renew(&mut self, index: usize, bytes: Vec<u8>) -> bool {
        match self.diffs.get_mut(&index) {
            Some(StoredDiff::Digest(digest)) if *digest != Digest::of(&bytes) => return false,
            Some(diff @ StoredDiff::Digest(_)) => {
                self.sum += bytes.len();
                *diff = StoredDiff::Bytes(bytes);
            }
            Some(StoredDiff::Bytes(_)) | None => {}
        }
        true
    }
}

impl StoredDiff {
    fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Digest(_) => 0,
        }
    }
}

impl fmt::Debug for StoredDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Digest(digest) => write!(f, "{digest}"),
        }
    }
}
