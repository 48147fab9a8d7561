//! The unified layout: deleted lines above inserted lines.

use std::io;

use anstyle::Style;

use super::cells::wrap_line;
use super::hunk::{DisplayedLine, LineGroup};
use super::{ADDED, FAINT, REMOVED, TerminalOptions};

/// Prints `blocks` with the number of each line in both files. Each number has `digits` columns.
pub(super) fn print(
    blocks: &[LineGroup<'_>],
    digits: usize,
    sheet: TerminalOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    for block in blocks {
        match block {
            LineGroup::Context(old, line) => {
                let numbers = format!("{old:digits$} {:digits$}", line.number);
                print_line(line, &numbers, ' ', (sheet, Style::new()), out)?;
            }
            LineGroup::Changed(gone, come) => {
                for line in gone {
                    print_line(
                        line,
                        &format!("{:digits$} {:digits$}", line.number, ""),
                        '-',
                        (sheet, REMOVED),
                        out,
                    )?;
                }
                for line in come {
                    print_line(
                        line,
                        &format!("{:digits$} {:digits$}", "", line.number),
                        '+',
                        (sheet, ADDED),
                        out,
                    )?;
                }
            }
        }
    }
    Ok(())
}

fn print_line(
    line: &DisplayedLine<'_>,
    numbers: &str,
    marker: char,
    (sheet, style): (TerminalOptions, Style),
    out: &mut dyn io::Write,
) -> io::Result<()> {
    // Before the text there are the numbers, a blank, a marker and a blank.
    let width = sheet.width.saturating_sub(numbers.len() + 3);
    for row in wrap_line(line.text, &line.marks, width) {
        if row.is_continuation {
            let (blank, marker) = (numbers.len(), sheet.symbols.continuation());
            write!(out, "{:blank$} {FAINT}{marker}{FAINT:#} ", "")?;
        } else {
            write!(out, "{FAINT}{numbers}{FAINT:#} {style}{marker}{style:#} ")?;
        }
        row.print(style, out)?;
        writeln!(out)?;
    }
    if line.is_unterminated {
        writeln!(
            out,
            "{} {FAINT}\\ no newline{FAINT:#}",
            " ".repeat(numbers.len())
        )?;
    }
    Ok(())
}
