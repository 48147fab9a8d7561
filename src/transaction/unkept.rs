//! The reason why a change is not in the history, and the remedy.

/// The reason why no history is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoHistoryReason {
    /// The reason as text.
    pub reason: String,
    /// The remedy.
    pub remedy: Remedy,
    /// Whether a warning of the transaction already contains the reason.
    pub is_warned: bool,
}

/// The remedy if no history is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// `wpatch init` creates a permanent state directory.
    Init,
    /// The reason contains the remedy.
    Named,
}

impl NoHistoryReason {
    /// Returns `reason` with the remedy `wpatch init` and without a warning.
    pub(super) fn new(reason: String) -> Self {
        Self {
            reason,
            remedy: Remedy::Init,
            is_warned: false,
        }
    }
}
