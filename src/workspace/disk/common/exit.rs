//! Ends the process at a chosen verb, for tests: `--cfg wpatch_exit_at_verb` compiles it.

use std::env;
use std::process;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of a verb that changes something, from 1. The process ends before it runs the verb.
const VARIABLE: &str = "WPATCH_EXIT_AT_VERB";

/// The verbs that change nothing. They are not counted: between two changes, every moment is the
/// same to the next process.
const READING_VERBS: &[&str] = &["stat", "read", "read link", "list", "open"];

/// Counts a verb. If it is the chosen one, ends the process as a kill does: nothing is cleaned up.
pub(super) fn count_verb(verb: &str) {
    static CHOSEN: LazyLock<Option<usize>> =
        LazyLock::new(|| env::var(VARIABLE).ok()?.parse().ok());
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    if READING_VERBS.contains(&verb) {
        return;
    }
    let count = COUNT.fetch_add(1, Ordering::SeqCst) + 1;
    if *CHOSEN == Some(count) {
        process::abort();
    }
}
