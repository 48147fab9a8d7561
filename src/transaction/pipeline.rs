//! Runs two steps over a list: the second step follows the first in another thread.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

/// The number of items per message to the other thread.
const BATCH: usize = 64;

/// Runs `first` for each of `items` in this thread, in order, and `second` for each result. With at
/// least `least` items another thread runs `second`, if it can be started.
///
/// # Errors
///
/// An error of `second` ends both steps. It is returned even if `first` fails too, because it
/// concerns an earlier item. After an error of `first`, `second` still runs for all earlier
/// results.
pub(super) fn run_pipeline<'t, T: Sync, R: Send, E: Send>(
    items: &'t [T],
    min_items: usize,
    mut first: impl FnMut(&'t T) -> Result<R, E>,
    second: impl Fn(R) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let is_stopped = &AtomicBool::new(false);
    // The channel has no limit. It holds at most one small result per item, and `items` is already
    // in memory. A limit would make `first` wait for the other thread.
    let (sender, receiver) = mpsc::channel::<Vec<R>>();
    let follow = || {
        let followed = receiver.into_iter().flatten().try_for_each(&second);
        is_stopped.store(followed.is_err(), Relaxed);
        followed
    };
    thread::scope(|scope| {
        let follower =
            (items.len() >= min_items).then(|| thread::Builder::new().spawn_scoped(scope, follow));
        let Some(Ok(follower)) = follower else {
            return items.iter().try_for_each(|item| second(first(item)?));
        };
        let mut lead = move || {
            for part in items
                .chunks(BATCH)
                .take_while(|_| !is_stopped.load(Relaxed))
            {
                let mut done = Vec::with_capacity(part.len());
                let started = part
                    .iter()
                    .try_for_each(|item| first(item).map(|it| done.push(it)));
                // `send` fails only if the receiver has ended with an error, which `join` returns
                // below.
                let _ = sender.send(done);
                started?;
            }
            Ok(())
        };
        let here = lead();
        // Dropping the sender closes the channel, so that the follower ends.
        drop(lead);
        follower
            .join()
            .unwrap_or_else(|panic| resume_unwind(panic))
            .and(here)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::mutex::lock_unpoisoned;

    #[test]
    fn the_second_step_ends_at_the_first_error_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        for (least, until) in [(0, 1000), (0, 700), (2000, 700), (2000, 1000)] {
            let (mut started, followed) = (Vec::new(), Mutex::new(Vec::new()));
            let lead = |&item: &usize| {
                started.push(item);
                if item == 999 && until == 1000 {
                    Err(item)
                } else {
                    Ok(item * 2)
                }
            };
            let follow = |doubled: usize| {
                lock_unpoisoned(&followed).push(doubled / 2);
                if doubled == until * 2 {
                    Err(until)
                } else {
                    Ok(())
                }
            };
            assert_eq!(
                run_pipeline(&items, least, lead, follow),
                Err(until.min(999))
            );
            let followed = followed.into_inner().unwrap();
            assert!(items.starts_with(&started) && started.starts_with(&followed));
            assert_eq!(followed.last() == Some(&until), until == 700);
        }
    }
}
