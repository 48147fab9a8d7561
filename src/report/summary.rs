//! git's `--summary`: creations, deletions, renames, copies and mode changes. Patches in Codex's
//! grammar get Codex's list of files instead.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use super::{FileReport, Format, InputReport, Op, Report};
use crate::path::RelPath;
use crate::syntax::{Syntax, find_syntax, quote};
use crate::text::printable;

/// Returns one line for each file as Codex prints them: first created files (`A`), then modified or
/// moved files (`M`), then deleted files (`D`).
#[must_use]
pub fn letter_summary(files: &[FileReport]) -> String {
    let letter = |op| match op {
        Op::Create | Op::Copy => 'A',
        Op::Modify | Op::Rename | Op::Mode => 'M',
        Op::Delete => 'D',
    };
    let mut text = String::new();
    for listed in ['A', 'M', 'D'] {
        for file in files.iter().filter(|file| letter(file.op) == listed) {
            let _ = writeln!(text, "{listed} {}", printable(file.path.as_bytes()));
        }
    }
    text
}

/// One line for each file that is created, deleted, renamed, copied or rewritten, or whose mode
/// changes.
///
/// # Security
///
/// git prints names unchanged. This format quotes a name that contains control characters.
pub(super) struct Summary;

impl Format for Summary {
    fn name(&self) -> &'static str {
        "summary"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let mut inputs = report.inputs.iter().peekable();
        if inputs.peek().is_some() && inputs.all(has_letter_summary) {
            return out.write_all(letter_summary(&report.files).as_bytes());
        }
        for file in &report.files {
            match (file.op_in_summary.unwrap_or(file.op), &file.from) {
                (Op::Create, _) => print_with_mode(out, "create", file.mode.new, &file.path)?,
                (Op::Delete, _) => print_with_mode(out, "delete", file.mode.old, &file.path)?,
                (Op::Rename, Some(from)) => print_move(out, "rename", file, from)?,
                (Op::Copy, Some(from)) => print_move(out, "copy", file, from)?,
                _ => print_change(out, file)?,
            }
        }
        Ok(())
    }
}

fn has_letter_summary(input: &InputReport) -> bool {
    input
        .format
        .as_deref()
        .and_then(find_syntax)
        .is_some_and(Syntax::has_letter_summary)
}

fn print_with_mode(
    out: &mut dyn io::Write,
    verb: &str,
    mode: Option<&str>,
    path: &RelPath,
) -> io::Result<()> {
    match mode {
        Some(mode) => write!(out, " {verb} mode {mode} ")?,
        None => write!(out, " {verb} ")?,
    }
    print_name(out, path.as_bytes())
}

fn print_move(
    out: &mut dyn io::Write,
    verb: &str,
    file: &FileReport,
    from: &RelPath,
) -> io::Result<()> {
    write!(out, " {verb} ")?;
    out.write_all(&escape_name(&format_move(
        from.as_bytes(),
        file.path.as_bytes(),
    )))?;
    writeln!(out, " ({}%)", file.score.unwrap_or(0))?;
    print_mode_change(out, file)
}

/// Prints the mode change of a file whose name was already printed.
fn print_mode_change(out: &mut dyn io::Write, file: &FileReport) -> io::Result<()> {
    match (file.is_mode_change(), &file.mode.old, &file.mode.new) {
        (true, Some(old), Some(new)) => writeln!(out, " mode change {old} => {new}"),
        _ => Ok(()),
    }
}

fn print_change(out: &mut dyn io::Write, file: &FileReport) -> io::Result<()> {
    if let Some(score) = file.score.filter(|&score| score > 0) {
        out.write_all(b" rewrite ")?;
        out.write_all(&escape_name(file.path.as_bytes()))?;
        writeln!(out, " ({score}%)")?;
        return print_mode_change(out, file);
    }
    if let (true, Some(old), Some(new)) = (file.is_mode_change(), &file.mode.old, &file.mode.new) {
        write!(out, " mode change {old} => {new} ")?;
        print_name(out, file.path.as_bytes())?;
    }
    Ok(())
}

fn print_name(out: &mut dyn io::Write, name: &[u8]) -> io::Result<()> {
    out.write_all(&escape_name(name))?;
    out.write_all(b"\n")
}

/// Returns the name, quoted if it contains characters that can affect a terminal.
fn escape_name(name: &[u8]) -> Cow<'_, [u8]> {
    match printable(name).to_text() {
        Cow::Borrowed(_) => Cow::Borrowed(name),
        Cow::Owned(_) => quote(name),
    }
}

/// Returns `dir/{old => new}`, or `old => new` if both have no common leading directory.
fn format_move(old: &[u8], new: &[u8]) -> Vec<u8> {
    let differs = old
        .iter()
        .zip(new)
        .position(|(old, new)| old != new)
        .unwrap_or(old.len().min(new.len()));
    match memchr::memrchr(b'/', &old[..differs]) {
        Some(slash) => {
            let shared = slash + 1;
            [
                &old[..shared],
                b"{",
                &old[shared..],
                b" => ",
                &new[shared..],
                b"}",
            ]
            .concat()
        }
        None => [old, b" => ", new].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_directory_is_written_once() {
        assert_eq!(format_move(b"a/b/c", b"a/b/d/c"), b"a/b/{c => d/c}");
        assert_eq!(format_move(b"ab", b"ac"), b"ab => ac");
        assert_eq!(format_move(b"a/x", b"a/x/y"), b"a/{x => x/y}");
    }

    #[test]
    fn a_name_cannot_write_to_the_terminal() {
        assert_eq!(&*escape_name("é".as_bytes()), "é".as_bytes());
        assert_eq!(&*escape_name(b"a\x1bb"), br#""a\033b""#);
    }
}
