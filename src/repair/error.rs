//! The reasons why a chunk is not placed.

/// Why a chunk is not placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlacementError {
    /// No reading of the chunk fits.
    NotFound,
    /// The chunk fits at these lines, counted from 0.
    Ambiguous(Vec<usize>),
    /// The result of the chunk is at this line already.
    Applied(usize),
    /// The indentation of the new lines is unknown at this line.
    Depth(usize),
    /// Another chunk changes the same lines.
    Overlap,
    /// The chunk changes nothing.
    Nothing,
    /// The chunk would write a placeholder for other lines.
    Elided,
    /// Lines after the chunk can be text, or lines of the chunk.
    Tail,
    /// The chunk is cut off.
    Cut(Shortage),
    /// A typographic character of a new line can be intended, or can stand for an ASCII character
    /// of the file.
    Typography,
    /// This line of the patch can be an insertion, or context without its blank.
    Sign(usize),
    /// The search would exceed the budget.
    TooMuch,
}

/// Fewer lines below a header than the header counts: the patch is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shortage {
    /// How many old and new lines the header counts.
    pub(super) promised: (usize, usize),
    /// How many the patch has.
    pub(super) found: (usize, usize),
}
