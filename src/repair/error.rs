//! The reasons why a hunk cannot be placed.

/// The reason why a hunk cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlacementError {
    /// No reading of the hunk matches.
    NotFound,
    /// The hunk matches at these lines, counted from 0.
    Ambiguous(Vec<usize>),
    /// The result of the hunk is already at this line, counted from 0.
    AlreadyApplied(usize),
    /// The hunk matches at this line, counted from 0, but the indentation of its new lines is not
    /// certain.
    Indentation(usize),
    /// Another hunk changes the same lines.
    Overlap,
    /// The hunk changes nothing.
    NoChange,
    /// The hunk would insert an elision marker.
    Elided,
    /// The last lines can be text after the hunk, or lines of the hunk.
    DoubtfulTail,
    /// The hunk is truncated.
    Truncated(CountMismatch),
    /// A typographic character of a new line can be intended, or can replace an ASCII character of
    /// the file.
    Typography,
    /// A line of the hunk at this line of the patch can be an insertion, or context without its
    /// leading space.
    DoubtfulSign(usize),
    /// The search would exceed the budget.
    BudgetExceeded,
}

/// The header counts more lines than the hunk contains, so the patch is truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CountMismatch {
    /// The numbers of preimage and postimage lines in the header.
    pub(super) stated: (usize, usize),
    /// The numbers of preimage and postimage lines in the patch.
    pub(super) found: (usize, usize),
}
