//! The side-by-side layout: deleted lines on the left, inserted lines on the right.

use std::io;

use anstyle::Style;

use super::cells::{Row, wrap_line};
use super::hunk::{DisplayedLine, LineGroup};
use super::{ADDED, FAINT, REMOVED, Symbols, TerminalOptions};

/// The format of one of the two columns.
#[derive(Clone, Copy)]
struct ColumnFormat {
    digits: usize,
    /// The width of the text, in columns.
    width: usize,
    marker: char,
    style: Style,
    symbols: Symbols,
}

/// Prints `blocks` in two columns that have the width of `sheet` together. Line numbers have
/// `digits` columns.
pub(super) fn print(
    blocks: &[LineGroup<'_>],
    digits: usize,
    sheet: TerminalOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    // Before each text there are a number, a blank, a marker and a blank.
    let width = (sheet.width.saturating_sub(3) / 2).saturating_sub(digits + 3);
    let form = |marker, style| ColumnFormat {
        digits,
        width,
        marker,
        style,
        symbols: sheet.symbols,
    };
    let (same, removed, added) = (
        form(' ', Style::new()),
        form('-', REMOVED),
        form('+', ADDED),
    );
    for block in blocks {
        match block {
            LineGroup::Context(old, line) => {
                let before = DisplayedLine {
                    number: *old,
                    ..line.clone()
                };
                print_pair((Some(&before), same), (Some(line), same), out)?;
            }
            LineGroup::Changed(gone, come) => {
                for index in 0..gone.len().max(come.len()) {
                    print_pair((gone.get(index), removed), (come.get(index), added), out)?;
                }
            }
        }
    }
    Ok(())
}

/// Prints a line next to another one, and pads the shorter one with blank rows.
fn print_pair(
    (left, left_form): (Option<&DisplayedLine<'_>>, ColumnFormat),
    (right, right_form): (Option<&DisplayedLine<'_>>, ColumnFormat),
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let (left_rows, right_rows) = (line_rows(left, left_form), line_rows(right, right_form));
    for index in 0..left_rows.len().max(right_rows.len()) {
        let filled = print_row(left, left_rows.get(index), left_form, index, out)?;
        let separator = left_form.symbols.separator();
        write!(out, "{:filled$}{FAINT}{separator}{FAINT:#}", "")?;
        print_row(right, right_rows.get(index), right_form, index, out)?;
        writeln!(out)?;
    }
    Ok(())
}

fn line_rows(line: Option<&DisplayedLine<'_>>, form: ColumnFormat) -> Vec<Row> {
    let Some(line) = line else { return Vec::new() };
    let mut rows = wrap_line(line.text, &line.marks, form.width);
    if line.is_unterminated {
        rows.extend(wrap_line(b"\\ no newline", &[], form.width));
    }
    rows
}

/// Prints one row of a column, and returns the number of columns that remain.
fn print_row(
    line: Option<&DisplayedLine<'_>>,
    row: Option<&Row>,
    form: ColumnFormat,
    index: usize,
    out: &mut dyn io::Write,
) -> io::Result<usize> {
    let ColumnFormat {
        digits,
        width,
        marker,
        style,
        symbols,
    } = form;
    let Some((line, row)) = line.zip(row) else {
        return Ok(width + digits + 3);
    };
    if index == 0 {
        write!(
            out,
            "{FAINT}{:digits$}{FAINT:#} {style}{marker}{style:#} ",
            line.number
        )?;
    } else {
        let marker = if row.is_continuation {
            symbols.continuation()
        } else {
            ' '
        };
        write!(out, "{:digits$} {FAINT}{marker}{FAINT:#} ", "")?;
    }
    row.print(style, out)?;
    Ok(width.saturating_sub(row.width))
}
