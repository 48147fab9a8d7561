//! The output format of Codex's `apply_patch`.

use std::io;

use super::summary::letter_summary;
use super::text::Text;
use super::{Expected, Format, Outcome, ProblemReport, Report};
use crate::preflight::ProblemKind;
use crate::text::{printable, printable_line};

/// A list of files after success, or one message after failure, in the words that Codex models
/// know.
///
/// Codex has no check. After a check the list states which files would be updated.
pub(super) struct Codex;

impl Format for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let Some(error) = &report.error else {
            return print_success(report, out);
        };
        writeln!(out, "{}", message(error))?;
        if let (Some(Expected::Lines(lines)), ProblemKind::NotFound) =
            (&error.details.expected, error.kind)
        {
            let shown =
                |line: &String| printable_line(line.trim_end_matches('\n').as_bytes()).to_string();
            lines
                .iter()
                .try_for_each(|line| writeln!(out, "{}", shown(line)))?;
        }
        match error.next_step() {
            Some(help) => writeln!(out, "{}", printable(help.as_bytes())),
            None => Ok(()),
        }
    }
}

fn print_success(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    if report.files.is_empty() {
        // `recover` and `reject`, for example, list no files.
        out.write_all(b"Success. ")?;
        return Text.print(report, out);
    }
    let said = if report.outcome == Outcome::Applied {
        "Updated"
    } else {
        "Would update"
    };
    write!(
        out,
        "Success. {said} the following files:\n{}",
        letter_summary(&report.files)
    )
}

fn message(error: &ProblemReport) -> String {
    let said = printable(error.message.as_bytes());
    let path = error.path.as_deref().unwrap_or("the patch");
    let path = printable(path.as_bytes());
    match (error.kind, error.span) {
        (ProblemKind::Parse, Some(span)) => {
            format!("Invalid patch hunk on line {}: {said}", span.line)
        }
        (ProblemKind::Parse, None) => format!("Invalid patch: {said}"),
        (ProblemKind::NotFound, _) => format!("Failed to find expected lines in {path}:"),
        (ProblemKind::Missing, _) => format!("Failed to read file to update {path}: {said}"),
        (ProblemKind::NoChange, _) => format!("No files were modified. {path}: {said}"),
        (ProblemKind::Io, _) if error.path.is_some() => {
            format!("Failed to write file {path}: {said}")
        }
        _ if error.path.is_some() => format!("{path}: {said}"),
        _ => said.to_string(),
    }
}
