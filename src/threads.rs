//! Work for several threads, where there may be several.
//!
//! A limit on their number is no reason to fail: one thread does all of the work then, see `RLIMIT_NPROC` in
//! getrlimit(2) and `pids.max` of cgroups.

use std::error::Error;
use std::panic::resume_unwind;
use std::sync::{Mutex, OnceLock};
use std::{iter, thread};

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::mutex::locked;

/// Bytes from which on a second thread is worth its start.
pub(crate) const LARGE: usize = 1 << 20;

/// Does `work` for each number below `count`, in any order; the first error ends it. To start threads for one would cost
/// more than most work.
pub(crate) fn try_each<E: Send>(count: usize, work: impl Fn(usize) -> Result<(), E> + Send + Sync) -> Result<(), E> {
    if count > 1 && are_several() {
        (0..count).into_par_iter().try_for_each(work)
    } else {
        (0..count).try_for_each(work)
    }
}

/// Does `work` for each of `items`, in any order, by two threads where there may be two: each takes the next one, as the
/// second thread often starts late. An error ends the work of the one that met it; the other one goes on.
pub(crate) fn try_take<T, E: Send>(
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let items = Mutex::new(items);
    let take = || locked(&items).next();
    let work = || iter::from_fn(take).try_for_each(&work);
    // Not in the pool of threads: one that waits there would begin with something else meanwhile.
    let (here, there) = both(work, work);
    here.and(there)
}

/// Returns what `work` makes of each of `items`, in their order; no thread is given fewer than `least` of them.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], least: usize, work: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    if items.len() / 2 >= least && are_several() {
        items.par_iter().with_min_len(least).map(work).collect()
    } else {
        items.iter().map(work).collect()
    }
}

/// Returns whether `is_one` holds for any of `items`; no thread is given fewer than `least` of them.
pub(crate) fn any<T: Sync>(items: &[T], least: usize, is_one: impl Fn(&T) -> bool + Send + Sync) -> bool {
    if items.len() / 2 >= least && are_several() {
        items.par_iter().with_min_len(least).any(is_one)
    } else {
        items.iter().any(is_one)
    }
}

/// Returns what both make, the second one in a thread of its own where there may be one more.
pub(crate) fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl Fn() -> B + Sync) -> (A, B) {
    thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, &second) {
        Ok(handle) => (first(), handle.join().unwrap_or_else(|panic| resume_unwind(panic))),
        Err(_) => (first(), second()),
    })
}

/// Returns what both make, by [`both`] if it is about at least [`LARGE`] bytes.
pub(crate) fn both_of<A, B: Send>(bytes: usize, first: impl FnOnce() -> A, second: impl Fn() -> B + Sync) -> (A, B) {
    if bytes < LARGE { (first(), second()) } else { both(first, second) }
}

/// Returns whether there is a pool of threads, and starts it if there is none yet.
fn are_several() -> bool {
    static ARE_SEVERAL: OnceLock<bool> = OnceLock::new();
    let start = || match ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // Without a cause, somebody has started it before; of a host that failed to do that nothing can be known.
        Err(error) => error.source().is_none(),
    };
    rayon::current_thread_index().is_some() || *ARE_SEVERAL.get_or_init(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_work_is_done_once_and_in_order_where_that_matters() {
        let items: Vec<usize> = (0..1000).collect();
        assert_eq!(map(&items, 10, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(any(&items, 10, |&item| item == 700) && !any(&items, 10, |&item| item == 1000));
        let mut counted = vec![0; 1000];
        let count = |count: &mut i32| {
            *count += 1;
            Ok::<_, ()>(())
        };
        assert_eq!(try_take(counted.iter_mut(), count), Ok(()));
        assert!(counted.iter().all(|&count| count == 1));
        assert_eq!(try_take(0..1000, |number| if number == 700 { Err(number) } else { Ok(()) }), Err(700));
        assert_eq!(try_each(1000, |number| if number == 700 { Err(number) } else { Ok(()) }), Err(700));
        assert_eq!(both(|| 1, || 2), (1, 2));
        let here = thread::current().id();
        let there = |bytes| both_of(bytes, || 1, || thread::current().id());
        assert_eq!(there(LARGE - 1), (1, here));
        assert_ne!(there(LARGE), (1, here));
    }
}
