//! git's `--stat`: a graph of added and removed lines, in 80 columns.

use std::borrow::Cow;
use std::io;

use super::{FileType, Format, Outcome, Report};
use crate::path::RelPath;

/// The maximum width of a name, in columns.
const MAX_NAME_WIDTH: usize = 50;
/// The maximum width of name and graph, in columns. With the number a line has at most 80 columns.
const MAX_NAME_AND_GRAPH_WIDTH: usize = 70;

/// One line for each file, and a total.
pub(super) struct Stat {
    pub(super) name: &'static str,
    pub(super) style: GraphStyle,
}

/// The style of the signs in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphStyle {
    /// Without color.
    Plain,
    /// In green and red.
    Coloured,
}

/// The escape sequences for green, red, and the end of a color.
const ADDED: &str = "\x1b[32m";
const REMOVED: &str = "\x1b[31m";
const RESET: &str = "\x1b[0m";

impl Format for Stat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let quote = |path: &RelPath| report.quoting.quote(path.as_bytes()).into_owned();
        let rows = report.files.iter().map(|file| StatRow {
            name: quote(&file.path),
            is_binary: file.file_type == FileType::Binary,
            added: file.added,
            removed: file.removed,
        });
        let sources = report.files.iter().filter_map(|file| file.from.as_ref());
        let widest_source = sources.map(|from| quote(from).len()).max().unwrap_or(0);
        print_rows(&rows.collect::<Vec<_>>(), widest_source, self.style, out)?;
        writeln!(out, "{}", changes(report))
    }
}

/// One line of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatRow {
    /// The name, quoted if necessary.
    pub name: Vec<u8>,
    /// Whether the content is binary, so that no lines are counted.
    pub is_binary: bool,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

/// Prints a graph of the changed lines of two trees, and the total.
///
/// # Errors
///
/// Returns the error of `out`.
pub fn print_stat(rows: &[StatRow], style: GraphStyle, out: &mut dyn io::Write) -> io::Result<()> {
    print_rows(rows, 0, style, out)?;
    let sum = |count: fn(&StatRow) -> usize| rows.iter().map(count).sum();
    let total = total(rows.len(), sum(|row| row.added), sum(|row| row.removed));
    writeln!(out, "{total}")
}

/// Prints the lines of the graph. Names have at least `min_width` columns.
fn print_rows(
    rows: &[StatRow],
    min_width: usize,
    style: GraphStyle,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let widest = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let widest = widest.max(min_width).min(MAX_NAME_WIDTH);
    let most = rows.iter().map(|row| row.added + row.removed).max();
    for row in rows {
        let name = shorten_name(Cow::Borrowed(&row.name), widest);
        out.write_all(b" ")?;
        out.write_all(&name)?;
        write!(out, "{:1$} |", "", widest.saturating_sub(name.len()))?;
        if row.is_binary {
            writeln!(out, "  Bin")?;
        } else {
            let width = MAX_NAME_AND_GRAPH_WIDTH.saturating_sub(widest);
            writeln!(out, "{}", graph(row, most.unwrap_or(0), width, style))?;
        }
    }
    Ok(())
}

/// Removes the start of a long name, up to a slash if possible. Lengths are in bytes, as in
/// `show_stats` in git's `apply.c`.
fn shorten_name(name: Cow<'_, [u8]>, width: usize) -> Cow<'_, [u8]> {
    if name.len() <= width {
        return name;
    }
    let end = &name[(name.len() + 3).saturating_sub(width).min(name.len())..];
    let slash = memchr::memchr(b'/', end).unwrap_or(0);
    Cow::Owned([b"...", &end[slash..]].concat())
}

/// Returns the number of changed lines and a bar. The longest bar of all files fits into `width`.
fn graph(row: &StatRow, most: usize, width: usize, style: GraphStyle) -> String {
    let scale = |lines: usize| {
        let scaled = (lines * width.min(most) + most / 2).checked_div(most);
        scaled.unwrap_or(0)
    };
    let total = row.added + row.removed;
    let pluses = scale(row.added);
    let minuses = scale(total).saturating_sub(pluses);
    let (pluses, minuses) = ("+".repeat(pluses), "-".repeat(minuses));
    match style {
        GraphStyle::Plain => format!("{total:5} {pluses}{minuses}"),
        GraphStyle::Coloured => {
            format!("{total:5} {ADDED}{pluses}{RESET}{REMOVED}{minuses}{RESET}")
        }
    }
}

/// Returns what the command did and the total, for example `applied: 1 file changed, 2
/// insertions(+)`. Returns `None` if the command changes no files, and would change none.
pub(super) fn result(report: &Report) -> Option<String> {
    let done = match (report.outcome, report.command) {
        (Outcome::Applied, "undo") => "undone",
        (Outcome::Applied, "redo") => "redone",
        (Outcome::Applied, _) => "applied",
        (Outcome::WouldApply, "undo") => "would undo",
        (Outcome::WouldApply, "redo") => "would redo",
        (Outcome::WouldApply, _) => "would apply",
        (Outcome::Partial, _) => "partly applied",
        (Outcome::WouldBePartial, _) => "would partly apply",
        _ => return None,
    };
    // The history then only records that the entries are undone.
    if matches!(report.command, "undo" | "redo") && report.files.is_empty() {
        return Some(format!(
            "{done}: 0 files changed, because the tree already has this state"
        ));
    }
    Some(format!("{done}:{}", changes(report)))
}

/// Returns the total, for example ` 1 file changed, 2 insertions(+)`.
pub(super) fn changes(report: &Report) -> String {
    let summary = &report.summary;
    total(report.files.len(), summary.added, summary.removed)
}

fn total(files: usize, added: usize, removed: usize) -> String {
    if files == 0 {
        return " 0 files changed".to_owned();
    }
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let mut line = vec![format!(" {files} file{} changed", plural(files))];
    if added > 0 || removed == 0 {
        line.push(format!("{added} insertion{}(+)", plural(added)));
    }
    if removed > 0 || added == 0 {
        line.push(format!("{removed} deletion{}(-)", plural(removed)));
    }
    line.join(", ")
}
