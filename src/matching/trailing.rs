//! Finds blank lines that a hunk adds at the end of a file.

use super::Placement;
use crate::plan::{Direction, Hunk, LineKind};
use crate::text::Span;
use crate::whitespace::is_blank;

/// The blank lines at the end of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrailingBlankLines {
    /// The number of inserted blank lines.
    pub count: usize,
    /// The first inserted blank line.
    pub first: Span,
}

/// Returns the blank lines that `hunk` inserts at the end of `preimage`. Blank context lines
/// between them are not counted.
#[must_use]
pub fn find_trailing_blank_lines(
    preimage: &[u8],
    text: &[u8],
    hunk: &Hunk,
    direction: Direction,
    placement: &Placement,
) -> Option<TrailingBlankLines> {
    // A selection can leave out the last lines of the body.
    let ends_with_text = hunk.selection.is_none() && ends_with_text(hunk.body.slice(text));
    if placement.bytes.end < preimage.len() || ends_with_text {
        return None;
    }
    let mut end: Option<TrailingBlankLines> = None;
    for line in hunk.lines(text, direction) {
        // git treats a note about the missing final newline as a non-blank line.
        end = match (
            line.kind,
            is_blank(line.text) && line.text.ends_with(b"\n"),
            end,
        ) {
            (LineKind::Insertion, true, Some(end)) => Some(TrailingBlankLines {
                count: end.count + 1,
                ..end
            }),
            (LineKind::Insertion, true, None) => Some(TrailingBlankLines {
                count: 1,
                first: line.span,
            }),
            (LineKind::Context, true, end) => end,
            _ => None,
        };
    }
    end
}

/// Returns whether the last line of a hunk body has a non-blank character after its marker.
///
/// This is true for most hunks. Then no blank lines can be at the end, and the other lines need not
/// be read.
fn ends_with_text(body: &[u8]) -> bool {
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    let last = &body[memchr::memrchr(b'\n', body).map_or(0, |newline| newline + 1)..];
    // The text of a note is not a line of the file.
    matches!(last, [marker, line @ ..] if *marker != b'\\' && !is_blank(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_with_text_in_its_last_line_has_no_blank_end() {
        for body in ["+a\n", "+\n-a\n", " a", "+\n+ \n x\r\n", "-\\\n"] {
            assert!(ends_with_text(body.as_bytes()), "{body:?}");
        }
        for body in [
            "",
            "+\n",
            "+ \t\r\n",
            "+a\n\n",
            "+\n\\ No newline at end of file\n",
            "+a\n ",
        ] {
            assert!(!ends_with_text(body.as_bytes()), "{body:?}");
        }
    }
}
