//! The lines of a hunk as the rows of a table.

use std::ops::Range;

use super::markup::Markup;
use crate::report::inline::Inline;
use crate::syntax::write::DiffHunk;
use crate::text::without_ending;

/// The maximum number of bytes of a line that are shown.
const MOST_OF_LINE: usize = 2000;

/// The remaining limits for all files of a page.
#[derive(Debug)]
pub(super) struct Room {
    /// The number of lines.
    pub(super) lines: usize,
    /// The number of bytes.
    pub(super) bytes: usize,
    /// The budget for word comparisons.
    pub(super) inline: Inline,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            lines: 20_000,
            bytes: 4 << 20,
            inline: Inline::default(),
        }
    }
}

impl Room {
    /// Returns whether `line` fits into the limits, and deducts it.
    fn takes(&mut self, line: &[u8]) -> bool {
        let bytes = self.bytes.checked_sub(line.len().min(MOST_OF_LINE));
        let lines = self.lines.checked_sub(1);
        if let (Some(bytes), Some(lines)) = (bytes, lines) {
            (self.bytes, self.lines) = (bytes, lines);
        }
        bytes.is_some() && lines.is_some()
    }
}

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Context,
    Deletion,
    Insertion,
    /// A note about the row above.
    Note,
}

/// One row.
struct Row<'a> {
    kind: Kind,
    numbers: [Option<usize>; 2],
    text: &'a [u8],
    marks: Vec<Range<usize>>,
}

/// The treatment of carriage returns before line feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Returns {
    /// They are shown, because only some lines have one.
    Shown,
    Dropped,
}

/// The signs at the start of the lines of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signs {
    /// Each line begins with a sign.
    Marked,
    /// The lines have no signs.
    None,
}

/// Adds the lines of a hunk of a diff. Returns the number of lines that are not shown.
pub(super) fn hunk(
    hunk: &DiffHunk<'_>,
    returns: Returns,
    room: &mut Room,
    out: &mut Markup,
) -> usize {
    let first = [hunk.old, hunk.new].map(|range| range.start + usize::from(range.count == 0));
    let mut rows = rows(hunk.lines.iter().copied(), first.map(Some));
    if returns == Returns::Dropped {
        for row in &mut rows {
            row.text = row.text.strip_suffix(b"\r").unwrap_or(row.text);
        }
    }
    marked(&mut rows, &mut room.inline);
    table("<table class=\"diff\"><tbody>\n", &rows, room, out)
}

/// Adds the text of a hunk without a placement, as the patch states it. Returns the number of lines
/// that are not shown.
pub(super) fn stated(text: &[u8], signs: Signs, room: &mut Room, out: &mut Markup) -> usize {
    let lines = crate::text::lines(text).map(|(_, line)| without_ending(line));
    let mut rows = match signs {
        Signs::Marked => rows(lines.filter(|line| !line.starts_with(b"@@")), [None; 2]),
        Signs::None => lines
            .map(|text| Row {
                kind: Kind::Context,
                numbers: [None; 2],
                text,
                marks: Vec::new(),
            })
            .collect(),
    };
    marked(&mut rows, &mut room.inline);
    table("<table class=\"diff bare\"><tbody>\n", &rows, room, out)
}

/// Adds the current lines of a file, beginning with line `first`.
pub(super) fn found<'l>(first: usize, lines: impl Iterator<Item = &'l str>, out: &mut Markup) {
    out.raw("<table class=\"diff\"><tbody>\n");
    for (index, line) in lines.enumerate() {
        let (kind, numbers) = (Kind::Context, [Some(first + index), None]);
        row(
            &Row {
                kind,
                numbers,
                text: line.as_bytes(),
                marks: Vec::new(),
            },
            out,
        );
    }
    out.raw("</tbody></table>\n");
}

