//! The new file during its construction.

use std::ops::Range;

use crate::matching::SplicedFile;
use crate::plan::{HunkLine, LineKind};
use crate::text::{BYTE_ORDER_MARK, LineEnding, lines};

/// The new file during its construction.
pub(super) struct SpliceOutput<'a> {
    preimage: &'a [u8],
    pub(super) result: SplicedFile,
    /// Whether the last line is an insertion without terminator.
    is_unterminated: bool,
    /// The offset in the preimage up to which all bytes are processed.
    pub(super) done: usize,
}

impl<'a> SpliceOutput<'a> {
    /// Creates an empty output for the part of the preimage from the offset `done` on.
    pub(super) fn new(preimage: &'a [u8], done: usize) -> Self {
        Self {
            preimage,
            result: SplicedFile::default(),
            is_unterminated: false,
            done,
        }
    }

    /// Appends the rest of the preimage and returns the result.
    pub(super) fn finish(mut self) -> SplicedFile {
        self.keep(
            self.done..self.preimage.len(),
            ending_near(self.preimage, self.done),
        );
        self.result
    }

    /// Appends a range of the preimage. Terminates an unterminated insertion before it.
    pub(super) fn keep(&mut self, bytes: Range<usize>, ending: LineEnding) {
        if !bytes.is_empty() {
            self.end_line(ending);
        }
        self.result.pieces.keep(bytes);
    }

    /// Appends a copy of bytes of the preimage. Terminates an unterminated insertion before them.
    pub(super) fn copy(&mut self, bytes: &[u8], ending: LineEnding) {
        if !bytes.is_empty() {
            self.end_line(ending);
        }
        self.result.pieces.insert(bytes);
    }

    /// Appends the output of the next part of the preimage.
    pub(super) fn append(&mut self, next: Self) {
        self.result.pieces.append(next.result.pieces);
        self.result.corrected.extend(next.result.corrected);
        self.result.omitted.extend(next.result.omitted);
        (self.is_unterminated, self.done) = (next.is_unterminated, next.done);
    }

    /// Terminates the last line if it is an insertion without terminator.
    pub(super) fn end_line(&mut self, ending: LineEnding) {
        if self.is_unterminated {
            self.terminate_line(ending);
        }
    }

    /// Appends complete lines of a hunk. Its old lines must equal the preimage from `offset` on,
    /// byte for byte.
    pub(super) fn replace<'l>(
        &mut self,
        mut offset: usize,
        hunk: impl Iterator<Item = HunkLine<'l>>,
    ) {
        for line in hunk {
            let end = offset + line.text.len();
            match line.kind {
                LineKind::Context => self.result.pieces.keep(offset..end),
                LineKind::Insertion => self.result.pieces.insert(line.text),
                LineKind::Deletion => {}
            }
            offset = if line.is_in_preimage() { end } else { offset };
        }
    }

    /// Appends an insertion. Terminates an unterminated line before it.
    pub(super) fn insert(&mut self, parts: [&[u8]; 3], ending: LineEnding) {
        if !(self.is_at_line_start() || self.is_mark()) {
            self.terminate_line(ending);
        }
        for part in parts {
            self.result.pieces.insert(part);
        }
        self.is_unterminated = !self.last().ends_with(b"\n");
    }

    /// Returns whether the next byte starts a line.
    pub(super) fn is_at_line_start(&self) -> bool {
        !self.is_unterminated && (self.result.pieces.is_empty() || self.last().ends_with(b"\n"))
    }

    fn is_mark(&self) -> bool {
        self.result.pieces.len() == BYTE_ORDER_MARK.len()
            && self.result.pieces.join(self.preimage) == BYTE_ORDER_MARK
    }

    fn last(&self) -> &[u8] {
        self.result
            .pieces
            .slices(self.preimage)
            .next_back()
            .unwrap_or_default()
    }

    /// Removes the terminator of the last line, which must be an insertion.
    pub(super) fn remove_terminator(&mut self) {
        let terminator = LineEnding::of(self.last()).bytes().len();
        self.result.pieces.remove_last(terminator);
    }

    fn terminate_line(&mut self, ending: LineEnding) {
        self.result.pieces.insert(ending.bytes());
        self.is_unterminated = false;
    }
}

/// Returns the ending of the line before `offset`, else of the line at `offset`, else LF.
pub(super) fn ending_near(preimage: &[u8], offset: usize) -> LineEnding {
    let (before, after) = preimage.split_at(offset);
    let previous = LineEnding::of(&before[before.len().saturating_sub(2)..]);
    let next = || LineEnding::of(lines(after).next()?.1).into_option();
    previous
        .into_option()
        .or_else(next)
        .unwrap_or(LineEnding::Lf)
}
