//! The lines of a text as a table.

use std::ops::Range;

use crate::interrupt::Interrupt;
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
        Self::from_text_until_raised(text, Interrupt::never())
    }

    /// Returns the lines of `text`. If `interrupt` is raised, the table is incomplete and must not be
    /// used.
    pub(crate) fn from_text_until_raised(text: &'t [u8], interrupt: &Interrupt) -> Self {
        let mut table = Vec::with_capacity(memchr::memchr_iter(b'\n', text).count() + 1);
        let lines = interrupt.take_until_raised(lines(text));
        table.extend(lines.map(|(_, line)| line));
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
