//! The questions of a review, and its end.

use crate::engine::options::HunkSelection;

/// A question that the reviewer must answer before the review continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// The reason of a rejection, as free text.
    Reason,
    /// The text to search for.
    Search,
    /// What happens to the parts without a decision: accept them, or reject them.
    Undecided { count: usize, goal: Goal },
    /// Whether the review ends in this way.
    Confirm { text: String, ending: ReviewEnd },
}

/// What the reviewer wants to do with the accepted part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Apply,
    Save,
}

/// The end of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReviewEnd {
    /// Apply the selected part; `None` selects the whole patch.
    Apply {
        only: Option<HunkSelection>,
        plan_id: String,
    },
    /// Save the selected part as a plan.
    Save {
        only: Option<HunkSelection>,
        plan_id: String,
    },
    /// Reject the patch.
    Reject,
    /// Do nothing.
    Quit,
    /// A signal ended the review.
    Signal(i32),
}

impl Question {
    /// Returns the text of the question.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Reason => "reason: ".to_owned(),
            Self::Search => "search: ".to_owned(),
            Self::Undecided { count, .. } => {
                let hunks = if *count == 1 {
                    "hunk has"
                } else {
                    "hunks have"
                };
                format!("{count} {hunks} no decision: accept (a), reject (n), or go back (b)? ")
            }
            Self::Confirm { text, .. } => format!("{text} (y/n) "),
        }
    }

    /// Returns whether the question is whether to end without a result.
    pub(super) fn is_about_quitting(&self) -> bool {
        matches!(
            self,
            Self::Confirm {
                ending: ReviewEnd::Quit,
                ..
            }
        )
    }

    /// Returns whether the answer is a single letter.
    pub(super) fn is_choice(&self) -> bool {
        matches!(self, Self::Undecided { .. } | Self::Confirm { .. })
    }
}
