//! Blank lines that hunks put at the end of a file.

use super::Placement;
use crate::plan::{Direction, Hunk, LineKind};
use crate::text::Span;
use crate::whitespace::is_blank;

/// Blank lines that a hunk ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlankEnd {
    /// How many are new.
    pub count: usize,
    /// The first new one.
    pub first: Span,
}

/// Returns the blank lines that `hunk` puts at the end of `preimage`; among them may be old ones, which do not count.
#[must_use]
pub fn blank_end(
    preimage: &[u8],
    text: &[u8],
    hunk: &Hunk,
    direction: Direction,
    placement: &Placement,
) -> Option<BlankEnd> {
    if placement.bytes.end < preimage.len() {
        return None;
    }
    let mut end: Option<BlankEnd> = None;
    for line in hunk.lines(text, direction) {
        end = match (line.kind, is_blank(line.text), end) {
            (LineKind::Insertion, true, Some(end)) => Some(BlankEnd { count: end.count + 1, ..end }),
            (LineKind::Insertion, true, None) => Some(BlankEnd { count: 1, first: line.span }),
            (LineKind::Context, true, end) => end,
            _ => None,
        };
    }
    end
}
