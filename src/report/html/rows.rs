//! The lines of a hunk with their kinds and numbers, the words that differ, and syntax colors.

use std::ops::Range;

use super::page_budget::{MAX_LINE_BYTES, PageBudget};
use crate::report::inline::InlineDiff;
use crate::report::syntax_colors::{self, Language, Lexer, Token};

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    Context,
    Deletion,
    Insertion,
    /// A note about the deletion above.
    DeletionNote,
    /// A note about another row above.
    Note,
}

impl RowKind {
    /// Returns the sides that contain the row: the old file, the new file.
    pub(super) fn sides(self) -> [bool; 2] {
        match self {
            Self::Context => [true, true],
            Self::Deletion => [true, false],
            Self::Insertion => [false, true],
            Self::DeletionNote | Self::Note => [false, false],
        }
    }
}

/// One row.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    pub(super) kind: RowKind,
    /// The numbers of the line in the old and in the new file. A table of one text uses the first.
    pub(super) numbers: [Option<usize>; 2],
    pub(super) text: &'a [u8],
    /// The words that differ from the other side.
    pub(super) marks: Vec<Range<usize>>,
    pub(super) colors: Vec<(Range<usize>, Token)>,
    /// A note that the line differs from this line of the named text.
    pub(super) differs_from: Option<(&'static str, usize)>,
}

impl<'a> Row<'a> {
    pub(super) fn new(kind: RowKind, numbers: [Option<usize>; 2], text: &'a [u8]) -> Self {
        Self {
            kind,
            numbers,
            text,
            marks: Vec::new(),
            colors: Vec::new(),
            differs_from: None,
        }
    }

    /// Returns the offset after the part of the line that is shown.
    pub(super) fn end(&self) -> usize {
        cut_offset(self.text, MAX_LINE_BYTES)
    }
}

/// Returns the kind and the text of a line with a sign. `above` is the kind of the line above.
pub(super) fn parse_line(line: &[u8], above: Option<RowKind>) -> (RowKind, &[u8]) {
    match line {
        [b'-', text @ ..] => (RowKind::Deletion, text),
        [b'+', text @ ..] => (RowKind::Insertion, text),
        [b'\\', text @ ..] if above == Some(RowKind::Deletion) => {
            (RowKind::DeletionNote, text.trim_ascii())
        }
        [b'\\', text @ ..] => (RowKind::Note, text.trim_ascii()),
        [b' ', text @ ..] | text => (RowKind::Context, text),
    }
}

/// Returns the rows of lines with signs. `next` are the first numbers of the old and the new file.
pub(super) fn number_lines<'a>(
    lines: impl Iterator<Item = &'a [u8]>,
    mut next: [usize; 2],
) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for line in lines {
        let (kind, text) = parse_line(line, rows.last().map(|row| row.kind));
        let mut numbers = [None; 2];
        for (side, is_in) in kind.sides().into_iter().enumerate() {
            if is_in {
                numbers[side] = Some(next[side]);
                next[side] += 1;
            }
        }
        rows.push(Row::new(kind, numbers, text));
    }
    rows
}

/// Returns the length of the run of replaced lines at the start of `rows`: the deletions and the
/// insertions, with their notes. Either number can be 0.
pub(super) fn count_replaced(rows: &[Row<'_>]) -> (usize, usize) {
    let is_gone = |row: &&Row<'_>| matches!(row.kind, RowKind::Deletion | RowKind::DeletionNote);
    let gone = rows.iter().take_while(is_gone).count();
    let mut come = 0;
    while let Some(row) = rows.get(gone + come) {
        if row.kind != RowKind::Insertion && (row.kind != RowKind::Note || come == 0) {
            break;
        }
        come += 1;
    }
    (gone, come)
}

/// Marks the differing words of replaced lines.
pub(super) fn mark_words(rows: &mut [Row<'_>], inline: &mut InlineDiff) {
    let mut start = 0;
    while start < rows.len() {
        let (gone, come) = count_replaced(&rows[start..]);
        let end = start + gone + come;
        if gone > 0 && come > 0 {
            mark_run(&mut rows[start..end], inline);
        }
        start = end.max(start + 1);
    }
}

fn mark_run(rows: &mut [Row<'_>], inline: &mut InlineDiff) {
    let of = |kind: RowKind| -> Vec<usize> {
        (0..rows.len())
            .filter(|&index| rows[index].kind == kind)
            .collect()
    };
    let (gone, come) = (of(RowKind::Deletion), of(RowKind::Insertion));
    let texts = |indexes: &[usize]| {
        indexes
            .iter()
            .map(|&index| rows[index].text)
            .collect::<Vec<_>>()
    };
    let (old, new) = inline.mark_differences(&texts(&gone), &texts(&come));
    for (index, marks) in gone.into_iter().zip(old).chain(come.into_iter().zip(new)) {
        rows[index].marks = marks;
    }
}

/// Adds syntax colors to the rows of one hunk, within the limits of `room`. The old and the new
/// file are read separately, because each can begin or end a comment.
pub(super) fn add_colors(
    rows: &mut [Row<'_>],
    language: Option<&'static Language>,
    room: &mut PageBudget,
) {
    let Some(language) = language else { return };
    let size: usize = rows.iter().map(Row::end).sum();
    let Some(left) = room.colored_bytes.checked_sub(size) else {
        return;
    };
    room.colored_bytes = left;
    for side in [0, 1] {
        let is_inside = syntax_colors::is_inside_comment(language, side_texts(rows, side));
        let mut colors = Lexer::new(language, is_inside);
        for row in rows.iter_mut().filter(|row| row.kind.sides()[side]) {
            row.colors = colors.line_tokens(&row.text[..row.end()]);
        }
    }
}

fn side_texts<'r>(rows: &'r [Row<'_>], side: usize) -> impl Iterator<Item = &'r [u8]> {
    let is_in = move |row: &&Row<'_>| row.kind.sides()[side];
    rows.iter().filter(is_in).map(|row| &row.text[..row.end()])
}

/// Returns the offset at which to cut a text without splitting a character.
fn cut_offset(text: &[u8], most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let is_first = |at: &usize| text[*at] & 0xc0 != 0x80;
    (most - 3..=most).rev().find(is_first).unwrap_or(most)
}
