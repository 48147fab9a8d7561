//! Why a change is in no history, and what helps.

/// Why no history is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unkept {
    /// The reason, in words.
    pub reason: String,
    /// What helps.
    pub remedy: Remedy,
    /// Whether a warning of the transaction states the reason.
    pub is_warned: bool,
}

/// What helps if no history is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// `wpatch init` creates a place for one.
    Init,
    /// The reason names it.
    Named,
}

impl Unkept {
    /// Returns `reason`, where `wpatch init` helps and no warning states it.
    pub(super) fn new(reason: String) -> Self {
        Self {
            reason,
            remedy: Remedy::Init,
            is_warned: false,
        }
    }
}
