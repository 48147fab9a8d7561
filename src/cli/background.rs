//! A thread that runs beside the work of a command.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::mutex::lock_unpoisoned;

/// A thread beside the work of a command. Dropping this value states that the work is over, and
/// waits for the end of the thread.
pub(super) struct Background {
    end: Arc<WorkEnd>,
    /// `None` if no thread could be started.
    thread: Option<JoinHandle<()>>,
}

/// Tells the thread whether the work is over.
#[derive(Default)]
pub(super) struct WorkEnd {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl WorkEnd {
    /// Waits until the work is over, or for `time`. Returns whether the work is over.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let held = lock_unpoisoned(&self.is_over);
        *self
            .changed
            .wait_timeout_while(held, time, |is_over| !*is_over)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }
}

impl Background {
    /// Runs `run` in a thread. It must return soon after the end of the work.
    pub(super) fn start(run: impl FnOnce(&WorkEnd) + Send + 'static) -> Self {
        let end = Arc::<WorkEnd>::default();
        let shared = Arc::clone(&end);
        Self {
            end,
            thread: thread::Builder::new().spawn(move || run(&shared)).ok(),
        }
    }

    /// Returns `None` if the thread could not be started.
    pub(super) fn if_running(self) -> Option<Self> {
        self.thread.is_some().then_some(self)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        *lock_unpoisoned(&self.end.is_over) = true;
        self.end.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread does not fail the command.
            let _ = thread.join();
        }
    }
}
