//! Prints a plan for people at a terminal: every file with its operation, its hunks, and notes on
//! offsets and fuzz.
//!
//! Input: a [`Report`] and the diff of each file. Output: text with escape sequences for colors. If
//! the terminal has no colors, the caller must remove these. All other bytes of patches, paths and
//! files pass through the escaping functions, so none of them can affect the terminal.
//!
//! Read this file first. `unified` and `columns` are the two layouts, `cells` wraps and escapes one
//! line. `check` prints the summary of a check instead of its hunks.

mod cells;
mod check;
mod columns;
mod diff_text;
mod hunk;
#[cfg(feature = "review")]
mod styled;
mod unified;

use std::io;

use anstyle::{AnsiColor, Style};
use bstr::ByteSlice;

use super::inline::InlineDiff;
use super::shown::hunks_of_patch;
use super::{FileReport, FileStatus, FileType, HunkReport, Op, Report, stat};
use crate::plan::LineRange;
use crate::syntax::write::{DiffHunk, hunks};
use crate::text::printable;

#[cfg(feature = "review")]
pub(crate) use super::syntax_colors::Token;
use cells::wrap_line;
#[cfg(feature = "review")]
pub(crate) use cells::{Emphasis, MAX_STYLED_LINE_BYTES, TextStyle, wrap_styled_line};
pub use check::print_check;
pub use diff_text::print_diff_text;
#[cfg(feature = "review")]
pub(crate) use styled::{StyledLine, style_lines};

/// The width and the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalOptions {
    /// The width of the terminal, in columns.
    pub width: usize,
    /// The layout of the two versions of a file.
    pub layout: Layout,
    /// The characters around the text.
    pub symbols: Symbols,
}

/// The characters of rules, separators and markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Symbols {
    /// Characters that a terminal with UTF-8 shows.
    Unicode,
    /// Characters that every terminal shows.
    Ascii,
}

impl Symbols {
    /// Returns the character of the line between files.
    fn rule(self) -> &'static str {
        match self {
            Self::Unicode => "─",
            Self::Ascii => "-",
        }
    }

    /// Returns the separator between two columns.
    fn separator(self) -> &'static str {
        match self {
            Self::Unicode => " │ ",
            Self::Ascii => " | ",
        }
    }

    /// Returns the marker of a row that continues the line above it.
    fn continuation(self) -> char {
        match self {
            Self::Unicode => '↪',
            Self::Ascii => '>',
        }
    }
}

/// The position of deleted lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// Above the inserted lines.
    Unified,
    /// To the left of the inserted lines.
    SideBySide,
}

/// The minimum and the maximum width, in columns.
const WIDTH_LIMITS: (usize, usize) = (40, 400);

const HEADER: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const HUNK_HEADER: Style = AnsiColor::Cyan.on_default();
const NOTE: Style = Style::new().dimmed();
const REFUSED: Style = AnsiColor::Red.on_default().bold();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();

/// Prints `report` with the `diffs` of its files, one diff for each file. Only one diff is in
/// memory at a time.
///
/// # Security
///
/// All bytes of patches, paths and files that can affect a terminal are escaped.
///
/// # Errors
///
/// Returns an error of `out` or of `diffs`.
pub fn print(
    report: &Report,
    diffs: impl IntoIterator<Item = io::Result<Vec<u8>>>,
    sheet: TerminalOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let sheet = TerminalOptions {
        width: sheet.width.clamp(WIDTH_LIMITS.0, WIDTH_LIMITS.1),
        ..sheet
    };
    for input in &report.inputs {
        for repair in &input.repairs {
            let name = printable(input.name.as_bytes());
            let words = printable(repair.message.as_bytes());
            writeln!(
                out,
                "{NOTE}repaired {name}:{}: {words} ({}){NOTE:#}",
                repair.line, repair.code
            )?;
        }
    }
    let mut inline = InlineDiff::default();
    for (file, diff) in report.files.iter().zip(diffs) {
        print_file(file, &diff?, (sheet, &mut inline), out)?;
    }
    if report.ok {
        writeln!(out, "{}", stat::changes(report).trim_start())
    } else {
        Ok(())
    }
}

