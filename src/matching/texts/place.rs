//! The place of a change in the file, or the reason why it has none.

use std::ops::Range;

use crate::matching::Mismatch;

/// The place of a text.
pub(super) struct TextMatch {
    pub(super) bytes: Range<usize>,
    pub(super) rung: usize,
    /// For the deletion of a symbol: the bytes without the blank lines on one side.
    pub(super) core: Option<Range<usize>>,
    /// The numbers of blank lines to insert before and after the new text.
    pub(super) blank_lines: (usize, usize),
}

/// The reason why a change has no place, and the number of places where it matches.
pub(super) type EditMismatch = (Box<Mismatch>, usize);
