//! The progress of a request, for display while it runs.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::mutex::lock_unpoisoned;

/// The progress of a request. A default value records nothing and costs nothing.
///
/// Clones share one state. The type is `Send` and `Sync`.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::progress::{Phase, Progress};
/// use wpatch::workspace::memory::Memory;
///
/// let mut request = Request::of("--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+one\n");
/// let progress = Progress::with_state();
/// request.look.progress = progress.clone();
/// // Usually another thread reads the state while the request runs.
/// assert!(engine::check(request, &Memory::with_files([])).report.ok);
/// let state = progress.state();
/// assert_eq!((state.phase, state.done, state.total), (Phase::Resolving, 1, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Progress(Option<Arc<Mutex<ProgressState>>>);

/// The current step of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// No reportable step has started.
    #[default]
    NotStarted,
    /// Reads the patch.
    Reading,
    /// Waits for the lock, which another process holds.
    Waiting,
    /// Computes the changes of the files and stages the new contents.
    Resolving,
    /// Puts the staged files in place.
    Swapping,
    /// Makes the written data durable.
    Syncing,
    /// Rolls the change back.
    RollingBack,
    /// Adds the change to the history and removes the scratch files.
    Sweeping,
    /// Runs the `--before` command.
    RunningBefore,
    /// Runs the `--verify` command.
    Verifying,
    /// Runs the `--after` command.
    RunningAfter,
    /// Waits for language servers.
    WaitingForServers,
    /// Runs the jobs of a batch.
    RunningJobs,
}

/// A snapshot of the progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgressState {
    /// The current step.
    pub phase: Phase,
    /// The number of finished items of the step.
    pub done: usize,
    /// The total number of items, or 0 if it is unknown or nothing is counted.
    pub total: usize,
}

impl Progress {
    /// Returns a progress that records its [`state`](Self::state).
    #[must_use]
    pub fn with_state() -> Self {
        Self(Some(Arc::default()))
    }

    /// Starts `phase` with `total` items, or 0.
    pub fn enter(&self, phase: Phase, total: usize) {
        if let Some(mut state) = self.lock_state() {
            *state = ProgressState {
                phase,
                done: 0,
                total,
            };
        }
    }

    /// Adds `more` finished items.
    pub fn step(&self, more: usize) {
        if let Some(mut state) = self.lock_state() {
            state.done += more;
        }
    }

    /// Returns the current state, or the default state if nothing is recorded.
    #[must_use]
    pub fn state(&self) -> ProgressState {
        self.lock_state().map(|state| *state).unwrap_or_default()
    }

    fn lock_state(&self) -> Option<MutexGuard<'_, ProgressState>> {
        self.0.as_ref().map(|state| lock_unpoisoned(state))
    }
}