fn print_file(
    file: &FileReport,
    diff: &[u8],
    (sheet, inline): (TerminalOptions, &mut InlineDiff),
    out: &mut dyn io::Write,
) -> io::Result<()> {
    print_header(file, sheet, out)?;
    for hit in &file.policy {
        writeln!(
            out,
            "  {NOTE}policy: {} by {}: {}{NOTE:#}",
            hit.verdict,
            escape(&hit.rule),
            escape(&hit.message)
        )?;
    }
    if !matches!(file.status, FileStatus::Ok | FileStatus::Partial) {
        return writeln!(out);
    }
    let shown = hunks(diff);
    if let Some((before, after)) = binary_sizes(diff) {
        writeln!(out, "  binary data: {before} bytes => {after} bytes")?;
    }
    let gutter = number_width(&shown);
    for (hunk, of_patch) in shown.iter().zip(hunks_of_patch(file, &shown)) {
        print_notes(&of_patch, out)?;
        print_hunk_header(&of_patch, hunk, sheet, out)?;
        let blocks = hunk::group_lines(hunk, inline);
        match sheet.layout {
            Layout::Unified => unified::print(&blocks, gutter, sheet, out)?,
            Layout::SideBySide => columns::print(&blocks, gutter, sheet, out)?,
        }
    }
    writeln!(out)
}

/// Prints the operation on the file in one line, with a rule above it.
fn print_header(
    file: &FileReport,
    sheet: TerminalOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    writeln!(
        out,
        "{FAINT}{}{FAINT:#}",
        sheet.symbols.rule().repeat(sheet.width)
    )?;
    print_operation(file, out)
}

/// Prints the operation on the file, its names, its modes, its numbers of lines, and its status
/// unless it applies.
fn print_operation(file: &FileReport, out: &mut dyn io::Write) -> io::Result<()> {
    let style = operation_style(file.op);
    write!(out, "{style}{}{style:#} {HEADER}", file.op)?;
    if let Some(from) = file.from.as_ref().filter(|from| **from != file.path) {
        write!(out, "{from} => ")?;
    }
    write!(out, "{}{HEADER:#}", file.path)?;
    if let (true, Some(old), Some(new)) = (file.is_mode_change(), &file.mode.old, &file.mode.new) {
        write!(out, "  mode {old} => {new}")?;
    }
    if file.file_type == FileType::Symlink {
        write!(out, "  symbolic link")?;
    }
    if file.added > 0 {
        write!(out, "  {ADDED}+{}{ADDED:#}", file.added)?;
    }
    if file.removed > 0 {
        write!(out, "  {REMOVED}-{}{REMOVED:#}", file.removed)?;
    }
    if file.status != FileStatus::Ok {
        write!(
            out,
            "  {REFUSED}{}{REFUSED:#}",
            file.status.to_string().replace('_', " ")
        )?;
    }
    writeln!(out)
}

/// Returns the names of a file, its modes and its type in one line. Nothing in the text affects a
/// terminal.
#[cfg(feature = "review")]
pub(crate) fn file_title(file: &FileReport) -> String {
    let from = file.from.as_ref().filter(|from| **from != file.path);
    let names = match from {
        Some(from) => format!("{from} => {}", file.path),
        None => file.path.to_string(),
    };
    let mode = match (&file.mode.old, &file.mode.new) {
        (Some(old), Some(new)) if file.is_mode_change() => format!("  mode {old} => {new}"),
        _ => String::new(),
    };
    let kind = if file.file_type == FileType::Symlink {
        "  symbolic link"
    } else {
        ""
    };
    format!("{names}{mode}{kind}")
}

