//! Converts between line numbers and byte offsets.

use std::mem;
use std::ops::Range;

use memchr::memchr_iter;

use crate::interrupt::Interrupt;
use crate::text::lines;

/// The size of a block in bytes. The line number at the start of each block is stored.
const BLOCK: usize = 1024;

/// The number of blocks on each side of a known block that are searched before all others.
const NEAR: usize = 8;

/// Runs two computations on a text. The first argument is the size of the text in bytes. An
/// implementation can run both computations at the same time.
pub(crate) type JoinFn = fn(usize, &mut dyn FnMut(), &mut (dyn FnMut() + Send));

/// Runs the two computations one after the other.
fn run_sequentially(_bytes: usize, first: &mut dyn FnMut(), second: &mut (dyn FnMut() + Send)) {
    first();
    second();
}

/// An index of the lines of a text. It stores only the line number at the start of each block.
///
/// memchr counts the newlines of a block several times as fast as it visits each of them.
pub struct LineOffsets<'a> {
    text: &'a [u8],
    /// The number of newlines before each block, and in the whole text.
    newlines_before: Vec<usize>,
    count: usize,
    /// Runs the two halves of further work on the text. This module starts no thread, but its
    /// caller can.
    pub(crate) join: JoinFn,
}

impl<'a> LineOffsets<'a> {
    /// Creates the index of `text`. An unterminated last line counts as a line.
    #[must_use]
    #[allow(clippy::missing_panics_doc, reason = "it never panics")]
    pub fn new(text: &'a [u8]) -> Self {
        Self::with_runner(text, run_sequentially, Interrupt::never())
            .expect("BUG: the interrupt is never raised")
    }

    /// Creates the index of `text`. `together` runs the two halves of the work. Returns `None` if
    /// `interrupt` is raised.
    pub(crate) fn with_runner(
        text: &'a [u8],
        together: JoinFn,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let (first, second) = text.split_at(text.len() / 2 / BLOCK * BLOCK);
        let mut before = Vec::with_capacity(text.len() / BLOCK + 2);
        let mut counts = Vec::new();
        let count = |block: &[u8]| memchr_iter(b'\n', block).count();
        together(
            text.len(),
            &mut || before.extend(interrupt.take_until_raised(first.chunks(BLOCK)).map(count)),
            &mut || counts.extend(interrupt.take_until_raised(second.chunks(BLOCK)).map(count)),
        );
        if interrupt.is_raised() {
            return None;
        }
        before.append(&mut counts);
        // Replace the count of each block by the sum of the counts before it.
        let mut newlines = 0;
        for count in &mut before {
            newlines += mem::replace(count, newlines);
        }
        before.push(newlines);
        let has_tail = text.last().is_some_and(|&byte| byte != b'\n');
        Some(Self {
            text,
            newlines_before: before,
            count: newlines + usize::from(has_tail),
            join: together,
        })
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns the number of lines.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the offset at which `line` starts, in bytes. For a line after the last one, returns
    /// the length of the text.
    pub(crate) fn offset(&self, line: usize) -> usize {
        self.offset_in(0..self.newlines_before.len(), line)
    }

    /// Returns the range of a run of lines, in bytes.
    pub(crate) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let start = self.offset(lines.start);
        start..self.offset_from((lines.start, start), lines.end)
    }

    /// Returns the offset of `line`. This is faster if the line is near one with a known offset.
    pub(crate) fn offset_from(&self, (known, offset): (usize, usize), line: usize) -> usize {
        if line == known {
            return offset;
        }
        let block = offset / BLOCK;
        let near = block.saturating_sub(NEAR)..(block + NEAR).min(self.newlines_before.len());
        let is_near =
            self.newlines_before[near.start] < line && line <= self.newlines_before[near.end - 1];
        if is_near {
            self.offset_in(near, line)
        } else {
            self.offset(line)
        }
    }

    /// Returns the offset of a line. The line must start after the start of the first block in
    /// `blocks`, and not after the start of the last one.
    fn offset_in(&self, blocks: Range<usize>, line: usize) -> usize {
        if line == 0 {
            return 0;
        }
        if line >= self.count {
            return self.text.len();
        }
        // A line starts after the newline with its number, counted from 1. The block with this
        // newline is the last one that has fewer newlines before it.
        let block = blocks.start
            + self.newlines_before[blocks].partition_point(|&newlines| newlines < line)
            - 1;
        let newline = memchr_iter(b'\n', &self.text[block * BLOCK..])
            .nth(line - self.newlines_before[block] - 1);
        newline.map_or(self.text.len(), |newline| block * BLOCK + newline + 1)
    }

    /// Returns the lines from `line` on.
    pub(crate) fn lines_from(&self, line: usize) -> impl Iterator<Item = &'a [u8]> {
        lines(&self.text[self.offset(line)..]).map(|(_, line)| line)
    }

    /// Returns the number of the line that contains `offset`, a position in bytes.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        let block = (offset / BLOCK).min(self.newlines_before.len() - 1);
        self.newlines_before[block] + memchr_iter(b'\n', &self.text[block * BLOCK..offset]).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_offset_and_an_offset_one_line() {
        let text: Vec<u8> = (0..1000)
            .flat_map(|line| vec![b'x'; line % 50].into_iter().chain([b'\n']))
            .collect();
        let index = LineOffsets::new(&text);
        let starts: Vec<_> = lines(&text).map(|(span, _)| span.start).collect();
        assert_eq!(
            (0..1000).map(|line| index.offset(line)).collect::<Vec<_>>(),
            starts
        );
        for known in (0..1000).step_by(70) {
            let from = |line| index.offset_from((known, starts[known]), line);
            assert_eq!(
                (0..1000).map(from).collect::<Vec<_>>(),
                starts,
                "from {known}"
            );
            assert_eq!([1000, 1001].map(from), [text.len(); 2]);
        }
        assert_eq!(index.bytes(3..7), starts[3]..starts[7]);
        assert_eq!(
            starts
                .iter()
                .map(|&start| index.line_at(start))
                .collect::<Vec<_>>(),
            (0..1000).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_raised_interrupt_leaves_no_index() {
        let interrupt = Interrupt::new();
        let is_complete =
            || LineOffsets::with_runner(b"a\nb", run_sequentially, &interrupt).is_some();
        assert!(is_complete());
        interrupt.raise(15);
        assert!(!is_complete());
    }

    #[test]
    fn a_last_line_without_terminator_counts() {
        let index = LineOffsets::new(b"a\nb");
        assert_eq!(
            (index.count(), index.lines_from(1).next(), index.offset(2)),
            (2, Some(&b"b"[..]), 3)
        );
    }
}
