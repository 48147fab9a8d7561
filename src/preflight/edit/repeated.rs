//! Hunks that fit at an offset although their result is already at the stated place.
//!
//! A second application of a patch can succeed this way, where the same context occurs twice. git
//! applies the hunk there, and so does wpatch, with a warning.

use crate::plan::{Direction, Hunk, HunkLine};

/// Compares the hunks of one file, in order, with the lines that they would have produced.
pub(super) struct AppliedHunks<'p> {
    preimage: &'p [u8],
    /// A line, counted from 0, and the byte where it starts.
    line: usize,
    offset: usize,
}

impl<'p> AppliedHunks<'p> {
    pub(super) fn new(preimage: &'p [u8]) -> Self {
        Self {
            preimage,
            line: 0,
            offset: 0,
        }
    }

    /// Returns the line, counted from 0, where the result of `hunk` is according to its header;
    /// `None` if it is not there, or if the header names a line before that of an earlier hunk.
    ///
    /// Linear in the file over all hunks, because it only moves forward.
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
            .filter(|&line| range.count > 0 && line >= self.line)?;
        while self.line < stated {
            self.offset += memchr::memchr(b'\n', self.preimage.get(self.offset..)?)? + 1;
            self.line += 1;
        }
        let mut rest = &self.preimage[self.offset..];
        for line in hunk.lines(text, direction).filter(HunkLine::is_new) {
            rest = rest.strip_prefix(line.text)?;
        }
        Some(stated)
    }
}
