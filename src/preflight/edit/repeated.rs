//! Hunks that match at an offset although their result is already at the stated line.
//!
//! If the same context occurs twice, a patch can be applied a second time in this way. git applies
//! the hunk. wpatch does the same and prints a warning.

use crate::lines::LineIndex;
use crate::plan::{Direction, Hunk, HunkLine};

/// Compares the postimages of the hunks of one file, in order, with the file.
pub(super) struct AppliedHunks<'p> {
    file: &'p LineIndex<'p>,
    /// The line that was compared last, counted from 0, and the offset of its first byte.
    last: (usize, usize),
}

impl<'p> AppliedHunks<'p> {
    pub(super) fn new(file: &'p LineIndex<'p>) -> Self {
        Self { file, last: (0, 0) }
    }

    /// Returns the line, counted from 0, where the header of `hunk` states the postimage. Returns
    /// `None` if the file does not contain the postimage there, or if the header of an earlier hunk
    /// states a later line.
    pub(super) fn line_of(
        &mut self,
        hunk: &Hunk,
        text: &[u8],
        direction: Direction,
    ) -> Option<usize> {
        let range = hunk.postimage_range(direction);
        let stated = range
            .start
            .checked_sub(1)
            .filter(|&line| range.count > 0 && line >= self.last.0)?;
        let offset = self.file.offset_from(self.last, stated);
        self.last = (stated, offset);
        let mut rest = &self.file.text()[offset..];
        for line in hunk.lines(text, direction).filter(HunkLine::is_new) {
            rest = rest.strip_prefix(line.text)?;
        }
        Some(stated)
    }
}
