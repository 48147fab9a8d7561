//! Work for several threads, where there may be several.
//!
//! A limit on their number is no reason to fail: one thread does all of the work then, see
//! `RLIMIT_NPROC` in getrlimit(2) and `pids.max` of cgroups.

use std::cmp::Ordering;
use std::error::Error;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, mpsc};
use std::{iter, thread};

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use serde::ser::{Error as _, Serialize, SerializeSeq, Serializer};
use serde_json::value::to_raw_value;

use crate::mutex::locked;

/// Bytes from which on a second thread is worth its start.
pub(crate) const LARGE: usize = 1 << 20;
/// So many items are worth a second thread, if each takes no longer than a system call or two.
pub(crate) const MANY: usize = 1 << 10;
/// So many items are made texts at a time, while those before them are written.
const WRITTEN: usize = 1 << 11;
/// Items that are handed over to another thread at once.
const HANDED: usize = 64;

/// Does `work` for each number below `count`, in any order; the first error ends it. To start
/// threads for one would cost more than most work.
pub(crate) fn try_each<E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<(), E> + Send + Sync,
) -> Result<(), E> {
    if count > 1 && are_several() {
        (0..count).into_par_iter().try_for_each(work)
    } else {
        (0..count).try_for_each(work)
    }
}

/// Does `work` for each of `items`, in any order, by two threads where there may be two: each takes
/// the next one, as the second thread often starts late. An error ends the work of the one that met
/// it; the other one goes on.
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

/// Returns what `work` makes of each of `items`, in their order; no thread is given fewer than
/// `least` of them.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    least: usize,
    work: impl Fn(&T) -> R + Send + Sync,
) -> Vec<R> {
    if are_shared(items.len(), least) {
        items.par_iter().with_min_len(least).map(work).collect()
    } else {
        items.iter().map(work).collect()
    }
}

/// Returns what `work` makes of each number below `count`, in their order; each thread begins with
/// what `start` makes, and none is given fewer than `least` of them.
pub(crate) fn map_numbers<S, R: Send>(
    count: usize,
    least: usize,
    start: impl Fn() -> S + Send + Sync,
    work: impl Fn(&mut S, usize) -> R + Send + Sync,
) -> Vec<R> {
    if are_shared(count, least) {
        (0..count)
            .into_par_iter()
            .with_min_len(least)
            .map_init(start, work)
            .collect()
    } else {
        let mut state = start();
        (0..count).map(|number| work(&mut state, number)).collect()
    }
}

/// Returns whether `is_one` holds for any of `items`; no thread is given fewer than `least` of
/// them.
pub(crate) fn any<T: Sync>(
    items: &[T],
    least: usize,
    is_one: impl Fn(&T) -> bool + Send + Sync,
) -> bool {
    if are_shared(items.len(), least) {
        items.par_iter().with_min_len(least).any(is_one)
    } else {
        items.iter().any(is_one)
    }
}

/// Does `first` for each of `items` here, in their order, and `second` for what came of it: behind
/// it in another thread, if there are at least `least` items and there may be one more. An error of
/// `second` ends both, and counts: it is about what was done before. After an error of `first` all
/// that was done before it is still looked at.
pub(crate) fn in_turn<'t, T: Sync, R: Send, E: Send>(
    items: &'t [T],
    least: usize,
    mut first: impl FnMut(&'t T) -> Result<R, E>,
    second: impl Fn(R) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let is_stopped = &AtomicBool::new(false);
    let (hand, handed) = mpsc::channel::<Vec<R>>();
    let follow = || {
        let followed = handed.into_iter().flatten().try_for_each(&second);
        is_stopped.store(followed.is_err(), Relaxed);
        followed
    };
    thread::scope(|scope| {
        let follower =
            (items.len() >= least).then(|| thread::Builder::new().spawn_scoped(scope, follow));
        let Some(Ok(follower)) = follower else {
            return items.iter().try_for_each(|item| second(first(item)?));
        };
        let mut lead = move || {
            for part in items
                .chunks(HANDED)
                .take_while(|_| !is_stopped.load(Relaxed))
            {
                let mut done = Vec::with_capacity(part.len());
                let led = part
                    .iter()
                    .try_for_each(|item| first(item).map(|it| done.push(it)));
                // Who takes none any more has met an error.
                let _ = hand.send(done);
                led?;
            }
            Ok(())
        };
        let here = lead();
        // What was handed over ends here.
        drop(lead);
        follower
            .join()
            .unwrap_or_else(|panic| resume_unwind(panic))
            .and(here)
    })
}

/// Writes `items` as a list, for serde's `serialize_with`. The texts of many are made in several
/// threads, some at a time, so that never all of them are in memory; the serializer has to be one
/// of `serde_json` then.
pub(crate) fn serialize<T: Serialize + Sync, S: Serializer>(
    items: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if items.len() < MANY {
        return serializer.collect_seq(items);
    }
    let texts = |some: &[T]| map(some, WRITTEN / 8, to_raw_value);
    let mut list = serializer.serialize_seq(Some(items.len()))?;
    let mut next = texts(&items[..WRITTEN.min(items.len())]);
    for start in (WRITTEN..items.len() + WRITTEN).step_by(WRITTEN) {
        let mut write = |text: Result<_, serde_json::Error>| {
            list.serialize_element(&text.map_err(S::Error::custom)?)
        };
        let some = items
            .get(start..)
            .map_or(&[][..], |rest| &rest[..WRITTEN.min(rest.len())]);
        let (written, behind) = both(|| next.into_iter().try_for_each(&mut write), || texts(some));
        written?;
        next = behind;
    }
    list.end()
}

