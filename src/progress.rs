//! How far a run is, for who shows it to people while it lasts.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::mutex::locked;

/// How far a run is. The default is followed by nobody, and costs nothing.
///
/// Its clones tell of the same run. It is `Send` and `Sync`.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::progress::{Phase, Progress};
/// use wpatch::workspace::memory::Memory;
///
/// let mut request = Request::of("--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+one\n");
/// let progress = Progress::followed();
/// request.look.progress = progress.clone();
/// // Usually another thread asks, while it lasts.
/// assert!(engine::check(request, &Memory::with_files([])).report.ok);
/// let state = progress.state();
/// assert_eq!((state.phase, state.done, state.total), (Phase::Looking, 1, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Progress(Option<Arc<Mutex<State>>>);

/// What a run is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Nothing that is worth a word.
    #[default]
    Beginning,
    /// The patch is read.
    Reading,
    /// Another process holds the lock.
    Waiting,
    /// Files are looked at, and where they change their new contents are staged.
    Looking,
    /// What was staged is put in place.
    Swapping,
    /// What was written is made durable.
    Syncing,
    /// Everything is put back.
    RollingBack,
    /// The history is kept, and scratch goes.
    Sweeping,
    /// `--before` has its say.
    Before,
    /// `--verify` has its say.
    Verifying,
    /// `--after` is told.
    After,
    /// Language servers are asked.
    Asking,
    /// The jobs of a batch are done.
    Jobs,
}

/// How far a run was at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// What it was at.
    pub phase: Phase,
    /// How many were done of what the phase counts.
    pub done: usize,
    /// How many there are; 0 if that is not known, or nothing is counted.
    pub total: usize,
}

impl Progress {
    /// Returns one that counts, for somebody who looks at its [`state`](Self::state).
    #[must_use]
    pub fn followed() -> Self {
        Self(Some(Arc::default()))
    }

    /// Begins `phase`, which has `total` things to count, or 0.
    pub fn enter(&self, phase: Phase, total: usize) {
        if let Some(mut state) = self.held() {
            *state = State {
                phase,
                done: 0,
                total,
            };
        }
    }

    /// Counts `more` that are done.
    pub fn step(&self, more: usize) {
        if let Some(mut state) = self.held() {
            state.done += more;
        }
    }

    /// Returns how far the run is.
    #[must_use]
    pub fn state(&self) -> State {
        self.held().map(|state| *state).unwrap_or_default()
    }

    fn held(&self) -> Option<MutexGuard<'_, State>> {
        self.0.as_ref().map(|state| locked(state))
    }
}
