//! Keeps the contents of files before and after each operation, for a caller that needs them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::mutex::lock_unpoisoned;
use crate::text::Bytes;

/// The contents before and after an operation.
pub type ContentPair = [Option<Arc<Bytes>>; 2];

/// The contents of all operations, in the form of the repository as `git diff` shows them.
#[derive(Debug, Default)]
pub struct KeptContents(Mutex<HashMap<usize, ContentPair>>);

impl KeptContents {
    /// Adds the contents of the operation at `index`.
    pub(super) fn put(&self, index: usize, contents: ContentPair) {
        lock_unpoisoned(&self.0).insert(index, contents);
    }

    /// Returns the contents of the operation at `index`.
    #[must_use]
    pub fn contents(&self, index: usize) -> ContentPair {
        lock_unpoisoned(&self.0)
            .get(&index)
            .cloned()
            .unwrap_or_default()
    }
}