/// Returns the style of an operation. The colors are those of `jj diff --summary`.
fn operation_style(op: Op) -> Style {
    let color = match op {
        Op::Create | Op::Copy => AnsiColor::Green,
        Op::Delete => AnsiColor::Red,
        Op::Modify | Op::Rename | Op::Mode => AnsiColor::Cyan,
    };
    color.on_default().bold()
}

/// Prints a note for each of `hunks` that has an offset, fuzz, a less strict comparison or several
/// candidates.
fn print_notes(hunks: &[&HunkReport], out: &mut dyn io::Write) -> io::Result<()> {
    for hunk in hunks {
        let notes = hunk_notes(hunk);
        if !notes.is_empty() {
            writeln!(out, "{NOTE}{}: {}{NOTE:#}", hunk.id, notes.join(", "))?;
        }
    }
    Ok(())
}

/// Prints the lines of `shown` in one row with the section heading: the one that `hunks` of the
/// patch state, or else the one of the file.
fn print_hunk_header(
    hunks: &[&HunkReport],
    shown: &DiffHunk<'_>,
    sheet: TerminalOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let place = format!(
        "@@ -{} +{} @@",
        format_range(shown.old),
        format_range(shown.new)
    );
    write!(out, "{HUNK_HEADER}{place}{HUNK_HEADER:#}")?;
    let stated = hunks
        .iter()
        .filter(|hunk| hunk.applied.is_some())
        .map(|hunk| hunk.patch.section.as_bytes())
        .find(|section| !section.is_empty());
    let section = stated.unwrap_or(shown.section).trim_ascii();
    let width = sheet.width.saturating_sub(place.len() + 1);
    if let Some(row) = wrap_line(section, &[], width)
        .first()
        .filter(|row| row.width > 0)
    {
        write!(out, " ")?;
        row.print(Style::new(), out)?;
    }
    writeln!(out)
}

/// Returns a note for each way in which `hunk` does not apply exactly as stated.
pub(crate) fn hunk_notes(hunk: &HunkReport) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(offset) = hunk.offset.filter(|&offset| offset != 0) {
        let way = if offset > 0 { "below" } else { "above" };
        let lines = if offset.unsigned_abs() == 1 {
            "line"
        } else {
            "lines"
        };
        notes.push(format!(
            "{} {lines} {way} its stated line",
            offset.unsigned_abs()
        ));
    }
    if let Some(fuzz) = hunk.fuzz.filter(|&fuzz| fuzz != 0) {
        notes.push(format!("fuzz {fuzz}"));
    }
    if let Some(rung) = hunk.rung.filter(|&rung| rung != "exact") {
        notes.push(format!("matched by `{rung}`"));
    }
    if hunk.candidates.len() > 1 {
        let lines: Vec<_> = hunk
            .candidates
            .iter()
            .map(|candidate| candidate.line.to_string())
            .collect();
        notes.push(format!("matches at lines {}", lines.join(", ")));
    }
    notes
}

fn escape(text: &str) -> String {
    printable(text.as_bytes()).to_string()
}

/// Returns the sizes of the binary data in `diff` before and after, in bytes. A binary patch states
/// the postimage first, see `git diff --binary`.
fn binary_sizes(diff: &[u8]) -> Option<(usize, usize)> {
    let start = diff.find(b"\nGIT binary patch\n")?;
    let mut sizes = diff[start..]
        .split(|&byte| byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"literal "));
    let mut size = || std::str::from_utf8(sizes.next()?).ok()?.parse().ok();
    let after = size()?;
    Some((size()?, after))
}

/// Returns the number of digits of the largest line number, at least three.
fn number_width(hunks: &[DiffHunk<'_>]) -> usize {
    let end = |range: LineRange| range.start + range.count;
    let largest = hunks
        .iter()
        .map(|hunk| end(hunk.old).max(end(hunk.new)))
        .max()
        .unwrap_or(0);
    largest.to_string().len().max(3)
}

fn format_range(range: LineRange) -> String {
    if range.count == 1 {
        range.start.to_string()
    } else {
        format!("{},{}", range.start, range.count)
    }
}
