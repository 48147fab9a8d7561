//! The numbers of scratch files, which determine their buckets.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Failure;
use super::scratch::{BUCKET_SIZE, FIRST_BUCKETED, Scratch};
use crate::mutex::lock_unpoisoned;
use crate::workspace::Workspace;

/// Allocates each number once.
#[derive(Debug, Default)]
pub(super) struct FileNumbers {
    /// The next number outside the buckets.
    next: AtomicUsize,
    buckets: Mutex<Buckets>,
}

/// The numbers in buckets. Only one thread at a time uses a bucket.
#[derive(Debug, Default)]
struct Buckets {
    /// The unused numbers of buckets that no thread is using.
    free: Vec<Range<usize>>,
    /// The number of buckets.
    count: usize,
}

/// An allocated number. While it is held, no other thread gets a number from its bucket.
pub(super) struct AllocatedNumber<'n> {
    pub(super) value: usize,
    /// The remaining numbers of the bucket.
    rest: Range<usize>,
    numbers: &'n FileNumbers,
}

impl FileNumbers {
    /// Returns an unused number. Creates the bucket in `scratch` if the number is the first one
    /// there.
    pub(super) fn take(
        &self,
        workspace: &dyn Workspace,
        scratch: &Scratch,
    ) -> Result<AllocatedNumber<'_>, Failure> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        // A small transaction needs no bucket, and so no extra directory.
        if first < BUCKET_SIZE {
            return Ok(AllocatedNumber {
                value: first,
                rest: 0..0,
                numbers: self,
            });
        }
        let (numbers, is_new) = lock_unpoisoned(&self.buckets).take();
        if is_new {
            scratch.make_bucket(workspace, numbers.start)?;
        }
        Ok(AllocatedNumber {
            value: numbers.start,
            rest: numbers.start + 1..numbers.end,
            numbers: self,
        })
    }
}

impl Buckets {
    /// Returns the unused numbers of a bucket, and whether the bucket is new.
    fn take(&mut self) -> (Range<usize>, bool) {
        if let Some(rest) = self.free.pop() {
            return (rest, false);
        }
        let first = FIRST_BUCKETED + self.count * BUCKET_SIZE;
        self.count += 1;
        (first..first + BUCKET_SIZE, true)
    }
}

impl Drop for AllocatedNumber<'_> {
    fn drop(&mut self) {
        if !self.rest.is_empty() {
            lock_unpoisoned(&self.numbers.buckets)
                .free
                .push(self.rest.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::RelPath;
    use crate::workspace::DirectoryPermissions;
    use crate::workspace::memory::Memory;

    #[test]
    fn each_number_is_given_once_and_each_bucket_to_one_at_a_time() {
        let (memory, numbers) = (Memory::default(), FileNumbers::default());
        let home = RelPath::new(b"t").unwrap();
        memory
            .make_dir(&home, DirectoryPermissions::Private)
            .unwrap();
        let scratch = Scratch::for_entry(home.clone(), "1");
        let take = || numbers.take(&memory, &scratch).unwrap();
        let flat: Vec<_> = (0..BUCKET_SIZE).map(|_| take().value).collect();
        assert_eq!(flat, (0..BUCKET_SIZE).collect::<Vec<_>>());
        assert_eq!(memory.list(Some(&home)).unwrap().len(), 0);
        let (one, other) = (take(), take());
        assert_eq!(
            (one.value, other.value),
            (FIRST_BUCKETED, FIRST_BUCKETED + BUCKET_SIZE)
        );
        drop(one);
        let mut all: Vec<_> = (0..3 * BUCKET_SIZE).map(|_| take().value).collect();
        all.extend([FIRST_BUCKETED, other.value]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(
            (all.len(), memory.list(Some(&home)).unwrap().len()),
            (3 * BUCKET_SIZE + 2, 5)
        );
    }
}
