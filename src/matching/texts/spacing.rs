//! The blank lines around a symbol.

use std::ops::Range;

use crate::code::Symbol;

/// Returns the range to delete together with `symbol`.
///
/// The symbol has lines of its own. The range also contains the blank lines on one side: the side
/// with fewer blank lines, the lines below if both have equally many, or the only side with a
/// neighbour.
pub(super) fn removal(text: &[u8], symbol: &Symbol) -> Range<usize> {
    let start = symbol.bytes.start;
    let end = line_end(text, symbol.separator_end);
    let (before, above) = blank_lines_before(text, start);
    let (after, below) = blank_lines_after(text, end);
    match (
        symbol.before.has_no_neighbour,
        symbol.after.has_no_neighbour,
    ) {
        (true, false) => start..after,
        (false, false) if below <= above => start..after,
        (false, _) => before..end,
        (true, true) => start..end,
    }
}

/// The maximum number of blank lines that are inserted.
const MAX_BLANK_LINES: usize = 3;

/// Returns the number of blank lines between `symbol` and a new neighbour: as many as between
/// `symbol` and its next neighbour, else its previous one, else one; at most [`MAX_BLANK_LINES`].
pub(super) fn distance(text: &[u8], symbol: &Symbol) -> usize {
    let end = line_end(text, symbol.separator_end);
    let count = match (
        symbol.before.has_no_neighbour,
        symbol.after.has_no_neighbour,
    ) {
        (_, false) => blank_lines_after(text, end).1,
        (false, true) => blank_lines_before(text, symbol.bytes.start).1,
        (true, true) => 1,
    };
    count.min(MAX_BLANK_LINES)
}

/// Returns the end of the line at `offset`, after its terminator.
pub(super) fn line_end(text: &[u8], offset: usize) -> usize {
    memchr::memchr(b'\n', &text[offset..]).map_or(text.len(), |newline| offset + newline + 1)
}

/// Returns the start of the blank lines before `offset`, which is the start of a line, and their
/// number.
fn blank_lines_before(text: &[u8], offset: usize) -> (usize, usize) {
    let (mut start, mut count) = (offset, 0);
    while let Some(above) = text[..start].strip_suffix(b"\n") {
        let line = memchr::memrchr(b'\n', above).map_or(0, |newline| newline + 1);
        if !above[line..].trim_ascii().is_empty() {
            break;
        }
        (start, count) = (line, count + 1);
    }
    (start, count)
}

/// Returns the end of the blank lines after `offset`, which is the start of a line, and their
/// number.
fn blank_lines_after(text: &[u8], offset: usize) -> (usize, usize) {
    let (mut end, mut count) = (offset, 0);
    while end < text.len() {
        let next = line_end(text, end);
        if !text[end..next].trim_ascii().is_empty() {
            break;
        }
        (end, count) = (next, count + 1);
    }
    (end, count)
}
