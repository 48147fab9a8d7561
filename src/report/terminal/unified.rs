//! The unified layout: deleted lines above inserted lines.

use std::io;

use anstyle::Style;

use super::cells::rows;
use super::hunk::{Block, Line};
use super::{ADDED, FAINT, REMOVED};

/// Prints `blocks` with the number of each line in both files. Each number has `digits` columns.
pub(super) fn print(
    blocks: &[Block<'_>],
    digits: usize,
    width: usize,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    for block in blocks {
        match block {
            Block::Same(old, line) => {
                let numbers = format!("{old:digits$} {:digits$}", line.number);
                put(line, &numbers, ' ', (width, Style::new()), out)?;
            }
            Block::Changed(gone, come) => {
                for line in gone {
                    put(
                        line,
                        &format!("{:digits$} {:digits$}", line.number, ""),
                        '-',
                        (width, REMOVED),
                        out,
                    )?;
                }
                for line in come {
                    put(
                        line,
                        &format!("{:digits$} {:digits$}", "", line.number),
                        '+',
                        (width, ADDED),
                        out,
                    )?;
                }
            }
        }
    }
    Ok(())
}

fn put(
    line: &Line<'_>,
    numbers: &str,
    marker: char,
    (width, style): (usize, Style),
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let (mut numbers, mut marker) = (numbers.to_owned(), marker);
    for row in rows(
        line.text,
        &line.marks,
        width.saturating_sub(numbers.len() + 3),
    ) {
        write!(out, "{FAINT}{numbers}{FAINT:#} {style}{marker}{style:#} ")?;
        row.print(style, out)?;
        writeln!(out)?;
        (numbers, marker) = (" ".repeat(numbers.len()), ' ');
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
