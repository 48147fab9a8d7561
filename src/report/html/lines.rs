//! The lines of a diff, of a hunk without a placement, and of a file at the closest match.

use std::ops::Range;

use bstr::ByteSlice;

use super::markup::Markup;
use super::page_budget::PageBudget;
use super::rows::{self, Row, RowKind};
use super::table::{self, LineIds, TableLayout, add_table};
use crate::report::FirstDifference;
use crate::report::syntax_colors::Language;
use crate::syntax::write::DiffHunk;

/// The treatment of carriage returns before line feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CarriageReturns {
    /// They are shown, because only some lines have one.
    Shown,
    Dropped,
}

/// The signs at the start of the lines of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineSigns {
    /// Each line begins with a sign.
    Present,
    /// The lines have no signs.
    None,
}

/// The file of the lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileContext<'a> {
    /// The identifier of the file.
    pub(super) id: &'a str,
    pub(super) language: Option<&'static Language>,
    pub(super) returns: CarriageReturns,
}

/// Adds the lines of a hunk of a diff. Returns the number of lines that are not shown.
pub(super) fn add_hunk(
    subject: FileContext<'_>,
    hunk: &DiffHunk<'_>,
    room: &mut PageBudget,
    out: &mut Markup,
) -> usize {
    let first = [hunk.old, hunk.new].map(|range| range.start + usize::from(range.count == 0));
    let mut rows = rows::number_lines(hunk.lines.iter().copied(), first);
    if subject.returns == CarriageReturns::Dropped {
        for row in &mut rows {
            row.text = row.text.strip_suffix(b"\r").unwrap_or(row.text);
        }
    }
    rows::mark_words(&mut rows, &mut room.inline);
    rows::add_colors(&mut rows, subject.language, room);
    let letters = ["o", "n"];
    let anchors = LineIds {
        id: subject.id,
        letters,
    };
    add_table(TableLayout::Diff, anchors, &rows, room, out)
}

/// Adds the text of a hunk without a placement, as the patch states it. `lines` are its lines with
/// their numbers in the patch. Returns the number of lines that are not shown.
pub(super) fn add_stated<'a>(
    subject: FileContext<'_>,
    lines: impl Iterator<Item = (Option<usize>, &'a [u8])>,
    (signs, difference): (LineSigns, Option<&FirstDifference>),
    room: &mut PageBudget,
    out: &mut Markup,
) -> usize {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for (number, line) in lines {
        let (kind, text) = match signs {
            LineSigns::Present if line.starts_with(b"@@") => continue,
            LineSigns::Present => rows::parse_line(line, rows.last().map(|row| row.kind)),
            LineSigns::None => (RowKind::Context, line),
        };
        rows.push(Row::new(kind, [number, None], text));
    }
    rows::mark_words(&mut rows, &mut room.inline);
    if let Some(difference) = difference {
        // The text of the difference is shortened. It distinguishes the texts of a JSON document,
        // which have one line number.
        let start = difference.expected.trim_end_matches('\u{2026}').as_bytes();
        let middle = start.strip_prefix("\u{2026}".as_bytes());
        let is_it = |row: &&mut Row<'_>| {
            row.numbers[0] == Some(difference.patch_line)
                && row.kind.sides()[0]
                && (row.text.starts_with(start)
                    || middle.is_some_and(|middle| row.text.contains_str(middle))
                    || std::str::from_utf8(row.text).is_err())
        };
        if let Some(row) = rows.iter_mut().find(is_it) {
            row.marks.clear();
            row.differs_from = Some(("file", difference.file_line));
        }
    }
    rows::add_colors(&mut rows, subject.language, room);
    let letters = ["p", ""];
    let anchors = LineIds {
        id: subject.id,
        letters,
    };
    add_table(
        TableLayout::Single("The lines of the patch"),
        anchors,
        &rows,
        room,
        out,
    )
}

/// Adds the current lines of a file at the closest match, beginning with line `first`.
pub(super) fn add_found<'l>(
    subject: FileContext<'_>,
    (first, lines): (usize, impl Iterator<Item = &'l str>),
    difference: Option<&FirstDifference>,
    room: &mut PageBudget,
    out: &mut Markup,
) {
    let row = |(index, line): (usize, &'l str)| {
        let number = first + index;
        let mut row = Row::new(RowKind::Context, [Some(number), None], line.as_bytes());
        row.differs_from = difference
            .filter(|difference| difference.file_line == number)
            .map(|difference| ("patch", difference.patch_line));
        row
    };
    let mut rows: Vec<_> = lines.enumerate().map(row).collect();
    rows::add_colors(&mut rows, subject.language, room);
    let letters = ["l", ""];
    let anchors = LineIds {
        id: subject.id,
        letters,
    };
    add_table(
        TableLayout::Single("The lines of the file"),
        anchors,
        &rows,
        room,
        out,
    );
}

/// Adds one line that differs from another, with the words that differ.
pub(super) fn add_differing_line(line: &[u8], marks: Vec<Range<usize>>, out: &mut Markup) {
    let mut row = Row::new(RowKind::Context, [None; 2], line);
    row.marks = marks;
    out.raw("<code dir=\"ltr\">");
    table::add_content(&row, ("<mark>", "</mark>"), out);
    out.raw("</code>");
}
