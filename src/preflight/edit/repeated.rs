//! Hunks that fit at an offset although their result is already at the stated place.
//!
//! A second application of a patch can succeed this way, where the same context occurs twice. git
//! applies the hunk there, and so does wpatch, with a warning.

use crate::lines::LineIndex;
use crate::plan::{Direction, Hunk, HunkLine};

/// Compares the hunks of one file, in order, with the lines that they would have produced.
pub(super) struct AppliedHunks<'p> {
    file: &'p LineIndex<'p>,
    /// The line that was looked at last, counted from 0, and the byte where it starts.
    last: (usize, usize),
}

impl<'p> AppliedHunks<'p> {
    pub(super) fn new(file: &'p LineIndex<'p>) -> Self {
        Self { file, last: (0, 0) }
    }

    /// Returns the line, counted from 0, where the result of `hunk` is according to its header;
    /// `None` if it is not there, or if the header names a line before that of an earlier hunk.
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
