//! Parallel work: [`map_parallel`] processes the items of a list. [`run_both`] and [`run_both_mut`] run two
//! functions at the same time.
//!
//! Only modules above the pure layers use it. No result depends on the number of threads.
//!
//! [`map_parallel`] uses rayon's global pool, which starts at the first use. A small change never starts it.
//! A pool thread that waits for other pool threads runs further jobs. It still holds the locks and
//! the memory of its first job then. Inside the pool, [`map_parallel`] therefore uses only the caller's
//! thread, and [`run_both`] starts a thread of its own.
//!
//! If no thread can be started (`RLIMIT_NPROC`, see getrlimit(2), or `pids.max` of a cgroup), the
//! caller's thread does all the work.

use std::error::Error;
use std::panic::resume_unwind;
use std::sync::{Mutex, OnceLock};
use std::{process, thread};

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::mutex::lock_unpoisoned;

/// The number of bytes from which a second thread saves more time than it costs to start.
pub(crate) const MIN_PARALLEL_BYTES: usize = 1 << 20;
/// The number of items from which a second thread saves time if each item takes a few system calls.
pub(crate) const MIN_PARALLEL_ITEMS: usize = 1 << 10;

/// The number of parts of a list. With many parts, all threads end at about the same time.
const PARTS: usize = 64;

/// Returns the results of `work` for `items`, in the same order. Each thread receives at least
/// `min_items` items.
pub(crate) fn map_parallel<T: Sync, R: Send>(
    items: &[T],
    min_items: usize,
    work: impl Fn(&T) -> R + Send + Sync,
) -> Vec<R> {
    let is_inside = rayon::current_thread_index().is_some();
    // Two threads need at least `2 * min_items` items.
    if items.len() / 2 >= min_items && !is_inside && has_pool() {
        // Without a maximum, rayon makes few parts, and the last one often runs while the other
        // threads have nothing to do.
        let max_items = (items.len() / PARTS).max(min_items);
        items
            .par_iter()
            .with_min_len(min_items)
            .with_max_len(max_items)
            .map(work)
            .collect()
    } else {
        items.iter().map(work).collect()
    }
}

/// Returns the results of `first` and `second`. They run at the same time if they process at least
/// [`MIN_PARALLEL_BYTES`] `bytes`.
pub(crate) fn run_both<A, B: Send>(
    bytes: usize,
    first: impl FnOnce() -> A,
    second: impl Fn() -> B + Sync,
) -> (A, B) {
    if bytes < MIN_PARALLEL_BYTES {
        return (first(), second());
    }
    thread::scope(
        |scope| match thread::Builder::new().spawn_scoped(scope, &second) {
            Ok(handle) => (
                // `spawn_scoped` takes `&second`, so the caller can still run it if the thread does
                // not start.
                first(),
                handle.join().unwrap_or_else(|panic| resume_unwind(panic)),
            ),
            Err(_) => (first(), second()),
        },
    )
}

/// Runs two functions that change what they capture, in the same way as [`run_both`].
pub(crate) fn run_both_mut(
    bytes: usize,
    first: &mut dyn FnMut(),
    second: &mut (dyn FnMut() + Send),
) {
    let second = Mutex::new(second);
    run_both(bytes, first, || lock_unpoisoned(&second)());
}

/// Returns whether rayon's global pool is available. The first call starts it.
///
/// A process that fork(2) created has the pool of its parent, but not the threads.
fn has_pool() -> bool {
    /// The process that started the pool, if it could be started.
    static STARTED_BY: OnceLock<Option<u32>> = OnceLock::new();
    let start = || match ThreadPoolBuilder::new().build_global() {
        Ok(()) => Some(process::id()),
        // rayon returns an error without a source if the host program has already built the pool.
        // That pool may have failed to start; rayon does not report this.
        Err(error) => error.source().is_none().then(process::id),
    };
    *STARTED_BY.get_or_init(start) == Some(process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled: Vec<usize> = (0..1000).map(|item| item * 2).collect();
        for least in [1, 10, 2000] {
            assert_eq!(
                map_parallel(&items, least, |item| item * 2),
                doubled,
                "{least}"
            );
        }
    }

    #[test]
    fn only_large_work_is_done_by_other_threads() {
        let here = thread::current().id();
        let ids = |bytes| run_both(bytes, || thread::current().id(), || thread::current().id());
        assert_eq!(ids(MIN_PARALLEL_BYTES - 1), (here, here));
        assert_eq!(run_both(MIN_PARALLEL_BYTES, || 1, || 2), (1, 2));
        assert_ne!(ids(MIN_PARALLEL_BYTES).1, here);
    }
}
