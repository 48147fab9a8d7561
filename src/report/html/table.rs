//! The table of the lines of a hunk.
//!
//! Its rows are in the order of a unified diff. On wide screens the style sheet puts the deletions
//! and the insertions of one body next to each other, and shows the hidden copy of each context
//! line on the side of the new file.

use super::markup::Markup;
use super::page_budget::PageBudget;
use super::rows::{Row, RowKind, count_replaced};

/// The maximum number of rows of one body whose two sides are aligned. A browser needs time in
/// proportion to its square.
const MAX_ALIGNED_ROWS: usize = 400;

/// The form of a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum TableLayout {
    /// The lines of two files.
    Diff,
    /// The lines of a patch or of one file, with this caption.
    Single(&'static str),
}

/// The identity of the lines of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineIds<'a> {
    /// The file or hunk.
    pub(super) id: &'a str,
    /// The letters of the two numbers of a row.
    pub(super) letters: [&'static str; 2],
}

/// Adds the table of `rows`. Returns the number of rows that are not shown.
pub(super) fn add_table(
    form: TableLayout,
    anchors: LineIds<'_>,
    rows: &[Row<'_>],
    room: &mut PageBudget,
    out: &mut Markup,
) -> usize {
    let is_diff = matches!(form, TableLayout::Diff);
    let copies = |row: &Row<'_>| 1 + usize::from(is_diff && row.kind == RowKind::Context);
    let fits = |row: &&Row<'_>| room.try_take(row.text, copies(row));
    let shown = rows.iter().take_while(fits).count();
    if shown > 0 {
        open(form, out);
        match form {
            TableLayout::Diff => add_bodies(anchors, &rows[..shown], out),
            TableLayout::Single(_) => {
                out.raw("<tbody>\n");
                for it in &rows[..shown] {
                    add_row(it, form, anchors, out);
                }
                out.raw("</tbody>");
            }
        }
        out.raw("</table>\n");
    }
    rows.len() - shown
}

fn open(form: TableLayout, out: &mut Markup) {
    match form {
        TableLayout::Diff => out
            .raw("<table class=\"diff two\" dir=\"ltr\"><colgroup><col class=\"n\"><col class=\"n\">")
            .raw("<col class=\"m\"><col></colgroup><thead class=\"hidden\"><tr>")
            .raw("<th scope=\"col\">Old line</th><th scope=\"col\">New line</th>"),
        TableLayout::Single(caption) => out
            .raw("<table class=\"diff\" dir=\"ltr\"><caption>")
            .raw(caption)
            .raw("</caption><colgroup><col class=\"n\"><col class=\"m\"><col></colgroup>")
            .raw("<thead class=\"hidden\"><tr><th scope=\"col\">Line</th>"),
    };
    out.raw("<th scope=\"col\">Sign</th><th scope=\"col\">Text</th></tr></thead>");
}

/// Adds the rows of a diff: one body for each run of replaced lines, and for the lines between.
fn add_bodies(anchors: LineIds<'_>, rows: &[Row<'_>], out: &mut Markup) {
    let mut start = 0;
    let mut is_open = false;
    while start < rows.len() {
        let (gone, come) = count_replaced(&rows[start..]);
        let is_aligned = gone > 0 && come > 0 && gone + come <= MAX_ALIGNED_ROWS;
        if is_open && is_aligned {
            out.raw("</tbody>");
        }
        if is_aligned {
            out.raw("<tbody class=\"pair\">\n");
        } else if !is_open {
            out.raw("<tbody>\n");
        }
        let end = start + (gone + come).max(1);
        for it in &rows[start..end] {
            add_row(it, TableLayout::Diff, anchors, out);
        }
        if is_aligned {
            out.raw("</tbody>");
        }
        is_open = !is_aligned;
        start = end;
    }
    if is_open {
        out.raw("</tbody>");
    }
}

fn add_row(row: &Row<'_>, form: TableLayout, anchors: LineIds<'_>, out: &mut Markup) {
    let (class, sign) = match row.kind {
        RowKind::Context => ("<tr>", " "),
        RowKind::Deletion => ("<tr class=\"del\">", "-"),
        RowKind::Insertion => ("<tr class=\"add\">", "+"),
        RowKind::DeletionNote => ("<tr class=\"note old\">", ""),
        RowKind::Note => ("<tr class=\"note\">", ""),
    };
    let is_diff = matches!(form, TableLayout::Diff);
    out.raw(match row.kind {
        RowKind::Context if row.differs_from.is_some() => "<tr class=\"differs\">",
        RowKind::Deletion if row.differs_from.is_some() => "<tr class=\"del differs\">",
        _ => class,
    });
    for (number, letter) in row.numbers[..=usize::from(is_diff)]
        .iter()
        .zip(anchors.letters)
    {
        out.raw("<td class=\"n\">");
        if let Some(number) = number {
            out.anchor(anchors.id, letter, *number);
        }
        out.raw("</td>");
    }
    out.raw("<td class=\"m\">")
        .raw(sign)
        .raw("</td><td class=\"c\">");
    let marks = match row.kind {
        RowKind::Deletion => ("<del>", "</del>"),
        _ => ("<ins>", "</ins>"),
    };
    add_content(row, marks, out);
    if let Some((text, line)) = row.differs_from {
        out.raw(" <span class=\"flag ask\">differs from line ")
            .number(line)
            .raw(" of the ")
            .raw(text)
            .raw("</span>");
    }
    if is_diff && row.kind == RowKind::Context {
        out.raw("</td><td class=\"r\" aria-hidden=\"true\">");
        add_content(row, marks, out);
    }
    out.raw("</td></tr>\n");
}

/// Adds the text of a line with its colors, up to the limit of a line. The tags `open` and `close`
/// enclose its marks.
pub(super) fn add_content(
    row: &Row<'_>,
    (open, close): (&'static str, &'static str),
    out: &mut Markup,
) {
    let end = row.end();
    let mut done = 0;
    for mark in row.marks.iter().filter(|mark| mark.start < end) {
        add_colored(row, done, mark.start, out);
        out.raw(open);
        done = mark.end.min(end);
        add_colored(row, mark.start, done, out);
        out.raw(close);
    }
    add_colored(row, done, end, out);
    if end < row.text.len() {
        out.raw("<b class=\"cut\">\u{2026} ")
            .count(row.text.len() - end, "more byte")
            .raw(" not shown</b>");
    }
}

/// Adds the bytes of a line from `start` to `end` with their colors.
fn add_colored(row: &Row<'_>, start: usize, end: usize, out: &mut Markup) {
    let mut done = start;
    let first = row.colors.partition_point(|(range, _)| range.end <= start);
    for (range, token) in &row.colors[first..] {
        if range.start >= end {
            break;
        }
        let from = range.start.max(done);
        out.line(&row.text[done..from]);
        done = range.end.min(end);
        out.raw(token.open_tag())
            .line(&row.text[from..done])
            .raw("</span>");
    }
    out.line(&row.text[done..end]);
}