fn rows<'a>(lines: impl Iterator<Item = &'a [u8]>, mut next: [Option<usize>; 2]) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for line in lines {
        let (kind, text) = match line {
            [b'-', text @ ..] => (Kind::Deletion, text),
            [b'+', text @ ..] => (Kind::Insertion, text),
            [b'\\', text @ ..] => (Kind::Note, text.trim_ascii()),
            [b' ', text @ ..] | text => (Kind::Context, text),
        };
        let counts = match kind {
            Kind::Context => [true, true],
            Kind::Deletion => [true, false],
            Kind::Insertion => [false, true],
            Kind::Note => [false, false],
        };
        let mut numbers = [None; 2];
        for side in 0..2 {
            if counts[side] {
                numbers[side] = next[side];
                next[side] = next[side].map(|number| number + 1);
            }
        }
        rows.push(Row {
            kind,
            numbers,
            text,
            marks: Vec::new(),
        });
    }
    rows
}

/// Marks the differing words of replaced lines.
fn marked(rows: &mut [Row<'_>], inline: &mut Inline) {
    let mut start = 0;
    while start < rows.len() {
        let run = |from: usize, kind: Kind| {
            let is_such =
                |row: &&Row<'_>| row.kind == kind || row.kind == Kind::Note && from > start;
            from + rows[from..].iter().take_while(is_such).count()
        };
        let middle = run(start, Kind::Deletion);
        let middle = middle
            + usize::from(
                middle > start && rows.get(middle).is_some_and(|row| row.kind == Kind::Note),
            );
        let end = run(middle, Kind::Insertion);
        if middle > start && end > middle {
            mark(&mut rows[start..end], inline);
        }
        start = end.max(start + 1);
    }
}

fn mark(rows: &mut [Row<'_>], inline: &mut Inline) {
    let of = |kind: Kind| -> Vec<usize> {
        (0..rows.len())
            .filter(|&index| rows[index].kind == kind)
            .collect()
    };
    let (gone, come) = (of(Kind::Deletion), of(Kind::Insertion));
    let texts = |indexes: &[usize]| {
        indexes
            .iter()
            .map(|&index| rows[index].text)
            .collect::<Vec<_>>()
    };
    let (old, new) = inline.marks(&texts(&gone), &texts(&come));
    for (index, marks) in gone.into_iter().zip(old).chain(come.into_iter().zip(new)) {
        rows[index].marks = marks;
    }
}

fn table(open: &'static str, rows: &[Row<'_>], room: &mut Room, out: &mut Markup) -> usize {
    let shown = rows.iter().take_while(|row| room.takes(row.text)).count();
    if shown > 0 {
        out.raw(open);
        rows[..shown].iter().for_each(|it| row(it, out));
        out.raw("</tbody></table>\n");
    }
    rows.len() - shown
}

fn row(row: &Row<'_>, out: &mut Markup) {
    let (class, sign) = match row.kind {
        Kind::Context => ("<tr>", " "),
        Kind::Deletion => ("<tr class=\"del\">", "-"),
        Kind::Insertion => ("<tr class=\"add\">", "+"),
        Kind::Note => ("<tr class=\"note\">", ""),
    };
    out.raw(class);
    for number in row.numbers {
        out.raw("<td class=\"n\">");
        if let Some(number) = number {
            out.number(number);
        }
        out.raw("</td>");
    }
    out.raw("<td class=\"m\">")
        .raw(sign)
        .raw("</td><td class=\"c\">");
    content(row, out);
    out.raw("</td></tr>\n");
}

/// Adds the text of a line with its marks, up to [`MOST_OF_LINE`] bytes.
fn content(row: &Row<'_>, out: &mut Markup) {
    let (open, close) = match row.kind {
        Kind::Deletion => ("<del>", "</del>"),
        _ => ("<ins>", "</ins>"),
    };
    let end = cut(row.text, MOST_OF_LINE);
    let mut done = 0;
    for mark in row.marks.iter().filter(|mark| mark.start < end) {
        out.line(&row.text[done..mark.start]).raw(open);
        done = mark.end.min(end);
        out.line(&row.text[mark.start..done]).raw(close);
    }
    out.line(&row.text[done..end]);
    if end < row.text.len() {
        out.raw("<b class=\"cut\">\u{2026} ")
            .count(row.text.len() - end, "more byte")
            .raw(" not shown</b>");
    }
}

/// Returns the offset at which to cut a text without splitting a character.
fn cut(text: &[u8], most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let is_first = |at: &usize| text[*at] & 0xc0 != 0x80;
    (most - 3..=most).rev().find(is_first).unwrap_or(most)
}
