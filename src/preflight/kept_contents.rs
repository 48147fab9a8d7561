//! Keeps the contents of files before and after each operation, for a caller that needs them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use crate::mutex::lock_unpoisoned;
use crate::text::Bytes;

/// The contents before and after an operation.
pub type ContentPair = [Option<Arc<Bytes>>; 2];

/// The contents of all operations, in the form of the repository as `git diff` shows them.
#[derive(Debug)]
pub struct KeptContents {
    contents: Mutex<HashMap<usize, ContentPair>>,
    /// The number of bytes that can still be kept. Negative after the limit was exceeded.
    left: AtomicI64,
}

impl KeptContents {
    /// Creates an empty store for at most `limit` bytes of new contents.
    #[must_use]
    pub fn with_limit(limit: u64) -> Self {
        Self {
            contents: Mutex::default(),
            left: AtomicI64::new(i64::try_from(limit).unwrap_or(i64::MAX)),
        }
    }

    /// Adds the contents of the operation at `index`, unless the limit is exceeded. An old content
    /// is usually the new one of an earlier operation.
    pub(super) fn put(&self, index: usize, contents: ContentPair) {
        let size = contents[1].as_ref().map_or(0, |content| content.len());
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        if self.left.fetch_sub(size, Ordering::Relaxed) >= size {
            lock_unpoisoned(&self.contents).insert(index, contents);
        }
    }

    /// Returns whether contents are missing because of the limit.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.left.load(Ordering::Relaxed) < 0
    }

    /// Returns the contents of the operation at `index`.
    #[must_use]
    pub fn contents(&self, index: usize) -> ContentPair {
        lock_unpoisoned(&self.contents)
            .get(&index)
            .cloned()
            .unwrap_or_default()
    }
}
