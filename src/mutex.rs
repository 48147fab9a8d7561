//! Locks mutexes without regard to poisoning: a panic of an earlier holder is ignored.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock_unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
