//! Prints GNU patch's messages about the hunks of a file.

use std::io::{self, Write};

use super::{MessagePrinter, quote_name};
use crate::report::{DifferenceReason, FileReport, HunkReport, HunkStatus};

impl MessagePrinter<'_> {
    /// Prints the messages about all hunks, and the numbers of ignored and failed hunks.
    pub(super) fn print_hunks(&self, file: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        // `shift` is the number of lines that the previous hunks of the file have added.
        let (mut failed, mut passed, mut shift) = (0, 0, 0);
        for (index, hunk) in file.hunks.iter().enumerate() {
            if !hunk.merged.is_empty() {
                self.print_merged(index, hunk, out)?;
                continue;
            }
            match (&hunk.applied, hunk.status) {
                (Some(applied), _) => {
                    if let Some(line) = self.success_message(index, hunk, stated_line(hunk) + shift)
                    {
                        writeln!(out, "{line}")?;
                    }
                    shift += to_signed(applied.new_lines) - to_signed(applied.old_lines);
                }
                (None, HunkStatus::AlreadyApplied) if self.options.forward => passed += 1,
                (None, HunkStatus::Unplaced) => {}
                (None, _) => {
                    failed += 1;
                    if !self.options.quiet {
                        writeln!(
                            out,
                            "Hunk #{} FAILED at {}{}.",
                            index + 1,
                            stated_line(hunk) + shift,
                            line_end_hint(hunk)
                        )?;
                    }
                }
            }
        }
        let many = if file.hunks.len() == 1 {
            "hunk"
        } else {
            "hunks"
        };
        if passed > 0 {
            writeln!(out, "{passed} out of {} {many} ignored", file.hunks.len())?;
        }
        if failed > 0 {
            let path = file
                .rejects
                .as_ref()
                .and_then(|rejects| rejects.path.as_ref())
                .filter(|_| !self.options.dry_run);
            let saved = |path: &String| {
                format!(" -- saving rejects to file {}", quote_name(path.as_bytes()))
            };
            let saved = path.map_or_else(String::new, saved);
            writeln!(
                out,
                "{failed} out of {} {many} FAILED{saved}",
                file.hunks.len()
            )?;
        }
        Ok(())
    }

    /// Prints the results of the changes in a merged hunk. A hunk that matches has no message
    /// without `--verbose`.
    fn print_merged(&self, index: usize, hunk: &HunkReport, out: &mut dyn Write) -> io::Result<()> {
        let is_told = |status: HunkStatus| {
            status != HunkStatus::Merged
                || self.options.verbose
                || (!self.options.quiet && hunk.applied.is_none())
        };
        let told: Vec<_> = hunk
            .merged
            .iter()
            .filter(|change| is_told(change.status))
            .collect();
        for (place, change) in told.iter().enumerate() {
            let what = match change.status {
                HunkStatus::Conflict => "NOT MERGED",
                HunkStatus::AlreadyApplied => "already applied",
                _ => "merged",
            };
            match place {
                0 => write!(out, "Hunk #{} {what} at ", index + 1)?,
                _ if change.status == told[0].status => write!(out, ",")?,
                _ => write!(out, ", {what} at ")?,
            }
            let (first, count) = (change.lines.start, change.lines.count);
            if count > 1 {
                write!(out, "{first}-{}", first + count - 1)?;
            } else {
                write!(out, "{first}")?;
            }
        }
        if told.is_empty() {
            Ok(())
        } else {
            writeln!(out, ".")
        }
    }

    /// Returns the message about a hunk that matches; `line` is its expected line.
    fn success_message(&self, index: usize, hunk: &HunkReport, line: isize) -> Option<String> {
        let (offset, fuzz) = (hunk.offset.unwrap_or(0), hunk.fuzz.unwrap_or(0));
        let line = line + offset;
        let is_off = (offset != 0 || fuzz != 0) && self.options.merge.is_none();
        let is_told = self.options.verbose || (!self.options.quiet && is_off);
        let fuzz = if fuzz == 0 {
            String::new()
        } else {
            format!(" with fuzz {fuzz}")
        };
        let lines = if offset == 1 { "line" } else { "lines" };
        let offset = if offset == 0 {
            String::new()
        } else {
            format!(" (offset {offset} {lines})")
        };
        is_told.then(|| format!("Hunk #{} succeeded at {line}{fuzz}{offset}.", index + 1))
    }
}

/// Returns the first line of the hunk in the old file, as its header states it. If the hunk has no
/// preimage lines, returns the line after the insertion.
fn stated_line(hunk: &HunkReport) -> isize {
    to_signed(hunk.patch.old_start.unwrap_or_default() + usize::from(hunk.patch.old_lines == 0))
}

/// Returns the hint that the lines at the closest match differ only in their endings.
fn line_end_hint(hunk: &HunkReport) -> &'static str {
    let difference = hunk
        .nearest
        .as_ref()
        .and_then(|nearest| nearest.first_difference.as_ref());
    let is_reason =
        difference.is_some_and(|difference| difference.reason == Some(DifferenceReason::LineEnd));
    if is_reason {
        " (different line endings)"
    } else {
        ""
    }
}

fn to_signed(number: usize) -> isize {
    isize::try_from(number).unwrap_or(isize::MAX)
}
