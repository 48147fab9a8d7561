//! The lines of a text as a table.

use std::ops::Range;

use crate::text::lines;

/// The lines of a text, in order. A line includes its terminator.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineTable<'t> {
    /// The lines.
    pub(crate) lines: Vec<&'t [u8]>,
}

impl<'t> LineTable<'t> {
    /// Returns the lines of `text`.
    pub(crate) fn from_text(text: &'t [u8]) -> Self {
        let mut table = Vec::with_capacity(memchr::memchr_iter(b'\n', text).count() + 1);
        table.extend(lines(text).map(|(_, line)| line));
        Self { lines: table }
    }

    /// Returns the table of `lines`.
    pub(crate) fn new(lines: impl IntoIterator<Item = &'t [u8]>) -> Self {
        Self {
            lines: lines.into_iter().collect(),
        }
    }

    /// Returns the table of a range of lines, counted from 0.
    pub(crate) fn part(&self, lines: Range<usize>) -> Self {
        Self {
            lines: self.lines[lines].to_vec(),
        }
    }
}