/// Sorts `items`, of which equal ones may change places.
pub(crate) fn sort<T: Send>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
    if items.len() >= MANY && are_several() {
        items.par_sort_unstable_by(compare);
    } else {
        items.sort_unstable_by(compare);
    }
}

/// Returns what both make, the second one in a thread of its own where there may be one more.
pub(crate) fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl Fn() -> B + Sync) -> (A, B) {
    thread::scope(
        |scope| match thread::Builder::new().spawn_scoped(scope, &second) {
            Ok(handle) => (
                first(),
                handle.join().unwrap_or_else(|panic| resume_unwind(panic)),
            ),
            Err(_) => (first(), second()),
        },
    )
}

/// Leaves `work` to a thread that nobody waits for, where there may be one more; else it is not
/// done.
pub(crate) fn leave(work: impl FnOnce() + Send + 'static) {
    drop(thread::Builder::new().spawn(work));
}

/// Returns what both make, by [`both`] if it is about at least [`LARGE`] bytes.
pub(crate) fn both_of<A, B: Send>(
    bytes: usize,
    first: impl FnOnce() -> A,
    second: impl Fn() -> B + Sync,
) -> (A, B) {
    if bytes < LARGE {
        (first(), second())
    } else {
        both(first, second)
    }
}

/// Returns whether `count` items are work for several threads, of which none is given fewer than
/// `least`.
fn are_shared(count: usize, least: usize) -> bool {
    count / 2 >= least && are_several()
}

/// Returns whether there is a pool of threads, and starts it if there is none yet.
fn are_several() -> bool {
    static ARE_SEVERAL: OnceLock<bool> = OnceLock::new();
    let start = || match ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // Without a cause, somebody has started it before; of a host that failed to do that nothing
        // can be known.
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
        assert_eq!(
            map(&items, 10, |item| item * 2),
            items.iter().map(|item| item * 2).collect::<Vec<_>>()
        );
        for least in [10, 2000] {
            let counted = map_numbers(
                1000,
                least,
                || 0,
                |count, number| (std::mem::replace(count, number + 1), number),
            );
            assert!(
                counted
                    .iter()
                    .enumerate()
                    .all(|(index, &(before, number))| number == index
                        && [0, index].contains(&before))
            );
        }
        assert!(any(&items, 10, |&item| item == 700) && !any(&items, 10, |&item| item == 1000));
        let mut counted = vec![0; 1000];
        let count = |count: &mut i32| {
            *count += 1;
            Ok::<_, ()>(())
        };
        assert_eq!(try_take(counted.iter_mut(), count), Ok(()));
        assert!(counted.iter().all(|&count| count == 1));
        assert_eq!(
            try_take(0..1000, |number| if number == 700 {
                Err(number)
            } else {
                Ok(())
            }),
            Err(700)
        );
        assert_eq!(
            try_each(1000, |number| if number == 700 {
                Err(number)
            } else {
                Ok(())
            }),
            Err(700)
        );
        for (least, until) in [(0, 1000), (0, 700), (2000, 700), (2000, 1000)] {
            let (mut first, followed) = (Vec::new(), Mutex::new(Vec::new()));
            let lead = |&item: &usize| {
                first.push(item);
                if item == 999 && until == 1000 {
                    Err(item)
                } else {
                    Ok(item * 2)
                }
            };
            let follow = |doubled: usize| {
                locked(&followed).push(doubled / 2);
                if doubled == until * 2 {
                    Err(until)
                } else {
                    Ok(())
                }
            };
            assert_eq!(in_turn(&items, least, lead, follow), Err(until.min(999)));
            let followed = followed.into_inner().unwrap();
            assert!(items.starts_with(&first) && first.starts_with(&followed));
            assert_eq!(followed.last() == Some(&until), until == 700);
        }
        let mut sorted: Vec<_> = (0..2 * MANY).rev().collect();
        sort(&mut sorted, Ord::cmp);
        assert_eq!(sorted, (0..2 * MANY).collect::<Vec<_>>());
        assert_eq!(both(|| 1, || 2), (1, 2));
        for count in [0, 1, MANY - 1, MANY, 5 * WRITTEN + 1] {
            let items: Vec<_> = (0..count).map(|number| format!("\u{7f}{number}")).collect();
            let mut text = Vec::new();
            serialize(&items, &mut serde_json::Serializer::new(&mut text)).unwrap();
            assert!(text == serde_json::to_vec(&items).unwrap(), "{count}");
        }
        let here = thread::current().id();
        let there = |bytes| both_of(bytes, || 1, || thread::current().id());
        assert_eq!(there(LARGE - 1), (1, here));
        assert_ne!(there(LARGE), (1, here));
    }
}
