//! The new file during its construction.

use std::ops::Range;

use crate::matching::SplicedFile;
use crate::plan::{HunkLine, LineKind};
use crate::text::{BYTE_ORDER_MARK, LineEnding, lines};

/// The new file during its construction.
pub(super) struct SpliceOutput<'a> {
    preimage: &'a [u8],
    pub(super) made: SplicedFile,
    /// Whether the last line is an insertion without terminator.
    is_open: bool,
    /// The offset in the preimage up to which all bytes are processed.
    pub(super) done: usize,
}

impl<'a> SpliceOutput<'a> {
    /// Creates an empty output for the part of the preimage from the offset `done` on.
    pub(super) fn new(preimage: &'a [u8], done: usize) -> Self {
        Self {
            preimage,
            made: SplicedFile::default(),
            is_open: false,
            done,
        }
    }

    /// Appends the rest of the preimage and returns the result.
    pub(super) fn finish(mut self) -> SplicedFile {
        self.keep(
            self.done..self.preimage.len(),
            ending_near(self.preimage, self.done),
        );
        self.made
    }

    /// Appends a range of the preimage. Terminates an unterminated insertion before it.
    pub(super) fn keep(&mut self, bytes: Range<usize>, ending: LineEnding) {
        if !bytes.is_empty() {
            self.end_line(ending);
        }
        self.made.pieces.keep(bytes);
    }

    /// Appends a copy of bytes of the preimage. Terminates an unterminated insertion before them.
    pub(super) fn copy(&mut self, bytes: &[u8], ending: LineEnding) {
        if !bytes.is_empty() {
            self.end_line(ending);
        }
        self.made.pieces.insert(bytes);
    }

    /// Appends the output of the next part of the preimage.
    pub(super) fn append(&mut self, next: Self) {
        self.made.pieces.append(next.made.pieces);
        self.made.corrected.extend(next.made.corrected);
        self.made.left_out.extend(next.made.left_out);
        (self.is_open, self.done) = (next.is_open, next.done);
    }

    /// Terminates the last line if it is an insertion without terminator.
    pub(super) fn end_line(&mut self, ending: LineEnding) {
        if self.is_open {
            self.close(ending);
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
                LineKind::Context => self.made.pieces.keep(offset..end),
                LineKind::Insertion => self.made.pieces.insert(line.text),
                LineKind::Deletion => {}
            }
            offset = if line.is_old() { end } else { offset };
        }
    }

    /// Appends an insertion. Terminates an unterminated line before it.
    pub(super) fn insert(&mut self, parts: [&[u8]; 3], ending: LineEnding) {
        if !(self.is_whole() || self.is_mark()) {
            self.close(ending);
        }
        for part in parts {
            self.made.pieces.insert(part);
        }
        self.is_open = !self.last().ends_with(b"\n");
    }

    /// Returns whether the next byte starts a line.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_open && (self.made.pieces.is_empty() || self.last().ends_with(b"\n"))
    }

    fn is_mark(&self) -> bool {
        self.made.pieces.len() == BYTE_ORDER_MARK.len()
            && self.made.pieces.join(self.preimage) == BYTE_ORDER_MARK
    }

    fn last(&self) -> &[u8] {
        self.made
            .pieces
            .slices(self.preimage)
            .next_back()
            .unwrap_or_default()
    }

    /// Removes the terminator of the last line, which must be an insertion.
    pub(super) fn open(&mut self) {
        let terminator = LineEnding::of(self.last()).bytes().len();
        self.made.pieces.shorten(terminator);
    }

    fn close(&mut self, ending: LineEnding) {
        self.made.pieces.insert(ending.bytes());
        self.is_open = false;
    }
}

/// Returns the ending of the line before `offset`, else of the line at `offset`, else LF.
pub(super) fn ending_near(preimage: &[u8], offset: usize) -> LineEnding {
    let (before, after) = preimage.split_at(offset);
    let previous = LineEnding::of(&before[before.len().saturating_sub(2)..]);
    let next = || LineEnding::of(lines(after).next()?.1).present();
    previous.present().or_else(next).unwrap_or(LineEnding::Lf)
}
