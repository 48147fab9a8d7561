//! The occurrences of one run of whole lines, found by a substring search.
//!
//! For a few runs this is faster than a [`RunIndex`](super::RunIndex), which hashes all lines.

use std::ops::Range;

use memchr::memmem;

use super::RunOccurrences;
use crate::lines::offsets::LineOffsets;

/// The number of bytes in one step of a backward search.
const BLOCK: usize = 1 << 16;

/// The occurrences of one run of whole lines, byte for byte.
pub(crate) struct ExactRunFinder<'n> {
    index: &'n LineOffsets<'n>,
    /// A newline and the lines. The newline restricts matches to starts of lines.
    anchored: &'n [u8],
    count: usize,
    forward: memmem::Finder<'n>,
    backward: memmem::FinderRev<'n>,
}

impl<'n> ExactRunFinder<'n> {
    /// Prepares a search for `count` lines; `anchored` is a newline and these lines.
    pub(crate) fn new(index: &'n LineOffsets<'n>, anchored: &'n [u8], count: usize) -> Self {
        let (forward, backward) = (
            memmem::Finder::new(anchored),
            memmem::FinderRev::new(anchored),
        );
        Self {
            index,
            anchored,
            count,
            forward,
            backward,
        }
    }

    /// Returns the last occurrence of the anchored lines in a part of the text.
    ///
    /// A forward search is several times as fast as a backward search. The backward search
    /// therefore runs only in a block that contains an occurrence.
    fn last_within(&self, part: Range<usize>) -> Option<usize> {
        let (text, length) = (self.index.text(), self.anchored.len());
        let mut end = part.end;
        loop {
            let start = end.saturating_sub(BLOCK.max(2 * length)).max(part.start);
            let block = &text[start..end];
            if self.forward.find(block).is_some() {
                return Some(start + self.backward.rfind(block)?);
            }
            if start == part.start {
                return None;
            }
            // Blocks overlap by the length of the needle minus one, so no occurrence is split.
            end = start + length - 1;
        }
    }

    /// Returns whether the run is at the first line, which no newline precedes.
    fn is_first(&self) -> bool {
        let lines = &self.anchored[1..];
        self.index.text().starts_with(lines) && self.is_whole(lines.len())
    }

    /// Returns whether an occurrence that ends at the offset `end` ends with a whole line.
    fn is_whole(&self, end: usize) -> bool {
        self.anchored.ends_with(b"\n") || end == self.index.text().len()
    }
}

impl RunOccurrences for ExactRunFinder<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn next(&self, from: usize) -> Option<usize> {
        if from == 0 && self.is_first() {
            return Some(0);
        }
        let text = self.index.text();
        let mut start = self.index.offset(from).saturating_sub(1);
        while let Some(found) = self.forward.find(&text[start..]) {
            if self.is_whole(start + found + self.anchored.len()) {
                return Some(self.index.line_at(start + found + 1));
            }
            start += found + 1;
        }
        None
    }

    fn previous(&self, before: usize, floor: usize) -> Option<usize> {
        let last = before.checked_sub(1).filter(|&last| last >= floor)?;
        let text = self.index.text();
        let start = self.index.offset(floor).saturating_sub(1);
        // A match starts with the newline before its first line. The last allowed match starts with
        // the newline before the line `last`.
        let mut end = (self.index.offset(last) + self.anchored.len())
            .saturating_sub(1)
            .min(text.len());
        while last > 0
            && start < end
            && let Some(found) = self.last_within(start..end)
        {
            if self.is_whole(found + self.anchored.len()) {
                return Some(self.index.line_at(found + 1));
            }
            end = found + self.anchored.len() - 1;
        }
        (floor == 0 && self.is_first()).then_some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_across_two_blocks_is_found() {
        for after in BLOCK - 10..BLOCK + 10 {
            let (odd, even) = ("y".repeat(after % 2), "z\n".repeat(after / 2));
            let file = format!("{}aa\nbb\n{odd}{even}", "x\n".repeat(40_000));
            let index = LineOffsets::new(file.as_bytes());
            let needle = ExactRunFinder::new(&index, b"\naa\nbb\n", 2);
            assert_eq!(needle.previous(index.count(), 0), Some(40_000), "{after}");
            assert_eq!(needle.previous(40_000, 0), None, "{after}");
        }
    }
}
