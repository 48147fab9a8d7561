//! Caches facts about directories.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::calls::{MAX_AGE, SysResult};
use crate::mutex::lock_unpoisoned;

/// The limit on the number of cached directories. Each thread usually works in only one directory.
const MAX_DIRECTORIES: usize = 4;

/// Facts about some directories, cached together with a handle of each.
#[derive(Debug)]
pub(super) struct PerDirectoryCache<H, T>(Mutex<Vec<CachedFacts<H, T>>>);

/// The handle of a directory, the time when its facts were read, and the facts.
type CachedFacts<H, T> = (Arc<H>, Instant, Arc<T>);

impl<H, T> Default for PerDirectoryCache<H, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<H, T> PerDirectoryCache<H, T> {
    /// Returns the cached value for `directory`, or computes it with `compute`.
    pub(super) fn get(
        &self,
        directory: &Arc<H>,
        compute: impl FnOnce(&H) -> SysResult<T>,
    ) -> SysResult<Arc<T>> {
        // The cache owns a clone of the handle, so no other directory can have the same pointer.
        let is_it = |(known, _, _): &&(Arc<H>, Instant, Arc<T>)| Arc::ptr_eq(known, directory);
        let known = lock_unpoisoned(&self.0)
            .iter()
            .find(is_it)
            .map(|(_, since, found)| (*since, Arc::clone(found)));
        if let Some((_, found)) = known.filter(|(since, _)| since.elapsed() <= MAX_AGE) {
            return Ok(found);
        }
        let since = Instant::now();
        let found = Arc::new(compute(directory)?);
        let mut kept = lock_unpoisoned(&self.0);
        kept.retain(|known| !is_it(&known));
        kept.truncate(MAX_DIRECTORIES - 1);
        kept.insert(0, (Arc::clone(directory), since, Arc::clone(&found)));
        Ok(found)
    }

    /// Closes the cached handles.
    pub(super) fn forget(&self) {
        lock_unpoisoned(&self.0).clear();
    }
}
