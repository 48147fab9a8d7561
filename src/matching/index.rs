//! Lines of a file by number, without a list of them.

use std::ops::Range;

use memchr::memchr_iter;

use crate::text::lines;

/// Bytes between two places whose line number is remembered.
const BLOCK: usize = 1024;

/// So few lines are visited one by one rather than looked up.
const NEAR: usize = 32;

/// Where the lines of a text start; remembers the line number of every 1024th byte only.
///
/// Newlines are counted, not visited: that is several times as fast.
pub(super) struct LineIndex<'a> {
    text: &'a [u8],
    /// Newlines in front of each block.
    before: Vec<usize>,
    count: usize,
}

impl<'a> LineIndex<'a> {
    /// Counts the lines of `text`; a last line without terminator is one.
    pub(super) fn new(text: &'a [u8]) -> Self {
        let mut before = Vec::with_capacity(text.len() / BLOCK + 2);
        let mut newlines = 0;
        for block in text.chunks(BLOCK) {
            before.push(newlines);
            newlines += memchr_iter(b'\n', block).count();
        }
        before.push(newlines);
        let has_tail = text.last().is_some_and(|&byte| byte != b'\n');
        Self { text, before, count: newlines + usize::from(has_tail) }
    }

    /// Returns the text.
    pub(super) fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns the number of lines.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the offset at which `line` starts, in bytes; the end of the text for every line behind the last.
    pub(super) fn offset(&self, line: usize) -> usize {
        if line == 0 {
            return 0;
        }
        if line >= self.count {
            return self.text.len();
        }
        let block = self.before.partition_point(|&newlines| newlines < line) - 1;
        let newline = memchr_iter(b'\n', &self.text[block * BLOCK..]).nth(line - self.before[block] - 1);
        newline.map_or(self.text.len(), |newline| block * BLOCK + newline + 1)
    }

    /// Returns the offsets of a run of lines, in bytes.
    pub(super) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let start = self.offset(lines.start);
        start..self.offset_from((lines.start, start), lines.end)
    }

    /// Returns the offset of `line`, where that of another one is known.
    pub(super) fn offset_from(&self, (known, offset): (usize, usize), line: usize) -> usize {
        match line.checked_sub(known) {
            Some(0) => offset,
            Some(few @ 1..=NEAR) => {
                let newline = memchr_iter(b'\n', &self.text[offset..]).nth(few - 1);
                newline.map_or(self.text.len(), |newline| offset + newline + 1)
            }
            _ => self.offset(line),
        }
    }

    /// Returns the lines from `line` on, with their terminators.
    pub(super) fn lines_from(&self, line: usize) -> impl Iterator<Item = &'a [u8]> {
        lines(&self.text[self.offset(line)..]).map(|(_, line)| line)
    }

    /// Returns the number of the line that starts at `offset`.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        let block = (offset / BLOCK).min(self.before.len() - 1);
        self.before[block] + memchr_iter(b'\n', &self.text[block * BLOCK..offset]).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_offset_and_an_offset_one_line() {
        let text: Vec<u8> = (0..1000).flat_map(|line| vec![b'x'; line % 5].into_iter().chain([b'\n'])).collect();
        let index = LineIndex::new(&text);
        let starts: Vec<_> = lines(&text).map(|(span, _)| span.start).collect();
        assert_eq!((0..1000).map(|line| index.offset(line)).collect::<Vec<_>>(), starts);
        let runs = (0..1000).flat_map(|line| [0, 1, NEAR, NEAR + 1].map(|count| line..(line + count)));
        runs.for_each(|run| assert_eq!(index.bytes(run.clone()), index.offset(run.start)..index.offset(run.end)));
        assert_eq!(starts.iter().map(|&start| index.line_at(start)).collect::<Vec<_>>(), (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn a_last_line_without_terminator_counts() {
        let index = LineIndex::new(b"a\nb");
        assert_eq!((index.count(), index.lines_from(1).next(), index.offset(2)), (2, Some(&b"b"[..]), 3));
    }
}
