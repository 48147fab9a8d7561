//! Prints GNU patch's messages. Scripts parse them, so they must not change.

mod hunks;

use std::io::{self, Write};

use super::args::GnuArguments;
use super::output::OutputTarget;
use crate::cli::output::print_to_stderr_as;
use crate::engine::Outcome;
use crate::engine::options::{Problem, ProblemCode, Severity, code, quote};
use crate::path::RelPath;
use crate::report::{FileReport, Op};
use crate::text::printable;

/// The messages about one outcome.
pub(super) struct MessagePrinter<'o> {
    outcome: &'o Outcome,
    /// Messages to print before each file.
    notes: &'o [String],
    options: &'o GnuArguments,
}

impl<'o> MessagePrinter<'o> {
    pub(super) fn new(
        outcome: &'o Outcome,
        notes: &'o [String],
        options: &'o GnuArguments,
    ) -> Self {
        Self {
            outcome,
            notes,
            options,
        }
    }

    /// Returns whether a change was skipped because it is already applied.
    pub(super) fn has_skipped(&self) -> bool {
        self.outcome
            .problems
            .iter()
            .any(|problem| *problem.code == code::ALREADY_APPLIED)
    }

    /// Returns whether a file does not contain the word of a `Prereq:` line.
    pub(super) fn has_other_version(&self) -> bool {
        self.errors()
            .any(|problem| *problem.code == code::PREREQUISITE)
    }

    /// Prints actions to standard output and errors to standard error.
    ///
    /// # Errors
    ///
    /// Returns the I/O error of standard output.
    pub(super) fn print(&self) -> io::Result<()> {
        // Standard output contains the patched file, so messages go to standard error.
        let is_taken = OutputTarget::of(self.options) == Some(OutputTarget::Standard);
        let out: Box<dyn Write> = if is_taken {
            Box::new(io::stderr())
        } else {
            Box::new(io::stdout().lock())
        };
        let mut out = io::BufWriter::new(out);
        let numbers: Vec<usize> = self.outcome.report.files.iter().map(file_number).collect();
        for ((file, problems), is_backup) in self.outcome.files().zip(backups(&numbers)) {
            self.print_file(file, is_backup, &problems, &mut out)?;
        }
        out.flush()?;
        for problem in self
            .outcome
            .problems
            .iter()
            .filter(|problem| self.is_printed(problem))
        {
            let name = problem
                .path
                .as_ref()
                .map_or_else(String::new, |path| format!("{}: ", quoted_path(path)));
            print_to_stderr_as(
                "patch",
                &format!("{}{name}{}", self.error_prefix(problem), problem.message),
            );
        }
        let report = &self.outcome.report;
        if !report.ok
            && !report.outcome.is_partial()
            && !report.files.is_empty()
            && report.exit_code != 5
        {
            let has_failed = |problem: &Problem| problem.hunk.is_some();
            let hint = if self.errors().any(has_failed) {
                " (use --reject to apply the hunks that match)"
            } else {
                ""
            };
            print_to_stderr_as("patch", &format!("no file was changed{hint}"));
        }
        Ok(())
    }

    /// Returns whether `problem` is printed. All errors are printed. Two warnings that GNU patch
    /// does not have are printed as well: about a guess and about an incomplete input.
    fn is_printed(&self, problem: &Problem) -> bool {
        let is_shown = [&code::SEVERAL_PLACES, &code::NOT_INCLUDED].contains(&problem.code);
        problem.severity != Severity::Warning || (is_shown && !self.options.quiet)
    }

    fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.outcome
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error)
    }

    /// Returns the prefix of an error in the text of the patch, with its line.
    fn error_prefix(&self, problem: &Problem) -> String {
        let is_error = problem.severity != Severity::Warning;
        let place = problem
            .place
            .filter(|_| problem.operation.is_none() && is_error);
        let Some((input, span)) =
            place.and_then(|(input, span)| Some((self.outcome.inputs.get(input)?, span)))
        else {
            return String::new();
        };
        if [&code::NO_PATCH, &code::NOT_INCLUDED].contains(&problem.code) {
            return "**** Only garbage was found in the patch input: ".to_owned();
        }
        format!(
            "**** malformed patch at line {}: ",
            input.position(span.start).line
        )
    }

    fn print_file(
        &self,
        file: &FileReport,
        is_backup: bool,
        problems: &[&Problem],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let has = |code: &ProblemCode| problems.iter().any(|problem| problem.code == code);
        let is_told = !self.options.quiet && !is_backup;
        for note in self.notes.iter().filter(|_| is_told) {
            writeln!(out, "{note}")?;
        }
        if has(&code::MISSING) {
            return self.print_missing(file, out);
        }
        if is_told {
            self.print_start(file, out)?;
        }
        if has(&code::EXISTS) {
            writeln!(
                out,
                "The next patch would create the file {},\nwhich already exists!",
                quoted_path(&file.path)
            )?;
        }
        if has(&code::ALREADY_APPLIED) {
            let what = if self.options.reverse {
                "Unreversed"
            } else {
                "Reversed (or previously applied)"
            };
            let then = if self.options.forward {
                "  Skipping patch."
            } else {
                ""
            };
            writeln!(out, "{what} patch detected!{then}")?;
        }
        if has(&code::NOT_EMPTIED) {
            writeln!(
                out,
                "Not deleting file {} as content differs from patch",
                quoted_path(&file.path)
            )?;
        }
        self.print_hunks(file, out)
    }

    /// Prints that the program patches `file`.
    fn print_start(&self, file: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        let verb = if self.options.dry_run {
            "checking"
        } else {
            "patching"
        };
        let output = self.options.output.as_deref();
        let names = both_names(file);
        match output.filter(|_| OutputTarget::of(self.options).is_some()) {
            Some(output) => writeln!(out, "{verb} file {} (read from {names})", output.display()),
            None => writeln!(out, "{verb} file {names}"),
        }
    }

    /// Prints that the file of a section does not exist.
    fn print_missing(&self, file: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        let count = file.hunks.len();
        let Some(first) = file.hunks.first().filter(|_| !self.options.quiet) else {
            return writeln!(out, "No file to patch.  Skipping patch.");
        };
        writeln!(
            out,
            "can't find file to patch at input line {}",
            first.source.line_start
        )?;
        let hint = if self.options.strip.is_some() {
            "you used the wrong"
        } else {
            "you should have used the"
        };
        writeln!(out, "Perhaps {hint} -p or --strip option?")?;
        let many = if count == 1 { "hunk" } else { "hunks" };
        writeln!(
            out,
            "No file to patch.  Skipping patch.\n{count} out of {count} {many} ignored"
        )
    }
}

/// Returns whether each file of the report is a backup. `numbers` are the numbers of the files in
/// report order. Backups have the highest numbers and precede their files in the report.
fn backups(numbers: &[usize]) -> Vec<bool> {
    let mut least = usize::MAX;
    let is_backup = |&number: &usize| {
        let is_backup = least < number;
        least = least.min(number);
        is_backup
    };
    let mut all: Vec<_> = numbers.iter().rev().map(is_backup).collect();
    all.reverse();
    all
}

/// Returns the number in the identifier of a file in the report.
fn file_number(file: &FileReport) -> usize {
    file.id.trim_start_matches('f').parse().unwrap_or_default()
}

fn quoted_path(path: &RelPath) -> String {
    quote_name(path.as_bytes())
}

/// Quotes a name for a shell if necessary. A name with unprintable bytes is escaped as git does it.
fn quote_name(name: &[u8]) -> String {
    let is_special = |byte: &u8| !(byte.is_ascii_alphanumeric() || b"%+,-./:@_".contains(byte));
    match std::str::from_utf8(name) {
        Ok(text) if !name.is_empty() && !name.iter().any(is_special) => text.to_owned(),
        _ if name.iter().all(|byte| matches!(byte, b' '..=b'~')) => {
            format!("'{}'", String::from_utf8_lossy(name).replace('\'', "'\\''"))
        }
        _ => printable(&quote(name)).to_string(),
    }
}

fn both_names(file: &FileReport) -> String {
    let from = file.from.as_ref().map(quoted_path).unwrap_or_default();
    match file.op {
        Op::Rename => format!("{} (renamed from {from})", quoted_path(&file.path)),
        Op::Copy if file.hunks.is_empty() => {
            format!("{} (copied from {from})", quoted_path(&file.path))
        }
        Op::Copy => format!("{} (read from {from})", quoted_path(&file.path)),
        _ => quoted_path(&file.path),
    }
}

#[cfg(test)]
mod tests {
    use super::backups;

    #[test]
    fn a_backup_has_a_higher_number_than_a_later_file() {
        assert_eq!(
            backups(&[5, 1, 2, 6, 3, 4]),
            [true, false, false, true, false, false]
        );
        assert_eq!(backups(&[]), [false; 0]);
    }

    #[test]
    fn the_backups_among_many_files_are_found_in_one_pass() {
        let numbers: Vec<usize> = (0..2_000_000).collect();
        assert!(!backups(&numbers).contains(&true));
    }
}
